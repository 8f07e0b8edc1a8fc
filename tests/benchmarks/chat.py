"""What the chat adds to the model: before it is asked, to each word, and to other pages meanwhile.

The model is the scripted server of the tests, so that nothing of a model's own time is measured;
the web server of the second part is a process of its own on the vault's own database.
"""

import statistics
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any
from uuid import uuid4

from django.conf import settings
from django.contrib.auth.models import User

from apps.chat.answer import Question, answer_to
from apps.chat.halting import Halt
from apps.chat.models import Conversation
from apps.chat.steps import Asked
from apps.library.models import Workspace
from apps.llm import client
from tests.benchmarks import search
from tests.chat.conftest import Elsewhere, add_document
from tests.chat.reader import Reader, text_of
from tests.fake_ollama import FakeOllama, Script

CHUNKS = 50_000  # where no number is given
USUAL = [5000]  # what the command gives then
QUESTIONS = 20
WORDS, EVERY = 60, 0.05
ANSWERS = (1, 24)
PASSAGE = "Tides rise because the moon pulls the water of the oceans."
MODEL = "fake"

Row = dict[str, Any]


def run(options: Mapping[str, Any]) -> list[Row]:
    """Rows of name, value, unit and goal; milliseconds are medians."""
    chunks = options["chunks"]
    count = CHUNKS if chunks == USUAL else max(chunks)
    with _model() as model:
        rows = list(_overhead(count, model))
        for answers in ANSWERS:
            rows += _streams(answers, model)
    return rows


@contextmanager
def _model() -> Iterator[FakeOllama]:
    """The scripted server in the place of the vault's own."""
    before = settings.OLLAMA_HOST, settings.EMBED_MODEL, settings.CHAT_MODEL
    server = FakeOllama()
    server.has(MODEL, "completion", size=9_000_000_000)
    settings.OLLAMA_HOST, settings.CHAT_MODEL = server.url, MODEL
    client.forget()
    try:
        yield server
    finally:
        settings.OLLAMA_HOST, settings.EMBED_MODEL, settings.CHAT_MODEL = before
        server.shutdown()
        server.server_close()
        client.forget()


def _overhead(count: int, model: FakeOllama) -> Iterator[Row]:
    """From the question to the model: search, prompt, rows; the embedder answers at once."""
    texts = search.made_texts(min(count, search.DISTINCT))
    vectors = search.made_vectors(count)
    with search.filled_workspace(texts, vectors) as (workspace, embedding_set, _):
        model.has(embedding_set.model, "embedding")
        settings.EMBED_MODEL = embedding_set.model
        client.forget()
        took = []
        for text, _, _ in search.made_questions(texts, vectors):
            model.says("So it is [1].")
            began = time.perf_counter()
            for step in answer_to(Question(text, workspace), Halt()):
                if isinstance(step, Asked):
                    took.append((time.perf_counter() - began) * 1000)
            model.scripts.clear()
        settings.EMBED_MODEL = ""
        client.forget()
    if took:
        name = f"before the model is asked, {count:,} passages"
        yield _row(name, statistics.median(took), "ms", "≤ 120")


def _streams(answers: int, model: FakeOllama) -> Iterator[Row]:
    """The age of each word at its reader, and how long another page takes meanwhile."""
    person = User.objects.create_user(f"benchmark-{uuid4().hex[:12]}")
    server = None
    try:
        workspace = Workspace.objects.create(owner=person, name="Home")
        add_document(workspace, "Sea.md", "p. 4", PASSAGE)
        talks = [
            Conversation.objects.create(owner=person, workspace=workspace) for _ in range(answers)
        ]
        server = Elsewhere(model.url, DATABASE_POOL="10", VAULT_ANSWERS_AT_ONCE=str(answers))
        for _ in range(answers):
            _tell_the_time(model.answer())
        ages, pages, whole = _followed(server.url, person, talks)
    finally:
        if server:
            server.end()
        person.delete()
    name = f"{answers} answer{'s' if answers > 1 else ''} at once"
    yield _row(f"{name}: age of a word at its reader", statistics.median(ages), "ms", "≤ 15")
    yield _row(f"{name}: another page", statistics.median(pages), "ms", "≤ 150")
    yield _row(f"{name}: read to the end", whole, "answers", f"{answers}")


def _tell_the_time(script: Script) -> None:
    """Say when it says it, so that a reader can tell how old each word is."""
    for n in range(WORDS):
        space = "\n\n" if n % 25 == 24 else " "
        script.waits(EVERY)
        script.acts.append(
            lambda speaker, space=space: speaker.row(
                {"role": "assistant", "content": f"{time.monotonic():.4f}{space}"}
            )
        )


def _followed(
    url: str, person: User, talks: list[Conversation]
) -> tuple[list[float], list[float], int]:
    """Ages of words and times of pages, in milliseconds, and how many answers came whole."""
    reader, ages, pages, whole = Reader(url, person), list[float](), list[float](), list[int]()

    def follow(answer: int) -> None:
        seen = 0
        with reader.events(answer) as stream:
            for message in stream:
                now, words = time.monotonic(), text_of(message.html).split()
                fresh = [word for word in words[seen:] if word.count(".") == 1]
                ages.extend((now - float(word)) * 1000 for word in fresh)
                seen = max(seen, len(words))
        whole.append(seen >= WORDS)

    reader.page(talks[0].pk)
    numbers = [reader.ask(talk.pk) for talk in talks]
    threads = [threading.Thread(target=follow, args=[number]) for number in numbers]
    for thread in threads:
        thread.start()
    while any(thread.is_alive() for thread in threads):
        began = time.monotonic()
        reader.http.get("/chat/")
        pages.append((time.monotonic() - began) * 1000)
        time.sleep(0.1)
    reader.http.close()
    return ages, pages, sum(whole)


def _row(name: str, value: float, unit: str, goal: str) -> Row:
    return {"name": name, "value": round(value, 1), "unit": unit, "goal": goal}
