"""German compounds and their parts find each other, by the words of the workspace itself."""

import pytest
from django.db import connection

from apps.library import compounds
from apps.library.analysis import compounds as rule
from apps.library.search import search
from tests.library.passages import document

FILLER = [f"Kapitel {n} handelt vom Wetter in den Bergen." for n in range(20)]
LEASE = [
    "Der Ausschluss der Haftung ist für Vorsatz nicht erlaubt.",
    "Ein Haftungsausschluss gilt nur bei leichter Fahrlässigkeit.",
    "Die Kündigungsfrist beträgt drei Monate.",
    "Jede Frist beginnt mit der Zustellung; die Kündigung ist zu begründen.",
    "Der Mietvertrag wird auf zwei Jahre geschlossen.",
    "Den Vertrag unterschreiben beide Seiten, die Miete ist monatlich zu zahlen.",
    "Das Haus steht in der Hohenzollernstraße, und manche nennen es die Pankefrist.",
]


@pytest.fixture
def lease(workspace):
    document(workspace, "haus.txt", [*LEASE, *FILLER], language="de")
    return workspace


def related(workspace, text):
    asked = compounds.question(workspace, text, ["de"])
    return {word for slot in asked.slots for word in slot.related}


@pytest.mark.parametrize(
    ("asked", "found"),
    [
        ("Haftungsausschluss", {"haftung", "ausschluss"}),
        ("Haftung", {"haftungsausschluss"}),
        ("Ausschluss", {"haftungsausschluss"}),
        ("Kündigung", {"kundigungsfrist"}),
        ("Fristen", {"kundigungsfrist"}),
        ("Vertrag", {"mietvertrag"}),
        ("Mietverträge", {"miet", "vertrag"}),
        ("Wetter", set()),
        ("Straße", {"hohenzollernstrass"}),  # however it begins
        ("Frist", {"kundigungsfrist"}),  # not "Pankefrist", whose beginning is no word there
    ],
)
def test_parts_and_compounds_are_related(lease, asked, found):
    assert related(lease, asked) == found


def test_what_is_meant_is_found_in_either_spelling(lease):
    texts = [hit.chunk.text for hit in search(lease, "Haftungsausschluss").hits]
    assert texts[:2] == [LEASE[1], LEASE[0]]
    texts = [hit.chunk.text for hit in search(lease, "Vertrag").hits]
    assert texts[:2] == [LEASE[5], LEASE[4]]


def test_the_word_itself_outweighs_what_is_related(lease):
    hits = search(lease, "Kündigungsfrist").hits
    assert hits[0].chunk.text == LEASE[2]
    assert "kündigung" in {word.casefold() for hit in hits for word in hit.words}


def test_parts_must_be_words_of_the_workspace(workspace):
    document(workspace, "eins.txt", ["Eine Vertragsstrafe gilt.", *FILLER], language="de")
    assert related(workspace, "Vertrag") == set()
    assert related(workspace, "Frist") == set()
    assert related(workspace, "Mietvertrag") == set()


def test_no_other_language_is_taken_apart(lease):
    asked = compounds.question(lease, "Where is the contract about the Vertrag?", ["de"])
    assert not any(slot.related for slot in asked.slots)
    asked = compounds.question(lease, "Vertrag", ["en"])
    assert not any(slot.related for slot in asked.slots)


@pytest.mark.parametrize("word", ["", "abc", "miet", "mietvertrag", "x" * 100])
def test_parts_are_never_shorter_than_a_part(word):
    assert all(len(part) >= rule.PART for pair in rule.splits(word) for part in pair)


def test_the_ends_of_words_are_looked_up_in_an_index(lease):
    with connection.cursor() as cursor:
        cursor.execute("SET LOCAL enable_seqscan = off")
        values = compounds.values(lease, ["vertrag"])
        cursor.execute("EXPLAIN " + compounds.RELATED, values)
        plan = "\n".join(row[0] for row in cursor.fetchall())
    assert "term_statistic_ends" in plan
