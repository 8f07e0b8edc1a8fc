"""`manage.py evaluate_search DIR [--sets a,b] --json`: how well search finds, on labelled sets."""

from argparse import ArgumentParser
from collections.abc import Sequence
from typing import Any

from apps.library.evaluating import evaluate
from apps.vault import terminal
from apps.vault.labelled import LabelledCommand


class Command(LabelledCommand):
    help = "Measure search on a folder of labelled sets: hybrid, words only, meaning only."
    measure = staticmethod(evaluate)

    def add_arguments(self, parser: ArgumentParser) -> None:
        super().add_arguments(parser)
        parser.add_argument(
            "--second-opinion",
            choices=("reword", "reorder", "both"),
            default="",
            help="also with the language model's second opinion, for which it takes minutes",
        )
        parser.add_argument(
            "--limit", type=terminal.count, help="so many questions of each set, taken at random"
        )

    def measured(self, names: Sequence[str], options: dict[str, Any]) -> dict[str, Any]:
        opinion, limit = options["second_opinion"], options["limit"]
        return evaluate(options["dir"], names, opinion=opinion, limit=limit)

    def tell(self, report: dict[str, Any]) -> None:
        for row in report["sets"]:
            known = [leg for leg in ("hybrid", "words", "meaning", "second") if leg in row]
            legs = (f"{leg} {row[leg]['ndcg@10']:.3f}" for leg in known)
            self.stdout.write(f"{row['set']:16} nDCG@10  {'  '.join(legs)}")
        for row in report["gate"]:
            passed = f"{row['answerable_passed']:.2f} / {row['unanswerable_passed']:.2f}"
            self.stdout.write(f"{row['set']:16} answerable / unanswerable let through  {passed}")
