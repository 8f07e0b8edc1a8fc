"""A file becomes searchable exactly once, whatever happens meanwhile."""

import io
import threading
import time
from pathlib import Path

import psutil
import pytest
from django.db import connection

from apps.library import ingestion
from apps.library.locking import checkpoint, document_lock
from apps.library.models import Chunk, ChunkVector, ChunkWords, Document, Part, WordStatistic
from apps.progress.models import Event
from tests.library.papers import add, content, embedded, essay, finish


@pytest.fixture(autouse=True)
def folder(settings, tmp_path) -> Path:
    settings.MEDIA_ROOT = tmp_path / "files"
    settings.DERIVED_DIR = tmp_path / "derived"
    return tmp_path


def test_a_file_is_read_then_learned_then_ready(workspace, ollama):
    document = add(workspace, essay(30))
    assert document.state == "queued"
    assert ingestion.work(document.pk) == "learning"
    document.refresh_from_db()
    assert ChunkWords.objects.count() == document.chunk_count >= 30
    assert ChunkVector.objects.count() == 0
    assert finish(document) == "ready"
    assert ChunkVector.objects.count() == document.chunk_count == document.done == document.total
    assert (document.format, document.language, document.reason) == ("markdown", "en", "")
    assert document.timings.keys() == {"reading", "learning"}
    assert document.character_count > 10_000
    assert document.ready_at is not None


def test_a_document_that_is_ready_is_noted_once(workspace, ollama, alice):
    document = add(workspace, essay(2))
    finish(document)
    ingestion.read_again(document)
    finish(document)
    event = Event.objects.get()
    assert (event.person, event.kind, event.facts) == (
        alice,
        "document_added",
        {"document": document.pk},
    )


def test_work_on_what_is_done_does_nothing(workspace, ollama):
    document = add(workspace, essay(3))
    finish(document)
    before = content(document)
    assert ingestion.work(document.pk) == "ready"
    assert content(document) == before
    assert ingestion.work(10_000_000) == "gone"


def test_new_documents_are_read_before_others_are_learned(workspace, ollama):
    first, second = add(workspace, essay(3), "a.md"), add(workspace, essay(4), "b.md")
    assert [ingestion.work_next() for _ in range(4)] == ["learning", "learning", "ready", "ready"]
    assert ingestion.work_next() == "idle"
    assert {first.chunks.count(), second.chunks.count()} == {3, 4}


def test_learning_makes_way_for_a_new_document_after_one_batch(workspace, ollama):
    long = add(workspace, essay(40), "long.md")
    ingestion.work(long.pk)
    add(workspace, essay(2), "new.md")
    assert ingestion.work(long.pk) == "learning"
    assert ChunkVector.objects.count() == 16


def test_one_typo_in_a_long_text_embeds_only_what_changed(workspace, ollama):
    document = add(workspace, essay(120))
    finish(document)
    chunks = set(document.chunks.values_list("pk", flat=True))
    ollama.heard.clear()
    add(workspace, essay(120, typo=" Teh end."))
    assert finish(document) == "ready"
    assert 1 <= len(embedded(ollama)) <= 3
    kept = chunks & set(document.chunks.values_list("pk", flat=True))
    assert len(kept) >= len(chunks) - 3  # and with them all citations
    assert set(document.chunks.values_list("revision", flat=True)) == {2}
    assert set(document.parts.values_list("revision", flat=True)) == {2}


def test_a_changed_document_ends_as_if_it_had_always_been_so(workspace, ollama):
    document = add(workspace, essay(40), "a.md")
    finish(document)
    add(workspace, essay(25, typo=" Teh end."), "a.md")
    finish(document)
    other = add(workspace, essay(25, typo=" Teh end."), "b.md")
    finish(other)
    mine, theirs = content(document), content(other)
    assert [row[:-2] for row in mine] == [row[:-2] for row in theirs]
    assert [row[-1] for row in mine] == [row[-1] for row in theirs]


def test_edited_once_and_added_thrice_it_is_read_once(workspace, ollama):
    document = add(workspace, essay(5))
    finish(document)
    states = [ingestion.accept(workspace, io.BytesIO(essay(5, " x")), "birds.md").status]
    finish(document)
    for _ in range(2):
        states.append(ingestion.accept(workspace, io.BytesIO(essay(5, " x")), "birds.md").status)
    assert states == ["queued", "unchanged", "unchanged"]


def test_the_same_bytes_elsewhere_are_neither_parsed_nor_embedded_again(workspace, ollama):
    document = add(workspace, essay(50), "a.md")
    finish(document)
    Path(document.file.path).unlink()
    ollama.heard.clear()
    twin = add(workspace, essay(50), "b.md")
    Path(twin.file.path).write_bytes(b"\xff")  # a parser would stumble
    assert finish(twin) == "ready"
    assert embedded(ollama) == []
    assert [row[:-2] for row in content(twin)] == [row[:-2] for row in content(document)]
    assert (twin.format, twin.part_count) == (document.format, document.part_count)


def test_a_strangers_same_bytes_are_read_and_embedded_for_themselves(workspace, bob, ollama):
    finish(add(workspace, essay(3)))
    ollama.heard.clear()
    theirs = add(bob.workspaces.get(), essay(3))
    assert finish(theirs) == "ready"
    assert len(embedded(ollama)) == 3
    assert Event.objects.filter(person=bob).count() == 1


def test_a_file_that_cannot_be_read_says_why_and_harms_no_neighbour(workspace, ollama):
    good = add(workspace, essay(3), "good.md")
    bad = add(workspace, b"%PDF-1.7 and then nothing", "bad.pdf")
    assert finish(bad) == "refused"
    assert bad.reason
    assert finish(good) == "ready"
    assert not bad.chunks.exists()
    assert ingestion.sweep() == 0


def test_a_good_document_whose_new_bytes_cannot_be_read_is_found_no_more(workspace, ollama):
    document = add(workspace, essay(3), "a.md")
    finish(document)
    add(workspace, b"%PDF-1.7 and then nothing", "a.md")
    assert finish(document) == "refused"
    assert not Chunk.objects.exists()
    assert not ChunkWords.objects.exists()
    assert WordStatistic.objects.get().passages == 0
    add(workspace, essay(3), "a.md")
    assert finish(document) == "ready"


def test_without_text_there_is_a_reason(workspace, ollama):
    document = add(workspace, b" \n ", "blank.txt")
    assert finish(document) == "refused"
    assert document.reason


def test_without_an_embedding_model_it_is_found_by_words_and_waits(workspace, ollama):
    document = add(workspace, essay(20))
    ollama.lacks("embeddinggemma")
    assert finish(document) == "learning"
    assert document.reason.startswith("Waiting for the embedding model: ")
    assert ChunkWords.objects.count() == document.chunk_count
    assert ingestion.work_next() == "idle"  # not before its time
    first = document.next_try
    for _ in range(10):
        assert ingestion.work(document.pk) == "learning"
    document.refresh_from_db()
    assert document.next_try > first


def test_it_goes_on_when_the_model_is_back_and_wakes_the_others(workspace, ollama):
    documents = [add(workspace, essay(3), f"{n}.md") for n in range(3)]
    ollama.lacks("embeddinggemma")
    for document in documents:
        finish(document)
    for _ in range(ingestion.ATTEMPTS["reading"]):  # longer than a killing document is tried
        ingestion.work(documents[1].pk)
    ollama.has("embeddinggemma", "embedding")
    assert ingestion.work(documents[0].pk) == "ready"
    assert [ingestion.work_next() for _ in range(3)] == ["ready", "ready", "idle"]
    assert not Document.objects.exclude(reason="").exists()


def test_a_cancelled_document_stays_as_it_is_until_tried_again(workspace, ollama):
    document = add(workspace, essay(40))
    ingestion.work(document.pk)
    add(workspace, essay(1), "other.md")
    ingestion.work(document.pk)
    ingestion.cancel(document)
    assert ingestion.work(document.pk) == document.state == "cancelled"
    assert ChunkVector.objects.count() == 16
    ingestion.retry(document)
    assert finish(document) == "ready"
    assert len(embedded(ollama)) == 40  # none twice
    content(document)


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("act", [ingestion.cancel, ingestion.discard])
def test_a_worker_whose_document_is_taken_away_stores_no_more(act, workspace, ollama):
    """The model server takes its time over a batch: meanwhile the document is taken away."""
    document = add(workspace, essay(5))
    ingestion.work(document.pk)
    asked, taken = threading.Event(), threading.Event()
    embeds = ollama.embeds

    def slowly(text: str, dimensions: int) -> list[float]:
        asked.set()
        assert taken.wait(10)
        return embeds(text, dimensions)

    ollama.embeds = slowly
    outcomes: list[str] = []

    def worker() -> None:
        outcomes.append(ingestion.work(document.pk))
        connection.close()

    thread = threading.Thread(target=worker)
    thread.start()
    assert asked.wait(10)
    act(Document.objects.get(pk=document.pk))
    taken.set()
    thread.join()
    assert outcomes == ["cancelled" if act is ingestion.cancel else "gone"]
    assert not ChunkVector.objects.exists()


def test_a_document_at_which_workers_die_is_given_up(workspace, ollama):
    document = add(workspace, essay(3))
    Document.objects.filter(pk=document.pk).update(
        state="reading", attempts=ingestion.ATTEMPTS["reading"]
    )
    assert ingestion.work(document.pk) == "failed"
    document.refresh_from_db()
    assert "stopped 6 times" in document.reason
    ingestion.retry(document)
    assert finish(document) == "ready"


def test_learning_is_not_given_up_as_soon(workspace, ollama):
    """What is read kills nobody any more: whoever died over it, died of something else."""
    document = add(workspace, essay(20))
    ingestion.work(document.pk)
    Document.objects.filter(pk=document.pk, state="learning").update(attempts=20)
    assert finish(document) == "ready"


def test_opening_a_document_is_no_progress(workspace, ollama):
    """Else one that kills its worker right after would be tried for ever."""
    document = add(workspace, essay(3))
    Document.objects.update(state="reading", attempts=3)
    document.refresh_from_db()
    with checkpoint(document, progress=False):
        document.total = 3
    assert (document.attempts, document.total) == (3, 3)
    with checkpoint(document):
        document.done = 1
    assert document.attempts == 0


def test_an_error_of_ours_is_told_without_its_details(workspace, ollama, settings):
    document = add(workspace, essay(3))
    settings.CHUNK_SIZE = "rather long"
    assert finish(document) == "failed"
    assert "Try again" in document.reason
    assert "rather long" not in document.reason
    settings.CHUNK_SIZE = 1000
    ingestion.retry(document)
    assert finish(document) == "ready"


@pytest.mark.django_db(transaction=True)
def test_a_killed_parser_is_no_fault_of_the_file(workspace, ollama):
    """As when the machine runs out of memory: the slice ends, the next one goes on."""
    document = add(workspace, essay(2000))
    outcomes: list[str] = []

    def worker() -> None:
        outcomes.append(ingestion.work(document.pk))
        connection.close()

    thread = threading.Thread(target=worker)
    thread.start()
    assert _parser().kill() is None
    thread.join()
    assert outcomes == ["reading"]
    assert ingestion.work(document.pk) == "learning"
    chunks = document.chunks.order_by("ordinal").values_list("ordinal", flat=True)
    assert list(chunks) == list(range(2000))


def _parser() -> psutil.Process:
    """The first parser this process starts."""
    until = time.monotonic() + 20
    while time.monotonic() < until:
        for child in psutil.Process().children():
            if "apps.library.parsing" in child.cmdline():
                return child
        time.sleep(0.005)
    raise AssertionError("No parser was started.")


def test_a_lost_file_is_said_to_be_lost(workspace, ollama):
    document = add(workspace, essay(3))
    Path(document.file.path).unlink()
    assert finish(document) == "refused"
    assert "Upload it again" in document.reason


def test_a_document_can_be_read_and_learned_again(workspace, ollama):
    document = add(workspace, essay(5))
    finish(document)
    before = content(document)
    ollama.heard.clear()
    ingestion.read_again(document)
    assert (document.state, document.revision) == ("queued", 2)
    finish(document)
    assert embedded(ollama) == []
    ingestion.learn_again(document)
    assert (document.state, ChunkVector.objects.count()) == ("learning", 0)
    finish(document)
    assert len(embedded(ollama)) == 5
    assert content(document) == before


@pytest.mark.django_db(transaction=True)
def test_of_two_workers_one_has_the_document(workspace, ollama):
    document = add(workspace, essay(3))
    outcomes: list[str] = []

    def other() -> None:
        outcomes.append(ingestion.work(document.pk))
        connection.close()

    with document_lock(document.pk) as mine:
        assert mine
        worker = threading.Thread(target=other)
        worker.start()
        worker.join()
    assert outcomes == ["busy"]
    assert not Part.objects.exists()


@pytest.mark.django_db(transaction=True)
def test_two_workers_at_several_documents_do_nothing_twice(workspace, ollama):
    documents = [add(workspace, essay(30 + n), f"{n}.md") for n in range(4)]

    def worker() -> None:
        while Document.objects.unfinished().exists():
            ingestion.work_next(seconds=0.05)
        connection.close()

    workers = [threading.Thread(target=worker) for _ in range(3)]
    for each in workers:
        each.start()
    for each in workers:
        each.join()
    for n, document in enumerate(documents):
        assert len(content(document)) == 30 + n
    assert len(embedded(ollama)) <= sum(30 + n for n in range(4))
