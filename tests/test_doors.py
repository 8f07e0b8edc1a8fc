"""Every address of the site is a door: who may open it, and how.

The addresses come from the URL map; DOORS says which methods each takes. A new address that is
not listed fails. What an address names by id is Alice's, so Bob must find nothing there.
"""

import re
from dataclasses import dataclass
from datetime import date
from typing import Any

import pytest
from django.contrib import admin
from django.contrib.auth.models import User
from django.core.files.base import ContentFile
from django.http.response import HttpResponseBase
from django.test import Client
from django.urls import URLPattern, URLResolver, get_resolver, reverse

from apps.chat.models import Answer, Conversation, Turn
from apps.library.models import (
    Batch,
    Category,
    Chunk,
    Document,
    LocatorKind,
    Part,
    WatchedFolder,
    Workspace,
)
from apps.progress.badges import BADGES
from apps.study.models import Attempt, Card, Deck, Job, Lesson, Mindmap, Question, Quiz, Workshop
from apps.vault.models import Token

DOORS = {
    "chat:answer_choose": "POST",
    "chat:answer_markdown": "GET",
    "chat:ask": "POST",
    "chat:attachment": "GET",
    "chat:attachment_add": "POST",
    "chat:attachment_remove": "POST",
    "chat:attachment_save": "POST",
    "chat:attachment_thumbnail": "GET",
    "chat:conversation": "GET",
    "chat:conversation_delete": "GET POST",
    "chat:conversation_export": "GET",
    "chat:conversation_list": "GET",
    "chat:conversation_pin": "POST",
    "chat:conversation_rename": "POST",
    "chat:dictate": "POST",
    "chat:events": "GET",
    "chat:history": "GET",
    "chat:instructions": "GET POST",
    "chat:model_choice": "GET POST",
    "chat:prompt_delete": "POST",
    "chat:prompt_list": "GET POST",
    "chat:retry": "POST",
    "chat:stop": "POST",
    "chat:turn": "GET",
    "chat:turn_edit": "GET POST",
    "chat:turn_undo": "POST",
    "library:batch": "GET",
    "library:batch_figures": "GET",
    "library:batch_receipt": "GET",
    "library:category_create": "POST",
    "library:category_delete": "GET POST",
    "library:category_list": "GET",
    "library:category_rename": "POST",
    "library:document": "GET",
    "library:document_cancel": "POST",
    "library:document_delete": "GET POST",
    "library:document_download": "GET",
    "library:document_list": "GET",
    "library:document_move": "POST",
    "library:document_parts": "GET",
    "library:document_receipt": "GET",
    "library:document_recording": "GET",
    "library:document_rename": "POST",
    "library:document_retry": "POST",
    "library:document_standing": "GET",
    "library:document_upload": "GET POST",
    "library:folder": "GET",
    "library:folder_change": "GET POST",
    "library:folder_create": "POST",
    "library:folder_list": "GET",
    "library:folder_look": "POST",
    "library:folder_pause": "POST",
    "library:folder_receipt": "GET",
    "library:folder_remove": "GET POST",
    "library:page_add": "POST",
    "library:page_image": "GET",
    "library:page_refresh": "POST",
    "library:passage": "GET",
    "library:rule_learn": "POST",
    "library:rule_stop": "POST",
    "library:sample_load": "POST",
    "library:search": "GET",
    "library:search_again": "POST",
    "library:search_delete": "POST",
    "library:search_rule": "GET",
    "library:search_save": "POST",
    "library:selection_delete": "POST",
    "library:selection_move": "POST",
    "library:selection_retry": "POST",
    "library:workspace_create": "POST",
    "library:workspace_delete": "GET POST",
    "library:workspace_list": "GET",
    "library:workspace_rename": "POST",
    "library:workspace_switch": "POST",
    "progress:badge": "GET",
    "progress:day": "GET",
    "progress:export": "GET",
    "progress:home": "GET",
    "progress:import": "POST",
    "progress:strip": "GET",
    "progress:zone": "POST",
    "study:attempt": "GET",
    "study:attempt_answer": "POST",
    "study:card": "GET POST",
    "study:card_create": "POST",
    "study:card_delete": "POST",
    "study:card_flip": "POST",
    "study:card_grade": "POST",
    "study:card_mark": "POST",
    "study:card_show": "POST",
    "study:deck": "GET",
    "study:deck_delete": "GET POST",
    "study:deck_export": "GET",
    "study:deck_import": "GET POST",
    "study:deck_list": "GET",
    "study:deck_new": "GET POST",
    "study:deck_rename": "POST",
    "study:forecast": "GET",
    "study:home": "GET",
    "study:lesson": "GET",
    "study:lesson_complete": "POST",
    "study:lesson_write": "POST",
    "study:job": "GET",
    "study:job_cancel": "POST",
    "study:job_continue": "POST",
    "study:mindmap": "GET",
    "study:mindmap_delete": "GET POST",
    "study:mindmap_export": "GET",
    "study:mindmap_list": "GET",
    "study:mindmap_new": "GET POST",
    "study:mindmap_rename": "POST",
    "study:node": "GET",
    "study:node_delete": "POST",
    "study:node_rename": "POST",
    "study:quiz": "GET",
    "study:quiz_delete": "GET POST",
    "study:quiz_export": "GET",
    "study:quiz_list": "GET",
    "study:quiz_new": "GET POST",
    "study:quiz_play": "POST",
    "study:quiz_rename": "POST",
    "study:result": "GET",
    "study:review": "GET",
    "study:review_undo": "POST",
    "study:workshop": "GET",
    "study:workshop_delete": "GET POST",
    "study:workshop_export": "GET",
    "study:workshop_list": "GET",
    "study:workshop_new": "GET POST",
    "study:workshop_recap": "POST",
    "study:workshop_rename": "POST",
    "vault:account": "GET POST",
    "vault:audit": "GET",
    "vault:audit_test": "POST",
    "vault:browser_end": "POST",
    "vault:browsers": "GET",
    "vault:browsers_end": "POST",
    "vault:backup_download": "GET",
    "vault:backup_make": "POST",
    "vault:backups": "GET",
    "vault:guide": "GET",
    "vault:guide_ask": "POST",
    "vault:guide_page": "GET",
    "vault:health": "GET",
    "vault:healthz": "GET",
    "vault:home": "GET",
    "vault:login": "GET POST",
    "vault:logout": "POST",
    "vault:embedding_choose": "POST",
    "vault:embedding_discard": "POST",
    "vault:model_cancel": "POST",
    "vault:model_delete": "POST",
    "vault:model_pull": "POST",
    "vault:models": "GET",
    "vault:models_strip": "GET",
    "vault:palette": "GET",
    "vault:password": "GET POST",
    "vault:people": "GET POST",
    "vault:person_active": "POST",
    "vault:person_delete": "GET POST",
    "vault:person_link": "POST",
    "vault:person_role": "POST",
    "vault:setup": "GET POST",
    "vault:token_create": "POST",
    "vault:token_list": "GET",
    "vault:token_revoke": "POST",
    "vault:unlock": "POST",
    "vault:welcome": "GET POST",
    "web:shortcuts": "GET",
    "web:styleguide": "GET",
    "web:keys": "POST",
    "web:language": "POST",
    "web:theme": "POST",
}
# Open to visitors: before there is an account, and what a watchdog asks.
OPEN = {"vault:login", "vault:logout", "vault:healthz", "web:language", "web:theme"}
# Not there for everybody, and then 404: the first visit is over, the link was never given, the
# styleguide is for staff.
HIDDEN = {"vault:setup", "vault:welcome", "web:styleguide"}
# For owners; members find nothing there.
OWNERS = {
    "library:folder_create",
    "library:folder_list",
    "vault:audit_test",
    "vault:backup_download",
    "vault:backup_make",
    "vault:backups",
    "vault:embedding_choose",
    "vault:embedding_discard",
    "vault:model_cancel",
    "vault:model_delete",
    "vault:model_pull",
    "vault:people",
    "vault:person_active",
    "vault:person_delete",
    "vault:person_link",
    "vault:person_role",
    "vault:unlock",
}
# Ids that nothing has: below, above, and beyond what the database counts to.
NOTHINGS = (0, 2**31 - 1, 2**63)
# A page that listens cannot be sent elsewhere, it is told so in a message.
FOLLOWED = {"chat:events"}
# Django's admin, which has tests of its own, and the API: see tests/vault/api/test_walk.py.
WALKED_ELSEWHERE = {"admin", "api"}


@dataclass(frozen=True)
class Address:
    """One route of the map; two routes may share a name."""

    name: str
    parameters: tuple[str, ...]

    def __str__(self) -> str:
        return f"{self.name}({', '.join(self.parameters)})"

    @property
    def names_a_thing(self) -> bool:
        return any(parameter.endswith("_id") for parameter in self.parameters)

    def url(self, things: dict[str, Any]) -> str:
        return reverse(self.name, kwargs={key: things[key] for key in self.parameters})


def addresses(resolver: URLResolver, namespace: str = "") -> list[Address]:
    """Every named route below a resolver, Django's admin and the API's operations left out."""
    found = []
    for each in resolver.url_patterns:
        if isinstance(each, URLResolver) and each.namespace not in WALKED_ELSEWHERE:
            found += addresses(each, each.namespace or namespace)
        elif isinstance(each, URLPattern):
            found.append(Address(f"{namespace}:{each.name}", tuple(each.pattern.converters)))
    return found


ADDRESSES = addresses(get_resolver())
THINGS = [address for address in ADDRESSES if address.names_a_thing]
METHODS = {"GET", "POST", "PUT", "PATCH", "DELETE"}


@pytest.fixture
def things(alice: User, workspace: Workspace) -> dict[str, Any]:
    """One of everything that an address can name; what has an id is Alice's."""
    category = Category.objects.create(workspace=workspace, name="Letters")
    document = Document.objects.create(
        workspace=workspace,
        name="Lease.txt",
        format="text",
        file=ContentFile(b"Notice is three months.", "Lease.txt"),
        state=Document.State.READY,
    )
    place = {"revision": 1, "ordinal": 0, "kind": LocatorKind.LINES, "number": 1, "label": "line 1"}
    part = Part.objects.create(document=document, text="Notice is three months.", **place)
    chunk = Chunk.objects.create(
        document=document, part=part, text=part.text, start=0, end=23, digest="0", **place
    )
    token = Token.objects.create(owner=alice, name="script", prefix="0", scopes=["read"])
    conversation = Conversation.objects.create(owner=alice, workspace=workspace)
    turn = Turn.objects.create(conversation=conversation, question="When?")
    answer = Answer.objects.create(turn=turn, text="Soon.", state=Answer.State.FINISHED)
    return _practice(alice, workspace, chunk) | {
        "workspace_id": workspace.pk,
        "category_id": category.pk,
        "document_id": document.pk,
        "passage_id": chunk.pk,
        "folder_id": WatchedFolder.objects.create(
            workspace=workspace, path="/home/alice/letters"
        ).pk,
        "search_id": workspace.searches.create(name="Notice", asked="q=notice").pk,
        "batch_id": Batch.objects.create(workspace=workspace, key="1", label="Upload").pk,
        "number": 1,
        "day": date(2026, 11, 29),
        "code": BADGES[0].code,
        "slug": "first-steps",
        "name": "vaultsite-20261130T000000Z.zip",
        "form": "json",
        "conversation_id": conversation.pk,
        "turn_id": turn.pk,
        "answer_id": answer.pk,
        "attachment_id": alice.attachment_set.create(name="A.txt", size=2, file="none").pk,
        "prompt_id": alice.prompt_set.create(title="Key points", text="Which?").pk,
        "token_id": token.pk,
        "person_id": alice.pk,
        "browser_id": "f" * 20,
        "token": "never-given",
    }


def _practice(alice: User, workspace: Workspace, chunk: Chunk) -> dict[str, Any]:
    """One of everything in the study room."""
    job = Job.objects.create(owner=alice, workspace=workspace, kind="quiz", state="done")
    branch = {"label": "Notice", "chunk": None, "children": []}
    mindmap = Mindmap.objects.create(
        owner=alice,
        workspace=workspace,
        title="Map",
        tree={"label": "Lease", "chunk": None, "children": [branch]},
    )
    quiz = Quiz.objects.create(owner=alice, workspace=workspace, job=job, title="Lease")
    question = Question.objects.create(
        quiz=quiz, ordinal=0, type="mcq", stem="?", options=["a", "b"], answer=0, chunk=chunk
    )
    attempt = Attempt.objects.create(quiz=quiz, owner=alice, order=[[question.pk, [0, 1]]])
    deck = Deck.objects.create(owner=alice, workspace=workspace, title="Lease")
    card = Card.objects.create(deck=deck, ordinal=0, front="?", back="!", guid="g", chunk=chunk)
    workshop = Workshop.objects.create(owner=alice, workspace=workspace, title="Lease")
    lesson = Lesson.objects.create(workshop=workshop, ordinal=0, title="Notice")
    return {
        "workshop_id": workshop.pk,
        "lesson_id": lesson.pk,
        "deck_id": deck.pk,
        "card_id": card.pk,
        "kind": "csv",
        "job_id": job.pk,
        "mindmap_id": mindmap.pk,
        "path": "0",
        "suffix": "md",
        "quiz_id": quiz.pk,
        "question_id": question.pk,
        "attempt_id": attempt.pk,
    }


def knock(client: Client, address: Address, things: dict[str, Any]) -> list[HttpResponseBase]:
    """Try every method that the door is said to take."""
    url = address.url(things)
    return [client.generic(method, url) for method in DOORS[address.name].split()]


def test_every_address_is_listed_and_every_listed_one_exists() -> None:
    assert {address.name for address in ADDRESSES} == set(DOORS)


def test_a_visitor_is_sent_to_the_login(
    client: Client, things: dict[str, Any], subtests: pytest.Subtests
) -> None:
    for address in ADDRESSES:
        with subtests.test(address=str(address)):
            for answer in knock(client, address, things):
                if address.name in HIDDEN:
                    assert answer.status_code == 404
                elif address.name in FOLLOWED:
                    assert b"can no longer be followed" in b"".join(answer)
                elif address.name in OPEN:
                    assert answer.status_code in (200, 302, 422)
                else:
                    assert answer.status_code == 302
                    assert answer.headers["Location"].startswith("/login/?next=")


def test_a_stranger_finds_nothing(
    client: Client, bob: User, things: dict[str, Any], subtests: pytest.Subtests
) -> None:
    client.force_login(bob)
    for address in THINGS:
        with subtests.test(address=str(address)):
            for answer in knock(client, address, things):
                if address.name in FOLLOWED:
                    assert b"can no longer be followed" in b"".join(answer)
                else:
                    assert answer.status_code == 404


def test_a_wrong_method_is_refused(
    reader: Client, things: dict[str, Any], subtests: pytest.Subtests
) -> None:
    for address in ADDRESSES:
        with subtests.test(address=str(address)):
            for method in METHODS - set(DOORS[address.name].split()):
                assert reader.generic(method, address.url(things)).status_code == 405


def test_a_member_finds_nothing_that_is_for_owners(
    client: Client, bob: User, things: dict[str, Any], subtests: pytest.Subtests
) -> None:
    client.force_login(bob)
    for address in [each for each in ADDRESSES if each.name in OWNERS]:
        with subtests.test(address=str(address)):
            assert {answer.status_code for answer in knock(client, address, things)} == {404}


@pytest.mark.parametrize("nothing", NOTHINGS)
def test_what_does_not_exist_is_not_found(
    nothing: int, reader: Client, things: dict[str, Any], subtests: pytest.Subtests
) -> None:
    missing = things | {key: nothing for key in things if key.endswith("_id")}
    for address in THINGS:
        with subtests.test(address=str(address)):
            for answer in knock(reader, address, missing):
                if address.name in FOLLOWED:
                    assert b"can no longer be followed" in b"".join(answer)
                else:
                    assert answer.status_code == 404


def test_what_a_member_finds_is_for_members(
    client: Client, bob: User, things: dict[str, Any]
) -> None:
    """Whatever else answers 404 to a member must be said to be for owners, or another's."""
    client.force_login(bob)
    for address in ADDRESSES:
        if not address.names_a_thing and address.name not in OWNERS | HIDDEN | FOLLOWED:
            if address.name in {"vault:logout", "vault:browsers_end"}:
                continue  # they end the visit
            for answer in knock(client, address, things):
                assert answer.status_code != 404, address


def admin_urls(routes: list[URLPattern | URLResolver], before: str = "/admin/") -> list[str]:
    """Every address of Django's admin; what they name by id need not exist."""
    found = []
    for each in routes:
        url = before + re.sub(r"<[^>]+>", "1", str(each.pattern))
        if isinstance(each, URLResolver):
            found += admin_urls(each.url_patterns, url)
        elif each.name:
            found.append(url)
    return found


def test_the_admin_is_for_owners(client: Client, alice: User, bob: User) -> None:
    urls = set(admin_urls(admin.site.urls[0])) - {"/admin/logout/"}
    assert len(urls) > 30
    for url in urls:
        answer = client.get(url)
        assert answer.status_code == 302 and "login/?next=" in answer.url, url
    client.force_login(bob)
    for url in urls:
        assert client.get(url).status_code == 404, url
    client.force_login(alice)
    assert client.get("/admin/").status_code == 200
    assert client.get("/admin/auth/user/").status_code == 404
