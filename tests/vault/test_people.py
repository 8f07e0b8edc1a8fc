"""Owners let people in and show them out; a person sees and ends their own browsers."""

from pathlib import Path

import pytest
from django.contrib.auth.models import User
from django.core.files.base import ContentFile
from django.test import Client

from apps.library.models import Document, Workspace
from apps.vault import people
from apps.web import browsers
from apps.web.models import Session
from tests.chat.conftest import add_document

PASSWORD = "battery horse correct"
BOTH = {"new_password1": PASSWORD, "new_password2": PASSWORD}
FIREFOX = "Mozilla/5.0 (X11; Linux x86_64; rv:146.0) Gecko/20100101 Firefox/146.0"


def new_link(page: str) -> str:
    """The address in the field that an owner hands on."""
    return page.partition('value="http://testserver')[2].partition('"')[0]


def test_somebody_new_comes_in_by_a_link_that_works_once(reader: Client) -> None:
    page = reader.post("/account/people/", {"username": "carol", "role": "member"}, follow=True)
    link = new_link(page.text)
    assert link.startswith("/welcome/") and "has no password yet" in page.text
    assert new_link(reader.get("/account/people/").text) == ""  # not shown again

    carol = Client()
    assert "Welcome, carol" in carol.get(link).text
    weak = carol.post(link, {"new_password1": "12345678", "new_password2": "12345678"})
    assert weak.status_code == 422 and "too common" in weak.text
    assert carol.post(link, BOTH).status_code == 302
    assert carol.get("/library/").status_code == 200
    assert Client().get(link).status_code == 404
    used = Client().post(link, {"new_password1": "another one 12", "new_password2": "x"})
    assert used.status_code == 404 and "This link opens nothing" in used.text
    person = User.objects.get(username="carol")
    assert person.check_password(PASSWORD) and not person.is_superuser and not person.is_staff


@pytest.mark.parametrize("name", ["alice", "", "with space", "x" * 200])
def test_a_name_that_does_not_do_is_told_at_its_field(reader: Client, name: str) -> None:
    page = reader.post("/account/people/", {"username": name, "role": "member"})
    assert page.status_code == 422 and 'aria-invalid="true"' in page.text
    assert User.objects.count() == 1


def test_a_name_is_refused_in_the_words_of_its_field(reader: Client) -> None:
    page = reader.post("/account/people/", {"username": "two words", "role": "member"}).text
    assert "letters, digits" in page and "valid username" not in page


def test_a_forgotten_password_gets_a_link_and_ends_who_had_the_old_one(
    reader: Client, client: Client, bob: User
) -> None:
    theirs = Client()
    theirs.force_login(bob)
    link = new_link(reader.post(f"/account/people/{bob.pk}/link/", follow=True).text)
    assert theirs.get("/library/").status_code == 200  # until it is used, nothing changes
    assert Client().post(link, BOTH).status_code == 302
    assert theirs.get("/library/").status_code == 302


@pytest.mark.parametrize("change", ["cut", "other", "none", "late"])
def test_a_link_that_was_tampered_with_opens_nothing(
    bob: User, alice: User, change: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    number, token = people.link_parts(bob)
    if change == "late":
        monkeypatch.setattr("django.conf.settings.PASSWORD_RESET_TIMEOUT", -1)
    wrong = {
        "cut": (number, token[:-1]),
        "other": (people.link_parts(alice)[0], token),
        "none": ("w" * 400, "x"),
        "late": (number, token),
    }
    assert people.of_link(*wrong[change]) is None


def test_roles_change_and_the_last_owner_stays(reader: Client, alice: User, bob: User) -> None:
    last = reader.post(f"/account/people/{alice.pk}/role/", {"role": "member"}, follow=True)
    assert "only owner of this vault" in last.text
    for act in ("active", "delete"):
        reader.post(f"/account/people/{alice.pk}/{act}/", {"active": "no"})
    alice.refresh_from_db()
    assert alice.is_superuser and alice.is_active

    reader.post(f"/account/people/{bob.pk}/role/", {"role": "owner"})
    bob.refresh_from_db()
    assert bob.is_superuser and bob.is_staff
    stepped_down = reader.post(f"/account/people/{alice.pk}/role/", {"role": "member"})
    assert stepped_down.url == "/account/"
    assert reader.get("/account/people/").status_code == 404


def test_who_is_kept_out_is_out_at_once_and_keeps_what_is_theirs(reader: Client, bob: User) -> None:
    theirs = Client()
    theirs.force_login(bob)
    link = people.link_parts(bob)
    reader.post(f"/account/people/{bob.pk}/active/", {"active": "no"})
    assert theirs.get("/library/").status_code == 302
    form = {"username": "bob", "password": "correct horse battery"}
    assert Client().post("/login/", form).status_code == 422
    assert people.of_link(*link) is None
    assert bob.workspaces.count() == 1
    reader.post(f"/account/people/{bob.pk}/active/", {"active": "yes"})
    assert Client().post("/login/", form).status_code == 302


def test_deleting_somebody_takes_all_that_is_theirs(
    reader: Client, bob: User, workspace: Workspace, django_capture_on_commit_callbacks
) -> None:
    kept = add_document(workspace, "Mine.md", "p. 1", "The sea is deep.").document
    theirs = add_document(bob.workspaces.get(), "Theirs.md", "p. 1", "The hill is high.").document
    theirs.file.save("Theirs.md", ContentFile(b"The hill is high."))
    file = Path(theirs.file.path)
    assert file.exists()
    asked = reader.get(f"/account/people/{bob.pk}/delete/")
    assert "1 document" in asked.text and User.objects.count() == 2
    with django_capture_on_commit_callbacks(execute=True):
        done = reader.post(f"/account/people/{bob.pk}/delete/", follow=True)
    assert "bob and all that was theirs is deleted" in done.text
    assert not User.objects.filter(username="bob").exists()
    assert list(Document.objects.all()) == [kept]
    assert not file.exists()


def test_a_person_sees_their_browsers_and_ends_one(reader: Client, alice: User, bob: User) -> None:
    other, stranger = Client(headers={"user-agent": FIREFOX}), Client()
    other.force_login(alice)
    stranger.force_login(bob)
    for each in (other, stranger, reader):
        each.get("/account/")
    page = reader.get("/account/browsers/").text
    assert "Firefox on Linux" in page and "this one" in page and "from 127.0.0.1" in page
    assert page.count("Sign out</button>") == 2  # the other browser's, and the rail's
    key = other.session.session_key
    assert key not in page and stranger.session.session_key not in page
    handle = browsers._handle(key)
    assert stranger.post(f"/account/browsers/{handle}/end/").status_code == 404
    assert other.get("/account/").status_code == 200
    assert reader.post(f"/account/browsers/{handle}/end/").status_code == 302
    assert other.get("/account/").status_code == 302
    assert reader.get("/account/").status_code == 200


def test_all_others_or_all(reader: Client, alice: User) -> None:
    other = Client()
    other.force_login(alice)
    assert "signed out: 1" in reader.post("/account/browsers/end/", follow=True).text
    assert other.get("/account/").status_code == 302
    other.force_login(alice)
    left = reader.post("/account/browsers/end/", {"everywhere": "yes"}, follow=True)
    assert "signed out everywhere" in left.text
    assert other.get("/account/").status_code == 302 == reader.get("/account/").status_code
    assert not Session.objects.exists()


def test_signing_in_for_ever_keeps_a_bounded_number_of_sessions(
    alice: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(browsers, "MOST", 3)
    form = {"username": "alice", "password": "correct horse battery"}
    clients = [Client() for _ in range(5)]
    for client in clients:
        assert client.post("/login/", form).status_code == 302
    assert Session.objects.owned_by(alice).count() == 3
    assert clients[0].get("/account/").status_code == 302
    assert clients[-1].get("/account/").status_code == 200


def test_a_visit_is_noted_every_few_minutes_whatever_the_clock_does(
    reader: Client, monkeypatch: pytest.MonkeyPatch, django_assert_num_queries
) -> None:
    reader.get("/account/")
    first = reader.session["seen"]
    reader.get("/account/")
    assert reader.session["seen"] == first
    for now in (first + 301, first - 86_400 * 365):
        monkeypatch.setattr(browsers.time, "time", lambda now=now: now)
        assert reader.get("/account/").status_code == 200
        assert reader.session["seen"] == now


@pytest.mark.parametrize(
    ("agent", "name"),
    [
        (FIREFOX, "Firefox on Linux"),
        ("Mozilla/5.0 (iPhone; CPU like Mac OS X) CriOS/140 Safari/604", "Chrome on iPhone"),
        ("Mozilla/5.0 (Windows NT 10.0) Chrome/140.0 Safari/537.36 Edg/140.0", "Edge on Windows"),
        ("Mozilla/5.0 (Macintosh; Intel Mac OS X 15_0) Version/19 Safari/605", "Safari on macOS"),
        ("<script>alert(1)</script>", "Another program"),
        ("", "Another program"),
    ],
)
def test_browsers_are_called_as_people_call_them(agent: str, name: str) -> None:
    assert browsers.called(agent) == name
