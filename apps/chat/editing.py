"""Ask a question again in other words, and go back; choose among the answers to one question.

An edited question takes the place of the old one and of all that came after it. These are kept
until the next question is asked, so that one step back is always possible.
"""

from collections.abc import Collection

from django.db import transaction
from django.utils.translation import gettext as _

from apps.chat import conversations, writing
from apps.chat.models import Answer, Conversation, Turn


class Changed(Exception):
    """The conversation is not any more what the person saw; str() says what has happened."""


@transaction.atomic
def edit(turn: Turn, question: str, *, last: int, web_query: str = "") -> Answer:
    """Ask the question in its new words, with the same scope, files and mode.

    `last` is the newest turn the person knew of. Raises Changed where another window was quicker.
    """
    conversation = _held(turn)
    standing = list(conversation.turns.standing().filter(pk__gte=turn.pk))
    if not standing or standing[0].pk != turn.pk:
        raise Changed(_("This question was changed in another window."))
    if standing[-1].pk != last:
        raise Changed(_("Another question was asked in another window meanwhile."))
    fresh = conversation.turns.create(
        question=question,
        scoped=turn.scoped,
        mode=turn.mode,
        think=turn.think,
        web_query=web_query,
    )
    fresh.scope_categories.set(turn.scope_categories.all())
    fresh.scope_documents.set(turn.scope_documents.all())
    fresh.attachments.set(turn.attachments.all())
    _stop(standing)
    Turn.objects.filter(pk__in=[each.pk for each in standing]).update(replaced_by=fresh)
    if conversation.title == conversations.title_of(turn.question):
        conversation.title = conversations.title_of(question)
    return conversations.begin_answer(conversation, fresh)


@transaction.atomic
def undo(turn: Turn) -> Turn:
    """Let the question that an edited one replaced stand again, and return it.

    Raises Changed where that is gone.
    """
    conversation = _held(turn)
    standing = list(conversation.turns.standing().filter(pk__gte=turn.pk))
    if [each.pk for each in standing] != [turn.pk]:
        raise Changed(_("More was asked since then: this edit can not be undone any more."))
    before = turn.replaced.first()
    if before is None:
        raise Changed(_("There is nothing left to go back to."))
    _stop(standing)
    list(Answer.objects.filter(turn=turn).select_for_update(of=("self",)))
    if conversation.title == conversations.title_of(turn.question):
        conversation.title = conversations.title_of(before.question)
    turn.delete()
    conversation.save(update_fields=["title", "touched_at"])
    return before


@transaction.atomic
def choose(answer: Answer) -> None:
    """Let this version count: it is the one shown, and the one later questions refer to."""
    answers = Answer.objects.filter(turn=answer.turn_id)
    answers.update(chosen=False)
    answers.filter(pk=answer.pk).update(chosen=True)


def _held(turn: Turn) -> Conversation:
    """The conversation, kept from every other window until the transaction is through."""
    locked = Conversation.objects.select_for_update(no_key=True)
    return locked.get(pk=turn.conversation_id)


def _stop(turns: Collection[Turn]) -> None:
    for answer in Answer.objects.being_written().filter(turn__in=turns):
        writing.stop(answer)
