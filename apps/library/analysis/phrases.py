"""What must and what must not stand in a passage, as PostgreSQL asks for it."""

from collections.abc import Sequence

from apps.library.analysis.folding import normalise
from apps.library.analysis.languages import SNOWBALL, stem
from apps.library.analysis.passages import quoted
from apps.library.analysis.tokens import Token, is_unspaced, pairs, part, tokens

CHARACTERS = 1_000
WORDS = 30  # of one phrase


def condition(phrases: Sequence[str], without: Sequence[str], languages: Sequence[str]) -> str:
    """A tsquery that passages with all `phrases` and nothing of `without` match; "" is any.

    What is quoted is found in a passage of whatever language, and of none.
    Words stand side by side in the order given; their endings may differ, as everywhere.
    """
    wanted = [_phrase(phrase, [*languages, *SNOWBALL, ""]) for phrase in phrases]
    unwanted = [_phrase(phrase, languages) for phrase in without]
    return " & ".join(
        [f"({query})" for query in wanted if query] + [f"!({query})" for query in unwanted if query]
    )


def _phrase(text: str, languages: Sequence[str]) -> str:
    """The words in a row, stemmed in one of the languages; or the identifier they are, or begin."""
    found = list(tokens(normalise(text[:CHARACTERS])))
    if len(found) == 1:
        wholes = [whole for whole in found[0].wholes if whole[0] == "#"]
        if wholes:
            spellings = [wholes[-1], part(found[0].words) if len(wholes) == 1 else ""]
            return " | ".join(quoted(each) for each in spellings if each)
    ways = dict.fromkeys(_in_a_row(found, language) for language in languages or ("en",))
    return " | ".join(way for way in ways if way)


def _in_a_row(found: Sequence[Token], language: str) -> str:
    stems = [
        lexeme
        for token in found
        for word in token.words
        for lexeme in (pairs(word) if is_unspaced(word) else [stem(word, language)])
    ]
    return "(" + " <-> ".join(map(quoted, stems[:WORDS])) + ")" if stems else ""
