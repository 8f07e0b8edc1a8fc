"""The model of a conversation, a workspace's instructions, kept prompts, and dictation."""

import pytest

from apps.chat.models import Answer, Conversation, Prompt
from apps.llm import speech_weights
from tests.chat.conftest import wait_until
from tests.chat.reader import HTMX


def test_a_model_is_chosen_for_a_conversation_and_remembered(reader, talk, ollama):
    ollama.has("other", "completion", "vision", size=3_300_000_000)
    shown = reader.http.get(f"/chat/model/?conversation={talk.pk}", headers=HTMX).text
    assert "other" in shown and "3.3 GB" in shown and "sees images" in shown
    reply = reader.post("/chat/model/", HTMX, conversation=talk.pk, model="other")
    assert 'id="model"' in reply.text and "other" in reply.text
    ollama.says("The moon pulls the water of the oceans [1].")
    reader.read_to_the_end(reader.ask(talk.pk))
    assert ollama.asked[-1]["model"] == "other" and Answer.objects.get().model == "other"
    ollama.says("The moon pulls the water of the oceans [1].")
    reader.post("/chat/ask/", question="Why do tides rise?")
    assert Conversation.objects.latest("pk").model == "other"  # the workspace remembers
    wait_until(lambda: not Answer.objects.being_written().exists())
    reader.post("/chat/model/", HTMX, conversation=talk.pk, model="never-heard-of")
    talk.refresh_from_db()
    assert talk.model == "other"


def test_a_model_that_is_gone_is_named(reader, talk, ollama):
    Conversation.objects.filter(pk=talk.pk).update(model="gone:7b")
    assert "gone:7b is not here" in reader.page(talk.pk)
    reader.read_to_the_end(reader.ask(talk.pk))
    assert "gone:7b is not installed" in Answer.objects.get().reason


def test_instructions_go_along_and_are_bounded(reader, talk, ollama):
    reply = reader.post("/chat/instructions/", instructions="Answer like a pirate. " * 200)
    assert reply.status_code == 422
    assert reader.post("/chat/instructions/", instructions="Answer briefly.").status_code == 302
    ollama.says("The moon pulls the water of the oceans [1].")
    reader.read_to_the_end(reader.ask(talk.pk))
    assert "Answer briefly." in ollama.asked[-1]["messages"][0]["content"]


def test_thinking_is_switched_for_each_question(reader, talk, ollama):
    assert 'name="think"' in reader.page(talk.pk)
    for said, sent in (("yes", True), ("no", False)):
        ollama.says("The moon pulls the water of the oceans [1].")
        reader.post(f"/chat/{talk.pk}/ask/", HTMX, question="Why do tides rise?", think=said)
        wait_until(lambda: not Answer.objects.being_written().exists())
        assert ollama.asked[-1]["think"] is sent


def test_prompts_are_kept_chosen_and_deleted(reader, talk, bob):
    Prompt.objects.create(owner=bob, title="Bob's", text="Secret?")
    reader.post("/chat/prompts/", title="Mine", text="What & why?")
    page = reader.http.get(f"/chat/prompts/?conversation={talk.pk}").text
    assert f'href="/chat/{talk.pk}/?question=What%20%26%20why%3F"' in page
    assert "Fristen" in page and "Key points" in page and "Secret?" not in page
    assert "What &amp; why?</textarea>" in reader.http.get(
        f"/chat/{talk.pk}/?question=What%20%26%20why%3F"
    ).text.replace("\n", "")
    assert reader.post("/chat/prompts/", title="", text="x").status_code == 422
    reader.post(f"/chat/prompts/{Prompt.objects.get(title='Mine').pk}/delete/")
    assert not Prompt.objects.filter(title="Mine").exists()


@pytest.mark.parametrize("recording", [None, ("r", b"")])
def test_an_empty_recording_is_refused(reader, talk, recording):
    data = {"recording": recording} if recording else {}
    reply = reader.send("/chat/dictation/", **data)
    assert reply.status_code == 422 and "Nothing was recorded" in reply.text


def test_without_a_speech_model_the_button_explains(reader, talk, settings, tmp_path):
    settings.MODELS_DIR = tmp_path
    if speech_weights.are_there():
        pytest.skip("the speech model is found elsewhere")
    page = reader.page(talk.pk)
    assert 'popovertarget="voice-missing"' in page and "Open the models page" in page
    reply = reader.send("/chat/dictation/", recording=("r", b"abc"))
    assert reply.status_code == 422 and "Pull it on the models page" in reply.text
