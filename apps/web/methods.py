"""What a reader sees who opens an address that only takes a form."""

from django.http import HttpRequest
from django.http.response import HttpResponseBase, HttpResponseNotAllowed

from apps.web import views
from apps.web.middleware import Answering


def wrong_methods_have_a_page(get_response: Answering) -> Answering:
    """Say in the house's words that an address is no page; Django's answer is empty."""

    def middleware(request: HttpRequest) -> HttpResponseBase:
        response = get_response(request)
        if isinstance(response, HttpResponseNotAllowed) and not response.content:
            told = views.trouble(request, 405)
            told.headers["Allow"] = response.headers["Allow"]
            return told
        return response

    return middleware
