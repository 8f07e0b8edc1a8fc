"""Links from errors and states to what the guide says of them."""

from django import template
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from apps.library.models import Document
from apps.vault.guide import meanings

register = template.Library()


@register.simple_tag
def meaning(code: str) -> SafeString:
    """A link "What does this mean?"; nothing for an empty code."""
    if not code:
        return SafeString("")
    return format_html(
        '<a class="small" href="{}">{}</a>', meanings.address(code), _("What does this mean?")
    )


@register.simple_tag
def meaning_of_words(text: str) -> SafeString:
    """The same for a sentence that the vault says."""
    return meaning(meanings.of_words(text))


@register.simple_tag
def meaning_of(document: Document) -> SafeString:
    """The same for where a document stands."""
    return meaning(meanings.of_state(document.state, document.reason, document.source))
