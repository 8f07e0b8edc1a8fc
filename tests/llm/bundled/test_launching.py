"""Finding the bundled server that runs."""

import socket
from contextlib import closing

import pytest
from pytest_django import Settings

from apps.llm.bundled import launching


@pytest.fixture
def noted(settings: Settings, tmp_path):
    """Writes an address where the running server would."""
    settings.RUN_DIR = tmp_path
    return lambda port: launching.url_file().write_text(f"http://127.0.0.1:{port}\n")


def test_a_server_that_is_too_busy_to_answer_runs_all_the_same(noted):
    with closing(socket.create_server(("127.0.0.1", 0))) as busy:  # takes the call, says nothing
        port = busy.getsockname()[1]
        noted(port)
        assert launching.running() == f"http://127.0.0.1:{port}"
        assert not launching.answers(f"http://127.0.0.1:{port}", 0.05)
    assert not launching.running()  # nobody takes the call


def test_where_no_address_is_noted_none_runs(noted):
    assert not launching.running()
