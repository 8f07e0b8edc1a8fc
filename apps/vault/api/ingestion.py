"""How reading goes: of a workspace, and of one document."""

from typing import Annotated, Any

from django.db.models import Avg, Count
from ninja import Query, Router, Schema
from pydantic import Field

from apps.library import labels, standing, workspaces
from apps.library.models import Document
from apps.vault.api.documents import mine
from apps.vault.api.gate import READ, ApiRequest
from apps.vault.api.shapes import Named, Paper, WorkspaceName, named, paper

router = Router(tags=["Ingestion"])
SHOWN = 200  # documents at work


class Standing(Schema):
    """Where one document stands; `share` runs from 0 to 1 where it is known."""

    id: int
    name: str
    state: str
    words: str
    share: float | None
    left: str
    done: int
    total: int | None


class Ingestion(Schema):
    workspace: Named
    states: Annotated[dict[str, int], Field(description="How many documents are in each state.")]
    unfinished: list[Standing]


class Step(Schema):
    name: str
    state: str
    detail: str


class Receipt(Schema):
    """What was read of a document, what was not, and what it took."""

    document: Paper
    standing: Standing
    timeline: list[Step]
    parts_by_ocr: int
    ocr_confidence: float | None
    left_out: list[str]
    seconds: dict[str, float]


class Here(Schema):
    workspace: WorkspaceName = None


@router.get("/ingestion", auth=READ, response=Ingestion)
def get_ingestion(request: ApiRequest, wanted: Query[Here]) -> Ingestion:
    """What is being read in a workspace, and how far it is."""
    workspace = workspaces.of_person(request.user, wanted.workspace)
    rows = workspace.documents.order_by().values_list("state").annotate(Count("pk"))
    at_work = workspace.documents.unfinished()[:SHOWN]
    return Ingestion(
        workspace=named(workspace),
        states=dict.fromkeys(Document.State.values, 0) | dict(rows),
        unfinished=[_standing(document) for document in at_work],
    )


@router.get("/documents/{int:document_id}/receipt", auth=READ, response=Receipt)
def get_receipt(request: ApiRequest, document_id: int) -> Receipt:
    """The receipt of a document, final once its state is ready."""
    document = mine(request, document_id)
    mean: dict[str, Any] = document.parts.filter(ocr=True).aggregate(of=Avg("confidence"))
    return Receipt(
        document=paper(request, document),
        standing=_standing(document),
        timeline=[
            Step(name=step.name, state=step.state, detail=step.detail)
            for step in standing.timeline(document)
        ],
        parts_by_ocr=document.ocr_count,
        ocr_confidence=mean["of"],
        left_out=[labels.noted(line) for line in document.notice.splitlines()],
        seconds=document.timings,
    )


def _standing(document: Document) -> Standing:
    now = standing.of(document)
    return Standing(
        id=document.pk,
        name=document.name,
        state=document.state,
        words=now.words,
        share=now.share,
        left=now.left,
        done=document.done,
        total=document.total,
    )
