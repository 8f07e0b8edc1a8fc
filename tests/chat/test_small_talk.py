"""A greeting is answered as one; whatever has something to ask is a question."""

import pytest

from apps.chat import small_talk
from apps.chat.models import Answer, Turn
from tests.chat.reader import text_of


@pytest.mark.parametrize(
    ("said", "language", "kinds"),
    [
        ("hallo", "de", {"greeting"}),
        ("Guten Morgen!", "de", {"greeting"}),
        ("danke", "de", {"thanks"}),
        ("Vielen Dank, tschüss!", "de", {"thanks", "farewell"}),
        ("Wer bist du?", "de", {"itself"}),
        ("Hallo, was kann ich hier fragen?", "de", {"greeting", "itself"}),
        ("hello", "en", {"greeting"}),
        ("hello, who are you?", "en", {"greeting", "itself"}),
        ("Hi there :)", "en", {"greeting"}),
        ("Thank you very much.", "en", {"thanks"}),
        ("What can you do?", "en", {"itself"}),
    ],
)
def test_small_talk_is_told_by_its_words(said, language, kinds):
    heard = small_talk.heard(said)
    assert heard is not None and (heard.language, heard.kinds) == (language, kinds)


@pytest.mark.parametrize(
    "said",
    [
        "Hello, how long is the notice period?",
        "Hallo Müller GmbH",
        "Who are you to say hello in Free Culture?",
        "Was ist das?",
        "How does it work?",
        "thanks to whom was it built?",
        "goodbye letter",
        "and?",
        "???",
        "Good faith",
    ],
)
def test_what_has_something_to_ask_is_a_question(said):
    assert small_talk.heard(said) is None


def test_a_greeting_is_answered_without_a_model_or_a_source(reader, talk, ollama):
    last = reader.last(reader.ask(talk.pk, "hello, who are you?"))
    answer = Answer.objects.get()
    assert not ollama.asked and not answer.refused and not answer.citations.exists()
    assert text_of(last).startswith("Hello.") and "your own documents" in text_of(last)
    assert "could be tied to a passage" not in last and "nearest passages" not in last


def test_a_greeting_is_no_part_of_what_is_remembered(reader, talk, ollama):
    reader.read_to_the_end(reader.ask(talk.pk, "hallo"))
    ollama.says("The moon pulls the water of the oceans [1].")
    reader.read_to_the_end(reader.ask(talk.pk))
    assert Turn.objects.count() == 2
    assert "hallo" not in [message["content"] for message in ollama.asked[0]["messages"]]


def test_an_empty_workspace_says_what_to_do_first(bob):
    said = small_talk.SmallTalk(frozenset({"itself"}), "de")
    assert "Bibliothek" in small_talk.reply(said, bob.workspaces.get())
