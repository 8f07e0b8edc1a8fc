"""What the rail shows of the chat on every page."""

from typing import Any

from django.utils.functional import SimpleLazyObject

from apps.chat.models import Conversation
from apps.library import workspaces
from apps.web import rail
from apps.web.htmx import HtmxRequest

RECENT = 6


def context(request: HtmxRequest) -> dict[str, Any]:
    """The open workspace's newest conversations, fetched where the rail is drawn."""
    user = getattr(request, "user", None)
    if user is None or not user.is_authenticated:
        return {}
    return {
        "shell_conversations": SimpleLazyObject(
            lambda: [Conversation(**row) for row in rail.rows(request, "conversations")]
        )
    }


def conversations(request: HtmxRequest) -> rail.Asked:
    """What the rail needs of them; for the question that all rooms share."""
    mine = Conversation.objects.owned_by(request.user)
    newest = mine.filter(workspace=workspaces.current(request))[:RECENT]
    return newest.values("id", "title", "pinned")
