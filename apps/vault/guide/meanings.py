"""Where the guide tells what an error or a state means: one list, for all pages that show one."""

from django.urls import reverse

# The code of what is shown, and the page and anchor of the guide.
MEANINGS = {
    "not-read": ("trouble", "not-read"),  # a document that could not be read
    "locked": ("trouble", "locked"),
    "no-text": ("trouble", "no-text"),
    "failed": ("trouble", "failed"),
    "waiting": ("trouble", "waiting"),
    "too-large": ("trouble", "too-large"),
    "disk-full": ("trouble", "disk-full"),
    "refused-address": ("trouble", "refused-address"),
    "words-only": ("trouble", "words-only"),  # the embedding model is missing or learns
    "no-language-model": ("trouble", "no-language-model"),
    "answer-failed": ("trouble", "answer-failed"),
    "weak-citation": ("asking", "marks"),
    "not-in-documents": ("asking", "not-there"),
    "made-fewer": ("trouble", "made-fewer"),
}


def address(code: str) -> str:
    """Where the guide tells of it; raises KeyError for a code that is none."""
    page, anchor = MEANINGS[code]
    return f"{reverse('vault:guide_page', args=[page])}#{anchor}"


def of_state(state: str, reason: str, source: str) -> str:
    """The code for where a document stands, "" where nothing needs to be explained."""
    if state == "refused":
        return "refused-address" if source.startswith("http") and not reason else "not-read"
    if state == "failed":
        return "refused-address" if source.startswith("http") else "failed"
    return "waiting" if state == "queued" and reason else ""
