"""Workspaces and categories: which is open, and what happens to what is in them."""

import pytest
from django.contrib.auth.models import User
from django.core.files.base import ContentFile
from django.test import Client

from apps.library import workspaces
from apps.library.models import Category, Document, Workspace


def test_the_first_workspace_is_made_where_there_is_none(db, client: Client):
    carol = User.objects.create_user("carol", password="correct horse battery")
    client.force_login(carol)
    assert client.get("/library/").status_code == 200
    assert carol.workspaces.get().name == workspaces.FIRST


def test_a_workspace_is_made_opened_and_left(reader, workspace):
    page = reader.post("/library/workspaces/new/", {"name": "Work"}, follow=True)
    work = Workspace.objects.get(name="Work")
    assert page.context["workspace"] == work
    reader.post(f"/library/workspaces/{workspace.pk}/open/")
    assert reader.get("/library/").context["workspace"] == workspace


def test_a_name_is_taken_once(reader, workspace):
    page = reader.post("/library/workspaces/new/", {"name": "hOME"})
    assert page.status_code == 422 and "is there already" in page.text
    assert reader.post("/library/workspaces/new/", {"name": " \t "}).status_code == 422


def test_a_workspace_is_renamed_even_to_another_case(reader, workspace):
    reader.post(f"/library/workspaces/{workspace.pk}/rename/", {"name": "HOME"})
    workspace.refresh_from_db()
    assert workspace.name == "HOME"


def test_a_workspace_goes_with_all_that_is_in_it_after_a_question(reader, workspace):
    document = Document.objects.create(
        workspace=workspace, name="Lease.pdf", file=ContentFile(b"x", "x")
    )
    address = f"/library/workspaces/{workspace.pk}/delete/"
    assert "Its 1 document" in reader.get(address).text
    assert Document.objects.filter(pk=document.pk).exists()
    page = reader.post(address, follow=True)
    assert "Deleted the workspace" in page.text
    assert not Document.objects.filter(pk=document.pk).exists()
    assert reader.get("/library/").status_code == 200  # in a fresh one


def test_a_workspace_is_found_by_name_for_commands(alice, workspace):
    assert workspaces.of_person(alice, None) == workspaces.of_person(alice, "home") == workspace
    with pytest.raises(LookupError, match="There are: Home"):
        workspaces.of_person(alice, "Nowhere")


def test_a_category_is_made_renamed_and_counted(reader, workspace):
    reader.post("/library/categories/new/", {"name": "Letters"})
    category = Category.objects.get(workspace=workspace)
    Document.objects.create(workspace=workspace, name="a", category=category)
    page = reader.post(
        f"/library/categories/{category.pk}/rename/", {"name": "Post"}, follow=True
    ).text
    assert "Post" in page and "1 document" in page
    assert reader.post("/library/categories/new/", {"name": "post"}).status_code == 422


@pytest.mark.parametrize(("choice", "left"), [("keep", 1), ("delete", 0), ("nonsense", 1)])
def test_a_category_goes_with_or_without_its_documents(reader, workspace, choice, left):
    category = Category.objects.create(workspace=workspace, name="Letters")
    Document.objects.create(
        workspace=workspace, name="a", category=category, file=ContentFile(b"x", "x")
    )
    address = f"/library/categories/{category.pk}/delete/"
    assert "It holds 1 document" in reader.get(address).text
    reader.post(address, {"documents": choice})
    assert Document.objects.count() == left and not Category.objects.exists()
