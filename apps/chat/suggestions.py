"""Questions to begin with, made from what the documents call themselves and their sections."""

import re

from django.db.models import Case, Exists, Min, OuterRef, QuerySet, When
from django.db.models.functions import Length
from django.utils.text import Truncator
from django.utils.translation import get_language

from apps.chat.steps import Account
from apps.library.models import Chunk, Document, Workspace

MOST = 3
MANY = 400  # headings looked at
NEAR = 40  # passages looked at after a cited one
NEWEST = 12  # documents looked at; those with sections give the better questions
LEAST = 40  # characters of a passage; a document that has none so long says nothing
UNNAMED = "Beginning"  # what the readers call that which stands before the first heading
# Names that say nothing of what is in a file: a scanner's, a camera's, a hurried person's.
NO_NAME = re.compile(
    r"^(?:test|scan|scanned|img|image|dsc|dscn|pxl|photo|foto|bild|screenshot|bildschirmfoto|whatsapp"
    r"|pdf|doc|docx|document|dokument|file|datei|download|export|untitled|unbenannt|new|neu|neue[sr]?"
    r"|page|seite|sample|example|beispiel|copy|kopie|temp|tmp|final|draft|entwurf|version|v|of|von"
    r"|image|[0-9a-f]{8,}|\d+|[\W_])*$",
    re.I,
)
HEADING = re.compile(r"^#{1,3} +(.+)$", re.M)
TITLE = (6, 60)  # characters
ASK: dict[str, tuple[str, str]] = {  # of a section, of a whole document
    "de": ("Was steht in „{title}“ zu „{section}“?", "Worum geht es in „{title}“?"),
    "en": ("What does “{title}” say about {section}?", "What is “{title}” about?"),
}


def suggestions(workspace: Workspace) -> list[str]:
    """Up to three questions, each about another of the newest documents.

    Those in the reader's own language come first, then the others.
    """
    spoken = (get_language() or "")[:2]
    newest = list(_telling(workspace.documents.searchable(), spoken)[:NEWEST])
    sections = _sections(newest)
    titles = {document.pk: _title(document) for document in newest}
    nameless = [document for document in newest if not titles[document.pk]]
    titles |= _first_headings(nameless)
    newest.sort(key=lambda each: (each.language != spoken, each.pk not in sections))  # stable
    asked = [
        _question(document.language, titles[document.pk], sections.get(document.pk, ""))
        for document in newest
        if titles[document.pk]
    ]
    return list(dict.fromkeys(asked))[:MOST]


def _telling(documents: QuerySet[Document], spoken: str) -> QuerySet[Document]:
    """Those of the documents that have a passage worth a question, in a language first."""
    passages = Chunk.objects.filter(document=OuterRef("pk")).annotate(length=Length("text"))
    own = Case(When(language=spoken, then=0), default=1)
    return documents.filter(Exists(passages.filter(length__gte=LEAST))).order_by(
        own, *(Document._meta.ordering or ())
    )


def followups(account: Account, language: str = "") -> list[str]:
    """Up to two questions about what stands after the passages an answer cites; in one query.

    They are in the language given, that of the question, else in that of the document.
    """
    cited = [source.chunk for source in account.sources if source.used and source.chunk]
    if not cited or account.refused:
        return []
    read = {source.label.rpartition("›")[2].strip() for source in account.sources}
    after = Chunk.objects.filter(
        document__in=Chunk.objects.filter(pk__in=cited).values("document"),
        heading__contains="›",
        pk__gt=min(cited),
    )
    asked: dict[str, str] = {}
    for chunk in after.select_related("document").order_by("pk")[:NEAR]:
        section = chunk.heading.rpartition("›")[2].strip()
        if 3 < len(section) <= 48 and section not in read | {UNNAMED}:
            title = _title(chunk.document) or chunk.document.name
            spoken = language or chunk.document.language
            asked.setdefault(section, _question(spoken, title, section))
    return list(asked.values())[:2]


def _question(language: str, title: str, section: str) -> str:
    of_section, of_whole = ASK["de" if language == "de" else "en"]
    form = of_section if section else of_whole
    return form.format(title=title, section=section)


def _title(document: Document) -> str:
    """What to call it in a question; "" where its name says nothing and it has no title."""
    name = document.name.rpartition(".")[0] or document.name
    own = " ".join(document.title.split())
    if " " in own and len(own) <= TITLE[1] and not NO_NAME.match(own):
        return own
    if NO_NAME.match(name):
        return ""
    return Truncator(name.replace("_", " ").strip()).chars(TITLE[1], truncate="…")


def _first_headings(documents: list[Document]) -> dict[int, str]:
    """What the first passage of each says in its heading, else in a short first line; one query."""
    first = Chunk.objects.filter(document__in=documents, ordinal=0).values_list(
        "document_id", "heading", "text"
    )
    found = dict.fromkeys((document.pk for document in documents), "")
    for document_id, heading, text in first:
        marked = HEADING.search(text)
        lines = [heading.partition("›")[0], marked[1] if marked else "", text.split("\n")[0]]
        for line in (" ".join(each.strip("#*_ ").split()) for each in lines):
            if TITLE[0] <= len(line) <= TITLE[1] and not NO_NAME.match(
                line.rpartition(".")[0] or line
            ):
                found[document_id] = line
                break
    return found


def _sections(documents: list[Document]) -> dict[int, str]:
    """For each document that has some a section below its title, from its middle; in one query."""
    headings = (
        Chunk.objects.filter(document__in=documents, heading__contains="›")
        .values_list("document_id", "heading")
        .annotate(first=Min("ordinal"))
        .order_by("first")[:MANY]
    )
    names: dict[int, list[str]] = {}
    for document_id, heading, _ in headings:
        name = heading.rpartition("›")[2].strip()
        if 3 < len(name) <= 48 and name != UNNAMED:
            names.setdefault(document_id, []).append(name)
    return {document_id: each[len(each) // 2] for document_id, each in names.items()}
