"""Read a folder of known files and tell whether what must be found in each was found, and where.

The folder has a MANIFEST.tsv with the columns file, kind, where ("p3", "s2", a sheet or "-") and
expected: a phrase, or words like "must be refused with a clear error".
"""

import csv
import re
import time
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from apps.library import chunking, sandbox
from apps.library.parsing import Opened, ReadPart, Refusal, Skipped

MANIFEST = "MANIFEST.tsv"
SLOW = 240.0  # seconds for one file
REFUSED = "refused with a clear error"
FREE = ("no crash", "no text", "must be refused", "deep or refused", "no visible")
REMARK = re.compile(r"\s*\([^()]*\)\s*$")
FORBIDDEN = re.compile(r"must not contain ([^)]+)\)")
PLACE = re.compile(r"([ps])(\d+)$")


@dataclass(frozen=True, slots=True)
class Known:
    """A line of the manifest."""

    file: str
    kind: str
    where: str
    expected: str

    @property
    def phrases(self) -> list[str]:
        """Spellings of the phrase, any of which will do; none where no phrase is asked for."""
        if self.expected.startswith(FREE):
            return []
        phrase = re.split(r",? or (?:be )?refused|; must ", self.expected)[0]
        return [phrase, REMARK.sub("", phrase)]

    @property
    def must_be_refused(self) -> bool:
        return self.expected.startswith(f"must be {REFUSED}") and " or " not in self.expected

    @property
    def may_be_refused(self) -> bool:
        return not self.phrases or REFUSED in self.expected or "clear error" in self.expected

    @property
    def notice_will_do(self) -> bool:
        return "else a notice" in self.expected or "notice" in self.expected.partition("(")[2]


@dataclass(slots=True)
class Outcome:
    """What reading a file gave."""

    parts: list[ReadPart] = field(default_factory=list)
    notices: list[Skipped] = field(default_factory=list)
    title: str = ""
    refusal: str = ""
    crash: str = ""
    seconds: float = 0.0


def known_files(folder: Path) -> list[Known]:
    """The manifest's lines; raises FileNotFoundError where there is none."""
    with (folder / MANIFEST).open(encoding="utf-8", newline="") as file:
        rows = csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE)
        return [Known(row["file"], row["kind"], row["where"], row["expected"]) for row in rows]


def check(folder: Path) -> Iterator[dict[str, str | float]]:
    """A verdict on each file of the folder, as the command prints it."""
    for known in known_files(folder):
        outcome = outcome_of(folder / known.file)
        verdict, found, locator = judge(known, outcome)
        yield {
            "file": known.file,
            "kind": known.kind,
            "verdict": verdict,
            "expected": known.expected,
            "found": found,
            "locator": locator,
            "seconds": round(outcome.seconds, 2),
        }


def outcome_of(path: Path) -> Outcome:
    outcome, began = Outcome(), time.monotonic()
    try:
        for piece in sandbox.read(path, path.name):
            match piece:
                case ReadPart():
                    outcome.parts.append(piece)
                case Skipped():
                    outcome.notices.append(piece)
                case Opened():
                    outcome.title = piece.title
    except Refusal as refusal:
        outcome.refusal = str(refusal)
    except Exception as broken:  # a verdict too: whatever it is, it is our fault
        outcome.crash = repr(broken)
    outcome.seconds = time.monotonic() - began
    return outcome


def judge(known: Known, outcome: Outcome) -> tuple[str, str, str]:
    """The verdict, what was found and its locator's label."""
    if outcome.crash:
        return "crashed", outcome.crash, ""
    if outcome.seconds > SLOW:
        return "too_slow", outcome.refusal, ""
    if outcome.refusal:
        allowed = known.must_be_refused or known.may_be_refused
        return ("ok" if allowed else "missing"), f"refused: {outcome.refusal}", ""
    if known.must_be_refused:
        return "not_refused", "".join(part.text for part in outcome.parts)[:200], ""
    forbidden = FORBIDDEN.search(known.expected)
    if forbidden and any(forbidden[1] in part.text for part in outcome.parts):
        return "not_refused", forbidden[1], ""
    if not known.phrases:
        read = sum(len(part.text) for part in outcome.parts)
        return "ok", f"{read} characters. " + " ".join(n.reason for n in outcome.notices), ""
    return _located(known, outcome)


def _located(known: Known, outcome: Outcome) -> tuple[str, str, str]:
    elsewhere = ""
    for phrase in known.phrases:
        for part in outcome.parts:
            if not _holds(f"{part.header}\n{part.text}", phrase):
                continue
            label = _label(part, phrase, outcome.title)
            if _is_at(part, known.where):
                return "ok", phrase, label
            elsewhere = elsewhere or label
    if elsewhere:
        return "wrong_place", known.phrases[0], elsewhere
    notices = " ".join(notice.reason for notice in outcome.notices)
    if outcome.notices and known.notice_will_do:
        return "ok", notices, ""
    return "missing", notices, ""


def _is_at(part: ReadPart, where: str) -> bool:
    if where in {"-", ""}:
        return True
    if numbered := PLACE.match(where):
        kind = {"p": "page", "s": "slide"}[numbered[1]]
        return part.kind == kind and part.number == int(numbered[2])
    return part.kind == "sheet" and where in part.label


def _label(part: ReadPart, phrase: str, title: str) -> str:
    """The label of the passage that holds the phrase; of the part where it is cut in two."""
    passages = (piece.label for piece in chunking.cut(part, title) if _holds(piece.text, phrase))
    return next(passages, part.label)


def _holds(text: str, phrase: str) -> bool:
    return any(folded(phrase, form) in folded(text, form) for form in ("NFC", "NFKC"))


def folded(text: str, form: str = "NFC") -> str:
    """For comparing: normalised, without soft hyphens, with single spaces."""
    normal = unicodedata.normalize("NFKC" if form == "NFKC" else "NFC", text)
    return " ".join(normal.replace("\u00ad", "").split())
