"""The people of the tests, and what they own."""

from collections.abc import Iterator

import hypothesis
import pytest
from django.conf import settings as django_settings
from django.contrib.auth.models import User
from django.test import Client
from django.utils import translation
from pytest_django import Settings

from apps.library import children
from apps.library.models import Workspace
from apps.llm import client as llm_client
from apps.outbound import fetch
from tests import emptying
from tests.fake_ollama import FakeOllama
from tests.fake_web import FakeWeb


def pytest_configure() -> None:
    """People are made hundreds of times: their passwords are hashed in no time here.

    Only in this process; the vaults that tests start hash as real ones do. How long an example
    takes says more of the machine than of the code.
    """
    slow = [hypothesis.HealthCheck.too_slow]
    hypothesis.settings.register_profile("house", deadline=None, suppress_health_check=slow)
    hypothesis.settings.load_profile("house")
    django_settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
    emptying.install()


@pytest.fixture(autouse=True)
def _no_reader_waits() -> Iterator[None]:
    """Each test starts the processes that read for it by itself."""
    yield
    children.rest()


@pytest.fixture(autouse=True)
def _english() -> Iterator[None]:
    """Each test begins in English: a request leaves its thread in the language it spoke."""
    translation.activate("en")
    yield


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


@pytest.fixture
def ollama(settings: Settings) -> Iterator[FakeOllama]:
    """The model server of the house for this test; it must be asked for all it was told to say."""
    server = FakeOllama()
    settings.OLLAMA_HOST = server.url
    settings.CHAT_MODEL = settings.EMBED_MODEL = ""
    llm_client.forget()
    yield server
    server.shutdown()
    server.server_close()
    llm_client.forget()
    assert not server.scripts, "the model was never asked for everything the test scripted"


@pytest.fixture
def web(monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeWeb]:
    """A web of one server; `.test` names lead to it, and fetching reaches nobody else near us."""
    server = FakeWeb()
    monkeypatch.setattr(fetch, "DOOR", server.door())
    yield server
    server.shutdown()
    server.server_close()
