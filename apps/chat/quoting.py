"""The sentences of the passages that answer a question best, word for word.

Five signs are weighed against each other over all sentences: words shared with the question, and
with what the model said; nearness in meaning to either; and the place of the passage in the search.
Of 26 labelled questions the best sentence held the expected words 22 times so, 19 times by shared
words alone, 18 times by meaning alone.
A sentence that adds nothing to the question's own words, a heading or a name, answers nothing.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from apps.chat import asked_for, claims, holding
from apps.chat.steps import Found
from apps.library import citing
from apps.llm import client

COMPARED = 32  # sentences whose meaning is compared; words choose them
FIGURE = 0.5  # what a sentence gains by a figure of the kind that is asked for
PLACE, SAID = 0.7, 0.7  # weights of the passage's place and of what the model said
ALL = 0.9  # of a sentence is said already
CLEARLY = 1.3  # deviations by which a second sentence must fit the question better

Numbers = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Quote:
    """A sentence and the number of the passage it stands in."""

    text: str
    number: int


def best(question: str, said: str, kept: str, sources: Sequence[Found]) -> list[Quote]:
    """What is to be quoted beside the text that was `kept` of what a model said.

    The sentence that fits question and answer best, unless the text says all of one already; then
    one that fits the question clearly better than that, if there is one. Both texts may be empty.
    Without an embedding model words alone decide.
    """
    found = [
        quote for quote in dict.fromkeys(_sentences(sources)) if holding.adds(question, quote.text)
    ]
    # Where some share words with question or answer, the others are there by chance.
    related = [each for each in found if citing.overlap(f"{question} {said}", each.text)]
    found = related or found
    if not found:
        return []
    shared = np.array([_shared(question, quote.text) for quote in found])
    told = np.array([citing.overlap(said, quote.text) for quote in found])
    if len(found) > COMPARED:
        few = np.argsort(-(shared + told), kind="stable")[:COMPARED]
        few.sort()
        found, shared, told = [found[n] for n in few], shared[few], told[few]
    near, near_said = _nearness(question, said, found)
    place = np.array([1 / (1 + quote.number) for quote in found])
    asked = _even(shared) + _even(near) + PLACE * _even(place)
    weight = SAID if near.any() else 2 * SAID  # the words stand for the meaning, too
    both = asked + weight * (_even(told) + _even(near_said)) if said else asked
    covered = [_says(kept, quote.text) for quote in found]
    first = int(np.argmax(np.where(covered, both, -np.inf) if any(covered) else both))
    second = int(np.argmax(asked))
    chosen = [first] if asked[second] - asked[first] < CLEARLY else [first, second]
    return [found[n] for n in chosen if not covered[n]]


def holds(question: str, sources: Sequence[Found]) -> Quote | None:
    """The first sentence of the sources that has every word of the question; None without one."""
    for source in sources:
        said = holding.found(question, source.plain, f"{source.title} {source.label}")
        if whole := sorted(said, key=lambda each: not each.endswith((".", "!", "?"))):
            return Quote(whole[0], source.number)  # a sentence rather than a line without its end
    return None


def _says(text: str, sentence: str) -> bool:
    """Whether a text says all of a sentence, its figures too."""
    return citing.overlap(sentence, text) >= ALL and not claims.contradicted(sentence, text)


def _shared(question: str, sentence: str) -> float:
    return citing.overlap(question, sentence) + FIGURE * asked_for.given(question, sentence)


def _sentences(sources: Sequence[Found]) -> Iterator[Quote]:
    for source in sources:
        for sentence in holding.quotable(source.plain):
            yield Quote(sentence, source.number)


def _nearness(question: str, said: str, quotes: Sequence[Quote]) -> tuple[Numbers, Numbers]:
    """The cosine of each sentence to the question and to the answer; zeros where nobody can say."""
    nothing = np.zeros(len(quotes))
    try:
        texts = client.embed([quote.text for quote in quotes], "passage")
        asked = client.embed([question, said] if said else [question], "query")
    except client.ModelError:
        return nothing, nothing
    return texts @ asked[0], texts @ asked[1] if said else nothing


def _even(scores: Numbers) -> Numbers:
    """Scores of one kind made comparable with those of another: mean 0, deviation 1."""
    spread = float(scores.std())
    return (scores - scores.mean()) / spread if spread else np.zeros(len(scores))
