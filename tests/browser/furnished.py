"""A vault in which every page has something on it, made of rows; and what `axe` says of a page.

`things` of tests.test_doors is one of everything that an address names. Here they come alive: an
answer with sources, a quiz half played, cards that are due, a written lesson, files that failed.
"""

from datetime import timedelta
from pathlib import Path
from typing import Any

from axe_playwright_python.base import AXE_SCRIPT
from django.core.files.base import ContentFile
from django.utils import timezone
from playwright.sync_api import Page

from apps.chat.models import Answer, Conversation, Turn
from apps.library.models import BatchEntry, Category, Chunk, Document, Part, Workspace
from apps.library.samples import FOLDER
from apps.progress import ledger
from apps.study.models import Attempt, Card, Lesson, Mindmap, Question, Reply, Workshop

SENTENCE = "Notice is three months."
# Everything that WCAG 2.2 asks for at level AA and can be seen by a machine, and axe's own advice.
RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
SHADES = ["color-contrast"]  # what dark changes
SIZES = ["target-size"]  # and what a phone does
STOPS = Path(__file__).with_name("stops.js").read_text()


def furnish(things: dict[str, Any], workspace: Workspace) -> None:
    """Give the pages of these things something to show."""
    chunk = Chunk.objects.get(pk=things["passage_id"])
    Document.objects.update(
        language="en", part_count=1, chunk_count=1, category=things["category_id"], size=2048
    )
    _shelve(workspace, things)
    _talk(things, chunk)
    _practise(things, chunk)
    for days, kind in ((0, "chat_message"), (1, "quiz_finished"), (2, "card_graded")):
        facts = {"score": 50, "grade": 3}
        ledger.record(workspace.owner, kind, timezone.now() - timedelta(days=days), **facts)


def _shelve(workspace: Workspace, things: dict[str, Any]) -> None:
    """Documents in every state, one of them with pages to look at."""
    states = Document.State
    why = "This PDF is locked. Give its password, or upload an unlocked copy."
    batch = {"batch_id": things["batch_id"]}
    BatchEntry.objects.create(path="Lease.txt", document_id=things["document_id"], **batch)
    BatchEntry.objects.create(path="tool.exe", reason="This is a program.", **batch)
    for name, state, reason in (
        ("Locked.pdf", states.REFUSED, why),
        ("A title of more characters than fit in a row, " * 4 + ".pdf", states.READING, ""),
    ):
        Document.objects.create(
            workspace=workspace,
            name=name,
            format="pdf",
            state=state,
            reason=reason,
            total=40,
            done=3,
        )
    manual = Document.objects.create(
        workspace=workspace,
        category=Category.objects.create(workspace=workspace, name="House"),
        name="Heat pump manual.pdf",
        format="pdf",
        file=ContentFile((FOLDER / "Heat pump manual.pdf").read_bytes(), "x"),
        state=states.READY,
        total=2,
        part_count=2,
    )
    for number in (1, 2):
        label = {"kind": "page", "number": number, "label": f"page {number}", "text": "Text."}
        Part.objects.create(document=manual, revision=1, ordinal=number - 1, **label)
    things["manual_id"] = manual.pk


def _talk(things: dict[str, Any], chunk: Chunk) -> None:
    """An answer with a list, a table, code and thinking; of its sources it cites one."""
    talk = Conversation.objects.get(pk=things["conversation_id"])
    Conversation.objects.update(title="Notice", pinned=True)
    text = f"{SENTENCE} [1]\n\n- one\n- two\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n```\ncode\n```\n"
    Answer.objects.update(text=text, thinking="Hm.", model="fake:latest", ended_at=timezone.now())
    answer = Answer.objects.get(pk=things["answer_id"])
    for number in (1, 2):
        answer.citations.create(
            number=number,
            chunk=chunk,
            document=chunk.document,
            document_name="Lease.txt",
            kind="lines",
            place=1,
            label="line 1",
            quote=SENTENCE,
            score=0.8,
            used=number == 1,
        )
    for state, reason in (("failed", "No model answers. Start one."), ("stopped", "")):
        turn = Turn.objects.create(conversation=talk, question=f"Why {state}?")
        Answer.objects.create(turn=turn, state=state, reason=reason, text="Half an")


def _practise(things: dict[str, Any], chunk: Chunk) -> None:
    """A quiz half played and one that is over, cards due, a lesson, a map."""
    source = {
        "chunk": chunk,
        "document": chunk.document,
        "document_name": "Lease.txt",
        "label": "line 1",
        "quote": SENTENCE,
    }
    first = Question.objects.get(pk=things["question_id"])
    Question.objects.update(
        stem="How long is the notice?", explanation="The lease says so.", **source
    )
    over = Attempt.objects.create(
        quiz=first.quiz,
        owner=first.quiz.owner,
        order=[[first.pk, [0, 1]]],
        finished_at=timezone.now(),
        score=0,
    )
    Reply.objects.create(attempt=over, question=first, chosen=1, correct=False)
    things["over_id"] = over.pk
    Card.objects.update(front="How long?", back="Three months.", **source)
    for n, status in enumerate(("mastered", "review"), start=1):
        Card.objects.create(
            deck_id=things["deck_id"],
            ordinal=n,
            front=f"{n}?",
            back="!",
            guid=f"{n}",
            status=status,
        )
    lesson = Lesson.objects.get(pk=things["lesson_id"])
    words = {"introduction": f"{SENTENCE} [1]", "core": f"### Notice\n\n{SENTENCE} [1]"}
    ends = {
        "takeaways": f"- {SENTENCE} [1]",
        "self_check": "1. How long?",
        "made_at": timezone.now(),
    }
    Lesson.objects.filter(pk=lesson.pk).update(**words, **ends)
    lesson.sources.create(number=1, **source)
    Workshop.objects.update(summary="About notice.", key_points=[SENTENCE], objectives=["Know it."])
    leaf = {"label": "Three months", "chunk": chunk.pk, "quote": SENTENCE, "children": []}
    branch = {"label": "Notice", "chunk": None, "quote": "", "children": [leaf]}
    Mindmap.objects.update(
        tree={"label": "Lease", "chunk": None, "quote": "", "children": [branch]}
    )


def faults(page: Page, rules: list[str] | None = None) -> list[str]:
    """What axe finds against the page as it stands; with `rules` these alone are looked at."""
    page.emulate_media(reduced_motion="reduce")  # what fades has no contrast
    only = {"type": "rule", "values": rules} if rules else {"type": "tag", "values": RULES}
    if not page.evaluate("'axe' in window"):
        page.evaluate(AXE_SCRIPT)
    found = page.evaluate(
        "(runOnly) => axe.run(document, {runOnly, resultTypes: ['violations'], preload: false})",
        only,
    )
    return [
        f"{each['id']}: {node['target']} {node['html'][:160]} {node['failureSummary'][:300]}"
        for each in found["violations"]
        for node in each["nodes"]
    ]
