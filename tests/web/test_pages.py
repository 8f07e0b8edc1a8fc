"""The frame of all pages, and what readers are told when something goes wrong."""

import pytest
from django.contrib.auth.models import User
from django.core.exceptions import RequestDataTooBig
from django.db import OperationalError
from django.http import HttpRequest, HttpResponse, HttpResponseNotAllowed
from django.test import Client, RequestFactory
from django.urls import path

from apps.web import views

HTMX = {"HX-Request": "true", "HX-Current-URL": "http://testserver/library/?page=2"}


def database_gone(request: HttpRequest) -> HttpResponse:
    raise OperationalError("the connection is closed")


def surprise(request: HttpRequest) -> HttpResponse:
    raise ZeroDivisionError


def only_a_form(request: HttpRequest) -> HttpResponse:
    return HttpResponseNotAllowed(["POST"])


def flood(request: HttpRequest) -> HttpResponse:
    raise RequestDataTooBig


urlpatterns = [path("gone/", database_gone), path("surprise/", surprise), path("flood/", flood)]
urlpatterns += [path("form/", only_a_form)]
handler400, handler500 = "apps.web.views.bad_request", "apps.web.views.broken"
handler404 = "apps.web.views.not_found"


@pytest.mark.parametrize(
    ("address", "status", "words"),
    [
        ("/gone/", 503, "The database does not answer"),
        ("/surprise/", 500, "Something went wrong on our side"),
        ("/flood/", 413, "That is too much at once"),
        ("/form/", 405, "This address only takes a form"),
        ("/nowhere/", 404, "There is nothing here"),
    ],
)
@pytest.mark.urls(__name__)
@pytest.mark.django_db
def test_trouble_is_told_in_words(address: str, status: int, words: str) -> None:
    client = Client(raise_request_exception=False)
    page = client.get(address)
    assert page.status_code == status and words in page.text and "<h1>" in page.text
    part = client.get(address, headers=HTMX)
    assert part["HX-Retarget"] == "#messages" and words in part.text and "<h1>" not in part.text


def test_a_page_of_trouble_leads_to_the_rooms_unless_the_database_is_gone() -> None:
    pages = {status: views.trouble(RequestFactory().get("/"), status).text for status in (404, 503)}
    assert 'href="/library/"' in pages[404] and 'href="/library/"' not in pages[503]


def test_a_form_without_its_token_is_told_so(alice: User) -> None:
    client = Client(enforce_csrf_checks=True)
    client.force_login(alice)
    page = client.post("/account/", {"username": "eve"})
    assert page.status_code == 403 and "This form had grown old" in page.text


def test_every_trouble_has_words() -> None:
    for status in (400, 403, 404, 413, 500, 503):
        page = views.trouble(RequestFactory().get("/"), status)
        assert page.status_code == status


@pytest.mark.django_db
def test_a_part_asked_for_after_signing_out_leads_to_the_login_page(
    client: Client, alice: User
) -> None:
    answer = client.get("/study/", headers=HTMX)
    assert answer["HX-Redirect"] == "/login/?next=%2Flibrary%2F%3Fpage%3D2"


def test_the_theme_is_kept_in_the_browser(reader: Client) -> None:
    assert "data-theme" not in reader.get("/study/").text.split("<head>")[0]
    back = {"Referer": "http://testserver/study/"}
    assert reader.post("/theme/", {"theme": "dark"}, headers=back).url == back["Referer"]
    assert '<html lang="en" data-theme="dark">' in reader.get("/study/").text
    reader.post("/theme/", {"theme": "<script>"})
    assert reader.cookies["theme"].value == "dark"


def test_home_leads_where_one_was_and_from_there_to_the_sections_start(reader: Client) -> None:
    reader.get("/study/quizzes/")
    assert reader.get("/").url == "/study/quizzes/"  # type: ignore[attr-defined]
    here = {"Referer": "http://testserver/study/quizzes/"}
    assert reader.get("/", headers=here).url == "/study/"  # type: ignore[attr-defined]
    reader.get("/health/")  # belongs to no section
    reader.get("/library/", headers={"HX-Request": "true"})  # a part, no page
    assert reader.get("/").url == "/study/quizzes/"  # type: ignore[attr-defined]


@pytest.mark.parametrize("place", ["/nowhere/", "//evil.example/", "/logout/", "chat", ""])
def test_home_goes_nowhere_strange(reader: Client, place: str) -> None:
    reader.cookies["place"] = place
    assert reader.get("/").url == "/library/"  # type: ignore[attr-defined]


def test_what_is_gone_is_no_place_to_return_to(reader: Client) -> None:
    reader.cookies["place"] = "/library/documents/999999/"
    assert reader.get("/library/documents/999999/").status_code == 404
    assert reader.get("/").url == "/library/"  # type: ignore[attr-defined]


def test_the_last_section_is_where_home_leads(reader: Client) -> None:
    reader.get("/progress/")
    assert reader.get("/").url == "/progress/"
    reader.get("/account/")
    assert reader.get("/").url == "/progress/"


def test_the_styleguide_is_for_staff(reader: Client, bob: User) -> None:
    assert reader.get("/styleguide/").status_code == 200
    stranger = Client()
    stranger.force_login(bob)
    assert stranger.get("/styleguide/").status_code == 404
