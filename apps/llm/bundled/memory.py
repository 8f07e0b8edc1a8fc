"""Memory that was used goes back to the system, not only to the allocator."""

import contextlib
import ctypes
import gc


def give_back() -> None:
    """Collect and trim. Where the C library cannot trim (all but glibc) it only collects."""
    gc.collect()
    with contextlib.suppress(OSError, AttributeError):
        ctypes.CDLL(None).malloc_trim(0)
