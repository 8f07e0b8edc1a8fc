"""A misspelled word finds what its nearest neighbour in the workspace finds, and that is told."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from apps.library import analysis, spelling
from apps.library.models import Workspace
from apps.library.search import Findings, Place, search, search_all
from tests.library.passages import document

FILLER = [f"Kapitel {n} handelt vom Wetter in den Bergen." for n in range(20)]
LAW = [
    "Die Verjährung beginnt mit der Kenntnis vom Schaden.",
    "Vor der Verjährung schützt eine Klage.",
    "Der Vertrag wird auf zwei Jahre geschlossen.",
    "Die Straße vor dem Haus ist zu räumen.",
    "Eine Übergabe ist zu vereinbaren.",
]


@pytest.fixture
def law(workspace: Workspace) -> Workspace:
    document(workspace, "recht.txt", [*LAW, *FILLER], language="de")
    return workspace


def told(found: Findings) -> list[tuple[str, str]]:
    return [(slip.asked, slip.instead) for slip in found.slips]


@pytest.mark.parametrize(
    ("asked", "instead"),
    [
        ("Verjärung", "Verjährung"),
        ("Verjaerung", "Verjährung"),
        ("Ferjährung", "Verjährung"),
        ("Fertrag", "Vertrag"),
        ("Strase", "Straße"),
        ("Uebrgabe", "Übergabe"),
        ("Evrtrag", "Vertrag"),
        ("Verjährugn", "Verjährung"),  # in the ending, so no stem is left
        ("Kapitle", "Kapitel"),  # a word that most passages have
    ],
)
def test_a_misspelled_word_finds_what_was_meant_and_that_is_told(law, asked, instead):
    found = search(law, asked)
    assert instead in found.hits[0].chunk.text
    assert told(found) == [(asked, instead)]
    assert not found.unheard
    assert found.hits[0].place_by_words == 1 and found.hits[0].words == (instead,)


@pytest.mark.parametrize(
    "asked", ["Verjährung", "Verjaehrung", "Zeppelin", "Hus", "Verjährng-17", "CVE-2024-1"]
)
def test_what_is_known_or_near_to_nothing_is_left_alone(law, asked):
    assert told(search(law, asked)) == []


def test_the_other_words_of_a_question_stay_as_they_are(law):
    found = search(law, "Wann beginnt die Verjärung eines Schadens?")
    assert told(found) == [("Verjärung", "Verjährung")]
    assert found.hits[0].chunk.text == LAW[0]


def test_quoted_and_negated_words_are_meant_as_they_are_written(law):
    assert told(search(law, "Verjärung beginnt", phrases=["Verjärung"])) == []
    assert told(search(law, "Kenntnis", without=["Verjärung"])) == []


def test_a_word_that_one_of_several_workspaces_has_is_no_slip(law, alice):
    other = Workspace.objects.create(owner=alice, name="Work")
    document(other, "slips.txt", ["Verjärung schreibt man anders.", *FILLER], language="de")
    places = [Place(law), Place(other)]
    assert told(search_all(places, "Verjärung")) == []
    assert told(search_all([], "Verjärung")) == []
    assert told(search_all(places[:1], "Verjärung")) == [("Verjärung", "Verjährung")]


def test_only_unknown_words_are_compared_and_by_two_queries_more(law):
    asked = analysis.question("Verjärung Vertrag Zepelin", ["de"])
    with CaptureQueriesContext(connection) as queries:
        question, slips = spelling.mended(law, asked)
    assert len(queries) == 3  # is it known, what is like it, how is that spelled
    assert slips == (spelling.Slip("Verjärung", "Verjährung"),)
    assert question.slots == asked.slots
    assert spelling.corrected("Verjärung, Verjärungen", slips) == "Verjährung, Verjärungen"
    with CaptureQueriesContext(connection) as queries:
        assert spelling.mended(law, analysis.question("das Amt § 12", ["de"]))[1] == ()
    assert len(queries) == 1  # "Amt" is too short to be misspelled


def test_words_are_looked_up_in_an_index(law):
    slots = dict(enumerate(analysis.question("Verjärung", ["de"]).slots))
    with connection.cursor() as cursor:
        cursor.execute("SET LOCAL enable_seqscan = off")
        cursor.execute("EXPLAIN " + spelling.NEAR, spelling.values(law, slots))
        plan = "\n".join(row[0] for row in cursor.fetchall())
    assert "Seq Scan on library_termstatistic" not in plan


def test_nonsense_is_unheard_of(law):
    assert search(law, "xqzvbl flurbnak").unheard
    assert not search(law, "xqzvbl Vertrag").unheard


def test_a_word_is_compared_by_its_stems_in_all_languages(workspace):
    document(workspace, "law.txt", LAW, language="de")
    document(workspace, "plants.txt", ["Photosynthesis feeds the plant.", *FILLER], language="en")
    found = search(workspace, "photosyntesis")
    assert told(found) == [("photosyntesis", "Photosynthesis")]
    assert "Photosynthesis" in found.hits[0].chunk.text


@pytest.mark.parametrize(
    "asked",
    [
        "How much was the refund?",  # redund is the stem of another word
        "Who do I call at night?",  # "nicht" is no English word
        "Wen rufe ich nachts an?",
        "Welche Heizung ist es?",
        "Where is the bread?",
        "Is the part defective?",
        "Who is my tax consultant?",
        "Wann treffen wir uns morgen im Garten?",
    ],
)
def test_sound_words_are_not_taken_for_misspelled_ones(workspace, asked):
    texts = [
        "A redundant copy is kept of the order, which nobody has read.",
        "Die Heilung ist nicht zu erwarten, und das ist nicht schlimm.",
        "Ask detective Morgan about the constant noise in the broad garden.",
        *FILLER,
    ]
    document(workspace, "mixed.txt", texts, language="")
    assert told(search(workspace, asked)) == []


@pytest.fixture
def lease(workspace: Workspace) -> Workspace:
    texts = [
        "Der Vermieter trägt alle Schönheitsreparaturen und Kleinreparaturen.",
        "Die Tierhaltung ist erlaubt, und der Verantwortliche ist der Mieter.",
        "Die Kündigungsfrist beträgt drei Monate, und die Kündigung ist schriftlich.",
        "Der Name des Mieters ist Aksoy.",
    ]
    document(workspace, "Mietvertrag_2024.md", [*texts, *FILLER], language="de")
    guide = ["Facilitation of a workshop.", "The perplexity of a map.", "Run vacuum at night."]
    document(workspace, "guide.txt", [*guide, "Keep separate copies.", "Licences are creative."])
    return workspace


@pytest.mark.parametrize(
    ("asked", "instead"),
    [
        ("Tierhaltnug", "Tierhaltung"),
        ("facilitaton", "Facilitation"),
        ("perplexty", "perplexity"),
        ("Schönheitsreperatur", "Schönheitsreparaturen"),  # of which only the plural is there
        ("Verantwortlcher", "Verantwortliche"),
        ("Mietvertag", "Mietvertrag"),  # which only the name of a document has
        ("vaccum", "vacuum"),
        ("Aksoi", "Aksoy"),
        ("seperate", "separate"),
        ("kreative", "creative"),
        ("Kuendigungsfirst", "Kündigungsfrist"),  # though one of its parts is a word there
        ("Kleinreperaturen", "Kleinreparaturen"),
    ],
)
def test_slips_in_endings_and_in_long_words_are_mended(lease, asked, instead):
    assert told(search(lease, asked)) == [(asked, instead)]


def test_a_fragment_of_a_broken_line_is_no_word(workspace):
    broken = "They went to Con-\ngress, and com- pletely missed the Miet- und Nebenkosten."
    document(workspace, "paper.txt", [broken, *FILLER], language="")
    assert told(search(workspace, "gresss")) == []
    assert told(search(workspace, "Congrss")) == [("Congrss", "Congress")]
    assert told(search(workspace, "pletelly")) == []


def test_the_kin_of_a_word_in_another_language_counts_a_little(workspace):
    document(workspace, "hymns.txt", ["He wrote a hymn for the feast.", *FILLER])
    document(workspace, "lied.txt", LAW * 5, language="de")
    found = search(workspace, "Hymnen")
    assert found.hits[0].chunk.text.startswith("He wrote a hymn")
    assert not found.unheard and found.hits[0].band == "weak"


@pytest.mark.parametrize("asked", ["forest", "Laing", "paper"])
def test_what_a_stemmer_of_the_workspace_leaves_of_a_word_is_not_the_word(workspace, asked):
    english = ["This is for you, la la, and not for Pap.", *FILLER]
    document(workspace, "song.txt", english)
    document(workspace, "lied.txt", LAW * 5, language="de")
    found = search(workspace, asked)
    assert found.unheard
    assert found.slips == ()


@pytest.mark.parametrize(
    ("asked", "text"),
    [
        ("Banane", "They ban the book, and banned it is."),
        ("Balkon", "Horses balk at it."),
        ("Borders", "Niels Bor was here."),
    ],
)
def test_what_another_stemmer_leaves_of_a_word_is_not_the_word(workspace, asked, text):
    document(workspace, "book.txt", [text, *FILLER])
    found = search(workspace, asked)
    assert found.unheard
    assert not found.answerable


def test_a_word_is_there_in_a_language_not_asked_in(workspace):
    document(workspace, "book.txt", ["The houses of the river are old and they are few."] * 30)
    document(workspace, "buch.txt", ["Die Häuser sind alt und nicht groß."], language="de")
    found = search(workspace, "Häusern")
    assert found.hits[0].words == ("Häuser",)
    assert found.slips == ()


def test_a_greeting_is_not_mended(law):
    assert told(search(law, "Guten Morgen")) == []
