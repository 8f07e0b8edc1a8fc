"""Ask the model for one small thing, check it, try once more; what does not pass is noted.

Whoever asks has something honest to fall back on, so no ask ever ends a job but by the model
being gone.
"""

from collections.abc import Callable
from typing import TypeVar

from pydantic import BaseModel

from apps.llm import catalogue, structured
from apps.study.generation import Rejected
from apps.study.models import Job, Rejection
from apps.study.workshop_prompts import messages

TRIES = 2  # the second one a little freer
MOST_TOKENS = 420
Shape = TypeVar("Shape", bound=BaseModel)
Told = TypeVar("Told")


class Author:
    """A model at work for one job. Without a language model it writes nothing, and says so."""

    def __init__(self, job: Job, stop_when: Callable[[], bool]) -> None:
        self._job, self._stop_when = job, stop_when
        self._model = catalogue.chat_model(job.model)
        self._rejected: list[Rejection] = []

    @property
    def extractive(self) -> bool:
        """Whether there is no language model, only the one that quotes."""
        return self._model.extractive

    def ask(
        self, shape: type[Shape], material: str, language: str, check: Callable[[Shape], Told]
    ) -> Told | None:
        """What `check` makes of the model's item; None where it raised Rejected both times.

        Raises Stopped and ModelError.
        """
        if self.extractive:
            return None
        sent = messages(shape, material, language, self._job.difficulty)
        for attempt in range(TRIES):
            item = None
            try:
                item = structured.ask(
                    sent,
                    shape,
                    model=self._model.name,
                    seed=self._job.pk + attempt,
                    temperature=0.7 if attempt else self._temperature,
                    most_tokens=MOST_TOKENS,
                    stop_when=self._stop_when,
                )
                return check(item)
            except structured.Unreadable as fault:
                self.reject(f"unreadable: {fault}")
            except Rejected as fault:
                self.reject(str(fault), item)
        return None

    def reject(self, reason: str, item: BaseModel | None = None, **more: object) -> None:
        """Note what was not let through, and why."""
        told = (item.model_dump() if item else {}) | more
        self._rejected.append(Rejection(job=self._job, reason=reason[:200], item=told))

    def store_rejections(self) -> None:
        """Keep what was noted; called in the transaction that stores what was made."""
        Rejection.objects.bulk_create(self._rejected)
        self._rejected = []

    @property
    def _temperature(self) -> float:
        """Written again, a lesson is to read differently."""
        return 0.5 if self._job.options.get("take") else 0.0
