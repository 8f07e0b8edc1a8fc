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
    used = LearnedRule.objects.filter(
        owner=owner_id, model=model, edition=relevance.EDITION, state=LearnedRule.State.USED
    )
    found = used.only("shift", "ended_at").first()
    return moved(rule, found) if found else rule


def moved(rule: Calibration, learned: LearnedRule) -> Calibration:
    """The rule with its line where the documents drew it."""
    date = learned.ended_at.date().isoformat() if learned.ended_at else ""
    return replace(shifted(rule, learned.shift), source=LEARNED % {"date": date})


def shifted(rule: Calibration, shift: float) -> Calibration:
    """The rule with its line moved; positive is milder. One that was never measured is so now."""
    return replace(rule, constant=round(rule.constant + shift, 2), margin=min(rule.margin, 1.0))
