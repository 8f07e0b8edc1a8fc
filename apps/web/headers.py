"""What every answer tells the browser about itself: what it may do, and who may use it."""

from collections.abc import Callable

from django.http import HttpRequest
from django.http.response import HttpResponseBase

POLICY = "Content-Security-Policy"
# Only a page does anything. A download, a picture or a list that a browser is brought to open as a
# page runs nothing, asks for nothing and belongs to no site: documents are what strangers wrote.
INERT = "default-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'; sandbox"
# No text becomes script or page but by the one policy of static/js/trust.js, which htmx uses.
TRUSTED_TYPES = "; require-trusted-types-for 'script'; trusted-types vault"
# Django's admin brings jQuery, which writes text into pages.
WITHOUT_TRUSTED_TYPES = "/admin/"
# Only names that browsers have known for long: they complain of others in the console.
OFF = (
    "accelerometer", "browsing-topics", "camera", "clipboard-read", "display-capture",
    "encrypted-media", "gamepad", "geolocation", "gyroscope", "hid", "identity-credentials-get",
    "idle-detection", "local-fonts", "magnetometer", "midi", "payment", "picture-in-picture",
    "publickey-credentials-get", "screen-wake-lock", "serial", "storage-access", "sync-xhr", "usb",
    "window-management", "xr-spatial-tracking",
)  # fmt: skip
OWN = ("autoplay", "clipboard-write", "fullscreen", "microphone")
FEATURES = ", ".join([*(f"{name}=()" for name in OFF), *(f"{name}=(self)" for name in OWN)])


def guarded(
    get_response: Callable[[HttpRequest], HttpResponseBase],
) -> Callable[[HttpRequest], HttpResponseBase]:
    """Add what the browser must hold an answer to; whatever made the answer, none goes without."""

    def middleware(request: HttpRequest) -> HttpResponseBase:
        response = get_response(request)
        headers = response.headers
        headers["Permissions-Policy"] = FEATURES
        headers["Cross-Origin-Resource-Policy"] = "same-origin"
        if not headers.get("Content-Type", "").startswith("text/html"):
            headers[POLICY] = INERT
        elif not request.path.startswith(WITHOUT_TRUSTED_TYPES):
            headers[POLICY] = headers.get(POLICY, INERT) + TRUSTED_TYPES
        return response

    return middleware
