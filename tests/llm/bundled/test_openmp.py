"""A system without GNU's OpenMP runs the bundled language models all the same."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
# In a mount namespace of its own the library is an empty file.
HIDE = 'mount --bind /dev/null "$0" && exec "$@"'
LOAD = "from apps.llm.bundled import openmp; openmp.preload(); import xllamacpp"


def library() -> str:
    """Where the system keeps it, if it does."""
    folders = ("/usr/lib", "/lib", "/usr/lib64", "/lib64")
    found = [path for folder in folders for path in Path(folder).glob("*/libgomp.so.1")]
    return str(found[0].resolve()) if found else ""


def test_language_models_load_without_it() -> None:
    hidden = library()
    if hidden and (os.geteuid() != 0 or not shutil.which("unshare")):
        pytest.skip("only root can hide the system's library")
    hide = ["unshare", "--mount", "sh", "-c", HIDE, hidden] if hidden else []
    outcome = subprocess.run(
        [*hide, sys.executable, "-c", LOAD], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert outcome.returncode == 0, outcome.stderr
