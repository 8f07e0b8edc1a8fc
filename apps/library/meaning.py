"""The question in the embedding set in use, or why there is none."""

import contextlib
import logging
import threading
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache

from django.contrib.postgres.expressions import ArraySubquery
from django.db.models import Exists, OuterRef
from django.db.models.functions import JSONObject
from django.utils.translation import gettext_lazy

from apps.library import reembedding
from apps.library.indexing import vector_text
from apps.library.models import (
    ChunkVector,
    Document,
    EmbeddingSet,
    LanguageCentroid,
    Workspace,
)
from apps.llm import client
from apps.web.database import borrowed

logger = logging.getLogger(__name__)
EMBEDDED_CHARACTERS = 2_000  # of a question; the bundled embedder reads about so much
NO_MEANING_YET = gettext_lazy(
    "Found by words only: what these documents mean has not been learned yet. "
    "It will be used as soon as that is done."
)
PARTLY_LEARNED = gettext_lazy(
    "What some passages mean is still being learned: those are found by their words only, the"
    " others by both."
)
NO_EMBEDDER = gettext_lazy("Found by words only. %(reason)s")
CHANGED = gettext_lazy(
    "Found by words only: %(model)s is another model than it was. "
    "Everything is being learned again."
)


@dataclass(frozen=True, slots=True)
class Meaning:
    """What is known of a question by its meaning."""

    vector: str | None = None
    embedding_set: int | None = None
    model: str = ""
    notice: str = ""
    # Passages in each language of the workspace, where it has several.
    languages: Mapping[str, int] = field(default_factory=dict)


def of(workspace: Workspace, question: str) -> Meaning:
    """The meaning of a question asked of a workspace; a notice where words have to do."""
    try:
        vectors = ChunkVector.objects.filter(
            embedding_set=OuterRef("pk"), workspace_id=workspace.pk
        )
        learning = Document.objects.filter(workspace=workspace, state=Document.State.LEARNING)
        state = EmbeddingSet.objects.filter(state=EmbeddingSet.State.ACTIVE)
        several = LanguageCentroid.objects.filter(
            embedding_set=OuterRef("pk"), workspace_id=workspace.pk
        ).values(counted=JSONObject(language="language", passages="passages"))
        used = state.annotate(
            learned=Exists(vectors), learning=Exists(learning), several=ArraySubquery(several)
        ).first()
        if used is None:
            client.embedder()  # tells why nothing can be learned, where that is so
            return Meaning(notice=str(NO_MEANING_YET))
        if not used.learned:
            return Meaning(notice=str(NO_MEANING_YET))
        vector = question_vector(used.model, question[:EMBEDDED_CHARACTERS])
        if vector.count(",") + 1 != used.dimensions:
            return Meaning(notice=CHANGED % {"model": used.model})
        notice = str(PARTLY_LEARNED) if used.learning else ""
        languages = {each["language"]: each["passages"] for each in used.several}
        return Meaning(vector, used.pk, used.model, notice, languages)
    except client.ModelError as error:
        logger.warning("searching by words only: %s", error)
        return Meaning(notice=NO_EMBEDDER % {"reason": error})


def warm_up() -> None:
    """Let the embedder load while the reader still types; the first question would wait for it."""
    threading.Thread(target=_warm_up, name="warm up the embedder", daemon=True).start()


def _warm_up() -> None:
    with borrowed(), contextlib.suppress(client.ModelError):
        used = reembedding.in_use()
        client.embed(["a"], "query", model=used.model if used else "")


@lru_cache(512)
def question_vector(model: str, question: str) -> str:
    """The unit vector of a question, as pgvector reads it. Raises ModelError."""
    return vector_text(client.embed([question], "query", model=model)[0])
