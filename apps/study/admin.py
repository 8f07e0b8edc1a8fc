"""The study room in Django's admin: what is being made, what the gate did not let through."""

from collections.abc import Callable

from django.contrib import admin, messages
from django.db.models import Count, QuerySet
from django.http import HttpRequest
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from apps.study import generation
from apps.study.models import Job, Rejection


def _each(request: HttpRequest, jobs: QuerySet[Job], act: Callable[[Job], None], done: str) -> None:
    count = 0
    for job in jobs:
        act(job)
        count += 1
    messages.success(request, f"{done}: {count}.")


class ReadOnly(admin.ModelAdmin):  # type: ignore[type-arg]
    """Rows the worker writes: to be looked at."""

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: object = None) -> bool:
        return False


@admin.register(Job)
class JobAdmin(ReadOnly):
    list_display = ["pk", "kind", "state", "progress", "rejected", "owner", "reason", "created_at"]
    list_filter = ["state", "kind", "owner"]
    list_select_related = ["owner"]
    list_per_page = 50
    date_hierarchy = "created_at"
    actions = ["cancel", "go_on"]
    fields = [
        "kind", "owner", "workspace", "state", "reason", "asked", "made", "tried", "attempts",
        "difficulty", "model", "everywhere", "untouched_only", "cancel_asked", "pulse",
        "created_at", "began_at", "ended_at",
    ]  # fmt: skip

    def get_queryset(self, request: HttpRequest) -> QuerySet[Job]:
        jobs: QuerySet[Job] = super().get_queryset(request)
        return jobs.annotate(rejected_count=Count("rejections"))

    def has_change_permission(self, request: HttpRequest, obj: object = None) -> bool:
        # Actions need it; a single row has no field that could be changed.
        return obj is None and super(ReadOnly, self).has_change_permission(request)

    @admin.display(description=gettext_lazy("made"), ordering="made")
    def progress(self, job: Job) -> str:
        return _("%(made)s of %(asked)s") % {"made": job.made, "asked": job.asked}

    @admin.display(description=gettext_lazy("rejected"), ordering="rejected_count")
    def rejected(self, job: Job) -> int:
        return int(getattr(job, "rejected_count", 0))

    @admin.action(description=gettext_lazy("Cancel"), permissions=["change"])
    def cancel(self, request: HttpRequest, queryset: QuerySet[Job]) -> None:
        _each(request, queryset.filter(state__in=Job.UNFINISHED), generation.cancel, _("Cancelled"))

    @admin.action(description=gettext_lazy("Continue"), permissions=["change"])
    def go_on(self, request: HttpRequest, queryset: QuerySet[Job]) -> None:
        ended = queryset.exclude(state__in=(*Job.UNFINISHED, Job.State.DONE))
        _each(request, ended, generation.go_on, _("Queued again"))


@admin.register(Rejection)
class RejectionAdmin(ReadOnly):
    list_display = ["reason", "job", "at"]
    list_filter = ["reason", "job__kind"]
    list_select_related = ["job"]
    search_fields = ["reason"]
    fields = ["job", "reason", "item", "at"]
