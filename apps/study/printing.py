"""Turn clean HTML into a PDF with page numbers.

A child process does it, `python -m apps.study.printing`: the library may not be used by two threads
at once, and a hostile text must not be able to take the web server down with it.
"""

import importlib
import io
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

from django.utils.translation import gettext as _

SECONDS = 60
ROOT = Path(__file__).resolve().parents[2]
PAPER, MARGIN = "a4", (56, 56, -56, -64)  # points
FOOT = 34  # points from the bottom
STYLE = """
body { font-family: serif; font-size: 10.5pt; line-height: 1.4; color: #211d18; }
h1, h2, h3, h4 { font-family: sans-serif; line-height: 1.2; }
h1 { font-size: 20pt; margin: 0 0 8pt 0; }
h2 { font-size: 13pt; margin: 16pt 0 4pt 0; }
h3 { font-size: 11pt; margin: 12pt 0 3pt 0; color: #a13c0b; }
h4 { font-size: 10.5pt; margin: 9pt 0 2pt 0; }
p { margin: 0 0 5pt 0; }
ul, ol { margin: 0 0 5pt 0; }
li { margin: 0 0 2pt 0; }
blockquote { margin: 2pt 0 6pt 14pt; color: #544d44; font-style: italic; }
"""


class NotPrinted(Exception):
    """No PDF came of it; the text says what to do."""


def printed(title: str, html: str) -> bytes:
    """The HTML as an A4 PDF. Raises NotPrinted."""
    asked = json.dumps({"title": title, "html": html}).encode()
    command = [sys.executable, "-m", "apps.study.printing"]
    try:
        child = subprocess.run(
            command, input=asked, capture_output=True, timeout=SECONDS, cwd=ROOT, check=True
        )
    except (subprocess.SubprocessError, OSError) as fault:
        raise NotPrinted(_("The PDF could not be made. Take the Markdown instead.")) from fault
    return child.stdout


def document(title: str, html: str) -> bytes:
    """The same, in this process."""
    pymupdf: Any = importlib.import_module("pymupdf")  # has no types; only the child needs it
    paper = pymupdf.paper_rect(PAPER)
    where = paper + MARGIN
    story = pymupdf.Story(html=f"<body>{html}</body>", user_css=STYLE)
    pages = io.BytesIO()
    writer = pymupdf.DocumentWriter(pages)
    more = True
    while more:
        device = writer.begin_page(paper)
        more, _ = story.place(where)
        story.draw(device)
        writer.end_page()
    writer.close()
    made = pymupdf.open("pdf", pages.getvalue())
    made.set_metadata({"title": title, "producer": "Vaultsite"})
    font = pymupdf.Font("helv")
    for number, page in enumerate(made, 1):
        text = f"{number} / {made.page_count}"
        page.wrap_contents()  # the story has turned the page's coordinates over
        foot = pymupdf.TextWriter(page.rect, color=(0.42, 0.39, 0.35))
        middle = (page.rect.width - font.text_length(text, 8)) / 2
        foot.append((middle, page.rect.height - FOOT), text, font=font, fontsize=8)
        foot.write_text(page)
    made.subset_fonts()
    return bytes(made.tobytes(garbage=3, deflate=True))


if __name__ == "__main__":
    asked = json.load(sys.stdin.buffer)
    sys.stdout.buffer.write(document(asked["title"], asked["html"]))
