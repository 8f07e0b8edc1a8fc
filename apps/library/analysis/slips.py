"""Slips of the finger and of the ear: how far a word is from another, and whether it may be meant.

Most words that are one letter away from another are words themselves (Heilung, Heizung; read,
bread), so a letter counts as a slip only where it is likely one: left out, doubled, exchanged with
the next, beside the right one on the keyboard, another vowel, or of the same sound.
"""

from collections.abc import Iterable
from itertools import takewhile

SHORT = 5  # letters; shorter words are near to too many
# Letters from which on a wrong vowel and a wrong sound are slips: bread is no broad, and Garten is
# no garden.
VOWEL, SOUND = 6, 7
LONG = 8  # letters from which on two slips are forgiven
TOGETHER = 3  # letters within which two slips are another syllable
UMLAUTS = (("ae", "a"), ("oe", "o"), ("ue", "u"))  # as they are folded
VOWELS = frozenset("aeiouy")
# Letters that are taken for one another, at the beginning of a word too.
SOUNDS = {"c": "ksz", "f": "vp", "i": "yj", "j": "yi", "k": "cq", "p": "bf", "b": "p", "d": "t"}
SOUNDS |= {"q": "k", "s": "zc", "t": "d", "v": "fw", "w": "v", "y": "ij", "z": "cst"}
KEYBOARDS = (
    ("qwertyuiop", "asdfghjkl", "zxcvbnm"),
    ("qwertzuiop", "asdfghjkl", "yxcvbnm"),
    ("azertyuiop", "qsdfghjklm", "wxcvbn"),
)


def _beside() -> frozenset[tuple[str, str]]:
    found = set()
    for rows in KEYBOARDS:
        place = {key: (n, m + n / 2) for n, row in enumerate(rows) for m, key in enumerate(row)}
        found |= {
            (one, other)
            for one, (row, column) in place.items()
            for other, (below, along) in place.items()
            if abs(row - below) <= 1 and 0 < abs(column - along) + abs(row - below) < 2
        }
    return frozenset(found)


BESIDE = _beside()


def forgiven(word: str) -> int:
    """How many slips in a word leave it recognisable."""
    return 2 if len(word) >= LONG else 1


def spellings(word: str) -> list[str]:
    """The word, and the same with its umlauts as they are folded where they were written out."""
    folded = word
    for written, letter in UMLAUTS:
        folded = folded.replace(written, letter)
    return [word] if folded == word else [word, folded]


def distance(one: str, other: str) -> int:
    """How many letters are wrong, missing, too many, or changed places with the next."""
    before: list[int] = []
    row = list(range(len(other) + 1))
    for i, a in enumerate(one, 1):
        above, before, row = before, row, [i]
        for j, b in enumerate(other, 1):
            cost = min(before[j] + 1, row[j - 1] + 1, before[j - 1] + (a != b))
            if i > 1 and j > 1 and a == other[j - 2] and b == one[i - 2]:
                cost = min(cost, above[j - 2] + 1)
            row.append(cost)
    return row[-1]


def slips(word: str, other: str, letters: int = 0) -> int | None:
    """How many slips make `word` of `other`, both folded; None where it is no misspelling of it.

    Of a stem, `letters` is how many the whole word has.
    """
    most = forgiven(word)
    found = None
    asked = [each for each in spellings(word) if other.isalpha()]
    for spelling in asked:
        # A slip changes two of the letters in use at most, and that is told at once.
        if len(frozenset(spelling) ^ frozenset(other)) <= 2 * most and _is_likely(
            spelling, other, max(letters, len(spelling))
        ):
            far = distance(spelling, other)
            # Two slips that reach to the end, or beside each other, make another word.
            if far <= most and (far < 2 or _are_apart(spelling, other)):
                found = far if found is None else min(found, far)
    return found


def is_another(word: str, other: str) -> bool:
    """Whether two words differ as words do, and not by a letter left out or a first by its sound.

    Those show a misspelling even of what would be a word by itself: certificat, Kreative Commons.
    """
    if len(word) == len(other):
        return _wrong(word, other) != [0]
    return len(word) > len(other) or distance(word, other) > 1


def nearest(word: str, others: Iterable[str], most: int = 1, letters: int = 0) -> list[str]:
    """The words that `word` may be a misspelling of, the nearest first, then as they come."""
    found = [(far, other) for other in others if (far := slips(word, other, letters)) is not None]
    return [other for _, other in sorted(found, key=lambda one: one[0])[:most]]


def _is_likely(word: str, other: str, letters: int) -> bool:
    """Whether the letters that differ are of those that are taken for one another."""
    if not _begins_likely(word, other):
        return False
    if len(word) != len(other):
        return True
    wrong = _wrong(word, other)
    if len(wrong) > 2:  # something is missing here and too much there
        return True
    if _changed_places(word, other, wrong) or _doubles_another(word, other, wrong):
        return True
    return all(_are_alike(word[n], other[n], letters) for n in wrong)


def _wrong(word: str, other: str) -> list[int]:
    """The places at which two words of one length differ."""
    return [n for n, (a, b) in enumerate(zip(word, other, strict=True)) if a != b]


def _changed_places(word: str, other: str, wrong: list[int]) -> bool:
    return len(wrong) == 2 and sorted(word[n] for n in wrong) == sorted(other[n] for n in wrong)


def _doubles_another(word: str, other: str, wrong: list[int]) -> bool:
    """Whether the letter before is doubled instead of the one after: vaccum, vacuum."""
    if len(wrong) != 1 or not 0 < wrong[0] < len(word) - 1:
        return False
    n = wrong[0]
    return word[n] == word[n - 1] and other[n] == other[n + 1]


def _are_apart(word: str, other: str) -> bool:
    """Whether letters that are right stand between two slips, and after them."""
    if word[-1] != other[-1]:
        return False
    before, after = _alike(word, other), _alike(word[::-1], other[::-1])
    return max(len(word), len(other)) - before - after > TOGETHER


def _alike(word: str, other: str) -> int:
    """With how many of the same letters two words begin."""
    return sum(
        1 for _same in takewhile(lambda two: two[0] == two[1], zip(word, other, strict=False))
    )


def _begins_likely(word: str, other: str) -> bool:
    first, begins = word[:1], other[:1]
    return (
        first == begins
        or (len(word) == len(other) and begins in SOUNDS.get(first, ""))
        or word[:2] == other[1::-1]
    )


def _are_alike(one: str, other: str, letters: int) -> bool:
    """Whether one letter may stand for the other in a word of so many."""
    if (one, other) in BESIDE or {one, other} == {"i", "y"}:
        return True
    if one in VOWELS and other in VOWELS:
        return letters >= VOWEL
    return letters >= SOUND and (other in SOUNDS.get(one, "") or one in SOUNDS.get(other, ""))
