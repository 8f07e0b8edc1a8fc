"""All conversations: searched by their words, in pages, pinned, renamed, exported and deleted."""

from datetime import timedelta

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.utils import timezone

from apps.chat import exporting, finding
from apps.chat.conversations import title_of
from apps.chat.models import Conversation, Turn
from apps.library.models import Workspace


@pytest.fixture
def visitor(client, alice):
    """A browser without JavaScript in which Alice is signed in."""
    client.force_login(alice)
    return client


@pytest.fixture
def alice(db) -> User:
    person = User.objects.create_superuser("alice", password="correct horse battery")
    Workspace.objects.create(owner=person, name="Home")
    return person


@pytest.fixture
def said(alice, workspace):
    """Make a conversation with a question, its answer and a source."""

    def make(question: str, answer: str, title: str = "") -> Conversation:
        talk = Conversation.objects.create(owner=alice, workspace=workspace, title=title)
        turn = talk.turns.create(question=question)
        kept = turn.answers.create(text=answer, state="finished")
        kept.citations.create(
            number=1, document_name="Sea.md", label="p. 4", kind="page", place=4, score=1, used=True
        )
        return talk

    return make


def names(page: finding.Page) -> list[str]:
    return [str(row.conversation) for row in page.rows]


def test_questions_answers_and_titles_are_found_by_beginnings_of_words(alice, workspace, said):
    said(
        "Why do tides rise?",
        "Because 3 < 4 the **moon** pulls & <script>alert()</script> [1].",
        "Sea",
    )
    said("What is a comet?", "Ice.", "Of moons and comets")
    said("Is it late?", "No.", "Time")
    found = finding.page(alice, workspace, "moon")
    assert names(found) == ["Of moons and comets", "Sea"]
    assert "Because 3 &lt; 4 the <mark>moon</mark> pulls" in found.rows[1].snippet
    assert "<script" not in found.rows[1].snippet
    assert found.rows[1].url.endswith(f"#turn-{found.rows[1].turn}")
    assert names(finding.page(alice, workspace, "tide MOO")) == []  # in one text, all of them
    assert names(finding.page(alice, workspace, "tide RIS")) == ["Sea"]


@pytest.mark.parametrize("strange", ["'", "a & | !", ":*", "\0", "((", "💧", "x" * 300, "--", "%"])
def test_strange_searches_are_answered(visitor, said, strange):
    said("Why?", "So.")
    assert visitor.get("/chat/conversations/", {"q": strange}).status_code == 200


def test_what_an_edit_replaced_is_not_found(alice, workspace, said):
    talk = said("An embarrassing question", "Well.", "T")
    fresh = talk.turns.create(question="A better one")
    Turn.objects.exclude(pk=fresh.pk).update(replaced_by=fresh)
    assert names(finding.page(alice, workspace, "embarrassing")) == []
    assert names(finding.page(alice, workspace, "better")) == ["T"]


def test_nobody_finds_what_is_anothers_or_in_another_workspace(alice, bob, workspace, said):
    said("Secret tides", "Yes.", "Hers")
    assert names(finding.page(bob, bob.workspaces.get(), "tides")) == []
    other = alice.workspaces.create(name="Work")
    assert names(finding.page(alice, other, "tides")) == []


def test_five_hundred_in_pages_pinned_first(
    visitor, alice, workspace, django_assert_max_num_queries
):
    now = timezone.now()
    Conversation.objects.bulk_create(
        Conversation(owner=alice, workspace=workspace, title=f"Talk {number}")
        for number in range(500)
    )
    for number, each in enumerate(Conversation.objects.order_by("pk")):
        each.touched_at = now - timedelta(minutes=number // 2)  # two at the same moment
        each.pinned = number in (70, 400)
        Conversation.objects.filter(pk=each.pk).update(
            touched_at=each.touched_at, pinned=each.pinned
        )
    for wanted in ("", "talk"):
        seen, after = [], ""
        while True:
            page = finding.page(alice, workspace, wanted, after)
            seen += names(page)
            if not (after := page.after):
                break
        assert len(seen) == len(set(seen)) == 500
        assert seen[:2] == ["Talk 70", "Talk 400"]
    visitor.get("/chat/conversations/")
    with django_assert_max_num_queries(10):
        reply = visitor.get("/chat/conversations/", {"q": "talk"})
    assert b"Older" in reply.content
    assert visitor.get("/chat/conversations/", {"after": "nonsense"}).status_code == 200


def test_the_search_reads_its_indexes(db):
    with connection.cursor() as cursor:
        cursor.execute("SELECT indexname, indexdef FROM pg_indexes WHERE indexname LIKE '%_words'")
        indexes = dict(cursor.fetchall())
    assert "COALESCE(question, ''::text)" in indexes["turn_words"]
    assert "COALESCE(text, ''::text)" in indexes["answer_words"]


def test_pin_rename_and_delete_from_the_list(visitor, said):
    talk = said("Why?", "So.", "Old name")
    before = Conversation.objects.get().touched_at
    visitor.post(f"/chat/{talk.pk}/pin/", {"list": "1"})
    back = visitor.post(f"/chat/{talk.pk}/rename/", {"list": "1", "title": "New name"})
    assert back.headers["Location"] == "/chat/conversations/"
    kept = Conversation.objects.get()
    assert (kept.title, kept.pinned, kept.touched_at) == ("New name", True, before)
    visitor.post(f"/chat/{talk.pk}/rename/", {"title": "x" * 121})
    assert Conversation.objects.get().title == "New name"
    page = visitor.get(f"/chat/{talk.pk}/delete/").content.decode()
    assert "Delete “New name”?" in page and Conversation.objects.exists()
    visitor.post(f"/chat/{talk.pk}/delete/")
    assert not Conversation.objects.exists()


def test_a_title_is_cut_between_words_or_within_one_long_word():
    assert title_of("Why?\nBecause.") == "Why?"
    assert title_of("tide " * 100) == "tide " * 15 + "…"
    assert title_of("a" * 5000) == "a" * 78 + "…"


def test_a_conversation_is_exported_with_its_sources(visitor, said):
    talk = said("Why do\ntides rise?", "The moon pulls [1].", "Of / tides")
    reply = visitor.get(f"/chat/{talk.pk}/export/")
    assert 'attachment; filename="Of__tides.md"' in reply.headers["Content-Disposition"]
    text = reply.content.decode()
    assert text == exporting.conversation(talk)
    assert text.startswith("# Of / tides\n\n")
    assert "## Why do tides rise?\n\nThe moon pulls [1].\n\n[1] Sea.md, p. 4\n" in text
