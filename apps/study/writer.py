"""Who writes the items of a job: a model, or nobody, and then they are made by rule."""

from dataclasses import dataclass

from apps.llm import catalogue
from apps.study.models import Job


@dataclass(frozen=True, slots=True)
class Writer:
    """A model by its name; one that is `extractive` writes nothing of its own."""

    name: str
    extractive: bool


def of(job: Job) -> Writer:
    """The one asked for; nobody where the quick way was chosen. Raises ModelError without any."""
    if job.options.get("quick"):
        return Writer("", True)
    model = catalogue.chat_model(job.model)
    return Writer(model.name, model.extractive)
