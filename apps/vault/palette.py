"""The palette: where a person can go, found by a few letters of its name."""

from collections.abc import Iterator
from typing import Any, NamedTuple, TypeVar

from django.contrib.auth.models import User
from django.db.models import Model, QuerySet, Value
from django.urls import reverse
from django.utils.translation import gettext, gettext_lazy

from apps.chat.models import Conversation
from apps.library.models import Document, Workspace
from apps.study.models import Deck, Mindmap, Quiz, Workshop

Row = TypeVar("Row", bound=Model)

OF_A_KIND = 6  # shown at most
LONGEST = 300  # characters of what is typed


class Place(NamedTuple):
    """Where to go: by a link, or by a form where going there changes something."""

    icon: str
    title: str
    kind: str
    url: str
    field: str = ""  # of the form, with its value; "" where there is none
    value: str = ""
    is_act: bool = False


class Page(NamedTuple):
    """A page of the vault that has no name of its own in any table."""

    icon: str
    title: Any
    url: str
    for_owners: bool = False


PAGES = [
    Page("message-circle", gettext_lazy("Chat"), "chat:conversation_list"),
    Page("history", gettext_lazy("All conversations"), "chat:history"),
    Page("library", gettext_lazy("Library"), "library:document_list"),
    Page("upload", gettext_lazy("Add documents"), "library:document_upload"),
    Page("search", gettext_lazy("Search"), "library:search"),
    Page("graduation-cap", gettext_lazy("Study"), "study:home"),
    Page("repeat-2", gettext_lazy("Review"), "study:review"),
    Page("chart-column", gettext_lazy("Progress"), "progress:home"),
    Page("lightbulb", gettext_lazy("Quizzes"), "study:quiz_list"),
    Page("plus", gettext_lazy("New quiz"), "study:quiz_new"),
    Page("wallet-cards", gettext_lazy("Flashcards"), "study:deck_list"),
    Page("plus", gettext_lazy("New deck"), "study:deck_new"),
    Page("book-open", gettext_lazy("Workshops"), "study:workshop_list"),
    Page("plus", gettext_lazy("New workshop"), "study:workshop_new"),
    Page("network", gettext_lazy("Mindmaps"), "study:mindmap_list"),
    Page("plus", gettext_lazy("New mindmap"), "study:mindmap_new"),
    Page("folder", gettext_lazy("Categories"), "library:category_list"),
    Page("folder-open", gettext_lazy("Folders"), "library:folder_list"),
    Page("layers", gettext_lazy("Workspaces"), "library:workspace_list"),
    Page("quote", gettext_lazy("Prompts"), "chat:prompt_list"),
    Page("pencil", gettext_lazy("Instructions for answers"), "chat:instructions"),
    Page("settings", gettext_lazy("Account and appearance"), "vault:account"),
    Page("keyboard", gettext_lazy("Keyboard shortcuts"), "web:shortcuts"),
    Page("cpu", gettext_lazy("Models"), "vault:models"),
    Page("activity", gettext_lazy("Health"), "vault:health"),
    Page("shield-check", gettext_lazy("Audit"), "vault:audit"),
    Page("key-round", gettext_lazy("Tokens"), "vault:token_list"),
    Page("monitor", gettext_lazy("Browsers"), "vault:browsers"),
    Page("layers", gettext_lazy("Backups"), "vault:backups", for_owners=True),
    Page("user", gettext_lazy("People"), "vault:people", for_owners=True),
]
FIRST_PAGES = 8  # shown while nothing is typed


def places(person: User, workspace: Workspace, wanted: str) -> list[Place]:
    """What fits, best kinds first; for something typed also a search and a question.

    Asks the database at most four times.
    """
    wanted = " ".join(wanted.replace("\0", "").split())[:LONGEST]
    if not wanted:
        recent = Conversation.objects.owned_by(person).filter(workspace=workspace)[:OF_A_KIND]
        return [*list(_pages(person, ""))[:FIRST_PAGES], *map(_conversation, recent)]
    found = [
        *_pages(person, wanted),
        *_workspaces(person, workspace, wanted),
        *_documents(workspace, wanted),
        *_works(person, workspace, wanted),
        *_conversations(person, workspace, wanted),
    ]
    # What begins with what was typed comes first; else the kinds keep their order.
    found.sort(key=lambda place: not place.title.casefold().startswith(wanted.casefold()))
    return [*found, *_acts(wanted)]


def _pages(person: User, wanted: str) -> Iterator[Place]:
    words = wanted.casefold().split()
    for page in PAGES:
        title = str(page.title)
        fits = all(word in title.casefold() for word in words)
        if fits and (person.is_superuser or not page.for_owners):
            yield Place(page.icon, title, gettext("Page"), reverse(page.url))


def _named(rows: QuerySet[Row], field: str, wanted: str) -> QuerySet[Row]:
    """The rows whose name has every word."""
    for word in wanted.split():
        rows = rows.filter(**{f"{field}__icontains": word})
    return rows


def _workspaces(person: User, opened: Workspace, wanted: str) -> Iterator[Place]:
    others = Workspace.objects.owned_by(person).exclude(pk=opened.pk)
    for found in _named(others, "name", wanted)[:OF_A_KIND]:
        url = reverse("library:workspace_switch", args=[found.pk])
        yield Place("layers", found.name, gettext("Workspace"), url, is_act=True)


def _documents(workspace: Workspace, wanted: str) -> Iterator[Place]:
    of_this = Document.objects.filter(workspace=workspace).order_by("-pk")
    for found in _named(of_this, "name", wanted)[:OF_A_KIND]:
        yield Place("file-text", found.name, gettext("Document"), found.get_absolute_url())


def _works(person: User, workspace: Workspace, wanted: str) -> Iterator[Place]:
    """Quizzes, decks, workshops and mindmaps, asked for at once."""
    kinds = {
        "quiz": (Quiz, "lightbulb", gettext("Quiz")),
        "deck": (Deck, "wallet-cards", gettext("Deck")),
        "workshop": (Workshop, "book-open", gettext("Workshop")),
        "mindmap": (Mindmap, "network", gettext("Mindmap")),
    }
    legs = [
        _named(model.objects.owned_by(person).filter(workspace=workspace), "title", wanted)
        .order_by()
        .annotate(kind=Value(kind))
        .values_list("id", "title", "kind")
        for kind, (model, _, _) in kinds.items()
    ]
    for pk, title, kind in legs[0].union(*legs[1:]).order_by("-id")[:OF_A_KIND]:
        _, icon, word = kinds[kind]
        yield Place(icon, title, word, reverse(f"study:{kind}", args=[pk]))


def _conversations(person: User, workspace: Workspace, wanted: str) -> Iterator[Place]:
    mine = Conversation.objects.owned_by(person).filter(workspace=workspace)
    yield from map(_conversation, _named(mine, "title", wanted)[:OF_A_KIND])


def _conversation(found: Conversation) -> Place:
    icon, kind = "message-circle", gettext("Conversation")
    return Place(icon, str(found), kind, found.get_absolute_url())


def _acts(wanted: str) -> Iterator[Place]:
    title = gettext("Search for “%(words)s”") % {"words": wanted}
    url = reverse("library:search", query={"q": wanted})
    yield Place("search", title, gettext("Search"), url)
    title = gettext("Ask “%(words)s”") % {"words": wanted}
    yield Place(
        *("message-circle-question-mark", title, gettext("Chat"), reverse("chat:ask")),
        field="question",
        value=wanted,
        is_act=True,
    )
