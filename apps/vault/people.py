"""The people of a vault: owners let them in, and may show them out again.

Everybody has workspaces of their own and sees nothing of the others'. A new person gets no password
from an owner but a link, good for one password and three days; so does one who forgot theirs.
"""

from dataclasses import dataclass
from typing import Any

from django.conf import settings
from django.contrib.auth.models import User
from django.contrib.auth.tokens import default_token_generator
from django.db import transaction
from django.db.models import Count, QuerySet, Sum
from django.utils.encoding import force_bytes
from django.utils.http import urlsafe_base64_decode, urlsafe_base64_encode
from django.utils.translation import gettext as _

from apps.chat.models import Conversation
from apps.library import ingestion
from apps.library.models import Document, Workspace
from apps.study.models import Deck, Mindmap, Quiz, Workshop
from apps.vault import owner
from apps.web import browsers, rail, throttle

LINK_DAYS = settings.PASSWORD_RESET_TIMEOUT // 86_400
KINDS = (Quiz, Workshop, Deck, Mindmap)


class NotDone(Exception):
    """What was asked would leave the vault without an owner; str() is for the reader."""


@dataclass(frozen=True, slots=True)
class Belongings:
    """What goes with a person who is deleted."""

    workspaces: int
    documents: int
    size: int  # bytes
    conversations: int
    studies: int  # quizzes, workshops, decks and maps


def everybody() -> QuerySet[User]:
    """All people by name, each with `documents`: how many are theirs."""
    return User.objects.annotate(documents=Count("workspaces__documents")).order_by("username")


def add(name: str, *, is_owner: bool = False) -> User:
    """Make an account that nobody can sign in with until its link was followed."""
    role = {"is_superuser": is_owner, "is_staff": is_owner}
    return User.objects.create_user(name, **role)  # type: ignore[arg-type]


def link_parts(person: User) -> tuple[str, str]:
    """The two words of a link by which this person may choose a password, once."""
    token = default_token_generator.make_token(person)
    return urlsafe_base64_encode(force_bytes(person.pk)), token


def of_link(number: str, token: str) -> User | None:
    """Whose link this is; None where it was used, is too old, or was never given."""
    try:
        found = User.objects.get(pk=int(urlsafe_base64_decode(number)), is_active=True)
    except (ValueError, OverflowError, User.DoesNotExist):
        return None
    return found if default_token_generator.check_token(found, token) else None


def has_chosen(person: User) -> None:
    """After a new password: whoever else was signed in with the old one is out."""
    browsers.end_all(person)
    throttle.unlock(name=person.get_username())


def set_owner(person: User, is_owner: bool) -> None:
    """Make somebody an owner, or a member again. Raises NotDone for the last owner."""
    with transaction.atomic():
        owner.hold()
        if not is_owner:
            _another_owns(person)
        person.is_superuser = person.is_staff = is_owner
        person.save(update_fields=["is_superuser", "is_staff"])


def set_active(person: User, is_active: bool) -> None:
    """Let somebody in again, or keep them out: their browsers and programs at once, not their
    documents. Raises NotDone for the last owner."""
    with transaction.atomic():
        owner.hold()
        if not is_active:
            _another_owns(person)
            browsers.end_all(person)
        person.is_active = is_active
        person.save(update_fields=["is_active"])


def belongings(person: User) -> Belongings:
    documents = Document.objects.filter(workspace__owner=person)
    theirs: dict[str, QuerySet[Any, Any]] = {
        "workspaces": Workspace.objects.owned_by(person).values("owner"),
        "documents": documents.values("workspace__owner").annotate(size=Sum("size")),
        "conversations": Conversation.objects.filter(owner=person).values("owner"),
        **{str(kind): kind.objects.filter(owner=person).values("owner") for kind in KINDS},
    }
    found = rail.together(
        {name: rows.order_by().annotate(number=Count("pk")) for name, rows in theirs.items()}
    )
    number = {name: sum(row["number"] for row in rows) for name, rows in found.items()}
    return Belongings(
        workspaces=number["workspaces"],
        documents=number["documents"],
        size=sum(row["size"] or 0 for row in found["documents"]),
        conversations=number["conversations"],
        studies=sum(number[str(kind)] for kind in KINDS),
    )


def delete(person: User) -> None:
    """Delete somebody with all that is theirs. Interrupted, it goes on when asked again.

    Raises NotDone for the last owner.
    """
    set_active(person, False)
    for workspace in Workspace.objects.filter(owner=person):
        ingestion.discard_workspace(workspace)
    throttle.unlock(name=person.get_username())
    person.delete()


def _another_owns(person: User) -> None:
    others = User.objects.filter(is_superuser=True, is_active=True).exclude(pk=person.pk)
    if person.is_superuser and person.is_active and not others.exists():
        raise NotDone(
            _("%(person)s is the only owner of this vault. Make somebody else an owner first.")
            % {"person": person}
        )
