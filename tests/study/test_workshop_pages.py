"""The pages of workshops and lessons, read without JavaScript."""

import pytest
from django.urls import reverse

from apps.study import following
from apps.study.models import Job, LessonSource, Quiz, Workshop
from tests.library.passages import document
from tests.study import lessons
from tests.study.test_workshop import run


@pytest.fixture
def lesson(alice, workspace):
    return lessons.planned(alice, workspace)


@pytest.fixture
def written(lesson, ollama):
    lessons.lesson(ollama)
    run(following.write(lesson))
    lesson.refresh_from_db()
    return lesson


def test_a_workshop_is_asked_for_with_a_scope(reader, alice, workspace):
    lease = document(workspace, "Lease.pdf", lessons.PASSAGES)
    url = reverse("study:workshop_new")
    assert "10 lessons" in reader.get(url).text
    page = reader.post(url, {"asked": 5, "difficulty": "beginner"})
    assert page.status_code == 422 and "Choose at least one" in page.text
    told = {"asked": 10, "difficulty": "advanced", "scope": [f"d{lease.pk}"]}
    page = reader.post(url, told, follow=True)
    job = Job.objects.get()
    assert (job.kind, job.asked, job.difficulty) == ("workshop", 10, "advanced")
    assert job.workshop.title == "Lease.pdf"
    assert "Waiting for the worker" in page.text
    assert reader.post(url, told | {"asked": 7}).status_code == 422


def test_the_list_finds_by_title_and_shows_how_far_it_is(reader, alice, lesson):
    url = reverse("study:workshop_list")
    assert "0 of 1 lesson complete" in reader.get(url).text
    assert "No workshop is called that" in reader.get(url, {"q": "zzz"}).text
    Workshop.objects.all().delete()
    assert "No workshop yet" in reader.get(url).text
    assert "Lessons that lead through a topic" not in reader.get(url).text
    assert "Workshops" in reader.get(reverse("study:home")).text


def test_a_new_lesson_offers_to_be_written_once(reader, lesson):
    page = reader.get(lesson.get_absolute_url())
    assert "This lesson is not written yet" in page.text
    for _ in range(2):
        page = reader.post(reverse("study:lesson_write", args=[lesson.pk]), follow=True)
    assert "Waiting for the worker" in page.text
    assert Job.objects.filter(kind="lesson").count() == 1
    assert "being written" in reader.get(lesson.workshop.get_absolute_url()).text
    page = reader.post(reverse("study:lesson_complete", args=[lesson.pk]), follow=True)
    assert "not written yet" in page.text
    lesson.refresh_from_db()
    assert lesson.completed_at is None


def test_a_written_lesson_shows_its_parts_contents_and_sources(reader, written):
    page = reader.get(written.get_absolute_url()).text
    for each in ("Introduction", "Core content", "Key takeaways", "Check yourself"):
        assert f"<h2>{each}</h2>" in page
    for slug in ("introduction", "core", "core-1", "core-2", "takeaways", "self-check"):
        assert f'id="{slug}"' in page and f'href="#{slug}"' in page
    assert page.count('id="source-1"') == page.count('id="source-2"') == 1
    assert 'class="chip" href="#source-1"' in page
    chunk = written.sources.get(number=1).chunk_id
    assert reverse("library:passage", args=[chunk]) in page
    assert "<mark>The tenant must give notice of three months in writing.</mark>" in page
    assert "ready" in reader.get(written.workshop.get_absolute_url()).text


def test_what_a_document_says_does_nothing_in_a_lesson(reader, written):
    hostile = "<img src=x onerror=alert(1)> <script>alert(1)</script> [a](javascript:alert(1))"
    LessonSource.objects.update(quote=hostile, document_name=hostile, label=hostile)
    written.core = f"### {hostile}\n\n{hostile} [1]"
    written.save()
    page = reader.get(written.get_absolute_url()).text
    assert (
        "<img src=x" not in page and "<script>alert" not in page and 'href="javascript' not in page
    )


def test_complete_and_undo(reader, written):
    url = reverse("study:lesson_complete", args=[written.pk])
    page = reader.post(url, follow=True)
    assert "Undo" in page.text
    workshop = reader.get(written.workshop.get_absolute_url()).text
    assert "1 of 1 complete" in workshop and "Make a recap quiz" in workshop
    page = reader.post(url, {"undo": "1"}, follow=True)
    assert "Mark complete" in page.text
    assert Workshop.objects.get().completed_at is None


def test_the_recap_leads_to_its_quiz(reader, written):
    page = reader.post(reverse("study:workshop_recap", args=[written.workshop_id]))
    assert page.url == Quiz.objects.get().get_absolute_url()


def test_rename_and_delete(reader, written):
    workshop = written.workshop
    url = reverse("study:workshop_rename", args=[workshop.pk])
    assert "Leases, slowly" in reader.post(url, {"title": "Leases, slowly"}, follow=True).text
    reader.post(url, {"title": ""})
    url = reverse("study:workshop_delete", args=[workshop.pk])
    assert "Delete “Leases, slowly”?" in reader.get(url).text
    assert "stays" in reader.post(url, follow=True).text
    assert not Workshop.objects.exists()


def test_htmx_gets_the_part_that_changes(reader, written):
    page = reader.get(written.get_absolute_url(), headers={"HX-Request": "true"})
    assert page.text.lstrip().startswith('<div id="lesson-text"')
    page = reader.get(written.workshop.get_absolute_url(), headers={"HX-Request": "true"})
    assert page.text.lstrip().startswith('<div id="workshop-state"')


def test_the_export_is_linked_and_comes_as_a_file(reader, written):
    workshop = written.workshop
    workshop.summary = "About notice."
    workshop.save()
    url = reverse("study:workshop_export", args=[workshop.pk])
    assert f'action="{url}"' in reader.get(workshop.get_absolute_url()).text
    answer = reader.get(url, {"form": "pdf", "level": "sources"})
    assert answer.content.startswith(b"%PDF")
    assert "attachment" in answer.headers["Content-Disposition"]
    assert "Key takeaways" in reader.get(url, {"level": "lessons"}).text
