"""The gate every item passes before a person sees it. Pure: text in, a reason or nothing out."""

import re
from collections.abc import Sequence

from apps.library.analysis import detect_language
from apps.library.analysis.folding import fold, normalise

WORD = re.compile(r"\w+", re.UNICODE)
CATCH_ALL = re.compile(
    r"\b(all|none|both|any) of (the|these|them)\b|\balle (der|oben|genannten)\b|"
    r"\bkeine? (der|von) (oben|genannten|diesen)\b|\bbeides\b",
    re.I,
)
SHORT = 4  # letters; shorter words carry little
LEAST_SUPPORT = 0.5  # share of the answer's words that must stand in the quote or passage
NEAR = 0.8  # share of common words from which two questions are one


def plain(text: str) -> str:
    """Text with case, accents, punctuation and white space out of the way."""
    return " ".join(fold(word) for word in WORD.findall(normalise(text)))


def words(text: str) -> set[str]:
    """The words that carry meaning, folded; all words of a text that has only short ones."""
    found = plain(text).split()
    return {word for word in found if len(word) >= SHORT or word.isdigit()} or set(found)


def in_passage(quote: str, passage: str) -> bool:
    """Whether the quote stands in the passage, whatever its case, punctuation and line breaks."""
    wanted = plain(quote)
    return bool(wanted) and wanted in plain(passage)


def best_quote(passage: str, *about: str) -> str:
    """The sentence of the passage that shares most words with what is told about it."""
    sentences = [s.strip() for s in re.split(r"(?<=[.!?])\s+|\n+", passage) if s.strip()]
    wanted = set().union(*(words(text) for text in about))
    return max(sentences, key=lambda s: (len(words(s) & wanted), -len(s)), default="")


def support(answer: str, passage: str) -> float:
    """The share of the answer's words that stand in the passage, 0 to 1."""
    wanted = words(answer)
    there = set(plain(passage).split())
    return len(wanted & there) / len(wanted) if wanted else 0.0


def gives_away(stem: str, answer: str) -> bool:
    """Whether the question already says the answer."""
    wanted = plain(answer)
    return len(wanted) >= SHORT and f" {wanted} " in f" {plain(stem)} "


def repeats(text: str, earlier: Sequence[str]) -> bool:
    """Whether an earlier text says nearly the same in nearly the same words."""
    mine = words(text)
    for other in earlier:
        theirs = words(other)
        union = mine | theirs
        if union and len(mine & theirs) / len(union) >= NEAR:
            return True
    return False


def options_fault(options: Sequence[str]) -> str:
    """What is wrong with a set of options, "" if nothing is."""
    told = [plain(option) for option in options]
    if not all(told):
        return "an option is empty"
    if len(set(told)) < len(told):
        return "two options say the same"
    if any(CATCH_ALL.search(option) for option in options):
        return "an option is about the other options"
    return ""


def other_language(text: str, passage: str) -> bool:
    """Whether the text is surely in another language than the passage it is made from."""
    mine, theirs = detect_language(text), detect_language(passage)
    return bool(mine and theirs and mine != theirs and len(WORD.findall(text)) >= 5)
