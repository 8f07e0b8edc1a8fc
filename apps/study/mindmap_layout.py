"""Where the nodes of a mindmap stand: pure functions from a tree to places. No two boxes overlap.

The leaves go round an ellipse in reading order, each with the angle its box needs in that
direction: a wide box needs much at the top and little at the side. A node stands at the middle of
its leaves, on the ring of its level, and a ring grows until its boxes touch no other.
"""

import math
import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

SIZES = (19.0, 16.0, 14.0, 13.0)  # of the letters, by level
HEAVIER = (1.12, 1.12, 1.0, 1.0)  # bold letters are wider
LINE = 1.3  # height of a line, in letter sizes
PADDING = ((26, 16), (18, 10), (14, 8), (12, 6))  # beside and above the text, by level
GAP = 14.0  # least distance of two boxes
WIDER = 1.3  # an ellipse as wide as a screen
LINES = 3
LINE_EMS = 11.0  # of a line, before more than three are needed
LONGEST_WORD = 18.0  # ems; a longer one is broken
STEP, GROWTH = 46.0, 1.06  # a ring's least distance from the one before, and how it grows
MARGIN = 40.0

WORDS = re.compile(r"\s*(?:[\d.,]+\s(?:°C|%|€|kWh?|bar|Euro?)(?!\w)|\S+)")  # 5 °C is one
NARROW, WIDE = frozenset("iljtfrI.,:;'|!()[]{}/\\-·’‘ "), frozenset("mwMW@%&—…")
STRONG_RTL = ("R", "AL")


@dataclass(slots=True)
class Node:
    path: str  # "root", "0" for the first branch, "0.2" for its third child
    label: str
    level: int
    chunk: int | None
    lines: list[str]
    width: float
    height: float
    children: "list[Node]" = field(default_factory=list)
    angle: float = 0.0
    x: float = 0.0  # of its middle
    y: float = 0.0

    @property
    def size(self) -> float:
        """Of its letters."""
        return SIZES[self.level]

    @property
    def rtl(self) -> bool:
        """Whether the text runs from right to left."""
        kinds = (unicodedata.bidirectional(letter) for letter in self.label)
        return next((kind for kind in kinds if kind in ("L", *STRONG_RTL)), "L") != "L"

    @property
    def left(self) -> float:
        return self.x - self.width / 2

    @property
    def top(self) -> float:
        return self.y - self.height / 2

    @property
    def bottom(self) -> float:
        return self.y + self.height / 2

    @property
    def round(self) -> float:
        """The radius of the corners: root and branches are pills."""
        return min(self.height / 2, 22.0) if self.level < 2 else 8.0

    @property
    def rows(self) -> list[tuple[float, str]]:
        """The base line of each line of text, and the line."""
        first = self.y - (len(self.lines) - 1) * self.size * LINE / 2 + self.size * 0.35
        return [(first + n * self.size * LINE, line) for n, line in enumerate(self.lines)]


@dataclass(frozen=True, slots=True)
class Link:
    path: str  # of the child
    level: int
    curve: str  # the `d` of an SVG path
    points: tuple[tuple[float, float], ...]  # the same as four points


@dataclass(frozen=True, slots=True)
class Map:
    """Everything placed; the frame holds all boxes and a margin."""

    nodes: list[Node]
    links: list[Link]
    left: float
    top: float
    width: float
    height: float


def layout(tree: dict[str, Any]) -> Map:
    """The places of a tree {"label", "children"} of up to four levels; deeper ones are left out."""
    root = _measured(tree, "root", 0)
    _turn(root)
    placed = [root]
    radius = 0.0
    rings: list[tuple[list[Node], float]] = []
    for level in range(1, len(SIZES)):
        ring = [node for node in _all(root) if node.level == level]
        if ring:
            radius = _place(ring, placed, radius + STEP)
            placed += ring
            rings.append((ring, radius))
    _even(rings, placed)
    return _framed(list(_all(root)))


def width_of(text: str) -> float:
    """How wide a text is at most, in ems of an ordinary sans-serif face."""
    return sum(_width(letter) for letter in text)


def wrapped(label: str) -> list[str]:
    """The label as at most three lines of about the same width, broken between words."""
    words = list(_words(label)) or [""]
    widest = max([0.0, *map(width_of, words)])
    room = max(LINE_EMS, widest, width_of(label) / LINES)
    while len(_filled(words, room)) > LINES:
        room *= 1.05
    count = len(_filled(words, room))
    while count > 1 and room * 0.96 >= widest and len(_filled(words, room * 0.96)) == count:
        room *= 0.96  # the same number of lines, none of them a lonely word
    return _filled(words, room) or [""]


def _width(letter: str) -> float:
    if unicodedata.combining(letter):
        return 0.0
    if unicodedata.east_asian_width(letter) in "WF":
        return 1.05
    if letter in NARROW:
        return 0.38
    if letter in WIDE or letter.isupper():
        return 0.95 if letter in WIDE else 0.74
    return 0.6


def _words(label: str) -> Iterator[str]:
    """Words with the blank before them; what is too long for a line, in pieces."""
    for word in WORDS.findall(label):
        while width_of(word) > LONGEST_WORD:
            fits = next(n for n in range(len(word), 0, -1) if width_of(word[:n]) <= LONGEST_WORD)
            yield word[:fits]
            word = word[fits:]
        yield word


def _filled(words: list[str], room: float) -> list[str]:
    lines = [""]
    for word in words:
        if lines[-1] and width_of(lines[-1] + word) > room + 1e-6:
            lines.append(word)
        else:
            lines[-1] += word
    return [line.strip() for line in lines if line.strip()]


def _measured(tree: dict[str, Any], path: str, level: int) -> Node:
    label = str(tree.get("label", ""))
    lines, (beside, above) = wrapped(label), PADDING[level]
    node = Node(
        path=path,
        label=label,
        level=level,
        chunk=tree.get("chunk"),
        lines=lines,
        width=max(map(width_of, lines)) * SIZES[level] * HEAVIER[level] + 2 * beside,
        height=len(lines) * SIZES[level] * LINE + 2 * above,
    )
    if level + 1 < len(SIZES):
        node.children = [
            _measured(child, f"{path}.{n}" if level else f"{n}", level + 1)
            for n, child in enumerate(tree.get("children", []))
        ]
    return node


def _all(node: Node) -> Iterator[Node]:
    yield node
    for child in node.children:
        yield from _all(child)


def _turn(root: Node) -> None:
    """Give every node its angle: leaves by the room they need, the others in their middle."""
    leaves = [node for node in _all(root) if not node.children and node is not root]
    needs = [1.0] * len(leaves)
    for _ in range(12):  # what a box needs depends on where it stands, and that on the needs
        turned, total = -math.pi / 2, sum(needs)
        for leaf, need in zip(leaves, needs, strict=True):
            leaf.angle = turned + math.pi * need / total
            turned += 2 * math.pi * need / total
        needs = [(old + _need(leaf)) / 2 for old, leaf in zip(needs, leaves, strict=True)]
    for node in reversed(list(_all(root))):
        if node.children:
            node.angle = (node.children[0].angle + node.children[-1].angle) / 2


def _need(leaf: Node) -> float:
    """The stretch of an ellipse a box covers where it stands."""
    across = abs(math.sin(leaf.angle)) * WIDER
    along = abs(math.cos(leaf.angle))
    return min(
        (leaf.width + GAP) / max(across, 1e-6),
        (leaf.height + GAP) / max(along, 1e-6),
    )


def _even(rings: list[tuple[list[Node], float]], placed: list[Node]) -> None:
    """Move a ring out where the next one is far away, if it touches nothing there."""
    outer = rings[-1][1] if rings else 0.0
    for n in reversed(range(len(rings) - 1)):
        ring, radius = rings[n]
        wanted = outer * (n + 1) / (n + 2)
        others = [node for node in placed if node.level != n + 1]
        if wanted > radius:
            _set(ring, wanted)
            if _crowded(ring, others):
                _set(ring, radius)
            else:
                radius = wanted
        outer = radius


def _set(ring: list[Node], radius: float) -> None:
    for node in ring:
        node.x = radius * WIDER * math.cos(node.angle)
        node.y = radius * math.sin(node.angle)


def _place(ring: list[Node], placed: list[Node], radius: float) -> float:
    """Put a ring as near as it goes; returns its radius."""
    while True:
        _set(ring, radius)
        if not _crowded(ring, placed):
            return radius
        radius *= GROWTH


def _crowded(ring: list[Node], placed: list[Node]) -> bool:
    return any(
        overlap(node, other, GAP) for n, node in enumerate(ring) for other in (*placed, *ring[:n])
    )


def overlap(one: Node, other: Node, gap: float = 0.0) -> bool:
    """Whether two boxes are nearer to each other than the gap."""
    beside = abs(one.x - other.x) < (one.width + other.width) / 2 + gap
    return beside and abs(one.y - other.y) < (one.height + other.height) / 2 + gap


def _framed(nodes: list[Node]) -> Map:
    left = min(node.left for node in nodes) - MARGIN
    top = min(node.top for node in nodes) - MARGIN
    right = max(node.left + node.width for node in nodes) + MARGIN
    bottom = max(node.top + node.height for node in nodes) + MARGIN
    links = [_link(node, child) for node in nodes for child in node.children]
    return Map(nodes, links, left, top, right - left, bottom - top)


def _link(parent: Node, child: Node) -> Link:
    """A curve that leaves towards the parent's own direction and arrives from the middle."""
    bend = 0.45
    one = (parent.x + (child.x - parent.x) * bend, parent.y + (child.y - parent.y) * bend * 0.35)
    if parent.level == 0:
        one = (parent.x + (child.x - parent.x) * bend, parent.y + (child.y - parent.y) * bend)
    two = (child.x - (child.x - parent.x) * bend * 0.5, child.y - (child.y - parent.y) * 0.1)
    points = ((parent.x, parent.y), one, two, (child.x, child.y))
    told = [f"{x:.1f} {y:.1f}" for x, y in points]
    return Link(child.path, child.level, f"M{told[0]} C{told[1]} {told[2]} {told[3]}", points)
