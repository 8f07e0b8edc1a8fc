"""`manage.py calibrate_relevance DIR`: fit the relevance gate to the embedding model in use."""

from typing import Any

from apps.library.calibrating import calibrate
from apps.vault.labelled import LabelledCommand


class Command(LabelledCommand):
    help = "Learn from labelled sets which questions the embedding model in use can answer."
    measure = staticmethod(calibrate)

    def tell(self, report: dict[str, Any]) -> None:
        self.stdout.write(f"{report['model']}, {report['date']}: {report['rule']}")
        for title in ("passed", "left_out"):
            for row in report[title]:
                shares = f"{row['answerable_passed']:.2f} / {row['unanswerable_passed']:.2f}"
                self.stdout.write(
                    f"{title:9} {row['set']:16} answerable / unanswerable {shares}, "
                    f"surely refused {row['surely_refused']:.2f}"
                )
