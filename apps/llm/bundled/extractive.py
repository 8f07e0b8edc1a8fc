"""The model without weights: picks sentences of the given passages that answer the question.

How passages are passed: anywhere in the messages, each beginning on a new line with its number,

    [1] The heat pump was installed in 2019 by Kessler.
    [2] It is serviced every twelve months.

    How often is it serviced?

A passage runs to the next number or to an empty line. The question is what stands in the last
user message outside of passages; a line that begins with "Question:" or "Frage:" is taken alone.
What comes back: up to three sentences in the order of the passages, each followed by its number,
or a sentence saying that nothing was found.
"""

import math
import re
from collections import Counter
from typing import Any

MOST = 3
ENOUGH = 0.45  # of the weight of the question's words must be found; less is no answer
NEARLY_BEST = 0.6  # of the best sentence's score, for others to be told too
NEIGHBOUR = 0.3  # what a word counts that stands only in the sentence before or after

_PASSAGE = re.compile(r"^[ \t]*\[(\d+)\][ \t]*(.*(?:\n(?![ \t]*\[\d+\]|[ \t]*$).*)*)", re.M)
_SENTENCE = re.compile(
    r"(?<=[.!?])(?<!\b\d\.)(?<!\b\d\d\.)[\"')\]»“]*\s+(?=[\"'(\[«„]*[A-ZÄÖÜ0-9])|\n+"
)
_WORD = re.compile(r"\w+(?:[.-]\w+)*", re.U)
_MARKED = re.compile(r"^(?:Question|Frage):\s*(.+)$", re.M | re.I)
_SMALL_WORDS = """
the a an of to in on at by for from with and or not is are was were be been it its this that
these those what which who whom whose when where why how often much many do does did has have had
can could will would should i my me you your we our they their there about say says tell as into
than then if but der die das den dem des ein eine einer eines einem einen und oder nicht ist sind
war waren wird werden wurde wurden sein es dies diese dieser dieses was welche welcher welches wer
wen wem wessen wann wo warum wie oft viel viele hat haben hatte kann können ich mein meine mir du
dein wir unser sie ihr ihre zu zum zur im in am an auf bei von vom mit für über steht sagt
man"""
_SMALL = frozenset(_SMALL_WORDS.split())
_GERMAN_WORDS = "der die das ist wie wer was wann wo und wird warum welche welcher hat muss"
_GERMAN = frozenset(_GERMAN_WORDS.split())
_ENDINGS = (
    *("ungen", "ung", "ing", "ten", "ern", "ed", "es", "en", "er", "em", "te", "et"),
    *("e", "s", "n", "t"),
)
NOTHING = {
    "en": "I could not find this in the given passages.",
    "de": "Das konnte ich in den angegebenen Passagen nicht finden.",
}

Sentence = tuple[int, str]  # the number of its passage, and its text


def answer(messages: list[dict[str, Any]]) -> str:
    """The best sentences with their passage numbers, or that nothing was found."""
    passages, question = read(messages)
    nothing = NOTHING["de" if _is_german(question) else "en"]
    wanted = _stems(question)
    sentences = [
        (number, sentence)
        for number, text in passages
        for sentence in _SENTENCE.split(text)
        if sentence.strip()
    ]
    if not wanted or not sentences:
        return nothing
    scores = _scores(wanted, sentences)
    best = max(scores)
    if best < ENOUGH:
        return nothing
    order = sorted(range(len(scores)), key=lambda i: (-scores[i], i))[:MOST]
    chosen = sorted(i for i in order if scores[i] >= NEARLY_BEST * best)
    return " ".join(_cited(*sentences[i]) for i in chosen)


def read(messages: list[dict[str, Any]]) -> tuple[list[Sentence], str]:
    """The passages as (number, text), and the question."""
    passages: list[Sentence] = []
    question = ""
    for message in messages:
        text = message.get("content") or ""
        if message.get("role") in ("system", "user", "tool"):
            passages += [(int(n), " ".join(body.split())) for n, body in _PASSAGE.findall(text)]
        if message.get("role") == "user":
            question = _PASSAGE.sub("", text).strip()
    marked = _MARKED.findall(question)
    return passages, marked[-1] if marked else question


def _scores(wanted: set[str], sentences: list[Sentence]) -> list[float]:
    """For each sentence, the share of the question's weight it holds; rare words weigh more."""
    bags = [_stems(sentence) for _, sentence in sentences]
    seen = Counter(word for bag in bags for word in bag)
    weight = {word: math.log(1 + len(bags) / (0.5 + _count(word, seen))) for word in wanted}
    total = sum(weight.values())
    scores = []
    for i, bag in enumerate(bags):
        near = set[str]()
        for j in (i - 1, i + 1):
            if 0 <= j < len(bags) and sentences[j][0] == sentences[i][0]:
                near |= bags[j]
        own = sum(weight[word] for word in wanted if _has(word, bag))
        beside = sum(weight[w] for w in wanted if not _has(w, bag) and _has(w, near))
        scores.append((own + NEIGHBOUR * beside) / total if own else 0.0)
    return scores


def _cited(number: int, sentence: str) -> str:
    text = sentence.strip()
    return f"{text.rstrip('.')} [{number}]." if text.endswith(".") else f"{text} [{number}]"


def _stems(text: str) -> set[str]:
    return {
        _stem(word)
        for word in _WORD.findall(text.lower())
        if word not in _SMALL and (len(word) > 1 or word.isdigit())
    }


def _stem(word: str) -> str:
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= 4:
            return word[: -len(ending)]
    return word


def _has(word: str, bag: set[str]) -> bool:
    """Is the word there, whole or (four letters and more) as a part of a compound?"""
    if word in bag:
        return True
    return len(word) >= 4 and any(
        word in other or (len(other) >= 4 and other in word) for other in bag
    )


def _count(word: str, seen: Counter[str]) -> int:
    return sum(n for other, n in seen.items() if _has(word, {other}))


def _is_german(text: str) -> bool:
    return bool(set(_WORD.findall(text.lower())) & _GERMAN) or any(c in text for c in "äöüß")
