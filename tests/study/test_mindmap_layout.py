"""Where nodes stand: for random trees of every allowed size no box touches another."""

import random
from itertools import combinations

import pytest

from apps.study import mindmap_labels as labels
from apps.study import quality
from apps.study.mindmap_layout import LINES, layout, overlap, width_of, wrapped

WORDS = {
    "latin": ["notice", "Wärmepumpe", "of", "Nebenkostenabrechnung", "a", "MWMWMWMW"],
    "long": ["Donaudampfschifffahrtselektrizitätenhauptbetriebswerkbauunterbeamtengesellschaft"],
    "cjk": ["漢字仮名交じり文", "機械学習", "部屋の温度", "暖房"],
    "rtl": ["الإشعار", "مضخة", "שלום", "תיעוד", "درجة"],
}


def label(chance, words):
    text = chance.choice(words)
    while len(text) < chance.randint(5, 60):
        text += ("" if words is WORDS["cjk"] else " ") + chance.choice(words)
    return text[:60]


def tree(chance, words, deep):
    def node(level):
        last = level == (3 if deep else 2)
        many = (0, 0) if last else (4, 6) if level == 0 else (2, 4)
        children = [node(level + 1) for _ in range(chance.randint(*many))]
        return {"label": label(chance, words), "children": children}

    return node(0)


@pytest.mark.parametrize("deep", [False, True])
@pytest.mark.parametrize("words", WORDS.values(), ids=WORDS)
@pytest.mark.parametrize("seed", range(6))
def test_no_two_boxes_overlap_and_all_are_in_the_frame(seed, words, deep):
    placed = layout(tree(random.Random(seed), words, deep))
    assert not any(overlap(one, other) for one, other in combinations(placed.nodes, 2))
    for node in placed.nodes:
        assert placed.left < node.left
        assert placed.top < node.top
        assert node.left + node.width < placed.left + placed.width
        assert node.bottom < placed.top + placed.height
        assert 1 <= len(node.lines) <= LINES
        assert max(map(width_of, node.lines)) * node.size < node.width
        assert "".join(node.lines).replace(" ", "") == node.label.replace(" ", "")


def test_the_biggest_map_of_longest_labels_fits_on_a_page():
    whole = {"label": "M" * 60, "children": []}
    whole["children"] = [
        {
            "label": "branch " * 8,
            "children": [
                {"label": "point " * 9, "children": [{"label": "more " * 12}] * 4} for _ in range(4)
            ],
        }
        for _ in range(6)
    ]
    placed = layout(whole)
    assert len(placed.nodes) == 1 + 6 + 24 + 96
    assert placed.width < 6000
    assert 1 < placed.width / placed.height < 2.2


@pytest.mark.parametrize("children", [0, 1, 2])
def test_a_map_that_is_just_beginning_is_drawn_too(children):
    placed = layout({"label": "Root", "children": [{"label": f"b{n}"} for n in range(children)]})
    assert [node.path for node in placed.nodes] == ["root", "0", "1"][: children + 1]
    assert len(placed.links) == children


def test_a_fifth_level_is_left_out():
    node = {"label": "5", "children": []}
    for n in (4, 3, 2, 1, 0):
        node = {"label": str(n), "children": [node]}
    assert [each.label for each in layout(node).nodes] == ["0", "1", "2", "3"]


def test_lines_are_of_about_the_same_width():
    assert wrapped("Pressure of the heating circuit") == ["Pressure of the", "heating circuit"]
    assert wrapped("Notice") == ["Notice"]
    assert wrapped("") == [""]


CLEANED = [
    ("  Notice\n period: ", "Notice period"),
    ("“Quoted”", "Quoted"),
    ("x" * 80, "x" * 60),
    ("word " * 20, " ".join(["word"] * 12)),
    ("The letter has to reach the office of the cooperative by the third day", None),
    ("a\u202eb", "a b"),
    ("\x00", ""),
]


@pytest.mark.parametrize(("told", "expected"), CLEANED)
def test_labels_are_cut_between_words(told, expected):
    cleaned = labels.clean(told)
    assert len(cleaned) <= 60
    if expected is None:
        assert cleaned == "The letter has to reach the office of the cooperative"
    else:
        assert cleaned == expected


def test_support_knows_other_forms_of_a_word():
    text = "Die Kündigung muss schriftlich erfolgen."
    assert quality.in_some_form("Kündigungen schriftlich", text) == 1
    assert quality.in_some_form("Photosynthese der Pflanzen", text) == 0


def test_telling_phrases_come_first_and_function_words_are_no_phrase():
    text = "The heat pump is serviced every twelve months. The heat pump has a filter."
    assert labels.terms(text, text)[0] == "heat pump"
    assert "the" not in [term.lower() for term in labels.terms(text, text)]


def test_headings_lose_their_numbers_and_phrases_keep_theirs():
    told = labels.headings(["Lease › § 4 Heating", "2.1 Costs", "IV. Pets", "1984", "3 rooms"])
    assert told == ["Heating", "Costs", "Pets", "1984", "3 rooms"]
    terms = labels.terms("Die Anteile kosten 1.240 Euro. Sie sind fällig.", "")
    assert "Anteile kosten 1.240 Euro" in terms
