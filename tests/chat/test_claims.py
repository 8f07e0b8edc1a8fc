"""Each cited sentence is held against its passage, and what it adds is found out."""

import json
import re
import time
from pathlib import Path

import pytest

from apps.chat import claims, figures, sentences
from apps.chat.claims import SUPPORTED, UNSUPPORTED, WEAK, cited, verdict
from apps.chat.models import Answer
from tests.chat.conftest import add_document
from tests.corpus import EVALUATION

LEASE = (
    "Die Kündigung ist spätestens am dritten Werktag eines Kalendermonats zum Ablauf des"
    " übernächsten Monats zulässig. Die Kaution beträgt drei Monatsmieten, 1.250,50 Euro."
)
PUMP = (
    "The heat pump was commissioned on 14 March 2019 by Kessler GmbH. It must be serviced every 12"
    " months. The filter is not covered by the warranty."
)


def judged(sentence: str, passage: str, near: float | None = None) -> str:
    return verdict(sentence, passage, lambda *_: near)[0]


@pytest.mark.parametrize(
    ("sentence", "passage", "state"),
    [
        ("Die Kündigung ist spätestens am dritten Werktag zulässig.", LEASE, SUPPORTED),
        ("Die Kündigung ist spätestens am 3. Werktag zulässig.", LEASE, SUPPORTED),
        ("Für die Kündigung hat man drei Werktage.", LEASE, UNSUPPORTED),
        ("Die Kaution beträgt 1250,5 Euro.", LEASE, SUPPORTED),
        ("Die Kaution beträgt vier Monatsmieten.", LEASE, UNSUPPORTED),
        ("It must be serviced every twelve months.", PUMP, SUPPORTED),
        ("It must be serviced every 12 weeks.", PUMP, UNSUPPORTED),
        ("The heat pump was commissioned in 2018.", PUMP, UNSUPPORTED),
        ("The heat pump was commissioned by Miller in March.", PUMP, UNSUPPORTED),
        ("The filter is covered by the warranty.", PUMP, WEAK),
        ("The heat pump was not commissioned by Kessler.", PUMP, WEAK),
        ("Penguins live on ice.", PUMP, UNSUPPORTED),
    ],
)
def test_figures_units_names_and_nots_are_told_apart(sentence, passage, state):
    assert judged(sentence, passage) == state


@pytest.mark.parametrize(
    ("sentence", "points"),
    [
        ("The deposit is described in the passage on page 3.", True),
        ("Die Kaution ist in Abschnitt 5 zu finden.", True),
        ("The deposit described on page 3 is 100 euros.", False),
        ("New members pay the deposit listed in section 2 by the end of March.", False),
        ("The caretaker keeps the keys.", False),
    ],
)
def test_a_sentence_that_only_says_where_something_stands_supports_nothing(sentence, points):
    assert claims.only_points(sentence) is points
    state, _ = claims.verdict(sentence, f"Rules. {sentence}", lambda *_: 1.0)
    assert (state == "weak") is points


def test_a_not_about_something_else_is_no_contradiction():
    passage = "A club whose purpose is not a commercial one gains legal personality by entry."
    said = "A club gains legal personality by entry."
    assert claims.verdict(said, passage, lambda *_: 1.0) == ("supported", "")
    against = "A club does not gain legal personality by entry."
    assert claims.verdict(against, said, lambda *_: 1.0)[0] == "weak"


def test_meaning_decides_where_words_do_not():
    said = "The device of the Kessler company needs care once a year."
    assert judged(said, PUMP, near=0.95) == WEAK
    assert judged(said, PUMP, near=0.7) == UNSUPPORTED
    german = "Die Wärmepumpe wurde am 14. März 2019 von Kessler in Betrieb genommen."
    assert judged(german, PUMP, near=0.9) == SUPPORTED
    assert judged(german, PUMP, near=0.7) == WEAK


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("1,234.50", "1.234,5"),
        ("18,400", "18.400"),
        ("three months", "3 Monate"),
        ("12 per cent", "12 %"),
        ("the 3rd day", "am dritten Tag"),
        ("0.50", "0,5"),
    ],
)
def test_a_figure_is_the_same_however_it_is_written(one, other):
    (first,), (second,) = figures.read(one), figures.read(other)
    assert first.same(second, unit=True)


@pytest.mark.parametrize(
    ("one", "other"), [("three days", "third day"), ("3 days", "3 weeks"), ("1.5", "15")]
)
def test_what_is_another_figure_is_told(one, other):
    (first,), (second,) = figures.read(one), figures.read(other)
    assert not first.same(second, unit=True)


def test_only_sentences_that_cite_are_checked_and_their_places_known():
    text = "# Head [1]\n\nOne is so. Two is so [1][2]. Three [3].\n```\nfour [1]\n```\n- five [2]"
    found = list(cited(text))
    assert [claim.numbers for claim in found] == [(1, 2), (3,), (2,)]
    assert [text[: claim.at][-3:] for claim in found] == ["[2]", "[3]", "[2]"]


def test_labelled_claims_are_told_apart():
    """Words alone, no vectors: of what is flagged nine in ten are wrong, and nine in ten found."""
    passages = {}
    for name in ("xquad-en", "xquad-de"):
        corpus = EVALUATION / name / "corpus.jsonl"
        if not corpus.exists():
            pytest.skip(f"{corpus} is not there")
        for line in corpus.read_text("utf-8").splitlines():
            item = json.loads(line)
            passages[name, item["id"]] = item["text"]
    lines = Path(__file__).with_name("claims.tsv").read_text("utf-8").splitlines()
    rows = [line.split("\t") for line in lines]
    flagged = [
        (label, judged(text, passages[name, key]) != SUPPORTED) for name, key, label, text in rows
    ]
    wrong = [flag for label, flag in flagged if label == "0"]
    assert sum(wrong) / len(wrong) >= 0.88
    assert sum(wrong) / sum(flag for _, flag in flagged) >= 0.85


def test_a_claim_that_its_passage_does_not_bear_is_marked_and_kept(reader, talk, ollama):
    ollama.says("The moon pulls the water of the oceans [1]. The sun makes no tides rise [2].")
    reader.read_to_the_end(reader.ask(talk.pk))
    answer = Answer.objects.get()
    assert [claim["state"] for claim in answer.claims] == ["supported", "weak"]
    page = reader.page(talk.pk)
    assert page.count('class="chip claim"') == 1 and "differ in a “not”" in page
    assert "[1001]" not in page and "[1000]" not in page


def test_a_source_is_shown_from_the_sentence_on_that_is_cited(reader, talk, ollama):
    filler = "Penguins live on ice and have no interest in the sea at all. " * 5
    add_document(talk.workspace, "Long.md", "p. 1", f"{filler}Tides rise twice a day.\nAnd fall.")
    ollama.says("Tides rise twice a day [1].")
    page = reader.last(reader.ask(talk.pk, "Do tides rise twice a day?"))
    for each in (page, reader.page(talk.pk)):  # as it is told, and as it is read again
        assert "<q>… Tides rise twice a day." in each
    answer = Answer.objects.get()
    assert "Tides" not in str(answer.claims)  # which outlive their document


def test_each_citation_opens_its_document_at_the_sentence_it_stands_on(reader, talk, ollama):
    text = "Tides rise twice a day.\n\nThe harbour master opens the **lock** at noon. It is old."
    passage = add_document(talk.workspace, "Long.md", "p. 1", text)
    ollama.says("Tides rise twice a day [1]. The lock is opened by the harbour master [1].")
    page = reader.last(
        reader.ask(talk.pk, "How often do tides rise a day, and who opens the lock?")
    )
    for each in (page, reader.page(talk.pk)):  # as it is told, and as it is read again
        chips = re.findall(r'class="chip" href="(\S+)"', each)
        assert len(chips) == 2 and chips[0] != chips[1] and "[5" not in each
        assert all(f"/passages/{passage.pk}/?sentence=" in chip for chip in chips)
        assert f'id="source-{Answer.objects.get().pk}-1" href="{chips[0]}"' in each
        peeks = re.findall(r'class="peek-quote">(.*?)</span>', each, re.DOTALL)
        assert peeks[0].startswith("Tides") and peeks[1].startswith("… The harbour master")
    for chip, said in zip(chips, ["Tides rise twice a day.", "The harbour master"], strict=True):
        assert f'class="sentence">{said}' in reader.http.get(chip).text


@pytest.mark.parametrize(
    ("claim", "begins"),
    [
        ("The pump was commissioned in 2019.", "The heat"),
        ("Every 12 months it must be serviced.", "It must"),
        ("The warranty leaves the filter out.", "The filter"),
    ],
)
def test_the_sentence_that_bears_a_claim_is_found_in_a_passage(claim, begins):
    wrapped = PUMP.replace(" It must", "\nIt must").replace("every 12", "every\n12")
    at = sentences.bearing(claim, wrapped)
    assert at is not None and wrapped[at:].startswith(begins)
    assert sentences.bearing("Unicorns dance.", wrapped) is None


def test_a_long_line_is_cut_into_sentences_in_no_time():
    long = "In this line nothing ever ends but its sentences. " * 2000
    began = time.process_time()
    assert len(list(sentences.of(long))) == 2000
    assert time.process_time() - began < 5  # the square of its length would be minutes


def test_without_an_embedder_words_alone_are_held_against_each_other(alice, ollama):
    ollama.lacks("embeddinggemma")
    assert claims.nearness("The moon pulls.", ["The moon pulls the water."]) is None
