"""A deck from passages to cards, with the model at the wire; and without a model."""

import json

import pytest
from django.urls import reverse

from apps.library.models import Chunk
from apps.progress.models import Event
from apps.study import cards, cloze, flashcards, generation, playing, quality, sampling, scheduling
from apps.study.models import Card, Deck, Job, Question, Quiz, Rejection
from apps.study.windows import Window
from tests.library.passages import document

PASSAGES = [
    "The tenant must give notice of three months in writing. The letter has to reach the office "
    "of the cooperative by the third working day of a month. An e-mail is not enough.",
    "The heat pump is serviced every twelve months by Kessler GmbH. At each service the filter is "
    "replaced and the pressure of the refrigerant is written into the service book.",
    "The deposit amounts to two net rents and is paid into an account of its own. It is returned "
    "within six months after the flat was handed over without damage.",
]
NOTICE = {"front": "How long is the notice a tenant must give?", "back": "Three months"}
SERVICE = {"front": "Who services the heat pump?", "back": "Kessler GmbH"}
DEPOSIT = {"front": "When is the deposit returned?", "back": "Within six months"}
ITEMS = {"notice of three": NOTICE, "heat pump": SERVICE, "deposit": DEPOSIT}


def item_for(passage):
    return next(item for words, item in ITEMS.items() if words in passage)


@pytest.fixture
def lease(workspace):
    return document(workspace, "Lease.pdf", PASSAGES)


@pytest.fixture
def deck(alice, workspace, lease):
    """A deck of two cards, not generated yet."""
    job = Job.objects.create(
        owner=alice, workspace=workspace, kind="deck", asked=2, everywhere=True
    )
    return Deck.objects.create(owner=alice, workspace=workspace, job=job, title="Lease")


def planned(deck):
    """The passages in the order they are looked at."""
    plan = sampling.plan(deck.job)
    found = Chunk.objects.in_bulk(plan)
    return [found[pk].text for pk in plan]


def test_exactly_as_many_as_asked_each_with_its_proof(deck, ollama):
    for passage in planned(deck)[:2]:
        ollama.says(json.dumps(item_for(passage)))
    generation.work_next()
    deck.job.refresh_from_db()
    assert (deck.job.state, deck.job.made) == ("done", 2)
    for card in deck.cards.all():
        assert card.quote in card.chunk.text
        assert card.document_name == "Lease.pdf"
        assert (card.status, card.due_at) == ("unmarked", None)
    assert len({card.guid for card in deck.cards.all()}) == 2
    assert Event.objects.filter(kind="deck_created").count() == 1
    assert ollama.asked[1]["messages"][:-1] == ollama.asked[0]["messages"][:-1]


BAD = [
    ({"back": "Seventeen elephants"}, "the back is not in the passage"),
    ({"front": "Tell me about what stands in this passage."}, "the front is neither"),
    ({"back": "Yes"}, "the back is only yes or no"),
    ({"front": "What does this passage say about it?"}, "points at the passage"),
    ({"front": "What does the author mean by notice?"}, "points at the passage"),
    ({"front": "What is the purpose of the whole thing?"}, "asks for a purpose"),
    ({"front": "What is it about, the tenant?", "back": "If three months"}, "another question"),
    ({"back": "Is it three months?"}, "another question"),
    ({"front": "What does subsection 2 say of notice?"}, "points at the passage"),
    ({"front": "Is it three months, Kessler GmbH or within six months?"}, "gives the back away"),
]


@pytest.mark.parametrize(("change", "reason"), BAD)
def test_a_bad_card_is_tried_again_and_its_reason_kept(deck, ollama, change, reason):
    passages = planned(deck)
    for passage in (passages[0], passages[0]):
        ollama.says(json.dumps(item_for(passage) | change))
    for passage in passages[1:]:
        ollama.says(json.dumps(item_for(passage)))
    generation.work_next()
    deck.job.refresh_from_db()
    assert (deck.job.state, deck.job.made) == ("done", 2)
    assert reason in Rejection.objects.get(job=deck.job).reason
    assert ollama.asked[1]["options"]["temperature"] == 0.7


VAGUE = "It is said that they do so, and those who do it say that it was always so here. " * 2


@pytest.fixture
def vague(deck, lease):
    """The same deck, about a passage in which no sentence says what it is about."""
    chunk = lease.chunks.first()
    Chunk.objects.filter(pk=chunk.pk).update(text=VAGUE)
    deck.job.plan = [chunk.pk]
    deck.job.save()
    return deck


NONSENSE = ["I'd rather not.", '{"front": "Wh', "{}", "[]" * 50, '{"front": 7, "back": []}']


@pytest.mark.parametrize("nonsense", NONSENSE)
def test_a_model_that_writes_nonsense_ends_short_and_says_so(vague, ollama, nonsense):
    for _ in range(sampling.MOST_LOOKS * flashcards.TRIES):
        ollama.says(nonsense)
    generation.work_next()
    vague.job.refresh_from_db()
    assert (vague.job.state, vague.job.made) == ("short", 0)
    assert "0 of 2" in vague.job.reason
    assert not Event.objects.filter(kind="deck_created").exists()


def test_a_job_that_ended_short_looks_again_when_continued(vague, ollama):
    Job.objects.filter(pk=vague.job_id).update(state="short", tried=sampling.MOST_LOOKS)
    Chunk.objects.filter(pk=vague.job.plan[0]).update(text=PASSAGES[0])
    generation.go_on(vague.job)
    ollama.says(json.dumps(NOTICE))
    generation.work_next()
    vague.job.refresh_from_db()
    assert (vague.job.state, vague.job.made, vague.job.tried) == ("short", 1, 7)


def test_gaps_stand_in_for_the_same_card_for_ever(deck, lease, reader, ollama):
    deck.job.plan = list(lease.chunks.values_list("pk", flat=True))
    deck.job.save()
    for _ in range(1 + 2 * flashcards.TRIES):  # the first passes, and no other in two looks
        ollama.says(json.dumps(NOTICE))
    generation.work_next()
    deck.job.refresh_from_db()
    assert (deck.job.state, deck.job.made) == ("done", 2)
    assert sum(cloze.GAP in card.front for card in deck.cards.all()) == 1
    assert deck.job.options["by_rule"] == 1
    assert "1 made by rule" in reader.get(deck.get_absolute_url()).text
    assert Event.objects.filter(kind="deck_created").count() == 1


def test_a_model_that_dies_in_the_middle_leaves_the_cards_that_are_made(deck, ollama):
    ollama.says(json.dumps(item_for(planned(deck)[0])))
    ollama.breaks_off_after('{"front": "Wh')
    generation.work_next()
    deck.job.refresh_from_db()
    assert (deck.job.state, deck.job.made) == ("failed", 1)
    assert deck.job.reason and "{" not in deck.job.reason


def test_a_scope_deleted_while_its_cards_are_made_ends_in_words(deck, lease, ollama):
    planned(deck)
    lease.delete()
    generation.work_next()
    deck.job.refresh_from_db()
    assert (deck.job.state, deck.job.made) == ("short", 0)


def test_a_scope_with_too_little_text_says_what_is_needed(alice, workspace, ollama):
    job = Job.objects.create(owner=alice, workspace=workspace, kind="deck", asked=10)
    Deck.objects.create(owner=alice, workspace=workspace, job=job, title="Nothing")
    generation.work_next()
    job.refresh_from_db()
    assert job.state == "short"
    assert "too little text" in job.reason


def test_the_gate_in_german(workspace):
    german = "Der Mieter muss mit einer Frist von drei Monaten schriftlich kündigen. " * 3
    chunk = document(workspace, "Miete.pdf", [german], language="de").chunks.get()
    view = Window(german, chunk)
    assert flashcards.fault("Mit welcher Frist kündigt der Mieter?", "Drei Monate", view) == ""
    english = flashcards.fault("What is the period of notice for the tenant?", "drei Monaten", view)
    assert "another language" in english


def test_the_proof_is_a_whole_sentence_about_the_question(workspace):
    text = "## Bicycles\n\nBicycles belong in the shed of house 4. The code of its lock\nchanges."
    chunk = document(workspace, "News.md", [text]).chunks.get()
    view = Window("Bicycles belong in the shed of house 4. The code of its lock changes.", chunk)
    fault = flashcards.fault("Where is the code of the lock located?", "In the shed", view)
    assert fault == "no sentence of the passage proves it"
    assert flashcards.fault("Where do bicycles belong?", "In the shed of house 4", view) == ""
    again = flashcards.fault("What about bicycles in the shed?", "The shed of the bicycles", view)
    assert again == "the back repeats the front"
    told = quality.proof(text, "Where do bicycles belong?", "In the shed of house 4")
    assert told == "Bicycles belong in the shed of house 4."


GAPS = [
    (
        "The notice runs for three months. The deposit of 1,240 euros is returned in half a year.",
        "1,240",
    ),
    ("The refrigerant circulates through the heat pump, and the heat warms the pump.", "ref"),
    ("Bicycles travel free of charge to Brannock all year round.", "Brannock"),
]


@pytest.mark.parametrize(("text", "back"), GAPS)
def test_a_gap_takes_the_most_telling_word(text, back):
    made = next(cloze.clozes(text, text))
    assert made.back.lower().startswith(back.lower()) or back == "ref"
    assert made.front.count(cloze.GAP) == 1 and made.back not in made.front
    assert made.front.replace(cloze.GAP, made.back) == made.quote
    assert made.quote in text


@pytest.mark.parametrize(
    "text", ["", "Too short.", "It does not say what it is about here, or does it?"]
)
def test_what_is_no_sentence_gets_no_gap(text):
    assert list(cloze.clozes(text, text)) == []


def test_without_a_language_model_cards_are_gaps_and_the_deck_says_so(deck, reader, ollama):
    for name in list(ollama.models):
        ollama.lacks(name)
    ollama.has("extractive", "completion", architecture="extractive")
    generation.work_next()
    deck.job.refresh_from_db()
    assert (deck.job.state, deck.job.made) == ("done", 2)
    assert all(cloze.GAP in card.front for card in deck.cards.all())
    assert ollama.asked == []
    assert "with a gap" in reader.get(deck.get_absolute_url()).text


@pytest.fixture
def question(alice, workspace, lease):
    quiz = Quiz.objects.create(owner=alice, workspace=workspace, title="Lease")
    return Question.objects.create(
        quiz=quiz,
        ordinal=0,
        type="mcq",
        stem="How long is the notice?",
        options=["A year", "Three months"],
        answer=1,
        explanation="It is three months.",
        quote="The tenant must give notice of three months in writing.",
        chunk=lease.chunks.first(),
        document=lease,
        document_name="Lease.pdf",
    )


def test_a_wrong_answer_becomes_one_card_and_then_lapses(alice, question):
    for _ in range(2):
        playing.answer(playing.begin(alice, question.quiz), question, 0)
    card = Card.objects.get()
    assert (card.front, card.back) == (question.stem, "Three months\n\nIt is three months.")
    assert (card.quote, card.deck.title, card.deck.mistakes) == (question.quote, "Mistakes", True)
    assert card.due_at is None, "what was never learned cannot lapse"
    playing.answer(playing.begin(alice, question.quiz), question, 1)
    assert card.reviews.count() == 0
    for _ in range(2):
        scheduling.grade(card, 4, playing.timezone.now())
    playing.answer(playing.begin(alice, question.quiz), question, 0)
    card.refresh_from_db()
    assert (card.lapses, Card.objects.count(), Deck.objects.count()) == (1, 1, 1)
    question.quiz.delete()
    assert Card.objects.get().question is None


def test_a_renamed_deck_of_mistakes_stays_the_one(alice, question):
    first = cards.keep_mistake(alice, question)
    first.deck.title = "Wrong"
    first.deck.save()
    assert cards.keep_mistake(alice, question).deck == first.deck


def test_a_form_without_scope_is_sent_back_and_one_with_it_starts_a_job(reader, alice, lease):
    url = reverse("study:deck_new")
    page = reader.post(url, {"asked": 10, "difficulty": "beginner"})
    assert page.status_code == 422
    page = reader.post(url, {"asked": 20, "difficulty": "advanced", "scope": [f"d{lease.pk}"]})
    job = Job.objects.get()
    assert page.url == job.deck.get_absolute_url()
    assert (job.kind, job.asked, job.deck.title) == ("deck", 20, "Lease.pdf")
    assert reader.post(url, {"asked": 11, "difficulty": "x"}).status_code == 422
