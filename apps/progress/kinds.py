"""The kinds of act the ledger knows, and which of them are study."""

from django.db.models import TextChoices


class Kind(TextChoices):
    CHAT_MESSAGE = "chat_message", "Asked a question"
    QUIZ_STARTED = "quiz_started", "Started a quiz"
    QUIZ_ANSWERED = "quiz_answered", "Answered a quiz question"
    QUIZ_FINISHED = "quiz_finished", "Finished a quiz"
    WORKSHOP_CREATED = "workshop_created", "Made a workshop"
    WORKSHOP_COMPLETED = "workshop_completed", "Completed a workshop"
    LESSON_OPENED = "lesson_opened", "Opened a lesson"
    LESSON_COMPLETED = "lesson_completed", "Completed a lesson"
    DECK_CREATED = "deck_created", "Made a deck"
    DECK_MASTERED = "deck_mastered", "Mastered a deck"
    CARD_FLIPPED = "card_flipped", "Flipped a card"
    CARD_GRADED = "card_graded", "Graded a card"
    MINDMAP_CREATED = "mindmap_created", "Made a mindmap"
    MINDMAP_EXPORTED = "mindmap_exported", "Exported a mindmap"
    DOCUMENT_ADDED = "document_added", "Added a document"


# A document becomes ready when the worker is done with it, perhaps at night: that is no study.
NOT_STUDY = frozenset({Kind.DOCUMENT_ADDED})
