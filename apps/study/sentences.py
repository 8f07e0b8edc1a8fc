"""The sentences of a passage, word for word, whatever its line breaks. Pure."""

import re
from collections.abc import Iterator
from itertools import pairwise

from apps.library.analysis.languages import function_words

FOOTNOTE = r"<sup>.{0,40}?</sup>|\\?\[\d{1,3}\\?\]"
# Not after "No. 6", "Abs. 2", "z. B.", "3. Mai": a short word or a number of one or two digits.
SENTENCE_END = re.compile(
    r"(?<![\s(.]\d\.)(?<![\s(]\d\d\.)(?<=[.!?…])"
    rf"(?:[\"”“»)]|{FOOTNOTE})*\s+(?=[\"„“«(*-]{{0,2}}(?:§+\s?)?[A-ZÄÖÜ\d])"
)
AFTER_NUMBER = re.compile(r"(?:(?<=\w \d\.)|(?<=\w \d\d\.))\s+(?P<next>[A-ZÄÖÜ]\w*)")
BEFORE_PARAGRAPH = re.compile(r"[.!?]\s+(?=\(\d{1,3}\)\s+[A-ZÄÖÜ])")  # "… nach § 64. (3) Die …"
SHORTENED = re.compile(
    r"(?:^|[\s(])(?:\w|Abs|Alt|Art|Aufl|Bd|Co|Dr|Fig|Hr|Hs|Inc|Kap|Mr|Mrs|Nr|No|Prof|Rn|Sec|St|Tab"
    r"|Var|Vol|Ziff|bzw|ca|cf|evtl|ff|gem|ggf|iVm|inkl|insb|lit|pp|sog|usw|vgl|vs)\.$"
)
NEW_LINE = re.compile(r"\s*(?:[-*•–#|>]|\d{1,3}[.)]\s|\(\d{1,3}\)\s|\(?[a-z]\)\s)")
BEGUN = re.compile(r"[A-ZÄÖÜ§(]|\d+(?:\.\d+)*[.)]?\s+[A-ZÄÖÜ]")  # a sentence, a heading
ENDED = re.compile(r"[.!?…:;,\-–]$")
WHOLE = re.compile(r"[.!?…][\"”“»)]*$")
MARKS = (
    (re.compile(FOOTNOTE), ""),
    (re.compile(r"!?\[([^\]]*)\]\([^)]*\)"), r"\1"),  # a link
    (re.compile(r"</?\w+[^>]*>"), ""),
    (re.compile(r"\*\*|__|`"), ""),
    (re.compile(r"\\([\[\]*_#.()-])"), r"\1"),
    (re.compile(r"(\w)[-\u00ad]\n\s*(?=[a-zäöüß])"), r"\1"),  # a word torn by the line's end
    (re.compile(r"^\s*(?:[-*•–>]+|#+)\s+"), ""),
)
FEWEST_WORDS = 4
LONG_LINE = 50  # characters; a text with such lines was set in lines


def sentences(text: str) -> list[str]:
    """Sentences, headings, rows and points of a text, each as it stands there, in their order."""
    cuts = sorted({0, len(text), *_breaks(text), *_ends(text)})
    parts = (text[one:two].strip() for one, two in pairwise(cuts))
    return [part for part in parts if part]


def tidy(sentence: str) -> str:
    """The sentence on one line, without footnotes and the marks of Markdown."""
    for pattern, instead in MARKS:
        sentence = pattern.sub(instead, sentence)
    return " ".join(sentence.split())


def is_whole(sentence: str) -> bool:
    """Whether it is a sentence: begins and ends like one, and is no row or heading."""
    told = tidy(sentence)
    return (
        bool(WHOLE.search(told))
        and len(told.split()) >= FEWEST_WORDS
        and not sentence.lstrip().startswith(("#", "|"))
        and "|" not in told
        and "....." not in told
        and not told[0].islower()
        and sum(letter.isalpha() or letter.isspace() for letter in told) >= 0.75 * len(told)
    )


def _goes_on(line: str) -> bool:
    """Whether the line ends with a word of grammar: "The hot water is kept at"."""
    return _is_little(line.rpartition(" ")[2])


def _is_little(word: str) -> bool:
    lists = function_words()
    return word.lower() in lists["en"] | lists["de"]


def _ends(text: str) -> Iterator[int]:
    for found in SENTENCE_END.finditer(text):
        before = text[max(0, found.start() - 12) : found.start()]
        if not SHORTENED.search(before):
            yield found.end()
    for found in AFTER_NUMBER.finditer(text):  # "… of house 4. The code", but not "am 3. Mai"
        if _is_little(found["next"]):
            yield found.start("next")
    yield from (found.end() for found in BEFORE_PARAGRAPH.finditer(text))


def _breaks(text: str) -> Iterator[int]:
    """Where a line begins something new: after a blank line or heading, before a point."""
    lines = text.splitlines(keepends=True)
    longest = max(map(len, lines), default=0)
    place, before = 0, ""
    for line, after in pairwise(lines):
        place += len(line)
        bare, coming = line.strip(), after.strip()
        heading = (
            longest >= LONG_LINE
            and (not before or WHOLE.search(before))
            and len(bare) < 0.7 * longest
            and not ENDED.search(bare)
            and not bare[:1].islower()
            and bool(BEGUN.match(coming))
            and not _goes_on(bare)
        )
        if not bare or not coming or bare[0] in "#|" or NEW_LINE.match(after) or heading:
            yield place
            before = ""
        else:
            before = bare
