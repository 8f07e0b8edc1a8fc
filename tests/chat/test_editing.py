"""A question in other words, back again, and several answers to one question."""

import threading

import pytest

from apps.chat import editing
from apps.chat.models import Answer, Conversation, Turn
from apps.library.models import Document
from tests.chat.conftest import wait_until
from tests.chat.reader import HTMX, Reader, text_of

WATER = "The moon pulls the water of the oceans [1]."


@pytest.fixture
def asked(reader: Reader, talk: Conversation, ollama) -> list[Turn]:
    """Three questions with their answers."""
    for question in ("Why do tides rise?", "What does the moon pull?", "Is the sun far away?"):
        ollama.says(WATER)
        reader.read_to_the_end(reader.ask(talk.pk, question))
    return list(talk.turns.all())


def edit(reader: Reader, turn: Turn, question: str, last: Turn, headers: dict | None = HTMX):
    path = f"/chat/turns/{turn.pk}/edit/"
    return reader.post(path, headers, question=question, last=last.pk)


def test_an_edited_question_replaces_itself_and_what_came_after(reader, talk, ollama, asked):
    form = reader.http.get(f"/chat/turns/{asked[1].pk}/edit/", headers=HTMX).text
    assert "What does the moon pull?" in form and "the 1 after it" in form
    ollama.says("The sun pulls as well [1].")
    page = edit(reader, asked[1], "What else pulls the oceans?", asked[2]).text
    assert "What else pulls the oceans?" in page and "Is the sun far away?" not in page
    wait_until(lambda: not Answer.objects.being_written().exists())
    sent = ollama.asked[-1]["messages"]
    told = " ".join(each["content"] for each in sent)
    assert "Why do tides rise?" in told and "What does the moon pull?" not in told
    page = reader.page(talk.pk)
    assert page.count('class="turn"') == 2 and "What does the moon pull?" not in page


def test_an_edit_is_undone_until_more_is_asked(reader, talk, ollama, asked):
    ollama.says(WATER)
    edit(reader, asked[1], "What else pulls?", asked[2])
    wait_until(lambda: not Answer.objects.being_written().exists())
    fresh = talk.turns.standing().last()
    page = reader.post(f"/chat/turns/{fresh.pk}/undo/", HTMX).text
    assert "Is the sun far away?" in page and "What else pulls?" not in page
    assert list(talk.turns.standing()) == asked
    ollama.says(WATER)
    edit(reader, asked[2], "How far is the sun?", asked[2])
    wait_until(lambda: not Answer.objects.being_written().exists())
    ollama.says(WATER)
    reader.read_to_the_end(reader.ask(talk.pk, "And the moon?"))
    assert not Turn.objects.exclude(replaced_by=None).exists()  # nothing is kept in secret
    with pytest.raises(editing.Changed, match="More was asked"):
        editing.undo(talk.turns.get(question="How far is the sun?"))


def test_scope_stays_and_the_title_follows(reader, talk, ollama):
    sky = Document.objects.get(name="Sky.md")
    ollama.says(WATER)
    reader.post(f"/chat/{talk.pk}/ask/", question="Why do tides rise?", documents=[sky.pk])
    wait_until(lambda: not Answer.objects.being_written().exists())
    turn = talk.turns.get()
    ollama.says(WATER)
    assert edit(reader, turn, "Why do tides fall?", turn, None).status_code == 302
    wait_until(lambda: not Answer.objects.being_written().exists())
    fresh = talk.turns.standing().get()
    assert list(fresh.scope_documents.all()) == [sky]
    talk.refresh_from_db()
    assert talk.title == "Why do tides fall?"
    editing.undo(fresh)
    talk.refresh_from_db()
    assert talk.title == "Why do tides rise?"


def test_two_windows_editing_one_question(reader, talk, ollama, asked):
    ollama.says(WATER)
    assert edit(reader, asked[2], "Why do tides rise at first?", asked[2]).status_code == 200
    second = edit(reader, asked[2], "My careful words?", asked[2])
    assert second.status_code == 409
    assert "changed in another window" in second.text and "My careful words?" in second.text
    assert talk.turns.standing().last().question == "Why do tides rise at first?"
    wait_until(lambda: not Answer.objects.being_written().exists())
    late = edit(reader, asked[0], "Why?", asked[2])
    assert late.status_code == 409 and "Another question was asked" in late.text


def test_two_windows_at_the_very_same_moment(reader, talk, ollama, asked):
    ollama.says(WATER)
    replies = []
    windows = [
        threading.Thread(
            target=lambda words=words: replies.append(edit(reader, asked[2], words, asked[2]))
        )
        for words in ("Why do tides rise once?", "Why do tides rise twice?")
    ]
    for window in windows:
        window.start()
    for window in windows:
        window.join()
    assert sorted(reply.status_code for reply in replies) == [200, 409]
    assert talk.turns.standing().count() == 3
    wait_until(lambda: not Answer.objects.being_written().exists())


def test_editing_stops_an_answer_that_is_being_written(reader, talk, ollama):
    ollama.says("Half an").waits(30)
    reader.ask(talk.pk)
    wait_until(lambda: ollama.asked)
    turn = talk.turns.get()
    ollama.says(WATER)
    edit(reader, turn, "Why do the tides rise?", turn)
    wait_until(lambda: turn.answers.get().state == "stopped")
    wait_until(lambda: talk.turns.standing().get().answers.get().state == "finished")


def test_an_empty_edit_is_refused(reader, asked):
    reply = edit(reader, asked[0], " ", asked[2])
    assert reply.status_code == 422 and "Write a question first." in reply.text


def test_versions_are_kept_and_the_chosen_one_counts(reader, talk, ollama):
    ollama.says("First: the moon pulls the water [1].")
    reader.read_to_the_end(reader.ask(talk.pk))
    turn = talk.turns.get()
    ollama.says("Second: the moon pulls the water [1].")
    reader.read_to_the_end(reader.again(turn.pk))
    page = reader.page(talk.pk)
    assert "2 of 2" in page and text_of(page).startswith("Second")
    first = turn.answers.get(version=1)
    part = reader.post(f"/chat/answers/{first.pk}/choose/", HTMX).text
    assert "1 of 2" in part and text_of(part).startswith("First")
    ollama.says(WATER)
    reader.read_to_the_end(reader.ask(talk.pk, "What does the moon pull?"))
    told = " ".join(each["content"] for each in ollama.asked[-1]["messages"])
    assert "First: the moon" in told and "Second: the moon" not in told
    ollama.says("Third: the moon pulls the water [1].")
    reader.read_to_the_end(reader.again(turn.pk))
    assert "3 of 3" in reader.page(talk.pk)  # a new one counts again
    assert reader.post(f"/chat/answers/{first.pk}/choose/").status_code == 302
