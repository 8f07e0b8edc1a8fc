"""Do models answer, and which?"""

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
        return Part(NAME, "down", detail=str(error), fix="Start the vault again, or start Ollama.")
    kind = "bundled" if where == launching.running() else "Ollama"
    place = f"{kind} at {where}"
    try:
        name, dimensions = embedder()
        writer = catalogue.chat_model()
    except ModelError as error:
        return Part(NAME, "degraded", detail=place, fix=str(error))
    models = f"{place}: {writer.name} answers, {name} ({dimensions}) embeds"
    if not writer.extractive:
        return Part(NAME, "ok", detail=models)
    return Part(NAME, "degraded", detail=models, fix=_fix())


def _fix() -> str:
    for progress in catalogue.pulls():
        if progress.state == "running":
            return f"{progress.name} is being downloaded ({progress.percent} %)."
    wanted = catalogue.DEFAULT_PULL
    return f"For written answers pull a language model: manage.py pull_model {wanted}"
