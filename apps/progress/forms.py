"""What a person may say about their progress."""

from zoneinfo import available_timezones

from django import forms
from django.utils.translation import gettext_lazy as _

IMPORT_LIMIT = 50 * 2**20  # bytes


class ZoneForm(forms.Form):
    """The time zone of the person's days."""

    zone = forms.ChoiceField(label=_("Time zone"), choices=lambda: [(z, z) for z in _zones()])


class ImportForm(forms.Form):
    """An earlier export."""

    file = forms.FileField(label=_("An export of progress, JSON or CSV"))

    def clean_file(self) -> bytes:
        """The file's bytes."""
        upload = self.cleaned_data["file"]
        if upload.size > IMPORT_LIMIT:
            raise forms.ValidationError(_("This file is over 50 MB. Choose an export of progress."))
        content: bytes = upload.read()
        return content


def _zones() -> list[str]:
    return sorted(zone for zone in available_timezones() if "/" in zone or zone == "UTC")
