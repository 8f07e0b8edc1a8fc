"""What parsers say to people, in the language that the order asks for.

The child knows no Django, so the room's own translations are opened with Python's gettext.
"""

import gettext
from pathlib import Path

LOCALE = Path(__file__).parent.parent / "locale"
_spoken: gettext.NullTranslations = gettext.NullTranslations()


def speak(language: str, locale: Path = LOCALE) -> None:
    """From now on say all in this language ("de", "de-at"); in English where there is none."""
    global _spoken
    known = [language, language.partition("-")[0]] if language else []
    _spoken = gettext.translation("django", locale, known, fallback=True)


def _(message: str) -> str:
    return _spoken.gettext(message)


def gettext_noop(message: str) -> str:
    """Mark a text for translation where it is written down; it is translated where it is said."""
    return message
