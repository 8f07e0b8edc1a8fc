"""A mindmap's tree: find, rename and take out nodes by their path. Pure.

A node is {"label", "chunk", "document", "document_id", "place", "quote", "children"}; its path is
"root", "0" for the first branch, "0.2" for that branch's third child.
"""

from collections.abc import Iterator
from typing import Any

from django.utils.translation import gettext as _

from apps.study import mindmap_labels as labels

Tree = dict[str, Any]
QUESTIONS = {
    "en": "What do my documents say about “{label}”?",
    "de": "Was sagen meine Dokumente über „{label}“?",
}


def find(tree: Tree, path: str) -> Tree:
    """The node at a path; LookupError where there is none."""
    node = tree
    for step in _steps(path):
        children = node.get("children", [])
        if step >= len(children):
            raise LookupError(path)
        node = children[step]
    if not node:
        raise LookupError(path)
    return node


def rename(tree: Tree, path: str, label: str) -> None:
    """Give a node another label, cleaned; ValueError where nothing is left of it."""
    told = labels.clean(label)
    if not told:
        raise ValueError(_("A node needs a label."))
    find(tree, path)["label"] = told


def take_out(tree: Tree, path: str) -> Tree:
    """Remove a node with all below it, and return it. ValueError for the root."""
    if path == "root":
        raise ValueError(_("The middle of the map stays; delete the whole map instead."))
    above, _dot, last = path.rpartition(".")
    node = find(tree, path)
    find(tree, above or "root")["children"].pop(int(last))
    return node


def forget(tree: Tree, document_id: int) -> bool:
    """Empty the quotes from a document; whether there were any."""
    found = False
    for _path, node in walk(tree):
        if node.get("document_id") == document_id and node.get("quote"):
            node["quote"], found = "", True
    return found


def question(label: str, language: str) -> str:
    """What to ask the chat about a node, in the language of the map."""
    return QUESTIONS.get(language, QUESTIONS["en"]).format(label=label)


def walk(tree: Tree, path: str = "root") -> Iterator[tuple[str, Tree]]:
    """Every node with its path, parents first."""
    if not tree:
        return
    yield path, tree
    for n, child in enumerate(tree.get("children", [])):
        yield from walk(child, f"{n}" if path == "root" else f"{path}.{n}")


def nested(tree: Tree, path: str = "root") -> Tree:
    """The tree with each node's path in it, as a page lists it."""
    return {
        "path": path,
        "label": tree.get("label", ""),
        "children": [
            nested(child, f"{n}" if path == "root" else f"{path}.{n}")
            for n, child in enumerate(tree.get("children", []))
        ],
    }


def _steps(path: str) -> list[int]:
    if path == "root":
        return []
    steps = path.split(".")
    if not all(step.isascii() and step.isdigit() and len(step) < 4 for step in steps):
        raise LookupError(path)
    return [int(step) for step in steps]
