"""How a generation can end."""

from dataclasses import dataclass


class TooLong(Exception):
    """The prompt does not fit: `tokens` needed, `limit` allowed."""

    def __init__(self, tokens: int, limit: int) -> None:
        super().__init__(
            f"request ({tokens} tokens) exceeds the available context size ({limit} tokens),"
            " try increasing it"
        )
        self.tokens, self.limit = tokens, limit


class Cancelled(Exception):
    """Nobody waits for this answer any more."""


class EngineError(Exception):
    """The engine refused the request; the text says why."""


@dataclass
class Outcome:
    """What a generation cost and why it ended ("stop" or "length"). Durations in nanoseconds."""

    reason: str = "stop"
    prompt_tokens: int = 0
    prompt_ns: int = 0
    tokens: int = 0
    tokens_ns: int = 0
