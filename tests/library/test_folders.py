"""Files and folders of this machine, as the `ingest` command takes them in."""

import json
import os
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from apps.library.folders import files_below
from apps.library.models import Category, Document, Workspace
from tests.library.papers import embedded, essay

FIELDS = {
    *("path", "status", "reason", "document", "language", "parts", "chunks", "ocr_parts"),
    "seconds",
}


@pytest.fixture
def folder(settings, tmp_path) -> Path:
    settings.MEDIA_ROOT = tmp_path / "vault"
    folder = tmp_path / "papers"
    (folder / "deep").mkdir(parents=True)
    (folder / "birds.md").write_bytes(essay(5))
    (folder / "deep" / "more.md").write_bytes(essay(3))
    (folder / "broken.pdf").write_bytes(b"%PDF-1.7 and then nothing")
    return folder


def ingest(*arguments: Any) -> dict[str, dict[str, Any]]:
    """What the command prints, by file name."""
    out = StringIO()
    call_command("ingest", *map(str, arguments), "--json", stdout=out)
    files = json.loads(out.getvalue())["files"]
    assert all(each.keys() == FIELDS for each in files)
    return {Path(each["path"]).name: each for each in files}


def statuses(files: dict[str, dict[str, Any]]) -> dict[str, str]:
    return {name: each["status"] for name, each in files.items()}


def test_a_folder_becomes_searchable_and_a_bad_file_is_a_result(workspace, ollama, folder):
    files = ingest(folder, "--wait")
    assert statuses(files) == {"birds.md": "ready", "broken.pdf": "refused", "more.md": "ready"}
    birds = files["birds.md"]
    assert (birds["language"], birds["chunks"], birds["ocr_parts"], birds["reason"]) == (
        *("en", 5, 0, ""),
    )
    assert birds["document"] == Document.objects.get(name="birds.md").pk
    assert files["broken.pdf"]["reason"]


def test_without_waiting_it_is_queued(workspace, folder):
    assert statuses(ingest(folder / "birds.md")) == {"birds.md": "queued"}
    assert Document.objects.get().state == "queued"


def test_the_second_run_does_nothing(workspace, ollama, folder):
    first = ingest(folder, "--wait")
    ollama.heard.clear()
    second = ingest(folder, "--wait")
    assert statuses(second) == {
        "birds.md": "unchanged",
        "broken.pdf": "refused",
        "more.md": "unchanged",
    }
    assert embedded(ollama) == []
    assert [each["document"] for each in second.values()] == [
        each["document"] for each in first.values()
    ]


def test_the_second_run_asks_the_database_once_for_all_files(
    workspace, folder, django_assert_max_num_queries
):
    for number in range(30):
        (folder / f"{number}.txt").write_text(f"The heron number {number}")
    ingest(folder)
    with django_assert_max_num_queries(8):
        assert set(statuses(ingest(folder)).values()) == {"unchanged"}


def test_of_a_changed_file_only_the_change_is_learned(workspace, ollama, folder):
    ingest(folder, "--wait")
    ollama.heard.clear()
    (folder / "birds.md").write_bytes(essay(5, typo=" Teh end."))
    assert statuses(ingest(folder, "--wait"))["birds.md"] == "ready"
    assert len(embedded(ollama)) == 1
    assert Document.objects.count() == 3


def test_a_renamed_file_is_the_same_document(workspace, ollama, folder):
    before = ingest(folder, "--wait")["birds.md"]["document"]
    (folder / "birds.md").rename(folder / "deep" / "herons.md")
    after = ingest(folder, "--wait")["herons.md"]
    assert (after["document"], after["status"]) == (before, "unchanged")
    assert Document.objects.get(pk=before).name == "herons.md"


def test_hidden_files_and_links_out_of_the_folder_are_left_out(folder, tmp_path):
    (folder / ".hidden.md").write_text("no")
    (folder / ".git").mkdir()
    (folder / ".git" / "config.md").write_text("no")
    (tmp_path / "secret.md").write_text("no")
    (folder / "out.md").symlink_to(tmp_path / "secret.md")
    (folder / "twice.md").symlink_to(folder / "birds.md")
    (folder / "loop").symlink_to(folder, target_is_directory=True)
    os.mkfifo(folder / "pipe")
    found = files_below([folder, folder / "birds.md"])
    assert [path.name for path in found] == ["birds.md", "broken.pdf", "more.md"]


def test_workspace_and_category_are_made(workspace, alice, folder):
    ingest(folder / "birds.md", "--workspace", "Field notes", "--category", "Birds")
    document = Document.objects.get()
    assert document.workspace == Workspace.objects.get(owner=alice, name="Field notes")
    assert document.category is not None
    assert document.category.name == "Birds"
    ingest(folder / "birds.md", "--workspace", "Field notes", "--category", "Waders")
    document.refresh_from_db()
    assert document.category.name == "Waders"


def test_of_several_people_one_must_be_named(workspace, alice, bob, folder):
    with pytest.raises(CommandError, match="--owner"):
        ingest(folder)
    assert statuses(ingest(folder / "birds.md", "--owner", "bob")) == {"birds.md": "queued"}
    assert Document.objects.get().workspace.owner == bob
    with pytest.raises(CommandError, match="nobody named carol"):
        ingest(folder, "--owner", "carol")


def test_a_path_that_is_not_there_is_named_and_nothing_is_made_for_it(workspace, folder):
    with pytest.raises(CommandError, match=r"nowhere\.md"):
        ingest(folder / "nowhere.md", "--category", "lease", "--workspace", "Archive")
    assert not Category.objects.exists()
    assert list(Workspace.objects.all()) == [workspace]


def test_what_failed_is_a_document_too(workspace, folder):
    out = StringIO()
    with pytest.raises(CommandError):
        call_command("ingest", str(folder / "nowhere.md"), "--json", stdout=out)
    assert "nowhere.md" in json.loads(out.getvalue())["error"]


def test_without_a_model_it_stays_queued_and_says_why(workspace, ollama, folder):
    ollama.lacks("embeddinggemma")
    birds = ingest(folder / "birds.md", "--wait")["birds.md"]
    assert birds["status"] == "queued"
    assert birds["reason"].startswith("Waiting for the embedding model")
    assert birds["chunks"] == 5


def test_watch_once_tells_figures_and_later_runs_change_nothing(
    workspace: Workspace, ollama, folder: Path, settings
) -> None:
    settings.FOLDERS, settings.DATA_DIR = [folder.parent], folder.parent / "vault"
    for _ in range(2):
        out = StringIO()
        call_command("watch", str(folder), "--once", "--json", "--exclude", "deep/", stdout=out)
        (told,) = json.loads(out.getvalue())["folders"]
        assert told == {
            "path": str(folder),
            "problem": "",
            "found": 1,
            "coming": 0,
            "unread": 1,
            "left_out": 1,
            "total": 3,
        }
    out = StringIO()
    call_command("watch", str(folder), stdout=out)
    assert "1 of 3 indexed" in out.getvalue()
    with pytest.raises(CommandError, match="Only folders below"):
        call_command("watch", "/etc", stdout=StringIO())
