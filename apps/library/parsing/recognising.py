"""What a file is: decided by its content first; its name only chooses between kinds of text."""

import zipfile
from pathlib import Path

from apps.library.parsing import Refusal
from apps.library.parsing.words import _
from apps.library.parsing.words import gettext_noop as noop

READABLE = noop(
    "PDF, DOCX, PPTX, XLSX, Markdown, text, CSV, HTML, source code, images (PNG, JPEG, TIFF, WebP) "
    "and recordings (MP3, WAV, M4A, OGG, WebM, FLAC) can be read."
)
IMAGES = (
    b"\x89PNG\r\n\x1a\n",
    b"\xff\xd8\xff",  # JPEG
    b"II*\x00",  # TIFF, in either byte order, and its large variant
    b"MM\x00*",
    b"II+\x00",
    b"MM\x00+",
)
PICTURE_BRANDS = (b"heic", b"heix", b"hevc", b"mif1", b"msf1", b"avif", b"avis", b"jxl ", b"crx ")
AUDIO = (
    b"ID3",
    b"fLaC",
    b"OggS",
    b"\xff\xfb",
    b"\xff\xf3",
    b"\xff\xf2",
    b"\xff\xf1",
    b"\x1aE\xdf\xa3",
)
OTHERS = [
    (b"MZ", noop("a Windows program")),
    (b"\x7fELF", noop("a program")),
    (b"\xcf\xfa\xed\xfe", noop("a program")),
    (b"\x1f\x8b", noop("a gzip archive")),
    (b"BZh", noop("a bzip2 archive")),
    (b"7z\xbc\xaf\x27\x1c", noop("a 7-Zip archive")),
    (b"Rar!", noop("a RAR archive")),
    (b"\xfd7zXZ", noop("an xz archive")),
    (b"SQLite format 3", noop("an SQLite database")),
    (b"{\\rtf", noop("an RTF document")),
    (b"GIF8", noop("a GIF image")),
    (b"BM", noop("a BMP image")),
    (b"%!PS", noop("a PostScript file")),
    (b"wOFF", noop("a font")),
    (b"\x00\x01\x00\x00", noop("a font")),
]
OFFICE = {"word/": "docx", "ppt/": "pptx", "xl/": "xlsx"}
TEXTUAL = {
    "md": "markdown", "markdown": "markdown", "mdown": "markdown", "mkd": "markdown",
    "csv": "csv", "tsv": "csv", "tab": "csv",
    "html": "html", "htm": "html", "xhtml": "html",
}  # fmt: skip
TEXTUAL |= dict.fromkeys(
    (
        *("py", "pyi", "js", "mjs", "cjs", "jsx", "ts", "tsx", "java", "kt", "kts", "scala", "go"),
        *("rs", "c", "h", "cc", "cpp", "cxx", "hpp", "cs", "swift", "m", "php", "rb", "pl", "pm"),
        *("lua", "r", "jl", "sh", "bash", "zsh", "ps1", "sql", "vb", "dart", "ex", "exs", "zig"),
    ),
    "code",
)
BINARY = {
    "pdf", "docx", "pptx", "xlsx", "doc", "ppt", "xls", "odt", "ods", "odp", "epub", "png", "jpg",
    "jpeg", "tif", "tiff", "webp", "gif", "bmp", "mp3", "wav", "flac", "ogg", "m4a", "opus", "mp4",
    "zip", "exe",
}  # fmt: skip
HEAD = 4096  # bytes


def format_of(path: Path, name: str) -> str:
    """The name of the module of this package that reads the file; raises Refusal for none."""
    with path.open("rb") as file:
        head = file.read(HEAD)
    extension = name.rpartition(".")[2].lower() if "." in name else ""
    if not head:
        raise Refusal(_("The file is empty (0 bytes). Export or download it again."))
    if b"%PDF" in head[:1024]:
        return "pdf"
    if head.startswith((b"PK\x03\x04", b"PK\x05\x06")):
        return _in_package(path)
    if head.startswith(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"):
        _refuse_compound(path)
    if head.startswith(IMAGES) or _riff(head) == b"WEBP":
        return "image"
    if head.startswith(AUDIO) or _riff(head) == b"WAVE" or _is_mp4(head):
        return "audio"
    _refuse_known(head, extension)
    return _textual(path, head, extension)


def _riff(head: bytes) -> bytes:
    return head[8:12] if head.startswith(b"RIFF") else b""


def _is_mp4(head: bytes) -> bool:
    return head[4:8] == b"ftyp" and head[8:12] not in PICTURE_BRANDS


def _in_package(path: Path) -> str:
    try:
        with zipfile.ZipFile(path) as package:
            names = package.namelist()
    except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError):
        raise Refusal(
            _(
                "The file is damaged or cut off: it begins like an Office document or ZIP archive,"
                " but its table of contents is missing. Export or download it again."
            )
        ) from None
    if "[Content_Types].xml" in names:
        for folder, format in OFFICE.items():
            if any(name.startswith(folder) for name in names):
                return format
    raise Refusal(
        _(
            "This is a ZIP archive or a kind of document that is not known. %(readable)s"
            " Unpack it and add what is inside."
        )
        % {"readable": _(READABLE)}
    )


def _refuse_compound(path: Path) -> None:
    """The container of Office before 2007, which also wraps documents that need a password."""
    with path.open("rb") as file:
        data = file.read(4 * 1024 * 1024)
    if "EncryptedPackage".encode("utf-16-le") in data:
        raise Refusal(
            _(
                "The document is encrypted: it needs its password."
                " Open it with the password, save it without one, and add that file."
            )
        )
    raise Refusal(
        _(
            "This is a document of Office 97–2003 (or another old container). %(readable)s"
            " Save it as DOCX, PPTX, XLSX or PDF."
        )
        % {"readable": _(READABLE)}
    )


def _refuse_known(head: bytes, extension: str) -> None:
    if head[4:8] == b"ftyp":
        said = _("This is a HEIC or AVIF image. %(readable)s Save it as JPEG or PNG.")
        raise Refusal(said % {"readable": _(READABLE)})
    for magic, words in OTHERS:
        if head.startswith(magic) and (len(magic) > 2 or b"\x00" in head):
            said = _("This is %(what)s. %(readable)s")
            if extension in BINARY:
                said = _("This is %(what)s, though it is named .%(ending)s. %(readable)s")
            told = {"what": _(words), "ending": extension, "readable": _(READABLE)}
            raise Refusal(said % told)


def _textual(path: Path, head: bytes, extension: str) -> str:
    if extension == "pdf" and b" obj" in head and b"endobj" in path.read_bytes():
        return "pdf"  # its first line is lost; MuPDF repairs the rest
    start = head.lstrip(b"\xef\xbb\xbf\xff\xfe \t\r\n").replace(b"\x00", b"")[:1024].lower()
    if extension == "svg" or b"<svg" in start:
        said = _("This is an SVG drawing. %(readable)s Save it as PNG or PDF.")
        raise Refusal(said % {"readable": _(READABLE)})
    if extension in BINARY:
        raise Refusal(
            _(
                "The file is named .%(ending)s, but its content is not that: it looks like text or"
                " is damaged. %(readable)s If it is text, rename it to .txt; otherwise export it"
                " again."
            )
            % {"ending": extension, "readable": _(READABLE)}
        )
    if extension not in TEXTUAL and start.startswith((b"<!doctype html", b"<html")):
        return "html"
    return TEXTUAL.get(extension, "text")
