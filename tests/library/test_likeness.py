"""Documents that say the same, or nearly: told with a link, never refused."""

import random

import pytest
from django.urls import reverse

from apps.library import ingestion, likeness
from apps.library.models import Likeness
from tests.library.papers import add, essay, finish

TEXT = essay(40).decode()


def share(one: str, other: str) -> float:
    first, second = likeness.signature([one]), likeness.signature([other])
    assert first is not None and second is not None
    return float((first == second).mean())


def test_a_signature_is_the_same_however_the_text_comes_in_parts():
    first, second = likeness.signature([TEXT]), likeness.signature(TEXT.splitlines())
    assert first is not None and second is not None
    assert (first == second).all()


def test_case_marks_and_line_breaks_make_no_difference():
    assert share(TEXT, TEXT.upper().replace(" ", "\n").replace(":", " –")) == 1


def test_the_share_in_common_is_told_within_a_tenth():
    chance = random.Random(7)
    words = [str(chance.random()) for _ in range(3000)]
    other = words[:2400] + [str(chance.random()) for _ in range(600)]
    # Four fifths of each are in both: 2,400 of 3,600 sequences.
    assert share(" ".join(words), " ".join(other)) == pytest.approx(2 / 3, abs=0.1)


def test_texts_about_different_things_share_nothing():
    assert share(TEXT, "Der Mietvertrag endet mit Ablauf des Monats Juli. " * 40) < 0.1


def test_scripts_without_spaces_are_compared_by_their_characters():
    text = "東京都の条例は令和七年四月一日から施行される。" * 3
    assert share(text, text.replace("四月", "五月")) > 0.5
    assert share(text, "大阪府の予算案は可決されなかったと報じられている。") < 0.2


def test_texts_of_a_word_or_none_do_no_harm():
    assert likeness.signature(["", " – "]) is None
    assert share("word", "word") == 1


@pytest.mark.django_db(transaction=True)
def test_a_near_copy_is_told_and_not_refused(workspace, ollama):
    first = add(workspace, essay(20), "birds.md")
    assert finish(first) == "ready"
    assert likeness.of(first) == []
    second = add(workspace, essay(20, typo=" Quite so."), "birds (2).md")
    third = add(workspace, b"Something else is written here, about the lease.", "lease.md")
    assert finish(second) == finish(third) == "ready"
    [found] = likeness.of(second)
    assert (found.document, found.same) == (first, False)
    assert found.share > 0.9
    assert likeness.of(third) == []


@pytest.mark.django_db(transaction=True)
def test_the_same_bytes_come_first_and_before_anything_was_read(workspace, ollama):
    first = add(workspace, essay(8), "a.md")
    near = add(workspace, essay(8, typo=" Indeed."), "b.md")
    finish(first)
    finish(near)
    copy = add(workspace, essay(8), "c.md")
    assert [(like.document, like.same) for like in likeness.of(copy)] == [(first, True)]
    finish(copy)
    assert [like.document for like in likeness.of(copy)] == [first, near]


@pytest.mark.django_db(transaction=True)
def test_a_strangers_copy_is_nobodys_business(workspace, bob, ollama):
    finish(add(workspace, essay(5)))
    theirs = add(bob.workspaces.get(), essay(5))
    finish(theirs)
    assert likeness.of(theirs) == []


@pytest.mark.django_db(transaction=True)
def test_it_goes_with_its_document_and_follows_its_text(workspace, ollama):
    first, second = add(workspace, essay(9), "a.md"), add(workspace, essay(9, " Yes."), "b.md")
    finish(first)
    finish(second)
    changed = add(workspace, b"All of it was written anew, from the beginning.", "b.md")
    finish(changed)
    assert likeness.of(first) == []
    ingestion.discard(changed)
    assert list(Likeness.objects.values_list("document", flat=True)) == [first.pk]


@pytest.mark.django_db(transaction=True)
def test_what_was_read_before_is_signed_by_the_sweep(workspace, ollama):
    first, second = add(workspace, essay(9), "a.md"), add(workspace, essay(9, " Yes."), "b.md")
    finish(first)
    finish(second)
    Likeness.objects.all().delete()
    ingestion.sweep()
    assert [like.document for like in likeness.of(first)] == [second]
    assert likeness.catch_up() == 0


@pytest.mark.django_db(transaction=True)
def test_the_page_of_a_document_links_to_its_like(reader, workspace, ollama):
    first, second = add(workspace, essay(9), "a.md"), add(workspace, essay(9, " Yes."), "b.md")
    finish(first)
    finish(second)
    page = reader.get(reverse("library:document", args=[second.pk])).content.decode()
    assert "says nearly the same" in page
    assert f'href="{first.get_absolute_url()}"' in page
