"""What readers are told, gathered from the sources for translation, a file for each room.

    python -m tests.messages        brings the django.po and .mo of apps/<room>/locale up to date

A room's words are those of its modules and of its templates; what belongs to no room is web's.
Fill in what is empty, run it again. `tests/test_messages.py` holds that nothing is left.
"""

import sys
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path

from babel.messages import Catalog
from babel.messages.extract import extract
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po, write_po
from django.utils.translation.template import templatize

ROOT = Path(__file__).resolve().parent.parent
ROOMS = sorted(path.parent.name for path in ROOT.glob("apps/*/__init__.py"))
LANGUAGE = "de"
KEYWORDS = {
    name: places
    for plain, places in {
        "gettext": None,
        "ngettext": (1, 2),
        "pgettext": ((1, "c"), 2),
        "npgettext": ((1, "c"), 2, 3),
    }.items()
    for name in (plain, f"{plain}_lazy")
} | {"_": None, "noop": None, "gettext_noop": None}
HEADERS = [
    ("Language", LANGUAGE),
    ("MIME-Version", "1.0"),
    ("Content-Type", "text/plain; charset=UTF-8"),
    ("Content-Transfer-Encoding", "8bit"),
    ("Plural-Forms", "nplurals=2; plural=(n != 1);"),
]


class Words(Catalog):
    """A catalogue whose header has no dates and no names: changes then meet in messages only."""

    mime_headers = property(lambda self: HEADERS)


def sources(room: str) -> Iterator[tuple[Path, str]]:
    """The files a room speaks in, each with its text as Python reads it."""
    for path in sorted((ROOT / "apps" / room).glob("**/*.py")):
        if not {"migrations", "management"} & set(path.parts):
            yield path, path.read_text()
    for path in sorted((ROOT / "templates").glob("**/*.html")):
        folder = path.relative_to(ROOT / "templates").parts[0]
        if folder == room or (room == "web" and folder not in ROOMS):
            lines = templatize(path.read_text()).splitlines()
            yield path, "\n".join(line.strip() for line in lines)


def gathered(room: str) -> Catalog:
    """What a room says, untranslated."""
    found = Words(LANGUAGE, header_comment="# What readers are told.", fuzzy=False)
    for _path, text in sources(room):
        told = extract("python", BytesIO(text.encode()), KEYWORDS, ["Translators:"])
        for _line, words, comments, context in told:
            found.add(words, auto_comments=comments, context=context)
    return found


def po(room: str) -> Path:
    return ROOT / "apps" / room / "locale" / LANGUAGE / "LC_MESSAGES" / "django.po"


def translated(room: str) -> Catalog:
    """What is written in a room's file."""
    with po(room).open("rb") as file:
        return read_po(file, LANGUAGE)


def updated(room: str) -> Catalog:
    """A room's file as it should be: what is said today, with what is translated of it."""
    fresh = gathered(room)
    kept = translated(room) if po(room).exists() else Catalog(LANGUAGE)
    for message in fresh:
        known = kept.get(message.id, message.context) if message.id else None
        if known and isinstance(known.string, tuple) == isinstance(message.id, tuple):
            message.string = known.string
            message.user_comments = known.user_comments
    return fresh


def written(catalog: Catalog) -> bytes:
    """A catalogue as a .po file: sorted, and without line numbers."""
    out = BytesIO()
    write_po(out, catalog, no_location=True, sort_output=True, width=96)
    return out.getvalue()


def compiled(catalog: Catalog) -> bytes:
    """A catalogue as Django reads it, a .mo file."""
    out = BytesIO()
    write_mo(out, catalog)
    return out.getvalue()


def main() -> None:
    for room in ROOMS:
        catalog = updated(room)
        po(room).parent.mkdir(parents=True, exist_ok=True)
        po(room).write_bytes(written(catalog))
        po(room).with_suffix(".mo").write_bytes(compiled(catalog))
        empty = [message.id for message in catalog if message.id and not is_full(message.string)]
        sys.stdout.write(f"{room}: {len(catalog)} messages, {len(empty)} not translated\n")


def is_full(string: str | tuple[str, ...] | list[str] | None) -> bool:
    """Whether a message is translated, in each of its forms."""
    return all(string) if isinstance(string, tuple | list) and string else bool(string)


if __name__ == "__main__":
    main()
