"""Which words may be meant by a misspelled one."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from apps.library.analysis.slips import distance, is_another, nearest, slips

WORDS = st.text("abcdefghijklmnopqrstuvwxyz", max_size=14)


@pytest.mark.parametrize(
    ("one", "other", "far"),
    [
        ("", "", 0),
        ("abc", "", 3),
        ("frist", "frist", 0),
        ("frist", "fritz", 2),
        ("vertarg", "vertrag", 1),
        ("verjarung", "verjahrung", 1),
        ("abcdef", "badcfe", 3),
        ("fertrag", "vertrag", 1),
    ],
)
def test_slips_are_counted(one, other, far):
    assert distance(one, other) == distance(other, one) == far


@pytest.mark.parametrize(
    ("word", "others", "meant"),
    [
        ("verjarung", ["verjahrung"], "verjahrung"),
        ("vertarg", ["vertrag"], "vertrag"),
        ("evrtrag", ["vertrag"], "vertrag"),
        ("fertrag", ["vertrag"], "vertrag"),
        ("verjaehrung", ["verjahrung"], "verjahrung"),
        ("strase", ["strasse"], "strasse"),
        ("kuendigungsfirst", ["kundigungsfrist"], "kundigungsfrist"),
        ("kleinreperaturen", ["kleinreparaturen"], "kleinreparaturen"),
        ("expird", ["expired"], "expired"),
        ("tenent", ["tenant"], "tenant"),
        ("certificat", ["certificate"], "certificate"),
        ("rythm", ["rhythm"], "rhythm"),
        ("vertrah", ["vertrag"], "vertrag"),  # the key beside it
        ("hanse", ["hauser"], ""),  # two slips in a short word
        ("fahrlasigket", ["fahrlassigkeit"], "fahrlassigkeit"),
        ("fahrlsgket", ["fahrlassigkeit"], ""),
        ("mieter", ["meter", "miter"], "meter"),  # the first, which is the most frequent
        ("mieter", ["#mieter", "mieter2"], ""),
        ("nachtruh", ["nachtrag"], ""),  # which is no misspelling but another word
        ("vaccum", ["vacuum"], "vacuum"),  # the letter before doubled, not the one after
        ("aksoi", ["aksoy"], "aksoy"),
        ("kreativ", ["creativ"], "creativ"),
        ("vertrag", [], ""),
        # Sound words, whatever else is near to them.
        ("heizung", ["heilung"], ""),
        ("aufzeichnen", ["auszeichnen"], ""),
        ("night", ["nicht"], ""),
        ("nachts", ["nicht"], ""),
        ("bread", ["read", "broad"], ""),
        ("garten", ["garden"], ""),
        ("borders", ["orders"], ""),
        ("redis", ["revise"], ""),
        ("consultant", ["constant"], ""),  # a syllable
        ("insufficiency", ["inefficiency"], ""),
        ("coinfection", ["connection"], ""),
        ("auszusehen", ["anzusehen"], ""),
    ],
)
def test_the_nearest_word_is_meant(word, others, meant):
    assert nearest(word, others) == ([meant] if meant else [])


def test_several_come_in_the_order_of_their_distance():
    assert nearest("verjarung", ["verjahrungen", "verjahrung", "verjarungs"], 3) == [
        "verjahrung",
        "verjarungs",
    ]


@given(WORDS, WORDS)
def test_what_is_told_is_the_distance_and_is_small(word, other):
    far = slips(word, other)
    assert far is None or far <= 2
    if far:
        assert far <= distance(word, other)


@given(WORDS, st.integers(0, 12))
def test_a_letter_left_out_is_a_slip_but_for_the_first(word, at):
    less = word[: at + 1] + word[at + 2 :]
    assert len(less) < 2 or less == word or slips(less, word) == 1


def test_a_stem_is_compared_as_what_the_word_is_long():
    assert nearest("seper", ["separ"]) == []
    assert nearest("seper", ["separ"], letters=len("seperate")) == ["separ"]


@pytest.mark.parametrize(
    ("word", "other", "does"),
    [
        ("bread", "broad", True),
        ("garten", "garden", True),
        ("morgen", "morgan", True),
        ("defective", "detective", True),
        ("consultant", "constant", True),
        ("smooth", "smoot", True),
        ("compliant", "complaint", True),
        ("certificat", "certificate", False),
        ("kreative", "creative", False),
    ],
)
def test_words_differ_otherwise_than_misspelled_ones(word, other, does):
    assert is_another(word, other) is does


@given(WORDS, st.integers(0, 13), st.characters(min_codepoint=97, max_codepoint=122))
def test_whatever_letter_is_left_out_it_may_be_the_same_word(word, at, letter):
    assert not is_another(word, word[:at] + letter + word[at:])
