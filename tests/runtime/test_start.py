"""`start.sh` in a fresh clone, in a folder with a space in its name, from another folder."""

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.runtime.vault import ROOT, Vault

pytestmark = pytest.mark.crash
TRACKED = ["manage.py", "requirements.txt", "start.sh", "vaultsite", "apps", "templates", "static"]


@pytest.fixture(scope="module")
def clone() -> Iterator[Path]:
    """The project as a person gets it, without a virtual environment."""
    folder = Path(tempfile.mkdtemp(prefix="vault-start-")) / "my own vault"
    folder.mkdir()
    for name in TRACKED:
        if (ROOT / name).is_dir():
            ignored = shutil.ignore_patterns("__pycache__")
            shutil.copytree(ROOT / name, folder / name, ignore=ignored)
        else:
            shutil.copy2(ROOT / name, folder / name)
    yield folder
    shutil.rmtree(folder.parent)


@pytest.fixture
def set_up(clone: Path) -> Path:
    """A clone in which start.sh has been run once."""
    site = next((clone / ".venv" / "lib").glob("python*/site-packages"), None)
    if site is None:
        outcome = run(clone, "--only-set-up", PIP_NO_INPUT="1")
        assert outcome.returncode == 0, outcome.stderr
    return clone


def run(clone: Path, *words: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """start.sh to its end, from the root folder."""
    return subprocess.run(
        [clone / "start.sh", *words],
        cwd="/",
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )


def test_it_sets_up_and_runs_the_vault(set_up: Path, empty: Vault) -> None:
    empty.start(str(set_up / "start.sh"))
    assert empty.is_well()
    assert empty.stop() == 0
    assert not empty.processes()


def test_again_it_installs_nothing_and_needs_no_network(set_up: Path) -> None:
    offline = {"PIP_INDEX_URL": "http://127.0.0.1:1", "PIP_FIND_LINKS": "", "PIP_NO_INDEX": "1"}
    outcome = run(set_up, "--only-set-up", **offline)
    assert outcome.returncode == 0
    assert outcome.stderr == ""


def test_changed_requirements_are_installed(set_up: Path) -> None:
    with (set_up / "requirements.txt").open("a") as file:
        file.write("# one line more\n")
    outcome = run(set_up, "--only-set-up")
    assert outcome.returncode == 0
    assert "Installing packages" in outcome.stderr
    assert run(set_up, "--only-set-up").stderr == ""


def test_a_missing_python_is_told_with_what_to_install(clone: Path, tmp_path: Path) -> None:
    bare = tmp_path / "bin"
    bare.mkdir()
    for program in ("sh", "dirname", "cat", "rm", "cksum", "flock"):
        if found := shutil.which(program):
            (bare / program).symlink_to(found)
    copy = tmp_path / "clone"
    copy.mkdir()
    shutil.copy2(clone / "start.sh", copy)
    outcome = run(copy, PATH=str(bare))
    assert outcome.returncode == 1
    assert "needs Python 3.11 or newer" in outcome.stderr
    assert "apt install python3" in outcome.stderr


def test_a_python_that_cannot_make_environments_is_told(clone: Path, tmp_path: Path) -> None:
    (tmp_path / "python3").write_text('#!/bin/sh\ncase "$2" in *venv*) exit 1;; esac\nexit 0\n')
    (tmp_path / "python3").chmod(0o755)
    for name in ("python3.11", "python3.12", "python3.13", "python3.14", "python"):
        (tmp_path / name).write_text("#!/bin/sh\nexit 1\n")
        (tmp_path / name).chmod(0o755)
    copy = tmp_path / "clone"
    copy.mkdir()
    shutil.copy2(clone / "start.sh", copy)
    outcome = run(copy, PATH=f"{tmp_path}:{os.environ['PATH']}")
    assert outcome.returncode == 1
    assert "apt install python3-venv" in outcome.stderr


def test_an_installation_that_was_interrupted_is_made_again(tmp_path: Path, clone: Path) -> None:
    copy = tmp_path / "clone"
    (copy / ".venv" / "bin").mkdir(parents=True)
    (copy / ".venv" / "vault.installing").touch()
    (copy / ".venv" / "half").touch()
    (copy / "requirements.txt").write_text("# nothing\n")
    shutil.copy2(clone / "start.sh", copy)
    outcome = run(copy, "--only-set-up")
    assert outcome.returncode == 0, outcome.stderr
    assert "Making a virtual environment" in outcome.stderr
    assert not (copy / ".venv" / "half").exists()
    assert not (copy / ".venv" / "vault.installing").exists()
