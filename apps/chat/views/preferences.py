"""How a person likes to ask: the model, the instructions of a workspace, and kept questions."""

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST

from apps.chat import composing, preferring
from apps.chat.forms import InstructionsForm, PromptForm
from apps.chat.models import Prompt
from apps.chat.prompts import READY
from apps.chat.views import access
from apps.library import workspaces
from apps.llm import catalogue
from apps.llm.client import ModelError
from apps.web.htmx import HtmxRequest

MODELS = "chat/models.html"
PROMPTS = "chat/prompts.html"


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def model_choice(request: HtmxRequest) -> HttpResponse:
    """The installed models that write; the one chosen answers here, and in new conversations."""
    sent = request.POST or request.GET
    number = sent.get("conversation", "")
    found = access.conversation(request, int(number)) if number.isdecimal() else None
    workspace = found.workspace if found else workspaces.current(request)
    try:
        able = [each for each in catalogue.installed() if "completion" in each.abilities]
    except ModelError as error:
        able, problem = [], str(error)
    else:
        problem = ""
    if request.method == "POST":
        name = request.POST.get("model", "")
        if name and name not in {each.name for each in able}:
            messages.error(request, _("The model %(name)s is not installed.") % {"name": name[:80]})
        else:
            preferring.choose_model(workspace, found, name)
            if found:
                found.model = name
        if not request.htmx:
            return redirect(found or "chat:conversation_list")
        return render(request, "chat/_model.html", composing.composer(workspace, found))
    wanted = found.model if found else preferring.of(workspace).model
    context = {"able": able, "wanted": wanted, "conversation": found, "problem": problem}
    return render(request, f"{MODELS}#choice" if request.htmx else MODELS, context)


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def instructions(request: HtmxRequest) -> HttpResponse:
    """What goes to the model with every question of the open workspace."""
    workspace = workspaces.current(request)
    kept = {"instructions": preferring.instructions(workspace)}
    form = InstructionsForm(request.POST or None, initial=kept)
    if request.method == "POST" and form.is_valid():
        preferring.keep_instructions(workspace, form.cleaned_data["instructions"])
        messages.success(request, _("Kept for “%(name)s”.") % {"name": workspace})
        return redirect("chat:conversation_list")
    context = {"form": form, "workspace": workspace}
    return render(request, "chat/instructions.html", context, status=422 if form.errors else 200)


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def prompt_list(request: HtmxRequest) -> HttpResponse:
    """Ready questions and a person's own, to ask with a click; and the form to keep one."""
    form = PromptForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        form.instance.owner = request.user
        form.save()
        return redirect("chat:prompt_list")
    own = Prompt.objects.owned_by(request.user)[:200]
    number = request.GET.get("conversation", "")
    found = access.conversation(request, int(number)) if number.isdecimal() else None
    context = {"own": own, "ready": READY, "form": form, "conversation": found}
    return render(request, PROMPTS, context, status=422 if form.errors else 200)


@login_required
@require_POST
def prompt_delete(request: HtmxRequest, prompt_id: int) -> HttpResponse:
    mine = Prompt.objects.owned_by(request.user)
    get_object_or_404(mine, pk=prompt_id).delete()
    return redirect("chat:prompt_list")
