"""Search: the passages of a workspace that bear on a question."""

from typing import Annotated

from django.http import HttpRequest
from ninja import Query, Router, Schema
from pydantic import Field

from apps.library import asking, search, workspaces
from apps.library.narrowing import places
from apps.library.search import Findings, Hit
from apps.vault.api.gate import READ, ApiRequest
from apps.vault.api.problems import Problem
from apps.vault.api.shapes import (
    Asking,
    Message,
    Name,
    Named,
    Passage,
    WorkspaceName,
    named,
    passage,
)

router = Router(tags=["Search"])


class Lookup(Asking):
    """What to look for, and where."""

    q: Annotated[
        Message,
        Field(
            description="Words or a question; operators as on the page: “exact words”, -word, in:,"
            " category:, type:, lang:, after: and before: (when a document was last changed),"
            " workspace:."
        ),
    ]
    workspace: WorkspaceName = None
    scope: Annotated[
        list[Name], Field(max_length=50, description="Names of categories or documents.")
    ] = []
    limit: Annotated[int, Field(ge=1, le=50)] = 10


class Found(Passage):
    """A passage that was found, and why."""

    score: float
    place_by_words: int | None
    place_by_meaning: int | None
    similarity: float | None
    band: str
    words: list[str]


class Milliseconds(Schema):
    embed: float
    search: float


class Results(Schema):
    hits: list[Found]
    answerable: bool
    notice: str
    workspace: Named
    milliseconds: Milliseconds


@router.get("/search", auth=READ, response=Results)
def search_get(request: ApiRequest, wanted: Query[Lookup]) -> Results:
    """Find passages by words and by meaning, best first."""
    return _results(request, wanted)


@router.post("/search", auth=READ, response=Results)
def search_post(request: ApiRequest, wanted: Lookup) -> Results:
    """The same, asked in a body: for long questions and long scopes."""
    return _results(request, wanted)


def _results(request: ApiRequest, wanted: Lookup) -> Results:
    workspace = workspaces.of_person(request.user, wanted.workspace)
    scope = search.scope_named(workspace, wanted.scope)
    try:
        asked = asking.read(wanted.q)
    except LookupError as wrong:
        raise Problem(422, str(wrong)) from wrong
    findings = search.search_all(
        places(workspace, asked, scope),
        asked.text,
        limit=wanted.limit,
        phrases=asked.phrases,
        without=asked.without,
    )
    return Results(
        hits=[_found(request, hit) for hit in findings.hits],
        answerable=findings.answerable,
        notice=findings.notice,
        workspace=named(workspace),
        milliseconds=_took(findings),
    )


def _took(findings: Findings) -> Milliseconds:
    return Milliseconds(embed=findings.embed_ms, search=findings.search_ms)


def _found(request: HttpRequest, hit: Hit) -> Found:
    return Found(
        **passage(request, hit.chunk).dict() | {"text": hit.text},
        score=hit.score,
        place_by_words=hit.place_by_words,
        place_by_meaning=hit.place_by_meaning,
        similarity=hit.similarity,
        band=hit.band,
        words=list(hit.words),
    )
