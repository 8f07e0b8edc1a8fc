"""The look is light: short sheets, no rule for what is not there, a small first load."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.conf import settings
from django.test import Client

ROOT = settings.BASE_DIR
SHEETS = sorted(ROOT.glob("static/css/*.css"))
PLACES = ("templates/**/*.html", "apps/**/*.html", "static/js/*.js", "apps/**/*.py")
FIRST_LOAD = 200_000  # bytes, nothing compressed
# Django writes these into forms; icons are drawn by a tag.
MADE_ELSEWHERE = {"errorlist", "nonfield"}


def classes(css: str) -> set[str]:
    """The classes a sheet has rules for."""
    css = re.sub(r"/\*.*?\*/", "", css, flags=re.S)
    selectors = (
        each for each in re.findall(r"([^{}]+)\{", css) if not each.strip().startswith("@")
    )
    return {name for each in selectors for name in re.findall(r"\.([a-zA-Z][\w-]*)", each)}


def words() -> Iterator[str]:
    """The words that stand between quotes, where classes come from."""
    for pattern in PLACES:
        for path in ROOT.glob(pattern):
            if "styleguide" not in path.name:
                for quoted in re.findall(r"""["'`]([^"'`]*)["'`]""", path.read_text()):
                    yield from re.findall(r"[\w-]+", quoted)


@pytest.mark.parametrize("path", SHEETS, ids=lambda path: path.name)
def test_a_sheet_is_short_and_says_what_it_is_for(path: Path) -> None:
    text = path.read_text()
    assert text.startswith("/*") and len(text.splitlines()) <= 400
    assert text.count("{") == text.count("}")


def test_no_rule_is_for_nothing() -> None:
    used = {*words(), *MADE_ELSEWHERE}
    dead = {f"{path.name}: .{each}" for path in SHEETS for each in classes(path.read_text()) - used}
    assert sorted(dead) == []


@pytest.mark.parametrize("path", ["/chat/", "/library/", "/search/", "/study/", "/progress/"])
def test_the_first_load_is_small(reader: Client, path: str) -> None:
    """The page and every file it names, none of them compressed."""
    page = reader.get(path).content
    names = set(re.findall(rb'(?:href|src)="/static/([^"#?]+)', page))
    assert {b"css/vault.css", b"icons/sprite.svg"} <= names
    weight = sum((ROOT / "static" / name.decode()).stat().st_size for name in names)
    assert len(page) + weight <= FIRST_LOAD
