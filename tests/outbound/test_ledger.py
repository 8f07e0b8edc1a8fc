"""The ledger: what processes have noted comes into the database once, whatever happens between."""

import threading
from pathlib import Path

import pytest
from django.db import connection

from apps.outbound import configured, ledger, noting, tasks
from apps.outbound.models import Attempt, Watch


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "logs" / "outbound.jsonl"


def noted(file: Path, host: str, purpose: str = "", allowed: bool = False) -> None:
    noting.note(file, "worker", "connect", host, 443, purpose, allowed)


@pytest.mark.django_db
def test_each_line_becomes_a_row_once(file: Path) -> None:
    assert ledger.take_in(file) == 0
    noted(file, "192.0.2.1")
    noted(file, "192.0.2.2", "pull a model", allowed=True)
    noted(file, "192.0.2.3", configured.MODELS, allowed=True)
    assert ledger.take_in(file) == 3
    assert ledger.take_in(file) == 0
    noted(file, "192.0.2.4")
    assert ledger.take_in(file) == 1
    assert list(Attempt.objects.values_list("host", flat=True)) == [
        *("192.0.2.4", "192.0.2.3", "192.0.2.2", "192.0.2.1"),
    ]
    ever = ledger.since_ever()
    assert (ever.left, ever.refused) == (1, 2)
    start = ledger.since_start()
    assert (start.left, start.refused) == (1, 2)
    row = Attempt.objects.get(host="192.0.2.2")
    assert (row.process, row.port, row.purpose, row.allowed) == (
        "worker",
        443,
        "pull a model",
        True,
    )


@pytest.mark.django_db
def test_a_fetch_as_a_whole_is_kept_with_its_bytes_and_not_counted_again(file: Path) -> None:
    noted(file, "192.0.2.2", "test", allowed=True)
    noting.note(file, "web", noting.FETCH, "news.test", 443, "test", True, size=1234)
    noting.note(file, "web", noting.FETCH, "near.test", 443, "test", False, size=0)
    assert ledger.take_in(file) == 3
    assert list(Attempt.objects.values_list("size", flat=True)) == [0, 1234, None]
    assert (ledger.since_ever().left, ledger.since_ever().refused) == (1, 1)
    assert Attempt.objects.left().count() == 1


@pytest.mark.django_db
def test_a_file_that_is_put_aside_is_read_to_its_end(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(noting, "LARGEST", 1500)
    for n in range(40):
        noted(file, f"192.0.2.{n}")
        if n % 3 == 0:
            ledger.take_in(file)
    ledger.take_in(file)
    assert noting.old_file(file).exists()
    hosts = list(Attempt.objects.order_by("pk").values_list("host", flat=True))
    assert hosts == [f"192.0.2.{n}" for n in range(40)]


@pytest.mark.django_db
def test_a_file_that_was_deleted_begins_anew_and_nothing_is_lost_or_doubled(file: Path) -> None:
    noted(file, "192.0.2.1")
    ledger.take_in(file)
    file.unlink()
    assert ledger.take_in(file) == 0
    noted(file, "192.0.2.2")
    assert ledger.take_in(file) == 1
    assert ledger.since_ever().refused == 2


@pytest.mark.django_db
def test_broken_lines_are_passed_over_and_growing_ones_waited_for(file: Path) -> None:
    noted(file, "192.0.2.1")
    with file.open("ab") as out:
        out.write(b'not json\n[]\n{"at": 1}\n\xff\xfe\n{"at": 1e99, "process": "x"}\n')
        out.write(b'{"at": 1700000000, "process": "web", "pid": 7, "how": "connect", "host": ')
    assert ledger.take_in(file) == 1
    with file.open("ab") as out:
        out.write(b'"\\ud800x\\u0000", "port": -1, "purpose": "", "allowed": 1}\n')
    assert ledger.take_in(file) == 1
    row = Attempt.objects.first()
    assert row and row.host == "\\ud800x" and row.allowed is False and row.port == 65535


@pytest.mark.django_db
def test_a_persons_words_are_kept_as_they_said_them_and_hosts_are_spelled_out(file: Path) -> None:
    noted(file, "xn--\u0430pple.test", "web question: “Wie heißt 日本?”\ud800")
    assert ledger.take_in(file) == 1
    row = Attempt.objects.get()
    assert row.purpose == "web question: “Wie heißt 日本?”\\ud800"
    assert row.host == "xn--\\u0430pple.test"  # no Latin letter


@pytest.mark.django_db
def test_only_the_newest_are_kept_and_all_are_counted(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ledger, "KEPT", 5)
    for n in range(12):
        noted(file, f"192.0.2.{n}")
    ledger.take_in(file)
    assert Attempt.objects.count() == 5
    assert ledger.since_ever().refused == 12


@pytest.mark.django_db(transaction=True)
def test_of_many_who_read_at_once_each_line_goes_to_one(file: Path) -> None:
    for n in range(30):
        noted(file, f"192.0.2.{n}")

    def read() -> None:
        ledger.take_in(file)
        connection.close()

    threads = [threading.Thread(target=read) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert Attempt.objects.count() == 30
    assert Watch.objects.get().refused == 30


@pytest.mark.django_db
def test_the_worker_reads_it_each_minute() -> None:
    from django_q.models import Schedule

    row = Schedule.objects.get(func="apps.outbound.tasks.take_in")
    assert row.schedule_type == "I" and row.minutes == 1
    assert tasks.take_in() >= 0
    assert tasks.try_out("test of the task") is True
