"""What became of each file of a watched folder or an upload: in figures and line by line."""

import csv
import io
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from django.db.models import Case, CharField, Count, QuerySet, Value, When
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, pgettext_lazy

from apps.library import labels
from apps.library.models import BatchEntry, Document, FolderEntry, WatchedFolder
from apps.library.stages import STAGES, InStages

State = Document.State
READY, UNREAD, LEFT_OUT = "ready", "unread", "left out"
WORDS = {
    READY: gettext_lazy("ready"),
    "learning": gettext_lazy("can be found by words"),
    "reading": gettext_lazy("being read"),
    "waiting": pgettext_lazy("a file that nobody reads yet", "waiting"),
    UNREAD: gettext_lazy("could not be read"),
    LEFT_OUT: gettext_lazy("left out"),
}
DELETED = gettext_lazy("Deleted in the library; it comes again when the file changes.")
BECAME = Case(
    When(document=None, then=Value(LEFT_OUT)),
    *(When(document__state__in=states, then=Value(stage)) for stage, states in STAGES.items()),
    When(document__state=State.READY, document__chunk_count__gt=0, then=Value(READY)),
    default=Value(UNREAD),
    output_field=CharField(),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Counts(InStages):
    """How many files became what; together they are `total`."""

    ready: int = 0
    unread: int = 0
    left_out: int = 0

    @property
    def total(self) -> int:
        return self.ready + self.unfinished + self.unread + self.left_out

    @property
    def found(self) -> int:
        """How many can be found wholly, if only by their words."""
        return self.ready + self.learning


@dataclass(frozen=True, slots=True)
class Line:
    """One file, for people; `kind` is one of WORDS, `document` is None where there is none."""

    path: str
    kind: str
    became: str
    reason: str
    document: Document | None


def counts(folders: QuerySet[WatchedFolder]) -> dict[int, Counts]:
    """The figures of each folder, by its id."""
    return counted(FolderEntry.objects.filter(folder__in=folders), "folder")


def counted(entries: QuerySet[FolderEntry] | QuerySet[BatchEntry], owner: str) -> dict[int, Counts]:
    """The figures of entries for each `owner`, a folder or a batch, by its id."""
    rows = entries.order_by().values(owner, became=BECAME).annotate(files=Count("pk"))
    found: dict[int, dict[str, int]] = {}
    for row in rows:
        found.setdefault(row[owner], {})[row["became"].replace(" ", "_")] = row["files"]
    return {pk: Counts(**each) for pk, each in found.items()}


def of(folder: WatchedFolder) -> Counts:
    """The figures of one folder."""
    return counts(WatchedFolder.objects.filter(pk=folder.pk)).get(folder.pk, Counts())


def entries(folder: WatchedFolder, became: str = "") -> QuerySet[FolderEntry]:
    """Its files by path, those that became one thing where it is named."""
    found = folder.entries.annotate(became=BECAME).select_related("document").order_by("path")
    return found.filter(became=became) if became in WORDS else found


def lines(found: QuerySet[FolderEntry] | QuerySet[BatchEntry]) -> Iterator[Line]:
    """Entries as they are read by people."""
    for entry in found:
        document = entry.document
        reason = entry.reason
        if document is not None:
            reason = document.reason or "; ".join(map(labels.noted, document.notice.splitlines()))
        elif not reason:
            reason = str(DELETED)
        kind = getattr(entry, "became")  # noqa: B009
        yield Line(entry.path, kind, str(WORDS[kind]), reason, document)


def as_csv(folder: WatchedFolder) -> Iterator[str]:
    """The receipt of a folder as a table."""
    return table(lines(entries(folder)), of(folder))


def table(lines: Iterable[Line], figures: Counts) -> Iterator[str]:
    """A receipt as CSV: a line for each file, the figures at its end."""
    out = io.StringIO()
    writer = csv.writer(out)
    writer.writerow(
        [_("file"), _("became"), _("reason"), _("parts"), _("passages"), _("characters")]
    )
    for line in lines:
        document = line.document
        sizes = (
            [document.part_count, document.chunk_count, document.character_count]
            if document
            else ["", "", ""]
        )
        writer.writerow([_harmless(line.path), line.became, _harmless(line.reason), *sizes])
        yield out.getvalue()
        out.seek(0)
        out.truncate()
    summary = _("%(found)s of %(total)s ready") % {"found": figures.ready, "total": figures.total}
    writer.writerow([summary])
    yield out.getvalue()


def _harmless(text: str) -> str:
    """A cell that no spreadsheet takes for a formula."""
    return f"'{text}" if text[:1] in ("=", "+", "-", "@", "\t", "\r") else text


def waits(folder: WatchedFolder) -> bool:
    """Whether a look was asked for that has not been taken."""
    if folder.paused:
        return False
    wanted, looked = folder.wanted_at, folder.looked_at
    return looked is None or (wanted is not None and wanted > looked)
