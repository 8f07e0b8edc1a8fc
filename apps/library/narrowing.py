"""What a search is narrowed to: by the filters of the page, and by operators in the question."""

from typing import Any

from django import forms
from django.db.models import Q, QuerySet

from apps.library.asking import Asked
from apps.library.models import Category, Document, Workspace
from apps.library.search import EVERYTHING, Scope

UNKNOWN = "There is no {kind} called “{name}” in {workspace}. {advice}"


def narrowed(workspace: Workspace, asked: Asked, scope: Scope = EVERYTHING) -> Scope | None:
    """The part of a scope that the operators leave; None where no document is left.

    Raises LookupError, which says what there is, for a category, name or type that is not there.
    """
    if not asked.narrows:
        return scope
    found: QuerySet[Document] = Document.objects.filter(workspace=workspace).searchable()
    if scope != EVERYTHING:
        found = found.filter(Q(category__in=scope.categories) | Q(pk__in=scope.documents))
    for name in asked.names:
        named = Q(category__name__iexact=name) | Q(name__iexact=name)
        found = _known(workspace, found, named, "category or document", name)
    for name in asked.categories:
        found = _known(workspace, found, Q(category__name__iexact=name), "category", name)
    for name in asked.types:
        found = _known(
            workspace, found, Q(format=name) | Q(name__iendswith=f".{name}"), "type", name
        )
    if asked.after:
        found = found.filter(created_at__date__gte=asked.after)
    ids = tuple(found.values_list("pk", flat=True))
    return Scope(documents=ids) if ids else None


def _known(
    workspace: Workspace, found: QuerySet[Document], which: Q, kind: str, name: str
) -> QuerySet[Document]:
    mine = Document.objects.filter(workspace=workspace).searchable()
    empty = kind != "type" and workspace.categories.filter(name__iexact=name).exists()
    if not empty and not mine.filter(which).exists():
        advice = "Names are spelled as the library shows them."
        if kind == "type":
            there = mine.exclude(format="").order_by("format").values_list("format", flat=True)
            advice = f"There are: {', '.join(there.distinct()) or 'none yet'}."
        raise LookupError(UNKNOWN.format(kind=kind, name=name, workspace=workspace, advice=advice))
    return found.filter(which)


class SearchForm(forms.Form):
    """A question and where to look, as they stand in the address."""

    q = forms.CharField(required=False, max_length=5000)
    category = forms.ModelChoiceField(Category.objects.none(), required=False)
    type = forms.ChoiceField(required=False)
    document = forms.ModelChoiceField(Document.objects.none(), required=False)

    def __init__(self, workspace: Workspace, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.searchable = Document.objects.filter(workspace=workspace).searchable()
        self.categories = Category.objects.filter(workspace=workspace)
        formats = self.searchable.exclude(format="").order_by("format")
        self.formats = list(formats.values_list("format", flat=True).distinct())
        self._choose("category", self.categories, "That category is gone. Choose another one.")
        self._choose("document", self.searchable, "That document is gone. Search all of them.")
        kind = self.fields["type"]
        assert isinstance(kind, forms.ChoiceField)
        kind.choices = [(name, name) for name in self.formats]

    def scope(self) -> Scope | None:
        """Where to look; None where nothing is left to look at."""
        chosen = self.cleaned_data
        if not any(chosen.get(name) for name in ("category", "type", "document")):
            return EVERYTHING
        found = self.searchable
        if chosen.get("category"):
            found = found.filter(category=chosen["category"])
        if chosen.get("type"):
            found = found.filter(format=chosen["type"])
        if chosen.get("document"):
            found = found.filter(pk=chosen["document"].pk)
        ids = tuple(found.values_list("pk", flat=True))
        return Scope(documents=ids) if ids else None

    def _choose(self, name: str, queryset: QuerySet[Any], gone: str) -> None:
        field = self.fields[name]
        assert isinstance(field, forms.ModelChoiceField)
        field.queryset = queryset
        field.error_messages["invalid_choice"] = gone
