"""The whole receipt of a document."""

from django.contrib.auth.decorators import login_required
from django.core.paginator import Paginator
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, render
from django.views.decorators.http import require_safe

from apps.library import receipts
from apps.library.models import Document
from apps.web.htmx import HtmxRequest

SHOWN = 100  # parts on one page


@login_required
@require_safe
def document_parts(request: HtmxRequest, document_id: int) -> HttpResponse:
    """Each part, what was read of it, and what was left out and why."""
    document = get_object_or_404(Document.objects.owned_by(request.user), pk=document_id)
    page = Paginator(receipts.parts(document), SHOWN).get_page(request.GET.get("page"))
    shown = {
        "document": document,
        "page": page,
        "lines": receipts.lines(document, page.object_list),
        "elsewhere": receipts.elsewhere(document),
    }
    return render(request, "library/parts.html", shown)
