"""Six small documents about a housing cooperative, to try the vault with; our own writing."""

from pathlib import Path

FOLDER = Path(__file__).resolve().parent
NAMES = (
    "Heat pump manual.pdf",
    "House rules.md",
    "Maintenance log 2025.csv",
    "Nutzungsvertrag Wohnung 12.docx",
    "Rundbrief Juni 2025.html",
    "Abnahmeprotokoll (Scan).pdf",
)
FILES = tuple(FOLDER / name for name in NAMES)

# Suggested on an empty chat; each is answered by a different document, the last one by the scan.
QUESTIONS = (
    "What does error E-204 mean, and what should I do?",
    "When are the quiet hours?",
    "Welche Mängel nennt das Abnahmeprotokoll der Wärmepumpe?",
)
