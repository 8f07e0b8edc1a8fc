"""The self-test of the audit panel: every kind of process tries to leave, and all else works."""

import secrets
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial

import httpx
from django.utils.text import Truncator
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop as noop

from apps.library import sandbox
from apps.library.models import Chunk, Workspace
from apps.library.search import search
from apps.llm import catalogue, client
from apps.outbound import guard, ledger, queue, trying
from apps.outbound.models import Attempt

WORKER_SECONDS = 10.0  # until a worker has taken the task, which may wait for a slice of reading
WORDS = 12  # of a passage, which are asked for


@dataclass(frozen=True, slots=True)
class Finding:
    """What was tried, in English; `state` is "ok", "failed" or "absent" as on the health page."""

    what: str
    state: str
    words: str


def run(workspace: Workspace) -> list[Finding]:
    """Try everything once, within seconds; never raises."""
    purpose = f"self-test {secrets.token_hex(3)}"
    queue.ask_to_try_out(purpose)  # it works while the others are tried
    tries = {
        noop("Web"): partial(_web, purpose),
        noop("Reader of documents"): partial(_parser, purpose),
        noop("Model server"): partial(_models, purpose),
        noop("Worker"): partial(_worker, purpose),
        noop("Search"): partial(_search, workspace),
        noop("Answer"): partial(_answer, workspace),
    }
    return [_told(what, attempt) for what, attempt in tries.items()]


def _told(what: str, attempt: Callable[[], Finding]) -> Finding:
    try:
        return attempt()
    except Exception as problem:  # one that breaks must not hide the others
        return Finding(what, "failed", str(problem).strip() or type(problem).__name__)


# --- those who must not get out -----------------------------------------------------------------
def _web(purpose: str) -> Finding:
    with guard.allowed(purpose):
        refused = trying.is_refused()
    return _verdict("Web", refused, purpose, guard.process())


def _parser(purpose: str) -> Finding:
    return _verdict("Reader of documents", sandbox.try_out(purpose), purpose, "parser")


def _models(purpose: str) -> Finding:
    what = "Model server"
    try:
        host, bundled = client.host(), catalogue.is_bundled()
    except client.ModelError as error:
        return Finding(what, "absent", str(error))
    if not bundled:
        words = _("The one at %(host)s is a program of its own; the vault cannot watch it.")
        return Finding(what, "absent", words % {"host": host})
    answer = httpx.post(f"{host}/vault/try-out", json={"purpose": purpose}, trust_env=False)
    return _verdict(what, bool(answer.json().get("refused")), purpose, "models")


def _worker(purpose: str) -> Finding:
    until = time.monotonic() + WORKER_SECONDS
    while not _is_noted(purpose, "worker"):
        if time.monotonic() > until:
            words = _("No worker took the test within %(seconds)s seconds. See Health.")
            return Finding("Worker", "absent", words % {"seconds": f"{WORKER_SECONDS:.0f}"})
        time.sleep(0.2)
    return _verdict("Worker", True, purpose, "worker")


def _verdict(what: str, refused: bool, purpose: str, process: str) -> Finding:
    if not refused:
        return Finding(what, "failed", _("It was let go. Restart the vault, and report this."))
    if not _is_noted(purpose, process):
        return Finding(what, "failed", _("Refused, but the ledger does not say so."))
    return Finding(
        what,
        "ok",
        _("Tried to reach %(nobody)s: refused, and noted.") % {"nobody": trying.NOBODY[0]},
    )


def _is_noted(purpose: str, process: str) -> bool:
    ledger.take_in()
    noted = Attempt.objects.refused().filter(purpose=purpose, process=process)
    return noted.exists()


# --- what must work all the same ----------------------------------------------------------------
def _search(workspace: Workspace) -> Finding:
    passage = _passage(workspace)
    if passage is None:
        return Finding("Search", "absent", _("There is no document yet to search in."))
    found = search(workspace, _question(passage), limit=3)
    if not found.hits:
        return Finding("Search", "failed", _("A passage was not found by its own words."))
    took = found.embed_ms + found.search_ms
    return Finding(
        "Search",
        "ok",
        (
            _("Found a passage by words alone in %(took)s ms.")
            if found.notice
            else _("Found a passage by words and meaning in %(took)s ms.")
        )
        % {"took": f"{took:.0f}"},
    )


def _answer(workspace: Workspace) -> Finding:
    passage = _passage(workspace)
    if passage is None:
        return Finding("Answer", "absent", _("There is no document yet to answer from."))
    try:
        text = "".join(_written(passage))
    except client.ModelError as error:
        return Finding("Answer", "failed", str(error))
    if not text.strip():
        return Finding("Answer", "failed", _("The model wrote nothing."))
    begun = Truncator(text.strip()).words(20)
    return Finding("Answer", "ok", _("Answered from a passage: %(text)s") % {"text": begun})


def _written(passage: Chunk) -> Iterator[str]:
    """An answer from one passage, of the model that quotes; of a small vector where it is none."""
    quoting = [model.name for model in catalogue.installed() if model.extractive]
    if not quoting:  # Ollama's models take long to load; a vector shows as well that it answers
        yield _("a vector of %(n)s numbers") % {
            "n": client.embed([_question(passage)], "query").shape[1]
        }
        return
    asked = f"[1] {' '.join(passage.text.split())}\n\nQuestion: {_question(passage)}"
    for piece in client.chat([{"role": "user", "content": asked}], model=quoting[0]):
        yield piece.content


def _passage(workspace: Workspace) -> Chunk | None:
    """One with words enough to ask for; of the newest document that is read."""
    newest = Chunk.objects.filter(document__workspace=workspace).order_by("-pk")[:20]
    return max(newest, key=lambda chunk: len(chunk.text.split()), default=None)


def _question(passage: Chunk) -> str:
    return " ".join(passage.text.split()[:WORDS])
