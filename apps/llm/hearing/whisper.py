"""What is said in a block of sound: Whisper's base model, run by CTranslate2 on the processor.

Measured on two cores: a second of speech takes 0.05 seconds, the model 330 MB while it is loaded.
"""

import math
import os
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

os.environ.setdefault("OMP_WAIT_POLICY", "passive")  # before CTranslate2 is loaded
from faster_whisper import WhisperModel

from apps.llm.hearing.recording import Block

SURE = 0.7  # of a language, from which on it is believed
UNSAID = 0.6, -1.0  # no speech at all, and how little the words are worth
REPEATED = 2.4  # times a text can be packed: a model that goes round in circles
THREADS = 4
# What is spoken by many. Whisper takes strange voices for Latin, Welsh or Yiddish.
SPOKEN = frozenset(
    ("en", "de", "fr", "es", "it", "pt", "nl", "da", "sv", "no", "fi", "pl", "cs", "sk", "hu", "ro",
     "bg", "hr", "sr", "sl", "el", "tr", "ru", "uk", "ar", "he", "fa", "hi", "bn", "ur", "ta", "th",
     "vi", "id", "ms", "ja", "ko", "zh", "ca", "et", "lv", "lt")
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Heard:
    """What was said from second `start` to second `end`, "" where nobody spoke.

    `language` is ISO 639-1, "" where nobody spoke; it is a guess where it is not `sure`.
    `confidence` is from 0 to 1.
    """

    start: float
    end: float
    text: str
    language: str
    confidence: float
    sure: bool = True


class Listener:
    """The loaded model, and the language it hears at the moment.

    A `language` that is given is not doubted; of those `expected` one is taken in doubt.
    """

    def __init__(self, folder: Path, language: str = "", expected: Iterable[str] = ()) -> None:
        threads = min(THREADS, os.cpu_count() or 1)
        self._model = WhisperModel(
            str(folder), device="cpu", compute_type="int8", cpu_threads=threads,
            local_files_only=True,
        )  # fmt: skip
        known = set(self._model.supported_languages)
        self._given = language if language in known else ""
        self._expected = [each for each in expected if each in known]
        self._language = ""  # heard for sure a moment ago

    def hear(self, block: Block) -> Heard:
        language, sure = self._language_of(block)
        segments, _ = self._model.transcribe(
            block.samples, language=language, beam_size=5, temperature=0.0, vad_filter=True,
            condition_on_previous_text=False, without_timestamps=True,
        )  # fmt: skip
        said = [
            each
            for each in segments
            if not (each.no_speech_prob > UNSAID[0] and each.avg_logprob < UNSAID[1])
            and each.compression_ratio <= REPEATED
        ]
        text = " ".join(each.text.strip() for each in said).strip()
        if not text:
            return Heard(block.start, block.end, "", "", 0.0)
        worth = math.exp(sum(each.avg_logprob for each in said) / len(said))
        return Heard(block.start, block.end, text, language, round(min(worth, 1.0), 3), sure)

    def _language_of(self, block: Block) -> tuple[str, bool]:
        """The language spoken, and whether that is sure; each block may have its own."""
        if self._given:
            return self._given, True
        best, likely, all_of_them = self._model.detect_language(block.samples, vad_filter=True)
        if likely >= SURE:
            self._language = best
            return best, True
        if self._language:
            return self._language, True
        among = self._expected or SPOKEN
        guessed = next((name for name, _ in all_of_them if name in among), best)
        return guessed, False
