"""The rail of every page: what it shows, to whom, and what it costs."""

from datetime import timedelta

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from apps.chat.models import Conversation
from apps.library import workspaces
from apps.library.models import Category, Document, Workspace
from apps.progress import ledger
from apps.progress.models import Standing
from apps.study.models import Card, Deck
from apps.web import rail

pytestmark = pytest.mark.django_db


@pytest.fixture
def home(client: Client) -> Workspace:
    person = User.objects.create_user("anna", password="x")
    client.force_login(person)
    return workspaces.first_of(person)


def furnish(workspace: Workspace, words: str, documents: int = 1) -> None:
    """Something for each part of the rail."""
    category = Category.objects.create(workspace=workspace, name=f"{words} papers")
    for number in range(documents):
        Document.objects.create(workspace=workspace, category=category, name=f"{number}.txt")
    owner = workspace.owner
    Conversation.objects.create(owner=owner, workspace=workspace, title=f"{words} talk")
    deck = Deck.objects.create(owner=owner, workspace=workspace, title=f"{words} deck")
    due = timezone.now() - timedelta(hours=1)
    for number in range(documents):
        Card.objects.create(deck=deck, ordinal=number, guid=str(number), due_at=due)


def test_it_costs_one_question_however_much_it_shows(client: Client, home: Workspace) -> None:
    furnish(home, "Tax", 7)
    client.get("/account/")
    with CaptureQueriesContext(connection) as asked:
        page = client.get("/account/").content.decode()
    assert "Tax papers" in page and "Tax talk" in page and ">7</span>" in page
    rooms = "chat_conversation", "library_category", "study_card", "progress_standing"
    assert [sum(room in query["sql"] for query in asked) for room in rooms] == [1, 1, 1, 1]
    assert sum("study_card" in query["sql"] and "chat_conv" in query["sql"] for query in asked) == 1


def test_nothing_of_another_person_or_workspace(client: Client, home: Workspace) -> None:
    other = workspaces.first_of(User.objects.create_user("bert", password="x"))
    furnish(other, "Foreign", 3)
    furnish(Workspace.objects.create(owner=home.owner, name="Work"), "Closed", 3)
    page = client.get("/account/").content.decode()
    assert "Foreign" not in page and "Closed" not in page and "Cards due" not in page


def test_an_act_is_in_it_at_once_and_a_late_one_too(client: Client, home: Workspace) -> None:
    now = timezone.now()
    ledger.record(home.owner, "chat_message", now)
    assert "1 day" in client.get("/account/").content.decode()
    ledger.record(home.owner, "chat_message", now - timedelta(days=1))
    assert Standing.objects.get(person=home.owner).stale
    assert "2 days" in client.get("/account/").content.decode()


def test_querysets_come_together_in_their_order(home: Workspace) -> None:
    for name in "bac":
        Category.objects.create(workspace=home, name=name)
    mine = home.categories.order_by("-name").values("name")
    found = rail.together(
        {"all": mine, "none": mine.none(), "two": mine[1:], "few": mine.filter(name="ä")}
    )
    assert [row["name"] for row in found["all"]] == ["c", "b", "a"]
    assert found["none"] == found["few"] == [] and found["two"] == [{"name": "b"}, {"name": "a"}]
    assert rail.together({}) == {}
