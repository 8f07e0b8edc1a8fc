"""What every file of the house must keep: walk all of them and say which does not."""

import ast
import re
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path

import pytest

from apps.web.templatetags.face import icon_names

ROOT = Path(__file__).resolve().parent.parent
TEMPLATES = sorted([*ROOT.glob("templates/**/*.html"), *ROOT.glob("apps/*/templates/**/*.html")])
STYLES = sorted(ROOT.glob("static/css/*.css"))
SCRIPTS = sorted(ROOT.glob("static/js/*.js"))
MODULES = sorted(
    path
    for folder in ("apps", "vaultsite", "tests")
    for path in ROOT.glob(f"{folder}/**/*.py")
    if "migrations" not in path.parts
)
BANNED = {"utils", "helpers", "services", "managers", "common", "core", "misc", "base", "selectors"}
# Most text about htmx is about version 2; these words do nothing in version 4, or something else.
HTMX_2 = re.compile(
    r"hx-ext\b|\bsse-(connect|swap)\b|hx-inherit\b|hx-disinherit\b|hx-disabled-elt\b|hx-vars\b"
    r"|hx-params\b|hx-on\b|hx-on:|htmx:[a-z]+[A-Z]"
)
FOREIGN = re.compile(r"""(?:https?:)?//[\w.-]+\.\w+""")
# Trusted Types refuse all of these: a part of a page comes by htmx, or as an XHR's document.
BECOMES_PAGE = re.compile(
    r"\beval\(|new Function|innerHTML|outerHTML|document\.write|parseFromString|insertAdjacentHTML"
)
NAMES_OF_XML = ("http://www.w3.org/2000/svg", "http://www.w3.org/1999/xlink")


def name(path: Path) -> str:
    return str(path.relative_to(ROOT))


def without_tags(template: str) -> str:
    """A template's HTML: comments gone, tags gone, values as a word."""
    template = re.sub(r"{#.*?#}|{% comment.*?endcomment %}", "", template, flags=re.S)
    return re.sub(r"{{.*?}}", "value", re.sub(r"{%.*?%}", " ", template, flags=re.S), flags=re.S)


class Elements(HTMLParser):
    """The elements of a template, each with its attributes and the text of scripts and styles."""

    def __init__(self, html: str) -> None:
        super().__init__(convert_charrefs=True)
        self.found: list[tuple[str, dict[str, str]]] = []
        self.inside = ""
        self.inline: list[str] = []
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, {key: value or "" for key, value in attrs}))
        self.inside = tag

    def handle_endtag(self, tag: str) -> None:
        self.inside = ""

    def handle_data(self, data: str) -> None:
        if self.inside in ("script", "style") and data.strip():
            self.inline.append(data.strip())


def faults(path: Path) -> Iterator[str]:
    """What a template does that no template may do."""
    html = without_tags(path.read_text())
    elements = Elements(html)
    yield from (f"<{text[:40]}> is inline" for text in elements.inline)
    for tag, attributes in elements.found:
        yield from (
            f"{tag} has {each}" for each in attributes if re.fullmatch(r"style|on\w+", each)
        )
        if tag == "style":
            yield "a style element"
        if "hx-post" in attributes:
            as_form = (
                tag == "form" and attributes.get("method") == "post" and "action" in attributes
            )
            if not as_form and "formaction" not in attributes:
                yield f"{tag} hx-post={attributes['hx-post']} does nothing without JavaScript"
        if "[" in attributes.get("hx-trigger", ""):
            yield "a filter in hx-trigger needs eval, which the policy forbids"
        if tag == "a" and "href" not in attributes and "id" not in attributes:
            yield "a link that leads nowhere"
    if found := HTMX_2.search(html):
        yield f"{found[0]} is htmx 2"


@pytest.mark.parametrize("path", TEMPLATES, ids=name)
def test_nothing_inline_and_every_act_works_without_script(path: Path) -> None:
    assert list(faults(path)) == []


@pytest.mark.parametrize("path", TEMPLATES, ids=name)
def test_icons_exist(path: Path) -> None:
    wanted = set(re.findall(r'{% icon "([^"]+)"', path.read_text()))
    assert wanted - icon_names() == set()


@pytest.mark.parametrize("path", [*TEMPLATES, *STYLES, *SCRIPTS], ids=name)
def test_nobody_elses_machine_is_named(path: Path) -> None:
    text = path.read_text()
    for each in NAMES_OF_XML:
        text = text.replace(each, "")
    if path in TEMPLATES:
        text = without_tags(text)
        text = re.sub(r'<a [^>]*rel="[^"]*noreferrer[^>]*>', "", text)  # a person may follow a link
    assert FOREIGN.findall(text) == []


@pytest.mark.parametrize("path", SCRIPTS, ids=name)
def test_a_script_is_an_island(path: Path) -> None:
    """Short, and its first line says what it is for and what works without it."""
    lines = path.read_text().splitlines()
    assert len(lines) <= 80 and lines[0].startswith("//")
    assert not re.search(BECOMES_PAGE, path.read_text())


@pytest.mark.parametrize("path", MODULES, ids=name)
def test_a_module_is_short_and_has_a_sign_on_its_door(path: Path) -> None:
    text = path.read_text()
    tree = ast.parse(text)
    assert len(text.splitlines()) <= (500 if "tests" in path.parts else 400)
    assert path.stem not in BANNED
    if tree.body:
        assert ast.get_docstring(tree), "no docstring"
    long = [
        f"{node.name} ({node.end_lineno - node.lineno + 1} lines)"
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        and (node.end_lineno or 0) - node.lineno >= 60
    ]
    assert long == []


@pytest.mark.parametrize("path", [p for p in MODULES if "tests" not in p.parts], ids=name)
def test_nothing_happens_behind_the_readers_back(path: Path) -> None:
    """No signals: whoever wants something done calls it."""
    text = path.read_text()
    assert "@receiver" not in text and "django.dispatch" not in text
    assert not re.search(r"\b(pre|post)_(save|delete|init)\b", text)


@pytest.mark.parametrize(
    "html",
    [
        '<p style="color: red">x</p>',
        '<button onclick="x()">x</button>',
        "<script>x()</script>",
        '<form hx-post="/x/"></form>',
        '<div sse-connect="/x/"></div>',
        '<input hx-trigger="keyup[key==1]">',
    ],
)
def test_the_rules_notice(html: str, tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    page.write_text(html)
    assert list(faults(page)) != []
