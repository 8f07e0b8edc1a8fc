"""The one way to a model: Ollama's protocol through its official client, whichever server answers.

    host()      where it is
    chat(…)     a Call: pieces of an answer as they are written, which any thread may stop
    embed(…)    vectors
    ModelError  the model cannot do it; str() is a sentence for the reader, with what to do next

Nothing leaves the machine but to the server named: proxies of the environment are not used and
redirects are not followed.
"""

import contextlib
import ssl
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Literal

import httpx
import numpy as np
import ollama
from django.conf import settings
from django.utils.translation import gettext_noop as noop
from numpy.typing import NDArray

from apps.llm import reports
from apps.llm.bundled import launching
from apps.llm.interruptible import Interruptible
from apps.web.telling import gettext as _

LOCAL_OLLAMA = "http://127.0.0.1:11434"
BUNDLED_EMBEDDER, OLLAMA_EMBEDDER = "multilingual-e5-small", "embeddinggemma"
CONNECT_SECONDS = 3.0
KNOCK_SECONDS = 0.3  # a local server answers at once or is not there
PATIENCE = 4  # times as long may be silent who is asked in the background: Ollama is, in its queue
REMEMBER_SECONDS = 10.0  # how long a found server is trusted to be the right one
BATCH = 64  # texts embedded in one request

Vectors = NDArray[np.float32]
Kind = Literal["query", "passage"]
# How the model's makers want a text introduced: (a question, a passage).
PREFIXES = {
    "embeddinggemma": ("task: search result | query: ", "title: none | text: "),
    "e5": ("query: ", "passage: "),
}
BROKE_OFF = noop("The model broke off in the middle of its answer. Try again.")


class ModelError(Exception):
    """The model cannot answer; the text says why and what to do next."""


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A tool the model wants used."""

    name: str
    arguments: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Piece:
    """What one line of the stream brought."""

    thinking: str
    content: str
    tool_calls: list[ToolCall]


# --- where the server is ------------------------------------------------------------------------
_found: tuple[float, str] = (0.0, "")


def host() -> str:
    """The address of the model server: OLLAMA_HOST, else a local Ollama, else the bundled one.

    Remembered for ten seconds. Raises ModelError where none answers.
    """
    global _found
    if settings.OLLAMA_HOST:
        return _address(settings.OLLAMA_HOST)
    when, address = _found
    if address and time.monotonic() - when < REMEMBER_SECONDS:
        return address
    if launching.answers(LOCAL_OLLAMA, KNOCK_SECONDS):
        address = LOCAL_OLLAMA
    elif not (address := launching.running()):
        raise ModelError(
            _("No model server is running. Start the vault with ./start.sh, or start Ollama.")
        )
    _found = (time.monotonic(), address)
    return address


def forget() -> None:
    """Look for the server, and for what it can do, anew."""
    global _found
    _found = (0.0, "")
    _default_embedder.cache_clear()
    _dimensions.cache_clear()


def _address(given: str) -> str:
    """OLLAMA_HOST as Ollama itself reads it: scheme and port may be missing."""
    url = given if "://" in given else f"http://{given}"
    parts = httpx.URL(url)
    plain = f"{parts.scheme}://{parts.host}" if ":" not in parts.host else f"http://[{parts.host}]"
    default = {"http": 11434, "https": 443}[parts.scheme]
    if "://" in given and parts.port is None:
        default = {"http": 80, "https": 443}[parts.scheme]
    return f"{plain}:{parts.port or default}{parts.path.rstrip('/')}"


@lru_cache(maxsize=1)
def _certificates() -> ssl.SSLContext:
    """Made once: reading the certificates takes longer than embedding a question."""
    return httpx.create_ssl_context(trust_env=False)


def client(*, background: bool = False, **more: Any) -> ollama.Client:
    """The configured client, to be used in a `with` block: it costs a millisecond to make.

    What is `background` lets questions go first (on the bundled server; Ollama does not care).
    """
    return ollama.Client(host=host(), **_manners(background), **more)


def http(*, background: bool = False) -> httpx.Client:
    """For what Ollama's client has no words for; to be used in a `with` block."""
    return httpx.Client(base_url=host(), **_manners(background))


def _manners(background: bool) -> dict[str, Any]:
    """How either of the two clients talks to the server."""
    return {
        "timeout": httpx.Timeout(_silence(background), connect=CONNECT_SECONDS),
        "trust_env": False,
        "follow_redirects": False,
        "verify": _certificates(),
        "headers": {"X-Priority": "background"} if background else {},
    }


def _silence(background: bool) -> float:
    """Seconds without a word after which a server is given up.

    The bundled server tells that it is at work, so this is for one that hangs. Ollama tells nothing
    while another request has the model, and nobody sits before what is made in the background.
    """
    return float(settings.MODEL_SILENCE) * (PATIENCE if background else 1)


# --- asking -------------------------------------------------------------------------------------
def chat(
    messages: Sequence[Mapping[str, Any]],
    *,
    model: str,
    options: Mapping[str, Any] | None = None,
    format: Literal["json"] | dict[str, Any] | None = None,
    tools: Sequence[Mapping[str, Any] | Callable[..., Any]] | None = None,
    think: bool | None = None,
    background: bool = False,
) -> "Call":
    """Ask the model; nothing is sent before the Call is iterated."""
    asked = {
        "model": model,
        "messages": list(messages),
        "options": dict(options) if options else None,
        "format": format,
        "tools": list(tools) if tools else None,
        "think": think,
    }
    return Call(asked, background)


class Call:
    """One answer as it is written: iterate for its pieces.

    Ends early, without an error, when any thread calls `stop()`; `stopped` tells. Raises
    ModelError where the server refuses, breaks off or says nothing for too long.
    """

    def __init__(self, asked: Mapping[str, Any], background: bool = False) -> None:
        self._asked, self._background = asked, background
        self._line = Interruptible()
        self.read = self.written = 0  # tokens, as the server counted them
        self.ended_by = ""  # the server's reason: "stop", or "length" where the window was full

    @property
    def stopped(self) -> bool:
        """Has somebody called `stop()`?"""
        return self._line.stopped

    def stop(self) -> None:
        """End the call now, from any thread, at any moment. The server stops writing too."""
        self._line.stop()

    def __iter__(self) -> Iterator[Piece]:
        done = False
        try:
            with client(background=self._background, event_hooks=self._line.hooks) as server:
                for part in server.chat(**self._asked, stream=True):
                    if self.stopped:
                        return
                    done = done or bool(part.done)
                    self.ended_by = part.done_reason or self.ended_by
                    self.read = part.prompt_eval_count or self.read
                    self.written = part.eval_count or self.written
                    piece = _piece(part.message)
                    if piece.thinking or piece.content or piece.tool_calls:
                        yield piece
        except (ollama.ResponseError, httpx.HTTPError, ConnectionError, ValueError) as error:
            if not self.stopped:
                raise ModelError(
                    in_words(error, self._asked["model"], background=self._background)
                ) from error
        if not done and not self.stopped:
            raise ModelError(_(BROKE_OFF))


def _piece(message: ollama.Message) -> Piece:
    calls = [
        ToolCall(call.function.name, dict(call.function.arguments))
        for call in message.tool_calls or ()
    ]
    return Piece(storable(message.thinking), storable(message.content), calls)


def storable(text: str | None) -> str:
    """PostgreSQL takes neither NUL nor half of a surrogate pair, and a model can send both."""
    text = (text or "").replace("\0", "").replace("\r", "")
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


# --- embedding ----------------------------------------------------------------------------------
def embed(texts: Sequence[str], kind: Kind, *, model: str = "") -> Vectors:
    """One vector of length one for each text, (n, dimensions). Raises ModelError.

    Passages are background work: a question that comes meanwhile does not wait for them.
    """
    name = model or embedder()[0]
    prefix = prefix_of(name, kind)
    rows: list[Sequence[float]] = []
    with told(name), client(background=kind == "passage") as server:
        for start in range(0, len(texts), BATCH):
            # Half a surrogate pair is no text and cannot be sent.
            part = [prefix + storable(text) for text in texts[start : start + BATCH]]
            rows += server.embed(name, part).embeddings
    if len(rows) != len(texts):
        raise ModelError(
            _("%(name)s gave %(rows)s vectors for %(texts)s texts.")
            % {"name": name, "rows": len(rows), "texts": len(texts)}
        )
    vectors = np.asarray(rows, np.float32).reshape(len(rows), -1 if rows else 0)
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    return np.asarray(vectors / np.where(lengths > 0, lengths, 1), np.float32)


def prefix_of(model: str, kind: Kind) -> str:
    """What this family of models wants before a text of that kind; most want nothing."""
    for family, prefixes in PREFIXES.items():
        if family in model.rpartition("/")[2].lower():
            return prefixes[kind == "passage"]
    return ""


def embedder() -> tuple[str, int]:
    """The embedding model in use and its dimensions. Raises ModelError where there is none.

    That is VAULT_EMBED_MODEL, else embeddinggemma, else the bundled multilingual-e5-small.
    """
    address = host()
    now = int(time.monotonic() // REMEMBER_SECONDS)
    name = settings.EMBED_MODEL or _default_embedder(address, now)
    return name, _dimensions(address, name)


def dimensions(model: str) -> int:
    """How long the vectors of an embedding model are. Raises ModelError where it makes none."""
    with told(model):
        return _dimensions(host(), model)


@lru_cache(maxsize=4)
def _default_embedder(_address: str, _now: int) -> str:
    with told(OLLAMA_EMBEDDER), client() as server:
        names = {(row.model or "").removesuffix(":latest") for row in server.list().models}
    for name in (OLLAMA_EMBEDDER, BUNDLED_EMBEDDER):
        if name in names:
            return name
    raise ModelError(
        _(
            "No embedding model is installed. Pull %(ollama_embedder)s on the "
            "models page, or run manage.py pull_model %(ollama_embedder)s."
        )
        % {"ollama_embedder": OLLAMA_EMBEDDER}
    )


@lru_cache(maxsize=16)
def _dimensions(_address: str, name: str) -> int:
    """How long its vectors are; asked of the model's description, which loads nothing."""
    with told(name), client() as server:
        info = server.show(name).modelinfo or {}
        for key, value in info.items():
            if key.endswith(".embedding_length"):
                return int(value)
        return len(server.embed(name, ["x"]).embeddings[0])


# --- errors -------------------------------------------------------------------------------------
@contextlib.contextmanager
def told(model: str) -> Iterator[None]:
    """Turn what the client raises into a ModelError that speaks of `model`."""
    try:
        yield
    except (ollama.ResponseError, httpx.HTTPError, ConnectionError, ValueError) as error:
        raise ModelError(in_words(error, model)) from error


def in_words(error: Exception, model: str, *, background: bool = False) -> str:
    """What went wrong, for the reader. A server that is gone is looked for anew next time."""
    match error:
        case ollama.ResponseError(status_code=404):
            return _("The model %(model)s is not installed. Pull it, or choose another.") % {
                "model": model
            }
        case ollama.ResponseError():  # status -1: the error came in the middle of the stream
            return reports.in_words(error.error, model)
        case httpx.ReadTimeout():
            return _(
                "The model has said nothing for %(model_silence)s seconds. Try again when this "
                "machine has less to do."
            ) % {"model_silence": f"{_silence(background):g}"}
        case ConnectionError() | httpx.ConnectError() | httpx.TimeoutException():
            where = settings.OLLAMA_HOST or _found[1] or LOCAL_OLLAMA
            forget()
            return _("No model server answers at %(where)s. Start it, and try again.") % {
                "where": where
            }
        case _:
            return _(BROKE_OFF)
