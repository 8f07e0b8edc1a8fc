"""Which tool a question plainly asks for, told by its words alone.

What is told here needs no model: arithmetic, the time and the list of documents are answered even
where only sentences can be quoted, and a small model is spared what it does badly.
"""

import re
from dataclasses import dataclass, field
from typing import Any

from apps.chat.calculator import LONGEST, CannotCompute, NoArithmetic, compute

LEAD = re.compile(
    r"^(please|bitte|can you|could you|kannst du|what(?:'s| is| are)|how much (?:is|are|makes?)"
    r"|was (?:ist|sind|ergibt)|wie ?viel (?:ist|sind|macht|ergibt)|calculate|compute|work out"
    r"|berechne|rechne(?: aus)?|solve|the (?:result|value) of|das ergebnis von|die summe von"
    r")\b[:\s]*",
    re.I,
)
TRAIL = re.compile(r"(\s*(?:please|bitte|aus|equals?|gleich|is|ist)?\s*[?=.!]*\s*)$", re.I)
IN_WORDS = (
    (re.compile(r"\b(?:times|multiplied by|mal)\b", re.I), "*"),
    (re.compile(r"\b(?:divided by|over|geteilt durch|durch)\b", re.I), "/"),
    (re.compile(r"\bplus\b", re.I), "+"),
    (re.compile(r"\bminus\b", re.I), "-"),
    (re.compile(r"\b(?:to the power of|hoch)\b", re.I), "**"),
    (re.compile(r"\b(?:percent|per cent|prozent)\b", re.I), "%"),
    (
        re.compile(
            r"\b(?:the |die )?(?:square root of|wurzel (?:aus|von)|quadratwurzel (?:aus|von))\s*"
            r"(\d+(?:[.,]\d+)?)",
            re.I,
        ),
        r"sqrt(\1)",
    ),
)
OPERATION = re.compile(r"\d[\d.,)\s]*(?:[-+*/%^×÷·−]|\*\*)|sqrt\(")
# These have figures and strokes, too.
DATE = re.compile(r"^\s*\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4}\s*$")
RANGE = re.compile(r"^\s*\d+\s*[-–/]\s*\d+\s*$")  # unless it is asked for as a sum
NOW = r"(?: now| today| right now| jetzt| gerade| heute)?"
KIND_OF_DAY = r"(?:tag|datum|wochentag|monat|jahr)"
TIME = re.compile(
    r"^(?:please |bitte )?(?:tell me |sag mir )?(?:"
    rf"what(?:'s| is)? (?:the )?(?:current |exact )?(?:time|date)(?: is it)?{NOW}"
    rf"|what (?:day|month|year) is (?:it|today){NOW}"
    rf"|(?:what(?:'s| is) )?today'?s date|the (?:time|date){NOW}"
    rf"|wie sp[äa]e?t ist es{NOW}|wie ?viel uhr (?:ist es|haben wir){NOW}"
    rf"|(?:welche[rs]?|was f[üu]r ein(?:en)?) {KIND_OF_DAY} (?:ist (?:heute|es)|haben wir){NOW}"
    r"|welches datum ist heute|aktuelles? (?:uhrzeit|datum)|den wievielten haben wir(?: heute)?"
    r")\s*[?.!]*$",
    re.I,
)
THINGS = r"(?:documents?|files?|dokumente?|dateien|unterlagen)"
REST = r"\b[^?]{0,40}"
LISTING = re.compile(
    r"^(?:please |bitte )?(?:"
    rf"(?:list|show|name)(?: me)?(?: all)?(?: of)?(?: the| my| our)? {THINGS}"
    rf"|(?:which|what|how many) {THINGS} (?:do|can|are|have|is|did){REST}"
    rf"|(?:welche|was f[üu]r|wie ?viele) {THINGS} (?:habe?n?|gibt|sind|liegen|kennst){REST}"
    r"|(?:liste|zeige?|nenne?)(?: mir| uns)?(?: bitte)?(?: alle)?(?: meine| die| unsere)? "
    rf"{THINGS}(?: auf)?"
    r")\s*(?:here|there|hier|in (?:this|my) (?:vault|library|workspace))?\s*[?.!]*$",
    re.I,
)
ABOUT = re.compile(
    r"\b(?:about|for|für|on|mention|contain|say|über|zu|erwähn|enthalt|steht)\w*\b", re.I
)
COMPARE = re.compile(
    r"\b(?:compare|difference between|vergleich\w*|unterschied\w* zwischen)\b", re.I
)


@dataclass(frozen=True, slots=True)
class Need:
    """A tool and its arguments; a certain one is all there is to the question."""

    tool: str
    arguments: dict[str, Any] = field(default_factory=dict)


def plain(question: str) -> Need | None:
    """The tool whose result is the whole answer; None for a question to the documents."""
    text = " ".join(question.split())
    if TIME.match(text):
        return Need("current_time")
    if LISTING.match(text) and not ABOUT.search(text):
        return Need("list_documents")
    if expression := arithmetic(text):
        return Need("calculator", {"expression": expression})
    return None


def compares(question: str) -> bool:
    """Whether things are to be compared."""
    return bool(COMPARE.search(question))


def arithmetic(text: str) -> str:
    """The expression a question consists of, "" where there is more to it or nothing to compute."""
    if len(text) > LONGEST or not any(letter.isdigit() for letter in text):
        return ""
    asked = text
    while found := LEAD.match(text):
        text = text[found.end() :]
    text = TRAIL.sub("", text).strip()
    for words, sign in IN_WORDS:
        text = words.sub(sign, text)
    if DATE.match(text) or (text == asked and RANGE.match(text)) or not OPERATION.search(text):
        return ""
    try:
        compute(text)
    except NoArithmetic:
        return ""
    except CannotCompute:  # the reader is told why
        return text
    return text
