"""What is left of an answer when something breaks."""

import threading
import time

import pytest
from django.db import connection

from apps.chat import step_writer
from apps.chat.models import Answer
from tests.chat.conftest import wait_until
from tests.chat.reader import HTMX, text_of


def words_are_there() -> bool:
    return Answer.objects.get().steps.filter(kind="wrote").exists()


@pytest.mark.crash
def test_a_killed_process_leaves_its_words_and_try_again(far_reader, reader, talk, ollama):
    ollama.says("Half an").waits(30)
    answer = far_reader.ask(talk.pk)
    with reader.events(answer) as stream:  # another process follows
        for message in stream:
            if text_of(message.html) == "Half an":
                break
        far_reader.server.end("kill")
        killed = time.monotonic()
        for message in stream:  # noqa: B007
            pass
    assert 3.5 < time.monotonic() - killed < 20  # PATIENCE is 5; the model would wait for 30
    assert "broke off" in message.html and "Try again" in message.html
    assert text_of(message.html) == "Half an"
    assert Answer.objects.get().text == "Half an"

    ollama.says("A whole answer.")
    reader.read_to_the_end(reader.again(talk.turns.get().pk))
    page = reader.page(talk.pk)
    assert "2 of 2" in page and "A whole answer." in page


@pytest.mark.crash
def test_the_next_start_finds_what_broke_off(far_reader, elsewhere, talk, ollama):
    ollama.says("Half an").waits(30)
    far_reader.ask(talk.pk)
    wait_until(words_are_there)
    far_reader.server.end("kill")
    time.sleep(1.2)
    elsewhere(VAULT_PATIENCE="1")  # nobody looks, it only starts
    wait_until(lambda: Answer.objects.get().state == "broken off", 5)
    assert Answer.objects.get().text == "Half an"


@pytest.mark.crash
def test_a_server_that_is_told_to_end_says_so_at_once(far_reader, talk, ollama):
    ollama.says("Half an").waits(30)
    answer, ends = far_reader.ask(talk.pk), []
    follower = threading.Thread(target=lambda: ends.extend(far_reader.read_to_the_end(answer)))
    follower.start()
    wait_until(words_are_there)
    took = far_reader.server.end("terminate")
    follower.join()
    assert took < 10 and "broke off" in ends[-1].html
    assert Answer.objects.get().text == "Half an"


@pytest.mark.crash
def test_a_stop_pressed_in_another_process_arrives_within_a_second(
    far_reader, reader, talk, ollama
):
    ollama.answer().waits(30)
    answer = far_reader.ask(talk.pk)
    wait_until(lambda: ollama.asked)
    asked = time.monotonic()
    reader.post(f"/chat/answers/{answer}/stop/", HTMX)
    wait_until(lambda: ollama.hung_up, 3)
    assert ollama.hung_up[0] - asked < 1
    assert "Stopped." in reader.last(answer)


@pytest.mark.crash
def test_an_answer_is_followed_from_another_process(far_reader, reader, talk, ollama):
    ollama.says(*"abcdefghij", every=0.15)
    messages = reader.read_to_the_end(far_reader.ask(talk.pk))
    assert text_of(messages[-1].html) == "abcdefghij" and len(messages) >= 3


def test_a_writer_given_up_as_dead_lets_its_answer_be(reader, talk, ollama):
    """As after a night with the lid closed: the answer ended while the writer slept."""
    ollama.says("Half an").waits(30)
    reader.ask(talk.pk)
    wait_until(words_are_there)
    Answer.objects.update(state="broken off")
    wait_until(lambda: ollama.hung_up and not step_writer.at_work(), 2)
    assert not Answer.objects.get().steps.filter(kind="ended").exists()


def test_a_database_that_goes_away_for_a_moment_costs_no_word(reader, talk, ollama, caplog):
    caplog.set_level("CRITICAL")
    words = [f"{n} " for n in range(40)]
    ollama.says(*words, every=0.03)
    answer = reader.ask(talk.pk)
    wait_until(lambda: ollama.asked)
    for _ in range(3):
        time.sleep(0.3)
        with connection.cursor() as cursor:
            cursor.execute(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
                " WHERE datname = current_database() AND pid <> pg_backend_pid()"
            )
    wait_until(lambda: Answer.objects.get().state != "writing", 40)
    assert Answer.objects.get().state == "finished"
    assert Answer.objects.get().text == "".join(words).strip()
    assert text_of(reader.last(answer)) == "".join(words).strip()


def test_after_dead_connections_the_next_page_is_there(reader, talk):
    """One request meets a dead connection; the middleware replaces all of them at once."""
    connection.close()
    pool = connection.pool
    threads = [threading.Thread(target=reader.page, args=[talk.pk]) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert pool.get_stats()["pool_size"] >= 2
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
            " WHERE datname = current_database() AND pid <> pg_backend_pid()"
        )
    codes = [reader.http.get(f"/chat/{talk.pk}/").status_code for _ in range(4)]
    assert codes.count(500) <= 1 and codes[-1] == 200


REASONS = {
    "missing": "absent",
    "refused": "No model server answers at",
    "error": "The model server reports: out of memory",
    "cut": "broke off in the middle",
    "nothing": "The model said nothing",
}


@pytest.mark.parametrize("how", REASONS)
def test_what_went_wrong_with_the_model_is_said_in_words(reader, talk, ollama, settings, how):
    match how:
        case "missing":
            talk.model = "absent"
            talk.save()
        case "refused":
            settings.OLLAMA_HOST = "http://127.0.0.1:9"
        case "error":
            ollama.says("Half an").fails("out of memory")
        case "cut":
            ollama.breaks_off_after("Half an")
        case "nothing":
            ollama.says(" ")
    last = reader.last(reader.ask(talk.pk))
    assert REASONS[how] in last and "Try again" in last and "Sea.md" in last
    assert text_of(last) == ("Half an" if how in {"error", "cut"} else "")


def test_a_model_that_says_nothing_is_given_up(reader, talk, ollama, settings):
    settings.MODEL_SILENCE = 1
    ollama.answer().waits(30)
    last = reader.last(reader.ask(talk.pk))
    assert "has said nothing for 1 seconds" in last and ollama.hung_up


def test_what_the_database_cannot_hold_is_left_out(reader, talk, ollama):
    ollama.says("a\0b", " c\ud83d", " d")
    assert text_of(reader.last(reader.ask(talk.pk))) == "ab c\ufffd d"
