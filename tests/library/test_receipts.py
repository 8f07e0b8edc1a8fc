"""What was read of a document, part by part; and recordings that are heard from the middle."""

import pytest

from apps.library.models import Document
from tests.library.papers import add, essay, finish
from tests.library.passages import document

pytestmark = pytest.mark.django_db(transaction=True)


def test_the_receipt_tells_of_each_part_and_why_something_was_left_out(reader, workspace, ollama):
    paper = add(workspace, essay(3))
    finish(paper)
    label = paper.parts.get(ordinal=1).label
    Document.objects.update(notice=f"{label}: A picture is not read.\nembedded files: 2 of them.")
    page = reader.get(f"/library/documents/{paper.pk}/parts/").text
    assert "3 sections read" in page and "A picture is not read." in page
    assert page.index("embedded files: 2") < page.index("A picture is not read.")
    assert f'href="{paper.get_absolute_url()}?part=2"' in page
    assert "Part by part" in reader.get(paper.get_absolute_url()).text


def test_the_receipt_of_many_parts_has_pages_and_few_queries(
    reader, workspace, django_assert_max_num_queries
):
    many = document(workspace, "long.pdf", [f"Text {n}" for n in range(120)])
    reader.get("/library/")
    with django_assert_max_num_queries(12):
        page = reader.get(f"/library/documents/{many.pk}/parts/").text
    assert "page 100" in page and "page 101" not in page and "?page=2" in page


@pytest.fixture
def recording(workspace, settings, tmp_path) -> Document:
    settings.MEDIA_ROOT = tmp_path
    (tmp_path / "documents").mkdir()
    (tmp_path / "documents" / "r").write_bytes(bytes(range(200)))
    made = document(workspace, "talk.mp3", ["Hello there."])
    Document.objects.filter(pk=made.pk).update(format="audio", file="documents/r")
    made.parts.update(kind="time", number=54, label="0:54–1:40")
    made.chunks.update(kind="time", number=54, label="0:54–1:40")
    return Document.objects.get(pk=made.pk)


@pytest.mark.parametrize(
    ("asked", "status", "first", "length"),
    [
        ("", 200, 0, 200),
        ("bytes=0-", 206, 0, 200),
        ("bytes=100-", 206, 100, 100),
        ("bytes=10-19", 206, 10, 10),
        ("bytes=190-900", 206, 190, 10),
        ("bytes=-5", 206, 195, 5),
        ("bytes=200-", 416, None, 0),
        ("bytes=9-3", 416, None, 0),
        ("bytes=-0", 416, None, 0),
        ("bytes=-", 200, 0, 200),
        ("lines=1-2", 200, 0, 200),
        ("bytes=0-1,5-6", 200, 0, 200),
    ],
)
def test_any_stretch_of_a_recording_can_be_asked_for(
    reader, recording, asked, status, first, length
):
    address = f"/library/documents/{recording.pk}/recording/"
    answer = reader.get(address, headers={"Range": asked} if asked else {})
    assert answer.status_code == status
    if first is not None:
        body = b"".join(answer.streaming_content)
        assert body == bytes(range(200))[first : first + length]
        assert answer["Content-Length"] == str(length)
        assert answer["Content-Type"] == "audio/mpeg" and answer["Accept-Ranges"] == "bytes"
    assert "sandbox" in answer["Content-Security-Policy"]
    assert answer["X-Content-Type-Options"] == "nosniff"


def test_a_passage_of_a_recording_opens_the_player_at_its_time(reader, recording):
    page = reader.get(recording.chunks.get().get_absolute_url()).text
    assert f"/library/documents/{recording.pk}/recording/?r=1#t=54" in page
    assert 'data-seek="54"' in page and '<mark id="passage">' in page
    assert "#t=0" in reader.get(recording.get_absolute_url() + "?part=5").text


def test_only_recordings_are_played(reader, workspace):
    made = document(workspace, "page.html", ["<script>alert(1)</script>"])
    assert reader.get(f"/library/documents/{made.pk}/recording/").status_code == 404
