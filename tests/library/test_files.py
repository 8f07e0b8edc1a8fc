"""Files in the vault's folder and in an S3-compatible storage: the same vault on both."""

from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import boto3
import pytest
from django.core.exceptions import ImproperlyConfigured
from django.test import Client
from django.urls import reverse
from moto.server import ThreadedMotoServer
from pytest_django import Settings

from apps.library import discarding, files, ingestion, samples, storing
from apps.library.models import Document, Workspace
from apps.vault import backup
from vaultsite import env

SAMPLES = Path(samples.__file__).parent
KEYS = {"aws_access_key_id": "k", "aws_secret_access_key": "s", "region_name": "us-east-1"}


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    """An S3 in this process."""
    double = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    double.start()
    host, port = double.get_host_and_port()
    yield f"http://{host}:{port}"
    double.stop()


@pytest.fixture
def bucket(server: str, settings: Settings, tmp_path: Path) -> Iterator[SimpleNamespace]:
    """A bucket that the vault keeps its files in, below a folder."""
    store = boto3.resource("s3", endpoint_url=server, **KEYS).create_bucket(Bucket="vault")
    settings.MEDIA_ROOT = tmp_path / "files"
    settings.FILE_UPLOAD_TEMP_DIR = settings.MEDIA_ROOT / "incoming"
    settings.STORAGES = settings.STORAGES | {
        "default": {
            "BACKEND": "storages.backends.s3.S3Storage",
            "OPTIONS": env.bucket("VAULT_STORAGE", f"{server}/vault/home")
            | {"access_key": "k", "secret_key": "s", "region_name": "us-east-1"}
            | {"addressing_style": "path", "file_overwrite": True, "max_memory_size": 8 << 20},
        }
    }
    yield SimpleNamespace(
        names=lambda: sorted(each.key for each in store.objects.all()),
        local=lambda: [path for path in settings.MEDIA_ROOT.rglob("*") if path.is_file()],
        lose=lambda: store.objects.all().delete(),
    )
    store.objects.all().delete()
    store.delete()


def taken_in(workspace: Workspace, name: str) -> Document:
    with (SAMPLES / name).open("rb") as stream:
        return storing.accept(workspace, stream, name).document


@pytest.mark.django_db(transaction=True)
def test_a_document_lives_in_the_bucket_from_upload_to_deletion(
    bucket: SimpleNamespace, workspace: Workspace, reader: Client, tmp_path: Path
) -> None:
    name = "Heat pump manual.pdf"
    document = taken_in(workspace, name)
    assert bucket.names() == [f"home/{document.file.name}"] and bucket.local() == []
    while ingestion.work(document.pk, 60) and document.state == "queued":
        document.refresh_from_db()
    assert document.part_count >= 2, document.reason
    assert bucket.local() == []  # what the parser was given is gone
    picture = reader.get(reverse("library:page_image", args=[document.pk, 1]))
    body = b"".join(reader.get(f"/library/documents/{document.pk}/download/"))
    assert picture.content.startswith(b"\x89PNG") and body == (SAMPLES / name).read_bytes()
    assert taken_in(workspace, name) == document and len(bucket.names()) == 1
    made = backup.back_up(tmp_path / "backup.zip")
    assert [file.name for file in made.manifest.files] == [document.file.name]
    discarding.discard(document)
    assert bucket.names() == [] and bucket.local() == []


@pytest.mark.django_db
def test_a_bucket_that_is_gone_is_told_like_a_disk(
    bucket: SimpleNamespace, settings: Settings, workspace: Workspace
) -> None:
    options = settings.STORAGES["default"]["OPTIONS"] | {"bucket_name": "nowhere"}
    settings.STORAGES = settings.STORAGES | {
        "default": {**settings.STORAGES["default"], "OPTIONS": options}
    }
    with pytest.raises(storing.NotAccepted, match="could not be stored"):
        taken_in(workspace, "House rules.md")
    assert bucket.local() == []
    with files.held(["documents/gone"]) as held:
        assert held.names == []


def test_a_file_that_was_never_there_is_said_to_be_gone(settings: Settings, tmp_path: Path) -> None:
    settings.MEDIA_ROOT = tmp_path
    assert not files.exists("documents/x") and not files.exists(None)
    with pytest.raises(FileNotFoundError), files.on_disk("documents/x"):
        pass
    files.remove("documents/x")
    assert list(files.names()) == []


def test_files_on_their_way_are_not_names(settings: Settings, tmp_path: Path) -> None:
    settings.MEDIA_ROOT = tmp_path
    for each in ("documents/a", "incoming/b", "held-1/c", "chat/d/e"):
        (tmp_path / each).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / each).write_bytes(b"x")
    assert sorted(files.names()) == ["chat/d/e", "documents/a"]
    with files.held(["documents/a", "documents/gone"]) as held:
        (tmp_path / "documents/a").unlink()
        assert held.names == ["documents/a"] and reads(held) == b"x"
    files.let_go_all()
    assert not list(tmp_path.glob("held-*"))


def reads(held: files.Held) -> bytes:
    with held.open("documents/a") as stream:
        return bytes(stream.read())


@pytest.mark.parametrize("address", ["s3://bucket", "https://host", "https://k:s@host/bucket", "x"])
def test_an_address_that_is_none_is_told_with_what_to_write(address: str) -> None:
    with pytest.raises(ImproperlyConfigured, match="write https://host/bucket"):
        env.bucket("VAULT_STORAGE", address)


def test_an_address_names_server_bucket_and_folder() -> None:
    assert env.bucket("VAULT_STORAGE", "https://host:9000/bucket/a/b") == {
        "endpoint_url": "https://host:9000",
        "bucket_name": "bucket",
        "location": "a/b",
    }
