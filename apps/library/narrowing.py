"""What a search is narrowed to: a category, a type of file, one document."""

from typing import Any

from django import forms
from django.db.models import QuerySet

from apps.library.models import Category, Document, Workspace
from apps.library.search import EVERYTHING, Scope


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
