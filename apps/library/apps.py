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
        """Make the folder where uploads arrive: Django wants it before the first one."""
        from apps.library.shell import counted
        from apps.web import rail

        rail.PARTS["categories"] = counted
        folder = Path(settings.FILE_UPLOAD_TEMP_DIR)
        for each in (folder.parent, folder):  # the mode is not that of parents
            each.mkdir(parents=True, exist_ok=True, mode=0o700)
