"""Real and hostile files beside the repository; tests that need them skip where they are absent."""

import os
from pathlib import Path

import pytest

from apps.library.corpus import MANIFEST, Known, known_files

ROOT = Path(__file__).resolve().parent.parent
FOLDER = Path(os.environ.get("VAULT_CORPUS") or ROOT.parent / "shared" / "corpus")
EVALUATION = FOLDER.parent / "eval"  # labelled sets
ABSENT = f"no corpus at {FOLDER} (set VAULT_CORPUS)"

needed = pytest.mark.skipif(not (FOLDER / MANIFEST).is_file(), reason=ABSENT)


def known(*kinds: str) -> list[Known]:
    """The files of these kinds (a kind "pdf" includes "pdf-scan"); none where it is absent."""
    if not (FOLDER / MANIFEST).is_file():
        return []
    return [each for each in known_files(FOLDER) if each.kind.split("-")[0] in kinds]
