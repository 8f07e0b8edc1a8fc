"""Everything the vault says is translated, and the translations fit what is said."""

import re

import pytest

from tests import messages

PLACE = re.compile(r"%\(\w+\)[sd]|%[sd]|{\w*}")
# Sie, not du; „…“, not "…" (but of attributes); nothing is shouted.
UNLIKELY = re.compile(r'(?<!=)"(?!>|\s+\w+=|\s*/?>)|!|\b[Dd]u\b|\b[Dd]ein(e[mnrs]?)?\b')


@pytest.mark.parametrize("room", messages.ROOMS)
def test_the_files_are_what_the_sources_say(room: str) -> None:
    catalog, path = messages.updated(room), messages.po(room)
    assert path.read_bytes() == messages.written(catalog), "run: python -m tests.messages"
    assert path.with_suffix(".mo").read_bytes() == messages.compiled(catalog)


@pytest.mark.parametrize("room", messages.ROOMS)
def test_nothing_is_left_untranslated(room: str) -> None:
    told = [each for each in messages.translated(room) if each.id]
    assert [each.id for each in told if each.fuzzy or not messages.is_full(each.string)] == []


@pytest.mark.parametrize("room", messages.ROOMS)
def test_translations_have_the_places_of_what_they_translate(room: str) -> None:
    for each in messages.translated(room):
        if not each.id or not messages.is_full(each.string):
            continue
        ids, strings = (
            (text,) if isinstance(text, str) else text for text in (each.id, each.string)
        )
        wanted = {place for text in ids for place in PLACE.findall(text)}
        last = set(PLACE.findall(strings[-1]))
        assert last == wanted, f"{ids[0]!r} has {wanted}, {strings[-1]!r} has {last}"
        # "one document" needs no number
        assert all(set(PLACE.findall(text)) <= wanted for text in strings), ids[0]
        assert not any(UNLIKELY.search(text) for text in strings), strings


def test_what_templates_and_modules_say_is_found(tmp_path, monkeypatch) -> None:
    (tmp_path / "apps" / "web").mkdir(parents=True)
    (tmp_path / "templates").mkdir()
    (tmp_path / "templates" / "page.html").write_text(
        "<a title=\"{% translate 'It is' %}\">{% blocktranslate count n=x trimmed %}\n"
        "  One, 5 %\n{% plural %}{{ n }}, 5 %{% endblocktranslate %}</a> It's 5 % \" {# ' #}\n"
        '{% translate "May" context "month" %}'
    )
    (tmp_path / "apps" / "web" / "said.py").write_text(
        'X = gettext_lazy("Of a module")\nY = gettext_noop("Said later")\n\n'
        'def f(n):\n    return ngettext("a", "%(n)s", n)\n'
    )
    monkeypatch.setattr(messages, "ROOT", tmp_path)
    found = {(each.id, each.context) for each in messages.gathered("web") if each.id}
    assert found == {
        ("It is", None),
        (("One, 5 %%", "%(n)s, 5 %%"), None),
        ("May", "month"),
        ("Of a module", None),
        ("Said later", None),
        (("a", "%(n)s"), None),
    }


# A sentence, or a title: what only programs read is in one word, or small.
HUMAN = re.compile(r"^\s*[A-ZÄÖÜ][a-zäöüß]+(?: [\w’-]+)+|^[A-Z][a-z]+[.…!?]$")
LITERAL = re.compile(r"""(?<!Error\()(["'`])((?:\\.|(?!\1)[^\\\n])*)\1""")


@pytest.mark.parametrize(
    "path", sorted((messages.ROOT / "static" / "js").glob("*.js")), ids=lambda path: path.name
)
def test_scripts_take_their_words_from_the_page(path) -> None:
    code = re.sub(r"(^|\s)//.*", "", path.read_text())
    said = [text for _quote, text in LITERAL.findall(code)]
    assert [text for text in said if HUMAN.search(text)] == [], "as data-… of the page, translated"


NAMES = {
    "API", "CSV", "JSON", "Markdown", "OCR", "PDF", "SHA-256", "SVG", "Vaultsite", "Web", "ms",
    "https://", "*.pdf, *.docx",
}  # fmt: skip
TAG = re.compile(r"{%.*?%}|{{.*?}}", re.DOTALL)
WHOLE = re.compile(
    r"{% comment.*?endcomment %}|{#.*?#}|{% blocktranslate.*?endblocktranslate %}", re.DOTALL
)
SILENT = re.compile(r"<(script|style|code|kbd|pre)\b.*?</\1>", re.DOTALL)
ELEMENT = re.compile(r"""<(?:[^<>"']|"[^"]*"|'[^']*')*>""")
SAID = re.compile(r'\b(?:aria-label|title|placeholder|alt|hx-confirm)="([^"]*)"')


def test_templates_say_all_in_the_readers_language() -> None:
    for path in (messages.ROOT / "templates").glob("**/*.html"):
        if "styleguide" in path.name:  # for those who make the pages
            continue
        html = SILENT.sub("", TAG.sub("\n", WHOLE.sub("\n", path.read_text())))
        said = [*SAID.findall(html), ELEMENT.sub("\n", html)]
        lines = {line.strip(" ()") for text in said for line in re.split(r"[\n·]", text)}
        words = {line for line in lines if re.search(r"[A-Za-z]{2}", line)}
        assert words <= NAMES, f"{path.name}: {words - NAMES}"


def test_sheets_say_nothing() -> None:
    for path in (messages.ROOT / "static" / "css").glob("*.css"):
        said = re.findall(r"content: *([\"'].*?[\"']) *;", path.read_text())
        assert not [text for text in said if re.search(r"[A-Za-z]{2}", text)], path.name


def test_the_same_words_are_translated_the_same_in_all_rooms() -> None:
    """Django knows one translation for each; where two are meant, give one of them a context."""
    known: dict[tuple[str, str], str] = {}
    for room in messages.ROOMS:
        for each in messages.translated(room):
            if each.id and messages.is_full(each.string):
                said = known.setdefault((str(each.id), str(each.context)), str(each.string))
                assert said == str(each.string), f"{each.id!r} is {said} and {each.string}"
