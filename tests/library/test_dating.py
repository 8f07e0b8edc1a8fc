"""When a document was last changed: by its file, by what it says, and never in the future."""

import io
import os
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from importlib import import_module

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile as File
from django.core.management import call_command
from django.db import connection
from django.utils import timezone

from apps.library import dating, pages
from apps.library.asking import read as line
from apps.library.models import Document, FolderEntry, WatchedFolder, Workspace
from apps.library.narrowing import narrowed, places
from apps.library.search import Scope
from apps.library.storing import Stored, accept
from tests.library.papers import finish
from tests.library.passages import document

MARCH = datetime(2024, 3, 15, 9, 30, tzinfo=UTC)
MAY = datetime(2024, 5, 1, tzinfo=UTC)
PAGE = "<html><head><title>Tides</title>%s</head><body><p>The tide follows the moon.</body></html>"
META = '<meta property="article:%s_time" content="%s">'


def of(name: str) -> datetime | None:
    return Document.objects.get(name=name).changed_at


@pytest.mark.parametrize(
    ("name", "date"),
    [
        ("Mietvertrag_2024.md", (2024, 0, 0)),
        ("Mietvertrag_2022_alt.md", (2022, 0, 0)),
        ("minutes 2024-03-15.docx", (2024, 3, 15)),
        ("20240315_minutes.docx", (2024, 3, 15)),
        ("Protokoll vom 5.3.2024.pdf", (2024, 3, 5)),
        ("2024_03 report.pdf", (2024, 3, 0)),
        ("budget 2022-2024.xlsx", (2024, 0, 0)),
        ("RFC 12019.txt", None),
        ("order 4500.pdf", None),
        ("lease.pdf", None),
    ],
)
def test_a_date_in_a_name_is_understood(name, date):
    assert dating.named(name) == date


def test_what_cannot_be_true_is_not_known():
    now = timezone.now()
    assert dating.credible(MARCH) == MARCH
    assert dating.credible(now + timedelta(days=40)) is None
    assert dating.credible(now + timedelta(hours=1)) <= timezone.now()  # a clock that is ahead
    for moment in (datetime(1970, 1, 1, tzinfo=UTC), datetime.min, datetime.max, None):
        assert dating.credible(moment) is None
    assert dating.stamped(MARCH.timestamp()) == MARCH
    assert [dating.stamped(seconds) for seconds in (0, -1e18, 1e18, 4e9)] == [None] * 4
    assert dating.told_by_browser(f"{MARCH.timestamp() * 1000:.0f}") == MARCH
    for nonsense in ("", "x", "-1", "٣", "9" * 400, "NaN"):
        assert dating.told_by_browser(nonsense[:40]) is None
    assert dating.written("2024-03-15T09:30:00Z") == MARCH
    assert dating.written("2024-03-15T10:30:00+01:00") == MARCH
    assert [dating.written(text) for text in ("", "yesterday", "2024-13-01")] == [None] * 3


def test_a_file_has_its_own_time_and_keeps_the_earliest_of_the_same_bytes(workspace):
    made = accept(workspace, io.BytesIO(b"Heron"), "a.txt", changed=MAY).document
    again = accept(workspace, io.BytesIO(b"Heron"), "a.txt", changed=MARCH)
    assert (again.status, again.twin, of("a.txt")) == ("unchanged", None, MARCH)
    for later_or_not_told in (MAY, None):
        accept(workspace, io.BytesIO(b"Heron"), "a.txt", changed=later_or_not_told)
        assert of("a.txt") == MARCH
    accept(workspace, io.BytesIO(b"Crane"), "a.txt", changed=MAY)  # that is another revision
    made.refresh_from_db()
    assert (made.changed_at, made.revision) == (MAY, 2)
    accept(workspace, io.BytesIO(b"Stork"), "a.txt")
    assert of("a.txt") is None


def test_a_file_of_a_folder_has_the_time_of_the_folder(workspace, tmp_path, ollama):
    folder = tmp_path / "papers"
    folder.mkdir()
    (folder / "a.txt").write_text("The heron stood at the weir.")
    os.utime(folder / "a.txt", (MARCH.timestamp(),) * 2)
    call_command("ingest", str(folder))
    assert of("a.txt") == MARCH
    os.utime(folder / "a.txt", (MAY.timestamp(),) * 2)
    call_command("ingest", str(folder))
    assert of("a.txt") == MARCH  # copied since
    os.utime(folder / "a.txt", (MARCH.timestamp(),) * 2)
    Document.objects.update(changed_at=None)  # as it was before this was kept
    call_command("ingest", str(folder))
    assert of("a.txt") == MARCH


def test_a_watched_folder_knows_the_time_and_the_migration_takes_it(workspace, tmp_path, settings):
    settings.FOLDERS = [str(tmp_path)]
    folder = tmp_path / "papers"
    folder.mkdir()
    (folder / "a.txt").write_text("The heron stood at the weir.")
    os.utime(folder / "a.txt", (MARCH.timestamp(),) * 2)
    call_command("watch", str(folder), "--once")
    assert of("a.txt") == MARCH
    other = document(workspace, "b.txt", ["Never."])
    watched = WatchedFolder.objects.get()
    FolderEntry.objects.create(folder=watched, path="b.txt", document=other, changed=4 * 10**18)
    Document.objects.update(changed_at=None)
    migration = import_module("apps.library.migrations.0019_changed_at")
    with connection.cursor() as cursor:
        cursor.execute(migration.FILL)
    assert of("a.txt") == MARCH
    assert of("b.txt") is None  # of the year 2096


def test_a_browser_tells_of_one_file_and_the_receipt_shows_it(reader, workspace):
    told = {"changed": f"{MARCH.timestamp() * 1000:.0f}"}
    reader.post("/library/upload/", {"file": File("a.txt", b"One."), **told})
    assert of("a.txt") == MARCH
    html = reader.get(Document.objects.get().get_absolute_url()).content.decode()
    assert "Last changed" in html and '<time datetime="2024-03-15T' in html
    Document.objects.update(state="ready")
    html = reader.get(
        Document.objects.get().get_absolute_url(), headers={"Accept-Language": "de"}
    ).content.decode()
    receipt = html[html.index('id="receipt"') :]
    # Longer words leave too little room for a date in one line.
    assert "<dt>Geändert</dt>" in receipt and "15.03.2024" in receipt
    status = receipt[: receipt.index("Lesebericht")]
    assert 'class="actions"' not in status, "nothing to be done leaves no gap"
    reader.post("/library/upload/", {"file": [File("b.txt", b"Two."), File("c.txt", b"3")], **told})
    reader.post("/library/upload/", {"file": File("d.txt", b"Four."), "changed": "soon"})
    assert [of(name) for name in ("b.txt", "c.txt", "d.txt")] == [None] * 3


@pytest.mark.parametrize(("first", "second"), [(MARCH, MAY), (MAY, MARCH), (MARCH, None)])
def test_the_same_bytes_elsewhere_have_a_date_of_their_own(workspace, ollama, first, second):
    text = b"# Birds\n\nThe heron stood at the weir for as long as anybody could remember.\n"
    attic = Workspace.objects.create(owner=workspace.owner, name="Attic")
    for home, name, changed in (
        (workspace, "a.md", first), (workspace, "copy.md", second), (attic, "attic.md", second),
    ):  # fmt: skip
        assert finish(accept(home, io.BytesIO(text), name, changed=changed).document) == "ready"
    assert [of(name) for name in ("a.md", "copy.md", "attic.md")] == [first, second, second]


def test_what_stands_in_a_document_counts_where_it_is_earlier(workspace, ollama):
    text = (PAGE % META % ("modified", MARCH.isoformat())).encode()
    for name in ("a.html", "copy.html"):  # the second is not read, but copied from the first
        assert finish(accept(workspace, io.BytesIO(text), name, changed=MAY).document) == "ready"
        accept(workspace, io.BytesIO(text), name, changed=timezone.now())
    assert of("a.html") == of("copy.html") == MARCH
    for name, told in (("b.html", datetime(2020, 1, 1, tzinfo=UTC)), ("c.html", None)):
        assert finish(accept(workspace, io.BytesIO(text), name, changed=told).document) == "ready"
        assert of(name) == (told or MARCH)


@pytest.mark.django_db
def test_another_page_of_the_web_is_of_another_time(workspace):
    page = document(workspace, "page.html", ["Old."])
    Document.objects.update(source="https://example.org/", state="fetching", changed_at=MARCH)
    page.refresh_from_db()
    pages._take_in(page, Stored("documents/none", 4, "0" * 64), "page.html", None)
    assert of("page.html") is None


def test_a_server_that_stamps_each_answer_says_nothing_of_the_page():
    now = timezone.now()
    assert dating.sent("Fri, 15 Mar 2024 09:30:00 GMT") == MARCH
    for nonsense in (format_datetime(now), "", "yesterday", "Thu, 01 Jan 1970 00:00:00 GMT", "1"):
        assert dating.sent(nonsense) is None


@pytest.mark.parametrize(
    ("head", "sent", "date"),
    [
        ("", "Fri, 15 Mar 2024 09:30:00 GMT", MARCH),
        (META % ("published", "2024-03-15T10:30:00+01:00"), "Wed, 01 May 2024 00:00:00 GMT", MARCH),
        (META % ("published", "2019-01-01") + META % ("modified", "2024-03-15T09:30Z"), "", MARCH),
        (META % ("modified", "soon") + META % ("published", "2024-03-15T09:30Z"), "", MARCH),
        (META % ("modified", "2345-01-01"), "", None),
        ("", "", None),
    ],
)
def test_a_page_of_the_web_is_dated_by_its_server_and_by_itself(
    workspace, web, ollama, tmp_path, settings, head, sent, date
):
    settings.MEDIA_ROOT = tmp_path / "files"
    url = web.shows("/tides", PAGE % head, Last_Modified=sent or format_datetime(timezone.now()))
    page = pages.add(workspace, url).document
    assert finish(page) == "ready"
    assert of("Tides.html") == date


def test_operators_go_by_the_documents_own_date_else_by_when_it_came(workspace):
    old, new = (
        document(workspace, "old.txt", ["Lease."]),
        document(workspace, "new.txt", ["Lease."]),
    )
    Document.objects.filter(pk=old.pk).update(changed_at=datetime(2019, 6, 1, 12, tzinfo=UTC))
    assert narrowed(workspace, line("lease before:2020")) == Scope(documents=(old.pk,))
    assert narrowed(workspace, line("lease after:2019-06-01 before:2019-06-02")).documents == (
        old.pk,
    )
    assert narrowed(workspace, line(f"lease after:{new.created_at:%Y}")) == Scope((), (new.pk,))
    assert places(workspace, line("lease before:2018")) == []
