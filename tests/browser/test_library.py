"""The library as a person uses it: files dropped, rows that move by themselves, pages turned."""

import re
from pathlib import Path

import pytest
from django.core.files.base import ContentFile
from playwright.sync_api import Page, expect

from apps.library import dating
from apps.library.models import Document, Part, Workspace
from apps.library.samples import FOLDER
from tests.browser.conftest import keeps_focus, press

pytestmark = pytest.mark.browser
State = Document.State


@pytest.fixture
def manual(workspace: Workspace) -> Document:
    """The sample PDF, its pages known but still being read."""
    made = Document.objects.create(
        workspace=workspace,
        name="Heat pump manual.pdf",
        format="pdf",
        file=ContentFile((FOLDER / "Heat pump manual.pdf").read_bytes(), "x"),
        state=State.READING,
        done=1,
        total=2,
    )
    for number in (1, 2):
        Part.objects.create(
            document=made,
            revision=1,
            ordinal=number - 1,
            kind="page",
            number=number,
            label=f"page {number}",
            text="Text.",
        )
    return made


def test_files_are_uploaded_one_by_one_and_the_list_follows(
    page: Page, tmp_path: Path, complaints: list[str]
) -> None:
    (tmp_path / "empty.txt").touch()
    page.goto("/library/")
    files = [FOLDER / "House rules.md", tmp_path / "empty.txt"]
    with page.expect_file_chooser() as chooser:
        press(page.get_by_role("link", name="Choose files"))
    chooser.value.set_files(files)
    uploads = page.locator("#uploads")
    expect(uploads.get_by_text(re.compile("being read|aiting to be read"))).to_be_visible()
    expect(uploads.get_by_text("This file is empty, so there is nothing to read.")).to_be_visible()
    expect(page.locator("#shelf").get_by_role("link", name="House rules.md")).to_be_visible()
    expect(page.locator("#shelf tbody tr[id]")).to_have_count(1)
    (taken,) = Document.objects.all()
    assert taken.changed_at == dating.stamped(int(files[0].stat().st_mtime * 1000) / 1000)
    Document.objects.update(state=State.READY, chunk_count=1)
    expect(uploads.get_by_text("Ready.")).to_be_visible()
    expect(page.locator("#upload-figures")).to_contain_text("1 of 2 ready, 1 not taken in")
    keeps_focus(page)
    press(page.get_by_role("link", name="Receipt"))
    expect(page.get_by_role("heading", name="1 of 2 ready, 1 not taken in")).to_be_visible()
    assert all("422" in each for each in complaints)  # that of the empty file
    complaints.clear()


def test_rows_move_by_themselves_and_what_is_ticked_stays_ticked(
    page: Page, manual: Document
) -> None:
    page.goto("/library/")
    row = page.locator(f"#document-{manual.pk}")
    expect(row).to_contain_text("Reading page 2 of 2")
    row.get_by_role("checkbox").check()
    Document.objects.update(state=State.READY)
    expect(row).to_contain_text("Ready")
    expect(row.get_by_role("checkbox")).to_be_checked()
    expect(page.get_by_text("1 selected")).to_be_visible()
    expect(page.locator("[hx-trigger='every 2s']")).to_have_count(0)


def test_the_list_narrows_while_one_types(page: Page, manual: Document) -> None:
    page.goto("/library/")
    page.get_by_label("Find by name").press_sequentially("lease")
    expect(page.get_by_text("No document fits")).to_be_visible()
    expect(page.get_by_label("Find by name")).to_be_focused()


def test_pages_are_turned_by_the_arrow_keys(page: Page, manual: Document) -> None:
    page.goto(manual.get_absolute_url())
    picture = page.get_by_role("img", name="Page 1 of Heat pump manual.pdf")
    expect(picture).to_be_visible()
    page.keyboard.press("ArrowRight")
    expect(page.get_by_role("img", name="Page 2 of Heat pump manual.pdf")).to_be_visible()
    expect(page).to_have_url(f"{manual.get_absolute_url()}?page=2")
    page.go_back()
    expect(picture).to_be_visible()


def test_the_receipt_and_the_viewer_follow_the_reading(page: Page, workspace: Workspace) -> None:
    notes = Document.objects.create(workspace=workspace, name="notes.md", state=State.READING)
    page.goto(notes.get_absolute_url())
    expect(page.get_by_text("Not read yet")).to_be_visible()
    Part.objects.create(
        document=notes, revision=1, ordinal=0, kind="section", number=1, label="", text="Hello."
    )
    Document.objects.update(state=State.READY)
    expect(page.locator("#receipt").get_by_text("Ready")).to_be_visible()
    expect(page.get_by_text("Hello.")).to_be_visible()
