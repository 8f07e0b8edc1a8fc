"""Delete means gone: from every table, and from every file of the vault."""

import io
from pathlib import Path

import pymupdf
import pytest
from django.db import connection
from django_q.models import OrmQ

from apps.chat.models import Answer, Citation, Conversation, Step, Turn
from apps.library import batches, discarding, ingestion, picturing, tasks
from apps.library.models import (
    Category,
    Chunk,
    Document,
    Likeness,
    Part,
    TermStatistic,
    VectorStatistic,
    Workspace,
)
from apps.study.models import Card, Deck, Question, Quiz
from tests.library.papers import add, content, essay, finish
from tests.postgres import FOLDER, OURS

PHRASE = "xylophonequark"
NAME = "zeppelinregister.md"
POSTGRES = FOLDER / "pg"
pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
def folder(settings, tmp_path) -> Path:
    settings.MEDIA_ROOT = tmp_path / "files"
    settings.DERIVED_DIR = tmp_path / "derived"
    return tmp_path


def tables_with(text: str) -> list[str]:
    """The tables in a row of which a text stands, in whatever column."""
    found = []
    with connection.cursor() as cursor:
        for table in connection.introspection.table_names(cursor):
            cursor.execute(
                f'SELECT count(*) FROM "{table}" AS row WHERE row::text ILIKE %s', [f"%{text}%"]
            )
            if cursor.fetchone()[0]:
                found.append(table)
    return found


def files_with(folder: Path, text: str) -> list[Path]:
    files = [path for path in folder.rglob("*") if path.is_file()]
    return [path for path in files if text.encode() in path.read_bytes() or text in str(path)]


def test_a_deleted_phrase_and_a_deleted_name_are_nowhere(workspace, ollama, folder, settings):
    paper = essay(30, typo=f" The {PHRASE} was there.")
    document = add(workspace, paper, NAME, source=f"/home/alice/{NAME}")
    finish(document)
    neighbour = add(workspace, essay(5), "other.md")
    finish(neighbour)
    before = content(neighbour)
    derived = Path(settings.DERIVED_DIR) / str(document.pk)
    derived.mkdir(parents=True)
    (derived / "page-1.txt").write_text(PHRASE)
    assert {"library_part", "library_chunk", "library_chunkwords"} <= set(tables_with(PHRASE))
    assert len(files_with(folder, PHRASE)) == 2

    ingestion.discard(Document.objects.get(pk=document.pk))
    assert tasks.scrub()

    assert tables_with(PHRASE) == tables_with("zeppelinregister") == []
    assert files_with(folder, PHRASE) == files_with(folder, NAME) == []
    assert not derived.exists()
    assert content(neighbour) == before
    if OURS:
        assert files_with(POSTGRES, PHRASE) == [], "neither in tables nor in the log"


def dump() -> str:
    """All rows of all tables as PostgreSQL copies them out, which is what a dump holds."""
    found = []
    with connection.cursor() as cursor:
        for table in connection.introspection.table_names(cursor):
            with cursor.copy(f'COPY "{table}" TO STDOUT') as rows:
                found += [bytes(row) for row in rows]
    return b"".join(found).decode("utf-8", "replace")


def cited_and_practised(document: Document) -> None:
    """An answer that cites the phrase, a question and a card that were made of it."""
    chunk = document.chunks.get(text__contains=PHRASE)
    owner, workspace = document.workspace.owner, document.workspace
    talk = Conversation.objects.create(owner=owner, workspace=workspace)
    turn = Turn.objects.create(conversation=talk, question="Who was there?")
    answer = Answer.objects.create(turn=turn, text="Somebody [1].", state="finished")
    place = {"chunk": chunk, "document": document, "quote": chunk.text}
    words = {"document_name": "x", "kind": "page", "place": 1, "label": "page 1", "score": 1}
    Citation.objects.create(answer=answer, number=1, **place, **words)
    body = {"document": document.pk, "quote": chunk.text}
    Step.objects.create(answer=answer, number=1, kind="found", body=body)
    quiz = Quiz.objects.create(owner=owner, workspace=workspace, title="Birds")
    sentence = f"The {PHRASE} was seen by nobody else at the weir."
    Question.objects.create(
        quiz=quiz, ordinal=0, type="mcq", stem=sentence, options=["a", "b"], answer=0, **place
    )
    deck = Deck.objects.create(owner=owner, workspace=workspace, title="Birds")
    Card.objects.create(deck=deck, ordinal=0, front=sentence, back="a", guid="g", **place)


def test_a_cited_page_with_pictures_leaves_nothing_in_a_dump_nor_in_a_folder(
    workspace, ollama, folder, settings
):
    pdf = pymupdf.open()
    for text in ("The weir.", f"The {PHRASE} was seen by nobody else at the weir.", "The end."):
        pdf.new_page().insert_text((72, 72), text)
    pdf.set_metadata({"title": PHRASE})
    document = add(workspace, pdf.tobytes(), NAME.replace(".md", ".pdf"))
    assert finish(document) == "ready"
    batches.note(batches.begin(workspace, "k", "Upload"), document.name, document=document)
    for width in (180, 1200):
        picturing.page_picture(document, 2, width)
    assert picturing.boxes(document.chunks.get(text__contains=PHRASE))
    cited_and_practised(document)
    derived = Path(settings.DERIVED_DIR) / str(document.pk)
    assert len(list(derived.iterdir())) == 3 and Likeness.objects.exists()
    assert dump().count(PHRASE) >= 8 and NAME.removesuffix(".md") in dump()
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE")  # as PostgreSQL does by itself: its statistics hold values

    ingestion.discard(Document.objects.get(pk=document.pk))
    assert tasks.scrub()

    assert PHRASE not in dump() and NAME.removesuffix(".md") not in dump()
    assert not derived.exists() and not Likeness.objects.exists()
    assert [path for path in (folder / "files").rglob("*") if path.is_file()] == []
    assert all(PHRASE not in str(row.task) for row in OrmQ.objects.all())
    if OURS:
        assert files_with(POSTGRES, PHRASE) == []


def test_the_statistics_are_those_of_what_is_left(workspace, ollama):
    finish(add(workspace, essay(5), "a.md"))
    terms = dict(TermStatistic.objects.values_list("word", "passages"))
    document = add(workspace, essay(20, typo=f" {PHRASE}"), "b.md")
    finish(document)
    ingestion.discard(document)
    assert dict(TermStatistic.objects.values_list("word", "passages")) == terms
    assert VectorStatistic.objects.get().passages == 5


def test_deleted_and_added_again_it_is_read_again(workspace, ollama):
    document = add(workspace, essay(5))
    finish(document)
    before = content(document)
    ingestion.discard(document)
    again = add(workspace, essay(5))
    assert finish(again) == "ready"
    assert content(again) == before


def test_deleting_twice_is_deleting_once(workspace, ollama):
    document = add(workspace, essay(2))
    first, second = (Document.objects.get(pk=document.pk) for _ in range(2))
    ingestion.discard(first)
    ingestion.discard(second)
    assert not Document.objects.exists()


def test_a_category_goes_with_its_documents(workspace, ollama):
    category = Category.objects.create(workspace=workspace, name="Birds")
    add(workspace, essay(2), "in.md", category=category)
    stays = add(workspace, essay(2), "out.md")
    ingestion.discard_category(category)
    assert list(Document.objects.all()) == [stays]
    assert not Category.objects.exists()


def test_a_workspace_goes_with_all_in_it_and_a_strangers_stays(workspace, bob, ollama):
    finish(add(workspace, essay(3)))
    theirs = add(bob.workspaces.get(), essay(3))
    finish(theirs)
    before = content(theirs)
    ingestion.discard_workspace(workspace)
    assert list(Document.objects.all()) == [theirs]
    assert content(theirs) == before
    assert Chunk.objects.count() == Part.objects.count() == 3


def test_of_a_workspace_of_many_nothing_is_left_either(workspace, ollama, folder):
    """Gone from every page at once, and from tables and files when the worker is done."""
    document = add(workspace, essay(3, typo=f" The {PHRASE} was there."), NAME)
    finish(document)
    cited_and_practised(document)
    Document.objects.bulk_create(
        Document(workspace=workspace, name=f"{PHRASE}-{n}", state="ready")
        for n in range(discarding.FEW)
    )
    Workspace.objects.filter(pk=workspace.pk).update(name=PHRASE)
    assert not ingestion.discard_workspace_soon(workspace)
    assert not Workspace.objects.owned_by(workspace.owner).exists()
    assert not any(kind.objects.exists() for kind in (Conversation, Quiz, Deck))
    assert not Document.objects.owned_by(workspace.owner).exists()
    while discarding.is_due():
        tasks.discard()
    assert tasks.scrub()
    assert PHRASE not in dump() and NAME.removesuffix(".md") not in dump()
    assert files_with(folder, PHRASE) == []


def test_a_failed_task_tells_no_secret_and_is_forgotten_after_a_week(workspace, ollama):
    from datetime import timedelta

    from django.utils import timezone
    from django_q.models import Task

    old = timezone.now() - timedelta(days=8)
    for number, when in enumerate((old, timezone.now())):
        Task.objects.create(
            id=str(number), name="work", func="x", started=when, stopped=when, success=False
        )
    ingestion.sweep()
    assert Task.objects.get().id == "1"


def test_a_bell_in_the_queue_knows_no_document(workspace):
    ingestion.accept(workspace, io.BytesIO(essay(2)), NAME)
    ingestion.accept(workspace, io.BytesIO(essay(3)), "b.md")
    ingestion.accept(workspace, io.BytesIO(essay(4)), "c.md")
    assert [(row.task["func"], row.task["args"]) for row in OrmQ.objects.all()] == [
        ("apps.library.tasks.work", ()),
        ("apps.library.tasks.work", ()),
    ]
