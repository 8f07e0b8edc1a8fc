"""Each operator means the same on the search page and in the terminal."""

import json
from datetime import UTC, datetime

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError

from apps.library.models import Category, Document, Workspace
from tests.library.passages import document

LEASE = ["The tenant gives notice of three months.", "The tenant pays rent each month."]
NOTES = ["Der tenant heißt auf Deutsch Mieter, und er kündigt."]
DIARY = ["Months later three tenants left, without notice."]
CONTRACT = ["The tenant of the office gives notice."]


@pytest.fixture
def shelf(workspace: Workspace) -> Workspace:
    law = Category.objects.create(workspace=workspace, name="Law")
    work = Workspace.objects.create(owner=workspace.owner, name="Work")
    made = [
        (document(workspace, "Lease 2021.pdf", LEASE, category=law), "pdf", "en", 2023),
        (document(workspace, "notes.md", NOTES, language="de"), "markdown", "de", 2024),
        (document(workspace, "diary.txt", DIARY), "text", "en", 2025),
        (document(work, "contract.txt", CONTRACT), "text", "en", 2025),
    ]
    for each, form, language, year in made:
        came = datetime(year, 6, 15, 12, tzinfo=UTC)
        Document.objects.filter(pk=each.pk).update(format=form, language=language, created_at=came)
    return workspace


LINES = {
    "tenant": {"Lease 2021.pdf", "notes.md", "diary.txt"},
    '"three months"': {"Lease 2021.pdf"},
    "“three months” tenant": {"Lease 2021.pdf"},
    "tenant -notice": {"Lease 2021.pdf", "notes.md"},
    'tenant -"three months" -Mieter': {"Lease 2021.pdf", "diary.txt"},
    "tenant in:Law": {"Lease 2021.pdf"},
    'tenant in:"lease 2021.pdf"': {"Lease 2021.pdf"},
    "tenant in:diary.txt": {"diary.txt"},
    "tenant in:diary": {"diary.txt"},
    'tenant in:"lease 2021"': {"Lease 2021.pdf"},
    "tenant category:law": {"Lease 2021.pdf"},
    "tenant type:pdf": {"Lease 2021.pdf"},
    "tenant type:.txt": {"diary.txt"},
    "tenant TYPE:markdown": {"notes.md"},
    "tenant lang:de": {"notes.md"},
    "tenant lang:German": {"notes.md"},
    "tenant sprache:deutsch": {"notes.md"},
    "tenant kategorie:law typ:pdf vor:2024": {"Lease 2021.pdf"},
    "tenant arbeitsbereich:alle nach:2025": {"diary.txt", "contract.txt"},
    "tenant lang:en-GB": {"Lease 2021.pdf", "diary.txt"},
    "tenant after:2024": {"notes.md", "diary.txt"},
    "tenant after:2024-06-16": {"diary.txt"},
    "tenant before:2024-06-15": {"Lease 2021.pdf"},
    "tenant after:2024 before:2025": {"notes.md"},
    "tenant workspace:work": {"contract.txt"},
    "tenant workspace:all": {"Lease 2021.pdf", "notes.md", "diary.txt", "contract.txt"},
    "tenant workspace:all type:pdf": {"Lease 2021.pdf"},
    "tenant workspace:* lang:de": {"notes.md"},
    "tenant category:law after:2024": set(),
    "tenant category:law type:pdf before:2024 -rent": {"Lease 2021.pdf"},
    'tenant "unpaired': {"Lease 2021.pdf", "notes.md", "diary.txt"},
    "note: tenant": {"Lease 2021.pdf", "notes.md", "diary.txt"},
    "type:pdf": set(),
}
WRONG = {
    "tenant after:soon": "after:soon is no date",
    "tenant nach:24": "nach:24 is no date. Write it as nach:2024",
    "tenant before:2024-13": "before:2024-13 is no date",
    "tenant in:Lease": "no category or document called “Lease”",
    "tenant in:dia.*": "no category or document called “dia.*”",
    "tenant in:Nowhere": "no category or document called “Nowhere”",
    "tenant category:diary.txt": "no category called “diary.txt”",
    "tenant type:exe": "no document of type “exe”",
    "tenant lang:fr": "no document in “fr”",
    "tenant workspace:Moon": "no workspace called “Moon”",
}


def on_the_page(reader, line: str) -> list[tuple[str, str, str]]:
    shown = reader.get("/search/", {"q": line}).context.get("results") or []
    hits = [each.hit for each in shown]
    return [(hit.chunk.document.name, hit.text, hit.band) for hit in hits]


def in_the_terminal(capsys, line: str) -> list[tuple[str, str, str]]:
    call_command("search", line, "--limit", "20", "--json")
    hits = json.loads(capsys.readouterr().out)["hits"]
    return [(hit["document"], hit["text"], hit["band"]) for hit in hits]


def test_an_operator_means_the_same_in_both(reader, shelf, ollama, capsys, subtests):
    for line, names in LINES.items():
        with subtests.test(line):
            page = on_the_page(reader, line)
            assert {name for name, _, _ in page} == names
            assert in_the_terminal(capsys, line) == page


def test_what_is_no_value_is_told_in_the_same_words(reader, shelf, ollama, subtests):
    for line, words in WRONG.items():
        with subtests.test(line):
            told = reader.get("/search/", {"q": line}).context["wrong"]
            assert words in told
            with pytest.raises(CommandError) as wrong:
                call_command("search", line)
            assert str(wrong.value) == told


def test_a_filter_of_the_page_is_an_operator_in_the_terminal(reader, shelf, ollama, capsys):
    law = shelf.categories.get()
    lease = shelf.documents.get(name="Lease 2021.pdf")
    same = {
        "category:Law": {"category": law.pk},
        'in:"Lease 2021.pdf"': {"document": lease.pk},
        "type:pdf": {"type": "pdf"},
        "lang:de": {"language": "de"},
        "workspace:all": {"everywhere": "1"},
    }
    for operator, chosen in same.items():
        page = reader.get("/search/", {"q": "tenant", **chosen}).context["results"]
        hits = [(each.hit.chunk.document.name, each.hit.text, each.hit.band) for each in page]
        assert in_the_terminal(capsys, f"tenant {operator}") == hits


def test_the_terminal_explains_a_hit_and_warns_as_the_page_does(shelf, ollama, capsys):
    call_command("search", "tenant rent", "--json")
    first = json.loads(capsys.readouterr().out)["hits"][0]
    assert set(first["words"]) == {"tenant", "rent"}
    assert first["place_by_words"] == 1
    call_command("search", "Where do zeppelins moor at dusk, months before winter storms?")
    assert "may not answer this" in capsys.readouterr().err
