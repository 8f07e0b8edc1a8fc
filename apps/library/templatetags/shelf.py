"""How documents are told in pages: the icon and the word of a format, the name of a language."""

from django import template
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import get_language_info, gettext_lazy
from django.utils.translation import gettext as _

from apps.library import labels, measuring

register = template.Library()

ENDING = 5  # letters of a file's ending, at most

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

STAGES = {"reading": gettext_lazy("Reading"), "learning": gettext_lazy("Learning")}
TOUCHES = {
    "read": gettext_lazy("read"),
    "cited": gettext_lazy("cited"),
    "tested": gettext_lazy("tested"),
    "mastered": gettext_lazy("mastered"),
}


@register.filter
def format_icon(name: str) -> str:
    """The icon's name for a format; a plain file where it is not known yet."""
    return FORMATS.get(name, ("file-text", ""))[0]


@register.filter
def format_words(name: str) -> str:
    """What people call a format."""
    return str(FORMATS.get(name, ("", name.upper() or _("File")))[1])


@register.filter
def language_name(code: str) -> str:
    """A language by its name in the reader's language: German, Deutsch."""
    try:
        return str(get_language_info(code)["name_translated"])
    except KeyError:
        return code


@register.filter
def stage_words(name: str) -> str:
    """What took its time, as the receipt names it."""
    return str(STAGES.get(name, name.capitalize()))


@register.filter
def touch_words(mark: str) -> str:
    """How a passage was touched."""
    return str(TOUCHES[mark])


@register.filter
def named(document: object) -> SafeString:
    """A name that breaks before its ending, not within: "minutes of May" above ".html"."""
    name, dot, ending = str(document).rpartition(".")
    if not name or not 0 < len(ending) <= ENDING:
        return format_html("{}", str(document))
    return format_html('{}<wbr><span class="ending">{}</span>', name, dot + ending)


register.filter("place", labels.said)
register.filter("placed", labels.noted)
register.filter("counted", measuring.counted)
register.filter("extent", measuring.shown)
