"""What the rail shows of the chat on every page."""

from typing import Any

from django.utils.functional import SimpleLazyObject

from apps.chat.models import Conversation
from apps.library import workspaces
from apps.web.htmx import HtmxRequest

RECENT = 6


def context(request: HtmxRequest) -> dict[str, Any]:
    """The open workspace's newest conversations, fetched only where the rail is drawn."""
    user = getattr(request, "user", None)
    if user is None or not user.is_authenticated:
        return {}
    mine = Conversation.objects.owned_by(user)
    return {
        "shell_conversations": SimpleLazyObject(
            lambda: list(mine.filter(workspace=workspaces.current(request))[:RECENT])
        )
    }
