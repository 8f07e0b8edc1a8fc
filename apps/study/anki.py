"""Give a deck away: as an Anki package with its history, or as a table.

Names are stable: a card's guid is ours for ever, a deck's number is when it was made, the note
type's is fixed. So a deck that is imported into Anki again changes its cards and adds none.
"""

import csv
import html
import io
import json
import re
import sqlite3
import tempfile
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import fsrs
import genanki
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import pgettext

from apps.library import labels
from apps.study.cardfiles.tables import FORMULA
from apps.study.models import Card, Deck, Review

NOTETYPE = 1_764_374_400_911
NEW, LEARNING, REVIEW = 0, 1, 2  # Anki's types of a card
DAY_MS = 86_400_000
Address = Callable[[Card], str]  # where a card's passage is shown, "" where it is gone

MODEL = genanki.Model(
    NOTETYPE,
    "Vaultsite",
    fields=[{"name": "Front"}, {"name": "Back"}, {"name": "Source"}],
    templates=[
        {
            "name": "Card 1",
            "qfmt": "{{Front}}",
            "afmt": '{{FrontSide}}<hr id="answer">{{Back}}<div class="source">{{Source}}</div>',
        }
    ],
    css=".card { font: 20px/1.4 serif; text-align: center; } "
    ".source { margin-top: 2em; font-size: 14px; opacity: 0.7; }",
)
ADD_REVIEW = """
INSERT OR IGNORE INTO revlog (id, cid, usn, ease, ivl, lastIvl, factor, time, type)
VALUES (:at, :card, -1, :grade, :days, 0, 0, :spent, :kind)
"""
SCHEDULE = """
UPDATE cards SET type = :kind, queue = :kind, due = :due, ivl = :days, factor = 2500,
                 reps = :reps, lapses = :lapses, data = :memory
WHERE id = :card
"""
KINDS = {"review": 1, "relearning": 2}  # of a review in Anki; learning is 0


def package(deck: Deck, address: Address) -> bytes:
    """The deck as .apkg, with its cards' sources, reviews and schedules."""
    written = genanki.Deck(int(deck.created_at.timestamp() * 1000), deck.title)
    cards = {card.guid: card for card in deck.cards.prefetch_related("reviews")}
    for card in cards.values():
        fields = [_field(card.front), _field(card.back), _source(card, address(card))]
        written.add_note(genanki.Note(MODEL, fields, tags=_tags(card), guid=card.guid))
    with tempfile.TemporaryDirectory(prefix="vault-apkg-") as folder:
        file = Path(folder) / "collection.anki2"
        database = sqlite3.connect(file)
        try:
            now = timezone.now().timestamp()
            numbers = iter(range(int(now * 1000), 1 << 62))
            genanki.Package(written).write_to_db(database.cursor(), now, numbers)
            _add_history(database, cards)
            database.commit()
        finally:
            database.close()
        content = io.BytesIO()
        with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.write(file, "collection.anki2")
            archive.writestr("media", "{}")
    return content.getvalue()


def table(deck: Deck, address: Address) -> Iterator[str]:
    """The deck as CSV with a header row, in pieces; no cell is a formula."""
    line = io.StringIO()
    writer = csv.writer(line)
    sides = [pgettext("side of a card", "Front"), pgettext("side of a card", "Back")]
    head = [*sides, _("Source"), _("Link"), _("Status"), "Guid", "Tags"]
    writer.writerow(head)
    for card in deck.cards.all():
        cells = [card.front, card.back, _place(card), address(card), card.status, card.guid]
        cells.append(" ".join(card.tags))
        writer.writerow([_harmless(cell) for cell in cells])
        yield line.getvalue()
        line.seek(0)
        line.truncate()
    yield line.getvalue()


def _add_history(database: sqlite3.Connection, cards: dict[str, Card]) -> None:
    # Else Anki takes the grades for those of its first scheduler, which had no Hard in learning.
    conf = json.loads(database.execute("SELECT conf FROM col").fetchone()[0]) | {"schedVer": 2}
    database.execute("UPDATE col SET conf = ?", [json.dumps(conf)])
    began = database.execute("SELECT crt FROM col").fetchone()[0] * 1000
    rows = database.execute("SELECT c.id, n.guid FROM cards c JOIN notes n ON n.id = c.nid")
    for number, guid in rows.fetchall():
        card = cards[guid]
        reviews = list(card.reviews.all())
        if not card.schedule or card.due_at is None:
            continue
        for review, following in zip(reviews, [*reviews[1:], None], strict=True):
            database.execute(ADD_REVIEW, _review_row(number, review, following))
        known = card.schedule["state"] == fsrs.State.Review
        if not known:
            continue  # what is being learned this minute begins anew in Anki
        due_ms, last_ms = (int(at.timestamp() * 1000) for at in (card.due_at, reviews[-1].at))
        memory = {"s": card.schedule["stability"], "d": card.schedule["difficulty"]}
        told = {
            "kind": REVIEW,
            "due": (due_ms - began) // DAY_MS,
            "days": max(1, round((due_ms - last_ms) / DAY_MS)),
            "reps": len(reviews),
            "lapses": card.lapses,
            "memory": json.dumps({key: round(value, 3) for key, value in memory.items()}),
            "card": number,
        }
        database.execute(SCHEDULE, told)


def _review_row(number: int, review: Review, following: Review | None) -> dict[str, Any]:
    days = (following.at - review.at).days if following else 1
    return {
        "at": int(review.at.timestamp() * 1000 + 0.0005),
        "card": number,
        "grade": review.grade,
        "days": max(1, days),
        "spent": int(1000 * (review.seconds or 0)),
        "kind": KINDS.get(review.state, 0),
    }


def _field(text: str) -> str:
    """Text as a field's HTML; a bracket could begin LaTeX or a sound."""
    return html.escape(text).replace("[", "&#91;").replace("\n", "<br>")


def _place(card: Card) -> str:
    """The document a card was made from, and where in it."""
    return ", ".join(filter(None, [card.document_name, labels.said(card.label)]))


def _source(card: Card, address: str) -> str:
    told = _field(_place(card))
    if address:
        told = f'<a href="{html.escape(address)}">{told or _("Source")}</a>'
    return f"{_field(card.quote)}<br>{told}" if card.quote else told


def _tags(card: Card) -> list[str]:
    name = re.sub(r"[^\w.-]+", "_", card.document_name).strip("_")
    return ["vaultsite", *([name] if name else []), *card.tags]


def _harmless(cell: str) -> str:
    """A spreadsheet would run what begins like a formula."""
    return f"'{cell}" if cell.startswith(FORMULA) else cell
