"""What an answer comes to in the end: its citations put right, or an honest no."""

from collections.abc import Sequence

from django.utils.translation import gettext as _

from apps.chat import asked_for, claims, prompt, quoting
from apps.chat.prompt import Language
from apps.chat.steps import Found, Settled
from apps.library import citing
from apps.library.analysis import detect_language
from apps.llm import catalogue, client

FIRST = 2  # passages that what comes nearest is looked for in
NEAR = 0.3  # of the question's words, in a sentence that is quoted in place of a no
QUOTED: dict[Language, str] = {"en": "> “{text}” [{number}]", "de": "> „{text}“ [{number}]"}
NEAREST: dict[Language, str] = {
    "en": "No clear answer, but this comes nearest:",
    "de": "Keine klare Antwort, am nächsten kommt:",
}


def settled(
    question: str,
    text: str,
    sources: Sequence[Found],
    language: Language,
    model: catalogue.Model,
    *,
    sure: bool = False,
    anyway: bool = False,
) -> Settled:
    """The text with its citations put right, or a refusal where that is what it says.

    A small model's sentences stay only where a passage bears them, and what it found is quoted;
    where nothing stays, the text is refused. Where the search is `sure` that the passages hold the
    answer, or a sentence has all words of the question, a small model's no is followed by what
    comes nearest; `anyway` has every no followed by it.
    """
    text = text.strip()
    if not text:
        raise client.ModelError(_("The model said nothing. Try again, or choose another model."))
    weak = model.extractive or prompt.is_small(model)
    if prompt.refuses(text):
        sure &= weak
        return _nearest(question, "", sources, language, sure=sure, anyway=anyway, weak=weak)
    if model.extractive:  # its sentences are the passages' own
        return Settled(text, citing.numbers(text, len(sources)))
    passages = [f"{source.title} {source.label} {source.quote}" for source in sources]
    spoken = detect_language(" ".join(source.quote for source in sources)) or "en"
    foreign = bool(sources) and spoken != language
    small = prompt.is_small(model)  # it fills up with what it was told in the examples
    asked = question if small else ""
    cited = citing.repaired(text, passages, foreign=foreign, strict=small, asked=asked)
    if not small:
        return Settled(cited.text.strip(), cited.used)
    kept = _borne(question, cited.text.strip(), sources) if cited.used else ""
    if not kept:
        sure |= bool(cited.used)
        wrong = asked_for.missed(question, citing.MARK.sub("", text))
        said = "" if wrong else text
        return _nearest(question, said, sources, language, sure=sure, anyway=anyway, weak=True)
    quotes = quoting.best(question, text, kept, sources)
    whole = "\n\n".join([kept, *(_quoted(each, language) for each in quotes)])
    return Settled(whole, citing.numbers(whole, len(sources)))


def _borne(question: str, text: str, sources: Sequence[Found]) -> str:
    """The text without the sentences that the passages they cite plainly do not bear.

    A figure or a name is not there, or the sentence only says where something stands. Nothing
    stays where the question is for one kind of figure, and only another kind is given: the year
    of a law in place of a time limit.
    """
    if asked_for.missed(question, citing.MARK.sub("", text)):
        return ""
    for claim in reversed(list(claims.cited(text))):
        there = [each for each in sources if each.number in claim.numbers]
        quoted = "\n".join(f"{each.title} {each.label}\n{each.quote}" for each in there)
        if claims.refuted(claim.text, quoted):
            end = claim.at + (len(text) - claim.at - len(text[claim.at :].lstrip(".!? ")))
            text = text[: claim.begin] + text[end:]
    return text.strip() if citing.numbers(text, len(sources)) else ""


def _nearest(
    question: str,
    said: str,
    sources: Sequence[Found],
    language: Language,
    *,
    sure: bool,
    anyway: bool,
    weak: bool,
) -> Settled:
    """A refusal, or the sentence of the first passages that answers the question best.

    Where a `weak` model says no, a sentence that has all words of the question wins over it.
    """
    if weak and (held := quoting.holds(question, sources)):
        return Settled(f"{NEAREST[language]}\n\n{_quoted(held, language)}", (held.number,))
    if sure or anyway:
        for quote in quoting.best(question, said, "", sources[:FIRST]):
            if not (anyway or _comes_near(question, quote.text, language)):
                continue
            return Settled(f"{NEAREST[language]}\n\n{_quoted(quote, language)}", (quote.number,))
    return Settled(prompt.REFUSAL[language], refused=True)


def _comes_near(question: str, sentence: str, language: Language) -> bool:
    """Whether it may stand in place of a no: by its words; in another language by its figure."""
    if detect_language(sentence) in ("", language):
        return citing.overlap(question, sentence) >= NEAR
    return asked_for.given(question, sentence)


def _quoted(quote: quoting.Quote, language: Language) -> str:
    return QUOTED[language].format(text=quote.text, number=quote.number)
