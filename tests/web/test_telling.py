"""What is written down for readers is said to each in their own language."""

import copy
import json
import pickle

import pymupdf
import pytest
from django.contrib.auth.models import User
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.utils import translation
from pytest_django import Settings

from apps.library import ingestion
from apps.library.models import BatchEntry, Document, Workspace
from apps.llm import downloads
from apps.web import telling
from apps.web.telling import gettext, joined, restored, stored
from apps.web.told import Told, full_stop
from tests.library.papers import add

GERMAN = {"Accept-Language": "de"}


def test_a_sentence_keeps_what_it_is_made_of() -> None:
    said = gettext("Larger than %(limit)s MB, the limit of this vault.") % {"limit": 5}
    assert said == "Larger than 5 MB, the limit of this vault."
    again = pickle.loads(pickle.dumps(said))
    for same in (str(said), str(ValueError(said)), copy.deepcopy(said), again):
        assert isinstance(same, Told) and stored(same) == stored(said)
    with translation.override("de"):
        assert restored(stored(said)) == "Größer als 5\xa0MB, die Grenze dieses Tresors."


def test_sentences_within_sentences_and_in_a_row() -> None:
    inner = gettext("The file is empty.")
    whole = gettext("Waiting for the embedding model: %(reason)s") % {"reason": inner}
    with translation.override("de"):
        assert restored(stored(whole)).endswith(": Die Datei ist leer.")
        assert restored(stored(joined(inner, "", "Ja"))) == "Die Datei ist leer. Ja"
    assert joined() == "" and joined(inner) is inner


def test_numbers_choose_their_form() -> None:
    said = telling.ngettext("%(number)s page", "%(number)s pages", 3) % {"number": 3}
    with translation.override("de"):
        assert restored(stored(said)) == "3 Seiten"


@pytest.mark.parametrize(
    "text",
    ["", "plain", "{", '{"a": 1}', "[1]", "{}", '{"x": {"msgid": "Files"}}', "100 % of it"],
)
def test_what_is_no_sentence_stays_as_it_is(text: str) -> None:
    assert restored(text) == text and stored(text) == text


@pytest.mark.parametrize(
    "odd",
    [
        {"msgid": "Larger than %(limit)s MB", "values": {}},
        {"msgid": 7, "values": {"limit": {"msgid": None}}},
        {"msgid": "x", "plural": "y", "number": "many"},
        {"joined": "no list"},
        {"joined": [1, {"joined": []}]},
    ],
)
def test_no_stored_sentence_breaks_a_page(odd: dict[str, object]) -> None:
    assert isinstance(restored(json.dumps(odd)), str)


def test_no_sentence_ends_twice() -> None:
    nested = gettext("%(told)s. The last try failed.") % {"told": gettext("The file is empty.")}
    assert nested == "The file is empty. The last try failed."
    assert full_stop("Ready") == "Ready." and full_stop("Broken.") == "Broken."


def test_a_refusal_is_told_to_each_reader_in_their_language(
    reader: Client, workspace: Workspace
) -> None:
    with translation.override("de"):  # whoever uploaded it
        refused = add(workspace, b" \n ", "empty.txt")
        ingestion.work(refused.pk)
    refused.refresh_from_db()
    assert refused.reason == "The file has no text: only blanks and line ends."
    page = refused.get_absolute_url()
    german = reader.get(page, headers=GERMAN).text
    assert "Die Datei enthält keinen Text" in german and "/guide/trouble/#no-text" in german
    assert "The file has no text" in reader.get(page).text


def test_what_was_written_before_is_still_shown(reader: Client, workspace: Workspace) -> None:
    old = Document.objects.create(
        workspace=workspace, name="old.pdf", state="refused", reason="Die Datei ist verschlossen."
    )
    for headers in ({}, GERMAN):
        page = reader.get(old.get_absolute_url(), headers=headers).text
        assert "Die Datei ist verschlossen." in page and "/guide/trouble/#not-read" in page


def test_what_was_left_out_is_told_in_the_readers_language(
    reader: Client, workspace: Workspace
) -> None:
    paper = pymupdf.open()
    paper.new_page().insert_text((72, 72), "A page with words on it.")
    paper.new_page()
    document = add(workspace, paper.tobytes(), "two.pdf")
    ingestion.work(document.pk)
    shown = reader.get(document.get_absolute_url(), headers=GERMAN).text
    assert "Seite 2: Die Seite ist leer." in shown
    assert "page 2: The page is empty." in reader.get(document.get_absolute_url()).text
    parts = reader.get(f"/library/documents/{document.pk}/parts/", headers=GERMAN)
    assert "Die Seite ist leer." in parts.text


def test_a_receipt_follows_its_reader(
    reader: Client, workspace: Workspace, settings: Settings
) -> None:
    settings.UPLOAD_LIMIT_MB = 0
    sent = SimpleUploadedFile("notes.txt", b"some words")
    reader.post("/library/upload/", {"file": sent}, headers=GERMAN)
    entry = BatchEntry.objects.get()
    shown = reader.get(entry.batch.get_absolute_url()).text
    assert "The file is larger than 0 MB" in shown and "/guide/trouble/#too-large" in shown
    german = reader.get(entry.batch.get_absolute_url(), headers=GERMAN).text
    assert "The file is" not in german and ">Hochgeladen" in german


def test_a_download_that_failed_is_told_in_the_readers_language(alice: User) -> None:
    reason = gettext("%(name)s was interrupted. Try again.") % {"name": "tiny"}
    downloads._note(downloads.Progress("tiny", state="failed", error=reason))
    with translation.override("de"):
        told = downloads.record("tiny")
        assert told and told.error != reason and told.error.startswith("tiny")
