"""The stages of a document on its way to being ready, and how many documents are in each."""

from dataclasses import dataclass

from apps.library.models import Document

State = Document.State
STAGES = {
    "waiting": (State.QUEUED,),
    "reading": (State.FETCHING, State.READING),
    "learning": (State.LEARNING,),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class InStages:
    """How many documents are in which of STAGES."""

    waiting: int = 0
    reading: int = 0
    learning: int = 0  # what they mean; they can be found by their words

    @property
    def coming(self) -> int:
        """How many are yet to be read to their end."""
        return self.reading + self.waiting

    @property
    def unfinished(self) -> int:
        """How many are still at it, in whatever stage."""
        return self.learning + self.coming
