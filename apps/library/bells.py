"""Hear of changes in watched folders, and ring for a worker to look.

A thread of the web process: it reads nothing but names, and what it misses (folders on the
network, a vault that was off) the sweep looks after.
"""

import logging
import threading
import time
from collections.abc import Iterable
from pathlib import Path

from django.utils import timezone

from apps.library import queue
from apps.library.models import WatchedFolder
from apps.web.database import borrowed

logger = logging.getLogger(__name__)

QUIET = 1600  # milliseconds in which changes are gathered
FRESH = 10.0  # seconds between two looks at which folders are watched
PAUSE = 30.0  # seconds after something went wrong


def start() -> threading.Event:
    """Listen in the background until the event that comes back is set."""
    over = threading.Event()
    thread = threading.Thread(target=_run, args=(over,), daemon=True, name="watched folders")
    thread.start()
    return over


def _run(over: threading.Event) -> None:
    while not over.is_set():
        try:
            folders = _watched()
            if folders:
                _listen(folders, over)
            else:
                over.wait(FRESH)
        except Exception as error:  # whatever it is: folders are looked at each quarter anyhow
            logger.warning("watched folders: %s: %s", type(error).__name__, error)
            over.wait(PAUSE)


def _watched() -> dict[Path, int]:
    """The folders that tell of changes themselves, and are there."""
    with borrowed():
        rows = WatchedFolder.objects.filter(paused=False, polled=False)
        found = {Path(path): pk for pk, path in rows.values_list("pk", "path")}
    return {path: pk for path, pk in found.items() if path.is_dir()}


def _listen(folders: dict[Path, int], over: threading.Event) -> None:
    """Ring at changes until other folders are watched than these."""
    from watchfiles import watch  # 10 MB, where folders are watched

    fresh = time.monotonic() + FRESH
    try:
        changes = watch(
            *folders, watch_filter=None, debounce=QUIET, rust_timeout=2000, yield_on_timeout=True,
            stop_event=over, raise_interrupt=False, ignore_permission_denied=True,
        )  # fmt: skip
        for each in changes:
            if each:
                ring(folders, (Path(path) for _, path in each))
            if time.monotonic() > fresh:
                if _watched() != folders:
                    return
                fresh = time.monotonic() + FRESH
    except OSError as error:  # more folders than the system will tell of
        logger.warning("folders are looked at each minute instead: %s", error)
        with borrowed():
            WatchedFolder.objects.filter(pk__in=folders.values()).update(polled=True)


def ring(folders: dict[Path, int], changed: Iterable[Path]) -> None:
    """Ask for a look at the folders in which something has changed."""
    paths = list(changed)
    met = [pk for root, pk in folders.items() if any(path.is_relative_to(root) for path in paths)]
    with borrowed():
        WatchedFolder.objects.filter(pk__in=met).update(wanted_at=timezone.now())
        queue.ask_for_look()
