"""The chat room's entry in Django's list."""

from django.apps import AppConfig


class ChatConfig(AppConfig):
    name = "apps.chat"
    label = "chat"

    def ready(self) -> None:
        from apps.chat.forgetting import forget
        from apps.chat.shell import conversations
        from apps.library.discarding import FORGETTERS
        from apps.web import rail

        FORGETTERS.append(forget)
        rail.PARTS["conversations"] = conversations
