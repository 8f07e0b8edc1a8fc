"""Whole tables and whole texts are gone through, and the answer says how far."""

from pathlib import Path

import pytest
from django.db import transaction

from apps.chat import whole
from apps.chat.answer import Question, answer_to
from apps.chat.halting import Halt
from apps.chat.models import Answer
from apps.chat.steps import Account, Covered
from apps.chat.tables import day, number
from apps.library import chunking, indexing
from apps.library.models import Document, Workspace
from apps.library.parsing import ReadPart, Source, csv
from apps.library.samples import __path__ as samples
from apps.library.search import EVERYTHING, Scope

LOG = "Maintenance log 2025.csv"


@transaction.atomic
def added(workspace: Workspace, name: str, form: str, parts: list[ReadPart]) -> Document:
    """A document of these parts, cut and indexed as ingestion does."""
    document = Document.objects.create(
        workspace=workspace, name=name, format=form, language="en", state="ready", sha256="0" * 64
    )
    ordinal = 0
    for place, each in enumerate(parts):
        part = document.parts.create(
            revision=1,
            ordinal=place,
            kind=each.kind,
            number=each.number,
            label=each.label,
            header=each.header,
            text=each.text,
        )
        for cut in chunking.cut(each):
            facts = {name: getattr(cut, name) for name in cut.__slots__}
            document.chunks.create(part=part, revision=1, ordinal=ordinal, **facts)
            ordinal += 1
    indexing.add_words(document, list(document.chunks.all()))
    Document.objects.filter(pk=document.pk).update(
        chunk_count=ordinal,
        part_count=len(parts),
        character_count=sum(len(each.text) for each in parts),
    )
    document.refresh_from_db()
    return document


@pytest.fixture
def log(alice) -> Document:
    """The maintenance log of the samples: 42 rows."""
    source = Source(Path(samples[0]) / LOG, LOG, "csv")
    parts = [each for each in csv.read(source) if isinstance(each, ReadPart)]
    return added(alice.workspaces.get(), LOG, "csv", parts)


@pytest.fixture
def book(alice) -> Document:
    """Three sections, each too long for another to join it."""
    towns = ("Graz", "Linz", "Ulm")
    parts = [
        ReadPart("section", n, f"Part {n}", f"In {town} the bridge was built in 190{n}. " * 220)
        for n, town in enumerate(towns, start=1)
    ]
    return added(alice.workspaces.get(), "Bridges.md", "markdown", parts)


def told(workspace: Workspace, text: str, scope: Scope = EVERYTHING) -> Account:
    account = Account()
    for step in answer_to(Question(text, workspace, scope), Halt()):
        account = account.adding(step)
    return account


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("How many times was the heat pump refilled in house 8?", "**4** rows"),
        ("What is the total cost of house 4?", "**20,431.60**, over 18 rows"),
        ("How much did we spend on the heat pump in 2025?", "**1,419.00**, over 12 rows"),
        ("Average cost per house", "| 4 | 1,135.09 | 18 |"),
        ("How many different devices are there?", "**9** different values of “device”"),
        ("How many jobs did Okafor do in May?", "**4** rows"),
        ("Which entries cost more than 300 euros?", "**8** rows"),
        ("List all entries with error code E-17", "| 2025-04-03 | 8 | heat pump | E-17 |"),
        ("How often did error E-17 occur after 2025-05-01?", "**2** rows"),
        ("How often did error E-17 occur after 9 May 2025?", "**1** row where"),
        ("How often did error E-17 occur until May 9?", "**3** rows where"),
        ("Wie viele Einträge mit E-17 gab es seit dem 9. Mai 2025?", "**2** Zeilen"),
        ("When was the latest annual inspection?", "**2025-11-03**"),
        (f"How many entries does {LOG} have?", "**42** rows"),
        ("Wie viele Einträge hat Maintenance log 2025?", "**42** Zeilen"),
    ],
)
def test_a_table_is_computed_over_every_row_without_a_model(log, ollama, question, said):
    account = told(log.workspace, question)
    assert said in account.text and "42 of 42" in account.text.replace("von", "of")
    assert account.sources and account.used and not ollama.asked and not account.refused
    assert account.covered == Covered(42, 42, "rows")


@pytest.mark.parametrize(
    "question",
    [
        "How many days notice must be given?",
        "How many CDs did the studio copy to a server?",
        "What is the total number of penguins?",
        "How much is the deposit?",
        "Which house rules are there about dogs?",
        "Wie viele Monate beträgt die Kündigungsfrist?",
        "How often did error E-17 occur in the 3 weeks of May?",
        "How often did error E-17 occur after 31 June 2025?",
        "Which entries did nobody but Okafor make?",
        "How many jobs were never done by Okafor?",
    ],
)
def test_a_question_that_is_not_wholly_understood_is_left_to_the_search(log, question):
    assert whole.wanted(question, log.workspace, EVERYTHING) is None


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("How many boats are not paid in Berths.csv?", "**2** rows where Paid is “no”"),
        ("How many boats are paid?", "**1** row where Paid is “yes”"),
        ("What is the total fee of boats that are not paid?", "**1,400.50**, over 2 rows"),
        ("List all boats without Weber", "**1** row where Owner is not “Weber”"),
        ("Wie viele boats sind nicht moored?", "**1** Zeile, wo gilt: State is not “moored”"),
        ("How many boats are moored?", "**2** rows where State is “moored”"),
    ],
)
def test_a_not_turns_its_condition_round(alice, ollama, question, said):
    berths = "Anna | Weber | 420.00 | yes | moored\nBea | Weber | 610.50 | no | ashore\n"
    berths += "Carla | Klein | 790.00 | no | moored"
    head = "Boat | Owner | Fee | Paid | State"
    part = ReadPart("sheet", 2, "rows 2–4", berths, header=head)
    log = added(alice.workspaces.get(), "Berths.csv", "csv", [part])
    account = told(log.workspace, question)
    assert said in account.text and not ollama.asked


def test_a_table_outside_the_scope_is_not_computed_with(log):
    other = Document.objects.get(name="Sea.md")
    question = "What is the total cost of house 4?"
    assert whole.wanted(question, log.workspace, Scope(documents=(other.pk,))) is None
    assert whole.wanted(question, log.workspace, Scope(documents=(log.pk,)))


def test_cells_that_are_no_numbers_are_counted_and_told(alice, ollama):
    rows = "\n".join(["Graz | 10", "Linz | n/a", *(f"Town {n} | {n}" for n in range(8))])
    part = ReadPart("sheet", 2, "rows 2–11", rows, header="town | people")
    document = added(alice.workspaces.get(), "Towns.csv", "csv", [part])
    account = told(document.workspace, "How many people are there in total in Towns.csv?")
    assert "**38**" in account.text and "9 rows" in account.text
    assert "10 of 10 rows" in account.text and "In 1 of them the cell is no number" in account.text


@pytest.mark.parametrize(
    ("cell", "value"),
    [
        ("1,234.50", "1234.50"), ("1.234,50", "1234.50"), ("18.750,00 €", "18750.00"),
        ("$12", "12"), ("-3,5", "-3.5"), ("12 %", "12"), ("1,234", "1234"), ("0.5", "0.5"),
        ("E-17", None), ("", None), ("2025-04-03", None), ("n/a", None),
    ],
)  # fmt: skip
def test_numbers_are_read_in_english_and_german(cell, value):
    found = number(cell)
    assert (str(found) if found is not None else None) == value


def test_days_are_read_and_what_is_none_is_not():
    assert str(day("2025-04-03")) == str(day("3.4.2025")) == "2025-04-03"
    assert day("2025-13-40") is None and day("soon") is None


def test_a_large_model_notes_every_section_and_writes_from_its_notes(reader, talk, ollama, book):
    for town in ("Graz", "Linz", "Ulm"):
        ollama.says(f"A bridge was built in {town}.")
    ollama.says("Bridges were built in Graz [1], in Linz [2] and in Ulm [3].")
    reader.read_to_the_end(reader.ask(talk.pk, "Summarise Bridges.md"))
    answer = Answer.objects.get()
    assert "3 of 3 sections of Bridges.md" in answer.text and len(ollama.asked) == 4
    assert "A bridge was built in Linz." in ollama.asked[3]["messages"][-1]["content"]
    assert [each.number for each in answer.citations.filter(used=True)] == [1, 2, 3]
    assert "In Linz the bridge was built" in answer.citations.get(number=2).quote


def test_a_list_is_merged_and_counted_by_the_house(book, ollama):
    ollama.has("fake", "completion", size=9_000_000_000)
    ollama.says("- Graz\n- Vienna")
    ollama.says("- Linz\n- graz")
    ollama.says("NONE")
    account = told(book.workspace, "List all towns that Bridges.md names")
    assert account.text.startswith("**3** found:") and account.text.count("- ") == 3
    assert "- Graz [1][2]" in account.text and "3 of 3 sections" in account.text


def test_a_small_model_gets_the_most_telling_sentences_in_one_call(book, ollama):
    ollama.has("fake", "completion", size=1_000_000_000)
    ollama.lacks("thinker")
    ollama.says("In Graz the bridge was built in 1901 [1].")
    account = told(book.workspace, "What is Bridges about?")
    assert len(ollama.asked) == 1 and "3 of 3 sections" in account.text
    assert "most telling sentences" in account.text


def test_the_model_that_quotes_goes_through_all_of_it_too(book, ollama):
    ollama.has("fake", "completion", size=1, architecture="extractive")
    ollama.lacks("thinker")
    account = told(book.workspace, "Worum geht es in Bridges.md?")
    assert "[1]" in account.text and "[3]" in account.text and not ollama.asked
    assert "3 von 3 Abschnitten" in account.text


def test_a_question_about_no_document_in_particular_is_searched(book):
    assert whole.wanted("Give me a summary of the tides", book.workspace, EVERYTHING) is None
