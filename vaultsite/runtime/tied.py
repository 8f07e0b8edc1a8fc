"""Run a module that ends when the process that started it is gone.

`python -m vaultsite.runtime.tied RUN_DIR MODULE ARGUMENT…`. The folder of the vault is in the
command line so that a later start knows what an earlier one has left behind.
"""

import ctypes
import os
import runpy
import signal
import sys
import threading
import time

PR_SET_PDEATHSIG = 1


def tie() -> None:
    """Ask for SIGTERM at the parent's death: of the kernel where it can, of a thread elsewhere."""
    parent = os.getppid()
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGTERM)
        if os.getppid() != parent:
            sys.exit()
    else:
        threading.Thread(target=_watch, args=(parent,), daemon=True).start()


def _watch(parent: int) -> None:
    while os.getppid() == parent:
        time.sleep(1)
    os.kill(os.getpid(), signal.SIGTERM)


def main() -> None:
    _, _, module, *arguments = sys.argv
    tie()
    sys.argv = [module, *arguments]
    runpy.run_module(module, run_name="__main__", alter_sys=True)


if __name__ == "__main__":
    main()
