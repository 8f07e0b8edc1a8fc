"""Files that go along with a question: limits, reading, the prompt, the library, the end."""

import os
from datetime import UTC, datetime
from pathlib import Path

import pytest
from django.conf import settings

from apps.chat import attachments
from apps.chat.models import Answer, Attachment
from apps.library.models import Document
from tests import corpus
from tests.chat.conftest import wait_until
from tests.chat.reader import HTMX, Reader

CHANGED = datetime(2024, 3, 15, 9, 30, tzinfo=UTC)
LEASE = b"# Lease\n\nNotice is three months before the end of a quarter.\n"


def attach(reader: Reader, name: str, body: bytes, status: int = 200) -> str:
    told = f"{CHANGED.timestamp() * 1000:.0f}"  # as browsers tell it
    reply = reader.send("/chat/attachments/", HTMX, file=(name, body), changed=told)
    assert reply.status_code == status, reply.text
    return reply.text


def attached(reader: Reader, name: str, body: bytes) -> Attachment:
    """A file in the tray, once it was read."""
    attach(reader, name, body)
    found = Attachment.objects.latest("pk")
    wait_until(lambda: Attachment.objects.get(pk=found.pk).state != "reading", 60)
    found.refresh_from_db()
    return found


def ask(reader: Reader, talk, question: str, **more):
    reply = reader.post(f"/chat/{talk.pk}/ask/", HTMX, question=question, **more)
    assert reply.status_code == 200, reply.text
    wait_until(lambda: not Answer.objects.being_written().exists(), 60)
    return reply.text


def test_an_attached_file_is_read_cited_kept_and_deleted_with_the_conversation(
    reader, talk, ollama, alice
):
    lease = attached(reader, "Lease.md", LEASE)
    assert (lease.state, lease.format) == ("ready", "markdown")
    ollama.says("Notice is three months before the end of a quarter [1].")
    page = ask(reader, talk, "What about the lease?", attachments=[lease.pk])
    assert "Lease.md" in page and "Save to library" in page
    sent = ollama.asked[-1]["messages"][-1]["content"]
    assert "[1] Lease.md, Lease: # Lease\nNotice is three months" in sent
    source = Answer.objects.get().citations.get(number=1)
    assert (source.attachment, source.used, source.chunk) == (lease, True, None)
    assert f"/chat/attachments/{lease.pk}/" in reader.page(talk.pk)
    assert "Notice is three months" in reader.http.get(f"/chat/attachments/{lease.pk}/").text
    for _ in range(2):  # twice is once
        reader.post(f"/chat/attachments/{lease.pk}/save/", HTMX)
    document = Document.objects.get(name="Lease.md")
    assert Path(document.file.path).read_bytes() == LEASE and document.changed_at == CHANGED
    assert reader.post(f"/chat/attachments/{lease.pk}/remove/").status_code == 404  # it was sent
    path = Path(lease.file.path)
    assert path.exists()
    reader.post(f"/chat/{talk.pk}/delete/")
    assert not path.exists() and not Attachment.objects.exists()
    assert Path(document.file.path).exists()


def test_files_come_with_the_form_without_javascript(reader, talk, ollama):
    ollama.says("Three months [1].")
    reply = reader.send(
        f"/chat/{talk.pk}/ask/", files=("Lease.md", LEASE), question="What is the notice?"
    )
    assert reply.status_code == 302
    wait_until(lambda: not Answer.objects.being_written().exists(), 60)
    assert "Notice is three months" in ollama.asked[-1]["messages"][-1]["content"]
    assert talk.attachments.get().name == "Lease.md"


def test_a_file_whose_reader_was_ended_is_read_again_at_the_next_start(reader, talk):
    lease = attached(reader, "Lease.md", LEASE)
    Attachment.objects.update(state="reading", parts=[])
    assert attachments.read_on() == 1
    wait_until(lambda: Attachment.objects.get(pk=lease.pk).state == "ready", 60)
    assert "three months" in Attachment.objects.get().parts[0]["text"]


def test_a_question_does_not_wait_for_ever_for_a_file(reader, talk, ollama, monkeypatch):
    monkeypatch.setattr(attachments, "PATIENCE", 0.1)
    lease = attached(reader, "Lease.md", LEASE)
    Attachment.objects.update(state="reading")
    ollama.says("The moon pulls the water of the oceans [1].")
    ask(reader, talk, "Why do tides rise?", attachments=[lease.pk])
    answer = Answer.objects.get()
    assert answer.state == "finished"
    assert "“Lease.md” was left out. It is still being read. Ask again in a minute" in answer.notice


def test_an_edit_and_another_try_keep_the_files(reader, talk, ollama):
    lease = attached(reader, "Lease.md", LEASE)
    ollama.says("Three months [1].")
    ask(reader, talk, "What is the notice?", attachments=[lease.pk])
    turn = talk.turns.get()
    ollama.says("Three months [1].")
    reader.read_to_the_end(reader.again(turn.pk))
    ollama.says("Three months [1].")
    path = f"/chat/turns/{turn.pk}/edit/"
    reader.post(path, HTMX, question="How long is the notice?", last=turn.pk)
    wait_until(lambda: not Answer.objects.being_written().exists(), 60)
    assert all("Notice is three" in each["messages"][-1]["content"] for each in ollama.asked)
    assert len(ollama.asked) == 3


def test_limits_are_the_servers(reader, talk, monkeypatch):
    monkeypatch.setattr(attachments, "LARGEST", 1000)
    assert "too large: a file for" in attach(reader, "big.txt", b"x" * 1001, status=422)
    monkeypatch.setattr(attachments, "LARGEST_IMAGE", 100)
    assert "an image for a question" in attach(reader, "big.png", b"x" * 101, status=422)
    assert "is empty" in attach(reader, "empty.txt", b"", status=422)
    assert "No file arrived" in reader.post("/chat/attachments/", HTMX).text
    six = [attached(reader, f"{number}.txt", b"Words.").pk for number in range(6)]
    reply = reader.post(f"/chat/{talk.pk}/ask/", HTMX, question="Why?", attachments=six)
    assert reply.status_code == 422 and "At most 5 files" in reply.text
    assert not talk.turns.exists()


@pytest.mark.parametrize(
    ("name", "body", "said"),
    [
        ("setup.exe", b"MZ" + b"\0" * 400, "program"),
        ("photo.png", b"aGVsbG8gd29ybGQ=" * 20, "not"),  # base64 where an image should be
        ("talk.mp3", b"ID3\x03\x00" + b"\0" * 4000, "recording"),
        ("nothing.txt", b" \n \n", "text"),
    ],
)
def test_what_cannot_be_read_is_refused_in_words(reader, talk, name, body, said):
    found = attached(reader, name, body)
    assert found.state == "refused" and said in found.reason.lower(), found.reason
    tray = reader.http.get(f"/chat/attachments/{found.pk}/?tray", headers=HTMX).text
    assert 'data-tone="bad"' in tray and "Remove" in tray and 'name="attachments"' not in tray


@corpus.needed
def test_images_go_to_a_model_that_sees(reader, talk, ollama):
    ollama.has("fake", "completion", "vision", size=9_000_000_000)
    scan = attached(reader, "scan.png", (corpus.FOLDER / "typewriter.png").read_bytes())
    assert scan.state == "ready" and bytes(scan.thumbnail).startswith(b"\x89PNG")
    assert reader.http.get(f"/chat/attachments/{scan.pk}/thumbnail.png").content[:4] == b"\x89PNG"
    ollama.says("It shows typed words.")
    page = ask(reader, talk, "What does the picture show?", attachments=[scan.pk])
    assert len(ollama.asked[-1]["messages"][-1]["images"]) == 1
    page = reader.page(talk.pk)
    assert "The model looks at scan.png itself" in page


@corpus.needed
def test_images_go_as_text_to_a_model_that_does_not_see_and_it_says_so(reader, talk, ollama):
    scan = attached(reader, "scan.png", (corpus.FOLDER / "typewriter.png").read_bytes())
    assert scan.ocr
    ollama.says("Typed words [1].")
    ask(reader, talk, "What does the picture say?", attachments=[scan.pk])
    asked = ollama.asked[-1]["messages"][-1]
    assert "images" not in asked and "[1] scan.png" in asked["content"]
    assert "fake does not see images" in reader.page(talk.pk)


def test_a_long_file_is_read_where_it_answers_and_the_reader_is_told(reader, talk, ollama):
    filler = "\n\n".join(f"Line {number} is about nothing at all, " * 20 for number in range(60))
    long = f"{filler}\n\nThe zebra crosses at noon.\n\n{filler}".encode()
    found = attached(reader, "long.txt", long)
    ollama.says("The zebra crosses at noon [1].")
    ask(reader, talk, "When does the zebra cross?", attachments=[found.pk])
    assert "The zebra crosses at noon" in ollama.asked[-1]["messages"][-1]["content"]
    assert "passages of what you brought along were read" in reader.page(talk.pk)


def test_nobody_sends_or_sees_what_is_anothers(reader, waitress, talk, bob):
    lease = attached(reader, "Lease.md", LEASE)
    stranger = Reader(waitress, bob)
    theirs = bob.workspaces.get().conversations.create(owner=bob)
    reply = stranger.post(f"/chat/{theirs.pk}/ask/", HTMX, question="Why?", attachments=[lease.pk])
    assert reply.status_code == 422 and "no longer there" in reply.text
    assert stranger.http.get(f"/chat/attachments/{lease.pk}/").status_code == 404
    stranger.http.close()


def test_what_was_never_sent_is_let_go(reader, talk, monkeypatch):
    lease = attached(reader, "Lease.md", LEASE)
    orphan = Path(settings.MEDIA_ROOT) / "attachments" / "orphan"
    orphan.write_bytes(b"left over")
    os.utime(orphan, (0, 0))
    attachments.tidy()
    assert not orphan.exists() and Path(lease.file.path).exists()
    monkeypatch.setattr(attachments, "UNSENT", attachments.timedelta(0))
    attachments.tidy()
    assert not Attachment.objects.exists() and not Path(lease.file.path).exists()
