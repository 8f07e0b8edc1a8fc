"""Greetings, thanks and questions about the vault itself, answered by rule and without a source.

Only what is nothing else is taken for small talk: "Hello, how long is the notice?" is a question.
"""

import re
from dataclasses import dataclass

from apps.chat import prompt
from apps.chat.prompt import Language
from apps.library.models import Workspace
from apps.web.database import borrowed

# What is said, in the order in which it is answered. German and English are told by the words.
SAYING: dict[str, dict[Language, str]] = {
    "greeting": {
        "en": r"hello|hi|hey|hiya|good (?:morning|afternoon|evening|day)|greetings|how are you"
        r"(?: doing)?(?: today)?|how do you do|nice to meet you",
        "de": r"hallo|hi|hey|moin(?: moin)?|servus|gr(?:üß|ue(?:ss|ß)) (?:gott|dich|sie)|guten"
        r" (?:morgen|tag|abend)|wie geht(?:'s| es)?(?: dir| ihnen)?(?: heute)?",
    },
    "thanks": {
        "en": r"thanks?(?: you)?(?: (?:so|very) much| a lot)?(?: for (?:that|your help))?|cheers"
        r"|much appreciated|great|perfect|well done|good(?: job)?|ok(?:ay)?",
        "de": r"danke(?: (?:dir|ihnen))?(?: sehr| schön)?|dankeschön|vielen(?: herzlichen)? dank"
        r"(?: dafür)?|besten dank|super|prima|perfekt|toll|gut gemacht|ok(?:ay)?",
    },
    "farewell": {
        "en": r"(?:good )?bye|goodbye|good night|see you(?: later| soon)?",
        "de": r"tschüss?|tschüß|auf wiedersehen|gute nacht|bis (?:bald|später|dann|morgen)",
    },
    "itself": {
        "en": r"(?:who|what) (?:exactly )?(?:are|r) you|what is this (?:place|app|program|vault)"
        r"|what(?:'s| is) your name|what (?:can|do) you do(?: for me)?|how (?:can|could) you help"
        r"(?: me)?|what can i (?:ask|do)(?: you| here)?|how do you work|are you (?:an? )?(?:ai|bot"
        r"|human(?: being)?|robot|machine|person|chatgpt|chat ?bot)|introduce yourself|help me",
        "de": r"(?:wer|was) (?:bist du|sind sie)|was ist das hier|wie hei(?:ß|ss)(?:t du|en sie)"
        r"|was (?:kannst du|können sie)(?: alles)?(?: für mich tun)?|wie (?:kannst du|können sie)"
        r" mir helfen|was kann (?:ich|man) (?:dich|sie|dir|ihnen|hier)?(?: ?hier)?(?: ?alles)?"
        r" ?(?:fragen|tun|machen)|wie funktioniert (?:das|es) hier|(?:bist du|sind sie) (?:eine? )?"
        r"(?:ki|mensch|bot|roboter|maschine|chatbot)|stell(?: dich|en sie sich) vor|hilf mir",
    },
}
FILLER = (
    r"(?:there|all|everyone|vault|vaultsite|again|then|please|and|so|well"
    r"|zusammen|mal|bitte|denn|und|also|auch)"
)
BETWEEN = r"[\s,;.!?:)(…–-]*"
LONGEST = 120  # characters; what is longer has something to ask


def _pattern(language: Language) -> re.Pattern[str]:
    each = "|".join(f"(?P<{kind}>{said[language]})" for kind, said in SAYING.items())
    return re.compile(rf"{BETWEEN}(?:{each}|{FILLER})\b", re.I)


PATTERNS: dict[Language, re.Pattern[str]] = {"en": _pattern("en"), "de": _pattern("de")}
OPENING: dict[str, dict[Language, str]] = {
    "greeting": {"en": "Hello.", "de": "Guten Tag."},
    "thanks": {"en": "You are welcome.", "de": "Gern geschehen."},
    "farewell": {"en": "Goodbye.", "de": "Auf Wiedersehen."},
}
ITSELF: dict[Language, str] = {
    "en": "This is your vault: it answers from your own documents, on this machine, and shows the"
    " passages that an answer stands on. It is a program, not a person, and it says so where your"
    " documents do not hold an answer.",
    "de": "Das ist Ihr Vault: Er antwortet aus Ihren eigenen Dokumenten, auf diesem Rechner, und"
    " zeigt die Textstellen, auf denen eine Antwort beruht. Er ist ein Programm, kein Mensch, und"
    " sagt es, wenn Ihre Dokumente eine Antwort nicht enthalten.",
}
ASK: dict[Language, tuple[str, str]] = {  # without documents, with some
    "en": (
        "There are no documents in this workspace yet. Add some to the library, then ask what"
        " stands in them.",
        "Ask for what stands in them, have one summarised or two compared, or ask how many rows of"
        " a table fit.",
    ),
    "de": (
        "In diesem Arbeitsbereich gibt es noch keine Dokumente. Fügen Sie der Bibliothek welche"
        " hinzu, und fragen Sie dann nach dem, was darin steht.",
        "Fragen Sie nach dem, was darin steht, lassen Sie eines zusammenfassen oder zwei"
        " vergleichen, oder fragen Sie, wie viele Zeilen einer Tabelle passen.",
    ),
}
MORE: dict[Language, str] = {
    "en": "What do you want to know from your documents?",
    "de": "Was möchten Sie aus Ihren Dokumenten wissen?",
}


@dataclass(frozen=True, slots=True)
class SmallTalk:
    """What was said, by kinds of saying, and in which language."""

    kinds: frozenset[str]
    language: Language


def heard(text: str) -> SmallTalk | None:
    """The small talk a text consists of; None for everything else."""
    if len(text) > LONGEST:
        return None
    usual = prompt.language_of(text)
    other: Language = "en" if usual == "de" else "de"
    for language in (usual, other):
        if kinds := _kinds(text, PATTERNS[language]):
            return SmallTalk(kinds, language)
    return None


def _kinds(text: str, pattern: re.Pattern[str]) -> frozenset[str]:
    """The kinds of saying that a text is made of from beginning to end."""
    kinds, at = set[str](), 0
    while found := pattern.match(text, at):
        kinds |= {kind for kind, said in found.groupdict().items() if said}
        at = found.end()
    return frozenset() if re.sub(BETWEEN, "", text[at:]) else frozenset(kinds)


def reply(said: SmallTalk, workspace: Workspace) -> str:
    """A short and honest answer."""
    language = said.language
    words = [openings[language] for kind, openings in OPENING.items() if kind in said.kinds]
    if said.kinds <= {"thanks", "farewell"}:
        return words[-1]
    if "itself" in said.kinds:
        words.append(ITSELF[language])
        with borrowed():
            words.append(ASK[language][workspace.documents.searchable().exists()])
    else:
        words.append(MORE[language])
    return " ".join(words)
