"""How many answers at once, and what they cost. Prints numbers: `pytest -m load -s`.

The web server is a process of its own; the model and the readers share this one, so on busy
cores part of what is measured is the measuring.
"""

import statistics
import threading
import time
from dataclasses import dataclass, field

import pytest

from apps.chat.models import Conversation
from tests.chat.reader import HTMX, Reader, text_of
from tests.fake_ollama import Script

pytestmark = pytest.mark.load
WORDS, EVERY = 100, 0.05


@dataclass
class Measured:
    ages: list[float] = field(default_factory=list)  # of each word when its reader had it
    pages: list[float] = field(default_factory=list)
    complete: int = 0


def tell_the_time(script: Script) -> None:
    """Say when it says it, so that a reader can tell how old each word is."""
    for n in range(WORDS):
        space = "\n\n" if n % 25 == 24 else " "
        script.waits(EVERY)
        script.acts.append(
            lambda speaker, space=space: speaker.row(
                {"role": "assistant", "content": f"{time.monotonic():.4f}{space}"}
            )
        )


def follow(reader: Reader, answer: int, into: Measured) -> None:
    seen = 0
    with reader.events(answer) as stream:
        for message in stream:
            now, words = time.monotonic(), text_of(message.html).split()
            into.ages += [now - float(word) for word in words[seen:]]
            seen = max(seen, len(words))
    into.complete += seen == WORDS


@pytest.mark.parametrize("answers", [1, 24])
def test_answers_at_once(elsewhere, alice, talk, ollama, answers):
    server = elsewhere(DATABASE_POOL="10", VAULT_ANSWERS_AT_ONCE="24")
    reader, measured = Reader(server.url, alice), Measured()
    other = Conversation.objects.create(owner=alice, workspace=talk.workspace)
    for _ in range(5):
        other.turns.create(question="Why?").answers.create(state="finished", text="So *it* is.")
    idle = sorted(timed(reader, other.pk) for _ in range(10))
    for _ in range(answers):
        tell_the_time(ollama.answer())
    numbers = [reader.ask(talk.pk) for _ in range(answers)]
    readers = [threading.Thread(target=follow, args=[reader, n, measured]) for n in numbers]
    for thread in readers:
        thread.start()
    while any(thread.is_alive() for thread in readers):
        measured.pages.append(timed(reader, other.pk))
        time.sleep(0.1)
    print(  # noqa: T201 - figures are what this is for
        f"\n{answers} answers of {WORDS} words, one each {EVERY * 1000:.0f} ms\n"
        f"  age of a word at its reader: median {ms(measured.ages)}, p95 {ms(measured.ages, 0.95)}"
        f"\n  another page meanwhile: median {ms(measured.pages)}, p95 {ms(measured.pages, 0.95)}"
        f" (idle {ms(idle)})"
    )
    assert measured.complete == answers
    assert statistics.median(measured.pages) < 1 and statistics.median(measured.ages) < 1
    reader.http.close()


def test_stop_reaches_the_model_in_milliseconds(reader, talk, ollama):
    took = []
    for _ in range(8):
        ollama.says("Well").waits(30)
        answer = reader.ask(talk.pk)
        with reader.events(answer) as stream:
            next(m for m in stream if text_of(m.html) == "Well")
        before = len(ollama.hung_up)
        pressed = time.monotonic()
        reader.post(f"/chat/answers/{answer}/stop/", HTMX)
        while len(ollama.hung_up) == before:
            time.sleep(0.002)
        took.append(ollama.hung_up[-1] - pressed)
    print(  # noqa: T201 - figures are what this is for
        f"\nStop → the model's socket closed: median {ms(took)}, at most {ms(sorted(took), 0.99)}"
    )
    assert max(took) < 1


def timed(reader: Reader, conversation_id: int) -> float:
    began = time.monotonic()
    reader.page(conversation_id)
    return time.monotonic() - began


def ms(values: list[float], part: float = 0.5) -> str:
    return f"{sorted(values)[int(len(values) * part)] * 1000:.0f} ms"
