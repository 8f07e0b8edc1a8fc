"""What fits: earlier turns and passages are left out whole, and never without a word."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext_lazy

from apps.chat import prompt
from apps.chat.prompt import CHARACTERS_PER_TOKEN, Exchange, Wish
from apps.chat.steps import Found, Remembered
from apps.llm.catalogue import Model

USUAL_WINDOW = 8192  # tokens, of a model that does not say
LEAST_WINDOW = 4096
FOR_TOOLS = 4096  # tokens kept for what tools give, where the model has them
TRIMMED = gettext_lazy(
    "%(left)s of %(all)s passages were left out: more does not fit the window of %(model)s."
)


@dataclass(frozen=True, slots=True)
class Fitted:
    """What is sent to the model, and what had to stay behind."""

    messages: list[dict[str, Any]]
    options: dict[str, Any]
    sources: list[Found]
    memory: Remembered
    notice: str  # about passages that were left out, "" if none


def fitted(
    wish: Wish, sources: Sequence[Found], earlier: Sequence[Exchange], model: Model
) -> Fitted:
    """As much as the model can take: the oldest turns go first, then the last passages."""
    allowed = prompt.budget(model)
    kept = prompt.newest(earlier, allowed.earlier)
    passages = list(sources)
    most = model.context or USUAL_WINDOW
    while True:
        sent = prompt.messages(wish, passages, kept, model)
        characters = sum(len(each["content"]) for each in sent)
        tokens = round(characters / CHARACTERS_PER_TOKEN)
        if tokens + allowed.reply <= most:
            break
        if kept:
            del kept[0]
        elif len(passages) > 1:
            del passages[-1]
        else:
            break
    room = window(tokens + allowed.reply + (FOR_TOOLS if wish.tools else 0), model)
    memory = Remembered(
        turns=len(kept),
        dropped=len(earlier) - len(kept),
        characters=sum(each.length for each in kept),
        limit=allowed.earlier,
        sent=characters,
        tokens=tokens,
        window=room,
        left_out=len(sources) - len(passages),
    )
    options = {"temperature": 0, "num_predict": allowed.reply, "num_ctx": room}
    left = len(sources) - len(passages)
    told = {"left": left, "all": len(sources), "model": model.name}
    about = TRIMMED % told if left else ""
    return Fitted(sent, options, passages, memory, about)


def window(tokens: int, model: Model) -> int:
    """Room for that many tokens, in few sizes: each new one makes a server load the model again."""
    room = LEAST_WINDOW
    while room < tokens:
        room *= 2
    return min(room, model.context or USUAL_WINDOW)
