"""What newcomers read is true: the map is the tree, and every setting is in `.env.example`."""

import re

import pytest

from tests import map as house_map
from tests.map import ROOT

READS = re.compile(
    r"""(?:env\.(?:text|flag|number|folder)\(|environ(?:\.get\(|\.setdefault\(|\[)|getenv\()\s*["']([A-Z][A-Z0-9_]+)["']"""
)
# Meant for libraries, or set by the system or by one of our processes for another: not for a
NOT_SETTINGS = {
    "OMP_WAIT_POLICY",
    "PGAPPNAME",
    "PATH",
    "HOME",
    "LANG",
    "CI",
    "DJANGO_SETTINGS_MODULE",
    "PYTHONPATH",
}


def read_variables() -> set[str]:
    """The names of all environment variables that the vault reads."""
    modules = [path for top in ("apps", "vaultsite") for path in (ROOT / top).glob("**/*.py")]
    return {name for path in modules for name in READS.findall(path.read_text())} - NOT_SETTINGS


def test_the_map_is_the_tree() -> None:
    assert house_map.written() == house_map.drawn(), "run: python -m tests.map"


@pytest.mark.parametrize("name", sorted(read_variables()))
def test_a_setting_is_in_the_example(name: str) -> None:
    example = (ROOT / ".env.example").read_text()
    assert re.search(rf"^#? ?{name}=", example, flags=re.MULTILINE), f"{name} is not listed"


def test_what_the_recipes_name_is_there() -> None:
    told = (ROOT / "CONTRIBUTING.md").read_text()
    named = set(re.findall(r"\b(?:apps|tests|templates)/[\w/]+\.(?:py|html|md)\b", told))
    toys = {name for name in named if re.search(r"calendar|digest", name)}
    assert [name for name in sorted(named - toys) if not (ROOT / name).exists()] == []
