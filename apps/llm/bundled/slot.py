"""What is in memory: a slot holds at most one model, and lets it go when nobody asks for it."""

import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

from apps.llm.bundled.queue import Queue, never
from apps.llm.bundled.store import Model

KEEP_ALIVE = 300.0  # seconds a model stays after its last use, unless the request says otherwise
FOREVER = float("inf")


class Closable(Protocol):
    """An engine that can be told to free its memory."""

    def close(self) -> None: ...


Engine = TypeVar("Engine", bound=Closable)


@dataclass
class Loaded(Generic[Engine]):
    """A model in memory."""

    model: Model
    engine: Engine
    num_ctx: int
    expires_at: float = FOREVER
    users: int = 0


class Slot(Generic[Engine]):
    """One queue and one place in memory.

    All GGUF models share a slot: two of them writing at once on few cores would both be slower,
    and two of them in memory would not fit a small machine. Embeddings have a slot of their own,
    so they never wait for a chat.
    """

    def __init__(self, load: Callable[[Model, int], Engine]) -> None:
        self._load = load  # takes the model and its window
        self._queue, self._counting = Queue(), threading.Lock()
        self.loaded: Loaded[Engine] | None = None

    @contextmanager
    def use(
        self,
        model: Model,
        num_ctx: int | None = None,
        keep_alive: float = KEEP_ALIVE,
        background: bool = False,
        gone: Callable[[], bool] = never,
    ) -> Iterator[tuple[Engine, int]]:
        """Wait for the turn, load `model` where it is not there or has too small a window.

        Gives the engine and the nanoseconds loading took. The turn is held for the block.
        """
        with self._queue.turn(background, gone), self._using(model, num_ctx, keep_alive) as using:
            yield using

    @contextmanager
    def share(
        self, model: Model, keep_alive: float = KEEP_ALIVE, gone: Callable[[], bool] = never
    ) -> Iterator[tuple[Engine, int]]:
        """As `use`, but the turn is held only to load: for an engine that queues by itself."""
        with ExitStack() as stack:
            with self._queue.turn(gone=gone):
                using = stack.enter_context(self._using(model, None, keep_alive))
            yield using

    @contextmanager
    def _using(
        self, model: Model, num_ctx: int | None, keep_alive: float
    ) -> Iterator[tuple[Engine, int]]:
        started = time.perf_counter_ns()
        current = self._current(model, num_ctx)
        with self._counting:
            current.users += 1
            current.model, current.expires_at = model, FOREVER
        try:
            yield current.engine, time.perf_counter_ns() - started
        finally:
            with self._counting:
                current.users -= 1
                if not current.users:
                    current.expires_at = time.time() + keep_alive
            if keep_alive == 0 and not current.users and current is self.loaded:
                self._unload()

    def _current(self, model: Model, num_ctx: int | None) -> Loaded[Engine]:
        current = self.loaded
        if current and current.model.path == model.path and (num_ctx or 0) <= current.num_ctx:
            return current
        self._unload()
        wanted = num_ctx or model.default_ctx
        self.loaded = Loaded(model, self._load(model, wanted), wanted)
        return self.loaded

    def unload(self, model: Model) -> None:
        """Let `model` go, after the requests that already wait."""
        with self._queue.turn():
            if self.loaded and self.loaded.model.path == model.path:
                self._unload()

    def tidy(self) -> None:
        """Let the model go if its time has passed and nobody is using it."""
        if self._expired and self._queue.idle:
            with self._queue.turn(background=True):
                if self.loaded and self._expired and not self.loaded.users:
                    self._unload()

    @property
    def _expired(self) -> bool:
        return self.loaded is not None and self.loaded.expires_at <= time.time()

    def _unload(self) -> None:
        if self.loaded:
            loaded, self.loaded = self.loaded, None
            loaded.engine.close()


def keep_tidy(tidy: Sequence[Callable[[], None]], every: float = 0.5) -> None:
    """Start the thread that unloads what has expired."""

    def watch() -> None:
        while True:
            time.sleep(every)
            for act in tidy:
                act()

    threading.Thread(target=watch, daemon=True, name="tidy").start()
