"""A quiz from passages to result, with the model at the wire."""

import json
import re

import pytest
from django.urls import reverse

from apps.library.models import Chunk, Coverage
from apps.progress.models import Event
from apps.study import generation, playing, quality, quiz, sampling, windows
from apps.study.models import Attempt, Job, Question, Quiz, Rejection, Reply
from tests.library.passages import document

PASSAGES = [
    "The tenant must give notice of three months in writing. The letter has to reach the office "
    "of the cooperative by the third working day of a month. An e-mail is not enough.",
    "The heat pump is serviced every twelve months by Kessler GmbH. At each service the filter is "
    "replaced and the pressure of the refrigerant is written into the service book.",
    "The deposit amounts to two net rents and is paid into an account of its own. It is returned "
    "within six months after the flat was handed over without damage.",
]
NOTICE = {
    "question": "How long is the notice a tenant must give?",
    "correct_answer": "Three months",
    "wrong_answers": ["One month", "Two weeks", "A year"],
    "explanation": "The tenant must give notice of three months in writing.",
}
SERVICE = {
    "question": "Who looks after the heat pump every year?",
    "correct_answer": "Kessler GmbH",
    "wrong_answers": ["The tenant", "The caretaker", "Nobody"],
    "explanation": "It is serviced by Kessler GmbH.",
}
DEPOSIT = {
    "question": "When is the deposit given back after a flat was handed over?",
    "correct_answer": "Within six months",
    "wrong_answers": ["At once", "Within a week", "Never"],
    "explanation": "It is returned within six months.",
}
ITEMS = {"notice of three": NOTICE, "heat pump": SERVICE, "deposit": DEPOSIT}


def item_for(passage):
    return next(item for words, item in ITEMS.items() if words in passage)


@pytest.fixture
def lease(workspace):
    return document(workspace, "Lease.pdf", PASSAGES)


@pytest.fixture
def made(alice, workspace, lease):
    """A quiz of two multiple choice questions, not generated yet."""
    job = Job.objects.create(
        owner=alice, workspace=workspace, kind="quiz", asked=2, everywhere=True
    )
    return Quiz.objects.create(
        owner=alice, workspace=workspace, job=job, title="Lease", types=["mcq"]
    )


def scripted(ollama, made, *changes):
    """Let the model say a fitting item for each passage of the plan, changed where told."""
    texts = {look.chunk.pk: look.chunk.text for look in sampling.looks(made.job)}
    plan = sampling.plan(made.job)
    for n, change in enumerate(changes):
        passage = texts[plan[min(n, len(plan) - 1)]] if change is not None else ""
        if isinstance(change, str):
            ollama.says(change)
        else:
            said(ollama, item_for(passage) | change, confirmed=not change)


def said(ollama, item, *, confirmed=True):
    """The model writes the item, and chooses its right answer when asked for it."""
    ollama.says(json.dumps(item))
    if confirmed:
        ollama.says(json.dumps({"answer": item["correct_answer"]}))


def test_exactly_as_many_as_asked_each_with_its_proof(made, ollama):
    scripted(ollama, made, {}, {})
    generation.work_next()
    made.job.refresh_from_db()
    assert (made.job.state, made.job.made) == ("done", 2)
    for question in made.questions.all():
        assert question.quote in question.chunk.text
        assert question.options[question.answer] in str(ITEMS)
        assert len(set(question.options)) == 4
        assert question.document_name == "Lease.pdf"
    assert len({question.answer for question in made.questions.all()}) == 2
    first, choice, second, _ = ollama.asked
    assert "think" not in second or second["think"] is False
    assert second["messages"][:-1] == first["messages"][:-1], "the prefix stays the same"
    assert choice["format"]["properties"]["answer"]["enum"] == made.questions.first().options


BAD = [
    ({"wrong_answers": ["x", "X!", "y"]}, "two options say the same"),
    ({"correct_answer": "Seventeen elephants"}, "the answer is not in the passage"),
    ({"wrong_answers": ["a", "b", "None of these"]}, "an option is about the other options"),
    ({"question": "Tell me about it."}, "it is no question"),
    ({"question": "What does paragraph 2 say about notice?"}, "it speaks of the passage"),
]


@pytest.mark.parametrize(("change", "reason"), BAD)
def test_a_bad_item_is_tried_again_and_its_reason_kept(made, ollama, change, reason):
    scripted(ollama, made, change)
    scripted(ollama, made, change)
    plan = sampling.plan(made.job)
    texts = {look.chunk.pk: look.chunk.text for look in sampling.looks(made.job)}
    for pk in plan[1:3]:
        said(ollama, item_for(texts[pk]))
    generation.work_next()
    made.job.refresh_from_db()
    assert (made.job.state, made.job.made) == ("done", 2)
    (rejected,) = Rejection.objects.filter(job=made.job)
    assert rejected.reason.startswith(reason)
    assert ollama.asked[1]["options"]["temperature"] == 0.7


DENIED = [
    ("Is an e-mail enough for the letter to the office?", "An e-mail is enough", "says no where"),
    ("How does the letter have to reach the office?", "Not by the third working day", "says no"),
    ("Which notice must a tenant give in writing?", "Three months", "called wrong is true"),
]


@pytest.mark.parametrize(("asked", "right", "reason"), DENIED)
def test_what_its_own_proof_says_against_a_question_stops_it(lease, asked, right, reason):
    view = windows.window(lease.chunks.get(ordinal=0), 1)
    wrong = ["Notice in writing", "Elephants", "Lions"]
    proof = quality.proof(view.chunk.text, asked, right)
    assert reason in quiz.proven_fault(f"{asked} {right}", right, wrong, proof)


def test_a_statement_is_proven_by_a_sentence_that_agrees_and_its_twin_is_false(lease):
    proof = lease.chunks.get(ordinal=0).text.split(". ")[-1]
    assert proof == "An e-mail is not enough."
    true, false = proof, "An e-mail is enough."
    assert quiz.proven_fault(true, true, [false], proof) == ""
    assert "says no" in quiz.proven_fault(false, false, [true], proof)
    assert "is true" in quiz.proven_fault(true, true, ["Not enough is an e-mail."], proof)


VAGUE = "It is said that they do so, and those who do it say that it was always so here. " * 2


@pytest.fixture
def vague(made, lease):
    """The same quiz, about a passage in which no sentence says what it is about."""
    chunk = lease.chunks.first()
    Chunk.objects.filter(pk=chunk.pk).update(text=VAGUE)
    made.job.plan = [chunk.pk]
    made.job.save()
    return made


NONSENSE = ["I'd rather not.", '{"question": "Wh', "{}", "[]" * 50, '{"question": 7}']


@pytest.mark.parametrize("nonsense", NONSENSE)
def test_a_model_that_writes_nonsense_ends_short_and_says_so(vague, ollama, nonsense):
    for _ in range(sampling.MOST_LOOKS * quiz.TRIES):
        ollama.says(nonsense)
    generation.work_next()
    vague.job.refresh_from_db()
    assert (vague.job.state, vague.job.made) == ("short", 0)
    assert "0 of 2" in vague.job.reason
    assert all("unreadable" in r.reason for r in Rejection.objects.all())


def test_sentences_with_a_gap_stand_in_for_a_model_that_writes_nonsense(made, ollama):
    for _ in range(3 * quiz.TRIES):
        ollama.says("I'd rather not.")
    generation.work_next()
    made.job.refresh_from_db()
    assert (made.job.state, made.job.made, made.job.tried) == ("done", 2, 3)
    for question in made.questions.all():
        assert question.stem.startswith("Fill the gap: ") and "____" in question.stem
        right = question.options[question.answer]
        assert question.stem[14:].replace("____", right) == question.quote
        assert question.quote in question.chunk.text
        assert sum(option in question.quote.split() for option in question.options) == 1


def test_without_a_language_model_all_questions_are_made_by_rule(made, ollama):
    for name in list(ollama.models):
        ollama.lacks(name)
    ollama.has("extractive", "completion", architecture="extractive")
    made.types = ["mcq", "true_false"]
    made.save()
    generation.work_next()
    made.job.refresh_from_db()
    assert (made.job.state, made.job.made) == ("done", 2)
    assert {question.type for question in made.questions.all()} == {"mcq", "true_false"}
    assert ollama.asked == []


@pytest.mark.parametrize(("kind", "more"), [("quiz", {"types": ["mcq"]}), ("deck", {"asked": 10})])
def test_the_quick_way_asks_no_model(reader, alice, lease, ollama, kind, more):
    url = reverse(f"study:{kind}_new")
    assert "Quick: by rule, without the language model" in reader.get(url).text
    told = {"asked": 5, "difficulty": "beginner", "scope": ["all"], "quick": "on"}
    page = reader.post(url, told | more)
    while generation.work_next():
        pass
    assert Job.objects.get().made >= 2 and ollama.asked == []
    assert "No language model was there" not in reader.get(page.url).text
    assert " by rule" in reader.get(page.url).text


def test_the_same_item_for_ever_is_let_through_once(made, ollama):
    made.job.plan = [made.workspace.documents.get().chunks.get(ordinal=0).pk]
    made.job.save()
    said(ollama, NOTICE)
    for _ in range(quiz.TRIES):
        ollama.says(json.dumps(NOTICE))
    generation.work_next()
    made.job.refresh_from_db()
    assert (made.job.state, made.job.made) == ("done", 2)
    assert [q.stem == NOTICE["question"] for q in made.questions.all()] == [True, False]


def test_a_question_that_the_model_answers_otherwise_itself_is_not_shown(made, ollama):
    made.job.asked = 1
    made.job.save()
    first = item_for(Chunk.objects.get(pk=sampling.plan(made.job)[0]).text)
    ollama.says(json.dumps(first))
    ollama.says(json.dumps({"answer": first["wrong_answers"][0]}))
    said(ollama, first)
    generation.work_next()
    made.job.refresh_from_db()
    assert (made.job.state, made.job.made) == ("done", 1)


def test_a_model_that_dies_in_the_middle_leaves_what_is_made(made, ollama):
    scripted(ollama, made, {})
    ollama.breaks_off_after('{"question": "Wh')
    generation.work_next()
    made.job.refresh_from_db()
    assert (made.job.state, made.job.made) == ("failed", 1)
    assert made.job.reason and "{" not in made.job.reason


def test_a_scope_deleted_while_a_quiz_is_made_ends_in_words(made, lease, ollama):
    sampling.plan(made.job)
    lease.delete()
    generation.work_next()
    made.job.refresh_from_db()
    assert (made.job.state, made.job.made) == ("short", 0)
    assert "were deleted while this was made" in made.job.reason


def test_continue_looks_once_more_at_all_passages(made, ollama):
    scripted(ollama, made, {}, {})
    made.job.tried, made.job.state = 3 * sampling.MOST_LOOKS, "short"
    made.job.save()
    generation.go_on(made.job)
    generation.work_next()
    made.job.refresh_from_db()
    assert (made.job.state, made.job.made) == ("done", 2)
    assert made.job.tried == 3 * sampling.MOST_LOOKS + 2


def test_a_scope_with_too_little_text_says_what_is_needed(alice, workspace, ollama):
    job = Job.objects.create(owner=alice, workspace=workspace, kind="quiz", asked=5)
    Quiz.objects.create(owner=alice, workspace=workspace, job=job, title="Nothing")
    generation.work_next()
    job.refresh_from_db()
    assert job.state == "short"
    assert "too little text" in job.reason


def test_statements_show_the_true_and_the_false_one_in_turn(made, ollama):
    made.types = ["true_false"]
    made.save()
    made.job.plan = [made.workspace.documents.get().chunks.get(ordinal=0).pk] * 2
    made.job.save()
    for true, false in (
        ("The tenant must give notice of three months in writing.", "three weeks"),
        ("The letter has to reach the office by the third working day of a month.", "tenth"),
    ):
        item = {
            "true_statement": true,
            "false_statement": true.replace("three months", false).replace("third", false),
            "explanation": "",
        }
        ollama.says(json.dumps(item))
    generation.work_next()
    assert sorted(q.answer for q in made.questions.all()) == [0, 1]
    assert all(q.options == ["True", "False"] for q in made.questions.all())


def test_right_answers_are_spread_over_all_places():
    for places in (2, 4):
        told = [quiz.spread(7, n, places) for n in range(20)]
        assert {told.count(place) for place in range(places)} == {20 // places}


@pytest.fixture
def ready(made):
    for ordinal, chunk in enumerate(made.workspace.documents.get().chunks.all()):
        Question.objects.create(
            quiz=made,
            ordinal=ordinal,
            type="mcq",
            stem=f"Question {ordinal}?",
            options=["a", "b", "c", "d"],
            answer=2,
            quote=chunk.text[:40],
            chunk=chunk,
            document=chunk.document,
            document_name="Lease.pdf",
        )
    made.job.state = "done"
    made.job.save()
    return made


def test_it_is_played_to_the_end_graded_by_the_server(reader, ready, alice):
    page = reader.post(reverse("study:quiz_play", args=[ready.pk]), follow=True)
    attempt = Attempt.objects.get()
    for n in range(3):
        shown = playing.shown(attempt)
        assert f"Question {n + 1} of 3" in reader.get(attempt.get_absolute_url()).text
        chosen = 2 if n < 2 else 0
        url = reverse("study:attempt_answer", args=[attempt.pk, shown.question.pk])
        page = reader.post(url, {"chosen": chosen, "score": 100}, follow=True)
        assert ("Right." if n < 2 else "Not right.") in page.text
    page = reader.get(attempt.get_absolute_url(), follow=True)
    assert "67 %" in page.text
    kinds = list(Event.objects.order_by("pk").values_list("kind", flat=True))
    assert kinds == ["quiz_started", *["quiz_answered"] * 3, "quiz_finished"]
    assert Event.objects.get(kind="quiz_finished").facts["score"] == 67
    assert Coverage.objects.filter(tested_at__isnull=False).count() == 3
    assert len(playing.mistakes(alice, ready)) == 1
    reader.post(reverse("study:quiz_play", args=[ready.pk]), {"mistakes": "1"})
    assert len(Attempt.objects.first().order) == 1


def test_two_tabs_that_answer_the_same_question_keep_the_first(reader, ready, alice):
    attempt = playing.begin(alice, ready)
    question = playing.shown(attempt).question
    playing.answer(attempt, question, 0)
    playing.answer(attempt, question, 2)
    assert Reply.objects.get().chosen == 0
    assert Event.objects.filter(kind="quiz_answered").count() == 1


def test_an_answer_that_is_none_changes_nothing(reader, ready, alice):
    attempt = playing.begin(alice, ready)
    question = playing.shown(attempt).question
    url = reverse("study:attempt_answer", args=[attempt.pk, question.pk])
    for chosen in ("", "9", "-1", "x"):
        assert "Choose one of the answers" in reader.post(url, {"chosen": chosen}, follow=True).text
    assert not Reply.objects.exists()


def test_questions_deleted_meanwhile_do_not_stop_the_game(reader, ready, alice):
    attempt = playing.begin(alice, ready)
    ready.questions.all().delete()
    assert "0 %" in reader.get(attempt.get_absolute_url(), follow=True).text


def test_a_form_without_scope_is_sent_back(reader, alice, lease):
    url = reverse("study:quiz_new")
    page = reader.post(url, {"asked": 5, "types": ["mcq"], "difficulty": "beginner"})
    assert page.status_code == 422
    assert "Choose at least one" in page.text
    page = reader.post(
        url, {"asked": 5, "types": ["mcq"], "difficulty": "advanced", "scope": [f"d{lease.pk}"]}
    )
    job = Job.objects.get()
    assert page.url == job.quiz.get_absolute_url()
    assert (job.asked, job.difficulty, job.everywhere) == (5, "advanced", False)
    assert list(job.documents.all()) == [lease]
    assert job.quiz.title == "Lease.pdf"


def test_a_form_begins_with_everything_and_what_is_chosen_narrows_it(reader, alice, lease):
    url = reverse("study:quiz_new")
    page = reader.get(url).text
    assert re.search(r'value="all"[^>]* checked', page)
    assert "Choose categories or documents, and only they are used." in page
    assert not re.search(r'value="all"[^>]* checked', reader.get(url, {"document": lease.pk}).text)
    told = {"asked": 5, "types": ["mcq"], "difficulty": "beginner"}
    back = reader.post(url, {"asked": 4, "scope": ["all", f"d{lease.pk}"]}).text
    assert not re.search(r'value="all"[^>]* checked', back), "the form says what is meant"
    assert re.search(rf'value="d{lease.pk}"[^>]* checked', back)
    reader.post(url, told | {"scope": ["all", f"d{lease.pk}"]})
    reader.post(url, told | {"scope": ["all"]})
    narrow, wide = Job.objects.order_by("pk")
    assert (narrow.everywhere, list(narrow.documents.all())) == (False, [lease])
    assert wide.everywhere


def test_an_explanation_that_only_repeats_its_proof_is_shown_once(reader, ready):
    question = ready.questions.first()
    question.explanation = question.quote
    assert question.reason == ""
    question.explanation = "Because the lease says so."
    assert question.reason == "Because the lease says so."


def test_the_pages_of_a_quiz_show_where_it_is(reader, ready):
    assert "Lease" in reader.get(reverse("study:quiz_list")).text
    assert "No quiz is called that" in reader.get(reverse("study:quiz_list"), {"q": "zzz"}).text
    assert "Start" in reader.get(ready.get_absolute_url()).text
    assert "Quizzes" in reader.get(reverse("study:home")).text
    assert "stays" in reader.post(reverse("study:quiz_delete", args=[ready.pk]), follow=True).text
    assert not Quiz.objects.exists()
