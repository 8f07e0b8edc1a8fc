"""Real and hostile files: what must be found is found at its place, or the refusal says why."""

import tempfile
from pathlib import Path

import pytest

from apps.library.corpus import Known, judge, outcome_of
from tests import corpus

READ = ("pdf", "docx", "pptx", "xlsx", "md", "txt", "csv", "html", "image", "hostile")
# The page shows these letters with spaces between them; the manifest's tool leaves them out.
SPACED = {"french_diacritics.pdf"}


@corpus.needed
@pytest.mark.parametrize("known", corpus.known(*READ), ids=lambda known: known.file[:40])
def test_what_must_be_found_is_found(known: Known):
    outcome = outcome_of(corpus.FOLDER / known.file)
    verdict, found, locator = judge(known, outcome)
    assert not list(Path(tempfile.gettempdir()).glob("pwned-*"))
    if known.file not in SPACED:
        assert verdict == "ok", (verdict, known.expected, found, locator)
    if outcome.refusal:
        assert len(outcome.refusal) > 20
        assert "Error" not in outcome.refusal
