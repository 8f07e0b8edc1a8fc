"""The ledger file: each attempt is one line, appended by whichever process made it."""

import contextlib
import fcntl
import json
import os
import secrets
import time
from pathlib import Path

HOME = Path(__file__).resolve().parents[2]  # where `apps` is
LARGEST = 4 << 20  # bytes of the file, and of the one before it
FETCH = "fetch"  # what became of a web page as a whole; its connections are noted as well


def default_file() -> Path:
    """Where attempts are noted; once it was full, the one before it ends in `.old.jsonl`.

    Read from the environment when asked for: a process may be armed before it has read its `.env`.
    """
    folder = Path(os.environ.get("VAULT_DATA") or HOME / "data").expanduser().resolve()
    return folder / "logs" / "outbound.jsonl"


def note(
    file: Path,
    process: str,
    how: str,
    host: str,
    port: int,
    purpose: str,
    allowed: bool,
    *,
    size: int | None = None,
) -> None:
    """Append one line, whole or not at all. A disk that is full must not stop a refusal.

    `size` is how many bytes came, where that is known.
    """
    line: dict[str, object] = {
        "at": round(time.time(), 3),
        "process": process,
        "pid": os.getpid(),
        "how": how,
        "host": host[:200].replace("\0", "\\0"),
        "port": port,
        "purpose": purpose[:120],
        "allowed": allowed,
    }
    if size is not None:
        line["size"] = size
    with contextlib.suppress(OSError, ValueError):
        descriptor = _opened(file)
        try:
            os.write(descriptor, json.dumps(line).encode() + b"\n")
        finally:
            os.close(descriptor)


def _opened(file: Path) -> int:
    """The file, open for appending; begun, or begun anew where it is full."""
    try:
        full = os.stat(file).st_size >= LARGEST  # noqa: PTH116 - a hook counts microseconds
    except FileNotFoundError:
        _begin(file)
        full = False
    if full:
        with contextlib.suppress(OSError):
            _put_aside(file)
    return os.open(file, os.O_WRONLY | os.O_APPEND | os.O_CLOEXEC)


def _put_aside(file: Path) -> None:
    """Of several who find it full one renames it; the others write on."""
    with file.open("rb") as found:
        fcntl.flock(found, fcntl.LOCK_EX | fcntl.LOCK_NB)
        if file.stat().st_ino == os.fstat(found.fileno()).st_ino:
            file.replace(old_file(file))
            _begin(file)


def old_file(file: Path) -> Path:
    """The one before it."""
    return file.with_suffix(".old.jsonl")


def _begin(file: Path) -> None:
    """Make the file with its name in the first line: by it a reader knows how far it has read."""
    for folder in (file.parent.parent, file.parent):  # the mode is not that of parents
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    fresh = file.with_name(f".{file.name}.{os.getpid()}.{secrets.token_hex(4)}")
    descriptor = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    os.write(descriptor, json.dumps({"ledger": secrets.token_hex(8)}).encode() + b"\n")
    os.close(descriptor)
    with contextlib.suppress(FileExistsError):
        file.hardlink_to(fresh)
    fresh.unlink()
