"""A vault to run and to kill."""

import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest

from tests.runtime.vault import Vault
from vaultsite.runtime import postgres


@pytest.fixture(scope="session")
def made() -> Iterator[Path]:
    """The data of a vault that was made and stopped, to copy: making it takes the longest."""
    folder = Path(tempfile.mkdtemp(prefix="vault-up-"))
    vault = Vault(folder / "data")
    assert vault.command("check_health").returncode == 0
    with (
        postgres.in_use(vault.data / "postgres"),
        psycopg.connect(postgres.dsn(vault.data / "postgres"), autocommit=True) as connection,
    ):
        connection.execute("ALTER SYSTEM SET fsync = off")
    yield vault.data
    shutil.rmtree(folder)


@pytest.fixture
def empty() -> Iterator[Vault]:
    """A vault whose folder is not there yet."""
    folder = Path(tempfile.mkdtemp(prefix="vault-up-"))
    vault = Vault(folder / "data")
    yield vault
    vault.clean_up()
    shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture
def vault(empty: Vault, made: Path) -> Vault:
    """A vault that has run before and does not run now."""
    shutil.copytree(made, empty.data)
    return empty


@pytest.fixture(scope="package")
def running(made: Path) -> Iterator[Vault]:
    """One that runs, for tests that leave it as they found it."""
    folder = Path(tempfile.mkdtemp(prefix="vault-up-"))
    vault = Vault(folder / "data")
    shutil.copytree(made, vault.data)
    vault.start()
    yield vault
    vault.clean_up()
    shutil.rmtree(folder, ignore_errors=True)
