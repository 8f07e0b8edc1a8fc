"""Get a thing of the chat that is the person's own, or nothing at all."""

from django.shortcuts import get_object_or_404

from apps.chat.models import Answer, Attachment, Conversation, Turn
from apps.web.htmx import HtmxRequest


def conversation(request: HtmxRequest, conversation_id: int) -> Conversation:
    """The person's conversation; 404 for anybody else's."""
    mine = Conversation.objects.owned_by(request.user).select_related("workspace", "owner")
    return get_object_or_404(mine, pk=conversation_id)


def turn(request: HtmxRequest, turn_id: int) -> Turn:
    """The person's turn; 404 for anybody else's."""
    mine = Turn.objects.owned_by(request.user).select_related("conversation__workspace")
    return get_object_or_404(mine, pk=turn_id)


def answer(request: HtmxRequest, answer_id: int) -> Answer:
    """The person's answer; 404 for anybody else's."""
    mine = Answer.objects.owned_by(request.user).select_related("turn__conversation")
    return get_object_or_404(mine, pk=answer_id)


def attachment(request: HtmxRequest, attachment_id: int) -> Attachment:
    """The person's attached file; 404 for anybody else's."""
    mine = Attachment.objects.owned_by(request.user).select_related("conversation__workspace")
    return get_object_or_404(mine, pk=attachment_id)
