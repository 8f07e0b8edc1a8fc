"""Files that come together have one receipt, which adds up."""

import csv
import io
import json

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile as File
from django.core.management import CommandError, call_command

from apps.library import batches, ingestion
from apps.library.accounting import Counts
from apps.library.models import Batch, Document
from tests.library.papers import essay, finish

pytestmark = pytest.mark.django_db(transaction=True)
HTMX = {"HX-Request": "true"}
UPLOAD = "/library/upload/"


@pytest.fixture
def batch(reader, workspace, ollama) -> Batch:
    """Three files: one that is read, one that cannot be, one that is empty."""
    files = [File("=1+1.md", essay(2)), File("b.pdf", b"%PDF-1.7 no"), File("c.txt", b"")]
    for file in files:  # each by a request of its own, as the page's script sends them
        reader.post(UPLOAD, {"file": [file], "batch": "k1"}, headers=HTMX)
    return Batch.objects.get()


def finish_all() -> None:
    for document in Document.objects.all():
        finish(document)


def test_requests_of_one_upload_are_one_batch(batch):
    assert batches.of(batch) == Counts(waiting=2, left_out=1)
    finish_all()
    assert batches.of(batch) == Counts(ready=1, unread=1, left_out=1)


@pytest.mark.parametrize(
    ("state", "said"),
    [
        ("queued", "0 of 3 ready, 1 waiting,"),
        ("reading", "0 of 3 ready, 1 being read,"),
        ("learning", "0 of 3 ready, 1 can be found by words,"),
        ("ready", "1 of 3 ready, 1 could"),
    ],
)
def test_ready_is_what_the_library_calls_ready(reader, batch, state, said):
    finish_all()
    Document.objects.filter(name="=1+1.md").update(state=state)
    page = reader.get(batch.get_absolute_url()).text
    assert said in " ".join(page.split())
    assert ("every 2s" in page) is (state != "ready")


def test_the_page_and_the_table_say_what_became_of_each(reader, batch):
    assert 'hx-trigger="every 2s"' in reader.get(batch.get_absolute_url()).text
    finish_all()
    page = reader.get(batch.get_absolute_url()).text
    assert "1 of 3 ready, 1 could not be read, 1 not taken in" in " ".join(page.split())
    assert "every 2s" not in page and "This file is empty" in page and "2 sections" in page
    answer = reader.get(f"{batch.get_absolute_url()}receipt.csv")
    assert "attachment" in answer["Content-Disposition"]
    rows = list(csv.reader(io.StringIO(answer.getvalue().decode())))
    assert [row[:2] for row in rows[1:4]] == [
        ["'=1+1.md", "ready"],
        ["b.pdf", "could not be read"],
        ["c.txt", "left out"],
    ]
    assert rows[-1] == ["1 of 3 ready"]


def test_the_line_below_an_upload_asks_until_all_is_read(reader, batch):
    address = f"{batch.get_absolute_url()}figures/"
    assert "every 2s" in reader.get(address, headers=HTMX).text
    finish_all()
    part = reader.get(address, headers=HTMX).text
    assert "every 2s" not in part and "1 of 3 ready" in part
    assert reader.get(address).status_code == 302


def test_a_row_of_the_upload_list_follows_its_document(reader, workspace, ollama):
    part = reader.post(UPLOAD, {"file": [File("a.md", essay(3))]}, headers=HTMX).text
    document = Document.objects.get()
    address = f"/library/documents/{document.pk}/standing/"
    assert address in part and "Added, waiting to be read." in part
    assert "Waiting to be read" in reader.get(address, headers=HTMX).text
    finish(document)
    part = reader.get(address, headers=HTMX).text
    assert "Ready." in part and "hx-get" not in part
    reader.post(UPLOAD, {"file": [File("b.md", essay(3, " Yes."))]}, headers=HTMX)
    second = Document.objects.get(name="b.md")
    finish(second)
    part = reader.get(f"/library/documents/{second.pk}/standing/", headers=HTMX).text
    assert "says nearly the same" in part and document.get_absolute_url() in part


def test_a_deleted_document_leaves_no_line(batch):
    ingestion.discard(Document.objects.get(name="=1+1.md"))
    assert [line.path for line in batches.lines(batch)] == ["b.pdf", "c.txt"]


def test_old_receipts_make_room(workspace, monkeypatch):
    monkeypatch.setattr(batches, "KEPT", 3)
    for number in range(5):
        batches.begin(workspace, str(number), "Upload")
    assert set(workspace.batches.values_list("key", flat=True)) == {"2", "3", "4"}


def test_many_files_without_javascript_lead_to_the_receipt(reader, workspace):
    files = [File(f"{n}.txt", b"Text %d." % n) for n in range(12)]
    answer = reader.post(UPLOAD, {"file": files})
    assert answer.url == Batch.objects.get().get_absolute_url()


def test_an_import_by_command_has_a_receipt(workspace, ollama, tmp_path, capsys):
    (tmp_path / "a.md").write_bytes(essay(2))
    (tmp_path / "b.exe").write_bytes(b"MZ program")
    call_command("ingest", str(tmp_path), "--json", "--wait")
    capsys.readouterr()
    call_command("receipt")
    assert "1 of 2 ready" in capsys.readouterr().out
    call_command("receipt", str(Batch.objects.get().pk), "--json")
    told = json.loads(capsys.readouterr().out)
    assert (told["indexed"], told["total"]) == (1, 2)
    assert [file["became"] for file in told["files"]] == ["ready", "could not be read"]
    with pytest.raises(CommandError, match="no such receipt"):
        call_command("receipt", "999")


def test_lengths_count_what_the_places_count(reader, workspace, ollama):
    files = [
        File("lease.txt", b"Rent\n\nNotice\n\n"),
        File("sales.csv", b"month,sum\nMay,12\nJune,14\n"),
        File("bare.csv", b"1,2\n3,4\n5,6\n"),
    ]
    for file in files:
        reader.post(UPLOAD, {"file": [file]})
    finish_all()
    told = {each.name: (each.extent, each.parts.get().label) for each in Document.objects.all()}
    assert told == {
        "lease.txt": ("3 lines", "lines 1–3"),
        "sales.csv": ("2 rows", "rows 2–3"),
        "bare.csv": ("3 rows", "rows 1–3"),
    }
    table = reader.get(Document.objects.get(name="sales.csv").get_absolute_url()).text
    assert 'class="leaf-label visually-hidden"' in table, "the place is shown once"
