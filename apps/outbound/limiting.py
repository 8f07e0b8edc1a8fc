"""What a child process that reads a stranger's file puts upon itself, before the first byte."""

import ctypes
import os
import resource
import signal
import sys
from typing import TextIO

OPEN_FILES = 128
FILE_BYTES = 64 * 1024 * 1024  # nothing here writes files; what does anyhow is cut off


def limit(memory_mb: int, cpu_seconds: int, parent: int) -> None:
    """Bound what this process may use; it dies with its parent."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(1, signal.SIGKILL)  # PR_SET_PDEATHSIG: dies with the worker
        if os.getppid() != parent:
            os._exit(1)  # it died before that was said
    for what, limit in (
        (resource.RLIMIT_AS, memory_mb * 1024 * 1024),
        (resource.RLIMIT_CPU, cpu_seconds),
        (resource.RLIMIT_FSIZE, FILE_BYTES),
        (resource.RLIMIT_NOFILE, OPEN_FILES),
        (resource.RLIMIT_CORE, 0),
    ):
        most = resource.getrlimit(what)[1]
        limit = limit if most == resource.RLIM_INFINITY else min(limit, most)
        resource.setrlimit(what, (limit, limit))
    sys.setrecursionlimit(3000)


def private_stdout() -> TextIO:
    """What a library prints must not end up between the answers."""
    mine = os.dup(1)
    os.dup2(2, 1)
    return os.fdopen(mine, "w", encoding="ascii")
