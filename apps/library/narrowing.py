"""What a search is narrowed to: by the filters of the page, and by operators in the question."""

import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import timedelta
from typing import Any
from urllib.parse import urlencode

from django import forms
from django.conf import settings
from django.db.models import Q, QuerySet
from django.db.models.functions import Coalesce
from django.http import QueryDict
from django.utils import timezone
from django.utils.translation import get_language_info, gettext_lazy, override
from django.utils.translation import gettext as _

from apps.library.analysis.languages import SNOWBALL
from apps.library.asking import ALL, Asked
from apps.library.models import Category, Document, Workspace
from apps.library.naming import FORMATS, format_words, language_name
from apps.library.search import EVERYTHING, Place, Scope

KINDS = {
    "name": gettext_lazy("There is no category or document called “%(name)s” in %(workspace)s."),
    "category": gettext_lazy("There is no category called “%(name)s” in %(workspace)s."),
    "type": gettext_lazy("There is no document of type “%(name)s” in %(workspace)s."),
    "language": gettext_lazy("There is no document in “%(name)s” in %(workspace)s."),
}
SPELLED = gettext_lazy("Names are spelled as the library shows them.")
CAME_IN = (
    ("7", gettext_lazy("Added in the last 7 days")),
    ("30", gettext_lazy("Added in the last 30 days")),
    ("365", gettext_lazy("Added in the last year")),
)


def places(
    workspace: Workspace,
    asked: Asked,
    scope: Scope | None = EVERYTHING,
    *,
    everywhere: bool = False,
) -> list[Place]:
    """Where to look: in the open workspace, or in those of its owner that are asked for.

    No place is left where nothing fits. Raises LookupError for a workspace that is not theirs, and
    for a category, name, type or language that is in none of the workspaces.
    """
    if scope is None:
        return []
    found: list[Place] = []
    wrong: list[LookupError] = []
    there = _workspaces(workspace, asked.workspaces, everywhere)
    for one in there:
        try:
            if (left := narrowed(one, asked, scope)) is not None:
                found.append(Place(one, left))
        except LookupError as error:
            wrong.append(error)
    if len(wrong) == len(there):
        raise wrong[0]
    return found


def _workspaces(open_: Workspace, names: Sequence[str], everywhere: bool) -> list[Workspace]:
    if not names and not everywhere:
        return [open_]
    mine = list(Workspace.objects.owned_by(open_.owner))
    wanted = {name.casefold() for name in names}
    if everywhere or wanted.intersection(ALL):
        return mine
    found = [workspace for workspace in mine if workspace.name.casefold() in wanted]
    known = {workspace.name.casefold() for workspace in mine}
    for name in names:
        if name.casefold() not in known:
            there = ", ".join(map(str, mine))
            told = _("You have no workspace called “%(name)s”. There are: %(names)s.")
            raise LookupError(told % {"name": name, "names": there})
    return found


def narrowed(workspace: Workspace, asked: Asked, scope: Scope = EVERYTHING) -> Scope | None:
    """The part of a scope that the operators leave; None where no document is left.

    Raises LookupError, which says what there is, for a category, name, type or language that is
    not there.
    """
    if not asked.narrows:
        return scope
    found: QuerySet[Document] = Document.objects.filter(workspace=workspace).searchable()
    if scope != EVERYTHING:
        found = found.filter(Q(category__in=scope.categories) | Q(pk__in=scope.documents))
    for name in asked.names:
        ending = Q(name__iregex=rf"^{re.escape(name)}\.\w{{1,8}}$")  # which nobody says
        named = Q(category__name__iexact=name) | Q(name__iexact=name) | ending
        found = _known(workspace, found, named, "name", name)
    for name in asked.categories:
        found = _known(workspace, found, Q(category__name__iexact=name), "category", name)
    for name in asked.types:
        named = Q(format=name) | Q(name__iendswith=f".{name}") | Q(format__in=_formats(name))
        found = _known(workspace, found, named, "type", name)
    for name in asked.languages:
        found = _known(workspace, found, Q(language=_code(name)), "language", name)
    dated = found.annotate(dated=Coalesce("changed_at", "created_at"))
    if asked.after:
        dated = dated.filter(dated__date__gte=asked.after)
    if asked.before:
        dated = dated.filter(dated__date__lt=asked.before)
    ids = tuple(dated.values_list("pk", flat=True))
    return Scope(documents=ids) if ids else None


def _formats(name: str) -> list[str]:
    """The formats that a filter calls so, in whatever language: "word" is "docx"."""
    return [form for form, (_icon, word) in FORMATS.items() if name in _in_each_language(word)]


def _in_each_language(word: object) -> set[str]:
    """A word of the vault in all the languages it speaks, in lower case."""
    found = set()
    for code, _name in settings.LANGUAGES:
        with override(code):
            found.add(str(word).casefold())
    return found


def _code(name: str) -> str:
    """The code of a language by its name, or what was given: "german" and "deutsch" are "de"."""
    for code in SNOWBALL:
        try:
            known = get_language_info(code)
        except KeyError:
            continue
        translated = _in_each_language(gettext_lazy(known["name"]))
        if name in {known["name"].casefold(), known["name_local"].casefold(), *translated}:
            return code
    return name[:2] if len(name) > 2 and name[2] in "-_" else name


def _known(
    workspace: Workspace, found: QuerySet[Document], which: Q, kind: str, name: str
) -> QuerySet[Document]:
    mine = Document.objects.filter(workspace=workspace).searchable()
    is_name = kind in ("name", "category")
    empty = is_name and workspace.categories.filter(name__iexact=name).exists()
    if not empty and not mine.filter(which).exists():
        advice = str(SPELLED)
        if not is_name:
            column = "format" if kind == "type" else "language"
            there = mine.exclude(**{column: ""}).order_by(column).values_list(column, flat=True)
            told = format_words if kind == "type" else str  # as the filters are called
            known = ", ".join(sorted(map(told, there.distinct()))) or _("none yet")
            advice = _("There are: %(names)s.") % {"names": known}
        raise LookupError(f"{KINDS[kind] % {'name': name, 'workspace': workspace}} {advice}")
    return found.filter(which)


def kinds_of(workspace: Workspace, data: QueryDict) -> QuerySet[Any, Any]:
    """The formats and languages of the documents that an address may find, as rows."""
    found = Document.objects.filter(**_which(workspace, data)).searchable()
    return found.order_by().values("format", "language").distinct()


def _which(workspace: Workspace, data: QueryDict) -> dict[str, Any]:
    """Whose documents are searched: the workspace's, or those of all workspaces of its owner."""
    everywhere = bool(data.get("everywhere"))
    return {"workspace__owner": workspace.owner_id} if everywhere else {"workspace": workspace}


NOT_THERE = {
    "type": gettext_lazy("No document here is of that type. Choose another one."),
    "language": gettext_lazy("No document here is in that language. Choose another one."),
    "added": gettext_lazy("There is no such time to choose. Choose one of those offered."),
}
TOO_LONG = gettext_lazy(
    "That is too long to search for: %(show_value)s characters, at most %(limit_value)s. Shorten"
    " it to what you want to know."
)


class SearchForm(forms.Form):
    """A question and where to look, as they stand in the address."""

    FILTERS = ("category", "type", "document", "language", "added")

    q = forms.CharField(required=False, max_length=5000, error_messages={"max_length": TOO_LONG})
    everywhere = forms.BooleanField(required=False)
    category = forms.ModelChoiceField(Category.objects.none(), required=False)
    type = forms.ChoiceField(required=False)
    document = forms.ModelChoiceField(Document.objects.none(), required=False)
    language = forms.ChoiceField(required=False)
    added = forms.ChoiceField(choices=CAME_IN, required=False)

    def __init__(
        self,
        workspace: Workspace,
        data: QueryDict,
        kinds: Iterable[Mapping[str, str]] | None = None,
    ) -> None:
        """Of what `kinds` asks for where that has been asked already."""
        super().__init__(data)
        self.workspace = workspace
        which = _which(workspace, data)
        self.everything = Document.objects.filter(**which)
        self.searchable = self.everything.searchable()
        seen = list(kinds_of(workspace, data) if kinds is None else kinds)
        self.formats = sorted({kind["format"] for kind in seen} - {""})
        self.languages = sorted({kind["language"] for kind in seen} - {""})
        categories = Category.objects.filter(**which)
        self._choose("category", categories, _("That category is gone. Choose another one."))
        self._choose("document", self.searchable, _("That document is gone. Search all of them."))
        for name, there in (("type", self.formats), ("language", self.languages)):
            field = self.fields[name]
            assert isinstance(field, forms.ChoiceField)
            field.choices = [(value, value) for value in there]
        for name, told in NOT_THERE.items():
            self.fields[name].error_messages["invalid_choice"] = told

    @property
    def narrows(self) -> bool:
        """Whether any filter is set, in whatever workspace."""
        return any(self.cleaned_data.get(name) for name in self.FILTERS)

    def scope(self) -> Scope | None:
        """Where to look; None where nothing is left to look at."""
        chosen = self.cleaned_data
        if not self.narrows:
            return EVERYTHING
        found = self.searchable
        if chosen.get("category"):
            found = found.filter(category=chosen["category"])
        if chosen.get("type"):
            found = found.filter(format=chosen["type"])
        if chosen.get("language"):
            found = found.filter(language=chosen["language"])
        if chosen.get("added"):
            since = timezone.now() - timedelta(days=int(chosen["added"]))
            found = found.filter(created_at__gte=since)
        if chosen.get("document"):
            found = found.filter(pk=chosen["document"].pk)
        ids = tuple(found.values_list("pk", flat=True))
        return Scope(documents=ids) if ids else None

    @property
    def chosen(self) -> tuple[str, ...]:
        """The filters that are set, as their buttons call them."""
        given = self.cleaned_data
        said = {
            "category": str(given.get("category") or ""),
            "type": format_words(given["type"]) if given.get("type") else "",
            "document": str(given.get("document") or ""),
            "language": language_name(given["language"]) if given.get("language") else "",
            "added": str(dict(CAME_IN).get(given.get("added", ""), "")),
        }
        return tuple(said[name] for name in self.FILTERS if said[name])

    def address(self) -> str:
        """Question and filters as they stand in the address, always in the same order."""
        chosen = [(name, self.cleaned_data.get(name)) for name in self.fields]
        return urlencode([(name, _written(value)) for name, value in chosen if value])

    def _choose(self, name: str, queryset: QuerySet[Any], gone: str) -> None:
        field = self.fields[name]
        assert isinstance(field, forms.ModelChoiceField)
        field.queryset = queryset
        field.error_messages["invalid_choice"] = gone


def _written(value: Any) -> str:
    return "1" if value is True else str(getattr(value, "pk", value))


class SavingForm(forms.Form):
    """The name a search is kept under."""

    name = forms.CharField(max_length=120)
