"""An answer as it comes over the wire."""

import re
import threading
import time
from datetime import timedelta
from itertools import pairwise

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.utils import timezone

from apps.chat import conversations, step_writer, writing
from apps.chat.models import Answer, Step
from apps.chat.steps import Wrote
from apps.llm import occupied
from apps.progress.models import Event
from apps.study.models import Job, Quiz
from tests.chat.conftest import wait_until
from tests.chat.reader import HTMX, text_of


def test_sources_come_before_the_words(reader, talk, ollama):
    ollama.answer().thinks("Hm. ").thinks("The moon.").says(
        "Tides rise: the **moon**", " pulls the oceans [1].", every=0.2
    )
    messages = reader.read_to_the_end(reader.ask(talk.pk))
    first, last = messages[0].html, messages[-1].html
    assert "Sea.md" in first and "p. 4" in first and text_of(first) == ""
    assert "Hm. The moon." in "".join(message.html for message in messages)
    assert "<strong>moon</strong>" in last and 'class="chip"' in last
    assert 'aria-busy="true"' in messages[-2].html and "aria-busy" not in last
    answer = Answer.objects.get()
    assert (answer.state, answer.model) == ("finished", "fake")
    assert answer.text == "Tides rise: the **moon** pulls the oceans [1]."
    assert answer.thinking == "Hm. The moon."
    kept = answer.citations.values_list("number", "document_name", "label", "used")
    assert list(kept) == [(1, "Sea.md", "p. 4", True), (2, "Sky.md", "p. 9", False)]


def test_a_question_is_noted_once_in_the_ledger(reader, talk, ollama):
    ollama.answer().says("The moon pulls [1].")
    reader.read_to_the_end(reader.ask(talk.pk))
    event = Event.objects.get(kind="chat_message")
    assert event.facts == {"scoped": False}


def test_an_answer_that_waits_says_what_has_the_model(reader, talk, ollama):
    home = talk.workspace
    job = Job.objects.create(
        owner=talk.owner, workspace=home, kind="quiz", state="running", pulse=timezone.now()
    )
    Quiz.objects.create(owner=talk.owner, workspace=home, job=job, title="Tides")
    go_on = threading.Event()
    ollama.answer().holds(go_on).says("The moon pulls [1].")
    answer = reader.ask(talk.pk)
    with reader.events(answer) as stream:
        waits = next(m.html for m in stream if "busy with" in m.html)
        go_on.set()
    assert "the model is busy with: Quiz: Tides" in waits
    reader.read_to_the_end(answer)
    somebody = User.objects.create_user("carol")
    assert occupied.by(somebody.pk) == "another task", "what it is is nobody else's business"
    Job.objects.update(state="done")
    assert occupied.by(talk.owner_id) == ""


def test_words_are_thinned_when_they_come_fast(reader, talk, ollama):
    ollama.answer().says(*(f"w{n} " for n in range(200)), every=0.004)
    began = time.monotonic()
    messages = reader.read_to_the_end(reader.ask(talk.pk))
    took = time.monotonic() - began
    assert len(messages) < took * 50 + 5
    assert text_of(messages[-1].html) == " ".join(f"w{n}" for n in range(200))


def test_the_first_words_do_not_wait_for_more(reader, talk, ollama):
    more = threading.Event()
    ollama.answer().says("One", " two").holds(more).says(" three")
    with reader.events(reader.ask(talk.pk)) as stream:
        for message in stream:
            if text_of(message.html) == "One two":
                more.set()  # else the model holds its words for 30 seconds
    assert text_of(message.html) == "One two three"


def test_any_point_will_do_to_go_on_from(reader, talk, ollama):
    ollama.answer().thinks("Hm.").says(*"abcdefghij", every=0.05)
    answer = reader.ask(talk.pk)
    all_of_it = reader.read_to_the_end(answer)
    numbers = [message.number for message in all_of_it]
    assert numbers == sorted(set(numbers))
    stored = list(Step.objects.order_by("number").values_list("number", flat=True))
    assert stored == list(range(1, numbers[-1] + 1))
    for after in [0, 3, numbers[-1], 999]:
        (again,) = reader.read_to_the_end(answer, after)
        assert again.number == numbers[-1] and text_of(again.html) == "abcdefghij"


def test_going_on_in_the_middle_loses_nothing_and_repeats_nothing(reader, talk, ollama):
    ollama.answer().says(*(f"{n} " for n in range(40)), every=0.03)
    answer, seen, texts = reader.ask(talk.pk), 0, list[str]()
    while not texts or "39" not in texts[-1]:
        with reader.events(answer, after=seen) as stream:
            for message, _ in zip(stream, range(2), strict=False):  # leave after two messages
                assert message.number > seen
                seen = message.number
                texts.append(text_of(message.html))
    told = [text for text in texts if text]
    assert all(later.startswith(earlier) for earlier, later in pairwise(told))
    assert len(ollama.asked) == 1


def test_the_header_knows_better_than_the_query(reader, talk, ollama):
    go_on = threading.Event()
    ollama.answer().says("One").holds(go_on).says(" two")
    answer = reader.ask(talk.pk)
    with reader.events(answer) as stream:
        seen = next(m.number for m in stream if text_of(m.html) == "One")
    with reader.events(answer, after=0, **{"Last-Event-ID": str(seen)}) as stream:
        go_on.set()
        assert all(message.number > seen for message in stream)


def test_two_tabs_see_the_same(reader, talk, ollama):
    ollama.answer().says(*"abcdefghij", every=0.05)
    answer, ends = reader.ask(talk.pk), []

    def follow() -> None:
        ends.append(reader.read_to_the_end(answer)[-1])

    tabs = [threading.Thread(target=follow) for _ in range(2)]
    for tab in tabs:
        tab.start()
    for tab in tabs:
        tab.join()
    assert text_of(ends[0].html) == text_of(ends[1].html) == "abcdefghij"
    assert ends[0].number == ends[1].number and len(ollama.asked) == 1


def test_leaving_is_nothing(reader, talk, ollama):
    ollama.answer().says(*"abcdefghij", every=0.05)
    answer = reader.ask(talk.pk)
    with reader.events(answer) as stream:
        next(iter(stream))
    wait_until(lambda: Answer.objects.get().state == "finished")
    assert "abcdefghij" in reader.page(talk.pk) and not ollama.hung_up


@pytest.mark.parametrize("words", [[], ["Half an"]], ids=["before a word", "after some words"])
def test_stop_reaches_a_silent_model_within_a_second(reader, talk, ollama, words):
    ollama.answer().says(*words).waits(30)
    answer = reader.ask(talk.pk)
    wait_until(lambda: ollama.asked and Step.objects.filter(kind="wrote").count() == len(words))
    asked = time.monotonic()
    assert reader.post(f"/chat/answers/{answer}/stop/", HTMX).status_code == 204
    wait_until(lambda: ollama.hung_up, 3)
    assert ollama.hung_up[0] - asked < 1
    last = reader.last(answer)
    assert "Stopped." in last and "Try again" in last and text_of(last) == "".join(words)


def test_stop_ends_an_answer_whose_search_hears_nothing(reader, talk):
    """Nobody writes this one, as while a search is deep in its work."""
    answer = talk.turns.create(question="Why do tides rise?").answers.create(version=1)
    draft = step_writer.Draft(answer.pk)
    step_writer.take(draft)
    assert reader.post(f"/chat/answers/{answer.pk}/stop/", HTMX).status_code == 204
    assert "Stopped." in reader.last(answer.pk)
    draft.tell(Wrote("too late"))
    assert draft.batch() == []
    answer.refresh_from_db()
    assert (answer.state, answer.text) == ("stopped", "")


def test_a_silent_stream_shows_signs_of_life(reader, talk, ollama, settings):
    settings.HEARTBEAT = 1
    ollama.answer().waits(2.4).says("At last.")
    with reader.events(reader.ask(talk.pk)) as stream:
        assert text_of(list(stream)[-1].html) == "At last."
    assert stream.beats >= 2  # one at once, so that the headers leave, then one a second


def test_an_answer_tried_again_is_another_version_of_the_same_turn(reader, talk, ollama):
    ollama.answer().says("Half an").fails("out of memory")
    reader.read_to_the_end(reader.ask(talk.pk))
    turn = talk.turns.get()
    ollama.answer().says("The moon pulls the water [1].")
    reader.read_to_the_end(reader.again(turn.pk))
    versions = turn.answers.values_list("version", "state", "text")
    assert list(versions) == [
        (1, "failed", "Half an"),
        (2, "finished", "The moon pulls the water [1]."),
    ]
    page = reader.page(talk.pk)
    assert "2 of 2" in page and "Half an" not in page  # the pager leads back to it


def test_more_answers_than_the_model_takes_wait_in_line(reader, talk, ollama, settings):
    settings.ANSWERS_AT_ONCE = 1
    go_on = threading.Event()
    for _ in range(3):
        ollama.answer().says("The moon").holds(go_on)
    first, second, third = (reader.ask(talk.pk) for _ in range(3))
    with reader.events(third) as stream:
        assert any("2nd in line" in message.html for message in stream)
    assert len(ollama.asked) == 1
    reader.post(f"/chat/answers/{second}/stop/", HTMX)  # one that only waits can be stopped
    assert "Stopped." in reader.last(second)
    go_on.set()
    assert text_of(reader.last(third)) == text_of(reader.last(first)) == "The moon"
    ollama.scripts.clear()
    assert len(ollama.asked) == 2


def test_no_connection_is_held_while_the_model_is_silent(reader, talk, ollama, settings):
    settings.ANSWERS_AT_ONCE = 12
    go_on = threading.Event()
    pool = connection.pool

    def in_use() -> int:
        stats = pool.get_stats()
        return int(stats["pool_size"] - stats["pool_available"])

    connection.ensure_connection()
    before = in_use()  # this thread's, and what threads of earlier tests took to their grave
    for _ in range(12):
        ollama.answer().says("Well").holds(go_on)
    answers = [reader.ask(talk.pk) for _ in range(12)]
    followers = [threading.Thread(target=reader.last, args=[answer]) for answer in answers]
    for follower in followers:
        follower.start()
    wait_until(lambda: Step.objects.filter(kind="wrote").count() == 12)
    idle = []
    for _ in range(50):
        idle.append(in_use() - before)
        time.sleep(0.01)
    go_on.set()
    for follower in followers:
        follower.join()
    # 24 threads wait for the model; whoever writes a step may take a connection for a moment.
    assert sorted(idle)[len(idle) // 2] <= 1


def test_swept_steps_are_not_missed(reader, talk, ollama):
    ollama.answer().thinks("Hm.").says("The moon", " pulls [1].", every=0.15)
    answer = reader.ask(talk.pk)
    reader.read_to_the_end(answer)
    writing.sweep(timedelta(0))
    assert Step.objects.count() == 1  # its end
    (late,) = reader.read_to_the_end(answer, after=2)
    assert text_of(late.html).startswith("The moon pulls") and "Hm." in late.html
    assert "Sea.md" in late.html


def test_a_deleted_conversation_ends_stream_and_model(reader, talk, ollama):
    ollama.answer().says("Half an").waits(30)
    answer = reader.ask(talk.pk)
    with reader.events(answer) as stream:
        next(iter(stream))
        wait_until(lambda: ollama.asked, 20)  # else there is nothing to hang up
        conversations.discard(talk)
        list(stream)  # comes to its end
    wait_until(lambda: ollama.hung_up, 10)
    assert re.search(
        "can no longer be followed",
        reader.http.get(f"/chat/answers/{answer}/events/", headers=HTMX).text,
    )
