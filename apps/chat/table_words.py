"""The words that tables are asked in: what to compute, of when, over how much, and which not."""

import re

from apps.library.analysis.languages import function_words

OPERATIONS = (
    ("distinct", r"how many (?:different|distinct)|wie ?viele (?:verschiedene|unterschiedliche)"),
    ("average", r"average|mean|on average|durchschnitt\w*|im schnitt|mittelwert"),
    ("sum", r"totals?|sum|altogether|in all|summe|gesamt\w*|insgesamt|zusammen"),
    ("latest", r"latest|newest|most recent|last|späteste\w*|neueste\w*|letzte\w*"),
    ("earliest", r"earliest|oldest|first|früheste\w*|älteste\w*|erste\w*"),
    ("max", r"highest|largest|biggest|greatest|maximum|most expensive|dearest"),
    ("max", r"höchste\w*|größte\w*|teuerste\w*|maximal\w*"),
    ("min", r"lowest|smallest|cheapest|minimum|least expensive"),
    ("min", r"niedrigste\w*|kleinste\w*|billigste\w*|günstigste\w*|minimal\w*"),
    ("count", r"how many|how often|number of|count|wie ?viele|wie oft|anzahl"),
    ("sum", r"how much|wie ?viel"),
    ("list", r"list|show|name|which|what are|liste\w*|zeige?|nenne?|welche\w*"),
)
EXTREMES = {"max": "number", "min": "number", "latest": "date", "earliest": "date"}
OPERATION = [(name, re.compile(rf"\b(?:{words})\b", re.I)) for name, words in OPERATIONS]
GROUP = re.compile(r"\b(?:per|by|for each|je|pro)\s+(\w+)", re.I)
COMPARISON = re.compile(
    r"\b(?:(?P<more>more than|over|above|greater than|exceed\w*|über|mehr als|größer als)"
    r"|(?P<least>at least|mindestens|from)"
    r"|(?P<less>less than|below|under|unter|weniger als|kleiner als)"
    r"|(?P<most>at most|höchstens|up to|bis zu))\s+(?:€|\$)?\s*(?P<number>\d[\d.,]*)",
    re.I,
)
MONTHS = {
    name: n
    for names in (
        "january february march april may june july august september october november december",
        "januar februar märz april mai juni juli august september oktober november dezember",
    )
    for n, name in enumerate(names.split(), start=1)
}
MONTH = re.compile(rf"\b({'|'.join(MONTHS)})\b(?:\s+(\d{{4}}))?", re.I)
YEAR = re.compile(r"\b((?:19|20)\d\d)\b")
DAY = re.compile(r"\b(\d{4}-\d\d-\d\d|\d{1,2}\.\d{1,2}\.\d{4})\b")
DAY_IN_WORDS = re.compile(
    rf"\b(?:(?P<day>\d{{1,2}})(?:st|nd|rd|th|\.)?\s+(?:of\s+)?(?P<month>{'|'.join(MONTHS)})"
    rf"|(?P<named>{'|'.join(MONTHS)})\s+(?P<after>\d{{1,2}})(?:st|nd|rd|th)?(?!\d))"
    r"(?:,?\s+(?P<year>\d{4}))?\b",
    re.I,
)
SINCE = re.compile(r"\b(?:since|after|from|seit|nach|ab)\s+(?:the\s+|dem\s+)?$", re.I)
UNTIL = re.compile(r"\b(?:before|until|till|vor|bis)\s+(?:the\s+|dem\s+|zum\s+)?$", re.I)
MONEY = re.compile(r"cost|price|amount|sum|total|euro|eur\b|usd|betrag|kosten|preis|summe", re.I)
SPENT = re.compile(
    r"\b(?:cost\w*|price\w*|spen[dt]\w*|paid|pay|money|expens\w*|euros?|charge\w*|kosten|kostet\w*|preis\w*"
    r"|ausgegeben|ausgaben|bezahlt|gezahlt|geld|teuer\w*)\b",
    re.I,
)
NO_AMOUNT = re.compile(
    r"\b(?:id|no|nr|number|nummer|year|jahr|house|haus|code|zip|plz|phone|row)\b", re.I
)
# Words that say nothing about which rows.
GENERIC = """
row rows entry entries record records line lines item items case cases time times event events
table sheet file document list column value values all there been made recorded found contain
contains have has did does was were total overall many much often give tell please need job jobs
done occur occurs occurred happen happened since after before until from zeile zeilen eintrag
einträge einträgen datensätze vorgang vorgänge fälle mal tabelle datei dokument liste spalte
wert werte alle aller gibt stehen steht enthält insgesamt gab wurde wurden haben bitte sind viel
viele oft hoch seit nach vor bis auf kam vorkommen aufgetreten euro euros cost costs kosten
"""
# They turn a condition round: where one is not understood, the question is not.
NOT_WORDS = """
not no nor non never none neither without except excluding other but cannot nicht kein keine keinen
keiner keines keinem nie niemals weder ohne außer ausgenommen
"""
NEGATIONS = set(NOT_WORDS.split())
NOT = (
    r"(?P<not>\b(?:not|no|without|except|excluding|other than|nicht|kein\w*|ohne|außer)\s+"
    r"(?:(?:for|by|of|from|in|the|a|an|von|vom|für|bei|in|der|die|das|den|dem)\s+){0,2})?"
)
YES = {"yes", "y", "true", "ja", "j", "wahr", "x", "✓", "✔"}
NO = {"no", "n", "false", "nein", "falsch", "", "-", "–"}
SMALL_WORDS = function_words()["en"] | function_words()["de"] | set(GENERIC.split())
SMALL_WORDS -= NEGATIONS
WORD = re.compile(r"[^\W_]+(?:-[^\W_]+)*")
