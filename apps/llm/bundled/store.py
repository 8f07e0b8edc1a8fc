"""Which models are there: the two that came with the program, and every GGUF file of the folder."""

import hashlib
import json
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from apps.llm.bundled import gguf

E5, EXTRACTIVE = "multilingual-e5-small", "extractive"
DEFAULT_CTX = 4096
E5_BYTES = 95_000_000


@dataclass(frozen=True)
class Model:
    """A model as /api/tags and /api/show describe it.

    `path` is a file, or the bare name of a built-in one.
    """

    name: str
    path: Path
    size: int
    digest: str
    modified_at: str
    family: str
    parameter_size: str
    quantization: str
    capabilities: tuple[str, ...]
    context_length: int
    info: dict[str, Any] = field(default_factory=dict)
    license: str = ""
    template: str = ""

    @property
    def default_ctx(self) -> int:
        """The window used where a request names none."""
        return min(DEFAULT_CTX, self.context_length)

    @property
    def is_embedder(self) -> bool:
        """True for the built-in embedding model."""
        return self.name.partition(":")[0] == E5

    @property
    def is_extractive(self) -> bool:
        """True for the model without weights."""
        return self.name.partition(":")[0] == EXTRACTIVE

    @property
    def built_in(self) -> bool:
        """True for what cannot be deleted."""
        return self.is_embedder or self.is_extractive

    def details(self) -> dict[str, Any]:
        """The `details` object of tags, show and ps."""
        return {
            "parent_model": "",
            "format": "" if self.built_in else "gguf",
            "family": self.family,
            "families": [self.family],
            "parameter_size": self.parameter_size,
            "quantization_level": self.quantization,
        }

    def entry(self) -> dict[str, Any]:
        """One row of /api/tags."""
        return {
            "name": self.name,
            "model": self.name,
            "modified_at": self.modified_at,
            "size": self.size,
            "digest": self.digest,
            "details": self.details(),
        }


def full_name(name: str) -> str:
    """ "x" is "x:latest", as everywhere in Ollama."""
    return name if ":" in name else f"{name}:latest"


class Store:
    """The models folder. Reads the disk at each question, so a file put there is seen at once."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def all(self) -> list[Model]:
        """Every usable model, newest file first, built-in ones last."""
        files = sorted(self.folder.glob("*.gguf"), key=lambda path: -path.stat().st_mtime)
        found = []
        for path in files:
            try:
                found.append(_from_file(path))
            except (gguf.NotGguf, OSError):
                continue  # half copied, or no model: not there yet
        return found + _built_in()

    def get(self, name: str) -> Model | None:
        """The model of that name (with or without ":latest", any case), or None."""
        wanted = full_name(name).lower()
        return next((model for model in self.all() if model.name.lower() == wanted), None)

    def delete(self, model: Model) -> None:
        """Remove the file and its note."""
        model.path.unlink(missing_ok=True)
        note_of(model.path).unlink(missing_ok=True)


def note_of(path: Path) -> Path:
    """Where a pulled model keeps its name, publisher, licence and verified digest."""
    return path.with_suffix(".json")


def _from_file(path: Path) -> Model:
    info, stat = gguf.metadata(path), path.stat()
    try:
        note = json.loads(note_of(path).read_text("utf-8"))
    except (OSError, ValueError):
        note = {}
    family = info.get("general.architecture", "unknown")
    template = info.get("tokenizer.chat_template") or ""
    stamp = hashlib.sha256(f"{path.name} {stat.st_size} {stat.st_mtime_ns}".encode()).hexdigest()
    if f"{family}.pooling_type" in info:
        abilities: tuple[str, ...] = ("embedding",)
    else:
        abilities = ("completion", "tools") if template else ("completion",)
    return Model(
        name=full_name(note.get("name", path.stem.lower())),
        path=path,
        size=stat.st_size,
        digest=note.get("sha256", stamp),
        modified_at=_time(stat.st_mtime),
        family=family,
        parameter_size=info.get("general.size_label") or "",
        quantization=gguf.quantisation(info),
        capabilities=abilities,
        context_length=info.get(f"{family}.context_length") or DEFAULT_CTX,
        info={key: value for key, value in info.items() if key != "tokenizer.chat_template"},
        license=note.get("license", info.get("general.license") or ""),
        template=template,
    )


def _built_in() -> list[Model]:
    return [
        Model(
            name=full_name(E5),
            path=Path(E5),
            size=E5_BYTES,
            digest=hashlib.sha256(E5.encode()).hexdigest(),
            modified_at=_time(0),
            family="bert",
            parameter_size="118M",
            quantization="Q4_0",
            capabilities=("embedding",),
            context_length=512,
            info={
                "general.architecture": "bert",
                "bert.context_length": 512,
                "bert.embedding_length": 384,
                "general.parameter_count": 117_653_760,
            },
            license="MIT",
        ),
        Model(
            name=full_name(EXTRACTIVE),
            path=Path(EXTRACTIVE),
            size=0,
            digest=hashlib.sha256(EXTRACTIVE.encode()).hexdigest(),
            modified_at=_time(0),
            family="extractive",
            parameter_size="0",
            quantization="none",
            capabilities=("completion",),
            context_length=1_000_000,
            info={
                "general.architecture": "extractive",
                "extractive.context_length": 1_000_000,
            },
            license="AGPL-3.0-or-later",
        ),
    ]


def _time(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).isoformat().replace("+00:00", "Z")
