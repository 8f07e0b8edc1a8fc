"""A recording to listen to: any stretch of it, so that the player can begin in the middle."""

import re
from collections.abc import Iterator
from typing import BinaryIO, cast

from django.contrib.auth.decorators import login_required
from django.http import FileResponse, Http404, HttpResponse, HttpResponseBase, StreamingHttpResponse
from django.shortcuts import get_object_or_404
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from apps.library.models import Document
from apps.web.htmx import HtmxRequest

# By the name's ending; the browser is told to believe nothing else.
TYPES = {
    "mp3": "audio/mpeg", "wav": "audio/wav", "m4a": "audio/mp4", "mp4": "audio/mp4",
    "ogg": "audio/ogg", "oga": "audio/ogg", "opus": "audio/ogg", "webm": "audio/webm",
    "flac": "audio/flac",
}  # fmt: skip
RANGE = re.compile(r"bytes=(\d{0,18})-(\d{0,18})")
PIECE = 1 << 16  # bytes


@login_required
@require_safe
def document_recording(request: HtmxRequest, document_id: int) -> HttpResponseBase:
    mine = Document.objects.owned_by(request.user).filter(format="audio")
    document = get_object_or_404(mine, pk=document_id)
    try:
        stored = cast(BinaryIO, document.file.open("rb"))
    except FileNotFoundError as missing:
        raise Http404(_("The stored file is gone. Upload it again.")) from missing
    kind = TYPES.get(document.name.rpartition(".")[2].lower(), "audio/mpeg")
    answer = _answer(request.headers.get("Range", ""), stored, document.file.size, kind)
    answer["Accept-Ranges"] = "bytes"
    answer["Content-Security-Policy"] = "default-src 'none'; sandbox"
    answer["Cache-Control"] = "private, no-cache"
    return answer


def _answer(asked: str, stored: BinaryIO, size: int, kind: str) -> HttpResponseBase:
    """The whole file, or the one stretch of it that was asked for; 416 for one it has not."""
    found = RANGE.fullmatch(asked)
    if not found or found[0] == "bytes=-":
        return FileResponse(stored, content_type=kind)
    first, last = _stretch(found[1], found[2], size)
    if first > last:
        stored.close()
        return HttpResponse(status=416, headers={"Content-Range": f"bytes */{size}"})
    stored.seek(first)
    length = last - first + 1
    answer = StreamingHttpResponse(_read(stored, length), status=206, content_type=kind)
    answer["Content-Range"] = f"bytes {first}-{last}/{size}"
    answer["Content-Length"] = str(length)
    return answer


def _stretch(first: str, last: str, size: int) -> tuple[int, int]:
    """The first and last byte meant; `-500` are the last five hundred."""
    if not first:
        return max(size - int(last), 0), size - 1
    return int(first), min(int(last) if last else size - 1, size - 1)


def _read(stored: BinaryIO, length: int) -> Iterator[bytes]:
    with stored:
        while length > 0 and (piece := stored.read(min(PIECE, length))):
            length -= len(piece)
            yield piece
