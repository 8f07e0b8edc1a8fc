"""How uploads arrive: onto the vault's own disk, never into memory or the system's /tmp."""

from typing import Any

from django.conf import settings
from django.core.exceptions import RequestDataTooBig
from django.core.files.uploadhandler import TemporaryFileUploadHandler

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
            raise RequestDataTooBig(f"More than {settings.UPLOAD_LIMIT_MB} MB at once.")
