"""`manage.py search QUERY`: the passages that answer, in the terminal."""

import json
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import CommandError

from apps.library import asking, search, workspaces
from apps.library.narrowing import narrowed
from apps.library.search import Findings, Hit
from apps.llm.bundled import launching
from apps.vault import terminal
from apps.vault.terminal import TerminalCommand


class Command(TerminalCommand):
    help = "Find passages in the documents by words and by meaning."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "query", help='with operators: "exact words", -word, in:, category:, type:, after:'
        )
        parser.add_argument("--owner", help="whose documents; needed where there are several")
        parser.add_argument("--workspace", help="the first one where none is named")
        parser.add_argument(
            "--scope", action="append", default=[], help="a category or document; may be repeated"
        )
        parser.add_argument(
            "--limit", type=terminal.count, default=10, help="how many passages, at most 50"
        )
        parser.add_argument("--json", action="store_true", help="print one JSON document")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            workspace = workspaces.of_person(
                terminal.person(options["owner"]), options["workspace"]
            )
            asked = asking.read(options["query"])
            scope = narrowed(workspace, asked, search.scope_named(workspace, options["scope"]))
            with terminal.model_server():
                found = search.search(
                    workspace,
                    asked.text if scope else "",
                    scope=scope or search.EVERYTHING,
                    limit=options["limit"],
                    phrases=asked.phrases,
                    without=asked.without,
                )
        except (LookupError, launching.NotStarted) as error:
            raise CommandError(str(error)) from error
        if found.notice:
            self.stderr.write(found.notice)
        if options["json"]:
            self.stdout.write(json.dumps(_document(found), ensure_ascii=False))
            return
        for hit in found.hits:
            text = " ".join(hit.chunk.text.split())
            self.stdout.write(f"{hit.band:6} {hit.chunk.document}, {hit.chunk.label}: {text[:160]}")


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
        "text": chunk.text,
        "score": hit.score,
        "place_by_words": hit.place_by_words,
        "place_by_meaning": hit.place_by_meaning,
        "similarity": hit.similarity,
        "band": hit.band,
    }
