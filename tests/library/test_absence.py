"""An empty list says why: the true reason, in the same words on the page and in a terminal."""

import json
from datetime import UTC, datetime

import pytest
from django.core.management import call_command
from django.db import connection
from django.test.utils import CaptureQueriesContext

from apps.library.asking import loosened, quotable, said_where
from apps.library.models import Category, Document, Workspace
from tests.library.passages import document

URL = "/search/"
DEPOSIT = "The deposit is three months' rent and is paid to the landlord at the start."
KEYS = "Keys are handed over by the porter, who asks for a deposit of ten crowns for each."


@pytest.fixture
def shelf(workspace: Workspace, ollama) -> Workspace:
    """A lease with a deposit, in a category; a book without one; none from before 2024."""
    lease = Category.objects.create(workspace=workspace, name="Lease")
    Category.objects.create(workspace=workspace, name="Empty")
    document(workspace, "lease.txt", [DEPOSIT, KEYS], category=lease)
    document(workspace, "rivers.txt", [f"Chapter {n} tells of rivers." for n in range(30)])
    Document.objects.update(created_at=datetime(2024, 6, 15, 12, tzinfo=UTC), format="text")
    return workspace


def page(reader, **asked) -> str:
    """What the page says, as a reader takes it in."""
    html = reader.get(URL, asked).content.decode()
    return " ".join(html.split()).replace("&#x27;", "'").replace("&quot;", '"')


TOLD = {
    "deposit before:2020": "2 passages elsewhere have these words. What counts is when a file was",
    "deposit nach:2030": "No document fits nach:2030. 2 passages elsewhere have these words.",
    "deposit in:rivers.txt": "2 passages have these words, but not within in:rivers.txt.",
    "deposit in:Empty": "No document fits in:Empty. 2 passages elsewhere have these words.",
    "zeppelin before:2020": "No document fits before:2020. No other passage has these words either",
    "deposit -paid -porter": "2 passages that fit were left out, because they have “paid, porter”.",
    '"crowns deposit"': "One passage has all words of “crowns deposit”, but not side by side.",
    '"deposit is" in:rivers.txt': "One passage has these words, but not within in:rivers.txt.",
    '"is deposit" -zebra in:rivers.txt': "One passage has these words without all that narrows",
}


def test_the_reason_is_told_on_the_page_and_in_the_terminal(reader, shelf, capsys, subtests):
    for line, told in TOLD.items():
        with subtests.test(line):
            html = page(reader, q=line)
            assert told in html
            assert "No passage has these words<" not in html
            call_command("search", line)
            said = capsys.readouterr()
            assert told in said.err
            assert said.out == ""


def test_one_click_takes_the_reason_away(reader, shelf):
    html = page(reader, q="deposit -paid -porter")
    assert 'href="?q=deposit"' in html and "Show them" in html
    lease, empty = shelf.categories.get(name="Lease"), shelf.categories.get(name="Empty")
    html = page(reader, q="rivers", category=lease.pk)
    assert "pages have these words, but not within Lease." in html.replace("passages", "pages")
    assert 'href="?q=rivers"' in html and "Search everything" in html
    html = page(reader, q="deposit", category=empty.pk, added="365")
    assert "No document fits Empty, Added in the last year." in html


def test_passages_that_a_minus_has_taken_are_told_where_they_were_the_good_ones(reader, shelf):
    document(shelf, "strong.txt", ["Deposit: three months."])
    assert "left out, because" not in page(reader, q="deposit -rivers")
    html = page(reader, q="rivers deposit three months landlord -paid -months")
    results = reader.get(URL, {"q": "rivers deposit three months landlord -paid -months"}).context
    if all(shown.hit.band == "weak" for shown in results["results"]):
        assert "left out, because it has “paid, months”" in html or "left out, because they" in html


WEAK = "rivers deposit three months landlord"
BETTER = {
    f"{WEAK} in:rivers.txt": "A better passage stands outside of in:rivers.txt.",
    f"{WEAK} in:rivers.txt after:2020": "A better passage stands outside of in:rivers.txt, after:2",
    f"{WEAK} in:rivers.txt -zebra": "A better passage stands outside of in:rivers.txt.",
    f"{WEAK} in:rivers.txt -paid": "A better passage is there without all that narrows the search.",
}


def test_better_passages_that_a_filter_keeps_out_are_told(reader, shelf, capsys, subtests):
    Document.objects.filter(name="rivers.txt").update(format="pdf")
    for line, told in BETTER.items():
        with subtests.test(line):
            html = page(reader, q=line)
            assert told in html and html.count("Search everything") == 1
            call_command("search", line)
            said = capsys.readouterr()
            assert told in said.err and "Chapter 1 tells of rivers." in said.out
    html = page(reader, q=WEAK, type="pdf")
    assert "A better passage stands outside of PDF." in html
    assert f'href="?q={WEAK.replace(" ", "+")}"' in html


def test_a_search_that_finds_something_good_is_made_once(reader, shelf):
    def asked(line: str) -> int:
        with CaptureQueriesContext(connection) as seen:
            assert "stands outside" not in page(reader, q=line)
        return sum("chunkwords" in query["sql"] for query in seen)

    good = f"{WEAK} in:lease.txt"
    assert {shown.hit.band for shown in reader.get(URL, {"q": good}).context["results"]} != {"weak"}
    assert asked(good) == asked("rivers")
    assert asked(WEAK) == asked("rivers")


def test_quotes_that_are_each_there_but_never_together_are_told(reader, shelf, capsys):
    line = '"paid to" "porter"'
    told = "Each of “paid to, porter” is there, but no passage has all of them."
    html = page(reader, q=line)
    assert told in html and "No passage has these words" not in html
    assert "Nothing found for “'paid to' 'porter'”" in html
    assert 'href="?q=paid+to+porter"' in html
    call_command("search", line)
    assert told in capsys.readouterr().err
    html = page(reader, q='"paid to" "zeppelin"')
    assert "Each of" not in html
    assert "Nothing found for “crowns deposit”" in page(reader, q='"crowns deposit"')


def test_what_is_nowhere_is_still_told_as_before(reader, shelf, capsys):
    assert "No passage has these words" in page(reader, q="zeppelin")
    call_command("search", '"zeppelin hangar"')
    assert "Nothing is found for “zeppelin hangar”. Try fewer words" in capsys.readouterr().err


def test_only_what_was_asked_is_quoted_and_the_filters_are_named_apart(reader, shelf, capsys):
    html = page(reader, q='lang:en "zeppelin hangar" -ballast workspace:all', type="text")
    assert "Nothing found for “zeppelin hangar”" in html or "No passage has these words" in html
    assert "Looked within Text, lang:en." in html and "“zeppelin hangar” lang" not in html
    assert quotable('lang:en say "exact words" -wood workspace:alle') == "say 'exact words'"
    assert quotable('-wood type:pdf -"old boats"') == "wood old boats"
    call_command("search", "zeppelin -ballast lang:en")
    told = capsys.readouterr().err
    assert "Nothing is found for “zeppelin” within lang:en." in told
    html = page(reader, q="deposit before:1990")
    assert "No document fits before:1990." in html and "Looked within" not in html
    assert "Nothing found for “deposit”" in html


ONE_MESSAGE = {
    "???": "There is nothing to look for in this",
    "§": "There is nothing to look for in this",
    "type:text": "This says where to look, but not what for.",
    "in:": "in: is followed by nothing. Write its value right behind it",
    "deposit typ:": "typ: is followed by nothing",
    'deposit in:"lease': 'The quote in in:"lease is not closed. Put another " at its end.',
    "deposit in:„lease": "The quote in in:„lease is not closed. Put another “ at its end.",
}


def test_what_asks_for_nothing_gets_one_message(reader, shelf, capsys, subtests):
    for line, told in ONE_MESSAGE.items():
        with subtests.test(line):
            html = page(reader, q=line)
            assert html.count(told) == 1
            assert "No passage has these words" not in html
            assert "Save this search" not in html
            assert "Ask in your own words" in html and 'data-tone="bad"' not in html
            if "is " not in told.partition(":")[2]:
                call_command("search", line, "--json")
                said = capsys.readouterr()
                assert json.loads(said.out)["hits"] == []
                assert said.err.count(told) == 1 and "Nothing is found" not in said.err


def test_documents_that_cannot_be_found_yet_are_counted(reader, shelf, bob, capsys):
    unread = {"state": Document.State.QUEUED, "chunk_count": 0}
    for n in range(3):
        Document.objects.create(workspace=shelf, name=f"new-{n}.pdf", **unread)
    Document.objects.create(workspace=bob.workspaces.get(), name="theirs.pdf", **unread)
    told = "3 documents are still being read and are not in this."
    assert told in page(reader, q="deposit")
    assert told in page(reader, q="zeppelin")
    call_command("search", "deposit", "--owner", "alice", "--json")
    assert told in capsys.readouterr().err
    shelf.documents.filter(name="lease.txt").update(state=Document.State.READING)
    assert told in page(reader, q="deposit")  # some of that can be found
    assert "still being read" not in page(reader)
    shelf.documents.exclude(state=Document.State.QUEUED).delete()
    html = page(reader, q="deposit")
    assert "Nothing can be found yet" in html and html.count(told) == 1
    assert "spelling" not in html


def test_a_line_is_loosened_piece_by_piece():
    line = 'say "exact words" -wood typ:pdf in:"A b.pdf" workspace:alle now'
    assert said_where(line) == ["typ:pdf", 'in:"A b.pdf"']
    assert loosened(line, ["without"]) == line.replace(" -wood", "")
    assert loosened(line, ["where"]) == 'say "exact words" -wood workspace:alle now'
    assert loosened(line, ["quotes"]) == line.replace('"exact words"', "exact words")
    assert loosened(line, ["where", "without", "quotes"]) == "say exact words workspace:alle now"
