"""One form per act of the library room."""

from collections.abc import Iterable
from typing import Any

from django import forms
from django.core.files.uploadedfile import UploadedFile
from django.db import models
from django.http import QueryDict
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from apps.library import listing
from apps.library.models import Category, Document, Workspace


class FilesInput(forms.ClearableFileInput):
    allow_multiple_selected = True


class FilesField(forms.FileField):
    """Any number of files; each is looked at on its own, so that one bad one stops no other."""

    widget = FilesInput

    def clean(self, data: Any, initial: Any = None) -> "list[UploadedFile[Any]]":
        files = data if isinstance(data, list | tuple) else [data]
        if not any(files):
            raise forms.ValidationError(_("Choose at least one file."))
        return [file for file in files if file is not None]


class NameForm(forms.Form):
    """A name for one of several things, of which no two may have the same."""

    name = forms.CharField(
        max_length=80,
        error_messages={
            "max_length": gettext_lazy(
                "A name has at most %(limit_value)s characters, and this one has %(show_value)s."
            )
        },
    )

    def __init__(self, others: models.QuerySet[Any], *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.others = others

    def clean_name(self) -> str:
        name = str(self.cleaned_data["name"])
        if self.others.filter(name__iexact=name).exists():
            raise forms.ValidationError(
                _("“%(name)s” is there already. Choose another name.") % {"name": name}
            )
        return name


class DocumentNameForm(forms.Form):
    """What a person calls a document; two may have the same name."""

    name = forms.CharField(max_length=255)


class MoveForm(forms.Form):
    """The category documents go to; none takes them out of all."""

    category = forms.ModelChoiceField(
        queryset=Category.objects.none(), required=False, empty_label=gettext_lazy("No category")
    )

    def __init__(self, workspace: Workspace, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        field = self.fields["category"]
        assert isinstance(field, forms.ModelChoiceField)
        field.queryset = workspace.categories.all()

    def offer(self, categories: Iterable[Category]) -> None:
        """Show these categories, which are known already, instead of asking for them."""
        field = self.fields["category"]
        assert isinstance(field, forms.ModelChoiceField)
        known = [(category.pk, str(category)) for category in categories]
        field.choices = [("", field.empty_label or ""), *known]


class UploadForm(MoveForm):
    """Files, and the category they go to."""

    file = FilesField(label=gettext_lazy("Files"), allow_empty_file=True)
    field_order = ["file", "category"]


class SelectionForm(MoveForm):
    """The documents ticked in the list, and what is to become of them."""

    document = forms.ModelMultipleChoiceField(queryset=Document.objects.none(), required=False)
    every = forms.CharField(required=False)  # the list's address: all it would show
    confirmed = forms.BooleanField(required=False)

    def __init__(self, workspace: Workspace, *args: Any, **kwargs: Any) -> None:
        super().__init__(workspace, *args, **kwargs)
        field = self.fields["document"]
        assert isinstance(field, forms.ModelMultipleChoiceField)
        self.workspace = workspace
        field.queryset = workspace.documents.exclude(state=Document.State.DELETING)

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        if cleaned.get("every"):
            query = QueryDict(cleaned["every"].removeprefix("?"))
            cleaned["document"] = listing.chosen(
                self.workspace, listing.Wanted.from_query(query.dict())
            )
        elif not cleaned.get("document"):
            self.add_error("document", _("Tick documents first."))
        return cleaned


class CategoryDeletionForm(forms.Form):
    """What becomes of a category's documents when it goes."""

    KEEP, DELETE = "keep", "delete"
    documents = forms.ChoiceField(
        choices=[(KEEP, gettext_lazy("Keep")), (DELETE, gettext_lazy("Delete"))], initial=KEEP
    )


class FolderRulesForm(forms.Form):
    """How a folder is watched: which of its files, and what becomes of them."""

    include = forms.CharField(required=False, max_length=4000)
    exclude = forms.CharField(required=False, max_length=4000)
    by_subfolder = forms.BooleanField(required=False)
    follow_deletions = forms.BooleanField(required=False)


class FolderForm(FolderRulesForm):
    """A folder of this machine to watch, and how."""

    path = forms.CharField(label=gettext_lazy("Folder"), max_length=4000)


class PageForm(MoveForm):
    """The address of a web page or file, and the category it goes to."""

    url = forms.CharField(label=gettext_lazy("Address"), max_length=2000)
    field_order = ["url", "category"]
