"""Questions to begin with, made from what the documents call themselves and their sections."""

from django.db.models import Min

from apps.chat.steps import Account
from apps.library.models import Chunk, Document, Workspace

MOST = 3
MANY = 400  # headings looked at
NEAR = 40  # passages looked at after a cited one
NEWEST = 12  # documents looked at; those with sections give the better questions
UNNAMED = "Beginning"  # what the readers call that which stands before the first heading
ASK: dict[str, tuple[str, str]] = {  # of a section, of a whole document
    "de": ("Was steht in „{title}“ zu „{section}“?", "Worum geht es in „{title}“?"),
    "en": ("What does “{title}” say about {section}?", "What is “{title}” about?"),
}


def suggestions(workspace: Workspace) -> list[str]:
    """Up to three questions, each about another of the newest documents."""
    newest = list(workspace.documents.searchable()[:NEWEST])
    sections = _sections(newest)
    newest.sort(key=lambda document: document.pk not in sections)  # stable: the newest first
    return [_question(document, sections.get(document.pk, "")) for document in newest[:MOST]]


def followups(account: Account) -> list[str]:
    """Up to two questions about what stands after the passages an answer cites; in one query."""
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
            asked.setdefault(section, _question(chunk.document, section))
    return list(asked.values())[:2]


def _question(document: Document, section: str) -> str:
    of_section, of_whole = ASK["de" if document.language == "de" else "en"]
    form = of_section if section else of_whole
    return form.format(title=_title(document), section=section)


def _title(document: Document) -> str:
    name = document.name.rpartition(".")[0] or document.name
    title = document.title if " " in document.title and len(document.title) <= 60 else name
    return title.replace("_", " ").strip()


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
