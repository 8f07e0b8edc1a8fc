"""Speech into the composer: a recording comes, its words go back as they are heard."""

import tempfile
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

from django.contrib.auth.decorators import login_required
from django.core.files.uploadedfile import UploadedFile
from django.http import HttpResponse, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from apps.chat.forms import LONGEST
from apps.llm import speech
from apps.web.htmx import HtmxRequest

LARGEST = 25_000_000  # bytes; five minutes of what browsers record are two to five million
PLAIN = "text/plain; charset=utf-8"


@login_required
@require_POST
def dictate(request: HtmxRequest) -> HttpResponseBase:
    """The words of a recording, line by line; a line that begins with "!" says what went wrong.

    Nothing of it is kept: the file is gone when the last word is out, or the reader leaves.
    """
    recording = request.FILES.get("recording")
    if reason := _refusal(recording):
        return HttpResponse(reason, content_type=PLAIN, status=422)
    assert recording
    answer = StreamingHttpResponse(_heard(recording), content_type=PLAIN)
    answer["Cache-Control"] = "no-cache"
    answer["X-Accel-Buffering"] = "no"
    return answer


def _refusal(recording: "UploadedFile[bytes] | None") -> str:
    if recording is None or not recording.size:
        return _("Nothing was recorded. Check that the microphone is on, and try again.")
    if recording.size > LARGEST:
        return _("The recording is too long: speak for five minutes at most.")
    return speech.missing()


def _heard(recording: "UploadedFile[bytes]") -> Iterator[str]:
    with tempfile.NamedTemporaryFile(prefix="vault-voice-") as stored:
        for piece in recording.chunks():
            stored.write(piece)
        stored.flush()
        yield "\n"  # the headers leave, and the reader knows that it is being heard
        said = 0
        try:
            with closing(speech.transcribe_alive(Path(stored.name))) as segments:
                for segment in segments:
                    if segment is None:
                        yield "\n"  # fails where nobody listens any more; that ends the child
                        continue
                    words = " ".join(segment.text.split())
                    said += len(words)
                    yield f"{words}\n"
                    if said > LONGEST:
                        break
        except speech.SpeechError as error:
            yield f"!{error}\n"
            return
        if not said:
            said_words = _("No words were heard. Speak closer to the microphone, and try again.")
            yield f"!{said_words}\n"
