"""What a small model says is held to its passages, and what it found is quoted."""

from dataclasses import replace

import pytest

from apps.chat import answer, prompt, relating
from apps.chat.prompt import REFUSAL
from apps.chat.settling import settled
from apps.chat.steps import Found
from apps.library.search import Findings, search
from apps.llm.catalogue import Model
from tests.chat.conftest import add_document

SMALL = Model("small", 1_100_000_000, frozenset({"completion"}), 8192, extractive=False)
LARGE = Model("large", 9_600_000_000, frozenset({"completion"}), 8192, extractive=False)
LEASE = (
    "§ 5 Kündigung\nDie Kündigung ist spätestens am dritten Werktag eines Kalendermonats\nzum"
    " Ablauf des übernächsten Monats zulässig. Sie bedarf der schriftlichen Form."
)
TIKA = (
    "News\nMarch 22nd, 2007: The Tika project was formally started when the proposal was accepted."
)

PETS = (
    "Residential lease\n\n4. Deposit. The tenant pays a deposit of 1,680 euros.\n\n5. Pets. Cats"
    " are allowed. Dogs require the landlord's written consent.\n\n6. Repairs. The tenant bears"
    " minor repairs up to 75 euros in a single case. Notice is given with a period of three months."
)


def source(quote: str, number: int = 1) -> Found:
    return Found(number, number, number, "Lease.pdf", "p. 1", "page", 1, quote, 0.5)


def test_three_workdays_are_not_the_third_workday():
    said = (
        "Die Kündigungsfrist beträgt drei Werktage eines Kalendermonats zum Ablauf des Monats [1]."
    )
    end = settled("Bis wann muss man kündigen?", said, [source(LEASE)], "de", SMALL)
    assert "drei Werktage" not in end.text and "am dritten Werktag" in end.text
    assert end.used == (1,) and not end.refused


def test_the_sentence_that_answers_is_quoted_whole():
    said = "Man kündigt in der schriftlichen Form [1]."
    end = settled("Wie kündigt man?", said, [source(LEASE)], "de", SMALL)
    assert end.text.startswith(said) and end.text.endswith("[1]")
    assert "> „Sie bedarf der schriftlichen Form.“" in end.text


def test_a_question_for_a_day_is_answered_with_a_sentence_that_has_one():
    said = "The Tika project was formally started when the proposal was accepted [1]."
    end = settled("When did the Tika project formally begin?", said, [source(TIKA)], "en", SMALL)
    assert "March 22nd, 2007" in end.text


def test_what_says_all_of_a_sentence_is_not_followed_by_it():
    said = "The moon pulls the water of all oceans [1]."
    quote = source("The moon pulls the water of all oceans.")
    end = settled("What pulls the water?", said, [quote], "en", SMALL)
    assert end.text == said


def test_what_the_model_missed_in_another_passage_is_quoted_too():
    branches = "Der Eigentümer kann überhängende Zweige vom Nachbargrundstück aus abschneiden."
    tree = "Jeder der Nachbarn kann die Beseitigung des Baumes auf der Grenze verlangen."
    said = "Der Nachbar kann die Beseitigung des Baumes auf der Grenze verlangen [2]."
    sources = [source(branches), source(tree, 2)]
    end = settled("Darf man überhängende Zweige abschneiden?", said, sources, "de", SMALL)
    assert end.text.startswith(said) and f"> „{branches}“ [1]" in end.text and end.used == (1, 2)


def test_a_sentence_that_only_points_to_its_passage_gives_way_to_what_stands_there():
    question = "When did the Tika project formally start?"
    said = "The start of the Tika project is described in the passage on page 1 [1]."
    end = settled(question, said, [source(TIKA)], "en", SMALL, sure=True)
    assert "is described" not in end.text and "March 22nd, 2007" in end.text


def test_any_no_is_followed_by_what_comes_nearest_where_it_is_wanted():
    question, sources = "Who feeds the cat at night?", [source(TIKA)]
    assert settled(question, REFUSAL["en"], sources, "en", LARGE, sure=True).refused
    end = settled(question, REFUSAL["en"], sources, "en", LARGE, anyway=True)
    assert not end.refused and end.text.endswith("[1]")


def test_a_form_has_no_language_and_may_answer_all_the_same(alice, ollama):
    home = alice.workspaces.get()
    add_document(home, "Estimate.pdf", "p. 1", "Make Jeep\nVIN 1C4RJFBG2NC123456\nColor White")
    question = "What is the VIN of the Jeep Grand Cherokee?"
    hits = [hit for hit in search(home, question).hits if hit.chunk.document.name != "Sea.md"]
    assert not relating.shares_no_word(question, hits)


def test_the_year_of_a_law_is_no_time_limit():
    """The question is English and the law German: words cannot tell, the kind of figure can."""
    law = (
        "Dieses Gesetz tritt am 1. Januar 1990 in Kraft.\n"
        "(1) Der Anspruch nach § 1 verjährt in drei Jahren von dem Zeitpunkt an, in dem der"
        " Ersatzberechtigte von dem Schaden Kenntnis erlangt hat."
    )
    question, said = "Within how many years must one claim?", "One must claim after 1990 [1]."
    end = settled(question, said, [source(law)], "en", SMALL)
    assert "after 1990" not in end.text and "verjährt in drei Jahren" in end.text
    assert end.text.startswith("No clear answer") and end.used == (1,)


def test_a_large_model_speaks_for_itself():
    said = "The notice period is three workdays [1]."
    end = settled("How long?", said, [source(LEASE)], "en", LARGE)
    assert "three workdays" in end.text and ">" not in end.text


@pytest.mark.parametrize(
    ("question", "refused"),
    [
        ("Why do tides rise?", False),
        ("Why do tides rise in the Bay of Fundy?", True),
        ("Why do the moon's oceans rise?", False),
    ],
)
def test_a_name_that_no_passage_has_is_not_asked_of_a_small_model(alice, ollama, question, refused):
    findings = search(alice.workspaces.get(), question)
    assert relating.nothing(findings, question, SMALL) == refused
    assert not relating.nothing(findings, question, LARGE)


def test_a_german_question_may_name_things_otherwise_than_english_passages(alice, ollama):
    home = alice.workspaces.get()
    add_document(home, "Gezeiten.md", "S. 1", "Die Flut steigt, weil der Mond das Meer anzieht.")
    findings = search(home, "Warum steigt die Flut am Ärmelkanal?")
    assert not relating.unknown_name("Warum steigt die Flut am Ärmelkanal?", findings.hits)


def test_a_refusal_stays_one():
    end = settled("Why?", "I could not find this in your documents.", [source("x")], "en", SMALL)
    assert end.refused and end.text == REFUSAL["en"]


def test_where_the_search_is_sure_a_small_models_no_is_followed_by_what_comes_nearest():
    asked, no = "Wie muss man kündigen?", REFUSAL["de"]
    end = settled(asked, no, [source(LEASE)], "de", SMALL, sure=True)
    assert not end.refused and "am nächsten kommt" in end.text and "[1]" in end.text
    assert settled(asked, no, [source("Pinguine leben auf Eis.")], "de", SMALL, sure=True).refused
    assert settled(asked, no, [source(LEASE)], "de", LARGE, sure=True).refused


def test_a_question_whose_words_all_stand_there_is_asked_however_few_they_are(alice, ollama):
    home = alice.workspaces.get()
    add_document(home, "Till.pdf", "p. 1", "TECHMART ELECTRONICS. Receipt 4711. Thank you.")
    findings = search(home, "Who is the receipt from?")
    assert not relating.nothing(findings, "Who is the receipt from?", SMALL)


@pytest.mark.parametrize(
    ("question", "quoted"),
    [
        ("And what about dogs?", "Dogs require the landlord's written consent."),
        ("What does the lease say about dogs?", "Dogs require the landlord's written consent."),
        ("What does the repair clause say about minor repairs?", "The tenant bears minor repairs"),
        ("How long is the notice period?", "a period of three months."),
        ("And what about parrots?", ""),
        ("Who gives written consent to a garden?", ""),
        ("How long is the period in which dogs are allowed?", ""),
    ],
)
def test_the_sentence_with_all_words_of_the_question_wins_over_a_small_models_no(question, quoted):
    sources = [source("Pinguine leben auf Eis."), source(PETS, 2)]
    end = settled(question, REFUSAL["en"], sources, "en", SMALL)
    assert quoted in end.text and end.refused == (not quoted)
    assert end.used == ((2,) if quoted else ())
    assert settled(question, REFUSAL["en"], sources, "en", LARGE).refused


def doubted(findings: Findings, *, sure: bool = False) -> Findings:
    """The same, found far from the question in meaning."""
    hits = [replace(hit, band="weak") for hit in findings.hits]
    return replace(findings, hits=hits, answerable=False, sure=sure, notice="")


def test_what_one_sentence_holds_wholly_is_asked_whatever_the_search_thinks_of_it(alice, ollama):
    home = alice.workspaces.get()
    add_document(home, "lease.txt", "lines 1–9", PETS)
    for question, sure, refused in (
        ("What does the repair clause say about minor repairs?", False, False),
        ("How long is the notice period?", True, False),
        ("Do dogs require a written test of the landlord's?", True, True),
        ("Do you like cats?", True, True),
    ):
        found = doubted(search(home, question), sure=sure)
        assert relating.nothing(found, question, SMALL) == refused, question


def test_a_small_models_few_seats_are_for_what_says_something(alice, ollama):
    """A title block and front matter wait for the others; a sentence that has it all sits."""
    home = alice.workspaces.get()
    question = "Why do tides rise?"
    (hit, *_), titles = search(home, question).hits, []
    for ordinal, text in enumerate(("Tides: a law\n\nIssued\n:   1989", "---\nTitle: Tides\n---")):
        chunk = add_document(home, f"Law {ordinal}.md", "p. 1", text)
        chunk.document.chunk_count, chunk.ordinal = 9, ordinal
        titles.append(replace(hit, chunk=chunk))
    said = [
        replace(hit, chunk=add_document(home, f"{n}.md", "p. 1", text))
        for n, text in enumerate(
            ("| tide | 4 m |", "- tide: high", "The tides go out.", "The tides come in.")
        )
    ]
    wanted = answer.Question(question, home)
    seats = answer._worth_reading(wanted, [said[0], *titles, *said[1:]], SMALL)
    assert seats == said
    assert answer._worth_reading(wanted, titles, SMALL) == titles
    seats = answer._worth_reading(wanted, [*said, hit], SMALL)
    assert seats == [*said[:3], hit]  # "Tides rise because the moon pulls …"
    large = [said[0], *titles, *said[1:]]
    assert answer._worth_reading(wanted, large, LARGE) == large


def test_a_long_passage_is_cut_around_the_rarest_of_the_words():
    text = "The lease begins. The lease is long. " + "And so on. " * 60 + "Dogs require consent."
    assert "Dogs require consent." in prompt.excerpt(text, ["lease", "Dogs"], 400)


def test_quotes_are_those_of_the_answers_language():
    end = settled("Wie muss man kündigen?", REFUSAL["de"], [source(LEASE)], "de", SMALL, sure=True)
    assert "> „" in end.text and "“ [1]" in end.text and "”" not in end.text
    german = prompt.Wish("Warum?", "de", scope=("Meer.md", "Himmel.md"))
    assert (
        "„Meer.md“, „Himmel.md“" in prompt.messages(german, [source("x")], (), LARGE)[0]["content"]
    )
