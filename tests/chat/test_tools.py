"""The six tools keep to the workspace and the scope, and answers show what was used."""

import pytest

from apps.chat.models import Answer, Conversation
from apps.chat.tools import Toolbox
from apps.library.models import Document
from apps.library.search import Scope
from apps.llm.tools import ToolError
from apps.progress.models import Standing
from tests.chat.conftest import add_document, wait_until
from tests.chat.reader import text_of


@pytest.fixture
def box(alice, ollama) -> Toolbox:
    return Toolbox(alice.workspaces.get())


@pytest.fixture
def narrow(alice, ollama) -> Toolbox:
    """A toolbox of a question asked of Sky.md alone."""
    sky = Document.objects.get(name="Sky.md")
    return Toolbox(alice.workspaces.get(), Scope(documents=(sky.pk,)))


def test_passages_are_numbered_once(box):
    found = box.search_knowledge_base("Why do tides rise?")
    assert "[1] " in found and "[2] " in found and len(box.sources) == 2
    again = box.search_knowledge_base("moon and oceans")
    assert "[3] " not in again and len(box.sources) == 2


def test_every_tool_keeps_to_the_scope(narrow):
    assert "Sea.md" not in narrow.list_documents()
    assert "moon" not in narrow.search_knowledge_base("Why do tides rise?")
    for use in (
        lambda: narrow.analyze_document("Sea.md"),
        lambda: narrow.compare_documents("Sea.md", "Sky.md", "tides"),
    ):
        with pytest.raises(ToolError, match=r"No document in scope is called “Sea.md”"):
            use()
    assert {source.title for source in narrow.sources} == {"Sky.md"}


def test_every_tool_keeps_to_the_persons_own(box, bob):
    add_document(bob.workspaces.get(), "Secret.md", "p. 1", "Tides are rising in secret.")
    assert "Secret" not in box.list_documents() and "secret" not in box.search_knowledge_base(
        "tides"
    )
    with pytest.raises(ToolError):
        box.analyze_document("Secret.md")


def test_a_document_is_known_by_part_of_its_name_if_that_is_enough(box, alice):
    assert "Sea.md" in box.analyze_document("sea")
    add_document(alice.workspaces.get(), "Sea charts.pdf", "p. 1", "Depths of the sea in fathoms.")
    assert box.named("sea").name == "Sea.md"
    with pytest.raises(ToolError, match="Several documents"):
        box.named("s")
    with pytest.raises(ToolError, match="No document"):
        box.named("../etc/passwd")


def test_two_documents_are_compared_by_their_passages(box):
    told = box.compare_documents("Sea.md", "Sky.md", "What makes tides rise?")
    assert told.index("Sea.md") < told.index("moon pulls") < told.index("Sky.md")
    with pytest.raises(ToolError, match="the same document"):
        box.compare_documents("Sea.md", "sea", "x")


def test_the_time_is_the_persons(box, alice):
    Standing.objects.update_or_create(person=alice, defaults={"zone": "Asia/Kathmandu"})
    assert box.current_time().endswith("(Asia/Kathmandu)")


def test_an_answer_shows_the_tools_that_were_used(reader, talk, ollama):
    ollama.thinks("I should search.").calls("search_knowledge_base", query="sun tides")
    ollama.calls("calculator", expression="6 * 7")
    ollama.says("The moon pulls the water of the oceans [1]. The result is 42.")
    reader.read_to_the_end(reader.ask(talk.pk))
    answer = Answer.objects.get()
    assert [use["tool"] for use in answer.tools] == ["search_knowledge_base", "calculator"]
    assert answer.tools[1]["result"] == "6 * 7 = 42" and answer.memory["counted"]
    page = reader.page(talk.pk)
    assert "Used 2 tools" in page and "6 * 7 = 42" in page and "sun tides" in page
    rules = ollama.asked[0]["messages"][0]["content"]
    assert "use a tool" in rules and len(ollama.asked[0]["tools"]) == 6


def test_a_passage_that_a_tool_found_can_be_cited(reader, talk, ollama, alice):
    add_document(alice.workspaces.get(), "Ebb.md", "p. 2", "Mudflats are dry at ebb for six hours.")
    ollama.calls("search_knowledge_base", query="mudflats at ebb")
    ollama.says("Mudflats are dry at ebb for six hours [3].")
    reader.read_to_the_end(reader.ask(talk.pk))
    (cited,) = Answer.objects.get().citations.filter(used=True)
    assert (cited.number, cited.document_name) == (3, "Ebb.md")


def test_what_is_said_before_a_tool_is_no_part_of_the_answer(reader, talk, ollama):
    ollama.says("Let me search.").calls("search_knowledge_base", query="moon")
    ollama.says("The moon pulls the water of the oceans [1].")
    last = reader.last(reader.ask(talk.pk))
    assert "Let me search" not in text_of(last) and "The moon pulls" in text_of(last)


def test_a_sum_is_left_to_a_model_that_uses_tools(reader, talk, ollama):
    ollama.calls("calculator", expression="17*23")
    ollama.says("It is 391.")
    assert text_of(reader.last(reader.ask(talk.pk, "What is 17*23?"))) == "It is 391."


def test_a_sum_needs_no_model_at_all(reader, talk, ollama):
    ollama.has("fake", "completion", size=1_000_000_000)
    ollama.lacks("thinker")
    last = reader.last(reader.ask(talk.pk, "What is 17*23?"))
    assert text_of(last) == "17*23 = 391" and not ollama.asked
    last = reader.last(reader.ask(talk.pk, "Welche Dokumente habe ich?"))
    assert "Es gibt 2 Dokumente" in text_of(last) and "Sea.md" in text_of(last)
    assert [use["tool"] for use in Answer.objects.order_by("pk").last().tools] == ["list_documents"]


def test_thinking_is_asked_for_only_of_a_model_that_can_and_when_wanted(reader, talk, ollama):
    ollama.thinks("Hm.").says("The moon pulls the water of the oceans [1].")
    reader.read_to_the_end(reader.ask(talk.pk))
    assert ollama.asked[0].get("think") is None and Answer.objects.get().thinking == "Hm."
    talk.turns.update(think=False)
    ollama.says("The moon pulls the water of the oceans [1].")
    reader.post(f"/chat/turns/{talk.turns.get().pk}/retry/")
    wait_until(lambda: Answer.objects.order_by("pk").last().state == "finished")
    assert ollama.asked[1]["think"] is False
    talk.turns.update(think=True)
    ollama.has("plain", "completion", "tools", size=9_000_000_000)
    Conversation.objects.update(model="plain")
    ollama.says("The moon pulls the water of the oceans [1].")
    reader.post(f"/chat/turns/{talk.turns.get().pk}/retry/")
    wait_until(lambda: Answer.objects.order_by("pk").last().state == "finished")
    assert ollama.asked[2].get("think") is None  # wanted, but this one cannot


def test_what_was_thought_is_never_remembered(reader, talk, ollama):
    ollama.thinks("Cinnamon.").says("The moon pulls the water of the oceans [1].")
    reader.read_to_the_end(reader.ask(talk.pk))
    ollama.says("The sun makes tides rise as well [1].")
    reader.read_to_the_end(reader.ask(talk.pk, "And what else makes the tides rise?"))
    told = " ".join(each["content"] for each in ollama.asked[1]["messages"])
    assert "The moon pulls" in told and "Cinnamon" not in told


def test_a_scope_whose_documents_are_gone_does_not_widen(reader, talk, ollama):
    sky = Document.objects.get(name="Sky.md")
    ollama.says("The sun makes tides rise as well [1].")
    reader.post(f"/chat/{talk.pk}/ask/", question="Why do tides rise?", documents=[sky.pk])
    wait_until(lambda: Answer.objects.get().state == "finished")
    sky.delete()
    reader.post(f"/chat/turns/{talk.turns.get().pk}/retry/")
    wait_until(lambda: Answer.objects.order_by("pk").last().state == "finished")
    assert "no longer in the library" in Answer.objects.order_by("pk").last().text
    assert Answer.objects.order_by("pk").last().refused and len(ollama.asked) == 1
