"""What the rail shows of the chat on every page."""

from typing import Any

from django.http import HttpRequest

from apps.chat.models import Conversation

RECENT = 6


def context(request: HttpRequest) -> dict[str, Any]:
    """The newest conversations, fetched only where the rail is drawn."""
    user = getattr(request, "user", None)
    if user is None or not user.is_authenticated:
        return {}
    return {"shell_conversations": Conversation.objects.owned_by(user)[:RECENT]}
