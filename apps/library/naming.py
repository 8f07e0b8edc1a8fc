"""What people call a format and a language."""

from django.utils.translation import get_language_info, gettext_lazy
from django.utils.translation import gettext as _

# The icon and the word of each.
FORMATS = {
    "pdf": ("file-text", "PDF"),
    "docx": ("file-type", "Word"),
    "markdown": ("file-type", "Markdown"),
    "text": ("file-text", gettext_lazy("Text")),
    "csv": ("file-spreadsheet", gettext_lazy("Table")),
    "xlsx": ("file-spreadsheet", "Excel"),
    "pptx": ("presentation", gettext_lazy("Slides")),
    "html": ("file-code", gettext_lazy("Web page")),
    "code": ("file-code", gettext_lazy("Code")),
    "image": ("file-image", gettext_lazy("Image")),
    "audio": ("file-audio", gettext_lazy("Audio")),
}


def format_words(name: str) -> str:
    """What people call a format."""
    return str(FORMATS.get(name, ("", name.upper() or _("File")))[1])


def language_name(code: str) -> str:
    """A language by its name in the reader's language: German, Deutsch."""
    try:
        return str(get_language_info(code)["name_translated"])
    except KeyError:
        return code
