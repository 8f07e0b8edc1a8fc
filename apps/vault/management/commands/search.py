"""`manage.py search QUERY`: the passages that answer, in the terminal."""

import json
from argparse import ArgumentParser
from collections.abc import Sequence
from typing import Any

from django.core.management.base import CommandError

from apps.library import asking, marking, narrowing, saving, search, second_opinion, workspaces
from apps.library.asking import Asked
from apps.library.models import Workspace
from apps.library.search import Findings, Hit, Place, Scope
from apps.library.second_opinion import Opinion
from apps.llm.bundled import launching
from apps.vault import terminal
from apps.vault.terminal import TerminalCommand

DENIED = "Nothing here seems to answer this. These are the nearest passages."
DOUBTED = "These passages may not answer this. Read them with care."


class Command(TerminalCommand):
    help = "Find passages in the documents by words and by meaning."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "query",
            nargs="?",
            default="",
            help='with operators: "exact words", -word, in:, category:, type:, lang:, after:, '
            "before:, workspace: (workspace:all looks in all of them)",
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
        try:
            workspace = workspaces.of_person(
                terminal.person(options["owner"]), options["workspace"]
            )
            query, scope, everywhere = _wanted(workspace, options)
            asked = asking.read(query)
            places = narrowing.places(workspace, asked, scope, everywhere=everywhere)
            with terminal.model_server():
                found, opinion = _found(places, asked, options)
        except (LookupError, launching.NotStarted) as error:
            raise CommandError(str(error)) from error
        if found.notice:
            self.stderr.write(found.notice)
        if opinion and opinion.why:
            self.stderr.write(str(opinion.why))
        if options["json"]:
            told = _document(found) | ({"second_opinion": _told(opinion)} if opinion else {})
            self.stdout.write(json.dumps(told, ensure_ascii=False))
            return
        for slip in found.slips:
            self.stderr.write(f"Nothing has “{slip.asked}”; looked for “{slip.instead}” instead.")
        if not found.hits:
            self.stderr.write("Nothing is found. Try fewer words, another spelling, no filter.")
        elif not found.answerable:
            self.stderr.write(DENIED if found.sure and not found.slips else DOUBTED)
        for hit in found.hits:
            text = " ".join(marking.plain(hit.text).split())
            self.stdout.write(f"{hit.band:6} {hit.chunk.document}, {hit.chunk.label}: {text[:160]}")


def _wanted(workspace: Workspace, options: dict[str, Any]) -> tuple[str, Scope | None, bool]:
    """The question, where to look, and whether that is everywhere."""
    scope = search.scope_named(workspace, options["scope"])
    if options["saved"] is None:
        if not options["query"]:
            raise LookupError("Say what to look for, or --saved with the name of a kept search.")
        return options["query"], scope, False
    kept = saving.form_of(workspace, options["saved"])
    query = f"{kept.cleaned_data['q']} {options['query']}".strip()
    within = kept.scope() if scope == search.EVERYTHING else scope
    return query, within, kept.cleaned_data["everywhere"]


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
        return search.search_all(places, asked.text, **narrowed), None
    if (wish := second_opinion.wish()) is None:
        raise LookupError(str(second_opinion.NO_WRITER))
    return second_opinion.search_again(places, asked.text, wish, **narrowed)


def _told(opinion: Opinion) -> dict[str, Any]:
    return {
        "model": opinion.model,
        "seconds": opinion.seconds,
        "wordings": list(opinion.wordings),
        "reordered": opinion.reordered,
        "why_not": str(opinion.why),
    }


def _document(found: Findings) -> dict[str, Any]:
    return {
        "hits": [_hit(hit) for hit in found.hits],
        "answerable": found.answerable,
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
