"""`manage.py search QUERY`: the passages that answer, in the terminal."""

import json
import shlex
import textwrap
from argparse import ArgumentParser
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.core.management.base import CommandError

from apps.chat import prompt
from apps.library import (
    absence,
    asking,
    copies,
    labels,
    marking,
    narrowing,
    saving,
    search,
    second_opinion,
    wording,
    workspaces,
)
from apps.library.absence import Absence, Sought
from apps.library.asking import Asked
from apps.library.models import Chunk, Workspace
from apps.library.ranking import DEPTH
from apps.library.search import Findings, Hit, Place
from apps.library.second_opinion import Opinion
from apps.llm.bundled import launching
from apps.vault import terminal
from apps.vault.terminal import TerminalCommand

DENIED = "Nothing here seems to answer this. These are the nearest passages."
DOUBTED = "These passages may not answer this. Read them with care."
NOTHING = "Nothing is found for “{asked}”{within}."
INSTEAD = "Try fewer words, another spelling, no filter."
STRETCH = 400  # characters of a passage that are printed


class Command(TerminalCommand):
    help = "Find passages in the documents by words and by meaning."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "query",
            nargs="?",
            default="",
            help='with operators: "exact words", -word, in:, category:, type:, lang:, after:, '
            "before: (when a document was last changed), workspace: (workspace:all is all of them)",
        )
        parser.add_argument("--owner", help="whose documents; needed where there are several")
        parser.add_argument("--workspace", help="the first one where none is named")
        parser.add_argument(
            "--scope", action="append", default=[], help="a category or document; may be repeated"
        )
        parser.add_argument(
            "--limit", type=terminal.count, default=10, help="how many passages, at most 50"
        )
        parser.add_argument(
            "--saved", metavar="NAME", help="a search kept on the page, with its filters"
        )
        parser.add_argument(
            "--look-again",
            action="store_true",
            help="let the language model look again at what is found; slower",
        )
        parser.add_argument("--json", action="store_true", help="print one JSON document")

    def handle(self, *args: Any, **options: Any) -> None:
        if options["limit"] > DEPTH:
            self.stderr.write(f"{DEPTH} passages are the most that are given.")
            options["limit"] = DEPTH
        try:
            workspace = workspaces.of_person(
                terminal.person(options["owner"]), options["workspace"]
            )
            sought = _wanted(workspace, options)
            asked = asking.read(sought.line)
            scope, everywhere = sought.scope, sought.everywhere
            places = narrowing.places(workspace, asked, scope, everywhere=everywhere)
            with terminal.model_server():
                found, opinion = _found(places, asked, options)
                missed = None if asked.wants else absence.of(sought, found if places else None)
        except (LookupError, launching.NotStarted) as error:
            raise CommandError(str(error)) from error
        notes = [Note("question", asked.wants)]
        if not asked.wants:
            there = [place.workspace.pk for place in places] or [workspace.pk]
            unread = absence.told_unread(sum(r["count"] for r in absence.unread(there)))
            notes = [*_notes(sought, found, opinion, missed), Note("unread", unread)]
        notes = [note for note in notes if note.told]
        for note in notes:
            self.stderr.write(note.line)
        if options["json"]:
            report = _document(found, notes)
            report |= {"second_opinion": _told(opinion)} if opinion else {}
            self.stdout.write(json.dumps(report, ensure_ascii=False))
            return
        for told in copies.folded(found.hits)[: options["limit"]]:
            self.stdout.write(_passage(told, several=len(places) > 1))


@dataclass(frozen=True, slots=True)
class Note:
    """What is to be known about a search, in the page's words."""

    kind: str  # as notice, correction, verdict, absence, languages or unread
    told: str
    instead: str = ""  # the line that would find more

    @property
    def line(self) -> str:
        """As a person reads it."""
        instead = f" To find them: search {shlex.quote(self.instead)}" if self.instead else ""
        return self.told + instead


def _notes(
    sought: Sought, found: Findings, opinion: Opinion | None, missed: Absence | None
) -> list[Note]:
    notes = [Note("notice", found.notice)]
    notes.append(Note("second_opinion", str(opinion.why) if opinion else ""))
    for slip in found.slips:
        told = f"Nothing has “{slip.asked}”; looked for “{slip.instead}” instead."
        notes.append(Note("correction", told))
    if not found.hits or (found.unheard and found.hopeless):
        where = sought.still_untold(missed)
        told = NOTHING.format(
            asked=asking.quotable(sought.line), within=f" within {where}" if where else ""
        )
        notes.append(Note("verdict", told if missed else f"{told} {INSTEAD}"))
    elif not found.answerable:
        notes.append(Note("verdict", DENIED if found.sure and not found.slips else DOUBTED))
    notes.append(Note("languages", absence.told_tongues(found)))
    if missed:
        notes.append(Note("absence", missed.told, missed.line))
    return notes


def _passage(told: copies.Told, *, several: bool) -> str:
    """A passage as some lines: how good it is and where, what it says, and who says it too."""
    hit = told.hit
    where = f" in {hit.chunk.document.workspace}" if several else ""
    head = [f"{hit.chunk.document}{where}, {wording.label(hit)}", wording.places(hit)]
    said = prompt.excerpt(marking.plain(hit.text).strip(), hit.words, STRETCH)
    lines = [" ".join(line.split()) for line in said.splitlines()]
    if told.newer:
        lines.append(f"An older version; newer is {_place(hit, told.newer)}")
    if told.same:
        others = [_place(hit, chunk) for chunk in told.same]
        lines.append(f"Word for word also in {' · '.join(others)}")
    below = textwrap.indent("\n".join(filter(None, lines)), " " * 7)
    return f"{hit.band:6} {' · '.join(filter(None, head))}\n{below}"


def _place(hit: Hit, chunk: Chunk) -> str:
    """Where another passage stands, with its workspace where that is another one."""
    place = f"{chunk.document}, {labels.said(chunk.label)}"
    if chunk.document.workspace_id == hit.chunk.document.workspace_id:
        return place
    return f"{chunk.document} in {chunk.document.workspace}, {labels.said(chunk.label)}"


def _wanted(workspace: Workspace, options: dict[str, Any]) -> Sought:
    """The question, and where to look."""
    scope, names = search.scope_named(workspace, options["scope"]), tuple(options["scope"])
    if options["saved"] is None:
        if not options["query"]:
            raise LookupError("Say what to look for, or --saved with the name of a kept search.")
        return Sought(workspace, options["query"], scope, filters=names)
    kept = saving.form_of(workspace, options["saved"])
    query = f"{kept.cleaned_data['q']} {options['query']}".strip()
    within = kept.scope() if scope == search.EVERYTHING else scope
    filters = kept.chosen if scope == search.EVERYTHING else names
    return Sought(workspace, query, within, kept.cleaned_data["everywhere"], filters)


def _found(
    places: Sequence[Place], asked: Asked, options: dict[str, Any]
) -> tuple[Findings, Opinion | None]:
    """What is found, and the language model's opinion where that is wanted."""
    narrowed: dict[str, Any] = {
        "limit": options["limit"],
        "phrases": asked.phrases,
        "without": asked.without,
    }
    if not options["look_again"]:
        return _different(places, asked, narrowed, once=options["json"]), None
    if (wish := second_opinion.wish()) is None:
        raise LookupError(str(second_opinion.NO_WRITER))
    return second_opinion.search_again(places, asked.text, wish, **narrowed)


def _different(
    places: Sequence[Place], asked: Asked, narrowed: dict[str, Any], *, once: bool
) -> Findings:
    """As many different passages as are wanted, if there are: copies count as one.

    Programs, which ask `once`, get each passage by itself.
    """
    wanted = depth = narrowed["limit"]
    before = -1
    while True:
        found = search.search_all(places, asked.text, **narrowed | {"limit": depth})
        enough = once or depth >= DEPTH or len(found.hits) <= before
        if enough or len(copies.folded(found.hits)) >= wanted:
            return found
        before, depth = len(found.hits), min(DEPTH, 2 * depth)


def _told(opinion: Opinion) -> dict[str, Any]:
    return {
        "model": opinion.model,
        "seconds": opinion.seconds,
        "wordings": list(opinion.wordings),
        "reordered": opinion.reordered,
        "why_not": str(opinion.why),
    }


def _document(found: Findings, notes: Sequence[Note]) -> dict[str, Any]:
    return {
        "hits": [_hit(hit) for hit in found.hits],
        "answerable": found.answerable,
        "notes": [
            {"kind": note.kind, "text": note.told, "instead": note.instead} for note in notes
        ],
        "milliseconds": {"embed": found.embed_ms, "search": found.search_ms},
    }


def _hit(hit: Hit) -> dict[str, Any]:
    chunk = hit.chunk
    return {
        "document": chunk.document.name,
        "document_id": chunk.document_id,
        "locator": {"kind": chunk.kind, "label": chunk.label, "number": chunk.number},
        "text": hit.text,
        "score": hit.score,
        "place_by_words": hit.place_by_words,
        "place_by_meaning": hit.place_by_meaning,
        "similarity": hit.similarity,
        "band": hit.band,
        "words": list(hit.words),
    }
