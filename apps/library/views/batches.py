"""Receipts of files that came together."""

from django.contrib.auth.decorators import login_required
from django.core.paginator import Paginator
from django.http import HttpResponse, StreamingHttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_safe

from apps.library import accounting, batches
from apps.library.models import Batch
from apps.web.htmx import HtmxRequest, part

PAGE = "library/batch.html"
SHOWN = 100  # files on one page


@login_required
@require_safe
def batch(request: HtmxRequest, batch_id: int) -> HttpResponse:
    batch = _mine(request, batch_id)
    became = request.GET.get("became", "")
    page = Paginator(batches.entries(batch, became), SHOWN).get_page(request.GET.get("page"))
    shown = {
        "batch": batch,
        "counts": batches.of(batch),
        "lines": list(accounting.lines(page.object_list)),  # type: ignore[arg-type]
        "page": page,
        "became": became,
        "choices": accounting.WORDS,
    }
    return render(request, part(request, PAGE, "standing"), shown)


@login_required
@require_safe
def batch_figures(request: HtmxRequest, batch_id: int) -> HttpResponse:
    """The line below an upload, which asks again while something is being read."""
    batch = _mine(request, batch_id)
    if not request.htmx:
        return redirect(batch)
    shown = {"batch": batch, "counts": batches.of(batch)}
    return render(request, "library/_batch.html", shown)


@login_required
@require_safe
def batch_receipt(request: HtmxRequest, batch_id: int) -> StreamingHttpResponse:
    rows = batches.as_csv(_mine(request, batch_id))
    answer = StreamingHttpResponse(rows, content_type="text/csv; charset=utf-8")
    answer["Content-Disposition"] = 'attachment; filename="receipt.csv"'
    return answer


def _mine(request: HtmxRequest, batch_id: int) -> Batch:
    return get_object_or_404(Batch.objects.owned_by(request.user), pk=batch_id)
