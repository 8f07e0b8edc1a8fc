"""Recordings: what is said in them, one part for about a minute, each with its time code."""

import math
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from apps.library.parsing import NotYet, Opened, ReadPart, Refusal, Skipped, Source, tidying
from apps.library.parsing.tidying import squeeze
from apps.library.parsing.words import _
from apps.library.parsing.words import gettext_noop as noop

if TYPE_CHECKING:
    from apps.llm.hearing.whisper import Heard

BLOCKS = 2  # of up to 28 seconds, in one part
MINUTE = 54.0  # seconds of a part, about; for how many there will be


# What recordings are found to be, where the speech model's room says it: in its own words.
FAULTS = (noop("It cannot be opened as a recording."), noop("It holds no sound."))


def read(source: Source) -> Iterator[Opened | ReadPart | Skipped]:
    """A part each minute, also where nobody speaks: parts that are stored are not heard again."""
    from apps.llm.hearing import recording  # 100 MB of libraries

    try:
        about = recording.about(source.path)
        if not (Path(source.weights) / "model.bin").exists():
            raise NotYet(
                _(
                    "The speech model is not here yet. Pull it on the models page; the recording is"
                    " read as soon as it is there."
                )
            )
        from apps.llm.hearing import whisper

        total = math.ceil(about.seconds / MINUTE) if about.seconds else None
        yield Opened("audio", tidying.title(about.title), total, "")
        listener = whisper.Listener(
            Path(source.weights), "", filter(None, source.spoken.split(","))
        )
        anything, unsure = source.skip > 0, False
        blocks = islice(recording.blocks(source.path), source.skip * BLOCKS, None)
        while together := list(islice(blocks, BLOCKS)):
            heard = [listener.hear(block) for block in together]
            part = _part(heard)
            anything = anything or bool(part.text)
            yield part
            doubted = [each for each in heard if each.text and not each.sure]
            if doubted and not unsure:
                unsure = True
                yield Skipped(part.label, _doubt(doubted[0].language))
    except recording.NoRecording as error:
        raise Refusal(
            _("%(reason)s The recording is damaged, or not what its name says. Export it again.")
            % {"reason": _(str(error))}
        ) from None
    if not anything:
        raise Refusal(_("No speech was heard in the recording, so nothing could ever be found."))


def _part(heard: list["Heard"]) -> ReadPart:
    said = [each for each in heard if each.text]
    worth = round(sum(each.confidence for each in said) / len(said), 3) if said else None
    start, end = int(heard[0].start), int(heard[-1].end)
    label = f"{clock(start)}–{clock(end)}"
    text = squeeze(" ".join(each.text for each in said))
    return ReadPart("time", start, label, text, confidence=worth)


def _doubt(language: str) -> str:
    return _(
        "Which language is spoken is not sure; from here on it was taken for “%(language)s”."
    ) % {"language": language}


def clock(seconds: int) -> str:
    """A time code: 0:05, 12:40, 1:02:03."""
    minutes, rest = divmod(seconds, 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"
