"""Documents come in by the API, within the same limits as by the page."""

from typing import Annotated, Any, BinaryIO, cast

from django.conf import settings
from django.core.files.uploadedfile import UploadedFile as DjangoFile
from ninja import File, Form, Schema, Status
from ninja.files import UploadedFile
from pydantic import Field

from apps.library import dating, ingestion, workspaces
from apps.library.models import Category, Workspace
from apps.vault.api.documents import router  # one address, one router: it lists them, too
from apps.vault.api.gate import UPLOAD, ApiRequest
from apps.vault.api.problems import Problem
from apps.vault.api.shapes import NAME, Named, Paper, WorkspaceName, paper

_TIME = "[0-9]{2}:[0-9]{2}:[0-9]{2}([.][0-9]{1,6})?(Z|[+-][0-9]{2}:[0-9]{2})?"
MOMENT = f"^[0-9]{{4}}-[0-9]{{2}}-[0-9]{{2}}(T{_TIME})?$"


class Where(Schema):
    """Where a file goes."""

    workspace: WorkspaceName = None
    category: Annotated[
        str,
        Field(
            max_length=80,
            pattern=f"{NAME}|^$",
            description="Made where there is none of this name; none where it is empty.",
        ),
    ] = ""
    changed_at: Annotated[
        str,
        Field(
            pattern=f"{MOMENT}|^$",
            description="When the file itself was last changed, as 2024-03-15T09:30:00Z: no file"
            " sent says so by itself. One in the future, or before 1980, is not kept.",
        ),
    ] = ""


class Taken(Schema):
    """What became of a file: `queued` to be read, or `unchanged` where it was known already."""

    status: str
    document: Paper
    twin: Annotated[Named | None, Field(description="Another document with the same content.")]


@router.post("/documents", auth=UPLOAD, response={(200, 202): Taken})
def upload_document(
    request: ApiRequest, file: File[UploadedFile], where: Form[Where]
) -> Status[Taken]:
    """Take in a file. The same name in the same category is the same document, changed or not."""
    workspace = workspaces.of_person(request.user, where.workspace)
    if not file.size:
        raise Problem(422, "This file is empty, so there is nothing to read.")
    category = _category(workspace, where.category)
    try:
        accepted = ingestion.accept(
            workspace,
            cast(BinaryIO, cast("DjangoFile[Any]", file).file),
            file.name or "document",
            category=category,
            changed=dating.written(where.changed_at),
        )
    except ingestion.NotAccepted as refused:
        large = file.size > settings.UPLOAD_LIMIT_MB << 20
        raise Problem(413 if large else 507, str(refused)) from refused
    twin = accepted.twin
    taken = Taken(
        status=accepted.status,
        document=paper(request, accepted.document),
        twin=Named(id=twin.pk, name=twin.name) if twin else None,
    )
    return Status(200 if accepted.status == "unchanged" else 202, taken)


def _category(workspace: Workspace, name: str) -> Category | None:
    return workspace.categories.get_or_create(name=name)[0] if name else None
