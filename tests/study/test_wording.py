"""Sentences of a lesson as Markdown."""

import pytest

from apps.study import wording

LEASE = [
    "Die Genossenschaft überlässt Frau Petrow (Mitglied Nr. 318) die Wohnung 12.",
    "Zur Wohnung gehören der Kellerraum K12 und ein Stellplatz für zwei Fahrräder.",
]
CASES = {
    "Zur Wohnung gehört der Kellerraum K12.": "Zur Wohnung gehört der Kellerraum K12 [2].",
    "Frau Petrow bekommt die Wohnung 12 [7]": "Frau Petrow bekommt die Wohnung 12 [1].",
    "Die Vertragung ist für die Genossenschaft und die Mitgliedin.": "",
    "Frau Petrow bekommt die Wohnung 13.": "",
    "Was?": "",
    "": "",
    "[1]": "",
    "Sie sagte „Zur Wohnung gehört der Kellerraum.“": (
        "Sie sagte „Zur Wohnung gehört der Kellerraum [2].“"
    ),
    "Zur Wohnung gehören der Kellerraum K12,": "",
    "Zur *Wohnung* gehört der <b>Kellerraum</b> K12!": (
        r"Zur \\*Wohnung\\* gehört der \\<b\\>Kellerraum\\</b\\> K12 [2]!"
    ).replace("\\\\", "\\"),
}


@pytest.mark.parametrize(("sentence", "markdown"), CASES.items())
def test_a_sentence_is_cited_or_left_out(sentence, markdown):
    assert wording.cited(sentence, LEASE) == markdown


def test_neighbours_with_the_same_source_name_it_once():
    text = "A b [1]. C d [1]. E f [2]. G h [2]!\n- I j [2].\n- K l [2]."
    assert wording.once(text) == "A b. C d [1]. E f. G h [2]!\n- I j [2].\n- K l [2]."
