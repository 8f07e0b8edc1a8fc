"""What a conversation's page is made of: its turns, and the form for the next question."""

from collections.abc import Collection
from typing import Any
from urllib.parse import urlsplit

from django.conf import settings
from django.db.models import Prefetch, prefetch_related_objects
from django.db.models.functions import Lower

from apps.chat import attachments, preferring, warming
from apps.chat.forms import QuestionForm
from apps.chat.models import Attachment, Conversation, Turn
from apps.chat.showing import Shown
from apps.library.models import Workspace
from apps.llm import catalogue, speech
from apps.llm.client import ModelError
from apps.web import rail

OFFERED = 200  # documents to choose from; with more, categories are the way


def _files() -> "Prefetch[str]":
    """Attached files without their text, which may be long."""
    return Prefetch("attachments", Attachment.objects.defer("parts"))


def turns(found: Conversation, only: int = 0) -> list[Turn]:
    """The turns that stand, or one of them, with all that is shown of them.

    Scopes and files are looked up where there are any, which is seldom.
    """
    standing = found.turns.standing().prefetch_related("answers")
    shown = list(standing.filter(pk=only) if only else standing)
    scoped = [turn for turn in shown if turn.scoped]
    prefetch_related_objects(scoped, "scope_categories", "scope_documents")
    prefetch_related_objects([turn for turn in shown if turn.with_files], _files())
    return shown


def composer(
    workspace: Workspace,
    found: Conversation | None = None,
    running: Shown | None = None,
    form: QuestionForm | None = None,
    after: Turn | None = None,
) -> dict[str, Any]:
    """The context of the form; with `form`, one that was refused and keeps its words.

    What the turn before was asked of, the next one is, until the reader chooses otherwise.
    """
    wanted = found.model if found else preferring.of(workspace).model
    try:
        model: catalogue.Model | None = catalogue.chat_model(wanted)
    except ModelError:
        model = None
    if running is None:
        warming.warm_up(workspace, model)
    form = form or QuestionForm(workspace)
    searchable = workspace.documents.searchable().order_by(Lower("name"), "pk")[:OFFERED]
    scopes = {
        "categories": workspace.categories.order_by(Lower("name"), "pk").values("id", "name"),
        "documents": searchable.values("id", "name"),
    }
    return {
        "conversation": found,
        "workspace": workspace,
        "form": form,
        "running": running,
        **rail.together(scopes),
        "model": model,
        "wanted": wanted,
        "attached": _attached(form),
        "chosen": _chosen(form, after),
        "deaf": speech.missing(),
        "search_host": urlsplit(settings.WEB_SEARCH).hostname,
        "most_files": attachments.MOST,
        "largest_file": attachments.LARGEST,
    }


def _chosen(form: QuestionForm, after: Turn | None) -> dict[str, Collection[str]]:
    """The ids of the documents and categories that are ticked, as a form sends them."""
    if form.is_bound:
        names = ("categories", "documents")
        return {name: form.data.getlist(name) for name in names}  # type: ignore[attr-defined]
    if after is None or not after.scoped:
        return {}
    return {
        "categories": {str(each.pk) for each in after.scope_categories.all()},
        "documents": {str(each.pk) for each in after.scope_documents.all()},
    }


def _attached(form: QuestionForm) -> list[Attachment]:
    """The files of a form that was refused, those it brought itself too."""
    return list(form.cleaned_data.get("attachments") or ()) if form.is_bound else []
