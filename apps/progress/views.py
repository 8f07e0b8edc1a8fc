"""The dashboard and what leads off it."""

from datetime import date

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase, StreamingHttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_GET, require_POST

from apps.progress import badges, dashboard, days, exporting, heatmap, standing
from apps.progress.forms import ImportForm, ZoneForm
from apps.progress.models import Standing
from apps.web.htmx import HtmxRequest, part

PERIODS = {"90": 90, "365": 365}
EXPORTS = {
    "json": (exporting.as_json, "application/json"),
    "csv": (exporting.as_csv, "text/csv; charset=utf-8"),
}


@login_required
@require_GET
def home(request: HtmxRequest) -> HttpResponse:
    period = request.GET.get("period", "90")
    count = PERIODS.get(period, 90)
    kept = standing.fresh(request.user)
    kept.person = request.user
    board = dashboard.gather(kept, count)
    context = {
        "board": board,
        "progress_strip": board.figures,
        "heat_rows": heatmap.rows(board.weeks),
        "period": str(count),
        "zone_form": ZoneForm(initial={"zone": kept.zone}),
        "import_form": ImportForm(),
    }
    return render(request, part(request, "progress/home.html", "board"), context)


@login_required
@require_GET
def day(request: HtmxRequest, day: date) -> HttpResponse:
    row, awards, kinds = dashboard.day_detail(request.user, day)
    earned = [(badges.BY_CODE[award.badge], award) for award in awards]
    context = {"day": day, "row": row, "earned": earned, "kinds": kinds}
    return render(request, part(request, "progress/day.html", "detail"), context)


@login_required
@require_GET
def badge(request: HtmxRequest, code: str) -> HttpResponse:
    if code not in badges.BY_CODE:
        raise Http404("There is no such badge.")
    tally = standing.tally_of(standing.fresh(request.user))
    grid = {entry.badge.code: entry for entry in dashboard.badge_grid(request.user, tally)}
    entry = grid[code]
    context = {
        "entry": entry,
        "no_bar": code in badges.NO_BAR,
        "following": badges.next_in_ladder(entry.badge),
    }
    return render(request, part(request, "progress/badge.html", "detail"), context)


@login_required
@require_GET
def strip(request: HtmxRequest) -> HttpResponse:
    return render(request, "progress/_strip.html")


@login_required
@require_POST
def zone(request: HtmxRequest) -> HttpResponse:
    form = ZoneForm(request.POST)
    if form.is_valid():
        kept, _made = Standing.objects.get_or_create(person=request.user)
        kept.zone, kept.zone_chosen = form.cleaned_data["zone"], True
        kept.save(update_fields=["zone", "zone_chosen"])
        messages.success(request, _("Your days now follow %(zone)s.") % {"zone": kept.zone})
    else:
        messages.error(request, _("That is not a time zone. Choose one of the list."))
    return redirect("progress:home")


@login_required
@require_GET
def export(request: HttpRequest, form: str) -> HttpResponseBase:
    if form not in EXPORTS:
        raise Http404("Progress is exported as json or csv.")
    write, media_type = EXPORTS[form]
    kept = standing.fresh(request.user)  # type: ignore[arg-type] # login_required
    name = f"progress-{days.local_day(timezone.now(), kept.zone)}.{form}"
    response = StreamingHttpResponse(write(kept.person), content_type=media_type)
    response["Content-Disposition"] = f'attachment; filename="{name}"'
    response["X-Content-Type-Options"] = "nosniff"
    return response


@login_required
@require_POST
def import_(request: HtmxRequest) -> HttpResponse:
    form = ImportForm(request.POST, request.FILES)
    if not form.is_valid():
        messages.error(request, " ".join(map(str, form.errors.get("file", [_("Choose a file.")]))))
        return redirect("progress:home")
    try:
        new = exporting.read_back(request.user, form.cleaned_data["file"])
    except exporting.UnreadableExport as fault:
        messages.error(request, str(fault))
    else:
        messages.success(
            request,
            ngettext(
                "%(n)s entry added. The others were there already.",
                "%(n)s entries added. The others were there already.",
                new,
            )
            % {"n": new},
        )
    return redirect("progress:home")
