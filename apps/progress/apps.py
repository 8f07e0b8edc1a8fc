"""The progress room's entry in Django's list."""

from django.apps import AppConfig


class ProgressConfig(AppConfig):
    name = "apps.progress"
    label = "progress"

    def ready(self) -> None:
        from apps.progress.shell import kept
        from apps.web import rail

        rail.PARTS["standing"] = kept
