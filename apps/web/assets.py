"""Styles, scripts and icons under addresses that change with them: browsers may keep them."""

from functools import cache
from hashlib import blake2b
from pathlib import Path

from django.conf import settings
from django.contrib.staticfiles import finders
from django.contrib.staticfiles.storage import StaticFilesStorage


class VersionedStorage(StaticFilesStorage):
    """Adds what is in a file to its address: `/static/css/vault.css?v=3f1c…`."""

    def url(self, name: str | None) -> str:
        address = super().url(name)
        told = version(name or "") if not settings.DEBUG else ""
        return f"{address}?v={told}" if told else address


@cache
def version(name: str) -> str:
    """A few letters that stand for the file's bytes, "" where there is no such file."""
    found = finders.find(name)
    return blake2b(Path(found).read_bytes(), digest_size=5).hexdigest() if found else ""
