"""The library in Django's admin: how documents stand, and what can be done about it."""

from collections.abc import Callable

from django.contrib import admin, messages
from django.db.models import Model, QuerySet
from django.http import HttpRequest
from django.template.defaultfilters import filesizeformat

from apps.library import ingestion
from apps.library.models import Category, Document, Workspace

Act = Callable[[Document], None]


def _each(request: HttpRequest, documents: QuerySet[Document], act: Act, done: str) -> None:
    count = 0
    for document in documents.select_related("workspace__owner"):
        act(document)
        count += 1
    messages.success(request, f"{done}: {count}.")


@admin.register(Document)
class DocumentAdmin(admin.ModelAdmin):  # type: ignore[type-arg]
    list_display = [
        "name", "state", "stage", "chunk_count", "shown_size", "owner", "workspace", "category",
        "language", "created_at",
    ]  # fmt: skip
    list_filter = ["state", "format", "language", "workspace", "category", "workspace__owner"]
    list_select_related = ["workspace__owner", "category"]
    list_per_page = 50
    search_fields = ["name", "title", "source", "reason"]
    date_hierarchy = "created_at"
    actions = ["read_again", "retry_failed", "learn_again"]
    fields = [
        "name", "title", "workspace", "category", "state", "reason", "notice", "stage", "source",
        "shown_size", "sha256", "format", "language", "revision", "part_count", "chunk_count",
        "ocr_count", "character_count", "timings", "attempts", "next_try", "pulse", "created_at",
        "ready_at",
    ]  # fmt: skip
    # What a document is follows from its file; only where it lies may be changed here.
    readonly_fields = [str(name) for name in fields if name != "category"]

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def save_model(self, request: HttpRequest, obj: Document, form: object, change: bool) -> None:
        """Only what was edited is stored: a worker may be writing the rest at this moment."""
        obj.save(update_fields=["category"])

    def log_change(self, request: HttpRequest, obj: Model, message: object) -> None:  # type: ignore[override]
        """Nothing: the admin's log would keep the name of a document beyond its deletion."""

    def log_deletions(self, request: HttpRequest, queryset: QuerySet[Document]) -> None:  # type: ignore[override]
        """Nothing, for the same reason."""

    def delete_model(self, request: HttpRequest, obj: Document) -> None:
        ingestion.discard(obj)

    def delete_queryset(self, request: HttpRequest, queryset: QuerySet[Document]) -> None:
        for document in queryset.select_related("workspace"):
            ingestion.discard(document)

    @admin.display(description="progress")
    def stage(self, document: Document) -> str:
        if document.state not in Document.UNFINISHED:
            return "–"
        return f"{document.done} of {document.total or '?'}"

    @admin.display(description="size", ordering="size")
    def shown_size(self, document: Document) -> str:
        return filesizeformat(document.size)

    @admin.display(ordering="workspace__owner__username")
    def owner(self, document: Document) -> str:
        return document.workspace.owner.get_username()

    @admin.action(description="Read again")
    def read_again(self, request: HttpRequest, queryset: QuerySet[Document]) -> None:
        _each(request, queryset, ingestion.read_again, "Queued to be read again")

    @admin.action(description="Try failed, refused and cancelled ones again")
    def retry_failed(self, request: HttpRequest, queryset: QuerySet[Document]) -> None:
        _each(
            request,
            queryset.filter(state__in=Document.RETRIABLE),
            ingestion.retry,
            "Queued to be tried again",
        )

    @admin.action(description="Embed again")
    def learn_again(self, request: HttpRequest, queryset: QuerySet[Document]) -> None:
        _each(request, queryset, ingestion.learn_again, "Queued to be embedded again")


@admin.register(Workspace)
class WorkspaceAdmin(admin.ModelAdmin):  # type: ignore[type-arg]
    list_display = ["name", "owner", "created_at"]
    list_filter = ["owner"]
    search_fields = ["name"]

    def delete_model(self, request: HttpRequest, obj: Workspace) -> None:
        ingestion.discard_workspace(obj)

    def delete_queryset(self, request: HttpRequest, queryset: QuerySet[Workspace]) -> None:
        for workspace in queryset:
            ingestion.discard_workspace(workspace)


@admin.register(Category)
class CategoryAdmin(admin.ModelAdmin):  # type: ignore[type-arg]
    list_display = ["name", "workspace"]
    list_filter = ["workspace"]
    search_fields = ["name"]
