"""A lease in five passages, and what a model may say about it."""

import json
from typing import Any

from django.contrib.auth.models import User

from apps.library.models import Workspace
from apps.study.models import Job, Lesson, Workshop
from tests.fake_ollama import FakeOllama
from tests.library.passages import document

PASSAGES = [
    "The tenant must give notice of three months in writing. The letter has to reach the office "
    "of the cooperative by the third working day of a month. An e-mail is not enough.",
    "The heat pump is serviced every twelve months by Kessler GmbH. At each service the filter is "
    "replaced and the pressure of the refrigerant is written into the service book.",
    "The deposit amounts to two net rents and is paid into an account of its own. It is returned "
    "within six months after the flat was handed over without damage.",
    "Bicycles are kept in the cellar and never in the staircase. Visitors lean their bicycles "
    "against the rack in the yard, which has room for twelve of them.",
    "Quiet hours last from ten in the evening until six in the morning. Music that can be heard "
    "in the neighbouring flats is to be turned down during these hours.",
]
TITLES = ["Giving notice", "Service of the heat pump", "The deposit", "Bicycles", "Quiet hours"]
POINTS = [passage.split(". ")[0] + "." for passage in PASSAGES]
SENTENCES = [[part.strip(" .") + "." for part in passage.split(". ")] for passage in PASSAGES]


def lease(alice: User, workspace: Workspace, asked: int = 5) -> Workshop:
    """A workshop to be made from the lease, in the queue."""
    if not workspace.documents.exists():
        document(workspace, "Lease.pdf", PASSAGES)
    job = Job.objects.create(
        owner=alice, workspace=workspace, kind="workshop", asked=asked, everywhere=True
    )
    return Workshop.objects.create(
        owner=alice, workspace=workspace, job=job, title="Lease.pdf", scope_label="Lease.pdf"
    )


def outlined(n: int, **change: Any) -> str:
    """What the model says about lesson n."""
    told = {"title": TITLES[n], "objective": f"Explain: {POINTS[n]}", "key_point": POINTS[n]}
    return json.dumps(told | change)


def framed(**change: Any) -> str:
    told = {"title": "Notice and deposit", "summary": POINTS[:2]}
    return json.dumps(told | change)


def outline(ollama: FakeOllama, lessons: int = 5) -> None:
    """Script a whole outline."""
    for n in range(lessons):
        ollama.says(outlined(n))
    ollama.says(framed())


def planned(alice: User, workspace: Workspace) -> Lesson:
    """The lesson of a workshop of one lesson about the first two passages, not written."""
    workshop = lease(alice, workspace)
    Job.objects.filter(pk=workshop.job_id).update(state="done", made=1, asked=1)
    chunks = list(workspace.documents.get().chunks.values_list("pk", flat=True))
    return Lesson.objects.create(
        workshop=workshop, ordinal=0, title="Notice and service", passages=chunks[:2]
    )


def introduced() -> str:
    return json.dumps({"sentences": [POINTS[0], POINTS[1]]})


def explained(n: int, *more: str) -> str:
    return json.dumps({"heading": TITLES[n], "sentences": [*SENTENCES[n][:2], *more]})


def remembered() -> str:
    return json.dumps({"takeaways": [POINTS[0], SENTENCES[0][1], POINTS[1]]})


def questions() -> str:
    told = ["How many months of notice must the tenant give?", "Who serviced the heat pump?"]
    return json.dumps({"questions": told})


def lesson(ollama: FakeOllama) -> None:
    """Script a whole lesson of the first two passages."""
    for said in (introduced(), explained(0), explained(1), remembered(), questions()):
        ollama.says(said)
