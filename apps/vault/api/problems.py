"""Every error below /api/ is a problem document (RFC 9457): what, which, and what to do next."""

from collections.abc import Callable, Mapping, Sequence
from http import HTTPStatus
from typing import Any

from django.core.exceptions import RequestDataTooBig, SuspiciousOperation
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.http.response import HttpResponseBase
from ninja import NinjaAPI
from ninja.errors import HttpError, ValidationError

from apps.llm.client import ModelError
from apps.web.middleware import Answering

MEDIA_TYPE = "application/problem+json"
PREFIX = "/api/"
DETAILS = {
    400: "This request is not understood. Send a JSON object as /api/openapi.json describes it.",
    403: "This is not open to this token.",
    404: "There is nothing here: it does not exist, was deleted, or belongs to somebody else.",
    405: "This address does not take this method. The header Allow says which it does.",
    413: "That is too much at once. Send less.",
    500: "Something went wrong on our side. Nothing of yours was lost; the log says why.",
    503: "The database does not answer. It may be starting: try again in a few seconds.",
}


class Problem(Exception):
    """What went wrong, told to a program and to the person who reads its log."""

    def __init__(
        self, status: int, detail: str, headers: Mapping[str, str] | None = None, **more: Any
    ) -> None:
        super().__init__(detail)
        self.status, self.detail = status, detail
        self.headers, self.more = dict(headers or {}), more

    def response(self) -> JsonResponse:
        told = {
            "type": "about:blank",
            "title": HTTPStatus(self.status).phrase,
            "status": self.status,
            "detail": self.detail,
        }
        return JsonResponse(
            told | self.more,
            status=self.status,
            headers=self.headers | {"Cache-Control": "no-store"},
            content_type=MEDIA_TYPE,
            json_dumps_params={"ensure_ascii": False},
        )


def tell(api: NinjaAPI) -> None:
    """Let an API answer in problems, whatever is raised in it."""
    answers: dict[type[Exception], Callable[[Any], Problem]] = {
        Problem: lambda problem: problem,
        Http404: lambda _: Problem(404, DETAILS[404]),
        ValidationError: _invalid,
        HttpError: lambda error: Problem(error.status_code, DETAILS[400]),
        ModelError: lambda error: Problem(503, str(error), {"Retry-After": "10"}),
        RequestDataTooBig: lambda _: Problem(413, DETAILS[413]),
        SuspiciousOperation: lambda _: Problem(400, DETAILS[400]),
    }
    for kind, answer in answers.items():
        api.add_exception_handler(kind, _handler(answer))
    api.add_exception_handler(Exception, _let_through)


def _handler(answer: Callable[[Any], Problem]) -> Callable[[HttpRequest, Any], JsonResponse]:
    return lambda _, error: answer(error).response()


def _let_through(request: HttpRequest, error: Any) -> JsonResponse:
    """To Django, which writes it to the log; `in_json` then puts its page into words.

    A plain LookupError is a sentence for the reader; a KeyError or an IndexError is our fault.
    """
    if type(error) is LookupError:
        return Problem(404, str(error)).response()
    raise error


def _invalid(error: ValidationError) -> Problem:
    faults = [{"where": _where(fault["loc"]), "what": fault["msg"]} for fault in error.errors]
    first = faults[0] if faults else {"where": "request", "what": "is not as described"}
    return Problem(422, f"{first['where']}: {first['what']}.", errors=faults)


def _where(place: Sequence[str | int]) -> str:
    """Where in a request a fault is; how a function of ours calls the body is nobody's business."""
    source, *path = map(str, place)
    return ".".join([source, *(path[1:] if source == "body" else path)])


def in_json(get_response: Answering) -> Answering:
    """Turn whatever error page comes out below /api/ into a problem document.

    Such pages come from Django itself: an address that is none, a host that is not ours, a fault.
    """

    def middleware(request: HttpRequest) -> HttpResponseBase:
        response = get_response(request)
        if not request.path.startswith(PREFIX) or response.status_code < 400:
            return response
        if response.headers.get("Content-Type", "").startswith(MEDIA_TYPE):
            return response
        assert isinstance(response, HttpResponse)  # Django streams no errors
        detail = DETAILS.get(response.status_code, "The vault does not answer this request.")
        problem = Problem(response.status_code, detail).response()
        response.content = problem.content
        response.headers["Content-Type"] = MEDIA_TYPE
        response.headers["Content-Length"] = str(len(problem.content))
        return response

    return middleware
