"""Documents: the list, one of them, and what can be done to it."""

from typing import Annotated, Literal, cast

from django.http import FileResponse, Http404, HttpResponse
from django.shortcuts import get_object_or_404
from ninja import Query, Router, Schema, Status
from pydantic import Field

from apps.library import ingestion, listing, workspaces
from apps.library.models import Category, Document
from apps.library.views.documents import again, document_download
from apps.vault.api.gate import ACT, READ, WRITE, ApiRequest
from apps.vault.api.problems import Problem
from apps.vault.api.shapes import ANYTHING, Asking, LongName, Paper, Words, WorkspaceName, paper
from apps.web.htmx import HtmxRequest

router = Router(tags=["Documents"])
BYTES = {"x-media": "application/octet-stream"}
Sort = Literal[
    "name",
    "-name",
    "added",
    "-added",
    "pages",
    "-pages",
    "passages",
    "-passages",
    "size",
    "-size",
]


class Listed(Schema):
    """Which documents, in what order, from where on."""

    workspace: WorkspaceName = None
    q: Annotated[Words, Field(description="Part of the name or title.")] = ""
    type: Annotated[str, Field(max_length=20, pattern=ANYTHING, description="As pdf.")] = ""
    status: Literal["", "ready", "working", "trouble"] = ""
    category: Annotated[
        str, Field(pattern="^([0-9]{1,17}|none)?$", description="An id, or none.")
    ] = ""
    sort: Sort = "-added"
    after: Annotated[
        str,
        Field(
            max_length=400,
            pattern=r"^([0-9]{1,17}~[^\x00]*)?$",
            description="What `next` of the page before said.",
        ),
    ] = ""


class Papers(Schema):
    documents: list[Paper]
    next: str | None


class Change(Asking):
    """What is to be different; what is left out stays."""

    name: LongName | None = None
    category: Annotated[
        int | None, Field(description="The id of a category of the same workspace; null: none.")
    ] = None


@router.get("/documents", auth=READ, response=Papers)
def list_documents(request: ApiRequest, wanted: Query[Listed]) -> Papers:
    """The documents of a workspace, 50 at a time."""
    workspace = workspaces.of_person(request.user, wanted.workspace)
    narrow = listing.Wanted.from_query(wanted.dict(exclude={"workspace", "after"}))
    page = listing.page(workspace, narrow, wanted.after)
    documents = [row.document for row in page.rows]
    return Papers(
        documents=[paper(request, document) for document in documents],
        next=listing.cursor(documents[-1], narrow.sort) if page.after else None,
    )


@router.get("/documents/{int:document_id}", auth=READ, response=Paper)
def get_document(request: ApiRequest, document_id: int) -> Paper:
    """One document."""
    return paper(request, mine(request, document_id))


@router.patch("/documents/{int:document_id}", auth=WRITE, response=Paper)
def change_document(request: ApiRequest, document_id: int, change: Change) -> Paper:
    """Rename a document, or move it to another category; nothing is read again for that."""
    document = mine(request, document_id)
    if "name" in change.model_fields_set and change.name:
        document.name = change.name
    if "category" in change.model_fields_set:
        document.category = _category(document, change.category)
    document.save(update_fields=["name", "category"])
    return paper(request, document)


@router.delete("/documents/{int:document_id}", auth=ACT, response={204: None})
def delete_document(request: ApiRequest, document_id: int) -> HttpResponse:
    """Delete a document and everything read from it, for ever."""
    ingestion.discard(mine(request, document_id))
    return HttpResponse(status=204)


@router.post("/documents/{int:document_id}/retry", auth=ACT, response={202: Paper})
def retry_document(request: ApiRequest, document_id: int) -> Status[Paper]:
    """Read a document again: from where it stopped, or anew where it was read."""
    document = mine(request, document_id)
    again(document)
    document.refresh_from_db()
    return Status(202, paper(request, document))


@router.post("/documents/{int:document_id}/cancel", auth=ACT, response={202: Paper})
def cancel_document(request: ApiRequest, document_id: int) -> Status[Paper]:
    """Stop reading a document; what is stored stays, and `retry` goes on from it."""
    document = mine(request, document_id)
    ingestion.cancel(document)
    document.refresh_from_db()
    return Status(202, paper(request, document))


@router.get(
    "/documents/{int:document_id}/file", auth=READ, response={200: bytes}, openapi_extra=BYTES
)
def download_document(request: ApiRequest, document_id: int) -> FileResponse:
    """The file as it was given."""
    mine(request, document_id)
    try:
        return document_download(cast(HtmxRequest, request), document_id)
    except Http404 as gone:
        raise Problem(404, str(gone) or "The stored file is gone. Upload it again.") from gone


def mine(request: ApiRequest, document_id: int) -> Document:
    """This person's document of that id; raises Http404."""
    documents = Document.objects.owned_by(request.user).select_related("workspace", "category")
    return get_object_or_404(documents, pk=document_id)


def _category(document: Document, category_id: int | None) -> Category | None:
    if category_id is None:
        return None
    found = document.workspace.categories.filter(pk=category_id).first()
    if found is None:
        raise Problem(404, f"{document.workspace} has no category with the id {category_id}.")
    return found
