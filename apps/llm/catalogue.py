"""Which models there are, what they can do, which one answers, and which could be pulled."""

import threading
import time
from collections.abc import Collection
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import psutil
from django.conf import settings
from django.utils.translation import gettext_noop as noop

from apps.llm import downloads, speech_weights
from apps.llm.bundled import launching, pulling
from apps.llm.client import BUNDLED_EMBEDDER, ModelError, client, host, told
from apps.llm.downloads import Progress, is_remote, pull, pulls
from apps.web.telling import gettext as _

__all__ = [
    "DEFAULT_PULL",
    "Model",
    "Progress",
    "Suggestion",
    "chat_model",
    "delete",
    "ensure_default_pull",
    "installed",
    "is_bundled",
    "pull",
    "pulls",
    "suggestions",
]

PREFERRED = "gemma4:e4b"
DEFAULT_PULL = "qwen2.5-coder:1.5b"  # the first language model of the bundled server
SMALLEST = 600_000_000  # bytes; what is smaller answers worse than quoted sentences do
SHARE_OF_MEMORY = 0.7  # that a model may take
BUNDLED_OFFERS = Path(pulling.__file__).with_name("catalogue.json")
LONGEST_PULL = 6 * 3600.0  # seconds that the speech model waits for other downloads
WAIT_SECONDS = 120  # for the server to come up, before the first pull is given up
LICENCES = (  # a word of the text, and what it is called
    ("apache license", "Apache-2.0"),
    ("mit license", "MIT"),
    ("gemma", "Gemma Terms"),
    ("llama", "Llama Community"),
    ("qwen research", "Qwen Research"),
)


ABILITIES = {  # Ollama's words for what a model can do, and a reader's
    "completion": noop("writes"),
    "tools": noop("uses tools"),
    "thinking": noop("thinks first"),
    "vision": noop("sees images"),
    "embedding": noop("finds meaning"),
}


@dataclass(frozen=True, slots=True)
class Model:
    """A model that is there.

    `size` is in bytes, `context` in tokens. `abilities` are Ollama's words: completion, tools,
    thinking, vision, embedding. An `extractive` one quotes sentences and writes none.
    """

    name: str
    size: int
    abilities: frozenset[str]
    context: int
    extractive: bool
    licence: str = ""
    parameters: str = ""

    @property
    def built_in(self) -> bool:
        """It came with the vault and cannot be deleted."""
        return self.extractive or self.name == BUNDLED_EMBEDDER

    @property
    def can(self) -> list[str]:
        """What it can do, in a reader's words, in English."""
        return [noop("quotes sentences")] if self.extractive else _in_words(self.abilities)


@dataclass(frozen=True, slots=True)
class Suggestion:
    """A model worth pulling. `size` is in bytes."""

    name: str
    size: int
    abilities: tuple[str, ...]
    licence: str
    note: str

    @property
    def can(self) -> list[str]:
        """What it can do, in a reader's words, in English."""
        return _in_words(self.abilities)


def _in_words(abilities: Collection[str]) -> list[str]:
    return [words for ability, words in ABILITIES.items() if ability in abilities]


WRITES, CALLS = ("completion",), ("completion", "tools")
OLLAMA_SUGGESTIONS = (
    Suggestion(
        "gemma4:e4b", 9_600_000_000, (*CALLS, "vision"), "Apache-2.0", noop("The usual choice")
    ),
    Suggestion("embeddinggemma", 622_000_000, ("embedding",), "Gemma Terms", noop("For search")),
    Suggestion(
        "gemma3:4b", 3_300_000_000, (*WRITES, "vision"), "Gemma Terms", noop("Reads images")
    ),
    Suggestion("qwen3:4b", 2_500_000_000, (*CALLS, "thinking"), "Apache-2.0", noop("Thinks first")),
    Suggestion("llama3.2:3b", 2_000_000_000, CALLS, "Llama Community", noop("Small and quick")),
    Suggestion("mistral:7b", 4_400_000_000, CALLS, "Apache-2.0", noop("Writes European languages")),
    Suggestion("phi4-mini:3.8b", 2_500_000_000, CALLS, "MIT", noop("Small, reasons well")),
    Suggestion("deepseek-r1:8b", 5_200_000_000, (*WRITES, "thinking"), "MIT", noop("Thinks long")),
)
BUNDLED_NOTES = {
    "qwen2.5-coder:1.5b": noop("Writes answers; needs 2 GB of memory"),
    "qwen2.5-coder:0.5b": noop("For machines with little memory; answers less well"),
    "smollm2:135m": noop("Only to try things out"),
}


def installed() -> list[Model]:
    """Every model of the server, newest first; none that runs on another's machine.

    Raises ModelError where no server answers.
    """
    with told("of the list"), client() as server:
        rows = server.list().models
    found = []
    for row in rows:
        name = (row.model or "").removesuffix(":latest")
        if not is_remote(name):
            about = _description(host(), name, row.digest or "")
            parameters = (row.details.parameter_size if row.details else "") or ""
            found.append(
                Model(
                    name=name,
                    size=int(row.size or 0),
                    abilities=about.abilities,
                    context=about.context,
                    extractive=about.extractive,
                    licence=about.licence,
                    parameters=parameters if parameters != "0" else "",
                )
            )
    return found


@dataclass(frozen=True, slots=True)
class _Description:
    abilities: frozenset[str]
    context: int
    extractive: bool
    licence: str


@lru_cache(maxsize=256)
def _description(_address: str, name: str, _digest: str) -> _Description:
    """What the server says about one model; that does not change while its digest stays."""
    with told(name), client() as server:
        shown = server.show(name)
    info = shown.modelinfo or {}
    context = next((v for key, v in info.items() if key.endswith(".context_length")), 0)
    extractive = info.get("general.architecture") == "extractive"
    abilities = frozenset(shown.capabilities or ())
    return _Description(abilities, int(context or 0), extractive, _licence(shown.license or ""))


def _licence(text: str) -> str:
    """A short name: Ollama gives the whole text, the bundled server its name."""
    if len(text) < 40:
        return text.strip()
    beginning = text[:400].lower()
    return next((name for word, name in LICENCES if word in beginning), text.split("\n")[0][:40])


def chat_model(wanted: str = "") -> Model:
    """The model that answers: the one wanted, else VAULT_CHAT_MODEL, else the best there is.

    Where there is no language model it is the one that quotes sentences. Raises ModelError where
    the wanted one is not installed, or there is none at all.
    """
    able = [model for model in installed() if "completion" in model.abilities]
    named = {model.name: model for model in able}
    if wanted:
        if found := named.get(wanted.removesuffix(":latest")):
            return found
        raise ModelError(
            _("The model %(wanted)s is not installed. Pull it, or choose another.")
            % {"wanted": wanted}
        )
    for name in (settings.CHAT_MODEL.removesuffix(":latest"), PREFERRED):
        if name in named:
            return named[name]
    if not able:
        raise ModelError(
            _(
                "No language model is installed. Pull %(preferred)s on the models "
                "page, or run manage.py pull_model %(preferred)s."
            )
            % {"preferred": PREFERRED}
        )
    return _best(able)


def _best(able: list[Model]) -> Model:
    """The largest that fits into memory; quoted sentences rather than a very small one."""
    memory = psutil.virtual_memory().total * SHARE_OF_MEMORY
    writing = sorted((m for m in able if not m.extractive), key=lambda model: model.size)
    fitting = [model for model in writing if SMALLEST <= model.size <= memory]
    if fitting:
        return fitting[-1]
    quoting = [model for model in able if model.extractive]
    return (quoting or writing)[0]


def suggestions() -> list[Suggestion]:
    """What can be pulled from the server in use and is not there yet."""
    there = {model.name for model in installed()}
    offered = _bundled_suggestions() if is_bundled() else OLLAMA_SUGGESTIONS
    return [offer for offer in offered if offer.name not in there]


def _bundled_suggestions() -> tuple[Suggestion, ...]:
    return tuple(
        Suggestion(
            name=offer.name,
            size=offer.size,
            abilities=("completion", "tools"),
            licence=offer.license,
            note=BUNDLED_NOTES.get(offer.name, offer.publisher),
        )
        for offer in pulling.catalogue(BUNDLED_OFFERS).values()
    )


def is_bundled() -> bool:
    """Is the server in use the one that came with the vault?"""
    return host() == launching.running()


def delete(name: str) -> None:
    """Remove a model from the disk. Raises ModelError."""
    if name == speech_weights.NAME:
        speech_weights.delete()
    else:
        with told(name), client() as server:
            server.delete(name)
    downloads.forget_removed(name)


def ensure_default_pull() -> None:
    """Fetch a first language model and the speech model in the background, where there are none.

    The language model only for the bundled server. Nothing where VAULT_PULL=false, or where a
    person has cancelled that download or deleted that model. Returns at once; waits by itself.
    """
    if settings.PULL:
        threading.Thread(target=_default_pulls, daemon=True, name="first pulls").start()


def _default_pulls() -> None:
    """The one that answers comes first: the network is shared."""
    if not settings.OLLAMA_HOST:
        _default_pull()
    until = time.monotonic() + LONGEST_PULL
    while any(each.state == "running" for each in pulls()) and time.monotonic() < until:
        time.sleep(2)
    if not speech_weights.are_there() and not _is_settled(speech_weights.NAME):
        downloads.start(speech_weights.NAME)


def _is_settled(name: str) -> bool:
    """Whether this model has been fetched once, or a person has not wanted it."""
    before = downloads.record(name)
    return before is not None and before.state in ("done", "cancelled")


def _default_pull() -> None:
    until = time.monotonic() + WAIT_SECONDS
    while time.monotonic() < until:
        try:
            if not is_bundled():
                return
            models = installed()
        except ModelError:  # not up yet
            time.sleep(1)
            continue
        written = any("completion" in m.abilities and not m.extractive for m in models)
        if not written and not _is_settled(DEFAULT_PULL):
            downloads.start(DEFAULT_PULL)
        return
