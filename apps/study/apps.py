"""The study room's entry in Django's list."""

from django.apps import AppConfig


class StudyConfig(AppConfig):
    name = "apps.study"
    label = "study"

    def ready(self) -> None:
        from apps.library.discarding import FORGETTERS
        from apps.study import quiz  # noqa: F401 - tells `generation` how quizzes are made
        from apps.study.forgetting import forget

        FORGETTERS.append(forget)
