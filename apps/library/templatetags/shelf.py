"""How documents are told in pages: the icon and the word of a format, the name of a language."""

from django import template
from django.utils.translation import get_language_info

from apps.library import measuring

register = template.Library()

FORMATS = {
    "pdf": ("file-text", "PDF"),
    "docx": ("file-type", "Word"),
    "markdown": ("file-type", "Markdown"),
    "text": ("file-text", "Text"),
    "csv": ("file-spreadsheet", "Table"),
    "xlsx": ("file-spreadsheet", "Excel"),
    "pptx": ("presentation", "Slides"),
    "html": ("file-code", "Web page"),
    "code": ("file-code", "Code"),
    "image": ("file-image", "Image"),
    "audio": ("file-audio", "Audio"),
}


@register.filter
def format_icon(name: str) -> str:
    """The icon's name for a format; a plain file where it is not known yet."""
    return FORMATS.get(name, ("file-text", ""))[0]


@register.filter
def format_words(name: str) -> str:
    """What people call a format."""
    return FORMATS.get(name, ("", name.upper() or "File"))[1]


@register.filter
def language_name(code: str) -> str:
    """A language by its English name: German."""
    try:
        return str(get_language_info(code)["name"])
    except KeyError:
        return code


register.filter("counted", measuring.counted)
register.filter("extent", measuring.shown)
