"""Ask: a question becomes a cited answer."""

import threading
import time
from typing import Annotated, Literal

from django.conf import settings
from django.http import HttpRequest
from django.urls import reverse
from ninja import Router, Schema
from pydantic import Field

from apps.chat import preferring
from apps.chat.answer import Question, answer_to
from apps.chat.halting import Halt
from apps.chat.steps import Account, Found
from apps.library import search, workspaces
from apps.vault.api.gate import READ, ApiRequest
from apps.vault.api.problems import Problem
from apps.vault.api.shapes import (
    ANYTHING,
    Asking,
    Locator,
    Message,
    Name,
    Named,
    WorkspaceName,
    named,
)

router = Router(tags=["Ask"])
WEB_CHARACTERS = 300  # of what a search engine is asked
PATIENCE = 120.0  # seconds to wait for another program's answer
places = threading.BoundedSemaphore(settings.ANSWERS_AT_ONCE)


class Asked(Asking):
    """A question, and where its answer is looked for."""

    message: Message
    mode: Annotated[
        Literal["vault", "web"],
        Field(
            description="vault: from your documents alone. web: a search engine is asked, too, and"
            " the pages it names are read; each request is in the ledger."
        ),
    ] = "vault"
    web_query: Annotated[
        str,
        Field(
            max_length=WEB_CHARACTERS,
            pattern=ANYTHING,
            description="All that the web is asked in that mode; the message, if left out.",
        ),
    ] = ""
    workspace: WorkspaceName = None
    model: Annotated[
        str, Field(max_length=200, pattern=r"^[\w.:/@-]*$", description="The best if left out.")
    ] = ""
    scope: Annotated[
        list[Name], Field(max_length=50, description="Names of categories or documents.")
    ] = []


class Source(Schema):
    """A passage the answer stands on, or the nearest there is where it is refused.

    One of the web has no `document_id`; its `url` is the page's.
    """

    number: int
    document: str
    document_id: int | None
    locator: Locator
    quote: str
    score: float
    cited: bool
    url: str | None


class Answer(Schema):
    answer: str
    sources: list[Source]
    mode: str
    workspace: Named
    refused: bool
    model: str
    seconds: float
    notice: str


@router.post("/query", auth=READ, response=Answer)
def query(request: ApiRequest, asked: Asked) -> Answer:
    """Answer a question from the documents, with the passages the answer stands on.

    `refused` is true where the documents do not hold the answer; `sources` then are the nearest
    passages. Nothing is kept of it.
    """
    began = time.perf_counter()
    workspace = workspaces.of_person(request.user, asked.workspace)
    scope = search.scope_named(workspace, asked.scope)
    account = Account()
    question = Question(
        asked.message.strip(),
        workspace,
        scope,
        model=asked.model,
        instructions=preferring.instructions(workspace),
        web_query=_web_query(asked),
    )
    if not places.acquire(timeout=PATIENCE):
        busy = "The model is busy with other questions. Try again in a minute."
        raise Problem(503, busy, {"Retry-After": "60"})
    try:
        for step in answer_to(question, Halt()):
            account = account.adding(step)
    finally:
        places.release()
    return Answer(
        answer=account.text,
        sources=[_source(request, source) for source in account.sources],
        mode=asked.mode,
        workspace=named(workspace),
        refused=account.refused,
        model=account.asked.model if account.asked else "",
        seconds=round(time.perf_counter() - began, 3),
        notice=account.searched.notice if account.searched else "",
    )


def _web_query(asked: Asked) -> str:
    """What leaves for the web; empty where nothing does."""
    if asked.mode != "web":
        return ""
    return asked.web_query.strip() or asked.message.strip()[:WEB_CHARACTERS]


def _source(request: HttpRequest, source: Found) -> Source:
    url = source.url or None
    if source.chunk:
        url = request.build_absolute_uri(reverse("library:passage", args=[source.chunk]))
    return Source(
        number=source.number,
        document=source.title,
        document_id=source.document,
        locator=Locator(kind=source.kind, label=source.label, number=source.place),
        quote=source.quote,
        score=source.score,
        cited=source.used,
        url=url,
    )
