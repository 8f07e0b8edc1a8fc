"""The 25 badges: what each asks for, and how far a person has come.

A badge is a measure and a target. Measures only ever grow, for they count the ledger, so a badge
once earned stays earned.
"""

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Badge:
    code: str
    name: str
    group: str  # chat, quiz, workshop, flashcards, mindmaps
    how: str  # what earns it, in words
    measure: str  # a key of Tally.measures()
    target: int
    unit: str  # of measure and target: seconds, % or a plural noun
    icon: str  # of the sprite

    def progress(self, measures: Mapping[str, float]) -> float:
        """How far along, 0 to 1."""
        return min(1.0, measures.get(self.measure, 0) / self.target)


def _badge(
    code: str, group: str, measure: str, target: int, unit: str, icon: str, how: str
) -> Badge:
    names = {
        "streak_3": "3-Day Streak",
        "streak_7": "7-Day Streak",
        "hour_of_power": "Hour of Power",
    }
    name = names.get(code, code.replace("_", " ").title())
    return Badge(code, name, group, how, measure, target, unit, icon)


BADGES = (
    _badge(
        "first_question",
        "chat",
        "messages",
        1,
        "questions",
        "message-circle-question-mark",
        "Ask a first question.",
    ),
    _badge(
        "conversationalist",
        "chat",
        "messages_a_day",
        10,
        "questions",
        "messages-square",
        "Ask ten questions in one day.",
    ),
    _badge(
        "hour_of_power",
        "chat",
        "seconds",
        3600,
        "seconds",
        "hourglass",
        "Study for an hour in all.",
    ),
    _badge("streak_3", "chat", "streak", 3, "days", "flame", "Study three days in a row."),
    _badge("streak_7", "chat", "streak", 7, "days", "flame-kindling", "Study seven days in a row."),
    _badge("centurion", "chat", "messages", 100, "questions", "trophy", "Ask a hundred questions."),
    _badge("night_owl", "chat", "night", 1, "times", "moon-star", "Study between 10 pm and 4 am."),
    _badge("early_bird", "chat", "morning", 1, "times", "sunrise", "Study between 5 and 8 am."),
    _badge(
        "curious_mind",
        "chat",
        "scoped",
        1,
        "questions",
        "scan-search",
        "Ask a question about chosen documents only.",
    ),
    _badge(
        "deep_diver",
        "chat",
        "longest_session",
        1800,
        "seconds",
        "waves",
        "Study for half an hour without a break.",
    ),
    _badge("first_quiz", "quiz", "quizzes", 1, "quizzes", "lightbulb", "Finish a quiz."),
    _badge(
        "perfect_score",
        "quiz",
        "best_score",
        100,
        "%",
        "badge-check",
        "Answer every question of a quiz right.",
    ),
    _badge(
        "advanced_scholar",
        "quiz",
        "best_advanced",
        80,
        "%",
        "graduation-cap",
        "Score 80 % in an advanced quiz.",
    ),
    _badge("quiz_marathon", "quiz", "quizzes", 10, "quizzes", "medal", "Finish ten quizzes."),
    _badge(
        "workshop_outline", "workshop", "workshops", 1, "workshops", "list-tree", "Make a workshop."
    ),
    _badge(
        "lesson_learned",
        "workshop",
        "lessons",
        1,
        "lessons",
        "book-open-check",
        "Complete a lesson.",
    ),
    _badge(
        "workshop_graduate",
        "workshop",
        "workshops_completed",
        1,
        "workshops",
        "scroll-text",
        "Complete a workshop.",
    ),
    _badge(
        "workshop_marathon",
        "workshop",
        "workshops_completed",
        5,
        "workshops",
        "library-big",
        "Complete five workshops.",
    ),
    _badge(
        "first_deck", "flashcards", "decks", 1, "decks", "wallet-cards", "Make a deck of cards."
    ),
    _badge("card_reviewer", "flashcards", "flips", 50, "flips", "repeat-2", "Flip fifty cards."),
    _badge(
        "deck_master",
        "flashcards",
        "decks_mastered",
        1,
        "decks",
        "crown",
        "Master every card of a deck.",
    ),
    _badge("deck_collector", "flashcards", "decks", 5, "decks", "layers", "Make five decks."),
    _badge("mind_mapper", "mindmaps", "mindmaps", 1, "mindmaps", "network", "Make a mindmap."),
    _badge("cartographer", "mindmaps", "map_exports", 1, "exports", "map", "Export a mindmap."),
    _badge(
        "concept_network", "mindmaps", "mindmaps", 5, "mindmaps", "waypoints", "Make five mindmaps."
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
