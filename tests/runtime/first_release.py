"""Make the vault of the first release that `test_upgrade.py` restores: first_release.zip.

    python -m tests.runtime.first_release FILE

It was run once, on the code of 0.1.0 with the backup command, and its file is kept: every later
version has to bring that vault up to date. Later code has other models, and need not run this.
"""

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from tests.runtime.vault import ROOT, Vault

SAMPLES = ("House rules.md", "Maintenance log 2025.csv", "Rundbrief Juni 2025.html")
# Run inside the vault: at least one row of everything a person can have.
ROWS = """
from django.contrib.auth.models import User
from django.utils import timezone as t
from apps.chat.models import Answer, Citation, Conversation, Step, Turn
from apps.library.models import Category, Chunk, Coverage, Document
from apps.progress import ledger
from apps.study.models import (
    Attempt, Card, Deck, Job, Lesson, LessonSource, Mindmap, Question, Quiz, Rejection, Reply,
    Review, Workshop)
alice = User.objects.get()
bob = User.objects.create_user("bob", password="a plain member 2")
home = alice.workspaces.get()
document = Document.objects.get(name="House rules.md")
document.category = Category.objects.create(workspace=home, name="House")
document.save()
chunk = document.chunks.first()
about = {"chunk": chunk, "document": document, "document_name": document.name, "quote": chunk.text}
talk = Conversation.objects.create(owner=alice, workspace=home, title="Quiet hours")
turn = Turn.objects.create(conversation=talk, question="When is it quiet?")
answer = Answer.objects.create(turn=turn, text="From ten at night. [1]", state="finished")
Step.objects.create(answer=answer, number=1, kind="text", body={"text": answer.text})
Citation.objects.create(
    answer=answer, number=1, kind="section", place=1, label=chunk.label, score=1, **about)
mine = {"owner": alice, "workspace": home}
job = Job.objects.create(**mine, kind="quiz", state="done")
Rejection.objects.create(job=job, reason="twice", item={"stem": "When?"})
tree = {"label": "House", "chunk": chunk.pk, "children": []}
Mindmap.objects.create(**mine, title="The house", tree=tree)
quiz = Quiz.objects.create(**mine, job=job, title="House rules")
question = Question.objects.create(
    quiz=quiz, ordinal=0, type="mcq", stem="When?", options=["ten", "eight"], answer=0, **about)
attempt = Attempt.objects.create(quiz=quiz, owner=alice, order=[[question.pk, [0, 1]]], score=100)
Reply.objects.create(attempt=attempt, question=question, chosen=0, correct=True)
deck = Deck.objects.create(**mine, title="House rules")
card = Card.objects.create(deck=deck, ordinal=0, front="When?", back="Ten", guid="g", **about)
Review.objects.create(card=card, grade=3, at=t.now(), seconds=4)
workshop = Workshop.objects.create(**mine, title="House rules")
lesson = Lesson.objects.create(workshop=workshop, ordinal=0, title="Noise", core="Quiet. [1]")
LessonSource.objects.create(lesson=lesson, number=1, **about)
Coverage.objects.get_or_create(
    chunk=chunk, defaults={"document_id": document.pk, "read_at": t.now()})
ledger.record(alice, "quiz_answered", correct=True)
"""


def make(target: Path) -> None:
    folder = Path(tempfile.mkdtemp(prefix="vault-first-"))
    vault = Vault(folder / "data")
    samples = [str(ROOT / "apps/library/samples" / name) for name in SAMPLES]
    try:
        for words in (
            ["create_owner", "--username", "alice", "--password", "correct horse battery"],
            ["ingest", *samples, "--wait"],
            ["shell", "-c", ROWS],
            ["backup", str(target)],
        ):
            done = vault.command(*words)
            sys.stderr.write(done.stdout + done.stderr[-3000:])
            if done.returncode:
                raise subprocess.CalledProcessError(done.returncode, words)
    finally:
        vault.clean_up()
        shutil.rmtree(folder)


if __name__ == "__main__":
    make(Path(sys.argv[1]).absolute())
