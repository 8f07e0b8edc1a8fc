"""The people of the tests, and what they own."""

import pytest
from django.contrib.auth.models import User
from django.test import Client

from apps.library.models import Workspace


@pytest.fixture
def alice(db) -> User:
    """The owner of the vault, with one workspace."""
    person = User.objects.create_superuser("alice", password="correct horse battery")
    Workspace.objects.create(owner=person, name="Home")
    return person


@pytest.fixture
def bob(db) -> User:
    """Another person of the same vault, who must never see what is Alice's."""
    person = User.objects.create_user("bob", password="correct horse battery")
    Workspace.objects.create(owner=person, name="Home")
    return person


@pytest.fixture
def workspace(alice: User) -> Workspace:
    return alice.workspaces.get()


@pytest.fixture
def reader(alice: User, client: Client) -> Client:
    """A browser without JavaScript in which Alice is signed in."""
    client.force_login(alice)
    return client
