"""What a conversation's page is made of: its turns, and the form for the next question."""

from typing import Any

from apps.chat.forms import QuestionForm
from apps.chat.models import Conversation, Turn
from apps.chat.showing import Shown
from apps.library.models import Workspace
from apps.llm import catalogue
from apps.llm.client import ModelError

OFFERED = 200  # documents to choose from; with more, categories are the way


def turns(found: Conversation, only: int = 0) -> list[Turn]:
    """The turns that stand, or one of them, with all that is shown of them."""
    standing = found.turns.standing().prefetch_related(
        "answers", "scope_categories", "scope_documents"
    )
    return list(standing.filter(pk=only) if only else standing)


def composer(
    workspace: Workspace,
    found: Conversation | None = None,
    running: Shown | None = None,
    form: QuestionForm | None = None,
) -> dict[str, Any]:
    """The context of the form; with `form`, one that was refused and keeps its words."""
    try:
        model = catalogue.chat_model(found.model if found else "")
    except ModelError:
        model = None
    return {
        "conversation": found,
        "workspace": workspace,
        "form": form or QuestionForm(workspace),
        "running": running,
        "categories": list(workspace.categories.all()),
        "documents": list(workspace.documents.searchable().order_by("name")[:OFFERED]),
        "model": model,
    }
