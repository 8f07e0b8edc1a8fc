"""Words can be read on every ground, in light and in dark (WCAG contrast)."""

import re
from itertools import product

import pytest
from django.conf import settings

CSS = (settings.BASE_DIR / "static" / "css" / "vault.css").read_text()
COLOURS = {
    name: (light, dark)
    for name, light, dark in re.findall(
        r"--([\w-]+): light-dark\((#[0-9a-f]{6}), (#[0-9a-f]{6})\)", CSS
    )
}
GROUNDS = ("paper", "sunk", "raised", "hover")
PAIRS = [
    *((7.0, "ink", ground) for ground in (*GROUNDS, "accent-soft", "mark")),
    *((4.5, word, ground) for word, ground in product(("ink-2", "ink-3", "accent"), GROUNDS)),
    *((4.5, tone, f"{tone}-soft") for tone in ("good", "warn", "bad", "accent")),
    *((4.5, tone, "paper") for tone in ("good", "warn", "bad")),
    (4.5, "on-accent", "accent"),
    *((3.0, "edge", ground) for ground in ("paper", "raised")),  # the frame of a field
]


def luminance(colour: str) -> float:
    parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    red, green, blue = (p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, other: str) -> float:
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("scheme", [0, 1], ids=["light", "dark"])
@pytest.mark.parametrize(("least", "word", "ground"), PAIRS)
def test_it_can_be_read(least: float, word: str, ground: str, scheme: int) -> None:
    assert contrast(COLOURS[word][scheme], COLOURS[ground][scheme]) >= least
