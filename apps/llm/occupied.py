"""What else has the model just now, told by the rooms that put it to work."""

from collections.abc import Callable

# Each says in words what it has the model do, as that person may know it; "" for nothing.
TELLERS: list[Callable[[int], str]] = []


def by(person_id: int) -> str:
    """What the model is busy with besides this person's question, "" where nothing is known."""
    return next((told for tell in TELLERS if (told := tell(person_id))), "")
