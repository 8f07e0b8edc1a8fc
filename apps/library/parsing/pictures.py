"""Pictures inside Office files: those that carry text are read by OCR."""

import io
import warnings
from collections.abc import Iterator

from apps.library.parsing import ocr
from apps.library.parsing.packages import Package
from apps.library.parsing.tidying import squeeze

RASTER = (".png", ".jpg", ".jpeg", ".tif", ".tiff", ".webp")
SMALLEST = (200, 60)  # pixels; what is smaller is an icon or a line
LARGEST = 40_000_000  # pixels
MOST = 40  # pictures of a file that are read
SURE, WORDS = 0.75, 3  # mean confidence and words below which it is no text but noise


class Reader:
    """Reads the pictures of one file, each once, however often it is shown."""

    def __init__(self, package: Package, languages: str) -> None:
        self._package, self._languages = package, languages
        self._read: dict[str, tuple[str, float]] = {}
        self.left_out = 0

    def text(self, member: str) -> tuple[str, float]:
        """What a picture says and how sure that is; nothing where it says nothing."""
        if not member.lower().endswith(RASTER) or member not in self._package:
            return "", 0.0
        if member not in self._read:
            if len(self._read) >= MOST:
                self.left_out += 1
                return "", 0.0
            self._read[member] = self._recognised(member)
        return self._read[member]

    def _recognised(self, member: str) -> tuple[str, float]:
        from PIL import Image

        warnings.simplefilter("ignore")
        Image.MAX_IMAGE_PIXELS = None  # the limit is ours
        try:
            picture = Image.open(io.BytesIO(self._package.bytes(member)))
            width, height = picture.size
            if width < SMALLEST[0] or height < SMALLEST[1] or width * height > LARGEST:
                return "", 0.0
            reading = ocr.quickly(picture, self._languages)
        except (OSError, ValueError, SyntaxError):  # damaged, or of a kind that is not known
            return "", 0.0
        text, sure = squeeze(reading.text), reading.confidence or 0.0
        words = [word for word in text.split() if len(word) > 2 and word.isalpha()]
        return (text, sure) if sure >= SURE and len(words) >= WORDS else ("", 0.0)


def shown(root: object, relations: dict[str, tuple[str, str]]) -> Iterator[str]:
    """The members of the pictures an element shows, in its order."""
    for element in root.iter():  # type: ignore[attr-defined]
        if isinstance(element.tag, str) and element.tag.rpartition("}")[2] == "blip":
            for name, value in element.attrib.items():
                if name.endswith("}embed") and value in relations:
                    yield relations[value][1]
