"""How uploads arrive: onto the vault's own disk, never into memory or the system's /tmp."""

import contextlib
from collections.abc import Iterator
from typing import Any

from django.conf import settings
from django.core.exceptions import RequestDataTooBig
from django.core.files.uploadedfile import UploadedFile
from django.core.files.uploadhandler import TemporaryFileUploadHandler
from django.utils.translation import gettext as _

SLACK = 16 << 20  # bytes for the other fields of a form


class Receiver(TemporaryFileUploadHandler):
    """Files go to FILE_UPLOAD_TEMP_DIR; a body far over the limit is refused before it is read."""

    def handle_raw_input(
        self,
        input_data: Any,
        META: dict[str, Any],
        content_length: int,
        boundary: str,
        encoding: str | None = None,
    ) -> None:
        if content_length > (settings.UPLOAD_LIMIT_MB << 20) + SLACK:
            limit = settings.UPLOAD_LIMIT_MB
            raise RequestDataTooBig(_("More than %(limit)s MB at once.") % {"limit": limit})

    def receive_data_chunk(self, raw_data: bytes, start: int) -> None:
        with self._closed_on_trouble():
            super().receive_data_chunk(raw_data, start)

    def file_complete(self, file_size: int) -> "UploadedFile[Any] | None":
        with self._closed_on_trouble():
            return super().file_complete(file_size)

    @contextlib.contextmanager
    def _closed_on_trouble(self) -> Iterator[None]:
        """Let go of half a file when the disk is full: it is of no use, and takes room."""
        try:
            yield
        except OSError:
            with contextlib.suppress(OSError):
                self.file.close()
            raise
