"""A mindmap to take away: Markdown, SVG, PNG and PDF, always the whole of it.

The SVG stands alone: its colours are attributes, and it refers to nothing. PDF and PNG are drawn
by PyMuPDF, which brings the letters of many scripts and sets Arabic and Hebrew as they are read.
"""

import re
from datetime import date
from functools import cache
from html import escape
from typing import Any

import pymupdf
from django.db.models import F
from django.utils.text import slugify

from apps.progress import ledger
from apps.progress.kinds import Kind
from apps.study.mindmap_layout import Map, Node, layout
from apps.study.models import Mindmap

PNG_WIDTH = 2400  # pixels
PAGE_WIDTH = 842.0  # points, A4 across
FORMATS = {
    "md": "text/markdown; charset=utf-8",
    "svg": "image/svg+xml",
    "png": "image/png",
    "pdf": "application/pdf",
}
PAPER, INK, LINE = "#fffdfa", "#211d18", "#b9ad9c"
# Fill, edge and letters by level: the root is a filled pill, branches are in ink, leaves light.
LOOKS = (
    ("#a13c0b", "#a13c0b", "#fffdfa"),
    ("#211d18", "#211d18", "#fffdfa"),
    ("#f3eee6", "#d5cabb", "#211d18"),
    ("#fffdfa", "#d5cabb", "#544d44"),
)
FACE = "system-ui, 'Segoe UI', Roboto, 'Noto Sans', sans-serif"
MARKS = re.compile(r"([\\`*_{}\[\]<>#+!|~&$])")


def file_name(mindmap: Mindmap, suffix: str, today: date) -> str:
    """Title and day, in letters that every system takes."""
    return f"{slugify(mindmap.title)[:80] or 'mindmap'}-{today:%Y-%m-%d}.{suffix}"


def export(mindmap: Mindmap, suffix: str) -> bytes:
    """The map in a format of FORMATS."""
    if suffix == "md":
        return markdown(mindmap.tree).encode()
    placed = layout(mindmap.tree)
    if suffix == "svg":
        return svg(placed, mindmap.title).encode()
    return png(placed) if suffix == "png" else pdf(placed, mindmap.title)


def note(mindmap: Mindmap, suffix: str) -> None:
    """Count a download that is on its way."""
    Mindmap.objects.filter(pk=mindmap.pk).update(exports=F("exports") + 1)
    ledger.record(mindmap.owner, Kind.MINDMAP_EXPORTED, mindmap=mindmap.pk, format=suffix)


def markdown(tree: dict[str, Any]) -> str:
    """A heading and a nested list, with what Markdown would take for marks escaped."""
    lines = [f"# {_plain(tree.get('label', ''))}", ""]

    def add(node: dict[str, Any], depth: int) -> None:
        lines.append(f"{'  ' * depth}- {_plain(node['label'])}")
        for child in node.get("children", []):
            add(child, depth + 1)

    for branch in tree.get("children", []):
        add(branch, 0)
    return "\n".join(lines) + "\n"


def _plain(label: str) -> str:
    # A number and a dot at the beginning would make a list of it.
    return re.sub(r"^(\d+)([.)])", r"\1\\\2", MARKS.sub(r"\\\1", label))


def svg(placed: Map, title: str) -> str:
    """A whole document that needs nothing else."""
    box = f"{placed.left:.1f} {placed.top:.1f} {placed.width:.1f} {placed.height:.1f}"
    frame = f'x="{placed.left:.1f}" y="{placed.top:.1f}"'
    size = f'width="{placed.width:.1f}" height="{placed.height:.1f}"'
    drawn = [
        '<?xml version="1.0" encoding="UTF-8"?>',
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="{box}" {size} role="img" '
        f'font-family="{FACE}" text-anchor="middle">',
        f"<title>{escape(title)}</title>",
        f'<rect {frame} {size} fill="{PAPER}"/>',
    ]
    drawn += [
        f'<path d="{link.curve}" fill="none" stroke="{LINE}" stroke-width="1.5"/>'
        for link in placed.links
    ]
    drawn += [_node_drawn(node) for node in placed.nodes]
    return "\n".join([*drawn, "</svg>", ""])


def _node_drawn(node: Node) -> str:
    fill, edge, ink = LOOKS[node.level]
    box = (
        f'<rect x="{node.left:.1f}" y="{node.top:.1f}" width="{node.width:.1f}" '
        f'height="{node.height:.1f}" rx="{node.round:.1f}" fill="{fill}" stroke="{edge}"/>'
    )
    weight = ' font-weight="600"' if node.level < 2 else ""
    direction = ' direction="rtl"' if node.rtl else ""
    rows = "".join(
        f'<text x="{node.x:.1f}" y="{y:.1f}" font-size="{node.size:g}" fill="{ink}"'
        f"{weight}{direction}>{escape(line)}</text>"
        for y, line in node.rows
    )
    return f"<g>{box}{rows}</g>"


def pdf(placed: Map, title: str) -> bytes:
    """One page as wide as A4 lies, as high as the map needs."""
    with _drawn(placed) as document:
        document.set_metadata({"title": title})
        document.subset_fonts()
        return bytes(document.tobytes(garbage=3, deflate=True))


def png(placed: Map) -> bytes:
    """A picture of the whole map, 2,400 pixels wide."""
    with _drawn(placed) as document:
        zoom = PNG_WIDTH / document[0].rect.width
        picture = document[0].get_pixmap(matrix=pymupdf.Matrix(zoom, zoom))
        return bytes(picture.tobytes("png"))


def _drawn(placed: Map) -> Any:
    scale = PAGE_WIDTH / placed.width
    document = pymupdf.open()
    page = document.new_page(width=PAGE_WIDTH, height=placed.height * scale)

    def at(x: float, y: float) -> Any:
        return pymupdf.Point((x - placed.left) * scale, (y - placed.top) * scale)

    shape = page.new_shape()
    shape.draw_rect(page.rect)
    shape.finish(fill=_colour(PAPER), color=None, width=0)
    for link in placed.links:
        shape.draw_bezier(*(at(x, y) for x, y in link.points))
    shape.finish(color=_colour(LINE), width=1.5 * scale, closePath=False)
    for node in placed.nodes:
        fill, edge, _ = LOOKS[node.level]
        corner = at(node.left, node.top)
        box = pymupdf.Rect(corner, at(node.left + node.width, node.top + node.height))
        shape.draw_rect(box, radius=node.round / min(node.width, node.height))
        shape.finish(fill=_colour(fill), color=_colour(edge), width=scale)
    shape.commit()
    for node in placed.nodes:
        _write(page, node, at, scale)
    return document


def _write(page: Any, node: Node, at: Any, scale: float) -> None:
    """The node's lines in Helvetica; by the slower way of HTML what has letters beyond it."""
    ink, size = LOOKS[node.level][2], node.size * scale
    font = _font("hebo" if node.level < 2 else "helv")
    writer = pymupdf.TextWriter(page.rect)
    for y, line in node.rows:
        if not all(font.has_glyph(ord(letter)) for letter in line):
            _write_shaped(page, node, line, at(node.left, y), scale)
            continue
        width = font.text_length(line, size)
        fitting = size * min(1.0, node.width * scale * 0.96 / max(width, 1e-6))
        start = at(node.x, y) - (font.text_length(line, fitting) / 2, 0)
        writer.append(start, line, font=font, fontsize=fitting)
    writer.write_text(page, color=_colour(ink))


def _write_shaped(page: Any, node: Node, line: str, corner: Any, scale: float) -> None:
    size = node.size * scale
    weight = "bold" if node.level < 2 else "normal"
    page.insert_htmlbox(
        pymupdf.Rect(
            corner.x, corner.y - size * 1.05, corner.x + node.width * scale, corner.y + size * 0.45
        ),
        f"<p>{escape(line)}</p>",
        css=f"p {{margin:0;text-align:center;white-space:nowrap;font-family:sans-serif;"
        f"font-weight:{weight};font-size:{size:.2f}px;line-height:1.2;"
        f"color:{LOOKS[node.level][2]};}}",
    )


@cache
def _font(name: str) -> Any:
    return pymupdf.Font(name)


def _colour(told: str) -> tuple[float, ...]:
    return tuple(int(told[n : n + 2], 16) / 255 for n in (1, 3, 5))
