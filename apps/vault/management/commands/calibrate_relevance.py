"""`manage.py calibrate_relevance [DIR] [--vault]`: fit the relevance gate to what is here."""

from argparse import ArgumentParser
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from apps.library import rule_learning
from apps.library.calibrating import calibrate
from apps.vault import terminal
from apps.vault.labelled import LabelledCommand


class Command(LabelledCommand):
    help = (
        "Learn which questions the embedding model in use can answer: from labelled sets, and from"
        " a person's own documents. What is learned is used only where it judges better."
    )
    measure = staticmethod(calibrate)

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("dir", type=Path, nargs="?", help="folder with one folder per set")
        parser.add_argument("--sets", default="", help="names of sets, comma between; default all")
        parser.add_argument("--vault", action="store_true", help="from a person's own documents")
        parser.add_argument("--owner", help="whose; needed where there are several people")
        parser.add_argument("--json", action="store_true", help="print one JSON document")

    def measured(self, names: Sequence[str], options: dict[str, Any]) -> dict[str, Any]:
        if not options["dir"] and not options["vault"]:
            raise LookupError("Name a folder of labelled sets, or say --vault, or both.")
        report = calibrate(options["dir"], names) if options["dir"] else {}
        if options["vault"]:
            report["vault"] = rule_learning.at_once(terminal.person(options["owner"]))
        return report

    def tell(self, report: dict[str, Any]) -> None:
        if "rule" in report:
            self._tell_sets(report)
        if own := report.get("vault"):
            self.stdout.write(f"own documents: {own['state']} {own['reason']}".strip())
            for when, row in own.get("held_back", {}).items():
                shares = f"{row['answerable']} % / {row['unanswerable']} %"
                self.stdout.write(f"{when:9} answerable / unanswerable {shares}")
            self.stdout.write(f"the line moves by {own['shift']}")

    def _tell_sets(self, report: dict[str, Any]) -> None:
        kept = "in use" if report["accepted"] else "no better than the rule in use, so not kept"
        self.stdout.write(f"{report['model']}, {report['date']}: {report['rule']} ({kept})")
        for title in ("before", "passed", "left_out"):
            for row in report[title]:
                shares = f"{row['answerable_passed']:.2f} / {row['unanswerable_passed']:.2f}"
                self.stdout.write(
                    f"{title:9} {row['set']:16} answerable / unanswerable {shares}, "
                    f"surely refused {row['surely_refused']:.2f}"
                )
