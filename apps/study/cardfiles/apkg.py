"""Anki packages: a zip with a SQLite database in one of three formats, from anybody.

Nothing is unpacked to disk: the database is read from memory, only its tables are, by statements
of ours alone, and each has a limit.
"""

import json
import sqlite3
import time
import zipfile
import zlib
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

import zstandard

from apps.library.parsing import Refusal
from apps.library.parsing.words import _, gettext_noop
from apps.study.cardfiles.fields import FoundCard, cloze_sides, sides, tags, text

# The newest first: a new package also holds an old database that only says "update Anki".
COLLECTIONS = ("collection.anki21b", "collection.anki21", "collection.anki2")
MOST_MEMBERS = 50_000
MOST_BYTES = 128 << 20  # of the database, unpacked
WINDOW = 128 << 20  # bytes that a zstd frame may want
MOST_ROWS = 200_000
MOST_REVIEWS = 500  # of one card
SECONDS = 20.0
TABLES = {"col", "notes", "cards", "revlog", "decks", "notetypes", "fields", "templates"}
DAMAGED = gettext_noop("This package is damaged. Export it from Anki again.")
WAL, ROLLBACK = b"\x02\x02", b"\x01\x01"


@dataclass(frozen=True, slots=True)
class Notetype:
    fields: list[str]
    templates: list[tuple[str, str]]  # question and answer
    cloze: bool


def read(path: Path) -> Iterator[FoundCard]:
    """The package's cards; raises Refusal."""
    try:
        database = _opened(_collection(path))
        yield from _cards(database)
    except (zipfile.BadZipFile, zlib.error, zstandard.ZstdError, EOFError, NotImplementedError):
        raise Refusal(_(DAMAGED)) from None
    except (
        sqlite3.Error,
        ValueError,
        LookupError,
        TypeError,
        AttributeError,
        RecursionError,
        OverflowError,
    ):
        raise Refusal(_("The database in this package cannot be read. Export it again.")) from None


def _collection(path: Path) -> bytes:
    with zipfile.ZipFile(path) as archive:
        names = archive.namelist()
        if len(names) > MOST_MEMBERS:
            raise Refusal(
                _("This package holds more than %(count)s files.") % {"count": MOST_MEMBERS}
            )
        name = next((each for each in COLLECTIONS if each in names), None)
        if name is None:
            raise Refusal(_("This is no Anki package: there is no collection in it."))
        if archive.getinfo(name).flag_bits & 1:
            raise Refusal(_("This package is encrypted."))
        with archive.open(name) as member:
            if name == COLLECTIONS[0]:
                unpacked = zstandard.ZstdDecompressor(max_window_size=WINDOW)
                with unpacked.stream_reader(member) as stream:
                    return _bounded(stream)
            return _bounded(member)


def _bounded(stream: IO[bytes]) -> bytes:
    """All of it; what the zip says about its size does not count."""
    held = bytearray()
    while piece := stream.read(1 << 20):
        held += piece
        if len(held) > MOST_BYTES:
            raise Refusal(
                _("The collection is larger than %(size)s MB unpacked.")
                % {"size": MOST_BYTES >> 20}
            )
    return bytes(held)


def _opened(content: bytes) -> sqlite3.Connection:
    if not content.startswith(b"SQLite format 3\x00"):
        raise Refusal(_(DAMAGED))
    if content[18:20] == WAL:  # a journal beside the file is not there, and in memory cannot be
        content = content[:18] + ROLLBACK + content[20:]
    database = sqlite3.connect(":memory:")
    database.deserialize(content)
    database.text_factory = lambda raw: raw.decode("utf-8", "replace")
    database.create_collation("unicase", lambda a, b: (a > b) - (a < b))
    database.execute("PRAGMA trusted_schema = OFF")
    database.execute("PRAGMA query_only = ON")
    database.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, 64 << 20)
    database.setlimit(sqlite3.SQLITE_LIMIT_EXPR_DEPTH, 50)
    until = time.monotonic() + SECONDS
    database.set_progress_handler(lambda: time.monotonic() > until, 20_000)
    database.set_authorizer(_may)
    return database


def _may(
    action: int, table: str | None, column: str | None, schema: str | None, inside: str | None
) -> int:
    """Only our own SELECT on tables: no view, function, trigger, pragma or attached file."""
    if action == sqlite3.SQLITE_SELECT:
        return sqlite3.SQLITE_OK
    known = table in TABLES or table in ("sqlite_master", "sqlite_schema")
    if action == sqlite3.SQLITE_READ and known and inside is None:
        return sqlite3.SQLITE_OK
    return sqlite3.SQLITE_DENY


def _tables(database: sqlite3.Connection) -> set[str]:
    """The real tables; a view or virtual table of that name is none."""
    rows = database.execute("SELECT name, sql FROM sqlite_master WHERE type = 'table'").fetchall()
    return {name for name, sql in rows if str(sql).lstrip().upper().startswith("CREATE TABLE")}


def _cards(database: sqlite3.Connection) -> Iterator[FoundCard]:
    tables = _tables(database)
    if not {"notes", "cards"} <= tables:
        raise Refusal(_("There are no cards in this package."))
    split = {"notetypes", "fields", "templates", "decks"} <= tables
    types, decks = _new_kinds(database) if split else _old_kinds(database)
    old = not split and _first_scheduler(database)
    reviews = _reviews(database, old) if "revlog" in tables else {}
    notes = {
        row[0]: row[1:]
        for row in database.execute(
            "SELECT id, guid, mid, flds, tags FROM notes LIMIT ?", [MOST_ROWS]
        )
    }
    rows = database.execute(
        "SELECT id, nid, did, ord FROM cards ORDER BY nid, ord LIMIT ?", [MOST_ROWS]
    )
    for card, note, deck, place in rows:
        if note not in notes or not isinstance(place, int):
            continue
        guid, kind, fields, told = (str(value) for value in notes[note])
        front, back = _sides(types.get(kind), fields, place)
        yield FoundCard(
            guid=f"{guid}-{place}"[:64] if place else guid[:64],
            front=front,
            back=back,
            deck=" / ".join(decks.get(str(deck), "").replace("\x1f", "::").split("::"))[:200],
            reviews=reviews.get(card, [])[-MOST_REVIEWS:],
            tags=tags(told),
        )


def _sides(kind: Notetype | None, fields: str, place: int) -> tuple[str, str]:
    values = [text(value) for value in fields.split("\x1f")[:50]]
    names = kind.fields if kind and len(kind.fields) >= len(values) else []
    named = {names[n] if names else str(n): value for n, value in enumerate(values)}
    if kind and kind.cloze:
        return cloze_sides(named, place + 1)
    templates = kind.templates if kind else []
    question, answer = templates[place] if place < len(templates) else ("", "")
    return sides(named, question, answer)


def _old_kinds(database: sqlite3.Connection) -> tuple[dict[str, Notetype], dict[str, str]]:
    """Note types and decks as JSON in the one row of `col`."""
    models, decks = database.execute("SELECT models, decks FROM col LIMIT 1").fetchone()
    types = {
        str(key): Notetype(
            [str(field["name"]) for field in model["flds"]],
            [(str(each["qfmt"]), str(each["afmt"])) for each in model["tmpls"]],
            model.get("type") == 1,
        )
        for key, model in json.loads(models).items()
    }
    return types, {str(key): str(deck["name"]) for key, deck in json.loads(decks).items()}


def _new_kinds(database: sqlite3.Connection) -> tuple[dict[str, Notetype], dict[str, str]]:
    """Note types and decks in tables of their own, details as protocol buffers."""
    fields: dict[Any, list[str]] = defaultdict(list)
    rows = database.execute("SELECT ntid, name FROM fields ORDER BY ntid, ord LIMIT 10000")
    for kind, name in rows:
        fields[kind].append(str(name))
    templates: dict[Any, list[tuple[str, str]]] = defaultdict(list)
    rows = database.execute("SELECT ntid, config FROM templates ORDER BY ntid, ord LIMIT 10000")
    for kind, config in rows:
        told = _strings(bytes(config))
        templates[kind].append((told.get(1, ""), told.get(2, "")))
    types = {
        str(kind): Notetype(fields[kind], templates[kind], _first_number(bytes(config)) == 1)
        for kind, config in database.execute("SELECT id, config FROM notetypes LIMIT 10000")
    }
    decks = database.execute("SELECT id, name FROM decks LIMIT 10000")
    return types, {str(deck): str(name) for deck, name in decks}


def _first_scheduler(database: sqlite3.Connection) -> bool:
    """Whether the reviews are of Anki's first scheduler: no Hard while a card is learned."""
    conf = database.execute("SELECT conf FROM col LIMIT 1").fetchone()[0]
    told = json.loads(conf) if conf else {}
    return bool(told.get("schedVer", 1) == 1)


def _reviews(database: sqlite3.Connection, old: bool) -> dict[Any, list[tuple[int, int, int]]]:
    found: dict[Any, list[tuple[int, int, int]]] = defaultdict(list)
    rows = database.execute(
        "SELECT cid, id, ease, time, type FROM revlog ORDER BY id LIMIT ?", [2 * MOST_ROWS]
    )
    for card, at, grade, spent, kind in rows:
        if old and kind != 1 and grade in (2, 3):
            grade += 1
        if isinstance(at, int) and grade in (1, 2, 3, 4):  # 0 is a change by hand
            found[card].append((at, int(grade), spent if isinstance(spent, int) else 0))
    return found


def _strings(message: bytes) -> dict[int, str]:
    """The text fields of a protocol buffer by their numbers."""
    return {n: v.decode("utf-8", "replace") for n, v in _parts(message) if isinstance(v, bytes)}


def _first_number(message: bytes) -> int:
    """The number in field 1 of a protocol buffer, 0 where it is not."""
    return next((v for n, v in _parts(message) if n == 1 and isinstance(v, int)), 0)


def _parts(message: bytes) -> Iterator[tuple[int, int | bytes]]:
    at = 0
    while at < len(message):
        key, at = _varint(message, at)
        match key & 7:
            case 0:
                value, at = _varint(message, at)
                yield key >> 3, value
            case 2:
                size, at = _varint(message, at)
                yield key >> 3, message[at : at + size]
                at += size
            case 1 | 5:
                at += 8 if key & 7 == 1 else 4
            case _:
                return


def _varint(message: bytes, at: int) -> tuple[int, int]:
    value = shift = 0
    while at < len(message) and shift < 70:
        byte = message[at]
        value |= (byte & 127) << shift
        at, shift = at + 1, shift + 7
        if byte < 128:
            break
    return value, at
