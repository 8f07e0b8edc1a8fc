"""Office files are ZIP archives of XML: opened within limits, no entity and no path followed."""

import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

from lxml import etree

from apps.library.parsing import Refusal
from apps.library.parsing.words import _

MEMBER = 128 * 1024 * 1024  # bytes of one member when unpacked
TOTAL = 1024 * 1024 * 1024  # bytes of all members together, as they claim
MEMBERS = 20_000
RATIO = 150  # how much a member of more than RATIO_FROM may have shrunk
RATIO_FROM = 20 * 1024 * 1024


def _bomb(size: int, name: str) -> str:
    return _(
        "The file unpacks to far more than a document needs (%(size)s MB in %(name)s): it looks"
        " like a decompression bomb and is not opened."
    ) % {"size": size, "name": name}


class Package:
    """The members of an Office file; nothing is ever unpacked to disk."""

    def __init__(self, path: Path) -> None:
        try:
            self._zip = zipfile.ZipFile(path)
        except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError):
            raise Refusal(
                _("The file is damaged or cut off. Export or download it again.")
            ) from None
        members = self._zip.infolist()
        if len(members) > MEMBERS or sum(member.file_size for member in members) > TOTAL:
            raise Refusal(_bomb(sum(m.file_size for m in members) >> 20, "all"))
        self._sizes = {member.filename: member for member in members}

    def __contains__(self, name: str) -> bool:
        return name in self._sizes

    def names(self, prefix: str = "") -> list[str]:
        return [name for name in self._sizes if name.startswith(prefix)]

    def _checked(self, name: str) -> zipfile.ZipInfo:
        member = self._sizes[name]
        shrunk = member.file_size / max(1, member.compress_size)
        if member.file_size > MEMBER or (member.file_size > RATIO_FROM and shrunk > RATIO):
            raise Refusal(_bomb(member.file_size >> 20, Path(name).name))
        if member.flag_bits & 1:
            raise Refusal(_("The file is encrypted: it needs its password. Save it without one."))
        return member

    @contextmanager
    def stream(self, name: str) -> Iterator[IO[bytes]]:
        """A member to read from; raises Refusal for a bomb, a damaged or an encrypted one.

        The archive ends a member where its claimed size ends, so the claim is a limit.
        """
        try:
            with self._zip.open(self._checked(name)) as stream:
                yield stream
        except (zipfile.BadZipFile, zlib.error, OSError, EOFError, NotImplementedError) as broken:
            raise Refusal(
                _("The file is damaged (%(reason)s). Export or download it again.")
                % {"reason": broken}
            ) from None
        except etree.XMLSyntaxError:
            raise Refusal(_("The file is damaged: its XML breaks off. Export it again.")) from None

    def bytes(self, name: str) -> bytes:
        """All bytes of a member, within the limits."""
        with self.stream(name) as stream:
            return stream.read(MEMBER)

    def xml(self, name: str) -> Any:
        """The member's root element; Office never writes a DOCTYPE, so one is refused."""
        data = self.bytes(name)
        if b"<!DOCTYPE" in data[:65536] or b"<!ENTITY" in data[:65536]:
            raise Refusal(
                _(
                    "The file defines XML entities, which Office documents never do:"
                    " it is not opened."
                )
            )
        parser = etree.XMLParser(
            resolve_entities=False, no_network=True, load_dtd=False, huge_tree=False, recover=True
        )
        root = etree.fromstring(data, parser)
        if root is None:
            raise Refusal(_("The file is damaged: its text cannot be read. Export it again."))
        return root

    def relations(self, name: str) -> dict[str, tuple[str, str]]:
        """Of a member: id → (last word of the type, target inside the archive)."""
        folder, _slash, file = name.rpartition("/")
        listing = f"{folder}/_rels/{file}.rels"
        if listing not in self:
            return {}
        return {
            relation.get("Id", ""): (
                relation.get("Type", "").rpartition("/")[2],
                _inside(folder, relation.get("Target", "")),
            )
            for relation in self.xml(listing)
            if relation.get("TargetMode") != "External"
        }


def _inside(folder: str, target: str) -> str:
    steps = [] if target.startswith("/") else folder.split("/")
    for step in target.split("/"):
        if step == "..":
            steps = steps[:-1]
        elif step not in {"", "."}:
            steps.append(step)
    return "/".join(steps)


def local(element: Any) -> str:
    """An element's name without its namespace; "" for comments and the like."""
    tag = element.tag
    return tag.rpartition("}")[2] if isinstance(tag, str) else ""


def attribute(element: Any, name: str) -> str:
    """An attribute by its name without namespace."""
    for key, value in element.attrib.items():
        if key.rpartition("}")[2] == name:
            return str(value)
    return ""
