"""How documents are told in pages: the icon and the word of a format, the name of a language."""

from django import template
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext_lazy

from apps.library import labels, measuring
from apps.library.naming import FORMATS, format_words, language_name

register = template.Library()
register.filter(format_words)
register.filter(language_name)

ENDING = 5  # letters of a file's ending, at most

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
