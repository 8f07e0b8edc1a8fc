"""Where the guide tells what an error or a state means: one list, for all pages that show one."""

from django.urls import reverse

from apps.web.telling import msgid

# The code of what is shown, and the page and anchor of the guide.
MEANINGS = {
    "not-read": ("trouble", "not-read"),  # a document that could not be read
    "locked": ("trouble", "locked"),
    "damaged": ("trouble", "damaged"),
    "other-kind": ("trouble", "other-kind"),
    "no-text": ("trouble", "no-text"),
    "no-ocr": ("trouble", "no-ocr"),
    "failed": ("trouble", "failed"),
    "waiting": ("trouble", "waiting"),
    "too-large": ("trouble", "too-large"),
    "disk-full": ("trouble", "disk-full"),
    "refused-address": ("trouble", "refused-address"),
    "not-fetched": ("trouble", "not-fetched"),
    "words-only": ("trouble", "words-only"),  # the embedding model is missing or learns
    "no-language-model": ("trouble", "no-language-model"),
    "not-downloaded": ("trouble", "not-downloaded"),
    "answer-failed": ("trouble", "answer-failed"),
    "weak-citation": ("asking", "marks"),
    "not-in-documents": ("asking", "not-there"),
    "made-fewer": ("trouble", "made-fewer"),
    "left-out": ("folders", "left-out"),
    "folder-gone": ("folders", "gone"),
    "backup": ("backup", "failed"),
}

# How the vault's sentences begin that have a meaning of their own, as the sources write them.
BEGINNINGS = {
    "locked": (
        "The PDF is encrypted", "The document is encrypted", "The file is encrypted",
        "This package is encrypted",
    ),
    "damaged": (
        "The PDF is damaged", "The DOCX is damaged", "The PPTX is damaged", "The XLSX is damaged",
        "The image is damaged", "The file is damaged", "The file unpacks to far more",
        "The file defines XML entities", "%(reason)s The recording is damaged",
    ),
    "other-kind": (
        "This is ", "The file is named .", "A kind of file that is not read",
    ),
    "no-ocr": ("This is a scan, and no OCR",),
    "no-text": (
        "There is no text in it", "The file has no text", "The table is empty",
        "The web page has no text", "The web page is empty", "The file is empty",
        "This file is empty", "No speech was heard", "No text was found in it",
    ),
    "too-large": (
        "The file is larger than", "The image has %(width)s", "Larger than %(limit)s MB",
        "“%(name)s” is too large",
    ),
    "disk-full": (
        "Only %(free)s MB are free", "The file could not be stored", "The disk is ",
    ),
    "not-fetched": (
        "%(host)s was not found", "%(host)s did not ", "%(host)s could not be reached",
        "%(host)s broke off", "%(host)s does not show", "%(host)s has no page",
        "%(host)s answered with", "%(host)s packs", "%(host)s sends from", "The page is larger",
    ),
    "refused-address": (
        "%(host)s leads to an address", "That is no web address", "The address holds",
        "Only addresses that begin", "Addresses with a user name", "Port %(port)s is not",
        "Hosts that are written", "“%(name)s” is no name of a public", "“%(host)s” is a name of",
        "The host is a number",
    ),
    "waiting": ("The speech model is ", "Waiting for the embedding model"),
    "failed": (
        "The worker stopped", "The reader was killed", "Something went wrong inside",
        "%(reason)s Export or scan the document again", "A library is missing",
    ),
    "not-downloaded": (
        "%(name)s could not be pulled", "Nobody offers a model", "%(name)s was interrupted",
    ),
    "no-language-model": (
        "No language model is installed", "No model server is running", "No model server answers",
    ),
    "left-out": ("A hidden ", "A folder of programs", "A file of the system", "A temporary file",
        "A link that", "A link to a folder", "No file: a socket", "Left out by a pattern"),
    "folder-gone": ("%(path)s is not there", "%(path)s is empty", "%(path)s cannot be read"),
    "backup": ("It was interrupted; earlier", "No worker took it on", "%(path)s could not be wr"),
}  # fmt: skip


def address(code: str) -> str:
    """Where the guide tells of it; raises KeyError for a code that is none."""
    page, anchor = MEANINGS[code]
    return f"{reverse('vault:guide_page', args=[page])}#{anchor}"


def of_words(text: str) -> str:
    """The code for a sentence the vault says, "" where the guide has nothing on it.

    Of two beginnings that fit, the longer one counts.
    """
    message = msgid(text)
    fitting = [
        (len(beginning), code)
        for code, beginnings in BEGINNINGS.items()
        for beginning in beginnings
        if message.startswith(beginning)
    ]
    return max(fitting)[1] if fitting else ""


def of_state(state: str, reason: str, source: str) -> str:
    """The code for where a document stands, "" where nothing needs to be explained."""
    if state not in ("refused", "failed", "queued", "learning", "ready") or not reason:
        return {"refused": "not-read", "failed": "failed"}.get(state, "")
    if exact := of_words(reason):
        return exact
    if state == "failed":
        return "not-fetched" if source.startswith("http") else "failed"
    return {"refused": "not-read", "queued": "waiting", "learning": "waiting"}.get(state, "")
