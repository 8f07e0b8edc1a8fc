"""What the server owns: the models folder, what is in memory, the downloads, the catalogue."""

import threading
from pathlib import Path
from typing import TYPE_CHECKING

from apps.llm.bundled import openmp
from apps.llm.bundled.options import Refusal
from apps.llm.bundled.pulling import Offer, Pull
from apps.llm.bundled.slot import Slot, keep_tidy
from apps.llm.bundled.store import Model, Store

if TYPE_CHECKING:
    from apps.llm.bundled.embedding import Embedder
    from apps.llm.bundled.llama import Llama


class State:
    """One for the process."""

    def __init__(self, folder: Path, offers: dict[str, Offer], threads: int) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self.store, self.offers, self._threads = Store(folder), offers, threads
        self.llm: Slot[Llama] = Slot(self._load_llm)
        self.vectors: Slot[Embedder] = Slot(self._load_embedder)
        self._pulls: dict[str, Pull] = {}
        self._pulling = threading.Lock()
        keep_tidy((self.llm.tidy, self.vectors.tidy))

    def _load_llm(self, model: Model, num_ctx: int) -> "Llama":
        openmp.preload()
        from apps.llm.bundled.llama import Llama  # 100 MB of library: only once it is wanted

        if not model.path.exists():
            raise Refusal(404, f"model '{model.name}' not found")
        return Llama(model.path, num_ctx, self._threads)

    def _load_embedder(self, model: Model, num_ctx: int) -> "Embedder":
        from apps.llm.bundled.embedding import Embedder

        return Embedder(self._threads)

    def model(self, name: object) -> Model:
        """The model of that name; refuses as Ollama does where there is none."""
        if not name or not isinstance(name, str):
            raise Refusal(400, "model is required")
        found = self.store.get(name)
        if not found:
            raise Refusal(404, f"model '{name}' not found")
        return found

    def pull(self, offer: Offer) -> Pull:
        """The running download of that offer, or a new one. The caller counts as its watcher."""
        with self._pulling:
            pull = self._pulls.get(offer.name)
            if not pull or pull.ended:
                pull = self._pulls[offer.name] = Pull(offer, self.store.folder)
                pull.watchers = 1
                name = f"pull {offer.name}"
                threading.Thread(target=pull.run, daemon=True, name=name).start()
            else:
                pull.watchers += 1
            return pull

    def leave(self, pull: Pull) -> None:
        """A watcher goes. The last one ends the download."""
        with self._pulling:
            pull.watchers -= 1
