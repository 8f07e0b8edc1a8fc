"""What an answer comes to in the end: its citations put right, or an honest no."""

import re
from collections.abc import Sequence

from apps.chat import claims, figures, prompt
from apps.chat.prompt import Language
from apps.chat.steps import Found, Settled
from apps.library import citing
from apps.llm import catalogue, client

# The end of a line within a sentence; a shorter line without a mark at its end is a heading.
WRAPPED = re.compile(r"([^\n]{40,}[^\n.!?:;|])\n(?=[^\n|#*•–-])")
QUOTED = (25, 420)  # characters of a sentence worth quoting
# A question that a figure answers; a sentence with one answers it rather than one without.
FOR_FIGURE = re.compile(
    r"\b(?:when|how (?:many|much|long|often|old|high|far|large)|what (?:year|date|time|fee|price)"
    r"|wann|wie ?(?:viele?|lange|oft|hoch|alt|weit|groß)|in welchem (?:jahr|alter)|welches jahr)\b",
    re.I,
)
ASKED, FIGURE = 0.6, 0.5  # what a sentence gains by the question's words, and by a figure
NEAR = 0.25  # of such a score, for a sentence that is quoted in place of a no
NEAREST: dict[Language, str] = {
    "en": "No clear answer, but this comes nearest:",
    "de": "Keine klare Antwort, am nächsten kommt:",
}
ALL = 0.9  # of the quoted sentence is said by the answer already


def settled(
    question: str,
    text: str,
    sources: Sequence[Found],
    language: Language,
    model: catalogue.Model,
    *,
    sure: bool = False,
) -> Settled:
    """The text with its citations put right, or a refusal where that is what it says.

    A small model's sentences stay only where a passage bears them, and what it found is quoted;
    where nothing stays, the text is refused. Where the search is `sure` that the passages hold the
    answer, a small model's no is followed by what comes nearest.
    """
    text = text.strip()
    if not text:
        raise client.ModelError("The model said nothing. Try again, or choose another model.")
    if prompt.refuses(text):
        weak = model.extractive or prompt.is_small(model)
        return _nearest(question, sources, language, sure=sure and weak)
    if model.extractive:  # its sentences are the passages' own
        return Settled(text, citing.numbers(text, len(sources)))
    quotes = [f"{source.title} {source.label} {source.quote}" for source in sources]
    spoken = prompt.language_of(" ".join(source.quote for source in sources))
    foreign = bool(sources) and spoken != language
    small = prompt.is_small(model)  # it fills up with what it was told in the examples
    asked = question if small else ""
    cited = citing.repaired(text, quotes, foreign=foreign, strict=small, asked=asked)
    if not small:
        return Settled(cited.text.strip(), cited.used)
    if not cited.used:
        return _nearest(question, sources, language, sure=sure)
    kept = _borne(cited.text.strip(), sources)
    whole = "\n\n".join(filter(None, [kept, _quote(question, cited.text, cited.used, sources)]))
    if not whole:
        return _nearest(question, sources, language, sure=sure)
    return Settled(whole, citing.numbers(whole, len(sources)))


def _borne(text: str, sources: Sequence[Found]) -> str:
    """The text without the sentences whose figures are not in the passages they cite."""
    for claim in reversed(list(claims.cited(text))):
        there = [each for each in sources if each.number in claim.numbers]
        quoted = "\n".join(f"{each.title} {each.label}\n{each.quote}" for each in there)
        if claims.contradicted(claim.text, quoted):
            end = claim.at + (len(text) - claim.at - len(text[claim.at :].lstrip(".!? ")))
            text = text[: claim.begin] + text[end:]
    return text.strip() if citing.numbers(text, len(sources)) else ""


def _nearest(question: str, sources: Sequence[Found], language: Language, *, sure: bool) -> Settled:
    """A refusal, or the sentence of the first passages that answers the question best."""
    if sure:
        score, sentence, number = _best(
            question, "", [each.number for each in sources[:2]], sources
        )
        if score >= NEAR:
            return Settled(f"{NEAREST[language]}\n\n> “{sentence}” [{number}]", (number,))
    return Settled(prompt.REFUSAL[language], refused=True)


def _quote(question: str, said: str, used: Sequence[int], sources: Sequence[Found]) -> str:
    """The sentence of the cited passages that answers best, unless the text says all of it."""
    _, text, number = _best(question, said, used, sources)
    told = citing.overlap(text, said) >= ALL and not claims.contradicted(text, said)
    return "" if not text or told else f"> “{text}” [{number}]"


def _best(
    question: str, said: str, among: Sequence[int], sources: Sequence[Found]
) -> tuple[float, str, int]:
    """The sentence nearest to the question and to what an answer adds to it, with its score."""
    best, text, number = 0.0, "", 0
    counting = bool(FOR_FIGURE.search(question))
    added = [word for word in re.findall(r"\w+", said) if not citing.overlap(word, question)]
    news = " ".join(added) if citing.overlap(" ".join(added), " ".join(added)) else said
    for source in sources:
        if source.number not in among:
            continue
        for line in WRAPPED.sub(r"\1 ", source.plain).split("\n"):
            for sentence in citing.SENTENCE.finditer(line):
                bare = prompt.NUMBER.sub(r"(\1)", " ".join(sentence[0].split())).lstrip("-–•* ")
                if not QUOTED[0] <= len(bare) <= QUOTED[1]:
                    continue
                score = citing.overlap(news, bare) + ASKED * citing.overlap(question, bare)
                score += FIGURE * (counting and bool(figures.read(bare)))
                if score > best:
                    best, text, number = score, bare, source.number
    return best, text, number
