"""What the commands of a terminal print, and what of it is for the log."""

import io
import json
import logging
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.contrib.auth.models import User
from django.core.management import call_command
from pytest_django import Settings

from apps.library.models import Batch, Workspace
from apps.vault.terminal import logged_apart


@pytest.fixture
def shown(
    settings: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[io.StringIO]:
    """What the log writes to the terminal, whatever other tests have left of it."""
    settings.LOG_DIR = tmp_path / "logs"
    handler = next(one for one in logging.getLogger().handlers if one.name == "stderr")
    stream, level = io.StringIO(), handler.level
    monkeypatch.setattr(handler, "stream", stream)  # `setStream` flushes one that may be closed
    yield stream
    assert handler.level == level, "as it was"


@pytest.mark.django_db(transaction=True)
def test_a_bell_of_the_queue_is_for_the_log(
    shown: io.StringIO, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    owner = User.objects.create_user("alice", password="correct horse battery")
    Workspace.objects.create(owner=owner, name="Home")
    papers = tmp_path / "papers"
    papers.mkdir()
    (papers / "a.txt").write_text("The heron stood at the weir.")
    call_command("ingest", str(papers), "--json")
    printed = capsys.readouterr()
    assert shown.getvalue() == printed.err == ""
    assert json.loads(printed.out)["receipt"] == Batch.objects.get().pk
    assert "Enqueued" in (tmp_path / "logs" / "terminal.log").read_text()
    (papers / "b.txt").write_text("The crane did not.")
    call_command("ingest", str(papers))
    printed = capsys.readouterr()
    assert shown.getvalue() == "" and "queued" in printed.out and "Receipt:" in printed.err
    call_command("ingest", str(papers), "--json")
    assert json.loads(capsys.readouterr().out)["receipt"] is None


def test_warnings_reach_a_person_but_no_program(shown: io.StringIO, settings: Settings) -> None:
    with logged_apart(logging.WARNING):
        logging.getLogger("any").info("calm")
        logging.getLogger("any").warning("a warning")
    with logged_apart(logging.CRITICAL + 1):
        logging.getLogger("any").error("an error")
    assert "a warning" in shown.getvalue() and shown.getvalue().count("\n") == 1
    kept = (settings.LOG_DIR / "terminal.log").read_text()
    assert all(words in kept for words in ("calm", "a warning", "an error"))
    settings.LOG_DIR = settings.LOG_DIR / "terminal.log" / "no folder"
    with logged_apart(logging.WARNING):
        logging.getLogger("any").error("still told")
    assert "still told" in shown.getvalue()
