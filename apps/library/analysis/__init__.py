"""One analyser for passages and questions: text in, lexemes out. Pure; knows no database.

Lexemes of one passage share one tsvector and are told apart by their first character:

    stem          in the language of the passage, folded: "Häuser" and "HÄUSERN" are `haus`
    #identifier   whole, without separators: "CVE-2024-1" `#cve20241`, "foo_bar()" `#foobar`,
                  "§ 586(e)" `#§586` and `#§586(e)`
    ~part         of a longer identifier: of "TXN-98765-2024" also `~txn98765`; of an address
                  `~192.168`, of an amount what stands before its cents, of a telephone number
                  what is dialled within its country

Weight A marks title and headings. A question becomes slots: things asked for, each with the
spellings that would do (its stems in the languages of the workspace), and what it is called in the
other one of English and German, in passages of that.
"""

from apps.library.analysis.languages import detect_language, shows, speaks, unadorned
from apps.library.analysis.passages import Passage, analyse, spelled
from apps.library.analysis.phrases import condition
from apps.library.analysis.questions import Question, Slot, question, words_found

# Grows when the same text would give other lexemes: rows of an older version are analysed again.
VERSION = 5

__all__ = [
    "VERSION",
    "Passage",
    "Question",
    "Slot",
    "analyse",
    "condition",
    "detect_language",
    "question",
    "shows",
    "speaks",
    "spelled",
    "unadorned",
    "words_found",
]
