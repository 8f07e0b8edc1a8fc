"""The map of the house: every module with the first sentence of the sign on its door.

    python -m tests.map        writes it into apps/README.md

`tests/test_map.py` compares it with what stands there.
"""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
README = ROOT / "apps" / "README.md"
TITLE = "## Map\n"


def sentence(path: Path) -> str:
    """The first sentence of a module's docstring."""
    sign = ast.get_docstring(ast.parse(path.read_text())) or ""
    return re.split(r"(?<=[.?!])\s", " ".join(sign.split("\n\n")[0].split()))[0]


def lines() -> Iterator[str]:
    """The map as it should read, folder by folder."""
    for top in ("apps", "vaultsite"):
        for package in sorted((ROOT / top).glob("**/__init__.py")):
            folder = package.parent
            if "migrations" in folder.parts:
                continue
            words = sentence(package)
            yield f"\n### {folder.relative_to(ROOT)}\n"
            if words:
                yield f"{words}\n"
            for module in sorted(folder.glob("*.py")):
                if module != package:
                    yield f"- `{module.name}`: {sentence(module)}"


def drawn() -> str:
    """The map's section of the README, from its title to the end of the file."""
    return TITLE + "\n".join(lines()) + "\n"


def written() -> str:
    """The map as it stands in the README."""
    return TITLE + README.read_text().partition(TITLE)[2]


if __name__ == "__main__":
    README.write_text(README.read_text().partition(TITLE)[0] + drawn())
