"""What several documents say word for word is shown once, in the newest of them."""

from datetime import UTC, datetime

from apps.library.copies import folded
from apps.library.models import Chunk, Document, Part
from apps.library.search import Hit

CLAUSE = (
    "The tenant pays a deposit of three months’ rent, in three instalments of the same size. " * 2
)


def hit(name, day, *, score, text=CLAUSE, band="strong"):
    came = datetime(2025, 1, day, tzinfo=UTC)
    document = Document(pk=day, name=name, created_at=came, ready_at=came)
    chunk = Chunk(part=Part(text=text), document=document, text=text, start=0)
    return Hit(chunk, score, 1, 1, 0.9, band, ())


def told(hits):
    return [
        (str(first.chunk.document), first.band, [str(chunk.document) for chunk in others])
        for first, others in folded(hits)
    ]


def test_the_newest_of_several_that_are_about_as_good_stands_on_top():
    hits = [
        hit("2022", 1, score=0.37),
        hit("other", 9, score=0.36, text="x"),
        hit("2024", 3, score=0.35, band="check"),
        hit("2023", 2, score=0.34),
    ]
    assert told(hits) == [("2024", "strong", ["2023", "2022"]), ("other", "strong", [])]


def test_one_that_is_much_better_stays_on_top():
    hits = [hit("2022", 1, score=0.84), hit("2024", 3, score=0.54)]
    assert told(hits) == [("2022", "strong", ["2024"])]


def test_a_document_that_was_changed_is_newer():
    changed = hit("changed", 1, score=0.4)
    changed.chunk.document.ready_at = datetime(2025, 2, 1, tzinfo=UTC)
    assert told([hit("added", 5, score=0.4), changed])[0][0] == "changed"
