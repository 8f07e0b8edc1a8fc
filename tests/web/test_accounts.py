"""Who comes in, and how the first one does."""

import re
import threading

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client

from apps.vault import owner

PASSWORD = "correct horse battery"
FIRST = {"username": "ada", "password1": PASSWORD, "password2": PASSWORD}


@pytest.mark.django_db
def test_an_empty_vault_asks_for_its_owner_first(client: Client) -> None:
    page = client.get("/study/", follow=True)
    assert page.redirect_chain[-1][0] == "/setup/"
    assert "At least 8 characters" in page.text  # the rules stand there before anybody types


@pytest.mark.django_db
def test_the_first_visitor_owns_the_vault_and_the_door_closes(client: Client) -> None:
    assert client.post("/setup/", FIRST).status_code == 302
    person = User.objects.get()
    assert person.is_superuser and client.session["_auth_user_id"] == str(person.pk)
    assert client.get("/setup/").status_code == 404
    assert client.post("/setup/", {**FIRST, "username": "eve"}).status_code == 404
    assert Client().get("/study/", follow=True).redirect_chain[-1][0].startswith("/login/")


@pytest.mark.django_db
def test_a_weak_password_is_refused_with_its_reason(client: Client) -> None:
    page = client.post("/setup/", {**FIRST, "password1": "12345678", "password2": "12345678"})
    assert page.status_code == 422 and "too common" in page.text
    (focused,) = re.findall(r"<input[^>]* autofocus[^>]*>", page.text)
    assert 'name="password1"' in focused, "both are typed again"
    assert not User.objects.exists()


@pytest.mark.django_db(transaction=True)
def test_two_at_the_same_moment_make_one_owner() -> None:
    together, told = threading.Barrier(2), []

    def arrive(name: str) -> None:
        together.wait()
        try:
            told.append(owner.create(name, PASSWORD).username)
        except owner.AlreadyOwned as reason:
            told.append(str(reason))
        finally:
            connection.close()

    threads = [threading.Thread(target=arrive, args=[name]) for name in ("ada", "eve")]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert User.objects.count() == 1
    assert sum("has an owner already" in each for each in told) == 1


def test_login_and_logout(client: Client, alice: User) -> None:
    wrong = client.post("/login/", {"username": "alice", "password": "no"})
    assert wrong.status_code == 422 and "do not belong together" in wrong.text
    form = {"username": "alice", "password": PASSWORD, "next": "/study/"}
    assert client.post("/login/", form).url == "/study/"
    assert client.get("/logout/").status_code == 405
    assert client.post("/logout/", follow=True).status_code == 200
    assert client.get("/study/").status_code == 302


def test_login_leads_nowhere_else(client: Client, alice: User) -> None:
    form = {"username": "alice", "password": PASSWORD, "next": "https://example.com/"}
    assert client.post("/login/", form).url == "/"


def test_a_new_password_keeps_this_browser_signed_in(reader: Client, alice: User) -> None:
    other = Client()
    other.force_login(alice)
    new = "battery horse correct"
    form = {"old_password": PASSWORD, "new_password1": new, "new_password2": new}
    page = reader.post("/account/password/", form, follow=True)
    assert "Your password is changed" in page.text
    assert other.get("/account/").status_code == 302
    alice.refresh_from_db()
    assert alice.check_password(new)


def test_a_wrong_name_is_not_shown_as_the_persons(reader: Client, alice: User, bob: User) -> None:
    page = reader.post("/account/", {"username": "bob"})
    assert page.status_code == 422 and "Somebody has this name already" in page.text
    assert page.context["user"].username == "alice"
    assert reader.post("/account/", {"username": "alicia"}).status_code == 302
    alice.refresh_from_db()
    assert alice.username == "alicia"
