"""Documents come in by the browser: several at once, strange names, nothing, too much."""

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile as File
from django.test import Client

from apps.library.models import Document

HTMX = {"HX-Request": "true"}
UPLOAD = "/library/upload/"


def upload(client: Client, *files: File, **more):
    headers = more.pop("headers", None)
    return client.post(UPLOAD, {"file": list(files), **more}, headers=headers, follow=True)


def kept() -> set[str]:
    return set(Document.objects.values_list("name", flat=True))


def test_several_files_become_documents(reader, workspace):
    page = upload(reader, File("a.txt", b"One."), File("b.txt", b"Two."))
    assert page.redirect_chain == [("/library/", 302)] and kept() == {"a.txt", "b.txt"}
    assert page.text.count("Added, waiting to be read.") == 2


def test_a_file_goes_to_the_category_asked_for(reader, workspace):
    category = workspace.categories.create(name="Letters")
    upload(reader, File("a.txt", b"One."), category=category.pk)
    assert Document.objects.get().category == category


def test_a_strangers_category_is_refused(reader, bob):
    category = bob.workspaces.get().categories.create(name="Secret")
    assert upload(reader, File("a.txt", b"One."), category=category.pk).status_code == 422
    assert kept() == set()


def test_htmx_is_told_of_each_file_in_a_part(reader, workspace):
    part = upload(reader, File("a.txt", b"One."), headers=HTMX)
    assert part.status_code == 200 and "<h1>" not in part.text and "Added" in part.text


def test_the_same_again_is_said_to_be_unchanged(reader, workspace):
    upload(reader, File("a.txt", b"One."))
    assert "Already here, unchanged." in upload(reader, File("a.txt", b"One.")).text
    assert Document.objects.count() == 1


def test_the_same_bytes_under_another_name_are_noticed(reader, workspace):
    upload(reader, File("a.txt", b"One."))
    part = upload(reader, File("b.txt", b"One."), headers=HTMX).text
    assert (
        "has the same content" in part
        and Document.objects.get(name="a.txt").get_absolute_url() in part
    )


def test_an_empty_file_stops_no_other(reader, workspace):
    page = upload(reader, File("empty.txt", b""), File("b.txt", b"Two."))
    assert kept() == {"b.txt"} and "This file is empty" in page.text
    assert upload(reader, File("empty.txt", b""), headers=HTMX).status_code == 422


@pytest.mark.parametrize("name", ["../../x", "..\\..\\x", "/etc/x", "a/b/../x"])
def test_a_name_never_is_a_path(reader, workspace, name):
    upload(reader, File("placeholder", b"One."))
    Document.objects.all().delete()
    body = (
        '--b\r\nContent-Disposition: form-data; name="file"; filename="'
        + name.replace("\\", "\\\\")
        + '"\r\n\r\nOne.\r\n--b--\r\n'
    )
    reader.post(UPLOAD, body.encode(), content_type="multipart/form-data; boundary=b")
    document = Document.objects.get()
    assert document.name == "x" and document.file.name.startswith("documents/")


def test_no_file_is_told(reader, workspace):
    page = reader.post(UPLOAD, {})
    assert page.status_code == 422 and "Choose at least one file" in page.text
    part = reader.post(UPLOAD, {}, headers=HTMX)
    assert part.status_code == 422 and "<h1>" not in part.text


def test_a_file_over_the_limit_is_refused_and_the_limit_is_named(reader, workspace, settings):
    settings.UPLOAD_LIMIT_MB = 1
    assert "Up to 1 MB a file" in reader.get(UPLOAD).text
    large = File("large.txt", b"x" * (1 << 20) + b"x")
    part = upload(reader, large, headers=HTMX)
    assert part.status_code == 413 and "larger than 1 MB" in part.text and kept() == set()


def test_a_body_far_over_the_limit_is_refused_before_it_is_read(alice, settings):
    settings.UPLOAD_LIMIT_MB = 0
    client = Client(raise_request_exception=False)
    client.force_login(alice)
    answer = upload(client, File("large.txt", b"x" * (17 << 20)))
    assert answer.status_code == 413 and kept() == set()


def test_uploads_pass_through_the_vaults_own_disk(reader, workspace, settings):
    assert settings.FILE_UPLOAD_TEMP_DIR.is_relative_to(settings.DATA_DIR)
    upload(reader, File("a.txt", b"One."))
    assert list(settings.FILE_UPLOAD_TEMP_DIR.iterdir()) == []


def test_an_upload_without_its_token_is_refused(alice):
    client = Client(enforce_csrf_checks=True)
    client.force_login(alice)
    assert upload(client, File("a.txt", b"One.")).status_code == 403


def test_the_samples_come_in_once(reader, workspace):
    reader.post("/library/samples/")
    first = Document.objects.count()
    reader.post("/library/samples/")
    assert first == Document.objects.count() > 0
    assert set(Document.objects.values_list("category__name", flat=True)) == {"Samples"}
