"""The shapes that several operations share."""

from datetime import datetime
from typing import Annotated

from django.http import HttpRequest
from ninja import Schema
from pydantic import ConfigDict, Field

from apps.library.models import Chunk, Document, Workspace

# No control characters and no space at the ends; at least one character that can be seen.
NAME = r"^[^\s\x00-\x1f\x7f]([^\x00-\x1f\x7f]*[^\s\x00-\x1f\x7f])?$"
ANYTHING = r"^[^\x00]*$"  # PostgreSQL keeps no NUL
SOMETHING = r"^[^\x00]*[^\s\x00][^\x00]*$"

Name = Annotated[str, Field(min_length=1, max_length=80, pattern=NAME)]
LongName = Annotated[str, Field(min_length=1, max_length=255, pattern=NAME)]
Words = Annotated[str, Field(max_length=300, pattern=ANYTHING)]
Message = Annotated[str, Field(min_length=1, max_length=5000, pattern=SOMETHING)]
WorkspaceName = Annotated[
    str | None,
    Field(
        max_length=80, pattern=ANYTHING, description="A workspace's name; the oldest if left out."
    ),
]


class Asking(Schema):
    """What is sent to the vault: a misspelled field is told, not passed over."""

    model_config = ConfigDict(extra="forbid")


class Named(Schema):
    id: int
    name: str


class Locator(Schema):
    """Where in a document: the label in words, the number from 1 (time: seconds from 0)."""

    kind: str
    label: str
    number: int


class Passage(Schema):
    id: int
    document: str
    document_id: int
    ordinal: int
    heading: str
    locator: Locator
    text: str
    url: str


class Paper(Schema):
    """A document: how far it has come, and what was read."""

    id: int
    name: str
    title: str
    workspace: Named
    category: Named | None
    format: str
    language: str
    size: int
    sha256: str
    revision: int
    state: str
    reason: str
    parts: int
    passages: int
    characters: int
    created_at: datetime
    changed_at: Annotated[
        datetime | None,
        Field(description="When the file itself was last changed, if that is known."),
    ]
    ready_at: datetime | None
    url: str


def locator_of(chunk: Chunk) -> Locator:
    return Locator(kind=chunk.kind, label=chunk.label, number=chunk.number)


def passage(request: HttpRequest, chunk: Chunk) -> Passage:
    return Passage(
        id=chunk.pk,
        document=chunk.document.name,
        document_id=chunk.document_id,
        ordinal=chunk.ordinal,
        heading=chunk.heading,
        locator=locator_of(chunk),
        text=chunk.text,
        url=request.build_absolute_uri(chunk.get_absolute_url()),
    )


def named(workspace: Workspace) -> Named:
    return Named(id=workspace.pk, name=workspace.name)


def paper(request: HttpRequest, document: Document) -> Paper:
    category = document.category
    return Paper(
        id=document.pk,
        name=document.name,
        title=document.title,
        workspace=named(document.workspace),
        category=Named(id=category.pk, name=category.name) if category else None,
        format=document.format,
        language=document.language,
        size=document.size,
        sha256=document.sha256,
        revision=document.revision,
        state=document.state,
        reason=document.reason,
        parts=document.part_count,
        passages=document.chunk_count,
        characters=document.character_count,
        created_at=document.created_at,
        changed_at=document.changed_at,
        ready_at=document.ready_at,
        url=request.build_absolute_uri(document.get_absolute_url()),
    )
