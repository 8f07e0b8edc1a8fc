"""The gate every item passes before a person sees it. Pure: text in, a reason or nothing out."""

import re
from collections.abc import Sequence
from itertools import combinations

from apps.library.analysis import detect_language
from apps.library.analysis.folding import fold, normalise
from apps.library.analysis.languages import function_words
from apps.study.sentences import is_whole, sentences, tidy

WORD = re.compile(r"\w+", re.UNICODE)
CATCH_ALL = re.compile(
    r"\b(all|none|both|any) of (the|these|them)\b|\balle (der|oben|genannten)\b|"
    r"\bkeine? (der|von) (oben|genannten|diesen)\b|\bbeides\b",
    re.I,
)
WITHIN = re.compile(
    r"\b(?:Abs(?:atz(?:es)?|ätzen?|\.)|Satz(?:es)?|Sätzen?|Nummern?|Nr\.|Buchstaben?|paragraphs?"
    r"|subsections?|subparagraphs?) ?(?:\d|[a-z]\b)",
    re.I,
)
PLACE = re.compile(
    r"(?:§+|\b(?:Abs(?:atz(?:es)?|ätzen?|\.)|Satz(?:es)?|Nr\.|Nummern?|Art(?:ikels?|ikeln|icles?|\.)"
    r"|sections?|paragraphs?)) ?\d+\w*",
    re.I,
)
OF_A_LAW = re.compile(r"(?:§|\bArt(?:ikels?|ikeln|icles?|\.)|\bsections?\b) ?\d", re.I)
OF_THE_TEXT = re.compile(
    r"\b(the|this) (passage|text|excerpt|author|paragraph|section says)\b|\baccording to the (text|"
    r"passage)\b|\b(de[rmns]|diese[rms]?) (Abschnitt|Text|Auszug|Passage|Autor)s?\b",
    re.I,
)
DANGLING = re.compile(
    r"(?:this|these|those|it|its|they|he|she|such|the same|er|sie|es|ihr\w*|dies\w*|jene\w*"
    r"|solche\w*|dabei|dafür|damit|daraus|hier(?:bei|für|von|zu)|(?:gleich|entsprechend)es gilt"
    r"|das gleiche|dasselbe|in (?:diese|solche|jene)[mnr]|in (?:this|these|such)"
    r"|(?:die )?(?:satz|sätze|absatz|absätze|nummern?|paragraph|subsection) \d+)\b",
    re.I,
)
NUMBERED = re.compile(r"^(?:\(\d{1,3}\)|\d{1,3}[.)]|[-*•–])\s+")
PLACES = re.compile(
    r"(?:absatz|absatze|absatzen|abs|nummern?|nr|satz|artikel|art|paragraphs?|sections?|articles?"
    r"|chapter|page|seite|kapitel|figure|abbildung|table|tabelle)$"
)
JOINING = re.compile(r"(?:the|de[rnms]|die|das|in|nach|gem\w+|under|and|und|to|bis|or|oder|of)$")
TIME = re.compile(
    r"\b(?:(?:19|20)\d\d|January|February|March|April|June|July|August|September|October|November"
    r"|December|Januar|Februar|März|Mai|Juni|Juli|Oktober|Dezember)\b"
)
DENIAL = re.compile(r"\b(?:not|no|never|without|nicht|kein\w*|nie|ohne)\b", re.I)
# Words by which options may differ alone: "within two months", "within six months". Folded.
MEASURE = re.compile(
    r"\d.*|ein|eine[mnrs]?|one|two|six|ten|erste[mnrs]?|first|second|third|mai|may|march|marz|juni?"
    r"|juli?|june|july|(?:zwei|drei|dritt|vier|funf|sechs|sieb|acht|neun|zehn|elf|zwolf|zwanzig"
    r"|hundert|tausend|three|four|five|sixt|seven|eight|nine|eleven|twel|twent|thirt|fift|hundred"
    r"|thousand|januar|februar|april|august|septem|oktob|octob|novem|dezem|decem)\w*|\w+(?:day|tag)"
)
YES_OR_NO = re.compile(r"^(?:yes|no|ja|nein)\b", re.I)
ASKS_HOW = re.compile(
    r"^(?:wie|how) (?!(?:viel|lange|oft|hoch|many|much|long|often|old|alt|groß)\w*)", re.I
)
ASKS_WHAT = re.compile(r"^(?:what|who|which|was|wer|welche[rs]?)\b(?! happens| passiert)", re.I)
A_CONDITION = re.compile(r"^(?:when|if|because|wenn|weil|falls)\b", re.I)
ENDED = re.compile(r"[.!?…][\"”“»)]*$")
STEM = 5  # letters in which two forms of a word must agree: "Kündigung", "Kündigungen"
LONG = 10  # letters of a word that a question does not use by the way: "Hauptfunktion"
SHORT = 4  # letters; shorter words carry little
LEAST_SUPPORT = 0.5  # share of the answer's words that must stand in the quote or passage
ALIKE = 3  # words that two options share
ENDING = re.compile(r"(?<=\w{3})(?:e[mnrs]?|n|s)$")
NEAR = 0.8  # share of common words from which two questions are one


def plain(text: str) -> str:
    """Text with case, accents, punctuation and white space out of the way."""
    return " ".join(fold(word) for word in WORD.findall(normalise(text)))


def words(text: str) -> set[str]:
    """The words that carry meaning, folded; all words of a text that has only short ones."""
    found = plain(text).split()
    return {word for word in found if len(word) >= SHORT or word.isdigit()} or set(found)


def telling(text: str) -> set[str]:
    """The same without the words of grammar: what, which, wird, einer."""
    lists = function_words()
    return words(text) - lists["en"] - lists["de"]


def gist(text: str) -> frozenset[str]:
    """The beginnings of its telling words, by which their forms are one: "Frist", "Fristen"."""
    return frozenset(word[:STEM] for word in telling(text))


def in_passage(quote: str, passage: str) -> bool:
    """Whether the quote stands in the passage, whatever its case, punctuation and line breaks."""
    wanted = plain(quote)
    return bool(wanted) and wanted in plain(passage)


def best_quote(passage: str, *about: str) -> str:
    """The sentence of the passage that shares most words with what is told about it, verbatim."""
    wanted = set().union(*(words(text) for text in about))
    return max(
        sentences(passage), key=lambda s: (len(words(tidy(s)) & wanted), -len(s)), default=""
    )


def proof(passage: str, stem: str, answer: str) -> str:
    """The whole sentence, verbatim, that says the answer and is about the question; "" for none.

    What the question names may stand in the sentence before.
    """
    found = sentences(passage)
    scored = [
        (_says(answer, tidy(one)), in_some_form(stem, f"{tidy(before)} {tidy(one)}"), one)
        for before, one in zip(["", *found], found, strict=False)
        if is_whole(one)
    ]
    says, about, sentence = max(
        scored, key=lambda each: (each[0] + each[1], each[0]), default=(0.0, 0.0, "")
    )
    return sentence if says >= 0.7 and about >= 0.4 else ""


def _says(answer: str, sentence: str) -> float:
    return max(support(answer, sentence), in_some_form(answer, sentence))


def support(answer: str, passage: str) -> float:
    """The share of the answer's words that stand in the passage, 0 to 1."""
    wanted = words(answer)
    there = set(plain(passage).split())
    return len(wanted & there) / len(wanted) if wanted else 0.0


def in_some_form(text: str, passage: str) -> float:
    """The share of the text's words that stand in the passage in some form, 0 to 1."""
    wanted = telling(text)
    return 1 - len(_unknown(wanted, passage)) / len(wanted) if wanted else 0.0


def measures(text: str, passage: str) -> bool:
    """Whether the passage has all numbers and dates of the text, in figures or in words."""
    told = {word for word in plain(text).split() if MEASURE.fullmatch(word)}
    return told <= set(plain(passage).split())


def invents(text: str, passage: str) -> bool:
    """Whether it names something by a long word that the passage does not have in any form."""
    return bool(_unknown({word for word in words(text) if len(word) >= LONG}, passage))


def _unknown(wanted: set[str], passage: str) -> set[str]:
    there = plain(passage).split()
    whole, stems = set(there), {word[:STEM] for word in there if len(word) >= STEM}
    return {word for word in wanted - whole if len(word) < STEM or word[:STEM] not in stems}


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
    if len({_gist(option) for option in options}) < len(told):
        return "two options say the same in other forms of their words"
    if any(CATCH_ALL.search(option) for option in options):
        return "an option is about the other options"
    return ""


def _gist(option: str) -> tuple[frozenset[str], bool]:
    """What an option says whatever the forms of its words, and whether it denies it."""
    return _forms(option), bool(DENIAL.search(option))


def _forms(option: str) -> frozenset[str]:
    """The words of an option without their endings: "Hund", "Hunde"; numbers of any length."""
    told = words(option) | {word for word in plain(option).split() if MEASURE.fullmatch(word)}
    return frozenset(
        word if MEASURE.fullmatch(word) else (ENDING.sub("", word) or word)[:STEM] for word in told
    )


def too_alike(options: Sequence[str]) -> bool:
    """Whether two long options differ by a single word, which is no number or date, or by a "not";
    or two of any length by the number of a paragraph, which nobody learns.

    Who reads such a pair knows that the others are made up.
    """
    told = [_forms(option) for option in options]
    placed = [plain(PLACE.sub(" ", option)) for option in options if PLACE.search(option)]
    return len(set(placed)) < len(placed) or any(
        len(one & other) >= ALIKE
        and len(one - other) <= 1
        and len(other - one) <= 1
        and not all(MEASURE.fullmatch(word) for word in one ^ other if one != other)
        for one, other in combinations(told, 2)
    )


def other_language(text: str, passage: str) -> bool:
    """Whether the text is surely in another language than the passage it is made from."""
    mine, theirs = detect_language(text), detect_language(passage)
    return bool(mine and theirs and mine != theirs and len(WORD.findall(text)) >= 5)


def dangles(text: str) -> bool:
    """Whether it begins with a word that stands for something said before."""
    return bool(DANGLING.match(NUMBERED.sub("", text.strip())))


def refers(text: str) -> bool:
    """Whether it names a paragraph, sentence or number of a text and not which text: "Absatz 2"."""
    return bool(WITHIN.search(text)) and not OF_A_LAW.search(text)


def speaks_of_the_text(text: str) -> bool:
    """Whether it can only be understood by whoever has the passage before the eyes."""
    return bool(OF_THE_TEXT.search(text))


def only_refers(answer: str) -> bool:
    """Whether an answer names a place in a text and nothing else: "the paragraphs 1 and 2"."""
    told = plain(answer.replace("§", " paragraph ")).split()
    rest = [word for word in told if not JOINING.match(word) and not word[:1].isdigit()]
    return bool(rest) and all(PLACES.match(word) for word in rest)


def answers_another_question(stem: str, answer: str) -> bool:
    """Whether "how is it heated?" is answered by a time, or "what" by "when …"."""
    if answer.rstrip().endswith("?"):
        return True
    how = ASKS_HOW.match(stem.strip()) and TIME.search(answer) and len(answer.split()) <= 4
    return bool(how or (ASKS_WHAT.match(stem.strip()) and A_CONDITION.match(answer.strip())))


def stands_out(answer: str, wrong: Sequence[str]) -> bool:
    """Whether the right answer is told by its length alone."""
    longest = max(map(len, wrong), default=0)
    return len(answer) > 50 and len(answer) > 2 * longest


def new_numbers(text: str, passage: str) -> set[str]:
    """Numbers in the text that the passage does not have."""
    return {word for word in plain(text).split() if word.isdigit()} - set(plain(passage).split())


def is_ended(text: str) -> bool:
    """Whether it ends like a sentence, not in the middle of one."""
    return bool(ENDED.search(text.strip()))
