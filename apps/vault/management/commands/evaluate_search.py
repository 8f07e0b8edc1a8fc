"""`manage.py evaluate_search DIR [--sets a,b] --json`: how well search finds, on labelled sets."""

from typing import Any

from apps.library.evaluating import evaluate
from apps.vault.labelled import LabelledCommand


class Command(LabelledCommand):
    help = "Measure search on a folder of labelled sets: hybrid, words only, meaning only."
    measure = staticmethod(evaluate)

    def tell(self, report: dict[str, Any]) -> None:
        for row in report["sets"]:
            legs = (f"{leg} {row[leg]['ndcg@10']:.3f}" for leg in ("hybrid", "words", "meaning"))
            self.stdout.write(f"{row['set']:16} nDCG@10  {'  '.join(legs)}")
        for row in report["gate"]:
            passed = f"{row['answerable_passed']:.2f} / {row['unanswerable_passed']:.2f}"
            self.stdout.write(f"{row['set']:16} answerable / unanswerable let through  {passed}")
