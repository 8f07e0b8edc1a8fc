"""Writes an ONNX model without the onnx package: the few protobuf messages it takes, by hand."""

import struct
from typing import Any

import numpy as np
from numpy.typing import NDArray

FLOAT, UINT8, INT8, INT64 = 1, 2, 3, 7  # element types
_KINDS = {"float32": FLOAT, "uint8": UINT8, "int8": INT8, "int64": INT64}
RUNTIME = "com.microsoft"  # ONNX Runtime's own operators

Dimensions = list[int | str]


class Graph:
    """Collects the nodes and constants of a graph, and serialises them."""

    def __init__(self) -> None:
        self._nodes: list[bytes] = []
        self._tensors: list[bytes] = []
        self._count = 0

    def constant(self, values: NDArray[Any]) -> str:
        """Add a constant; returns its name."""
        name = f"w{len(self._tensors)}"
        head = b"".join(_int(1, n) for n in values.shape) + _int(2, _KINDS[values.dtype.name])
        data = _bytes(9, np.ascontiguousarray(values).tobytes())
        self._tensors.append(head + _bytes(8, name) + data)
        return name

    def node(self, operator: str, inputs: list[str], **attributes: float) -> str:
        """Add a node of one output; returns the output's name."""
        return self.nodes(operator, inputs, 1, "", attributes)[0]

    def fused(self, operator: str, inputs: list[str], **attributes: float) -> str:
        """The same for an operator of ONNX Runtime's own."""
        return self.nodes(operator, inputs, 1, RUNTIME, attributes)[0]

    def nodes(
        self,
        operator: str,
        inputs: list[str],
        outputs: int,
        domain: str,
        attributes: dict[str, float],
    ) -> list[str]:
        """Add a node of any number of outputs; returns their names."""
        names = [f"t{self._count + i}" for i in range(outputs)]
        self._count += outputs
        body = b"".join(_bytes(1, i) for i in inputs) + b"".join(_bytes(2, n) for n in names)
        body += _bytes(3, f"n{len(self._nodes)}") + _bytes(4, operator)
        for key, value in attributes.items():
            body += _bytes(5, _bytes(1, key) + _attribute(value))
        self._nodes.append(body + _bytes(7, domain))
        return names

    def model(self, source: str, result: str, shape: Dimensions) -> bytes:
        """The serialised model, whose input `source` and output `result` have the same shape."""
        graph = b"".join(_bytes(1, node) for node in self._nodes) + _bytes(2, "e5")
        graph += b"".join(_bytes(5, tensor) for tensor in self._tensors)
        graph += _bytes(11, _value(source, shape)) + _bytes(12, _value(result, shape))
        versions = _bytes(8, _int(2, 17)) + _bytes(8, _bytes(1, RUNTIME) + _int(2, 1))
        return _int(1, 8) + _bytes(7, graph) + versions


def _attribute(value: float) -> bytes:
    if isinstance(value, float):
        return _varint(2 << 3 | 5) + struct.pack("<f", value) + _int(20, 1)
    return _int(3, value) + _int(20, 2)


def _value(name: str, shape: Dimensions) -> bytes:
    dims = (_int(1, n) if isinstance(n, int) else _bytes(2, n) for n in shape)
    tensor = _int(1, FLOAT) + _bytes(2, b"".join(_bytes(1, dim) for dim in dims))
    return _bytes(1, name) + _bytes(2, _bytes(1, tensor))


def _varint(value: int) -> bytes:
    written = bytearray()
    while value > 127:
        written.append(value & 127 | 128)
        value >>= 7
    written.append(value)
    return bytes(written)


def _int(field: int, value: int) -> bytes:
    return _varint(field << 3) + _varint(value)


def _bytes(field: int, value: bytes | str) -> bytes:
    value = value.encode() if isinstance(value, str) else value
    return _varint(field << 3 | 2) + _varint(len(value)) + value
