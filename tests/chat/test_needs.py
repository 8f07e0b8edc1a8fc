"""What needs a tool and no document is told by its words."""

import pytest

from apps.chat.needs import plain


@pytest.mark.parametrize(
    ("question", "expression"),
    [
        ("What is 17*23?", "17*23"),
        ("Wie viel ist 7 mal 9?", "7 * 9"),
        ("what's 15% of 80", "15% of 80"),
        ("Bitte berechne 3,5 + 4", "3,5 + 4"),
        ("How much is 1,200 divided by 12?", "1,200 / 12"),
        ("Was ist die Quadratwurzel aus 144?", "sqrt(144)"),
        ("What is 12/3?", "12/3"),
        ("What is 5/0?", "5/0"),
        ("9**9**9", "9**9**9"),
    ],
)
def test_a_sum_is_computed(question, expression):
    need = plain(question)
    assert need and need.tool == "calculator" and need.arguments == {"expression": expression}


@pytest.mark.parametrize(
    ("question", "tool"),
    [
        ("What time is it?", "current_time"),
        ("what's the date today?", "current_time"),
        ("Wie spät ist es?", "current_time"),
        ("Welcher Tag ist heute?", "current_time"),
        ("Wie viel Uhr ist es jetzt?", "current_time"),
        ("List my documents", "list_documents"),
        ("Which documents do I have?", "list_documents"),
        ("Welche Dokumente habe ich?", "list_documents"),
        ("Wie viele Dateien gibt es hier?", "list_documents"),
        ("Liste alle meine Dokumente auf", "list_documents"),
    ],
)
def test_the_time_and_the_list_are_looked_up(question, tool):
    need = plain(question)
    assert need and need.tool == tool


@pytest.mark.parametrize(
    "question",
    [
        *("Which documents mention heat pumps?", "What documents do I need for the application?"),
        *("How many CDs did MP3.com copy?", "12/3", "1-2", "2025-04-03", "What is 2025-04-03?"),
        *(
            "INV-2099-404",
            "PYSEC-2039-7",
            "E-17",
            "§ 88 ProdHaftG",
            "What is the date of the lease?",
        ),
        *("How many documents are there about heating?", "Wie spät ist die Sitzung?", "C++", "?"),
        *("What happened on 3/4/2025?", "What is the time limit for objections?", "3", "x" * 5000),
    ],
)
def test_all_else_is_asked_of_the_documents(question):
    assert plain(question) is None
