"""Web pages: the article in them under its headings; scripts and styles are never text."""

import re
from collections.abc import Iterator
from datetime import datetime
from html import unescape
from typing import Any

from lxml import etree, html

from apps.library.parsing import Opened, ReadPart, Refusal, Skipped, Source, markdown, tidying
from apps.library.parsing.encodings import decode
from apps.library.parsing.tidying import row, squeeze
from apps.library.parsing.words import _

INVISIBLE = re.compile(
    r"<(script|style|head|template)\b.*?(?:</\1\s*>|\Z)", re.DOTALL | re.IGNORECASE
)
MARKED = re.compile(r"</?su[bp]>|\\([\[\]])")  # what trafilatura's Markdown has beside Markdown
ARTICLE_SIZE = 3_000_000  # characters; a larger page is read as it is, which is faster
SHARE = 0.4  # of a page's words the article must have, or the whole page is read
NOT_TEXT = {"script", "style", "noscript", "template", "svg", "math", "head", "iframe", "object"}
AROUND = {"nav", "footer", "aside", "form", "button", "select"}
BLOCKS = {
    "p", "div", "section", "article", "main", "header", "ul", "ol", "li", "dl", "dt", "dd", "pre",
    "blockquote", "table", "figure", "figcaption", "body", "address", "hr", "br", "details",
    "summary", "fieldset", "center",
}  # fmt: skip


def read(source: Source) -> Iterator[Opened | ReadPart | Skipped]:
    text, _encoding = decode(source.path.read_bytes(), markup=True)
    root = _parsed(text)
    language = (root.get("lang") or "")[:2].lower()
    yield Opened("html", _title(root), None, language, _changed(root))
    whole = page_text(root)
    # Of tables in tables, as old pages are laid out with, trafilatura loses what a row is.
    plain = len(text) <= ARTICLE_SIZE and not root.xpath("boolean(//table//table)")
    article = _article(text) if plain else ""
    if len(article.split()) < SHARE * len(whole.split()):
        article = whole
    if (heading := _first_heading(root)) and heading not in article:
        article = f"# {heading}\n\n{article}"  # trafilatura takes it for the title
    article = article if article.strip() else _without_tags(text)
    if not article:
        raise Refusal(
            _("The web page has no text: it may be made by a script. Save it as PDF instead.")
        )
    yield from markdown.parts(article.split("\n"))


def _parsed(text: str) -> Any:
    # An encoding declared inside no longer holds once the text is decoded.
    text = re.sub(r"^\s*<\?xml[^>]*\?>", "", text.replace("\x00", ""))
    parser = html.HTMLParser(
        huge_tree=True, recover=True, remove_comments=True, remove_pis=True, no_network=True
    )
    try:
        root = html.document_fromstring(text, parser=parser)
    except (etree.ParserError, etree.XMLSyntaxError, ValueError):
        raise Refusal(
            _("The web page is empty or no HTML. Save it again as a whole page.")
        ) from None
    return root


def _title(root: Any) -> str:
    title = root.find(".//title")
    return tidying.title("".join(title.itertext()) if title is not None else "")


def _changed(root: Any) -> str:
    """When the page says it was last changed, else when it appeared, in ISO 8601."""
    for name in ("article:modified_time", "article:published_time"):
        for said in root.xpath("//meta[@property=$name or @name=$name]/@content", name=name):
            try:
                return datetime.fromisoformat(said.strip()).isoformat()
            except ValueError:
                continue
    return ""


def _first_heading(root: Any) -> str:
    heading = root.find(".//h1")
    return " ".join("".join(heading.itertext()).split()) if heading is not None else ""


def _article(text: str) -> str:
    """The article as Markdown, by trafilatura; "" where it finds none."""
    import trafilatura

    try:
        found = trafilatura.extract(
            text, output_format="markdown", favor_recall=True, include_tables=True,
            include_links=False, include_images=False, include_comments=True, with_metadata=False,
        )  # fmt: skip
    except (RecursionError, ValueError, AttributeError, TypeError, IndexError):
        return ""
    return squeeze(MARKED.sub(r"\1", found or ""))


def _without_tags(text: str) -> str:
    """Of a page nested so deeply that its tree is cut off: what is between the tags."""
    text = INVISIBLE.sub(" ", text)
    return squeeze(unescape(re.sub(r"<[^<>]*>", "\n", text)))


def page_text(root: Any) -> str:
    """Everything the page shows but what is around its content, with headings as Markdown."""
    out: list[str] = []
    stack: list[Any] = [root]
    while stack:
        element = stack.pop()
        if isinstance(element, str):
            out.append(element)
            continue
        tag = element.tag if isinstance(element.tag, str) else ""
        if element.tail:
            stack.append(element.tail.replace("\n", " "))
        if tag in NOT_TEXT or tag in AROUND or not tag:
            continue
        if tag == "tr" and element.find(".//table") is None:
            cells = [" ".join(cell.itertext()) for cell in element if cell.tag in {"td", "th"}]
            out.append(f"\n{row(cells)}\n")
            continue
        if tag in {"h1", "h2", "h3", "h4", "h5", "h6"}:
            words = " ".join("".join(element.itertext()).split())
            out.append(f"\n\n{'#' * int(tag[1])} {words}\n\n" if words else "")
            continue
        if tag in BLOCKS:
            stack.append("\n" if tag in {"br", "li"} else "\n\n")
            out.append("\n" if tag in {"br", "li"} else "\n\n")
        stack.extend(reversed(element))
        if element.text:
            text = element.text
            out.append(text if tag == "pre" else text.replace("\n", " "))
    lines = (" ".join(line.split()) for line in "".join(out).split("\n"))
    return squeeze("\n".join(lines))
