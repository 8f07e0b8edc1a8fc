"""Questions that are worth asking of most documents, ready to be sent."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Ready:
    """A prompt that came with the vault."""

    title: str
    text: str


READY: dict[str, tuple[Ready, ...]] = {
    "English": (
        Ready("Key points", "What are the five most important points, each in one sentence?"),
        Ready("Dates and deadlines", "Which dates and deadlines are named, and what is due then?"),
        Ready("Duties", "Who has to do what, and by when?"),
        Ready("Numbers", "Which amounts, quantities and percentages are named, and for what?"),
        Ready("Risks", "Which risks, exceptions and limits are named?"),
        Ready("For a beginner", "Explain the main idea to somebody who knows nothing about it."),
        Ready("Open questions", "Which questions are left open?"),
    ),
    "Deutsch": (
        Ready("Kernaussagen", "Was sind die fünf wichtigsten Punkte, je in einem Satz?"),
        Ready("Fristen", "Welche Termine und Fristen werden genannt, und was ist dann fällig?"),
        Ready("Pflichten", "Wer muss was tun, und bis wann?"),
        Ready("Zahlen", "Welche Beträge, Mengen und Prozentsätze werden genannt, und wofür?"),
        Ready("Risiken", "Welche Risiken, Ausnahmen und Grenzen werden genannt?"),
        Ready("Für Anfänger", "Erkläre den Grundgedanken jemandem, der nichts davon weiß."),
        Ready("Offene Fragen", "Welche Fragen bleiben offen?"),
    ),
}
