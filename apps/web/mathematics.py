"""Turn formulas in LaTeX into MathML, which every browser draws without loading anything."""

import re
from collections.abc import Sequence
from functools import lru_cache
from html import escape
from typing import Any

from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML
from markdown_it.rules_inline import StateInline
from markdown_it.token import Token
from markdown_it.utils import OptionsDict

LONGEST = 1500  # characters of a formula
# $$…$$ and \[…\] stand by themselves, $…$ and \(…\) in the line.
FORMULA = re.compile(
    r"\$\$(?P<alone>[^$]+?)\$\$|\\\[(?P<bracketed>.+?)\\\]|\\\((?P<inline>.+?)\\\)"
    r"|\$(?P<dollars>[^\s$](?:[^$\n]*[^\s$\\])?)\$(?![\w$])",
    re.S,
)
# Between dollars a formula has signs, or is one name; "$5 and 10$" is money.
SIGNS = re.compile(r"[\\^_=+*/<>{}]|(?<=[\w)])-(?=[\w(])|^[A-Za-z]{1,2}$")
WORDS = re.compile(r"(?<![\\{\w])[A-Za-z]{3,} [A-Za-z]{2,}(?![\w}])")
TAGS = {
    *("math", "mrow", "mi", "mn", "mo", "mtext", "mspace", "msup", "msub", "msubsup", "mfrac"),
    *("msqrt", "mroot", "mover", "munder", "munderover", "mtable", "mtr", "mtd", "mstyle"),
    *("mpadded", "mphantom", "menclose"),
}
ATTRIBUTES = {
    "math": {"display"},
    "mo": {
        "stretchy",
        "fence",
        "form",
        "separator",
        "accent",
        "minsize",
        "maxsize",
        "movablelimits",
    },
    "mi": {"mathvariant"},
    "mfrac": {"linethickness"},
    "mspace": {"width"},
    "mtable": {"columnalign"},
    "mtd": {"columnalign"},
}


def add_to(markdown: MarkdownIt) -> None:
    """Let it read formulas; code and links keep their dollars."""
    markdown.inline.ruler.before("escape", "formula", _formula)
    markdown.add_render_rule("formula", _rendered)


def _formula(state: StateInline, silent: bool) -> bool:
    if state.src[state.pos] not in "$\\":
        return False
    found = FORMULA.match(state.src, state.pos, state.posMax)
    if not found or len(found[0]) > LONGEST:
        return False
    between = found["dollars"]
    if between and (WORDS.search(between) or not SIGNS.search(between)):
        return False
    if not silent:
        token = state.push("formula", "", 0)
        token.content = next(part for part in found.groups() if part is not None)
        token.markup = found[0]
        token.meta = {"alone": bool(found["alone"] or found["bracketed"])}
    state.pos = found.end()
    return True


def _rendered(
    renderer: RendererHTML, tokens: Sequence[Token], at: int, options: OptionsDict, env: Any
) -> str:
    token = tokens[at]
    drawn = mathml(token.content, token.meta["alone"])
    return drawn or f"<code>{escape(token.markup)}</code>"


@lru_cache(maxsize=500)  # a streamed answer shows the same ones many times a second
def mathml(latex: str, alone: bool = False) -> str:
    """The formula as MathML, "" where it is none that can be read; the caller sanitises it."""
    from latex2mathml.converter import convert  # few answers need its tables of signs

    try:
        return str(convert(latex.strip(), display="block" if alone else "inline"))
    except Exception:  # its errors are of many kinds, and all mean that it cannot read it
        return ""
