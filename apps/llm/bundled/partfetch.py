"""The child that downloads one part: pip, in a process that ends with its parent.

    python -m apps.llm.bundled.partfetch PARENT_PID pip-arguments…

Its own module because the server may be killed at any moment: without the wish below a pip would
go on alone.
"""

import contextlib
import ctypes
import os
import runpy
import signal
import sys

PR_SET_PDEATHSIG = 1  # Linux only; elsewhere pip just finishes its part


def main() -> None:
    """Run pip with the arguments given; leave at once where the parent is gone."""
    parent = int(sys.argv[1])
    with contextlib.suppress(OSError, AttributeError):
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:
        sys.exit(1)
    sys.argv = ["pip", *sys.argv[2:]]
    runpy.run_module("pip", run_name="__main__", alter_sys=True)


if __name__ == "__main__":
    main()
