"""Questions to begin with, made from what the documents call themselves and their sections."""

from apps.library.models import Chunk, Document, Workspace

MOST = 3
ASK: dict[str, tuple[str, str]] = {  # of a section, of a whole document
    "de": ("Was steht in „{title}“ zu „{section}“?", "Worum geht es in „{title}“?"),
    "en": ("What does “{title}” say about {section}?", "What is “{title}” about?"),
}


def suggestions(workspace: Workspace) -> list[str]:
    """Up to three questions, each about another of the newest documents."""
    newest = workspace.documents.searchable()[:MOST]
    return [_question(document) for document in newest]


def _question(document: Document) -> str:
    of_section, of_whole = ASK["de" if document.language == "de" else "en"]
    title = _title(document)
    if section := _section(document):
        return of_section.format(title=title, section=section)
    return of_whole.format(title=title)


def _title(document: Document) -> str:
    name = document.name.rpartition(".")[0] or document.name
    title = document.title if 3 < len(document.title) <= 60 else name
    return title.replace("_", " ").strip()


def _section(document: Document) -> str:
    """A heading below the document's own title, from its middle; empty where there is none."""
    headings = (
        Chunk.objects.filter(document=document, heading__contains="›")
        .order_by("ordinal")
        .values_list("heading", flat=True)[:40]
    )
    names = [heading.rpartition("›")[2].strip() for heading in headings]
    fitting = [name for name in dict.fromkeys(names) if 3 < len(name) <= 48]
    return fitting[len(fitting) // 2] if fitting else ""
