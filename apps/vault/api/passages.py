"""The text of documents, passage by passage."""

from typing import Annotated

from django.http import Http404
from ninja import Query, Router, Schema
from pydantic import Field

from apps.library.models import Chunk
from apps.vault.api.documents import mine
from apps.vault.api.gate import READ, ApiRequest
from apps.vault.api.shapes import Passage, passage

router = Router(tags=["Documents"])


class Stretch(Schema):
    after: Annotated[
        int,
        Field(ge=-1, le=2**31 - 1, description="What `next` of the page before said."),
    ] = -1
    limit: Annotated[int, Field(ge=1, le=200)] = 50


class Passages(Schema):
    passages: list[Passage]
    next: int | None


@router.get("/documents/{int:document_id}/passages", auth=READ, response=Passages)
def list_passages(request: ApiRequest, document_id: int, wanted: Query[Stretch]) -> Passages:
    """The passages of a document in reading order; neighbours share a little text."""
    found = mine(request, document_id).chunks.filter(ordinal__gt=wanted.after)
    chunks = list(found.select_related("document")[: wanted.limit + 1])
    shown = chunks[: wanted.limit]
    return Passages(
        passages=[passage(request, chunk) for chunk in shown],
        next=shown[-1].ordinal if len(chunks) > len(shown) else None,
    )


@router.get("/passages/{int:passage_id}", auth=READ, response=Passage)
def get_passage(request: ApiRequest, passage_id: int) -> Passage:
    """One passage, as it is cited."""
    chunks = Chunk.objects.owned_by(request.user).select_related("document")
    found = chunks.filter(pk=passage_id).first()
    if found is None:
        raise Http404
    return passage(request, found)
