"""The rule that judges a person's searches: the vault's, with the line their documents drew."""

from dataclasses import replace

from django.utils.translation import gettext_lazy

from apps.library import relevance
from apps.library.models import LearnedRule
from apps.library.relevance import Calibration

LEARNED = gettext_lazy("whose line was drawn on %(date)s by questions to your own documents")


def of(model: str, owner_id: int) -> Calibration:
    """The rule for an embedding model and a person; the vault's own where nothing was learned."""
    rule = relevance.calibration(model)
    if not model:
        return rule
    rows = LearnedRule.objects.filter(owner=owner_id, model=model, edition=relevance.EDITION)
    found = rows.only("state", "shift", "ended_at", "kept").first()
    return moved(rule, found) if found and found.in_use else rule


def moved(rule: Calibration, learned: LearnedRule) -> Calibration:
    """The rule with its line where the documents drew it."""
    used = learned.in_use
    return replace(shifted(rule, used["shift"]), source=LEARNED % {"date": used["date"]})


def shifted(rule: Calibration, shift: float) -> Calibration:
    """The rule with its line moved; positive is milder. One that was never measured is so now."""
    return replace(rule, constant=round(rule.constant + shift, 2), margin=min(rule.margin, 1.0))
