"""The wire format of server-sent events."""

import pytest
from django.test import RequestFactory

from apps.web import sse


def test_a_line_break_becomes_a_second_data_line():
    assert sse.message("<p>a\nb</p>\n", 7) == "id: 7\ndata: <p>a\ndata: b</p>\n\n"


@pytest.mark.parametrize(
    ("query", "header", "number"),
    [
        ("", "", 0),
        ("5", "", 5),
        ("5", "9", 9),
        ("x", "²", 0),
        ("-1", "", 0),
        ("9" * 30, "", 999999999),
    ],
)
def test_the_header_knows_better_than_the_query(query, header, number):
    request = RequestFactory().get("/", {"after": query}, headers={"Last-Event-ID": header})
    assert sse.resume_point(request) == number


def test_a_stream_is_neither_kept_nor_buffered():
    response = sse.stream([sse.BEAT])
    assert response["Cache-Control"] == "no-cache" and response["X-Accel-Buffering"] == "no"
