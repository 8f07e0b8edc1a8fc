"""Whoever guesses passwords is slowed down, and nobody else."""

import threading
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.management import call_command
from django.db import connection
from django.test import Client

from apps.web import throttle
from apps.web.models import Tries

RIGHT = {"username": "bob", "password": "correct horse battery"}
WRONG = {"username": "bob", "password": "guess"}
FREE = throttle.FREE[Tries.Kind.NAME]
BACK = "UPDATE web_tries SET last = last - make_interval(secs => %s)"


def later(seconds: float) -> None:
    """Let the database believe that so much time has gone by; less than nothing sets it back."""
    with connection.cursor() as cursor:
        cursor.execute(BACK, [seconds])


def try_in(client: Client, form: dict[str, str], address: str = "192.0.2.1") -> Any:
    return client.post("/login/", form, REMOTE_ADDR=address)


def test_after_a_few_tries_even_the_right_password_waits(client: Client, bob: User) -> None:
    for _ in range(FREE):
        assert try_in(client, WRONG).status_code == 422
    page = try_in(client, RIGHT)
    assert page.status_code == 429 and 25 < int(page.headers["Retry-After"]) <= 30
    assert "Too many wrong passwords. Wait 30 seconds" in page.text
    assert try_in(client, RIGHT, "198.51.100.7").status_code == 429  # the name, from anywhere
    later(31)
    assert try_in(client, RIGHT).status_code == 302
    assert try_in(Client(), WRONG).status_code == 422  # a right password has cleared the name


def test_each_further_try_waits_twice_as_long_up_to_a_quarter_of_an_hour(bob: User) -> None:
    for _ in range(FREE):
        throttle.count("bob", "")
    waits = []
    for _ in range(8):
        with pytest.raises(throttle.Wait) as wait:
            throttle.count("bob", "")
        waits.append(wait.value.seconds)
        later(wait.value.seconds)
        throttle.count("bob", "")
    assert waits == [30, 60, 120, 240, 480, 900, 900, 900]


def test_an_hour_without_a_try_is_a_new_beginning(bob: User) -> None:
    for _ in range(FREE):
        throttle.count("bob", "")
    later(throttle.FORGET + 1)
    for _ in range(FREE):
        throttle.count("bob", "")


def test_a_try_that_comes_too_early_does_not_make_the_wait_longer(db: None) -> None:
    for _ in range(FREE):
        throttle.count("bob", "")
    for _ in range(50):
        with pytest.raises(throttle.Wait):
            throttle.count("bob", "")
    assert {each.count for each in Tries.objects.all()} == {FREE}  # nor that of the address
    assert throttle.wait_of("bob") <= 30


def test_a_clock_that_was_set_back_locks_nobody_out(client: Client, bob: User) -> None:
    for _ in range(FREE):
        try_in(client, WRONG)
    later(-365 * 86_400)
    assert try_in(client, WRONG).status_code == 422  # one is let through, and counted
    assert try_in(client, RIGHT).status_code == 429
    later(60)
    assert try_in(client, RIGHT).status_code == 302


def test_names_that_nobody_has_wait_as_well(client: Client, bob: User) -> None:
    nobody = {"username": "nobody", "password": "guess"}
    answers = [try_in(client, nobody, f"192.0.2.{number}") for number in range(FREE + 1)]
    assert [answer.status_code for answer in answers] == [422] * FREE + [429]
    assert not Tries.objects.filter(key__contains="nobody").exists()


def test_case_is_no_way_around(client: Client, bob: User) -> None:
    for name in ("bob", "BOB", "Bob", "bOb", "boB"):
        try_in(client, WRONG | {"username": name})
    assert try_in(client, RIGHT).status_code == 429


def test_an_account_does_not_pay_for_guessing_at_others(client: Client, bob: User) -> None:
    """Signing in between two guesses does not give the address its tries back."""
    answers = []
    for number in range(throttle.FREE[Tries.Kind.ADDRESS] + 1):
        answers.append(try_in(Client(), WRONG | {"username": f"name{number}"}).status_code)
        try_in(Client(), RIGHT)
    assert answers[0] == 422 and answers[-1] == 429


def test_who_is_signed_in_stays_so(reader: Client, client: Client) -> None:
    for _ in range(FREE + 1):
        try_in(Client(), {"username": "alice", "password": "guess"})
    assert reader.get("/account/").status_code == 200


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("192.0.2.1", "192.0.2.2", False),
        ("192.0.2.1", "::ffff:192.0.2.1", True),
        ("2001:db8::1", "2001:db8::ffff:1", True),
        ("2001:db8::1", "2001:db8:0:1::1", False),
        ("", "nonsense", True),
    ],
)
def test_an_address_is_what_one_household_has(one: str, other: str, same: bool) -> None:
    assert (throttle._place(one) == throttle._place(other)) == same


def test_ten_thousand_logins_leave_a_handful_of_rows(
    client: Client, bob: User, django_assert_num_queries: Any
) -> None:
    for number in range(10_000):
        try:
            throttle.count(f"name{number}", "192.0.2.1")
        except throttle.Wait:
            continue
    assert Tries.objects.count() <= throttle.FREE[Tries.Kind.ADDRESS] + 5  # it takes some time
    with django_assert_num_queries(2):  # is there an owner; how long to wait
        assert try_in(client, RIGHT).status_code == 429


def test_what_an_hour_has_passed_over_is_swept(db: None) -> None:
    for number in range(15):
        throttle.count(f"name{number}", f"192.0.2.{number}")
    later(throttle.FORGET + 1)
    throttle.count("another", "198.51.100.7")
    assert Tries.objects.count() == 2


@pytest.mark.django_db(transaction=True)
def test_a_hundred_at_the_same_moment_get_the_same_few_tries() -> None:
    together, through = threading.Barrier(20), []

    def guess(number: int) -> None:
        together.wait()
        try:
            throttle.count("bob", f"192.0.2.{number}")
            through.append(number)
        except throttle.Wait:
            pass
        finally:
            connection.close()

    threads = [threading.Thread(target=guess, args=[number]) for number in range(20)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(through) == FREE


def test_an_owner_unlocks_names_and_addresses(reader: Client, bob: User) -> None:
    for _ in range(FREE):
        throttle.count("bob", "192.0.2.1")
    for number in range(throttle.FREE[Tries.Kind.ADDRESS]):
        throttle.count(f"name{number}", "198.51.100.7")
    page = reader.get("/account/people/").text
    assert "locked for" in page and "198.51.100.7" in page
    reader.post("/account/people/unlock/", {"name": "bob"})
    reader.post("/account/people/unlock/", {"address": "198.51.100.7"})
    reader.get("/account/")  # shows what was said of the unlocking
    page = reader.get("/account/people/").text
    assert "locked for" not in page and "198.51.100.7" not in page


def test_a_command_unlocks_who_has_locked_themselves_out(client: Client, alice: User) -> None:
    for _ in range(FREE):
        throttle.count("alice", "192.0.2.1")
    call_command("unlock_login", username="alice")
    right = {"username": "alice", "password": "correct horse battery"}
    assert try_in(client, right).status_code == 302
