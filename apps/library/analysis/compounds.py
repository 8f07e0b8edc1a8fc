"""German compounds: how a word may be made of two others, and others of it. Pure.

Whether it is, the words of a workspace decide: parts are words only if they stand there by
themselves. So nothing is guessed from a dictionary, and "Urinstinkt" is cut where the texts cut it.
"""

PART = 4  # letters of the shortest part
TAIL = 5  # ... of the shortest that a compound is known by at its end: "-haft", "-los" are endings
SURE = 6  # ... at whose end it need not be made of words that are there: Hohenzollernstraße
# What may stand between two parts: linking letters, and what a stemmer cuts off a first part.
LINKS = (
    "",
    "s",
    "es",
    "e",
    "en",
    "n",
    "er",
    "ung",
    "ungs",
    "heits",
    "keits",
    "schafts",
    "ions",
    "tats",
)


def splits(word: str) -> list[tuple[str, str]]:
    """The pairs of parts that the stem of a word may be made of, longest second part first."""
    cuts = range(PART, len(word) - PART + 1)
    return [(part, word[at:]) for at in cuts for part in _without_end(word[:at])]


def _without_end(part: str) -> list[str]:
    rests = [part[: len(part) - len(link)] for link in LINKS if part.endswith(link)]
    return [rest for rest in rests if len(rest) >= PART]
