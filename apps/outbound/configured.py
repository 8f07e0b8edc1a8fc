"""The servers a person has configured, read from the environment; these may be reached."""

import os
import re
from functools import lru_cache
from urllib.parse import parse_qs, unquote, urlsplit

DATABASE, MODELS, OURSELVES = "your database server", "your model server", "this vault's own page"
STORAGE = "your file storage"
PURPOSES = (DATABASE, MODELS, OURSELVES, STORAGE)

Server = tuple[str, int, str]  # host, port, what it is


def servers() -> list[Server]:
    """The servers of DATABASE_URL, OLLAMA_HOST and VAULT_STORAGE, and our own page.

    Read when asked for: a process may be armed before it has read its `.env`.
    """
    names = ("DATABASE_URL", "OLLAMA_HOST", "VAULT_HOST", "VAULT_PORT", "VAULT_STORAGE")
    return _parsed(*(os.environ.get(name) or "" for name in names))


@lru_cache(maxsize=4)
def _parsed(database: str, models: str, web: str, web_port: str, storage: str) -> list[Server]:
    found: list[Server] = []
    if web:
        found.append((web.lower(), _number(web_port, 8000), OURSELVES))
    if models:
        url = urlsplit(models if "://" in models else f"http://{models}")
        usual = {"http": 80, "https": 443}.get(url.scheme, 0) if "://" in models else 11434
        found.append(((url.hostname or "").lower(), url.port or usual, MODELS))
    if storage:
        url = urlsplit(storage)
        usual = {"http": 80, "https": 443}.get(url.scheme, 0)
        found.append(((url.hostname or "").lower(), url.port or usual, STORAGE))
    for host, port in _database_hosts(database):
        if host and not host.startswith(("/", "@")):  # those are sockets of this machine
            found.append((host.lower(), port, DATABASE))
    return found


def _database_hosts(address: str) -> list[tuple[str, int]]:
    """Host and port of each server of a PostgreSQL address, URL or words of key=value."""
    if "://" not in address:
        words = dict(re.findall(r"(\w+)\s*=\s*'?([^'\s]*)", address))
        hosts, ports = words.get("host", ""), words.get("port", "")
    else:
        url = urlsplit(address)
        query = {key: values[-1] for key, values in parse_qs(url.query).items()}
        places = url.netloc.rpartition("@")[2].split(",")
        hosts = query.get("host") or ",".join(re.sub(r":\d*$", "", place) for place in places)
        ports = query.get("port") or ",".join(
            (re.search(r":(\d+)$", place) or ["", ""])[1] for place in places
        )
    named = [unquote(host).strip("[]") for host in hosts.split(",")]
    numbers = [_number(port, 5432) for port in ports.split(",")]
    return list(zip(named, [*numbers, *[numbers[-1]] * len(named)], strict=False))


def _number(word: str, usual: int) -> int:
    return int(word) if word.isdigit() else usual
