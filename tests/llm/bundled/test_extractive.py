"""The model without weights."""

from apps.llm.bundled import extractive

PUMP_DE = """[1] Die Wärmepumpe wurde am 14. März 2019 in Betrieb genommen.
[2] Sie muss alle 12 Monate gewartet werden.

"""
PUMP_EN = """[1] The heat pump of the town hall was commissioned by Kessler GmbH.
[2] The heat pump must be serviced every 12 months. At each service the filter is replaced.
[3] The yearly heating costs dropped to 11,200 euros.

"""


def say(text: str) -> list[dict[str, str]]:
    return [{"role": "user", "content": text}]


def test_german_questions_get_german_sentences() -> None:
    answer = extractive.answer(say(PUMP_DE + "Wann wurde sie in Betrieb genommen?"))
    assert answer == "Die Wärmepumpe wurde am 14. März 2019 in Betrieb genommen [1]."
    missing = extractive.answer(say(PUMP_DE + "Wer ist der Bürgermeister?"))
    assert missing == extractive.NOTHING["de"]


def test_english_questions_get_english_sentences_with_their_numbers() -> None:
    assert "every 12 months [2]." in extractive.answer(say(PUMP_EN + "How often is it serviced?"))
    assert "[3]." in extractive.answer(say(PUMP_EN + "What are the yearly heating costs?"))
    assert extractive.answer(say(PUMP_EN + "Who is the mayor?")) == extractive.NOTHING["en"]


def test_without_passages_there_is_nothing_to_quote() -> None:
    assert extractive.answer(say("Hello")) == extractive.NOTHING["en"]


def test_a_marked_question_is_taken_alone() -> None:
    messages = [{"role": "system", "content": PUMP_DE}, *say("Bitte kurz.\nFrage: Wie oft?")]
    passages, question = extractive.read(messages)
    assert [number for number, _ in passages] == [1, 2] and question == "Wie oft?"
