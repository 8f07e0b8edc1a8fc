"""The kinds of act the ledger knows, and which of them are study."""

from django.db.models import TextChoices
from django.utils.translation import gettext_lazy as _


class Kind(TextChoices):
    CHAT_MESSAGE = "chat_message", _("Asked a question")
    QUIZ_STARTED = "quiz_started", _("Started a quiz")
    QUIZ_ANSWERED = "quiz_answered", _("Answered a quiz question")
    QUIZ_FINISHED = "quiz_finished", _("Finished a quiz")
    WORKSHOP_CREATED = "workshop_created", _("Made a workshop")
    WORKSHOP_COMPLETED = "workshop_completed", _("Completed a workshop")
    LESSON_OPENED = "lesson_opened", _("Opened a lesson")
    LESSON_COMPLETED = "lesson_completed", _("Completed a lesson")
    DECK_CREATED = "deck_created", _("Made a deck")
    DECK_MASTERED = "deck_mastered", _("Mastered a deck")
    CARD_FLIPPED = "card_flipped", _("Flipped a card")
    CARD_GRADED = "card_graded", _("Graded a card")
    MINDMAP_CREATED = "mindmap_created", _("Made a mindmap")
    MINDMAP_EXPORTED = "mindmap_exported", _("Exported a mindmap")
    DOCUMENT_ADDED = "document_added", _("Added a document")


# A document becomes ready when the worker is done with it, perhaps at night: that is no study.
NOT_STUDY = frozenset({Kind.DOCUMENT_ADDED})
