"""The 25 badges: what each asks for, and how far a person has come.

A badge is a measure and a target. Measures only ever grow, for they count the ledger, so a badge
once earned stays earned.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from django.utils.translation import gettext_noop as noop


@dataclass(frozen=True, slots=True)
class Badge:
    code: str
    name: str  # this, `how` and `unit` in English: whoever shows them translates
    group: str  # chat, quiz, workshop, flashcards, mindmaps
    how: str  # what earns it, in words
    measure: str  # a key of Tally.measures()
    target: int
    unit: str  # of measure and target: seconds, % or a plural noun
    icon: str  # of the sprite

    def progress(self, measures: Mapping[str, float]) -> float:
        """How far along, 0 to 1."""
        return min(1.0, measures.get(self.measure, 0) / self.target)


BADGES = (
    Badge(
        "first_question",
        noop("First Question"),
        "chat",
        noop("Ask a first question."),
        "messages",
        1,
        noop("questions"),
        "message-circle-question-mark",
    ),
    Badge(
        "conversationalist",
        noop("Conversationalist"),
        "chat",
        noop("Ask ten questions in one day."),
        "messages_a_day",
        10,
        noop("questions"),
        "messages-square",
    ),
    Badge(
        "hour_of_power",
        noop("Hour of Power"),
        "chat",
        noop("Study for an hour in all."),
        "seconds",
        3600,
        "seconds",
        "hourglass",
    ),
    Badge(
        "streak_3",
        noop("3-Day Streak"),
        "chat",
        noop("Study three days in a row."),
        "streak",
        3,
        noop("days"),
        "flame",
    ),
    Badge(
        "streak_7",
        noop("7-Day Streak"),
        "chat",
        noop("Study seven days in a row."),
        "streak",
        7,
        noop("days"),
        "flame-kindling",
    ),
    Badge(
        "centurion",
        noop("Centurion"),
        "chat",
        noop("Ask a hundred questions."),
        "messages",
        100,
        noop("questions"),
        "trophy",
    ),
    Badge(
        "night_owl",
        noop("Night Owl"),
        "chat",
        noop("Study between 10 pm and 4 am."),
        "night",
        1,
        noop("times"),
        "moon-star",
    ),
    Badge(
        "early_bird",
        noop("Early Bird"),
        "chat",
        noop("Study between 5 and 8 am."),
        "morning",
        1,
        noop("times"),
        "sunrise",
    ),
    Badge(
        "curious_mind",
        noop("Curious Mind"),
        "chat",
        noop("Ask a question about chosen documents only."),
        "scoped",
        1,
        noop("questions"),
        "scan-search",
    ),
    Badge(
        "deep_diver",
        noop("Deep Diver"),
        "chat",
        noop("Study for half an hour without a break."),
        "longest_session",
        1800,
        "seconds",
        "waves",
    ),
    Badge(
        "first_quiz",
        noop("First Quiz"),
        "quiz",
        noop("Finish a quiz."),
        "quizzes",
        1,
        noop("quizzes"),
        "lightbulb",
    ),
    Badge(
        "perfect_score",
        noop("Perfect Score"),
        "quiz",
        noop("Answer every question of a quiz right."),
        "best_score",
        100,
        "%",
        "badge-check",
    ),
    Badge(
        "advanced_scholar",
        noop("Advanced Scholar"),
        "quiz",
        noop("Score 80 % in an advanced quiz."),
        "best_advanced",
        80,
        "%",
        "graduation-cap",
    ),
    Badge(
        "quiz_marathon",
        noop("Quiz Marathon"),
        "quiz",
        noop("Finish ten quizzes."),
        "quizzes",
        10,
        noop("quizzes"),
        "medal",
    ),
    Badge(
        "workshop_outline",
        noop("Workshop Outline"),
        "workshop",
        noop("Make a workshop."),
        "workshops",
        1,
        noop("workshops"),
        "list-tree",
    ),
    Badge(
        "lesson_learned",
        noop("Lesson Learned"),
        "workshop",
        noop("Complete a lesson."),
        "lessons",
        1,
        noop("lessons"),
        "book-open-check",
    ),
    Badge(
        "workshop_graduate",
        noop("Workshop Graduate"),
        "workshop",
        noop("Complete a workshop."),
        "workshops_completed",
        1,
        noop("workshops"),
        "scroll-text",
    ),
    Badge(
        "workshop_marathon",
        noop("Workshop Marathon"),
        "workshop",
        noop("Complete five workshops."),
        "workshops_completed",
        5,
        noop("workshops"),
        "library-big",
    ),
    Badge(
        "first_deck",
        noop("First Deck"),
        "flashcards",
        noop("Make a deck of cards."),
        "decks",
        1,
        noop("decks"),
        "wallet-cards",
    ),
    Badge(
        "card_reviewer",
        noop("Card Reviewer"),
        "flashcards",
        noop("Flip fifty cards."),
        "flips",
        50,
        noop("flips"),
        "repeat-2",
    ),
    Badge(
        "deck_master",
        noop("Deck Master"),
        "flashcards",
        noop("Master every card of a deck."),
        "decks_mastered",
        1,
        noop("decks"),
        "crown",
    ),
    Badge(
        "deck_collector",
        noop("Deck Collector"),
        "flashcards",
        noop("Make five decks."),
        "decks",
        5,
        noop("decks"),
        "layers",
    ),
    Badge(
        "mind_mapper",
        noop("Mind Mapper"),
        "mindmaps",
        noop("Make a mindmap."),
        "mindmaps",
        1,
        noop("mindmaps"),
        "network",
    ),
    Badge(
        "cartographer",
        noop("Cartographer"),
        "mindmaps",
        noop("Export a mindmap."),
        "map_exports",
        1,
        noop("exports"),
        "map",
    ),
    Badge(
        "concept_network",
        noop("Concept Network"),
        "mindmaps",
        noop("Make five mindmaps."),
        "mindmaps",
        5,
        noop("mindmaps"),
        "waypoints",
    ),
)
BY_CODE = {badge.code: badge for badge in BADGES}
NO_BAR = frozenset({"night_owl", "early_bird"})  # there is nothing between not yet and done


def reached(measures: Mapping[str, float]) -> list[str]:
    """The codes of all badges these measures earn."""
    return [badge.code for badge in BADGES if measures.get(badge.measure, 0) >= badge.target]


def next_in_ladder(badge: Badge) -> Badge | None:
    """The badge that asks for more of the same, if there is one."""
    more = (b for b in BADGES if b.measure == badge.measure and b.target > badge.target)
    return min(more, key=lambda b: b.target, default=None)


def almost_there(measures: Mapping[str, float], earned: set[str], limit: int = 3) -> list[Badge]:
    """Up to `limit` badges that are begun and not earned, the closest first."""
    begun = [
        badge
        for badge in BADGES
        if badge.code not in earned | NO_BAR and 0 < badge.progress(measures) < 1
    ]
    return sorted(begun, key=lambda b: -b.progress(measures))[:limit]
