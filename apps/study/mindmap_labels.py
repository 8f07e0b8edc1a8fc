"""Labels of a mindmap: put right, or found by rule where no model names things. Pure."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence

from apps.library.analysis.folding import fold, normalise
from apps.library.analysis.languages import function_words
from apps.study import quality

LONGEST = 60  # characters
WHITE = re.compile(r"[\s\u200b-\u200f\u202a-\u202e\u2066-\u2069\ufeff]+")
CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f]")
EDGES = " \t-–—•*#>|.,:;/\\_“”„\"'«»"
TERM = re.compile(r"[^\W\d_][\w'’.-]*|\d[\d.,]*\s?[%€$°]?\w*", re.UNICODE)
# No phrase goes across one of these; the point in "1.240" is none.
TORN = re.compile(r"(?:[!?;()\[\]{}<>|*#\n\t\"„“”«»/]|(?<!\d)[.,:]|[.,:](?!\d))+")
NUMBERING = re.compile(r"^(?:§+\s*\d+\w?|\d+(?:\.\d+)*\.?|[IVX]+\.)\s+(?=[A-ZÄÖÜ])")
MOST_WORDS = 4
LEAST_SUPPORT = 0.6  # share of a label's words that stand in the passages
LEAST_OF_TOPIC = 0.5  # … of what names a whole branch: "Hot water system" where all is hot water
HEADING = re.compile(r"^(?:§+\s*\d+\w?|\d+(?:\.\d+)*\.?|[IVX]+\.)?\s*[A-ZÄÖÜ][^.!?:;]{3,50}$")


def clean(label: str) -> str:
    """The label on one line, without marks at its edges, cut between words at 60 characters.

    What has no blank within 60 characters is cut there: it is no label that a person wrote.
    """
    text = WHITE.sub(" ", CONTROL.sub(" ", label)).strip(EDGES)
    if len(text) <= LONGEST:
        return text
    end = text.rfind(" ", 0, LONGEST + 1)
    cut = text[: end if end > 0 else LONGEST].rstrip(EDGES)
    words = cut.split(" ")
    little = _little(text)
    while len(words) > 1 and fold(normalise(words[-1])) in little:
        words.pop()  # "… of the" says nothing
    return " ".join(words).rstrip(EDGES)


def is_heading(line: str) -> bool:
    """Whether a line of a text is a heading of a few words."""
    return bool(HEADING.match(line)) and len(line.split()) <= 8


def headings(sections: Sequence[str]) -> list[str]:
    """The last step of each breadcrumb, once each."""
    last = (section.rsplit(" › ", 1)[-1] for section in sections if section)
    steps = [clean(NUMBERING.sub("", step)) for step in last]
    return list(dict.fromkeys(step for step in steps if len(step) > 2))


def terms(text: str, around: str) -> list[str]:
    """Telling phrases of a text, the best first; `around` is the text it is a part of.

    A phrase is a run of words between function words and marks. Words that come back in the text
    but not everywhere around it tell most.
    """
    here = Counter(quality.plain(text).split())
    everywhere = Counter(quality.plain(around).split())
    scored: dict[str, tuple[float, str]] = {}
    for place, phrase in enumerate(_phrases(text)):
        words = quality.plain(phrase).split()
        telling = [word for word in words if len(word) >= quality.SHORT]
        if not telling or len(clean(phrase)) > LONGEST:
            continue
        weight = sum(min(here[w], 3) * len(w) ** 0.5 / (1 + everywhere[w]) ** 0.3 for w in telling)
        weight /= len(telling) ** 0.7  # three words are not three times as good as one
        score = weight * (1.2 if len(words) > 1 else 0.8) * (1.3 if phrase[0].isupper() else 1.0)
        scored.setdefault(quality.plain(phrase), (score - place * 0.01, clean(phrase)))
    return [phrase for _, phrase in sorted(scored.values(), key=lambda pair: -pair[0])]


def _phrases(text: str) -> Iterator[str]:
    little = _little(text)
    for stretch in TORN.split(text):
        run: list[str] = []
        for word in [*TERM.findall(stretch), ""]:
            if word and fold(normalise(word)) not in little and len(run) < MOST_WORDS:
                run.append(word)
                continue
            if run:
                yield " ".join(run)
            run = []


def _little(text: str) -> frozenset[str]:
    """The function words of the languages the text could be in."""
    lists = function_words()
    mine = set(quality.plain(text).split())
    if len(mine) < 8:
        return lists["en"] | lists["de"]
    return max(lists.values(), key=lambda words: len(words & mine))
