"""The library in Django's admin: how documents stand, and what can be done about it."""

from collections.abc import Callable
from typing import Any

from django import forms
from django.contrib import admin, messages
from django.contrib.admin import helpers
from django.db.models import Model, Q, QuerySet
from django.http import HttpRequest, HttpResponse
from django.template.defaultfilters import filesizeformat
from django.utils import timezone
from django.utils.text import Truncator
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from apps.library import ingestion, queue, reembedding
from apps.library.models import Category, ChunkVector, Document, EmbeddingSet, Workspace
from apps.library.naming import FORMATS, format_words
from apps.library.standing import SILENCE
from apps.llm.client import ModelError

Act = Callable[[Document], None]
REASON = 80  # characters of it in the list


class ActionForm(helpers.ActionForm):
    """An action, and the category for the one that moves."""

    category = forms.ModelChoiceField(
        queryset=Category.objects.select_related("workspace"),
        required=False,
        empty_label=gettext_lazy("No category"),
    )


class TroubleFilter(admin.SimpleListFilter):
    """What an operator looks for first."""

    title = gettext_lazy("trouble")
    parameter_name = "trouble"

    def lookups(
        self, request: HttpRequest, model_admin: "admin.ModelAdmin[Document]"
    ) -> list[tuple[str, str]]:
        return [
            ("stopped", _("Refused, failed or cancelled")),
            ("stalled", _("Unfinished and silent")),
            ("partial", _("Left something out")),
            ("empty", _("Nothing found in it")),
        ]

    def queryset(
        self, request: HttpRequest, queryset: QuerySet[Document]
    ) -> QuerySet[Document] | None:
        silent = Q(pulse=None) | Q(pulse__lt=timezone.now() - SILENCE)
        chosen: dict[str | None, Q] = {
            "stopped": Q(state__in=Document.RETRIABLE),
            "stalled": Q(state__in=Document.UNFINISHED) & silent,
            "partial": ~Q(notice=""),
            "empty": Q(state=Document.State.READY, chunk_count=0),
        }
        return queryset.filter(chosen[self.value()]) if self.value() in chosen else queryset


class FormatFilter(admin.SimpleListFilter):
    """The formats the vault reads: they are known without asking every document."""

    title = gettext_lazy("format")
    parameter_name = "format"

    def lookups(
        self, request: HttpRequest, model_admin: "admin.ModelAdmin[Document]"
    ) -> list[tuple[str, str]]:
        return [(name, format_words(name)) for name in FORMATS]

    def queryset(
        self, request: HttpRequest, queryset: QuerySet[Document]
    ) -> QuerySet[Document] | None:
        return queryset.filter(format=self.value()) if self.value() else queryset


def _each(request: HttpRequest, documents: QuerySet[Document], act: Act, done: str) -> None:
    count = 0
    for document in documents.select_related("workspace__owner"):
        act(document)
        count += 1
    messages.success(request, f"{done}: {count}.")


@admin.register(Document)
class DocumentAdmin(admin.ModelAdmin):  # type: ignore[type-arg]
    list_display = [
        "name", "state", "stage", "extent", "chunk_count", "shown_reason", "shown_size", "owner",
        "workspace", "category", "language", "created_at",
    ]  # fmt: skip
    list_filter = [
        TroubleFilter, "state", FormatFilter, "language", "created_at", "workspace", "category",
        "workspace__owner",
    ]  # fmt: skip
    show_full_result_count = False  # it would be counted again for each page
    action_form = ActionForm
    list_select_related = ["workspace__owner", "category"]
    list_per_page = 50
    search_fields = ["name", "title", "source", "reason"]
    actions = ["read_again", "retry_failed", "learn_again", "move"]
    fields = [
        "name", "title", "workspace", "category", "state", "reason", "notice", "stage", "source",
        "shown_size", "sha256", "format", "language", "revision", "part_count", "chunk_count",
        "ocr_count", "character_count", "extent", "timings", "attempts", "next_try", "pulse",
        "changed_at", "created_at", "ready_at",
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
        ingestion.discard_soon(queryset)

    def changelist_view(
        self, request: HttpRequest, extra_context: dict[str, object] | None = None
    ) -> HttpResponse:
        more = {**(extra_context or {}), "queue": queue.figures()}
        return super().changelist_view(request, more)

    @admin.display(description=gettext_lazy("error"))
    def shown_reason(self, document: Document) -> str:
        return Truncator(document.reason).chars(REASON)

    @admin.display(description=gettext_lazy("progress"))
    def stage(self, document: Document) -> str:
        if document.state not in Document.UNFINISHED:
            return "–"
        return _("%(done)s of %(total)s") % {
            "done": document.done,
            "total": document.total or "?",
        }

    @admin.display(description=gettext_lazy("size"), ordering="size")
    def shown_size(self, document: Document) -> str:
        return filesizeformat(document.size)

    @admin.display(description=gettext_lazy("owner"), ordering="workspace__owner__username")
    def owner(self, document: Document) -> str:
        return document.workspace.owner.get_username()

    @admin.action(description=gettext_lazy("Read again"))
    def read_again(self, request: HttpRequest, queryset: QuerySet[Document]) -> None:
        number = ingestion.read_all_again(queryset)
        messages.success(request, _("Queued to be read again: %(number)s.") % {"number": number})

    @admin.action(description=gettext_lazy("Try failed, refused and cancelled ones again"))
    def retry_failed(self, request: HttpRequest, queryset: QuerySet[Document]) -> None:
        number = ingestion.read_all_again(queryset.filter(state__in=Document.RETRIABLE))
        messages.success(request, _("Queued to be tried again: %(number)s.") % {"number": number})

    @admin.action(description=gettext_lazy("Move to the category chosen beside"))
    def move(self, request: HttpRequest, queryset: QuerySet[Document]) -> None:
        """Within their workspace: a category of another one is no place for a document."""
        form = ActionForm(request.POST)
        form.fields["action"].choices = self.get_action_choices(request)  # type: ignore[attr-defined]
        if not form.is_valid():
            messages.error(request, _("That category is not there any more."))
            return
        category = form.cleaned_data["category"]
        fitting = queryset.filter(workspace=category.workspace) if category else queryset
        left = queryset.count() - fitting.count()
        moved = fitting.update(category=category)
        told = {"category": category or _("no category"), "number": moved}
        messages.success(request, _("Moved to %(category)s: %(number)s.") % told)
        if left:
            messages.warning(
                request,
                _("Left where they are, in another workspace: %(number)s.") % {"number": left},
            )

    @admin.action(description=gettext_lazy("Embed again"))
    def learn_again(self, request: HttpRequest, queryset: QuerySet[Document]) -> None:
        _each(request, queryset, ingestion.learn_again, _("Queued to be embedded again"))


@admin.register(Workspace)
class WorkspaceAdmin(admin.ModelAdmin):  # type: ignore[type-arg]
    list_display = ["name", "owner", "created_at"]
    list_filter = ["owner"]
    search_fields = ["name"]

    def delete_model(self, request: HttpRequest, obj: Workspace) -> None:
        ingestion.discard_workspace_soon(obj)

    def delete_queryset(self, request: HttpRequest, queryset: QuerySet[Workspace]) -> None:
        for workspace in queryset:
            ingestion.discard_workspace_soon(workspace)

    def get_queryset(self, request: HttpRequest) -> QuerySet[Workspace]:
        return super().get_queryset(request).filter(deleting=False)


@admin.register(Category)
class CategoryAdmin(admin.ModelAdmin):  # type: ignore[type-arg]
    list_display = ["name", "workspace"]
    list_filter = ["workspace"]
    search_fields = ["name"]


@admin.register(EmbeddingSet)
class EmbeddingSetAdmin(admin.ModelAdmin):  # type: ignore[type-arg]
    """To look at; the models page shows how far each is."""

    list_display = ["model", "dimensions", "state", "vectors", "reason", "created_at"]

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: object = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: object = None) -> bool:
        return False

    def get_actions(self, request: HttpRequest) -> dict[str, Any]:
        """Its own two alone, for whoever may see it: only owners come here."""
        use, discard = type(self).use, type(self).discard
        return {
            "use": (use, "use", _("Use it: learn what is missing, then change over")),
            "discard": (discard, "discard", _("Discard: delete its vectors")),
        }

    @admin.display(description=gettext_lazy("vectors"))
    def vectors(self, embedding_set: EmbeddingSet) -> int:
        return ChunkVector.objects.filter(embedding_set=embedding_set).count()

    def use(self, request: HttpRequest, queryset: QuerySet[EmbeddingSet]) -> None:
        for embedding_set in queryset[:1]:
            try:
                chosen = reembedding.begin(embedding_set.model)
                messages.success(request, f"{chosen.model}: {chosen.get_state_display()}.")
            except ModelError as error:
                messages.error(request, str(error))

    def discard(self, request: HttpRequest, queryset: QuerySet[EmbeddingSet]) -> None:
        for embedding_set in queryset:
            try:
                reembedding.discard(embedding_set)
                messages.success(
                    request,
                    _("The vectors of %(model)s are being deleted.")
                    % {"model": embedding_set.model},
                )
            except reembedding.NotPossible as reason:
                messages.error(request, str(reason))
