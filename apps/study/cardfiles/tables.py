"""Cards in CSV, TSV or Anki's own text export: two columns are enough."""

import csv
import hashlib
import io
from collections.abc import Iterator
from pathlib import Path

from apps.library.parsing import Refusal
from apps.library.parsing.words import _, gettext_noop
from apps.study.cardfiles.fields import BACK, FRONT, FoundCard, tags, text

MOST_BYTES = 20 << 20
LONGEST = 1 << 20  # characters of a cell
SEPARATORS = {"tab": "\t", "comma": ",", "semicolon": ";", "pipe": "|", "space": " ", "colon": ":"}
FORMULA = ("=", "+", "-", "@", "\t", "\r")
GERMAN = {"vorderseite": "front", "rückseite": "back"}
FEW = gettext_noop("No card was found: a table of cards has a front and a back in each row.")


def read(path: Path, name: str) -> Iterator[FoundCard]:
    """The table's cards; raises Refusal."""
    if path.stat().st_size > MOST_BYTES:
        raise Refusal(
            _("A table of cards may have %(size)s MB at most.") % {"size": MOST_BYTES >> 20}
        )
    content = path.read_bytes()
    if b"\x00" in content:
        raise Refusal(_("This is neither an Anki package (.apkg) nor a table (CSV, TSV)."))
    try:
        decoded = content.decode("utf-8-sig")
    except UnicodeDecodeError:
        decoded = content.decode("cp1252", "replace")
    lines = io.StringIO(decoded, newline="").readlines()
    told: dict[str, str] = {}
    while lines and lines[0].startswith("#") and ":" in lines[0]:
        key, _colon, value = lines.pop(0)[1:].strip().partition(":")
        told[key.lower()] = value
    csv.field_size_limit(LONGEST)
    try:
        yield from _cards(list(csv.reader(lines, delimiter=_separator(told, lines))), told, name)
    except csv.Error as fault:
        raise Refusal(_("The table cannot be read: %(fault)s.") % {"fault": fault}) from None


def _cards(rows: list[list[str]], told: dict[str, str], name: str) -> Iterator[FoundCard]:
    columns = _columns(rows, told)
    if max((len(row) for row in rows), default=0) <= max(columns["front"], columns["back"]):
        raise Refusal(_(FEW))
    markup = told.get("html", "").lower() == "true"

    def cell(row: list[str], column: str) -> str:
        place = columns.get(column, -1)
        value = row[place] if 0 <= place < len(row) else ""
        if value[:1] == "'" and value[1:2] in FORMULA:  # as we write it ourselves
            value = value[1:]
        return text(value) if markup and column in ("front", "back") else value.strip()

    for row in filter(any, rows):
        front, back = cell(row, "front")[:FRONT], cell(row, "back")[:BACK]
        words = hashlib.blake2b(f"{front}\0{back}".encode(), digest_size=12).hexdigest()
        deck = cell(row, "deck") or Path(name).stem
        guid = (cell(row, "guid") or f"csv-{words}")[:64]
        yield FoundCard(guid, front, back, deck[:200], tags=tags(cell(row, "tags")))


def _columns(rows: list[list[str]], told: dict[str, str]) -> dict[str, int]:
    """Which column is what: by the header row, which is taken out, or by Anki's own head."""
    head = [value.strip().lower() for value in rows[0]] if rows else []
    head = [GERMAN.get(value, value) for value in head]
    if "front" in head and "back" in head:
        rows.pop(0)
        known = ("front", "back", "guid", "deck", "tags")
        return {key: head.index(key) for key in known if key in head}
    found = {
        key: int(told[f"{key} column"]) - 1
        for key in ("guid", "deck", "notetype", "tags")
        if told.get(f"{key} column", "").isdigit()
    }
    free = [n for n in range(50) if n not in found.values()]
    return {"front": free[0], "back": free[1]} | found


def _separator(told: dict[str, str], lines: list[str]) -> str:
    if named := told.get("separator", ""):
        named = SEPARATORS.get(named.lower(), named)
        if (len(named) == 1 and named.isprintable()) or named == "\t":
            return named
    first = "".join(lines[:20])
    return max("\t;,", key=first.count)
