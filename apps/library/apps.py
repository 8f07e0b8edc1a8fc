"""The library room's entry in Django's list."""

from pathlib import Path

from django.apps import AppConfig
from django.conf import settings
from django.utils.translation import gettext_lazy


class LibraryConfig(AppConfig):
    name = "apps.library"
    label = "library"
    verbose_name = gettext_lazy("Library")

    def ready(self) -> None:
        """Say what the library is at, and make the folder that Django wants for uploads."""
        from apps.library.rule_learning import at_work
        from apps.library.shell import counted
        from apps.llm import occupied
        from apps.web import rail

        rail.PARTS["categories"] = counted
        occupied.TELLERS.append(at_work)
        folder = Path(settings.FILE_UPLOAD_TEMP_DIR)
        for each in (folder.parent, folder):  # the mode is not that of parents
            each.mkdir(parents=True, exist_ok=True, mode=0o700)
