"""What a person chooses before something is made: how many, how hard, from what."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from django import forms
from django.utils.text import format_lazy
from django.utils.translation import gettext, pgettext_lazy
from django.utils.translation import gettext_lazy as _

from apps.library.models import Document, Workspace
from apps.study.models import Difficulty, Question

if TYPE_CHECKING:
    from django.utils.functional import _StrPromise as StrPromise

SHOWN = 300  # documents offered one by one; beyond that categories are the way to choose
EVERYTHING = "all"
LEVELS = {
    Difficulty.BEGINNER: _("Beginner: facts and definitions"),
    Difficulty.INTERMEDIATE: _("Intermediate: reasons and connections"),
    Difficulty.ADVANCED: _("Advanced: consequences, exceptions, mistakes"),
}


class ScopeForm(forms.Form):
    """From what: everything, unless categories or documents are chosen."""

    scope = forms.MultipleChoiceField(
        label=pgettext_lazy("scope", "From"),
        widget=forms.CheckboxSelectMultiple,
        initial=[EVERYTHING],
        help_text=_("Choose categories or documents, and only they are used."),
        error_messages={"required": _("Choose at least one document or category.")},
    )
    untouched_only = forms.BooleanField(label=_("Only what I have not touched yet"), required=False)

    def __init__(self, workspace: Workspace, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.workspace = workspace
        if self.is_bound:
            self.data = _narrowed(self.data)
        self.fields["scope"].choices = self._choices()  # type: ignore[attr-defined]

    def _choices(self) -> list[tuple[str, Any]]:
        documents = Document.objects.filter(workspace=self.workspace, chunk_count__gt=0)
        categories = self.workspace.categories.filter(documents__chunk_count__gt=0).distinct()
        choices: list[tuple[str, Any]] = [(EVERYTHING, gettext("Everything in this workspace"))]
        if categories:
            choices.append((gettext("Categories"), [(f"c{c.pk}", c.name) for c in categories]))
        newest = documents.only("pk", "name").order_by("-created_at")[:SHOWN]
        if newest:
            choices.append((gettext("Documents"), [(f"d{d.pk}", d.name) for d in newest]))
        return choices

    @property
    def everywhere(self) -> bool:
        """Whether everything was chosen, and nothing of it by itself."""
        return set(self.cleaned_data["scope"]) == {EVERYTHING}

    def chosen(self, letter: str) -> list[int]:
        """The ids chosen: of categories ("c") or documents ("d")."""
        picked = self.cleaned_data["scope"]
        return [int(value[1:]) for value in picked if value[0] == letter and value[1:].isdecimal()]


def quick(told: "StrPromise") -> forms.BooleanField:
    """The choice to have it made by rule; `told` says of what."""
    return forms.BooleanField(
        label=_("Quick: by rule, without the language model"), help_text=told, required=False
    )


class MindmapForm(ScopeForm):
    quick = quick(_("From headings and telling words, in seconds."))


class LevelForm(ScopeForm):
    """The same, with a level."""

    difficulty = forms.ChoiceField(
        label=_("Level"),
        choices=list(LEVELS.items()),
        initial=Difficulty.BEGINNER,
        widget=forms.RadioSelect,
    )


def _narrowed(data: Any) -> Any:
    """What was sent without "everything" where something is chosen beside it, so that a form that
    comes back says what is meant."""
    picked = data.getlist("scope") if hasattr(data, "getlist") else []
    if EVERYTHING not in picked or set(picked) == {EVERYTHING}:
        return data
    data = data.copy()
    data.setlist("scope", [each for each in picked if each != EVERYTHING])
    return data


def counts(numbers: Sequence[int], told: "StrPromise") -> forms.TypedChoiceField:
    """A choice of how many; `told` has {} where the number stands."""
    return forms.TypedChoiceField(
        label=_("How many"),
        coerce=int,
        choices=[(number, format_lazy(told, number)) for number in numbers],
        initial=numbers[0],
        widget=forms.RadioSelect,
    )


class QuizForm(LevelForm):
    asked = counts((5, 10, 20), _("{} questions"))
    types = forms.MultipleChoiceField(
        label=_("Questions"),
        choices=Question.Type.choices,
        initial=Question.Type.values,
        widget=forms.CheckboxSelectMultiple,
    )
    quick = quick(_("Sentences of your documents with a gap, in seconds."))
    field_order = ("asked", "types", "difficulty", "scope", "untouched_only", "quick")


class DeckForm(LevelForm):
    asked = counts((10, 20, 40), _("{} cards"))
    quick = quick(_("Sentences of your documents with a gap, in seconds."))
    field_order = ("asked", "difficulty", "scope", "untouched_only", "quick")


class CardForm(forms.Form):
    front = forms.CharField(
        label=pgettext_lazy("side of a card", "Front"),
        max_length=2000,
        widget=forms.Textarea(attrs={"rows": 3}),
    )
    back = forms.CharField(
        label=pgettext_lazy("side of a card", "Back"),
        max_length=4000,
        widget=forms.Textarea(attrs={"rows": 3}),
    )


class WorkshopForm(LevelForm):
    asked = counts((5, 10), _("{} lessons"))
    field_order = ("asked", "difficulty", "scope", "untouched_only")


class ImportForm(forms.Form):
    file = forms.FileField(
        label=_("Anki package or table"),
        help_text=_(
            "An .apkg from Anki with its review history, or a CSV or TSV with a front and a back "
            "in each row. Images and sounds stay out."
        ),
        widget=forms.FileInput(attrs={"accept": ".apkg,.csv,.tsv,.txt"}),
    )


class TitleForm(forms.Form):
    title = forms.CharField(max_length=200, label=_("Title"))
