"""The library page: what is listed, in what order, and how it stands."""

from datetime import timedelta

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from apps.library import listing, standing
from apps.library.models import Category, Document, Workspace
from apps.library.templatetags import shelf

HTMX = {"HX-Request": "true"}
LIST = "/library/"
State = Document.State


def add(workspace: Workspace, name: str, state: State = State.READY, **fields) -> Document:
    return Document.objects.create(workspace=workspace, name=name, state=state, **fields)


def names(page: listing.Page) -> list[str]:
    return [row.document.name for row in page.rows]


def wanted(**query: str) -> listing.Wanted:
    return listing.Wanted.from_query(query)


@pytest.mark.parametrize("sort", ["name", "-name", "added", "-added", "pages", "-size"])
def test_pages_by_key_show_every_document_once(workspace, sort):
    for number in range(listing.PAGE * 2 + 3):
        add(workspace, f"Paper {number % 7}", part_count=number % 5, size=number % 3)
    seen, after = [], ""
    for _ in range(3):
        page = listing.page(workspace, wanted(sort=sort), after)
        seen += [row.document.pk for row in page.rows]
        after = listing.cursor(page.rows[-1].document, sort)
    assert not page.after
    assert len(seen) == len(set(seen)) == listing.PAGE * 2 + 3


def test_a_page_asked_for_again_holds_what_came_in_meanwhile(workspace):
    for number in range(listing.PAGE + 1):
        add(workspace, f"Paper {number}")
    first = listing.page(workspace, wanted())
    add(workspace, "Newcomer")
    until = listing.cursor(first.rows[-1].document, listing.NEWEST)
    again = listing.page(workspace, wanted(), until=until)
    assert names(again) == ["Newcomer", *names(first)]
    assert again.after == first.after


def test_the_list_is_narrowed_by_name_type_status_and_category(workspace):
    letters = Category.objects.create(workspace=workspace, name="Letters")
    add(workspace, "Lease.PDF", format="pdf", category=letters)
    add(workspace, "notes.txt", State.FAILED, format="text", title="On the lease")
    add(workspace, "table.csv", State.READING, format="csv")
    assert set(names(listing.page(workspace, wanted(q="LEASE")))) == {"Lease.PDF", "notes.txt"}
    assert names(listing.page(workspace, wanted(type="csv"))) == ["table.csv"]
    assert names(listing.page(workspace, wanted(status="trouble"))) == ["notes.txt"]
    assert names(listing.page(workspace, wanted(category=str(letters.pk)))) == ["Lease.PDF"]
    assert len(names(listing.page(workspace, wanted(category="none")))) == 2


@pytest.mark.parametrize(
    "query",
    [
        "sort=evil&category=x&status=y",
        "after=7~nonsense",
        "after=~&until=~",
        "q=%00&type=%00",
        "category=99999999999999999",
        "after=99999999999999999999999~2026-01-01",
    ],
)
def test_an_address_that_makes_no_sense_still_shows_the_list(reader, workspace, query):
    add(workspace, "Lease.pdf")
    assert reader.get(f"{LIST}?{query}").status_code == 200


def test_five_thousand_documents_cost_no_more_queries_than_two(
    reader, workspace, django_assert_max_num_queries
):
    category = Category.objects.create(workspace=workspace, name="Letters")
    Document.objects.bulk_create(
        Document(workspace=workspace, category=category, name=f"Paper {n}", state=State.READING)
        for n in range(200)
    )
    reader.get(LIST)  # the session keeps the section from here on
    with django_assert_max_num_queries(10):
        page = reader.get(LIST)
    assert page.text.count("<tr id=") == listing.PAGE
    with django_assert_max_num_queries(8):
        reader.get(page.context["page"].again, headers=HTMX)


def test_rows_ask_again_only_while_something_is_unfinished(reader, workspace):
    document = add(workspace, "Lease.pdf", State.READING, done=30, total=352, format="pdf")
    page = reader.get(LIST)
    assert "Reading page 31 of 352" in page.text and 'hx-trigger="every 2s"' in page.text
    rows = reader.get(LIST + page.context["page"].again, headers=HTMX)
    assert rows.text.lstrip().startswith("<tbody") and "<h1" not in rows.text
    document.state = State.READY
    document.save()
    assert "every 2s" not in reader.get(LIST + page.context["page"].again, headers=HTMX).text


def test_the_types_to_choose_from_follow_what_is_read(reader, workspace):
    document = add(workspace, "Lease.pdf", State.READING, done=1, total=3)
    page = reader.get(LIST)
    choice = '<option value="pdf">PDF</option>'
    assert choice not in page.text  # nobody knows it before the file is opened
    document.format = "pdf"
    document.save()
    rows = reader.get(LIST + page.context["page"].again, headers=HTMX).text
    assert 'hx-target="#library-types"' in rows and choice in rows


def test_htmx_gets_the_list_and_others_the_page(reader, workspace):
    add(workspace, "Lease.pdf")
    assert "<h1>" in reader.get(LIST).text
    part = reader.get(LIST, {"q": "lease"}, headers=HTMX).text
    assert "<h1>" not in part and 'id="documents"' in part and "Lease.pdf" in part
    assert "No document fits" in reader.get(LIST, {"q": "missing"}, headers=HTMX).text


def test_an_empty_library_invites(reader):
    page = reader.get(LIST).text
    assert "Drop your documents here" in page and reverse("library:sample_load") in page


def test_another_persons_documents_are_not_listed(client: Client, bob, workspace):
    add(workspace, "Lease.pdf")
    client.force_login(bob)
    assert "Lease.pdf" not in client.get(LIST).text


def test_a_hostile_name_is_only_text(reader, workspace):
    add(workspace, "<img src=x onerror=alert(1)>.pdf")
    page = reader.get(LIST).text
    assert "<img src=x" not in page and "&lt;img src=x" in page


@pytest.mark.parametrize(
    ("fields", "words", "share", "left"),
    [
        ({"state": State.QUEUED}, "Waiting to be read", None, ""),
        (
            {"state": State.READING, "done": 30, "total": 90, "format": "pdf"},
            "Reading page 31 of 90",
            1 / 3,
            "about 2 min left",
        ),
        ({"state": State.READING, "done": 3}, "Reading", None, ""),
        (
            {"state": State.LEARNING, "done": 40, "total": 100},
            "Found by words · learning meaning 40 %",
            0.4,
            "about 2 min left",
        ),
        ({"state": State.READY}, "Ready", None, ""),
        (
            {"state": State.REFUSED, "reason": "It needs its password."},
            "Could not read: it needs its password.",
            None,
            "",
        ),
    ],
)
def test_a_document_stands_in_words(fields, words, share, left):
    began = timezone.now() - timedelta(minutes=1)
    found = standing.of(Document(stage_began=began, pulse=timezone.now(), **fields))
    assert (found.words, found.share, found.left) == (words, pytest.approx(share), left)


def test_a_document_nobody_works_on_says_so():
    long_ago = timezone.now() - timedelta(hours=1)
    found = standing.of(Document(state=State.READING, done=1, total=9, pulse=long_ago))
    assert "paused" in found.words and not found.left


@pytest.mark.parametrize(
    ("state", "steps"),
    [
        (State.QUEUED, ["done", "now", "next", "next"]),
        (State.LEARNING, ["done", "done", "now", "next"]),
        (State.READY, ["done", "done", "done", "done"]),
        (State.REFUSED, ["done", "failed"]),
    ],
)
def test_the_timeline_leads_to_where_a_document_stands(state, steps):
    document = Document(state=state, created_at=timezone.now())
    assert [step.state for step in standing.timeline(document)] == steps


def test_the_list_says_who_waits_who_is_read_and_who_is_found_by_words(reader, workspace):
    for state, number in ((State.QUEUED, 3), (State.READING, 1), (State.LEARNING, 2)):
        for _ in range(number):
            add(workspace, "a.pdf", state)
    page = " ".join(reader.get(LIST).text.split())
    assert "2 can be found by words · 1 being read · 3 waiting" in page


def test_a_name_breaks_before_its_ending():
    assert shelf.named("endlich.html") == 'endlich<wbr><span class="ending">.html</span>'
    assert shelf.named("<b>.a longer end") == "&lt;b&gt;.a longer end"
    assert shelf.named(".env") == ".env"
