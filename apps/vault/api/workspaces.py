"""Workspaces and their categories."""

from typing import Literal, TypeVar

from django.db import IntegrityError, transaction
from django.db.models import Count, Q, QuerySet
from django.http import HttpResponse
from django.shortcuts import get_object_or_404
from ninja import Query, Router, Schema, Status

from apps.library import ingestion, workspaces
from apps.library.models import Category, Document, Workspace
from apps.vault.api.gate import ACT, READ, WRITE, ApiRequest
from apps.vault.api.problems import Problem
from apps.vault.api.shapes import Asking, Name

router = Router(tags=["Workspaces"])
Thing = TypeVar("Thing", Workspace, Category)


class Label(Asking):
    """What something is called."""

    name: Name


class Place(Schema):
    """A workspace or a category, and how many documents it has."""

    id: int
    name: str
    documents: int


class Deletion(Schema):
    """What becomes of the documents of a category."""

    documents: Literal["keep", "delete"] = "keep"


@router.get("/workspaces", auth=READ, response=list[Place])
def list_workspaces(request: ApiRequest) -> list[Place]:
    """This person's workspaces; nothing is found across two of them."""
    workspaces.first_of(request.user)  # there is always one
    return _places(Workspace.objects.owned_by(request.user))


@router.post("/workspaces", auth=WRITE, response={201: Place})
def create_workspace(request: ApiRequest, label: Label) -> Status[Place]:
    """Make a workspace; of one name there is one."""
    _look_for(Workspace.objects.owned_by(request.user), label.name)
    made = _named(Workspace(owner=request.user), label.name)
    return Status(201, Place(id=made.pk, name=made.name, documents=0))


@router.get("/workspaces/{int:workspace_id}", auth=READ, response=Place)
def get_workspace(request: ApiRequest, workspace_id: int) -> Place:
    """One workspace."""
    return _place(_workspace(request, workspace_id))


@router.patch("/workspaces/{int:workspace_id}", auth=WRITE, response=Place)
def rename_workspace(request: ApiRequest, workspace_id: int, label: Label) -> Place:
    """Rename a workspace."""
    workspace = _workspace(request, workspace_id)
    _look_for(Workspace.objects.owned_by(request.user).exclude(pk=workspace.pk), label.name)
    return _place(_named(workspace, label.name))


@router.delete("/workspaces/{int:workspace_id}", auth=ACT, response={204: None})
def delete_workspace(request: ApiRequest, workspace_id: int) -> HttpResponse:
    """Delete a workspace with its documents and all that was made of them, for ever."""
    ingestion.discard_workspace_soon(_workspace(request, workspace_id))
    return HttpResponse(status=204)


@router.get("/workspaces/{int:workspace_id}/categories", auth=READ, response=list[Place])
def list_categories(request: ApiRequest, workspace_id: int) -> list[Place]:
    """The categories of a workspace."""
    return _places(_workspace(request, workspace_id).categories.all())


@router.post("/workspaces/{int:workspace_id}/categories", auth=WRITE, response={201: Place})
def create_category(request: ApiRequest, workspace_id: int, label: Label) -> Status[Place]:
    """Make a category; of one name there is one in a workspace."""
    workspace = _workspace(request, workspace_id)
    _look_for(workspace.categories.all(), label.name)
    made = _named(Category(workspace=workspace), label.name)
    return Status(201, Place(id=made.pk, name=made.name, documents=0))


@router.patch("/categories/{int:category_id}", auth=WRITE, response=Place)
def rename_category(request: ApiRequest, category_id: int, label: Label) -> Place:
    """Rename a category."""
    category = _category(request, category_id)
    _look_for(category.workspace.categories.exclude(pk=category.pk), label.name)
    return _place(_named(category, label.name))


@router.delete("/categories/{int:category_id}", auth=ACT, response={204: None})
def delete_category(
    request: ApiRequest, category_id: int, deletion: Query[Deletion]
) -> HttpResponse:
    """Delete a category; its documents stay without one, unless they are to go, too."""
    category = _category(request, category_id)
    if deletion.documents == "delete":
        ingestion.discard_category(category)
    else:
        category.delete()
    return HttpResponse(status=204)


def _workspace(request: ApiRequest, workspace_id: int) -> Workspace:
    return get_object_or_404(Workspace.objects.owned_by(request.user), pk=workspace_id)


def _category(request: ApiRequest, category_id: int) -> Category:
    categories = Category.objects.owned_by(request.user).select_related("workspace")
    return get_object_or_404(categories, pk=category_id)


def _places(found: QuerySet[Workspace] | QuerySet[Category]) -> list[Place]:
    kept = ~Q(documents__state=Document.State.DELETING)
    counted = found.annotate(filled=Count("documents", filter=kept)).order_by("name", "pk")
    return [Place(id=each.pk, name=each.name, documents=each.filled) for each in counted]


def _place(each: Workspace | Category) -> Place:
    return Place(id=each.pk, name=each.name, documents=each.documents.count())


def _look_for(others: QuerySet[Workspace] | QuerySet[Category], name: str) -> None:
    """Raises Problem where one of them is called that."""
    if others.filter(name__iexact=name).exists():
        raise _taken(name)


def _named(thing: Thing, name: str) -> Thing:
    """Call it that; of two who do so at the same moment, one is told that it is taken."""
    thing.name = name
    try:
        with transaction.atomic():
            thing.save()
    except IntegrityError as taken:
        raise _taken(name) from taken
    return thing


def _taken(name: str) -> Problem:
    return Problem(409, f"“{name}” is there already. Choose another name.")
