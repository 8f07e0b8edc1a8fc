"""A number is found however it is written, and so is what of it may be asked for alone."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from apps.library import analysis
from apps.library.analysis import numbers

LANGUAGES = ("de", "en")
DIGIT = st.characters(min_codepoint=ord("0"), max_codepoint=ord("9"))


def lacks(question: str, text: str) -> list[list[str]]:
    """The things asked for that a passage has not, not even as a part."""
    there = analysis.analyse("", text, "de").lexemes.keys()
    slots = analysis.question(question, LANGUAGES).slots
    return [
        slot.lexemes
        for slot in slots
        if not slot.amount and there.isdisjoint((*slot.lexemes, slot.plain))
    ]


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("192.168", "Router: 192.168.178.1"),
        ("178.1", "Router: 192.168.178.1"),
        ("168.178", "Router: 192.168.178.1:8080"),
        ("6.8", "kernel 6.8.12"),
        ("8.12", "kernel 6.8.12-rc1"),
        ("1.22", "app-1.22"),
        ("9.8", "openssh 9.8p1"),
        ("11.2024", "am 23.11.2024"),
        ("1874", "gesamt 1.874,22"),
        ("1874", "total $1,874.22"),
        ("1.874", "gesamt 1.874,22"),
        ("4260", "Kaution: 4.260,00 Euro"),
        ("EUR 4260", "Kaution: 4.260,00 €"),
        ("4260 Euro", "Kaution: EUR 4260"),
        ("€4260", "Kaution: 4260 Euro"),
        ("74,5 qm", "Wohnfläche 74,5 m²"),
        ("143 215 60718", "Steuernummer 143/215/60718"),
        ("143/215/60718", "Steuernummer 14321560718"),
        ("CVE 2024 6387", "behebt CVE-2024-6387"),
        ("2024-6387", "behebt CVE-2024-6387"),
        ("2023-0447", "Rechnung R-2023-0447"),
        ("backup_rotate", "siehe backup_rotate.py"),
        ("pool_size", "setze default_pool_size"),
        ("LOG_LEVEL", "setze PAYD_LOG_LEVEL"),
        ("PoolSize", "setze defaultPoolSize"),
    ],
)
def test_a_number_is_there_in_other_spellings_and_as_a_part(question, text):
    assert lacks(question, text) == []


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("192.169", "Router: 192.168.178.1"),
        ("2.168", "Router: 192.168.178.1"),
        ("68", "kernel 6.8.12"),
        ("187", "gesamt 1.874,22"),
        ("2024", "gesamt 20.240,50"),
        ("DE03 1203", "IBAN DE02 1203 0000 0000 2020 51"),
        ("0170 5550143", "Telefon +49 170 5550142"),
    ],
)
def test_what_does_not_stand_there_is_lacking(question, text):
    assert lacks(question, text)


PHONES = (
    "+49 170 5550142",
    "+49 (0)170 5550142",
    "+491705550142",
    "0049 170 5550142",
    "00491705550142",
    "0170 555 0142",
    "0170/5550142",
    "(0170) 5550142",
    "0170-5550142",
    "01705550142",
)


@pytest.mark.parametrize("text", PHONES)
@pytest.mark.parametrize("question", [*PHONES, "170 555 0142"])
def test_a_telephone_number_is_found_however_it_is_dialled(question, text):
    assert lacks(question, f"Telefon {text}, abends") == []


@pytest.mark.parametrize(
    ("surface", "known"),
    [
        ("+49 170 5550142", "1705550142"),
        ("0170 5550142", "1705550142"),
        ("+1 212 555 0142", "2125550142"),
        ("+353 1 555 0142", "15550142"),
        ("+39 06 5550142", "65550142"),
        ("06 5550142", "65550142"),
        ("5550142", ""),
        ("0142", ""),
        ("0000 2020 51", ""),
        ("+", ""),
        ("", ""),
    ],
)
def test_within_its_country_a_number_has_no_code_and_no_nought(surface, known):
    assert numbers.national(surface) == known


@given(
    digits=st.text(DIGIT, min_size=18, max_size=18),
    blanks=st.sets(st.integers(3, 21), max_size=8),
)
def test_an_account_is_found_wherever_its_blanks_are(digits, blanks):
    account = f"DE{digits[:2]}1203{digits[4:]}"
    grouped = " ".join(account[at : at + 4] for at in range(0, 22, 4))
    asked = "".join(" " * (at in blanks) + c for at, c in enumerate(account))
    there = analysis.analyse("", f"IBAN: {grouped}", "de").lexemes
    whole = "#" + account.casefold()
    slots = analysis.question(asked, LANGUAGES).slots
    assert whole in there
    assert any(whole in slot.lexemes for slot in slots)


@pytest.mark.parametrize(
    "question",
    ["DE02 1203", "DE02", "0000 2020 51", "202051", "2020 51", "DE02 1203 00000000202051"],
)
@pytest.mark.parametrize(
    "text", ["IBAN DE02 1203 0000 0000 2020 51", "IBAN DE02120300000000202051"]
)
def test_an_account_is_found_by_its_beginning_and_its_end(question, text):
    assert question == "DE02" or lacks(question, text) == []


@given(st.lists(st.integers(0, 99999), min_size=3, max_size=5), st.data())
def test_numbers_with_points_are_found_by_two_or_more_that_stand_together(groups, data):
    whole = ".".join(map(str, groups))
    first = data.draw(st.integers(0, len(groups) - 2))
    end = data.draw(st.integers(first + 2, len(groups)))
    run = ".".join(map(str, groups[first:end]))
    assert run == whole or run in numbers.pointed_parts(whole)
    assert whole not in numbers.pointed_parts(whole)


def test_what_has_many_points_has_no_parts():
    assert numbers.pointed_parts("1.2.3.4.5.6") == []
    assert len(numbers.pointed_parts("1.2.3.4.5")) == 9


def test_a_unit_is_asked_for_only_beside_a_figure():
    assert [slot.amount for slot in analysis.question("4260 EUR", ["de"]).slots] == [False, True]
    assert not analysis.question("Euro", ["de"]).slots[0].amount


def test_the_whole_stays_ahead_of_its_parts():
    slot = analysis.question("CVE-2024-6387", ["en"]).slots[0]
    assert slot.lexemes[0] == "#cve20246387"
    assert slot.plain == "~cve20246387"
