"""Read settings from the process environment, and refuse to guess."""

import importlib.util
import os
from pathlib import Path
from urllib.parse import urlsplit

from django.core.exceptions import ImproperlyConfigured


def read_file(file: Path) -> None:
    """Take NAME=value lines of a file, if it exists, for variables that are not set."""
    if not file.is_file():
        return
    for line in file.read_text().splitlines():
        name, equals, value = line.partition("=")
        if equals and not name.lstrip().startswith("#"):
            os.environ.setdefault(name.strip(), value.strip().strip("'\""))


def text(name: str, default: str) -> str:
    """The variable as it stands, or the default where it is unset or empty."""
    return os.environ.get(name) or default


def choice(name: str, choices: tuple[str, ...]) -> str:
    """One of these, the first by default; raises ImproperlyConfigured for anything else."""
    value = os.environ.get(name) or choices[0]
    if value not in choices:
        raise ImproperlyConfigured(f"{name}={value!r}: write {' or '.join(choices)}.")
    return value


def flag(name: str, default: bool) -> bool:
    """True or false; raises ImproperlyConfigured for any other spelling."""
    value = os.environ.get(name)
    if not value:
        return default
    if value not in {"true", "false"}:
        raise ImproperlyConfigured(f"{name}={value!r}: write true or false.")
    return value == "true"


def number(name: str, default: int, most: int | None = None) -> int:
    """A whole number, from 0 to `most` where that is given; else raises ImproperlyConfigured."""
    value = os.environ.get(name)
    if not value:
        return default
    try:
        found = int(value)
    except ValueError:
        raise ImproperlyConfigured(f"{name}={value!r} is not a whole number.") from None
    if most is not None and not 0 <= found <= most:
        raise ImproperlyConfigured(f"{name}={value!r} is not between 0 and {most}.")
    return found


def words(name: str) -> list[str]:
    """What stands between commas, without spaces and empty places."""
    return [word.strip() for word in os.environ.get(name, "").split(",") if word.strip()]


def hosts(name: str, listening: str) -> list[str]:
    """The names a server is reached by: those of the variable, and the one it listens on.

    Raises ImproperlyConfigured for a wildcard.
    """
    named = words(name)
    if wild := [host for host in named if "*" in host or host.startswith(".")]:
        raise ImproperlyConfigured(
            f"{name}={wild[0]!r}: write each name. By any other one the vault answers nobody, which"
            " keeps pages of strangers out whose name leads to this machine."
        )
    everywhere = listening in {"0.0.0.0", "::", ""}
    return named if everywhere else [*named, f"[{listening}]" if ":" in listening else listening]


def folder(name: str, default: Path) -> Path:
    """An absolute path; a relative value counts from the current folder."""
    return Path(os.environ.get(name) or default).expanduser().resolve()


def folders(name: str) -> list[Path]:
    """Absolute paths, separated by colons as in PATH; none where it is unset."""
    found = (os.environ.get(name) or "").split(os.pathsep)
    return [Path(each).expanduser().resolve() for each in found if each.strip()]


def bucket(name: str, value: str) -> dict[str, str]:
    """The storage of an address https://host[:port]/bucket[/folder]; else ImproperlyConfigured."""
    if importlib.util.find_spec("storages") is None or importlib.util.find_spec("boto3") is None:
        raise ImproperlyConfigured(
            f"{name} needs a package that is not installed. Install it with: "
            '.venv/bin/pip install "django-storages[boto3]>=1.14,<2"'
        )
    url = urlsplit(value)
    where, _, folder = url.path.strip("/").partition("/")
    if url.scheme not in {"http", "https"} or not url.hostname or not where or url.username:
        raise ImproperlyConfigured(
            f"{name}={value!r}: write https://host/bucket or …/bucket/folder."
        )
    return {
        "endpoint_url": f"{url.scheme}://{url.netloc}",
        "bucket_name": where,
        "location": folder,
    }


def make_folder(name: str, folder: Path) -> None:
    """Make it for its owner alone; raises ImproperlyConfigured saying which variable to change."""
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    except OSError as problem:
        raise ImproperlyConfigured(
            f"{folder} cannot be made or written to ({problem.strerror}). "
            f"Set {name} to another folder."
        ) from None
