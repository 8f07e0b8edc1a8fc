"""What several documents say word for word is shown once, in the newest of them."""

from datetime import UTC, datetime

import pytest
from django.core.management import call_command

from apps.library import likeness
from apps.library.copies import folded
from apps.library.models import Chunk, Document, Part
from apps.library.search import Hit
from tests.library.passages import document

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
        (str(each.hit.chunk.document), each.hit.band, [str(chunk.document) for chunk in each.same])
        for each in folded(hits)
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


def test_the_documents_own_date_tells_which_is_newer_not_when_it_came():
    old, new = hit("old", 9, score=0.4), hit("new", 1, score=0.4)
    old.chunk.document.changed_at = datetime(2022, 2, 2, tzinfo=UTC)
    new.chunk.document.changed_at = datetime(2024, 3, 15, tzinfo=UTC)
    assert told([old, new]) == [("new", "strong", ["old"])]


@pytest.mark.parametrize("changed", [None, datetime(2026, 11, 30, 20, tzinfo=UTC)])
def test_where_the_dates_say_nothing_those_in_the_names_do(changed):
    hits = [hit("Lease_2022_old.md", 9, score=0.4), hit("Lease_2024.md", 1, score=0.4)]
    for each in hits:
        each.chunk.document.changed_at = changed
    assert told(hits)[0][0] == "Lease_2024.md"
    hits.append(hit("Lease.md", 5, score=0.4))  # says no year, so the names tell nothing
    hits[-1].chunk.document.changed_at = changed
    assert told(hits)[0][0] == "Lease_2022_old.md"


def test_of_the_same_bytes_the_first_is_shown():
    hits = [hit("a copy", 9, score=0.41), hit("original", 1, score=0.4)]
    for each in hits:
        each.chunk.document.sha256 = "5" * 64
    assert told(hits) == [("original", "strong", ["a copy"])]


THINGS = ("the cellar", "the garden", "both doors", "all windows", "the oven")
RULES = [
    f"§ {n} The tenant looks after {what} at his own cost and tells the landlord of any damage."
    for n, what in enumerate(THINGS, start=2)
]
WEEKS, MONTHS = (
    f"The tenant may end this lease with {time} notice. It has to reach the landlord in writing by"
    " the third working day of a month, so that it works at the end of the one after the next."
    for time in ("six weeks", "three months")
)


@pytest.fixture
def leases(workspace):
    """Two versions of a lease that differ in one clause, and a letter that quotes it."""

    def made(name: str, *texts: str) -> Document:
        one = document(workspace, name, texts)
        likeness.remember(one)
        return one

    made("Lease_2022_old.md", WEEKS, *RULES)
    made("Lease_2024.md", MONTHS, *RULES)
    made("letter 2025.md", MONTHS.replace("three", "five"), "Dear Ada, the cat is well.")
    return workspace


def clause(name: str, score: float, band: str = "strong", words: tuple[str, ...] = ()) -> Hit:
    chunk = Chunk.objects.select_related("document", "part").get(document__name=name, ordinal=0)
    return Hit(chunk, score, 1, 1, 0.9, band, words)


def shown(*hits: Hit) -> list[tuple[str, str]]:
    return [
        (str(each.hit.chunk.document), str(each.newer.document) if each.newer else "")
        for each in folded(hits)
    ]


NEWER, OLDER = ("Lease_2024.md", ""), ("Lease_2022_old.md", "Lease_2024.md")


def test_a_newer_version_stands_above_the_older_one_which_says_so(leases):
    letter = ("letter 2025.md", "")
    hits = [clause("Lease_2022_old.md", 0.36), clause("letter 2025.md", 0.355)]
    assert shown(*hits, clause("Lease_2024.md", 0.35)) == [NEWER, OLDER, letter]
    assert shown(clause("Lease_2024.md", 0.4), *hits) == [NEWER, OLDER, letter]
    assert shown(*hits) == [("Lease_2022_old.md", ""), letter]


@pytest.mark.parametrize(
    "better",
    [
        {"score": 0.6},
        {"score": 0.41, "words": ("notice", "Six", "weeks")},
        {"score": 0.41, "band": "strong"},
    ],
)
def test_an_older_version_that_answers_better_stays_on_top_and_says_so(leases, better):
    newer = clause("Lease_2024.md", 0.4, "check", ("notice",))
    better = {"band": "check", "words": ("notice",)} | better
    assert shown(clause("Lease_2022_old.md", **better), newer) == [OLDER, NEWER]


def test_without_a_date_nothing_is_called_older(leases):
    Document.objects.filter(name="Lease_2022_old.md").update(name="Lease.md")
    hits = [clause("Lease.md", 0.36), clause("Lease_2024.md", 0.35)]
    assert shown(*hits) == [("Lease.md", ""), ("Lease_2024.md", "")]
    Document.objects.filter(name="Lease.md").update(changed_at=datetime(2022, 2, 2, tzinfo=UTC))
    Document.objects.exclude(name="Lease.md").update(changed_at=datetime(2024, 3, 2, tzinfo=UTC))
    hits = [clause("Lease.md", 0.36), clause("Lease_2024.md", 0.35)]
    assert shown(*hits) == [NEWER, ("Lease.md", "Lease_2024.md")]


def test_only_passages_that_are_near_ask_the_database(leases, django_assert_num_queries):
    hits = [clause("Lease_2024.md", 0.4), hit("other", 9, score=0.36, text=RULES[0])]
    with django_assert_num_queries(0):
        folded(hits)
    hits.append(clause("Lease_2022_old.md", 0.3))
    with django_assert_num_queries(1):
        folded(hits)


def test_the_page_and_the_terminal_mark_an_older_version(leases, reader, capsys):
    html = " ".join(reader.get("/search/", {"q": "tenant may end this lease"}).text.split())
    assert '<span class="pill">older version</span>' in html
    assert 'An older version; newer is <a href="/library/passages/' in html
    assert html.index(">Lease_2024.md</a>") < html.index(">Lease_2022_old.md</a>")
    call_command("search", "tenant may end this lease")
    assert "An older version; newer is Lease_2024.md, page 1" in capsys.readouterr().out
