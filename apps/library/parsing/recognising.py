"""What a file is: decided by its content first; its name only chooses between kinds of text."""

import zipfile
from pathlib import Path

from apps.library.parsing import Refusal

READABLE = (
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
    (b"MZ", "a Windows program"),
    (b"\x7fELF", "a program"),
    (b"\xcf\xfa\xed\xfe", "a program"),
    (b"\x1f\x8b", "a gzip archive"),
    (b"BZh", "a bzip2 archive"),
    (b"7z\xbc\xaf\x27\x1c", "a 7-Zip archive"),
    (b"Rar!", "a RAR archive"),
    (b"\xfd7zXZ", "an xz archive"),
    (b"SQLite format 3", "an SQLite database"),
    (b"{\\rtf", "an RTF document"),
    (b"GIF8", "a GIF image"),
    (b"BM", "a BMP image"),
    (b"%!PS", "a PostScript file"),
    (b"wOFF", "a font"),
    (b"\x00\x01\x00\x00", "a font"),
]
OFFICE = {"word/": "docx", "ppt/": "pptx", "xl/": "xlsx"}
TEXTUAL = {
    "md": "markdown", "markdown": "markdown", "mdown": "markdown", "mkd": "markdown",
    "csv": "csv", "tsv": "csv", "tab": "csv",
    "html": "html", "htm": "html", "xhtml": "html",
}  # fmt: skip
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
        raise Refusal("The file is empty (0 bytes). Export or download it again.")
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
            "The file is damaged or cut off: it begins like an Office document or ZIP archive, "
            "but its table of contents is missing. Export or download it again."
        ) from None
    if "[Content_Types].xml" in names:
        for folder, format in OFFICE.items():
            if any(name.startswith(folder) for name in names):
                return format
    raise Refusal(
        f"This is a ZIP archive or a kind of document that is not known. {READABLE} "
        "Unpack it and add what is inside."
    )


def _refuse_compound(path: Path) -> None:
    """The container of Office before 2007, which also wraps documents that need a password."""
    with path.open("rb") as file:
        data = file.read(4 * 1024 * 1024)
    if "EncryptedPackage".encode("utf-16-le") in data:
        raise Refusal(
            "The document is encrypted: it needs its password. "
            "Open it with the password, save it without one, and add that file."
        )
    raise Refusal(
        f"This is a document of Office 97–2003 (or another old container). {READABLE} "
        "Save it as DOCX, PPTX, XLSX or PDF."
    )


def _refuse_known(head: bytes, extension: str) -> None:
    if head[4:8] == b"ftyp":
        raise Refusal(f"This is a HEIC or AVIF image. {READABLE} Save it as JPEG or PNG.")
    for magic, words in OTHERS:
        if head.startswith(magic) and (len(magic) > 2 or b"\x00" in head):
            named = f", though it is named .{extension}" if extension in BINARY else ""
            raise Refusal(f"This is {words}{named}. {READABLE}")


def _textual(path: Path, head: bytes, extension: str) -> str:
    if extension == "pdf" and b" obj" in head and b"endobj" in path.read_bytes():
        return "pdf"  # its first line is lost; MuPDF repairs the rest
    start = head.lstrip(b"\xef\xbb\xbf\xff\xfe \t\r\n").replace(b"\x00", b"")[:1024].lower()
    if extension == "svg" or b"<svg" in start:
        raise Refusal(f"This is an SVG drawing. {READABLE} Save it as PNG or PDF.")
    if extension in BINARY:
        raise Refusal(
            f"The file is named .{extension}, but its content is not that: it looks like text or "
            f"is damaged. {READABLE} If it is text, rename it to .txt; otherwise export it again."
        )
    if extension not in TEXTUAL and start.startswith((b"<!doctype html", b"<html")):
        return "html"
    return TEXTUAL.get(extension, "text")
