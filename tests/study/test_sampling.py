"""Which passages practice is made from."""

from collections import Counter

import pytest

from apps.library import coverage
from apps.library.models import Chunk, Coverage
from apps.study import generation, sampling
from apps.study.models import Job, Question, Quiz
from apps.study.windows import window
from tests.library.passages import document

LONG = "The boiler in the cellar is serviced by the same firm every year in May. " * 3


@pytest.fixture
def documents(workspace):
    """A long document and two short ones."""
    sizes = {"long.pdf": 30, "short.pdf": 3, "tiny.pdf": 1}
    return {
        name: document(workspace, name, [f"{n} {name} {LONG}" for n in range(size)])
        for name, size in sizes.items()
    }


def job(alice, workspace, *documents, **more):
    made = Job.objects.create(
        owner=alice, workspace=workspace, kind="quiz", asked=5, everywhere=not documents, **more
    )
    made.documents.set(documents)
    return made


def test_every_document_has_its_turn_before_one_has_two(alice, workspace, documents):
    ids = sampling.plan(job(alice, workspace))
    names = dict(Chunk.objects.values_list("pk", "document__name"))
    assert Counter(names[pk] for pk in ids[:3]) == dict.fromkeys(documents, 1)
    assert len(ids) == len(set(ids)) == 34


def test_the_plan_is_kept_and_goes_on_where_it_was(alice, workspace, documents):
    made = job(alice, workspace)
    plan = sampling.plan(made)
    made.tried = 4
    looks = list(sampling.looks(made))
    assert [look.chunk.pk for look in looks[:30]] == plan[4:]
    assert (looks[30].number, looks[30].again, looks[30].chunk.pk) == (34, 1, plan[0])
    Chunk.objects.filter(pk=plan[4]).delete()
    assert next(sampling.looks(made)).chunk is None


def test_all_looks_come_to_an_end_and_whoever_continues_has_them_once_more(
    alice, workspace, documents
):
    made = job(alice, workspace, documents["short.pdf"])
    looks = list(sampling.looks(made))
    assert len(looks) == sampling.MOST_LOOKS * 3
    made.tried, made.state = len(looks), "short"
    made.save()
    assert list(sampling.looks(made)) == [], "a slice that ended there asks in vain"
    generation.go_on(made)
    made.refresh_from_db()
    assert [look.again for look in sampling.looks(made)] == [sampling.MOST_LOOKS] * 3


def test_each_look_at_a_passage_sees_other_sentences(workspace):
    text = " ".join(f"Sentence number {n} tells {'of the boiler ' * 9}and more." for n in range(6))
    chunk = document(workspace, "boiler.md", [text]).chunks.get()
    seen = [window(chunk, 7, look).text for look in range(7)]
    assert len(set(seen[:6])) == 6
    assert seen[6] == seen[0]


def test_only_the_scope_is_used_even_when_it_is_deleted(alice, workspace, documents):
    made = job(alice, workspace, documents["short.pdf"])
    assert set(sampling.plan(made)) == set(
        documents["short.pdf"].chunks.values_list("pk", flat=True)
    )
    other = job(alice, workspace, documents["tiny.pdf"])
    documents["tiny.pdf"].delete()
    assert sampling.plan(other) == []


def test_what_was_asked_before_comes_last(alice, workspace, documents):
    quiz = Quiz.objects.create(owner=alice, workspace=workspace, title="Earlier")
    used = documents["short.pdf"].chunks.first()
    Question.objects.create(
        quiz=quiz, ordinal=0, type="mcq", stem="?", options=["a"], answer=0, chunk=used
    )
    made = job(alice, workspace, documents["short.pdf"])
    assert sampling.plan(made)[-1] == used.pk


def test_untouched_only_leaves_out_what_was_touched(alice, workspace, documents):
    touched = documents["short.pdf"].chunks.first()
    coverage.mark([touched.pk, 10**9], "read")
    made = job(alice, workspace, documents["short.pdf"], untouched_only=True)
    assert touched.pk not in sampling.plan(made)
    assert len(sampling.plan(made)) == 2


def test_the_first_time_counts_and_the_strip_shows_the_furthest(documents):
    long = documents["long.pdf"]
    first = long.chunks.first()
    coverage.mark([first.pk], "read")
    before = Coverage.objects.get(chunk=first).read_at
    coverage.mark([first.pk], "read")
    coverage.mark([first.pk], "tested")
    assert Coverage.objects.get(chunk=first).read_at == before
    strip = coverage.strip(long)
    assert len(strip) == 30
    assert [segment.level for segment in strip[:2]] == ["tested", ""]
    assert sum(segment.passages for segment in strip) == 30
    with pytest.raises(ValueError, match="seen"):
        coverage.mark([first.pk], "seen")


def test_what_can_be_understood_by_itself_is_looked_at_first(workspace):
    text = (
        "Dies gilt nicht für Mitteilungen im dienstlichen Verkehr, die offenkundig sind und auch "
        "sonst ihrer Bedeutung nach keiner Geheimhaltung bedürfen. Die Beauftragte entscheidet "
        "nach ihrem Ermessen, ob sie vor Gericht aussagt. Der Wirt gibt zu jeder Speise eine "
        "Karte mit den Namen der Köche aus, und die Gäste heben sie bis zum Ende des Jahres auf."
    )
    chunk = document(workspace, "Law.md", [text], language="de").chunks.get()
    assert all(not window(chunk, seed).text.startswith("Dies") for seed in range(5))
