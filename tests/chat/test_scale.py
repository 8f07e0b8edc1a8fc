"""Two web processes and two workers on one database and one storage are one vault."""

import os
import re
import subprocess
import sys
import threading
from collections import Counter
from collections.abc import Iterator

import pytest
from django.db import connection

from apps.chat.models import Answer
from apps.library.models import Chunk, Document
from apps.study.models import Card, Deck
from apps.vault import health
from tests.chat.conftest import addresses, wait_until
from tests.chat.reader import HTMX, Reader, text_of
from tests.fake_ollama import FakeOllama

pytestmark = pytest.mark.crash
TOPICS = ("moon", "sun", "sea", "wind", "coast", "harbour", "lighthouse", "heron", "dune", "reef")
OF_WORKERS = """
SELECT count(DISTINCT pid) FROM pg_stat_activity
WHERE application_name = 'vaultsite worker' AND datname = current_database()
"""


def letter(topic: str) -> str:
    """Some pages about a topic, none like another's."""
    return "\n\n".join(
        f"# The {topic}, part {n}\n\nThe {topic} of year {1900 + n} was measured {n} times by "
        f"keeper {n} of the {topic}, who wrote {n * 7} lines about it in the large book."
        for n in range(1, 6)
    )


@pytest.fixture
def two_webs(elsewhere, alice) -> Iterator[tuple[Reader, Reader]]:
    """Alice at two web processes."""
    both = Reader(elsewhere().url, alice), Reader(elsewhere().url, alice)
    yield both
    for reader in both:
        reader.http.close()


@pytest.fixture
def two_workers(ollama: FakeOllama, alice) -> Iterator[list[subprocess.Popen[bytes]]]:
    environment = os.environ | addresses(ollama.url) | {"VAULT_WORKERS": "1"}
    command = [sys.executable, "-m", "vaultsite.runtime.worker"]
    both = [
        subprocess.Popen(command, env=environment, start_new_session=True, stderr=subprocess.PIPE)
        for _ in range(2)
    ]
    yield both
    for worker in both:
        worker.terminate()
    for worker in both:
        worker.communicate(timeout=30)


def test_an_answer_written_by_one_is_streamed_and_stopped_by_the_other(
    two_webs: tuple[Reader, Reader], talk, ollama: FakeOllama
) -> None:
    here, there = two_webs
    more = threading.Event()
    ollama.answer().says("The moon", " pulls").holds(more).says(" the water.").waits(30)
    answer = here.ask(talk.pk)
    with there.events(answer) as stream:
        for message in stream:
            if text_of(message.html) == "The moon pulls":
                more.set()
            if text_of(message.html) == "The moon pulls the water.":
                break
        there.post(f"/chat/answers/{answer}/stop/", HTMX)
        wait_until(lambda: ollama.hung_up, 5)
    assert "Stopped." in here.last(answer) and "Stopped." in there.last(answer)
    assert Answer.objects.get().text == "The moon pulls the water."


def test_documents_and_decks_are_made_once(
    two_webs: tuple[Reader, Reader], two_workers, ollama: FakeOllama
) -> None:
    for name in [name for name in ollama.models if "embed" not in name]:
        ollama.lacks(name)
    ollama.has("extractive", "completion", architecture="extractive")
    Document.objects.all().delete()
    for number, topic in enumerate(TOPICS):
        sent = {"file": (f"{topic}.md", letter(topic).encode(), "text/markdown")}
        upload(two_webs[number % 2], sent)
    wait_until(lambda: not Document.objects.exclude(state="ready").exists(), 60)
    assert sorted(Document.objects.values_list("name", flat=True)) == sorted(
        f"{topic}.md" for topic in TOPICS
    )
    chunks = list(Chunk.objects.values_list("document__name", "ordinal"))
    assert len(chunks) == len({*chunks}) > 10
    embedded = Counter(
        text for heard in ollama.heard if heard.path == "/api/embed" for text in heard.body["input"]
    )
    assert {text: times for text, times in embedded.items() if times > 1} == {}

    for reader in two_webs:
        chosen = {"asked": 10, "difficulty": "beginner", "scope": "all"}
        assert reader.post("/study/decks/new/", **chosen).status_code == 302
    wait_until(lambda: all(deck.job.ended for deck in Deck.objects.select_related("job")), 60)
    cards = Card.objects.values_list("front", flat=True)
    assert sum(deck.job.made for deck in Deck.objects.all()) == len(cards) == len({*cards}) > 0
    with connection.cursor() as cursor:
        cursor.execute(OF_WORKERS)
        assert cursor.fetchone()[0] >= 4  # a cluster and its one process, twice
    assert health.worker().state == "ok"


def upload(reader: Reader, files: dict) -> None:
    token = {"x-csrftoken": reader.http.cookies.get("csrftoken") or "a" * 32}
    reader.http.cookies.set("csrftoken", token["x-csrftoken"], domain="127.0.0.1")
    reply = reader.http.post("/library/upload/", files=files, headers=token)
    assert reply.status_code in (200, 302), re.sub(r"\s+", " ", reply.text)[:500]
