"""Begin conversations and add questions to them."""

from collections.abc import Collection

from django.db import transaction

from apps.chat import preferring, writing
from apps.chat.attachments import unlink_later
from apps.chat.models import Answer, Attachment, Conversation, Turn
from apps.library.models import Category, Document, Workspace
from apps.progress import ledger

TITLE = 80  # characters


def begin(workspace: Workspace) -> Conversation:
    """A new conversation of the workspace's owner; its first question gives it a title."""
    model = preferring.of(workspace).model
    return Conversation.objects.create(owner=workspace.owner, workspace=workspace, model=model)


@transaction.atomic
def ask(
    conversation: Conversation,
    question: str,
    categories: Collection[Category] = (),
    documents: Collection[Document] = (),
    attachments: Collection[Attachment] = (),
    mode: str = Turn.Mode.VAULT,
    web_query: str = "",
    think: bool | None = None,
) -> Answer:
    """Add the question and have its answer begun once the transaction is through."""
    conversation.turns.exclude(replaced_by=None).delete()  # an edit before this one is final now
    scoped = bool(categories or documents)
    turn = conversation.turns.create(
        question=question, scoped=scoped, mode=mode, web_query=web_query, think=think
    )
    turn.scope_categories.set(categories)
    turn.scope_documents.set(documents)
    turn.attachments.set(attachments)
    turn.attachments.update(conversation=conversation)
    if not conversation.title:
        conversation.title = title_of(question)
    return begin_answer(conversation, turn)


def begin_answer(conversation: Conversation, turn: Turn) -> Answer:
    """Have the first answer to a new turn begun; it counts as an act of learning."""
    conversation.save(update_fields=["title", "touched_at"])
    ledger.record(conversation.owner, "chat_message", key=f"turn:{turn.pk}", scoped=turn.scoped)
    return writing.begin(turn)


def title_of(question: str) -> str:
    """The question's first line, cut between two words; within one that is longer than a title."""
    line = " ".join(question.strip().split("\n")[0].split())
    if len(line) <= TITLE:
        return line
    cut = line[: TITLE - 2]
    between = cut.rpartition(" ")[0].rstrip(",;:–- ")
    return f"{between} …" if between else f"{cut}…"


@transaction.atomic
def discard(conversation: Conversation) -> None:
    """Delete it with all its turns; whoever writes one of its answers finds the row gone."""
    answers = Answer.objects.filter(turn__conversation=conversation)
    list(answers.select_for_update(of=("self",)))  # no step comes in while the rows go
    unlink_later(conversation.attachments.all())
    conversation.delete()
