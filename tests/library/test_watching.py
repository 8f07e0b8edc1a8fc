"""Watched folders: what happens to files happens to documents, and each is accounted for."""

import csv
import io
import os
import shutil
import time
from pathlib import Path

import pytest
from django.contrib.auth.models import User
from django.test import Client
from pytest_django import Settings

from apps.library import accounting, bells, ingestion, walking, watching
from apps.library.accounting import Counts
from apps.library.models import Chunk, Document, FolderEntry, WatchedFolder, Workspace
from tests.fake_ollama import FakeOllama
from tests.library.papers import embedded, essay


@pytest.fixture
def root(settings: Settings, tmp_path: Path) -> Path:
    settings.MEDIA_ROOT = tmp_path / "vault" / "files"
    settings.DATA_DIR = tmp_path / "vault"
    settings.FOLDERS = [tmp_path / "home"]
    folder = tmp_path / "home" / "papers"
    (folder / "letters" / "old").mkdir(parents=True)
    (folder / "birds.md").write_bytes(essay(3))
    (folder / "letters" / "lease.txt").write_text("Notice is three months.")
    (folder / "letters" / "old" / "first.txt").write_text("Dear Ada, the moor is wide.")
    return folder


def look(folder: WatchedFolder) -> Counts:
    """Look to the end, and read what is new."""
    while not watching.look(folder):
        pass
    while ingestion.work_next() != "idle":
        pass
    folder.refresh_from_db()
    return accounting.of(folder)


def names(workspace: Workspace) -> set[str]:
    return set(workspace.documents.values_list("name", flat=True))


def reasons(folder: WatchedFolder) -> dict[str, str]:
    return dict(
        FolderEntry.objects.filter(folder=folder, document=None).values_list("path", "reason")
    )


# --- walking ------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("path", "pattern", "fits"),
    [
        ("a/b/C.PDF", "*.pdf", True), ("a/b.txt", "*.pdf", False),
        ("drafts/a.txt", "drafts/", True), ("drafts/", "drafts/", True),
        ("a/drafts/b.txt", "drafts/", True), ("mydrafts/a.txt", "drafts/", False),
        ("2024/a.pdf", "2024/*.pdf", True), ("x/2024/a.pdf", "2024/*.pdf", False),
        ("note.txt", "note.*", True), ("a/note.txt", "/note.txt", False),
    ],
)  # fmt: skip
def test_patterns(path: str, pattern: str, fits: bool) -> None:
    assert walking.matches(path, walking.patterns(pattern)) is fits


def test_what_is_left_out_says_why(root: Path, tmp_path: Path) -> None:
    (root / ".git").mkdir()
    (root / "node_modules").mkdir()
    for name in (".hidden", "Thumbs.db", "~$lease.docx", "half.pdf.part", "tool.exe", "skip.csv"):
        (root / name).write_text("x")
    (root / "empty.txt").touch()
    os.mkfifo(root / "pipe")
    (tmp_path / "secret.txt").write_text("outside")
    (root / "out.txt").symlink_to(tmp_path / "secret.txt")
    (root / "etc").symlink_to("/etc")
    (root / "inside.txt").symlink_to(root / "birds.md")
    (root / "dangling").symlink_to(root / "nowhere")
    (root / "circle").symlink_to(root)
    found = {each.path: each.reason for each in walking.walk(root, [], ["*.csv"])}
    assert {path for path, reason in found.items() if not reason} == {
        *("birds.md", "inside.txt", "letters/lease.txt", "letters/old/first.txt"),
    }
    told = {path: reason for path, reason in found.items() if reason}
    assert told.keys() == {
        *(".git/", "node_modules/", ".hidden", "Thumbs.db", "~$lease.docx", "half.pdf.part"),
        *("tool.exe", "skip.csv", "empty.txt", "pipe", "out.txt", "etc", "dangling", "circle"),
    }
    assert "leads out" in told["out.txt"] and "leads out" in told["etc"]
    assert "(.exe)" in told["tool.exe"] and "pattern" in told["skip.csv"]


# --- looking ------------------------------------------------------------------------------------
def test_a_folder_is_kept_in_step(workspace: Workspace, root: Path, ollama: FakeOllama) -> None:
    folder = watching.begin(workspace, str(root))
    assert look(folder) == Counts(ready=3)
    assert workspace.documents.get(name="lease.txt").category.name == "letters"  # type: ignore[union-attr]
    assert workspace.documents.get(name="first.txt").category.name == "letters"  # type: ignore[union-attr]
    assert workspace.documents.get(name="birds.md").category is None
    before = {document.name: document.pk for document in workspace.documents.all()}
    asked = len(embedded(ollama))

    assert look(folder) == Counts(ready=3)  # nothing has changed, nothing is done
    (root / "birds.md").rename(root / "letters" / "herons.md")
    assert look(folder) == Counts(ready=3)
    moved = workspace.documents.get(name="herons.md")
    assert (moved.pk, moved.revision) == (before["birds.md"], 1)
    assert moved.category is not None and moved.category.name == "letters"
    assert len(embedded(ollama)) == asked  # moved, not learned again

    (root / "letters" / "lease.txt").write_text("Notice is six months.")
    (root / "new.txt").write_text("The tide turns at noon.")
    (root / "letters" / "old" / "first.txt").unlink()
    assert look(folder) == Counts(ready=3)
    assert names(workspace) == {"herons.md", "lease.txt", "new.txt"}
    lease = workspace.documents.get(name="lease.txt")
    assert (lease.pk, lease.revision) == (before["lease.txt"], 2)
    assert Chunk.objects.get(document=lease).text == "Notice is six months."
    assert not Chunk.objects.filter(text__contains="Dear Ada").exists()


def test_a_renamed_sub_folder_is_a_renamed_category(
    workspace: Workspace, root: Path, ollama: FakeOllama
) -> None:
    folder = watching.begin(workspace, str(root))
    look(folder)
    (root / "letters").rename(root / "mail")
    assert look(folder) == Counts(ready=3)
    (category,) = workspace.categories.all()
    assert category.name == "mail" and category.documents.count() == 2
    assert set(workspace.documents.values_list("revision", flat=True)) == {1}


def test_equal_bytes_at_two_places_are_two_documents_read_once(
    workspace: Workspace, root: Path, ollama: FakeOllama
) -> None:
    shutil.copy(root / "birds.md", root / "letters" / "birds.md")
    folder = watching.begin(workspace, str(root))
    assert look(folder) == Counts(ready=4)
    one, two = workspace.documents.filter(name="birds.md")
    assert one.pk != two.pk and one.sha256 == two.sha256
    assert list(one.chunks.values_list("text")) == list(two.chunks.values_list("text"))
    assert len(embedded(ollama)) == len(set(embedded(ollama)))
    (root / "letters" / "birds.md").unlink()
    assert look(folder) == Counts(ready=3)
    assert workspace.documents.filter(name="birds.md").get().source == str(root / "birds.md")


def test_a_twin_is_not_read_beside_the_first(workspace: Workspace, root: Path) -> None:
    shutil.copy(root / "birds.md", root / "zwilling.md")
    watching.look(watching.begin(workspace, str(root)))
    waiting = set(Document.objects.workable().values_list("name", flat=True))
    assert waiting == {"birds.md", "first.txt", "lease.txt"}
    ingestion.cancel(workspace.documents.get(name="birds.md"))
    assert "zwilling.md" in Document.objects.workable().values_list("name", flat=True)


def test_bad_files_stop_nobody_and_are_told(
    workspace: Workspace, root: Path, ollama: FakeOllama
) -> None:
    (root / "bad.pdf").write_bytes(b"%PDF-1.7 and nothing")
    (root / ".secret").write_text("x")
    folder = watching.begin(workspace, str(root), exclude="old/")
    assert look(folder) == Counts(ready=2, unread=1, left_out=2)
    assert reasons(folder) == {
        ".secret": "A hidden file.",
        "letters/old/": "Left out by a pattern.",
    }
    rows = list(csv.reader(io.StringIO("".join(accounting.as_csv(folder)))))
    assert len(rows) == 7 and rows[-1] == ["2 of 5 ready"]
    bad = next(row for row in rows if row[0] == "bad.pdf")
    assert bad[1] == "could not be read" and "damaged" in bad[2]


def test_a_folder_that_is_gone_or_empty_takes_nothing_out(
    workspace: Workspace, root: Path, ollama: FakeOllama
) -> None:
    folder = watching.begin(workspace, str(root))
    look(folder)
    root.rename(root.with_name("away"))
    assert look(folder) == Counts(ready=3)
    assert "is not there, or not mounted" in folder.problem
    root.mkdir()
    assert look(folder) == Counts(ready=3)
    assert "is empty" in folder.problem
    root.rmdir()
    root.with_name("away").rename(root)
    assert look(folder) == Counts(ready=3) and folder.problem == ""


def test_without_following_deletions_documents_stay(
    workspace: Workspace, root: Path, ollama: FakeOllama
) -> None:
    folder = watching.begin(workspace, str(root), follow_deletions=False)
    look(folder)
    (root / "birds.md").unlink()
    assert look(folder) == Counts(ready=2)
    assert "birds.md" in names(workspace)


def test_what_a_person_deleted_or_moved_stays_so_until_the_file_changes(
    workspace: Workspace, root: Path, ollama: FakeOllama
) -> None:
    folder = watching.begin(workspace, str(root))
    look(folder)
    ingestion.discard(workspace.documents.get(name="birds.md"))
    other = workspace.categories.create(name="Mine")
    workspace.documents.filter(name="lease.txt").update(category=other)
    assert look(folder) == Counts(ready=2, left_out=1)
    (line,) = accounting.lines(accounting.entries(folder, accounting.LEFT_OUT))
    assert line.reason == accounting.DELETED
    (root / "birds.md").write_bytes(essay(2))
    (root / "letters" / "lease.txt").write_text("Notice is a year.")
    assert look(folder) == Counts(ready=3)
    assert workspace.documents.get(name="lease.txt").category == other


def test_other_rules_bring_in_and_take_out(
    reader: Client, workspace: Workspace, root: Path, ollama: FakeOllama
) -> None:
    folder = watching.begin(workspace, str(root), exclude="*.txt")
    assert look(folder) == Counts(ready=1, left_out=2)
    ingestion.discard(workspace.documents.get(name="birds.md"))
    address = f"/library/folders/{folder.pk}/rules/"
    assert 'value="*.txt"' in reader.get(address).text
    reader.post(address, {"exclude": "letters/old/", "follow_deletions": "on"})
    folder.refresh_from_db()
    assert look(folder) == Counts(ready=1, left_out=2)
    assert names(workspace) == {"lease.txt"}, "what a person deleted stays out"
    reader.post(address, {"include": "*.md", "by_subfolder": "on"})
    folder.refresh_from_db()
    look(folder)
    assert names(workspace) == {"lease.txt"} and not folder.follow_deletions, "it was to stay"
    assert reader.post(address, {"include": "x" * 5000}).status_code == 422


def test_a_look_that_ends_early_goes_on(workspace: Workspace, root: Path) -> None:
    for number in range(5):
        (root / f"{number}.txt").write_text(f"note {number}")
    folder = watching.begin(workspace, str(root))
    looks = 1
    while not watching.look(folder, seconds=0.004):
        looks += 1
        assert looks < 100
    assert looks > 1 and workspace.documents.count() == 8
    assert folder in watching.due() or not watching.due()


def test_folders_are_due_when_asked_for_and_now_and_then(workspace: Workspace, root: Path) -> None:
    folder = watching.begin(workspace, str(root))
    assert watching.due() == [folder]
    assert watching.look_where_due() == 1 and watching.due() == []
    watching.look_again(folder)
    assert watching.due() == [folder]
    watching.pause(folder, True)
    assert watching.due() == []
    watching.pause(folder, False)
    watching.look_where_due()
    past = folder.created_at - watching.POLLED * 2
    WatchedFolder.objects.update(looked_at=past, polled=True)
    assert watching.due() == [folder]


@pytest.mark.parametrize(
    ("path", "words"),
    [
        ("", "whole path"), ("papers", "whole path"), ("/etc", "Only folders below"),
        ("{home}/nowhere", "There is no folder"), ("{home}/../vault", "Only folders below"),
        ("{home}/papers/birds.md", "There is no folder"), ("{home}/x\0", "whole path"),
        ("{home}/link", "Only folders below"), ("{home}/~nobody/x", "There is no folder"),
    ],
)  # fmt: skip
def test_other_folders_may_not_be_watched(
    workspace: Workspace, root: Path, path: str, words: str
) -> None:
    (root.parent / "link").symlink_to("/etc")
    with pytest.raises(watching.NotAllowed, match=words):
        watching.begin(workspace, path.format(home=root.parent))


def test_the_vaults_own_folder_may_not_be_watched(
    workspace: Workspace, root: Path, settings: Settings
) -> None:
    settings.DATA_DIR = root / "data"
    (root / "data").mkdir()
    for path in (root, root / "data"):
        with pytest.raises(watching.NotAllowed, match="its own files"):
            watching.begin(workspace, str(path))


# --- hearing ------------------------------------------------------------------------------------
@pytest.mark.django_db(transaction=True)
def test_a_change_rings(workspace: Workspace, root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bells, "QUIET", 100)
    folder = watching.begin(workspace, str(root))
    watching.look(folder)
    assert watching.due() == []
    over = bells.start()
    try:
        until = time.monotonic() + 10
        while not watching.due():
            assert time.monotonic() < until, "nobody rang"
            (root / "new.txt").write_text(str(time.monotonic()))
            time.sleep(0.2)
    finally:
        over.set()
    time.sleep(0.5)


# --- pages --------------------------------------------------------------------------------------
def test_the_owner_adds_watches_pauses_and_removes(
    reader: Client, workspace: Workspace, root: Path, ollama: FakeOllama
) -> None:
    wrong = reader.post("/library/folders/new/", {"path": "/etc"})
    assert wrong.status_code == 422 and "Only folders below" in wrong.text
    answer = reader.post(
        "/library/folders/new/",
        {"path": str(root), "by_subfolder": "on", "follow_deletions": "on", "exclude": "*.csv"},
        follow=True,
    )
    assert "Watching" in answer.text and 'hx-trigger="every 2s"' in answer.text
    folder = WatchedFolder.objects.get()
    (root / "=cmd.txt").write_text("x")
    (root / "tool.exe").write_text("x")
    look(folder)
    page = reader.get(folder.get_absolute_url()).text
    assert "4 of 5 ready, 1 left out" in page and "every 2s" not in page
    assert "birds<wbr>" in page and "not *.csv" in page
    left = reader.get(folder.get_absolute_url(), {"became": "left out"}).text
    assert "tool<wbr>" in left and "birds" not in left
    assert "4 of 5 ready" in reader.get("/library/folders/").text
    table = reader.get(f"/library/folders/{folder.pk}/receipt.csv")
    text = b"".join(table).decode()  # type: ignore[arg-type]
    assert "'=cmd.txt,ready" in text and text.endswith("4 of 5 ready\r\n")
    for words in ("Paused", "Watched again"):
        done = reader.post(f"/library/folders/{folder.pk}/pause/", follow=True)
        assert words in done.text
    assert "again" in reader.post(f"/library/folders/{folder.pk}/look/", follow=True).text
    asked = reader.get(f"/library/folders/{folder.pk}/remove/").text
    assert "4 documents came from it" in asked
    reader.post(f"/library/folders/{folder.pk}/remove/", {"documents": "keep"})
    assert workspace.documents.count() == 4 and not WatchedFolder.objects.exists()
    again = watching.begin(workspace, str(root))
    look(again)
    assert workspace.documents.count() == 4  # they are known by their place
    reader.post(f"/library/folders/{again.pk}/remove/", {"documents": "delete"})
    assert workspace.documents.count() == 0 and (root / "birds.md").exists()


def test_folders_are_the_owners_affair(client: Client, bob: User, root: Path) -> None:
    client.force_login(bob)
    assert client.get("/library/folders/").status_code == 404
    assert client.post("/library/folders/new/", {"path": str(root)}).status_code == 404
    assert "Folders" not in client.get("/library/").text
