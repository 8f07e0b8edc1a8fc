"""Turn a model's Markdown into HTML that may stand in a page, with [n] as citation chips."""

import re
from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

import nh3
from django.utils.safestring import SafeString, mark_safe
from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML
from markdown_it.rules_inline import StateInline
from markdown_it.token import Token
from markdown_it.utils import OptionsDict

from apps.web import mathematics

Citations = Mapping[int, str]  # the number in the text, and the HTML of its chip

CITATION = re.compile(r"\[(\d{1,4})\](?!\()")
UNFINISHED_CITATION = re.compile(r"\[\d{0,4}$")
CHIP = re.compile(r'<a href="#citation-(\d+)" class="chip"[^>]*>\d+</a>')

# No <img>: an address in it could carry the reader's words to a stranger.
TAGS = {
    *("p", "br", "hr", "em", "strong", "s", "code", "pre", "blockquote", "a", "small"),
    *("ul", "ol", "li", "h1", "h2", "h3", "h4", "h5", "h6"),
    *("table", "thead", "tbody", "tr", "th", "td"),
    *mathematics.TAGS,
}


def _citation(state: StateInline, silent: bool) -> bool:
    """Read `[3]` as a link to source 3, if there is one."""
    found = CITATION.match(state.src, state.pos)
    if not found or int(found[1]) not in state.env["citations"]:
        return False
    if not silent:
        link = state.push("link_open", "a", 1)
        link.attrs = {"href": f"#citation-{int(found[1])}", "class": "chip"}
        state.push("text", "", 0).content = found[1]
        state.push("link_close", "a", -1)
    state.pos = found.end()
    return True


def _link_close(
    renderer: RendererHTML, tokens: Sequence[Token], at: int, options: OptionsDict, env: Any
) -> str:
    """End a link by showing where it leads, unless its words say so already."""
    start = next(n for n in range(at - 1, -1, -1) if tokens[n].type == "link_open")
    target = str(tokens[start].attrGet("href") or "")
    words = "".join(token.content for token in tokens[start:at])
    if target.startswith("#") or words in target:
        return "</a>"
    return f"</a> <small>({escape(target)})</small>"


def _image(
    renderer: RendererHTML, tokens: Sequence[Token], at: int, options: OptionsDict, env: Any
) -> str:
    return escape(tokens[at].content)


MARKDOWN = MarkdownIt("commonmark", {"html": False}).enable(["table", "strikethrough"])
MARKDOWN.disable("reference")  # so that a later line never changes an earlier block
MARKDOWN.inline.ruler.before("link", "citation", _citation)
mathematics.add_to(MARKDOWN)
MARKDOWN.add_render_rule("link_close", _link_close)
MARKDOWN.add_render_rule("image", _image)
CLEANER = nh3.Cleaner(
    tags=TAGS,
    attributes={"a": {"href"}, "ol": {"start"}} | mathematics.ATTRIBUTES,
    allowed_classes={"a": {"chip"}},
    url_schemes={"http", "https", "mailto"},
    link_rel="noopener noreferrer",
)


class Growing:
    """A text that grows at its end. Blocks that are closed are rendered once.

    In CommonMark without reference links only the last top-level block can still
    change, so each call parses from where that block began.
    """

    def __init__(self) -> None:
        self._html = ""
        self._closed = 0  # characters that need not be looked at again

    def html(self, text: str, citations: Citations) -> SafeString:
        """What `render` gives for the text so far, save for half a citation at its end."""
        rest = UNFINISHED_CITATION.sub("", text)[self._closed :]
        env = {"citations": citations}
        tokens = MARKDOWN.parse(rest, env)
        lines = rest.split("\n")
        starts = [
            (at, token.map[0])
            for at, token in enumerate(tokens)
            # A line still being written may yet become something else: "#" a heading, "#1" not.
            if token.level == 0 and token.map and token.map[0] < len(lines) - 1
        ]
        if len(starts) > 1:
            last, line = starts[-1]
            self._closed += sum(len(each) + 1 for each in lines[:line])
            self._html += _html(tokens[:last], env)
            tokens = tokens[last:]
        return mark_safe(self._html + _html(tokens, env))  # cleaned in _html


def render(text: str, citations: Citations) -> SafeString:
    """The text as HTML without anything that loads from elsewhere; links say where they lead.

    `[3]` becomes citation 3's chip, which is trusted as it is; a number not among the
    citations stays text.
    """
    env = {"citations": citations}
    return mark_safe(_html(MARKDOWN.parse(text, env), env))  # cleaned in _html


def _html(tokens: Sequence[Token], env: dict[str, Citations]) -> str:
    cleaned = CLEANER.clean(MARKDOWN.renderer.render(tokens, MARKDOWN.options, env))
    return CHIP.sub(lambda chip: env["citations"].get(int(chip[1]), chip[1]), cleaned)
