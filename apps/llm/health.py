"""Do models answer, and which?"""

from django.utils.translation import gettext as _

from apps.llm import catalogue
from apps.llm.bundled import launching
from apps.llm.client import ModelError, client, embedder, host, told
from apps.web.health import Part

NAME = "models"


def check() -> Part:
    """The state of the model server, of search by meaning, and of answers."""
    try:
        where = host()
        with told("of the list"), client() as server:
            server.list()
    except ModelError as error:
        return Part(
            NAME, "down", detail=str(error), fix=_("Start the vault again, or start Ollama.")
        )
    kind = _("bundled") if where == launching.running() else "Ollama"
    place = _("%(kind)s at %(where)s") % {"kind": kind, "where": where}
    try:
        name, dimensions = embedder()
        writer = catalogue.chat_model()
    except ModelError as error:
        return Part(NAME, "degraded", detail=place, fix=str(error))
    models = _("%(place)s: %(writer)s answers, %(name)s (%(dimensions)s) embeds") % {
        "place": place,
        "writer": writer.name,
        "name": name,
        "dimensions": dimensions,
    }
    if not writer.extractive:
        return Part(NAME, "ok", detail=models)
    return Part(NAME, "degraded", detail=models, fix=_fix())


def _fix() -> str:
    for progress in catalogue.pulls():
        if progress.state == "running":
            return _("%(name)s is being downloaded (%(percent)s %%).") % {
                "name": progress.name,
                "percent": progress.percent,
            }
    wanted = catalogue.DEFAULT_PULL
    return _("For written answers pull a language model: manage.py pull_model %(wanted)s") % {
        "wanted": wanted
    }
