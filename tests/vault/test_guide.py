"""The guide: the same in each language, found, linked from errors, and asked in a workspace."""

import re

import pytest
from django.conf import settings
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse
from django.utils import translation

from apps.library.models import Document, Workspace
from apps.vault.guide import asking, meanings, pages
from apps.web.telling import gettext
from tests.messages import ROOMS, translated

LANGUAGES = [code for code, _name in settings.LANGUAGES]


def anchors(language: str) -> dict[str, list[str]]:
    return {
        page.slug: [section.anchor for section in page.sections] for page in pages.pages(language)
    }


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_language_has_the_same_pages_and_anchors(language: str) -> None:
    assert anchors(language) == anchors("en")
    assert all(page.title and page.lede and page.sections for page in pages.pages(language))


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("code", meanings.MEANINGS)
def test_what_errors_link_to_is_there(code: str, language: str) -> None:
    page, anchor = meanings.MEANINGS[code]
    assert anchor in anchors(language)[page]


def test_templates_ask_only_for_meanings_there_are() -> None:
    asked = set()
    for path in (settings.BASE_DIR / "templates").glob("**/*.html"):
        asked |= set(re.findall(r'{% meaning "([\w-]+)" %}', path.read_text()))
    assert asked and asked <= set(meanings.MEANINGS)


def test_each_state_of_a_document_that_needs_it_is_explained() -> None:
    assert meanings.of_state("refused", "It needs its password.", "") == "not-read"
    assert meanings.of_state("failed", "No answer.", "https://example.org") == "not-fetched"
    assert meanings.of_state("ready", "", "") == ""
    assert set(filter(None, (meanings.of_state(s, "x", "") for s in Document.State))) <= set(
        meanings.MEANINGS
    )


@pytest.mark.parametrize("code", meanings.BEGINNINGS)
def test_each_sentence_with_a_meaning_is_one_that_the_vault_says(code: str) -> None:
    said = {str(each.id) for room in ROOMS for each in translated(room) if each.id}
    for beginning in meanings.BEGINNINGS[code]:
        assert any(message.startswith(beginning) for message in said), beginning
    assert code in meanings.MEANINGS


def test_the_meaning_of_a_sentence_is_exact_whatever_language_it_was_said_in() -> None:
    with translation.override("de"):
        locked = gettext("The file is encrypted: it needs its password. Save it without one.")
    assert meanings.of_words(locked) == meanings.of_state("refused", locked, "") == "locked"
    assert meanings.of_words("The file is encrypted, says somebody else.") == ""
    scan = gettext("This is a scan, and no OCR is installed. Install Tesseract (package")
    assert meanings.of_words(scan) == "no-ocr"


@pytest.mark.parametrize("language", LANGUAGES)
def test_what_the_guide_names_is_called_so_on_the_pages(language: str) -> None:
    called = set()
    for room in ROOMS:
        for each in translated(room):
            told = each.id if language == "en" else each.string
            called |= {plain(text) for text in ((told,) if isinstance(told, str) else told)}
    for page in pages.pages(language):
        for bold in re.findall(r"\*\*([^*]*\w[^*]*)\*\*", page.text):
            for name in bold.split(" › "):
                assert plain(name) in called, f"{page.slug}: {bold}"


def plain(text: str) -> str:
    return re.sub(r" \([^)]*\)$", "", text).strip(" ….").casefold()


@pytest.mark.parametrize("language", LANGUAGES)
def test_all_pages_are_read(language: str, reader: Client) -> None:
    headers = {"Accept-Language": language}
    for page in pages.pages(language):
        shown = reader.get(page.get_absolute_url(), headers=headers).content.decode()
        assert all(f'id="{section.anchor}"' in shown for section in page.sections), page.slug
    assert reader.get(reverse("vault:guide_page", args=["nothing"])).status_code == 404


def test_words_are_found_in_the_guide(reader: Client) -> None:
    assert [hit.section.anchor for hit in pages.found("en", "password file")][:1] == ["locked"]
    assert "verschlossen" in pages.found("de", "Passwort Kopie")[0].section.title
    assert pages.found("en", "  ") == []
    shown = reader.get(reverse("vault:guide"), {"q": "zzz"}).content.decode()
    assert "no section with all these words" in shown


def test_asking_opens_the_chat_with_the_guide_and_three_questions(
    reader: Client, alice: User
) -> None:
    answer = reader.post(reverse("vault:guide_ask"))
    assert answer.headers["Location"] == reverse("chat:conversation_list")
    workspace = Workspace.objects.get(owner=alice, name="Guide")
    assert workspace.documents.count() == len(pages.PAGES)
    shown = reader.get(answer.headers["Location"]).content.decode()
    assert shown.count('class="suggestion"') == 3
    reader.post(reverse("vault:guide_ask"))
    assert Document.objects.filter(workspace__owner=alice).count() == len(pages.PAGES)


def test_a_changed_guide_is_taken_in_anew(alice: User) -> None:
    workspace = asking.workspace_for(alice, "en")
    stale = workspace.documents.get(source="guide:en:finding")
    Document.objects.filter(pk=stale.pk).update(sha256="0" * 64, source="guide:en:finding")
    gone = workspace.documents.get(source="guide:en:models")
    Document.objects.filter(pk=gone.pk).update(source="guide:en:former")
    assert asking.workspace_for(alice, "en") == workspace
    stale.refresh_from_db()
    assert stale.sha256 != "0" * 64
    assert workspace.documents.filter(source="guide:en:models").exists()


def test_a_workspace_of_that_name_with_documents_is_left_alone(alice: User) -> None:
    own = Workspace.objects.create(owner=alice, name="Guide")
    own.documents.create(name="Mine.txt")
    assert asking.workspace_for(alice, "en").name == "Guide 2"
    assert asking.workspace_for(alice, "en").name == "Guide 2"
    assert own.documents.count() == 1
