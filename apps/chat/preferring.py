"""What a workspace's conversations begin with: the reader's own instructions, and a model."""

from apps.chat.models import Conversation, Preferences
from apps.library.models import Workspace

LONGEST = 2000  # characters of instructions


def of(workspace: Workspace) -> Preferences:
    """The workspace's preferences, empty where none were kept."""
    kept = Preferences.objects.filter(workspace=workspace).first()
    return kept or Preferences(workspace=workspace)


def instructions(workspace: Workspace) -> str:
    return of(workspace).instructions


def keep_instructions(workspace: Workspace, text: str) -> None:
    """Send them along with every question of the workspace from now on; "" ends that."""
    Preferences.objects.update_or_create(workspace=workspace, defaults={"instructions": text})


def choose_model(workspace: Workspace, conversation: Conversation | None, name: str) -> None:
    """Let a model answer in the conversation, and in all that are begun here from now on.

    Without a name it is the vault's choice.
    """
    if conversation:
        Conversation.objects.filter(pk=conversation.pk).update(model=name)
    Preferences.objects.update_or_create(workspace=workspace, defaults={"model": name})
