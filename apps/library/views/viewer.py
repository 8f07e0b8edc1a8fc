"""A document to look at, opened at a page or a passage."""

from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.views.decorators.http import require_safe

from apps.library import picturing, viewing
from apps.library.models import Chunk, Document
from apps.library.parsing import Refusal
from apps.library.views.documents import receipt
from apps.library.views.gone import told_when_gone
from apps.web.htmx import HtmxRequest, wants_part

PAGE = "library/document.html"
A_YEAR = 31_536_000  # seconds; the address names the revision
LARGEST = 10**9  # of the numbers in an address


@login_required
@require_safe
@told_when_gone
def document(request: HtmxRequest, document_id: int) -> HttpResponse:
    documents = Document.objects.owned_by(request.user)
    found = get_object_or_404(documents.select_related("workspace", "category"), pk=document_id)
    sight = viewing.open_at(
        found,
        page=_number(request, "page"),
        ordinal=_number(request, "part") or 0,
        line=_number(request, "line") or 0,
    )
    return _show(request, sight)


@login_required
@require_safe
def passage(request: HtmxRequest, passage_id: int) -> HttpResponse:
    """The passage's document, opened where it stands; for htmx the viewer alone.

    `?sentence=` names the sentence of it that is cited.
    """
    chunks = Chunk.objects.owned_by(request.user)
    related = chunks.select_related("part", "document__workspace", "document__category")
    chunk = get_object_or_404(related, pk=passage_id)
    pointer = request.GET.get("sentence", "")
    return _show(request, viewing.open_at(chunk.document, chunk=chunk, pointer=pointer))


@login_required
@require_safe
def page_image(request: HtmxRequest, document_id: int, number: int) -> HttpResponse:
    found = get_object_or_404(Document.objects.owned_by(request.user), pk=document_id)
    try:
        picture = picturing.page_picture(
            found, min(number, LARGEST), _number(request, "width") or picturing.USUAL
        )
    except (Refusal, FileNotFoundError) as none:
        raise Http404(str(none)) from none
    return HttpResponse(
        picture,
        content_type="image/png",
        headers={"Cache-Control": f"private, max-age={A_YEAR}, immutable"},
    )


def _show(request: HtmxRequest, sight: viewing.Sight) -> HttpResponse:
    """The whole page; for htmx only the viewer, with the outline where that stands beside it."""
    if request.method == "GET":
        viewing.note_read(sight)
    beside = (request.htmx.target or "").endswith("#reading")
    boxes, said = _boxes(sight)
    shown = {
        "sight": sight,
        "document": sight.document,
        "boxes": boxes,
        "sentence_boxes": said,
        "aim": "reading" if beside else "viewer",
    }
    if not wants_part(request):
        shown |= {"aim": "reading", "outline": viewing.outline(sight)}
        shown |= receipt(request, sight.document)
        return render(request, PAGE, shown)
    if beside:
        shown["outline"] = viewing.outline(sight)
    return render(request, f"{PAGE}#{'reading' if beside else 'viewer'}", shown)


def _boxes(sight: viewing.Sight) -> tuple[list[picturing.Box], list[picturing.Box]]:
    """Where on a page's picture the passage is, and the cited sentence, as x, y, width, height.

    To find one on a scan takes long: there the sentence is marked in the text beside it only.
    """
    if not (sight.chunk and sight.page):
        return [], []
    passage, sentence = picturing.boxes(sight.chunk), []
    if passage and sight.sentence and not sight.recognised:
        sentence = picturing.boxes(sight.chunk, sight.sentence)
    return _sized(passage), _sized(sentence)


def _sized(boxes: list[picturing.Box]) -> list[picturing.Box]:
    return [(x0, y0, x1 - x0, y1 - y0) for x0, y0, x1, y1 in boxes]


def _number(request: HttpRequest, name: str) -> int | None:
    """A number from the address; None where it is not one."""
    text = request.GET.get(name, "")
    return min(int(text), LARGEST) if text.isascii() and text.isdigit() else None
