"""A workshop from passages to the last lesson, with the model at the wire."""

import json

import pytest
from django.utils import translation

from apps.library.models import Chunk, Coverage
from apps.progress.models import Event
from apps.study import following, generation, outlining, starting, workshop
from apps.study.models import Job, Lesson, Quiz, Workshop
from apps.study.outlining import Place
from tests.library.passages import document
from tests.study import lessons
from tests.study.lessons import PASSAGES, POINTS, SENTENCES, TITLES


def run(job):
    """Slices until the job is at rest."""
    for _ in range(20):
        generation.work_next()
        job.refresh_from_db()
        if job.ended:
            return job
    raise AssertionError(f"Never at rest: {job}")


def kinds():
    return list(Event.objects.order_by("pk").values_list("kind", flat=True))


# --- the outline --------------------------------------------------------------------------------
def test_five_lessons_in_the_documents_order(alice, workspace, ollama):
    made = lessons.lease(alice, workspace)
    lessons.outline(ollama)
    assert run(made.job).state == "done"
    made.refresh_from_db()
    assert [each.title for each in made.lessons.all()] == TITLES
    assert made.title == "Notice and deposit"
    assert made.key_points == POINTS
    assert len(made.objectives) == 5
    assert made.summary == " ".join(POINTS[:2])
    assert all(3 <= each.minutes <= 15 for each in made.lessons.all())
    passages = [pk for each in made.lessons.all() for pk in each.passages]
    assert passages == list(Chunk.objects.order_by("ordinal").values_list("pk", flat=True))
    assert kinds() == ["workshop_created"]


def test_the_outline_is_honest_whatever_the_model_says(alice, workspace, ollama):
    made = lessons.lease(alice, workspace)
    for said in (
        *("I'd rather not.", '{"title": "Gi'),
        *[lessons.outlined(1, title="The mayor's elephants")] * 2,
        *[lessons.outlined(2, key_point="Seventeen elephants live in Lisbon.")] * 2,
        *[lessons.outlined(3, title="Giving notice")] * 2,
        lessons.outlined(4),
        *["{}"] * 2,
    ):
        ollama.says(said)
    assert run(made.job).state == "done"
    made.refresh_from_db()
    told = [each.title for each in made.lessons.all()]
    assert told == [*(f"Lease.pdf, page {n}" for n in (1, 2, 3, 4)), "Quiet hours"]
    assert made.key_points == POINTS
    assert made.title == "Lease.pdf"
    assert made.summary == "5 lessons, from “Lease.pdf, page 1” to “Quiet hours”."
    with translation.override("de"):
        made.refresh_from_db()
        assert made.summary == "5 Lektionen, von „Lease.pdf, page 1“ bis „Quiet hours“."
    reasons = [each.reason for each in made.job.rejections.order_by("pk")]
    assert len(reasons) == 10
    assert any("unreadable" in reason for reason in reasons)
    assert "the title is not about the passages" in reasons


def test_a_title_chosen_by_the_reader_stays(alice, workspace, ollama):
    made = lessons.lease(alice, workspace)
    Workshop.objects.update(title="Mine")
    lessons.outline(ollama)
    run(made.job)
    made.refresh_from_db()
    assert made.title == "Mine"


def test_too_little_text_makes_fewer_lessons_and_says_so(alice, workspace, ollama):
    document(workspace, "Note.txt", [PASSAGES[0], "Short.", "1 2 3 4 5 6 7 8 9 " * 20])
    made = lessons.lease(alice, workspace)
    lessons.outline(ollama, 1)
    job = run(made.job)
    assert (job.state, job.made) == ("short", 1)
    assert "1 of 5 lessons" in job.reason
    assert not job.can_go_on, "all the text is used: another look would find nothing"
    made.refresh_from_db()
    assert made.summary


def test_no_text_at_all_says_what_is_needed(alice, workspace, ollama):
    made = Workshop.objects.create(
        owner=alice,
        workspace=workspace,
        job=Job.objects.create(owner=alice, workspace=workspace, kind="workshop", asked=5),
    )
    job = run(made.job)
    assert "too little text" in job.reason
    assert job.can_go_on, "with a document more"
    assert kinds() == []


def test_a_model_that_goes_in_the_middle_leaves_what_is_made(alice, workspace, ollama):
    made = lessons.lease(alice, workspace)
    ollama.says(lessons.outlined(0))
    ollama.says(lessons.outlined(1))
    ollama.breaks_off_after('{"title": ')
    assert (run(made.job).state, made.job.made) == ("failed", 2)
    assert "broke off" in made.job.reason
    for n in (2, 3, 4):
        ollama.says(lessons.outlined(n))
    ollama.says(lessons.framed())
    generation.go_on(made.job)
    assert run(made.job).state == "done"
    assert [each.title for each in made.lessons.all()] == TITLES


def test_passages_deleted_meanwhile_cost_their_lesson_only(alice, workspace, ollama):
    made = lessons.lease(alice, workspace)
    workshop._plan(made.job)
    Chunk.objects.filter(ordinal=1).delete()
    for n in (0, 2, 3, 4):
        ollama.says(lessons.outlined(n))
    ollama.says(lessons.framed())
    assert (run(made.job).state, made.job.made) == ("short", 4)


def test_lessons_are_cut_where_documents_and_sections_change():
    places = [
        Place(n, 1 if n < 7 else 2, "a" if n < 4 else "b" if n < 7 else "c") for n in range(12)
    ]
    assert [len(group) for group in outlining.divide(places, 3)] == [4, 3, 5]
    assert [len(group) for group in outlining.divide(places[:2], 5)] == [1, 1]
    assert outlining.divide([], 5) == []
    for count in range(1, 40):
        for wanted in (5, 10):
            groups = outlining.divide([Place(n, 1, str(n // 3)) for n in range(count)], wanted)
            assert [p.chunk for group in groups for p in group] == list(range(count))
            assert len(groups) == min(wanted, count)


def test_an_excerpt_stands_in_the_passage_word_for_word():
    text = "or so it ended. " + " ".join(
        f"Sentence {n} says something of worth." for n in range(40)
    )
    told = outlining.excerpt(text)
    assert told in text and told.startswith("Sentence 0") and told.endswith("worth.")
    assert 500 < len(told) <= 800
    assert outlining.excerpt("1 | 2 | 3 | 4\n" * 30) == ""
    tail = "or that other\nthing. " + text[16:]
    assert outlining.excerpt(tail).startswith("Sentence 0")


def test_what_is_read_has_no_hyphens_of_lines_and_no_furniture_of_pages():
    text = (
        "An inno-\nvation of the well-\nKnown.\n\n94 FREE CULTURE\n\n<http://free.test/x>\n12\nEnd."
    )
    told = outlining.smooth(text)
    assert told.split() == ["An", "innovation", "of", "the", "well-", "Known.", "End."]


# --- a lesson -----------------------------------------------------------------------------------
@pytest.fixture
def lesson(alice, workspace):
    return lessons.planned(alice, workspace)


def test_a_lesson_has_four_parts_each_sentence_with_its_source(lesson, ollama):
    lessons.lesson(ollama)
    job = run(following.write(lesson))
    lesson.refresh_from_db()
    assert (job.state, job.made, job.asked) == ("done", 5, 5)
    assert "three months in writing [1]." in lesson.introduction
    assert "by Kessler GmbH [2]." in lesson.introduction
    assert lesson.core.count("### ") == 2
    assert lesson.core.index("[1]") < lesson.core.index("[2]")
    assert lesson.takeaways.count("\n- ") == 2
    assert lesson.self_check.splitlines()[0] == (
        "1. How many months of notice must the tenant give [1]?"
    )
    assert lesson.self_check.splitlines()[1].endswith("[2]?")
    for source in lesson.sources.all():
        assert source.quote in source.chunk.text
        assert source.document_name == "Lease.pdf"
    assert 3 <= lesson.minutes <= 15 and lesson.made_at


def test_what_no_passage_supports_is_left_out(lesson, ollama):
    invented = "The mayor of Lisbon owns seventeen elephants."
    ollama.says(lessons.introduced())
    ollama.says(lessons.explained(0, invented, "Notice of 4 months is enough in writing [2]."))
    for _ in range(2):
        ollama.says(json.dumps({"heading": "Elephants", "sentences": [invented, invented]}))
    ollama.says(json.dumps({"takeaways": [invented, invented, POINTS[1]]}))
    ollama.says(json.dumps({"takeaways": [invented, invented, invented]}))
    for _ in range(2):
        ollama.says(json.dumps({"questions": ["Tell me.", "Who owns elephants in Lisbon?"]}))
    run(following.write(lesson))
    lesson.refresh_from_db()
    everything = lesson.introduction + lesson.core + lesson.takeaways + lesson.self_check
    assert "lephant" not in everything and "4 months" not in everything
    for sentence in SENTENCES[1]:  # the passage's own words stand in
        assert sentence.rstrip(".") + " [2]." in lesson.core
    assert lesson.takeaways.count("- ") == 3
    assert lesson.self_check.count("?") == 2


def test_an_introduction_points_to_nothing_before_it(lesson, ollama):
    ollama.says(
        json.dumps({"sentences": ["It is serviced every twelve months by Kessler GmbH."] * 2})
    )
    for said in (lessons.explained(0), lessons.explained(1), lessons.remembered()):
        ollama.says(said)
    ollama.says(lessons.questions())
    run(following.write(lesson))
    lesson.refresh_from_db()
    assert lesson.introduction == "This lesson is about “Notice and service”."


def test_a_model_in_another_language_is_not_let_through(lesson, ollama):
    german = "Der Mieter muss mit drei Monaten Frist schriftlich kündigen, sagt der Vertrag hier."
    ollama.says(lessons.introduced())
    for _ in range(2):
        ollama.says(json.dumps({"heading": "Kündigung", "sentences": [german, german]}))
    for said in (lessons.explained(1), lessons.remembered(), lessons.questions()):
        ollama.says(said)
    job = run(following.write(lesson))
    lesson.refresh_from_db()
    assert "kündigen" not in lesson.core
    assert any("another language" in each.reason for each in job.rejections.all())


def test_a_model_gone_in_the_middle_keeps_the_parts_and_goes_on_after_them(lesson, ollama):
    ollama.says(lessons.introduced())
    ollama.says(lessons.explained(0))
    ollama.breaks_off_after("{")
    job = run(following.write(lesson))
    assert (job.state, job.made) == ("failed", 2)
    lesson.refresh_from_db()
    assert lesson.introduction and "[1]" in lesson.core and lesson.made_at is None
    for said in (lessons.explained(1), lessons.remembered(), lessons.questions()):
        ollama.says(said)
    assert following.write(lesson) == job
    assert run(job).state == "done"
    lesson.refresh_from_db()
    assert lesson.core.count("### ") == 2


def test_documents_deleted_meanwhile_do_not_break_a_lesson(lesson, ollama):
    lessons.lesson(ollama)
    job = following.write(lesson)
    maker = generation.MAKERS["lesson"].make(job, lambda: False)
    store = next(maker)
    Chunk.objects.filter(ordinal=0).delete()
    generation._store(job, store)
    for outcome in maker:
        generation._store(job, outcome)
    lesson.refresh_from_db()
    assert job.made == 5
    assert [source.chunk_id is None for source in lesson.sources.all()] == [True, False]


def test_a_lesson_without_passages_is_refused(lesson, ollama):
    Chunk.objects.all().delete()
    job = run(following.write(lesson))
    assert job.state == "short"
    assert "are gone" in job.reason


def test_without_a_language_model_it_quotes_and_says_so(lesson, ollama):
    for name in list(ollama.models):
        ollama.lacks(name)
    ollama.has("quotes", "completion", architecture="extractive")
    job = run(following.write(lesson))
    lesson.refresh_from_db()
    assert job.state == "done" and job.options["extractive"]
    assert ollama.asked == []
    assert "An e-mail is not enough [1]." in lesson.core
    assert lesson.takeaways.count("- ") == 3
    assert lesson.self_check.count("?") == 2


def test_written_again_it_is_another_take_and_the_old_one_stays_until_then(lesson, ollama):
    lessons.lesson(ollama)
    first = run(following.write(lesson))
    assert following.write(lesson) == first, "asking twice writes once"
    lesson.refresh_from_db()
    second = following.write(lesson, anew=True)
    assert following.write(lesson, anew=True) == second
    ollama.breaks_off_after("{")
    run(second)
    lesson.refresh_from_db()
    assert lesson.takeaways and lesson.made_at, "nothing new came, so nothing is lost"
    lessons.lesson(ollama)
    generation.go_on(second)
    assert run(second).state == "done"
    assert ollama.asked[-1]["options"]["temperature"] == 0.5
    assert lesson.sources.count() == 2


# --- following it -------------------------------------------------------------------------------
def test_with_the_last_lesson_the_workshop_is_complete_and_undone_again(alice, workspace, ollama):
    made = lessons.lease(alice, workspace)
    lessons.outline(ollama)
    run(made.job)
    for each in made.lessons.select_related("workshop__job"):
        following.complete(alice, each)
        following.complete(alice, each)
    made.refresh_from_db()
    assert made.completed_at
    told = ["workshop_created", *["lesson_completed"] * 5, "workshop_completed"]
    assert kinds() == told
    following.undo(made.lessons.first())
    made.refresh_from_db()
    assert made.completed_at is None
    assert following.standing(made).next == made.lessons.first()
    following.complete(alice, Lesson.objects.select_related("workshop__job").first())
    assert kinds() == told, "nothing counts twice"


def test_an_opened_lesson_marks_its_passages_as_read(alice, lesson, ollama):
    following.opened(alice, lesson)
    assert kinds() == []
    lessons.lesson(ollama)
    run(following.write(lesson))
    lesson.refresh_from_db()
    following.opened(alice, lesson)
    following.opened(alice, lesson)
    assert kinds() == ["lesson_opened"]
    assert Coverage.objects.filter(read_at__isnull=False).count() == 2


def test_the_recap_is_a_quiz_of_five_from_the_same_scope(alice, workspace):
    made = lessons.lease(alice, workspace)
    made.job.documents.set(workspace.documents.all())
    quiz = following.recap(made)
    assert quiz.types == ["mcq", "true_false"]
    assert quiz.job.asked == 5 and quiz.job.kind == "quiz"
    assert list(quiz.job.documents.all()) == list(workspace.documents.all())
    assert quiz.title == "Recap: Lease.pdf"
    made.job.delete()
    made.refresh_from_db()
    assert following.recap(made) is None
    assert Quiz.objects.count() == 1


def test_a_deleted_workshop_stops_what_is_written_for_it(alice, lesson):
    job = following.write(lesson)
    starting.discard(lesson.workshop)
    job.refresh_from_db()
    assert job.state == "cancelled"
    assert not Lesson.objects.exists()
