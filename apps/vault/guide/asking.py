"""Ask the guide: its pages as documents of a workspace, read and found like all others."""

from io import BytesIO

from django.contrib.auth.models import User
from django.db import transaction
from django.utils.translation import gettext as _

from apps.library import ingestion
from apps.library.models import Document, Workspace
from apps.vault.guide.pages import pages

SOURCE = "guide:"  # and the language, and the page


def workspace_for(person: User, language: str) -> Workspace:
    """The person's workspace with the guide in this language, made and brought up to date.

    A page that has not changed costs its hash. Raises ingestion.NotAccepted for a full disk.
    """
    with transaction.atomic():
        User.objects.select_for_update(no_key=True).get(pk=person.pk)  # clicked twice
        workspace = kept_by(person, language) or _made_for(person)
    begin = f"{SOURCE}{language}:"
    shipped = {f"{begin}{page.slug}": page for page in pages(language)}
    for source, page in shipped.items():
        name = f"{page.title}.md"
        ingestion.accept(workspace, BytesIO(page.text.encode()), name, source=source)
    for old in workspace.documents.filter(source__startswith=begin).exclude(source__in=shipped):
        ingestion.discard(old)
    return workspace


def kept_by(person: User, language: str) -> Workspace | None:
    """The workspace in which the person has the guide in this language, if there is one."""
    document = (
        Document.objects.owned_by(person)
        .filter(source__startswith=f"{SOURCE}{language}:")
        .select_related("workspace")
        .order_by("pk")
        .first()
    )
    return document.workspace if document else None


def is_guide(workspace: Workspace) -> bool:
    """Whether the guide is in this workspace."""
    return workspace.documents.filter(source__startswith=SOURCE).exists()


def starters() -> list[str]:
    """Three questions to begin with."""
    return [
        _("What do the marks behind a sentence mean?"),
        _("How do I look for exact words in one document?"),
        _("What can I do when a PDF could not be read?"),
    ]


def _made_for(person: User) -> Workspace:
    """A workspace of its own: one of that name with other documents is left alone."""
    mine, number = Workspace.objects.owned_by(person), 1
    while True:
        name = _("Guide") if number == 1 else f"{_('Guide')} {number}"
        workspace, made = mine.get_or_create(owner=person, name=name)
        if made or not workspace.documents.exists():
            return workspace
        number += 1
