"""Categories, by which the documents of a workspace are sorted."""

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from apps.library import ingestion, shell, workspaces
from apps.library.forms import CategoryDeletionForm, NameForm
from apps.library.models import Category
from apps.web.htmx import HtmxRequest

LIST = "library/categories.html"


@login_required
@require_safe
def category_list(request: HtmxRequest) -> HttpResponse:
    return _list(request)


@login_required
@require_POST
def category_create(request: HtmxRequest) -> HttpResponse:
    workspace = workspaces.current(request)
    form = NameForm(workspace.categories.all(), request.POST)
    if not form.is_valid():
        return _list(request, form)
    # Pressed twice, the second finds what the first has made.
    category, _made = workspace.categories.get_or_create(name=form.cleaned_data["name"])
    messages.success(request, _("Made the category “%(name)s”.") % {"name": category})
    return redirect("library:category_list")


@login_required
@require_POST
def category_rename(request: HtmxRequest, category_id: int) -> HttpResponse:
    category = _mine(request, category_id)
    others = category.workspace.categories.exclude(pk=category.pk)
    form = NameForm(others, request.POST)
    if not form.is_valid():
        return _list(request, form)
    category.name = form.cleaned_data["name"]
    category.save(update_fields=["name"])
    messages.success(request, _("It is called “%(name)s” now.") % {"name": category})
    return redirect("library:category_list")


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def category_delete(request: HtmxRequest, category_id: int) -> HttpResponse:
    category = _mine(request, category_id)
    if request.method != "POST":
        shown = {"category": category, "number": category.documents.count()}
        return render(request, "library/category_delete.html", shown)
    form = CategoryDeletionForm(request.POST)
    if form.is_valid() and form.cleaned_data["documents"] == CategoryDeletionForm.DELETE:
        ingestion.discard_category(category)
        said = _("Deleted the category “%(name)s” and the documents in it.")
    else:
        category.delete()
        said = _("Deleted the category “%(name)s” and kept its documents.")
    messages.success(request, said % {"name": category.name})
    return redirect("library:category_list")


def _mine(request: HtmxRequest, category_id: int) -> Category:
    categories = Category.objects.owned_by(request.user).select_related("workspace")
    return get_object_or_404(categories, pk=category_id)


def _list(request: HtmxRequest, refused: NameForm | None = None) -> HttpResponse:
    shown = {"counted": shell.categories(request), "refused": refused}
    return render(request, LIST, shown, status=422 if refused else 200)
