"""Have a small model read the rules and examples while the reader still types.

They are half of what it is sent, they never change, and the server keeps what it has read. Only
the bundled server: another one may be on a machine that has better things to do.
"""

import contextlib
import threading
import time

from apps.chat import memory, prompt
from apps.chat.models import Turn
from apps.chat.prompt import Language, Wish
from apps.library.models import Workspace
from apps.llm import catalogue, client
from apps.llm.catalogue import Model
from apps.web.database import borrowed

KEPT = 240.0  # seconds; a little less than the server keeps a model in memory
_warmed: dict[tuple[str, Language], float] = {}
_lock = threading.Lock()


def warm_up(workspace: Workspace, model: Model | None) -> None:
    """Begin it in the background, at most once in four minutes; returns at once."""
    if model is None or model.extractive or not prompt.is_small(model):
        return
    threading.Thread(
        target=_warm_up, args=(workspace.pk, model), name="warm up the model", daemon=True
    ).start()


def _warm_up(workspace_id: int, model: Model) -> None:
    with contextlib.suppress(client.ModelError):
        if not catalogue.is_bundled():
            return
        language = _language(workspace_id)
        with _lock:
            now = time.monotonic()
            if now - _warmed.get((model.name, language), -KEPT) < KEPT:
                return
            _warmed[model.name, language] = now
        read(model, language)


def read(model: Model, language: Language) -> None:
    """Have the model read what every question in that language begins with. Raises ModelError."""
    sent = memory.fitted(Wish("", language), (), (), model)
    options = {**sent.options, "num_predict": 1}
    beginning = sent.messages[:-1]
    for _ in client.chat(beginning, model=model.name, options=options, background=True):
        pass


def _language(workspace_id: int) -> Language:
    """That of the last question, else of most documents."""
    with borrowed():
        turns = Turn.objects.filter(conversation__workspace=workspace_id)
        last = turns.order_by("-pk").values_list("question", flat=True).first()
        if last:
            return prompt.language_of(last)
        documents = Workspace.objects.get(pk=workspace_id).documents
        german = documents.filter(language="de").count()
        return "de" if 2 * german > documents.count() else "en"
