"""Files that come together get one receipt: how many can be found, and why the others cannot."""

from collections.abc import Iterator, Sequence

from django.db.models import QuerySet

from apps.library import accounting
from apps.library.accounting import BECAME, Counts, Line, counted
from apps.library.folders import Imported
from apps.library.models import Batch, BatchEntry, Document, Workspace
from apps.library.storing import storable

KEPT = 100  # batches of a workspace; older receipts go


def begin(workspace: Workspace, key: str, label: str) -> Batch:
    """The batch of this key, made where there is none yet."""
    batch, made = Batch.objects.get_or_create(
        workspace=workspace, key=key[:40], defaults={"label": storable(label)[:200]}
    )
    if made:
        old = list(workspace.batches.values_list("pk", flat=True)[KEPT:])
        Batch.objects.filter(pk__in=old).delete()
    return batch


def note(batch: Batch, path: str, *, document: Document | None = None, reason: str = "") -> None:
    """What became of a file at the door; the same file noted again is one line."""
    BatchEntry.objects.update_or_create(
        batch=batch,
        path=storable(path),
        defaults={"document": document, "reason": "" if document else reason},
    )


def note_imported(batch: Batch, results: Sequence[Imported]) -> None:
    """What became of the files of an import."""
    there = Document.objects.in_bulk([each.document for each in results if each.document])
    found = {
        each.path: BatchEntry(
            batch=batch,
            path=storable(each.path),
            document=there.get(each.document or 0),
            reason=each.reason,
        )
        for each in results
    }
    BatchEntry.objects.bulk_create(found.values(), ignore_conflicts=True)


def counts(batches: QuerySet[Batch]) -> dict[int, Counts]:
    """The figures of each batch, by its id."""
    return counted(BatchEntry.objects.filter(batch__in=batches), "batch")


def of(batch: Batch) -> Counts:
    """The figures of one batch."""
    return counts(Batch.objects.filter(pk=batch.pk)).get(batch.pk, Counts())


def recent(workspace: Workspace, number: int = 10) -> list[tuple[Batch, Counts]]:
    """The last batches of a workspace, each with its figures."""
    last = list(workspace.batches.all()[:number])
    figures = counts(Batch.objects.filter(pk__in=[batch.pk for batch in last]))
    return [(batch, figures.get(batch.pk, Counts())) for batch in last]


def entries(batch: Batch, became: str = "") -> QuerySet[BatchEntry]:
    """Its files by path, those that became one thing where it is named."""
    found = batch.entries.annotate(became=BECAME).select_related("document").order_by("path")
    return found.filter(became=became) if became in accounting.WORDS else found


def lines(batch: Batch) -> Iterator[Line]:
    """Every file of the batch, as people read it."""
    return accounting.lines(entries(batch))


def as_csv(batch: Batch) -> Iterator[str]:
    """The receipt as a table: a line for each file, the figures at its end."""
    return accounting.table(lines(batch), of(batch))
