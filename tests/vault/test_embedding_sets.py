"""The owner changes the embedding model on the models page, and goes back."""

import pytest
from django.test import Client

from apps.library import reembedding
from apps.library.models import EmbeddingSet
from tests.library.papers import add, essay, finish

pytestmark = pytest.mark.django_db(transaction=True)
HTMX = {"HX-Request": "true"}


@pytest.fixture
def library(workspace, ollama):
    ollama.has("bge-small", "embedding", dimensions=128)
    finish(add(workspace, essay(3)))
    return workspace


@pytest.mark.parametrize("headers", [{}, HTMX], ids=["plain", "htmx"])
def test_the_owner_changes_and_goes_back_and_discards(reader: Client, library, headers):
    assert "Learn with another" in reader.get("/models/").text
    page = reader.post(
        "/models/meaning/choose/", {"name": "bge-small"}, headers=headers, follow=True
    ).text
    assert "learning, 0" in page and "Search goes on with the old vectors" in page
    assert 'hx-trigger="every 2s"' in page
    assert reembedding.go_on(seconds=60) == "switched"
    page = reader.get("/models/").text
    assert "kept, to go back to" in page and 'hx-trigger="every 2s"' not in page
    choice = {"name": "embeddinggemma"}
    page = reader.post("/models/meaning/choose/", choice, headers=headers, follow=True).text
    assert "Search uses embeddinggemma now." in page
    choice = {"name": "bge-small"}
    page = reader.post("/models/meaning/discard/", choice, headers=headers, follow=True).text
    assert "being deleted" in page
    reembedding.go_on()
    assert [each.model for each in EmbeddingSet.objects.all()] == ["embeddinggemma"]


def test_the_one_in_use_stays_whatever_is_asked(reader: Client, library):
    reader.post("/models/meaning/discard/", {"name": "embeddinggemma"})
    reader.post("/models/meaning/choose/", {"name": "embeddinggemma"})
    assert EmbeddingSet.objects.get().state == "active"


def test_a_model_that_cannot_do_it_is_told(reader: Client, library):
    page = reader.post("/models/meaning/choose/", {"name": "fake"}, follow=True).text
    assert "cannot do this (embeddings)" in page
    assert EmbeddingSet.objects.count() == 1


def test_a_member_sees_how_far_it_is_and_no_button(client: Client, bob, library):
    reembedding.begin("bge-small")
    client.force_login(bob)
    page = client.get("/models/").text
    assert "learning, 0" in page and "Learn with another" not in page
    assert client.post("/models/meaning/choose/", {"name": "bge-small"}).status_code == 404
