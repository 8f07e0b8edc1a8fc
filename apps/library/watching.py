"""Keep the documents of a workspace in step with a folder of this machine.

A look walks the whole folder, which costs a `stat` a file; only what is new or has changed is
read. What it finds stands in entries, so a look that is killed goes on where it was, and what a
look missed the next one finds. Who watches only rings the bell: see `bells`.
"""

import time
from contextlib import closing
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path

from django.conf import settings
from django.db.models import F, Q
from django.utils import timezone

from apps.library import dating, ingestion, queue
from apps.library.locking import advisory_lock
from apps.library.models import Category, Document, FolderEntry, WatchedFolder, Workspace
from apps.library.storing import NotAccepted, storable
from apps.library.walking import FolderGone, Found, is_on_network, patterns, walk
from apps.web.telling import gettext as _

ROOM = 7302  # advisory locks of folders
BATCH = 200  # entries written at once, of files that are left out
POLLED, CHECKED = timedelta(minutes=1), timedelta(minutes=15)  # between looks nobody asked for


class NotAllowed(Exception):
    """The folder cannot be watched; the message says why and what to do."""


@dataclass(slots=True)
class _Look:
    """One walk through a folder, as far as it has come."""

    folder: WatchedFolder
    known: dict[str, FolderEntry]
    until: float
    met: set[str] = field(default_factory=set)
    left_out: list[FolderEntry] = field(default_factory=list)
    categories: dict[str, Category] = field(default_factory=dict)


def allowed_roots() -> list[Path]:
    """The folders below which folders may be watched: VAULT_FOLDERS, else the home folder."""
    roots = settings.FOLDERS or [Path.home()]
    return [Path(root).expanduser().resolve() for root in roots]


def begin(workspace: Workspace, path: str, **choices: object) -> WatchedFolder:
    """Watch a folder from now on; the one that is watched already stays. Raises NotAllowed."""
    root = _checked(path)
    folder, made = WatchedFolder.objects.get_or_create(
        workspace=workspace,
        path=storable(str(root)),
        defaults={"polled": is_on_network(root), **choices},
    )
    if made:
        look_again(folder)
    return folder


def _checked(path: str) -> Path:
    try:
        root = Path(path.strip()).expanduser()
        if not path.strip() or not root.is_absolute() or "\0" in path:
            raise NotAllowed(_("Write the whole path of the folder, from / on."))
        root = root.resolve()
        there = root.is_dir()
    except (OSError, RuntimeError, ValueError):
        there = False
    roots = allowed_roots()
    if not any(root.is_relative_to(each) for each in roots):
        raise NotAllowed(
            _("Only folders below %(roots)s may be watched. Who runs this machine can open others.")
            % {"roots": ", ".join(map(str, roots))}
        )
    if not there:
        raise NotAllowed(
            _("There is no folder %(path)s on the machine the vault runs on.") % {"path": root}
        )
    ours = Path(settings.DATA_DIR).resolve()
    if root.is_relative_to(ours) or ours.is_relative_to(root):
        raise NotAllowed(_("The vault keeps its own files there. Choose a folder of documents."))
    return root


def look_again(folder: WatchedFolder) -> None:
    """Have a worker look, soon."""
    WatchedFolder.objects.filter(pk=folder.pk).update(wanted_at=timezone.now())
    queue.ask_for_look()


def change(folder: WatchedFolder, **rules: object) -> None:
    """Have a worker look by other rules: `include`, `exclude`, `by_subfolder`, `follow_deletions`.

    What was left out is judged anew; a file whose document a person has deleted stays out.
    """
    WatchedFolder.objects.filter(pk=folder.pk).update(**rules)
    folder.entries.filter(document=None).exclude(reason="").delete()
    look_again(folder)


def pause(folder: WatchedFolder, paused: bool) -> None:
    """Leave a folder alone for a while, or no longer."""
    WatchedFolder.objects.filter(pk=folder.pk).update(paused=paused)
    if not paused:
        look_again(folder)


def end(folder: WatchedFolder, *, discard: bool) -> None:
    """Watch a folder no more; its documents stay, as if they had been uploaded, or go with it."""
    if discard:
        theirs = folder.entries.exclude(document=None).values("document")
        ingestion.discard_soon(Document.objects.filter(pk__in=theirs))
    folder.delete()


def due() -> list[WatchedFolder]:
    """The folders to look at now: somebody asked, or it has been a while."""
    now = timezone.now()
    late = Q(looked_at=None) | Q(looked_at__lt=now - CHECKED)
    late |= Q(polled=True, looked_at__lt=now - POLLED)
    asked = Q(wanted_at__isnull=False) & (Q(looked_at=None) | Q(wanted_at__gt=F("looked_at")))
    return list(
        WatchedFolder.objects.filter(late | asked, paused=False).select_related("workspace")
    )


def look_where_due(seconds: float = 20.0) -> int:
    """Look at folders for some seconds, and ask for more where that was not enough."""
    until = time.monotonic() + seconds
    looked = 0
    for folder in due():
        if time.monotonic() > until or not look(folder, max(1.0, until - time.monotonic())):
            queue.ask_for_look()
        looked += 1
    return looked


def look(folder: WatchedFolder, seconds: float = 20.0) -> bool:
    """Bring the documents in step. True when the whole folder was looked at.

    Where the folder is not there or has become empty, as one that is not mounted, nothing is
    taken out: the reason stands in `problem`.
    """
    with advisory_lock(ROOM, folder.pk) as mine:
        if not mine:
            return True  # another worker is at it
        began = timezone.now()
        entries = {entry.path: entry for entry in folder.entries.all()}
        look = _Look(folder, entries, time.monotonic() + seconds)
        try:
            whole = _go_through(look)
        except FolderGone as gone:
            return _note(folder, str(gone), began)
        if not whole:
            return False
        if entries and not look.met:
            problem = _("%(path)s is empty; is it mounted?") % {"path": folder.path}
            return _note(folder, problem, began)
        _take_out(look)
        return _note(folder, "", began)


def _note(folder: WatchedFolder, problem: str, began: object) -> bool:
    WatchedFolder.objects.filter(pk=folder.pk).update(problem=problem, looked_at=began)
    return True


def _go_through(look: _Look) -> bool:
    """Meet each file; False where the time was not enough for what is new."""
    folder = look.folder
    found = walk(Path(folder.path), patterns(folder.include), patterns(folder.exclude))
    with closing(found):
        for each in found:
            path = storable(each.path)
            look.met.add(path)
            entry = look.known.get(path)
            if each.reason:
                _leave_out(look, entry, each, path)
            elif entry is None or not _is_as_before(entry, each):
                if time.monotonic() > look.until:
                    _write(look)
                    return False
                _take_in(look, entry, each, path)
    _write(look)
    return True


def _is_as_before(entry: FolderEntry, found: Found) -> bool:
    """Also of a document that a person has deleted: it comes again when its file changes."""
    return (entry.size, entry.changed) == (found.size, found.changed)


def _take_in(look: _Look, entry: FolderEntry | None, found: Found, path: str) -> None:
    folder = look.folder
    absolute = Path(folder.path, found.path)
    # Where a person has put the document, it stays, unless the file has moved.
    category = None if entry and entry.document_id else _category(look, path)
    document, reason = None, ""
    try:
        with absolute.open("rb") as stream:
            accepted = ingestion.accept(
                folder.workspace, stream, absolute.name,
                category=category, source=storable(str(absolute)),
                changed=dating.stamped(found.changed / 1e9),
            )  # fmt: skip
            document = accepted.document
    except NotAccepted as refused:
        reason = str(refused)
    except OSError as error:
        reason = _("It cannot be read: %(reason)s.") % {"reason": error.strerror}
    values = {"size": found.size, "changed": found.changed, "reason": reason, "document": document}
    # Of a file that has grown meanwhile the older time is kept: the next look reads it again.
    FolderEntry.objects.update_or_create(folder=folder, path=path, defaults=values)


def _category(look: _Look, path: str) -> Category | None:
    name = path.partition("/")[0].strip()[:80] if "/" in path else ""
    if not look.folder.by_subfolder or not name:
        return None
    if name not in look.categories:
        look.categories[name], _ = Category.objects.get_or_create(
            workspace=look.folder.workspace, name=name
        )
    return look.categories[name]


def _leave_out(look: _Look, entry: FolderEntry | None, found: Found, path: str) -> None:
    """Note why, once; what was a document of it before goes."""
    if entry and entry.reason == found.reason and entry.document_id is None:
        return
    if entry:
        if look.folder.follow_deletions and entry.document_id:
            _discard(look, [entry])
        FolderEntry.objects.filter(pk=entry.pk).update(
            reason=found.reason, size=found.size, changed=found.changed, document=None
        )
        return
    look.left_out.append(
        FolderEntry(
            folder=look.folder,
            path=path,
            size=found.size,
            changed=found.changed,
            reason=found.reason,
        )
    )
    if len(look.left_out) >= BATCH:
        _write(look)


def _write(look: _Look) -> None:
    FolderEntry.objects.bulk_create(look.left_out, ignore_conflicts=True)
    look.left_out = []


def _take_out(look: _Look) -> None:
    """What is no longer there: the entries go, and the documents unless they have moved."""
    gone = [entry for path, entry in look.known.items() if path not in look.met]
    if look.folder.follow_deletions:
        _discard(look, gone)
    FolderEntry.objects.filter(pk__in=[entry.pk for entry in gone]).delete()
    _drop_categories(look, {entry.path.partition("/")[0] for entry in gone if "/" in entry.path})


def _drop_categories(look: _Look, names: set[str]) -> None:
    """Of sub-folders that are gone or were renamed, where nothing is left in them."""
    left = {name for name in names if not Path(look.folder.path, name).exists()}
    if look.folder.by_subfolder and left:
        categories = Category.objects.filter(workspace=look.folder.workspace, name__in=left)
        categories.filter(documents=None).delete()


def _discard(look: _Look, entries: list[FolderEntry]) -> None:
    """The documents of entries, where these are still the files' own and not moved elsewhere."""
    sources = {storable(str(Path(look.folder.path, entry.path))) for entry in entries}
    documents = Document.objects.filter(
        pk__in=[entry.document_id for entry in entries if entry.document_id], source__in=sources
    )
    ingestion.discard_soon(documents)
