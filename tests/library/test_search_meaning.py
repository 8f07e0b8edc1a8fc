"""Finding by meaning, with the bundled embedder itself."""

import numpy as np
import pytest
from pytest_django import Settings

from apps.library import absence, indexing, ranking, redrawing, sampling, tasks
from apps.library.meaning import question_vector
from apps.library.models import ChunkVector, ChunkWords, Document
from apps.library.search import search
from apps.llm import client
from apps.llm.bundled import launching
from tests.library.passages import document, vectors

pytestmark = pytest.mark.real_model
PASSAGES = [
    "The tenant may end the lease with a notice of three months, given in writing.",
    "Bees store honey in combs of wax and seal each cell when it is ripe.",
    "The engine must be inspected every hundred hours of flight.",
    "Interest on late payments is five percent above the base rate.",
    "The museum is closed on Mondays and on public holidays.",
    "A vaccine trains the immune system to recognise a virus.",
    "The bridge was built of stone in the twelfth century.",
    "Goods may be returned within thirty days of purchase.",
]
LAWS = [
    "Der Hersteller haftet für Schäden, die ein fehlerhaftes Produkt an Leib und Sachen anrichtet.",
    "Die Wohnung kann mit einer Frist von drei Monaten zum Ende eines Monats gekündigt werden.",
    "Jede Behörde benennt eine Person, die als Beauftragte über den Datenschutz wacht.",
    "Ansprüche verjähren drei Jahre, nachdem der Geschädigte von dem Schaden erfahren hat.",
    "Die Versammlung der Mitglieder wählt den Vorstand auf vier Jahre.",
]


@pytest.fixture(scope="module")
def server():
    with launching.in_use() as address:
        yield address


@pytest.fixture
def library(workspace, server, settings: Settings):
    settings.OLLAMA_HOST = server
    client.forget()
    question_vector.cache_clear()
    made = document(workspace, "mixed.txt", PASSAGES)
    vectors(made, indexing.active_set(), client.embed(PASSAGES, "passage"))
    yield workspace
    client.forget()


@pytest.mark.parametrize(
    ("question", "place"),
    [
        ("Wie kündigt man einen Mietvertrag?", 0),
        ("Was machen die Insekten mit dem süßen Saft?", 1),
        ("Wie oft wird der Motor überprüft?", 2),
        ("Bis wann kann ich die Ware zurückgeben?", 7),
        ("How do I get out of my rental contract?", 0),
    ],
)
def test_a_question_in_other_words_or_another_language_finds_its_passage(library, question, place):
    found = search(library, question)
    assert found.notice == ""
    assert found.hits[0].chunk.text == PASSAGES[place]
    assert found.hits[0].place_by_meaning == 1


def test_a_question_that_is_answered_passes_the_gate(library):
    found = search(library, "How many months of notice must a tenant give?")
    assert found.answerable
    assert found.hits[0].band == "strong"


@pytest.mark.parametrize("question", ["Who won the 1990 football world cup?", "CVE-2031-99999"])
def test_a_question_nobody_answers_does_not(library, question):
    assert not search(library, question).answerable


@pytest.fixture
def laws(library):
    """The passages again, and beside them some in German."""
    made = document(library, "gesetz.md", LAWS, language="de")
    used = indexing.active_set()
    vectors(made, used, client.embed(LAWS, "passage"))
    indexing.refresh_statistics(library, used)
    return library


@pytest.mark.parametrize(
    ("question", "place"),
    [
        ("product liability of the producer", 0),
        ("Who is liable for a defective product?", 0),
        ("notice period of the flat", 1),
        ("data protection officer", 2),
        ("limitation period for claims", 3),
        ("Haftung des Herstellers", 0),
        ("Kündigungsfrist der Wohnung", 1),
    ],
)
def test_a_question_in_the_other_language_of_a_workspace_is_never_surely_refused(
    laws, question, place
):
    found = search(laws, question)
    assert LAWS[place] in [hit.chunk.text for hit in found.hits[:3]]
    assert found.answerable or not found.sure


@pytest.mark.parametrize("question", ["hallo", "hello", "asdf", "wie geht es dir?"])
def test_small_talk_is_answered_by_no_passage(laws, question):
    found = search(laws, question)
    assert (found.answerable, found.sure) == (False, True)


@pytest.mark.parametrize("asked", ["Wolf?", "Wolf!", " Wolf . "])
def test_marks_behind_a_word_mean_nothing(library, asked):
    plain, marked = (search(library, each).hits for each in ("Wolf", asked))
    assert [hit.similarity for hit in marked] == [hit.similarity for hit in plain]
    assert [hit.chunk.pk for hit in marked] == [hit.chunk.pk for hit in plain]


def test_a_question_is_embedded_within_a_moment(library):
    search(library, "warm up")
    assert search(library, "a question not asked before").embed_ms < 1000


def test_while_a_document_is_being_learned_nothing_is_sure(library):
    question = "How deep is the Mariana Trench?"
    assert search(library, question).sure
    new = document(library, "new.txt", ["What it says is known by words only."])
    Document.objects.filter(pk=new.pk).update(state=Document.State.LEARNING)
    found = search(library, question)
    assert not found.sure
    assert "still being learned" in found.notice


def looked_at_again(workspace, question) -> tuple[list[str], list[str]]:
    """What the statement finds for a question, and what the second look makes of it."""
    used = indexing.active_set()
    look = sampling.look(workspace, question, used)
    vector = question_vector(used.model, question)
    found = ranking.rank(workspace, look.asked, vector=vector, embedding_set=used.pk, usual=0.75)
    again = look.found
    assert [one.score for one in again] == [one.score for one in found]
    texts = {chunk.pk: chunk.text for chunk in Document.objects.get().chunks.all()}
    return [texts[one.chunk_id] for one in found], [texts[one.chunk_id] for one in again]


def test_sketches_that_are_missing_are_drawn_and_lead_to_a_second_look(library):
    question = "Wie oft wird der Motor untersucht?"
    found, again = looked_at_again(library, question)
    assert again == found  # nothing to look at yet
    assert redrawing.is_due()
    assert tasks.draw() == len(PASSAGES)
    assert not redrawing.is_due()
    assert all(len(row.sketch) % 48 == 0 and row.sketch for row in ChunkVector.objects.all())
    found, again = looked_at_again(library, question)
    assert sorted(again) == sorted(found)
    assert again[0] == PASSAGES[2]
    assert search(library, question).hits[0].chunk.text == PASSAGES[2]


def test_bars_that_were_learned_are_forgotten_where_a_passage_says_something(library):
    bars = "❚❘❙" * 25
    says = "ALSO BY THIS AUTHOR: The Future of Ideas, and Code and Other Laws."
    texts = [f"{bars}\n\n{says}", f"{bars}\n\nA BOOK"]
    made = document(library, "book.pdf", texts, heading="A Book")
    used = indexing.active_set()
    vectors(made, used, client.embed([f"A Book\n{text}" for text in texts], "passage"))
    tasks.draw()
    ChunkWords.objects.update(analyser=0)
    assert tasks.reanalyse() == len(PASSAGES) + len(texts)
    assert tasks.draw() == len(texts)
    rows = ChunkVector.objects.filter(document_id=made.pk).order_by("chunk_id")
    says_it, silent = (np.array(row.embedding) for row in rows)
    plain = client.embed([f"A Book\n\n\n{says}"], "passage")[0]
    assert says_it @ plain > 0.999
    assert not silent.any()


def test_the_others_are_looked_at_where_one_passage_lacks_its_sketch(library):
    tasks.draw()
    lacking = ChunkVector.objects.get(chunk__text=PASSAGES[0])
    ChunkVector.objects.filter(chunk_id=lacking.chunk_id).update(sketch=b"")
    found, again = looked_at_again(library, "Wie oft wird der Motor untersucht?")
    assert sorted(again) == sorted(found) and again != found
    assert again[0] == PASSAGES[2]


def test_where_nothing_answers_the_languages_of_the_documents_are_told(library):
    question = "How do I bake sourdough bread?"
    assert not absence.told_tongues(search(library, question))
    law = document(library, "recht.md", LAWS, language="de")
    vectors(law, indexing.active_set(), client.embed(LAWS, "passage"))
    told = absence.told_tongues(search(library, question))
    assert "in another language (German)" in told
    assert not absence.told_tongues(search(library, "zeppelin"))  # in which language is that?
    assert not absence.told_tongues(search(library, "Good morning!"))
    answered = search(library, "Wie viele Jahre hat der Vorstand?")
    assert answered.answerable and not absence.told_tongues(answered)
