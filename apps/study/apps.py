"""The study room's entry in Django's list."""

from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class StudyConfig(AppConfig):
    name = "apps.study"
    label = "study"
    verbose_name = _("Study")

    def ready(self) -> None:
        from apps.library.discarding import FORGETTERS
        from apps.llm import occupied

        # Each tells `generation` how its kind is made.
        from apps.study import flashcards, lesson, mindmap, quiz, workshop  # noqa: F401
        from apps.study.forgetting import forget
        from apps.study.shell import overdue
        from apps.study.watching import at_work
        from apps.web import rail

        FORGETTERS.append(forget)
        occupied.TELLERS.append(at_work)
        rail.PARTS["due"] = overdue
