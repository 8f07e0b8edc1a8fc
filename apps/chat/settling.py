"""What an answer comes to in the end: its citations put right, or an honest no."""

from collections.abc import Sequence

from apps.chat import prompt
from apps.chat.prompt import Language
from apps.chat.steps import Found, Settled
from apps.library import citing
from apps.llm import catalogue, client


def settled(
    question: str, text: str, sources: Sequence[Found], language: Language, model: catalogue.Model
) -> Settled:
    """The text with its citations put right, or a refusal where that is what it says.

    A small model's text is also refused where no sentence of it can be tied to a passage.
    """
    text = text.strip()
    if not text:
        raise client.ModelError("The model said nothing. Try again, or choose another model.")
    if prompt.refuses(text):
        return Settled(prompt.REFUSAL[language], refused=True)
    if model.extractive:  # its sentences are the passages' own
        return Settled(text, citing.numbers(text, len(sources)))
    quotes = [f"{source.title} {source.label} {source.quote}" for source in sources]
    spoken = prompt.language_of(" ".join(source.quote for source in sources))
    foreign = bool(sources) and spoken != language
    small = prompt.is_small(model)  # it fills up with what it was told in the examples
    asked = question if small else ""
    cited = citing.repaired(text, quotes, foreign=foreign, strict=small, asked=asked)
    if not cited.used and small:
        return Settled(prompt.REFUSAL[language], refused=True)
    return Settled(cited.text.strip(), cited.used)
