"""The chat without JavaScript, and who may come in."""

import re
from datetime import timedelta

import pytest
from django.utils import timezone, translation

from apps.chat.models import Answer, Conversation
from apps.chat.suggestions import suggestions
from apps.library.models import Category, Document
from tests.chat.conftest import add_document, wait_until
from tests.chat.reader import HTMX, Reader


def test_an_empty_chat_suggests_what_the_documents_hold(reader):
    page = reader.http.get("/chat/").text
    assert "What is “Sea” about?" in page and "What is “Sky” about?" in page


def test_what_has_no_heading_is_not_asked_about(reader):
    Document.objects.get(name="Sea.md").chunks.update(heading="Sea › Beginning")
    page = reader.http.get("/chat/").text
    assert "What is “Sea” about?" in page and "Beginning" not in page


@pytest.mark.parametrize(
    ("name", "title", "asked"),
    [
        ("IMG_20240305_1.jpg", "", "What is “Rent for the garden house” about?"),
        ("scan0001.pdf", "Contract of lease", "What is “Contract of lease” about?"),
        ("Lease 2024.pdf", "", "What is “Lease 2024” about?"),
    ],
)
def test_a_name_that_says_nothing_is_not_asked_about(alice, name, title, asked):
    home = alice.workspaces.get()
    Document.objects.all().delete()
    add_document(home, name, "p. 1", "# Rent for the garden house\n\nIt is 40 euros a year.")
    Document.objects.update(title=title)
    assert suggestions(home) == [asked]


def test_what_says_almost_nothing_is_not_asked_about_and_a_long_name_is_cut(alice):
    home = Document.objects.first().workspace
    Document.objects.all().delete()
    add_document(home, "<img src=x>.txt", "p. 1", "x")
    assert suggestions(home) == []
    add_document(home, "Lease.txt", "p. 1", "The rent is due on the third day of a month.")
    Document.objects.filter(name="Lease.txt").update(name=f"Lease {'of a house ' * 20}.txt")
    (asked,) = suggestions(home)
    assert asked.startswith("What is “Lease of a house") and asked.endswith("…” about?")
    assert len(asked) < 90


def test_documents_in_the_readers_language_are_asked_about_first(alice):
    home = alice.workspaces.get()
    for name in ("Miete.md", "Garten.md", "Haus.md"):  # newer than the English ones
        add_document(home, name, "S. 1", "Die Miete ist am dritten Werktag eines Monats zu zahlen.")
    Document.objects.filter(name__in=("Miete.md", "Garten.md", "Haus.md")).update(language="de")
    Document.objects.filter(name="Miete.md").get().chunks.update(heading="Miete › Zahlung")
    with translation.override("en"):
        first, second, third = suggestions(home)
    assert {first, second} == {"What is “Sea” about?", "What is “Sky” about?"}
    assert third == "Was steht in „Miete“ zu „Zahlung“?"
    with translation.override("de"):
        assert all("“ zu „" in each or each.startswith("Worum") for each in suggestions(home))


def test_an_empty_vault_points_to_the_library(waitress, bob):
    visitor = Reader(waitress, bob)
    page = visitor.http.get("/chat/").text
    assert "Add documents to your library" in page and 'class="suggestion"' not in page
    visitor.http.close()


def test_the_first_question_begins_a_conversation_and_names_it(reader, ollama):
    ollama.says("The moon pulls the water [1].")
    asked = reader.post("/chat/ask/", question="Why do tides rise?")
    talk = Conversation.objects.get()
    assert asked.status_code == 302 and asked.headers["Location"] == f"/chat/{talk.pk}/"
    wait_until(lambda: Answer.objects.get().state == "finished")
    assert "<h1>Why do tides rise?</h1>" in reader.page(talk.pk)
    assert "Why do tides rise?" in reader.http.get("/chat/").text


def test_without_javascript_a_link_leads_to_the_latest_answer(reader, talk):
    turns = [talk.turns.create(question=f"Why {n}?") for n in range(2)]
    for turn in turns:
        turn.answers.create(state="finished", text="Because.")
    page = reader.page(talk.pk)
    assert f'<noscript><a href="#turn-{turns[1].pk}">To the latest answer</a></noscript>' in page


def test_without_javascript_the_page_waits(reader, talk, ollama):
    ollama.says("One", " two", every=0.4)
    asked = reader.post(f"/chat/{talk.pk}/ask/", question="Why do tides rise?")
    assert asked.status_code == 302 and asked.headers["Location"] == f"/chat/{talk.pk}/"
    page = reader.page(talk.pk)
    assert '<noscript><meta http-equiv="refresh"' in page and 'aria-busy="true"' in page
    wait_until(lambda: Answer.objects.get().state == "finished")
    page = reader.page(talk.pk)
    assert "http-equiv" not in page and "aria-busy" not in page and "One two" in page


def test_without_javascript_stop_and_try_again(reader, talk, ollama):
    ollama.answer().waits(30)
    reader.post(f"/chat/{talk.pk}/ask/", question="Why do tides rise?")
    answer = Answer.objects.get()
    wait_until(lambda: ollama.asked)
    assert reader.post(f"/chat/answers/{answer.pk}/stop/").status_code == 302
    wait_until(lambda: Answer.objects.get().state == "stopped")
    ollama.says("Because of the moon.")
    assert reader.post(f"/chat/turns/{answer.turn_id}/retry/").status_code == 302
    wait_until(lambda: Answer.objects.last().state == "finished")
    assert "Because of the moon." in reader.page(talk.pk)


def test_the_page_shows_the_words_so_far(reader, talk, ollama):
    ollama.says("Half an").waits(30)
    answer = reader.ask(talk.pk)
    wait_until(lambda: "Half an" in reader.page(talk.pk))
    number = Answer.objects.get().steps.last().number
    assert f"/chat/answers/{answer}/events/?after={number}" in reader.page(talk.pk)
    assert 'name="send"' not in reader.page(talk.pk)  # Stop is in its place
    reader.post(f"/chat/answers/{answer}/stop/")


def test_the_page_itself_finds_what_broke_off(reader, talk):
    turn = talk.turns.create(question="Why?")
    answer = turn.answers.create(pulse=timezone.now() - timedelta(minutes=1))
    answer.steps.create(number=1, kind="wrote", body={"text": "Half an"})
    page = reader.page(talk.pk)
    assert "broke off" in page and "Half an" in page and "Try again" in page


def test_an_empty_question_is_refused(reader, talk):
    reply = reader.post(f"/chat/{talk.pk}/ask/", HTMX, question=" ")
    assert reply.status_code == 422 and "Write a question first." in reply.text
    assert reader.post(f"/chat/{talk.pk}/ask/", question=" ").status_code == 302
    assert not talk.turns.exists()


def test_a_question_of_5000_characters_is_asked(reader, talk, ollama):
    ollama.says("The moon pulls the water of the oceans [1].")
    question = "Why do tides rise? " + "x" * 4981
    reader.read_to_the_end(reader.ask(talk.pk, question))
    assert len(talk.turns.get().question) == 5000
    assert reader.post(f"/chat/{talk.pk}/ask/", HTMX, question=question + "x").status_code == 422


def test_a_question_too_long_is_refused_and_not_lost(reader, talk):
    long = "Why do tides rise? " * 300
    assert "maxlength" not in reader.page(talk.pk).partition('<textarea name="question"')[2][:300]
    reply = reader.post("/chat/ask/", question=long)
    assert reply.status_code == 422
    assert "A question may have 5000 characters" in reply.text and long.strip() in reply.text
    assert not talk.turns.exists()


def test_a_scope_narrows_the_search_and_stays_on_the_turn(reader, talk, ollama, alice):
    sky = Document.objects.get(name="Sky.md")
    ollama.says("The sun makes tides rise as well [1].")
    asked = reader.post(
        f"/chat/{talk.pk}/ask/", HTMX, question="Why do tides rise?", documents=[sky.pk]
    )
    assert 'class="scope-badge"' in asked.text and "Sky.md" in asked.text
    assert re.search(r'name="documents" value="\d+" checked', asked.text), "the next one, too"
    wait_until(lambda: Answer.objects.get().state == "finished")
    assert {each.document_name for each in Answer.objects.get().citations.all()} == {"Sky.md"}


def test_nobody_asks_what_is_another_persons(reader, talk, bob):
    theirs = Category.objects.create(workspace=bob.workspaces.get(), name="Private")
    reply = reader.post(f"/chat/{talk.pk}/ask/", HTMX, question="Why?", categories=[theirs.pk])
    assert reply.status_code == 422 and not talk.turns.exists()


def test_an_answer_can_be_taken_along_as_markdown(reader, talk, ollama):
    ollama.says("The **moon** pulls the water [1].")
    answer = reader.ask(talk.pk)
    reader.read_to_the_end(answer)
    taken = reader.http.get(f"/chat/answers/{answer}/answer.md")
    assert taken.headers["Content-Type"].startswith("text/markdown")
    assert taken.text.startswith("The **moon** pulls the water [1].\n\n[1] Sea.md, p. 4\n")
    assert "> Found by words only" in taken.text


def test_what_is_taken_along_says_what_the_page_says_against_it(reader, talk, ollama):
    ollama.says("Dragons push the sea around at night [1].")
    answer = reader.ask(talk.pk)
    reader.read_to_the_end(answer)
    Answer.objects.update(notice="Check each sentence.")
    taken = reader.http.get(f"/chat/answers/{answer}/answer.md").text
    assert "> Check each sentence.\n\n> No sentence of this answer could be tied" in taken
    Answer.objects.update(state="stopped", text="", refused=False)
    taken = reader.http.get(f"/chat/{talk.pk}/export/").text
    assert "## Why do tides rise?\n\n(stopped)\n" in taken and "No sentence" not in taken
    said = "Tides rise because the moon pulls water [1]. Tides rise 17 times a day [1]."
    claims = [
        {"at": 43, "numbers": [1], "state": "supported"},
        {"at": 74, "numbers": [1], "state": "unsupported", "reason": "“17” is not there."},
    ]
    Answer.objects.update(state="finished", text=said, claims=claims)
    taken = reader.http.get(f"/chat/answers/{answer}/answer.md").text
    assert "> To check: “Tides rise 17 times a day.” “17” is not there." in taken
    assert "To check: “Tides rise because" not in taken


def test_a_table_among_the_sources_is_read_without_its_marks(reader, talk, ollama):
    table = "| Tide | Height |\n|---|---|\n| rise | **4** m |"
    add_document(talk.workspace, "Tides.md", "p. 1", table)
    ollama.says("They rise 4 m [1].")
    last = reader.last(reader.ask(talk.pk, "How high do tides rise?"))
    assert "rise · 4 m" in last and "|---" not in last


def test_a_source_outlives_its_document(reader, talk, ollama):
    ollama.says("The moon pulls the water of the oceans [1].")
    reader.read_to_the_end(reader.ask(talk.pk))
    Document.objects.get(name="Sea.md").delete()
    page = reader.page(talk.pk)
    assert "no longer in the library" in page and "the moon pulls the water" in page


def test_a_source_is_found_again_when_its_document_was_read_anew(reader, talk, ollama):
    ollama.says("The moon pulls the water of the oceans [1].")
    reader.read_to_the_end(reader.ask(talk.pk))
    old = Document.objects.get(name="Sea.md").chunks.get()
    facts = {name: getattr(old, name) for name in ("part", "kind", "number", "label", "digest")}
    text = f"A new beginning. {old.text}"
    fresh = old.document.chunks.create(
        revision=2, ordinal=0, text=text, start=0, end=len(text), **facts
    )
    old.delete()
    assert f"/library/passages/{fresh.pk}/" in reader.page(talk.pk)
    fresh.text = "Something else altogether."
    fresh.save()
    page = reader.page(talk.pk)
    assert "the document has changed since" in page and "the moon pulls the water" in page


def test_the_number_of_queries_does_not_grow(client, alice, talk, django_assert_max_num_queries):
    client.force_login(alice)
    for _ in range(5):
        answer = talk.turns.create(question="Why?").answers.create(state="finished", text="So.")
        answer.citations.create(number=1, kind="page", place=1, score=1, document_name="Sea.md")
    client.get(f"/chat/{talk.pk}/")
    with django_assert_max_num_queries(10):
        client.get(f"/chat/{talk.pk}/")


def test_a_stranger_finds_nothing(reader, waitress, talk, ollama, bob):
    ollama.says("So.")
    answer = reader.ask(talk.pk)
    wait_until(lambda: Answer.objects.get().state == "finished")
    stranger, visitor = Reader(waitress, bob), Reader(waitress, None)
    doors = [
        f"/chat/{talk.pk}/",
        f"/chat/answers/{answer}/answer.md",
    ]
    for door in doors:
        assert stranger.http.get(door).status_code == 404
        assert "/login/" in visitor.http.get(door).headers["Location"]
    for person in (stranger, visitor):  # a page that listens is told so in a message
        told = person.http.get(f"/chat/answers/{answer}/events/").text
        assert "can no longer be followed" in told and "So." not in told
    doors = [
        f"/chat/{talk.pk}/ask/",
        f"/chat/{talk.pk}/rename/",
        f"/chat/{talk.pk}/delete/",
        f"/chat/answers/{answer}/stop/",
        f"/chat/turns/{talk.turns.get().pk}/retry/",
    ]
    for door in doors:
        assert stranger.http.get(door).status_code in (404, 405)
        assert stranger.post(door, question="x", title="x").status_code == 404
        assert "/login/" in visitor.post(door, question="x").headers["Location"]
    assert Conversation.objects.filter(pk=talk.pk, title="Why do tides rise?").exists()
    stranger.http.close()
    visitor.http.close()


@pytest.mark.parametrize("path", ["/chat/", "/chat/{}/"])
def test_nothing_in_the_page_is_inline(reader, talk, path):
    reply = reader.http.get(path.format(talk.pk))
    policy = reply.headers["Content-Security-Policy"]
    assert "default-src 'none'" in policy and "unsafe" not in policy
    assert not re.search(r"\sstyle=|<style|\son\w+=|hx-on|<script(?![^>]*\bsrc=)", reply.text)
