"""A question becomes sources, then words, or an honest no."""

import json

import pytest
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command

from apps.chat.models import Answer
from apps.chat.prompt import REFUSAL
from tests.chat.conftest import PASSAGES, add_document
from tests.chat.reader import text_of


def test_what_the_documents_do_not_hold_is_refused_without_asking_the_model(reader, talk, ollama):
    last = reader.last(reader.ask(talk.pk, "zzyzx quux 4711?"))
    assert text_of(last) == REFUSAL["en"] and not ollama.asked
    answer = Answer.objects.get()
    assert (answer.state, answer.refused, answer.model) == ("finished", True, "")


def test_a_german_question_is_refused_in_german(reader, talk, ollama):
    last = reader.last(
        reader.ask(talk.pk, "Wer war der Bürgermeister von Zwiefalten im Jahr 1877?")
    )
    assert text_of(last) == REFUSAL["de"] and not ollama.asked


def test_a_model_that_refuses_cites_nothing(reader, talk, ollama):
    ollama.says("I could not find this in your documents. [1]")
    last = reader.last(reader.ask(talk.pk))
    assert text_of(last) == REFUSAL["en"] and "The nearest passages" in last
    assert Answer.objects.get().refused
    assert not Answer.objects.get().citations.filter(used=True).exists()


def test_an_answer_from_the_nearest_passages_can_be_had_anyway(reader, talk, ollama):
    ollama.has("fake", "completion", size=1_000_000_000)
    ollama.says(REFUSAL["en"])
    last = reader.last(reader.ask(talk.pk, "Does cinnamon make the tides rise?"))
    assert "Answer from these passages anyway" in last
    ollama.says(REFUSAL["en"])
    reader.read_to_the_end(reader.again(talk.turns.get().pk, way="anyway"))
    answer = Answer.objects.last()
    assert not answer.refused and "ides rise" in answer.text and "[" in answer.text
    assert "check each sentence" in answer.notice and "check each sentence" in reader.page(talk.pk)
    assert "from these passages anyway" not in reader.page(talk.pk)


def test_the_same_text_in_two_documents_is_sent_once(reader, talk, ollama):
    add_document(talk.workspace, "Copy of Sea.md", "p. 4", PASSAGES[0][2])
    ollama.says("The moon pulls the water of the oceans [1].")
    reader.read_to_the_end(reader.ask(talk.pk))
    sent = ollama.asked[-1]["messages"][-1]["content"]
    assert sent.count(PASSAGES[0][2]) == 1 and "Sky.md" in sent


def test_citations_are_repaired_when_the_text_is_whole(reader, talk, ollama):
    ollama.says("The moon pulls the water of the oceans [2]. ", "Tides taste of cinnamon [1].")
    reader.read_to_the_end(reader.ask(talk.pk))
    answer = Answer.objects.get()
    assert answer.text == "The moon pulls the water of the oceans [1]. Tides taste of cinnamon."
    assert [each.number for each in answer.citations.filter(used=True)] == [1]


def test_what_nothing_supports_is_refused_of_a_small_model(reader, talk, ollama):
    ollama.has("fake", "completion", size=1_000_000_000)
    ollama.says("Dragons push the sea around at night [1].")
    asked = reader.ask(talk.pk, "Why do tides rise at full moon?")
    assert text_of(reader.last(asked)) == REFUSAL["en"]
    assert Answer.objects.get().refused and ollama.asked


def test_a_sentence_that_holds_the_question_is_quoted_instead(reader, talk, ollama):
    ollama.has("fake", "completion", size=1_000_000_000)
    ollama.says("Dragons push the sea around at night [1].")
    last = reader.last(reader.ask(talk.pk))
    assert "Tides rise because the moon pulls the water" in last and "Dragons" not in last


def test_what_nothing_supports_is_marked_of_a_large_model(reader, talk, ollama):
    ollama.says("Dragons push the sea around at night [1].")
    last = reader.last(reader.ask(talk.pk))
    assert "Dragons push" in last and "could be tied to a passage" in last


def test_earlier_turns_go_along(reader, talk, ollama):
    ollama.says("The moon pulls the water of the oceans [1].")
    reader.read_to_the_end(reader.ask(talk.pk))
    ollama.says("Tides rise by the sun as well [2].")
    reader.read_to_the_end(reader.ask(talk.pk, "And what else makes the tides rise?"))
    told = [message["content"] for message in ollama.asked[1]["messages"]]
    assert "Why do tides rise?" in told and "The moon pulls the water of the oceans [1]." in told


@pytest.fixture
def asked(alice, ollama, capsys):
    def ask(*arguments: str) -> dict:
        call_command("ask", *arguments, "--json")
        return json.loads(capsys.readouterr().out)

    return ask


def test_the_command_prints_one_document(asked, ollama):
    ollama.says("The moon pulls the water of the oceans [1].")
    document = asked("Why do tides rise?", "--owner", "alice", "--workspace", "Home")
    assert document["answer"] == "The moon pulls the water of the oceans [1]."
    assert document["refused"] is False and document["model"] == "fake"
    (citation,) = document["citations"]
    assert citation["number"] == 1 and citation["document"] == "Sea.md"
    assert citation["locator"] == {"kind": "page", "label": "p. 4", "number": 4}
    assert citation["quote"].startswith("Tides rise") and document["seconds"] >= 0


def test_the_command_refuses_too(asked):
    document = asked("zzyzx quux 4711?")
    assert document["refused"] is True and document["citations"] == []


def test_the_command_takes_scope_and_limit(asked, ollama):
    ollama.says("The sun makes tides rise as well [1].")
    document = asked("Why do tides rise?", "--scope", "Sky.md", "--limit", "1")
    assert [each["document"] for each in document["citations"]] == ["Sky.md"]


def test_the_command_says_what_it_does_not_know(alice, ollama):
    with pytest.raises(CommandError, match="Nowhere"):
        call_command("ask", "Why?", "--scope", "Nowhere")
    with pytest.raises(CommandError, match="nobody named eve"):
        call_command("ask", "Why?", "--owner", "eve")
    User.objects.create_user("bob")
    with pytest.raises(CommandError, match="--owner"):
        call_command("ask", "Why?")
