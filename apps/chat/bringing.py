"""What a question brings along besides the vault: attached files, and pages of the web."""

import base64
import re
from collections.abc import Generator
from dataclasses import dataclass, field, replace
from typing import Any

from django.conf import settings
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from apps.chat import attachments, memory, prompt, searching
from apps.chat.halting import Halt
from apps.chat.memory import Fitted
from apps.chat.models import Attachment
from apps.chat.steps import Found, Working
from apps.library import chunking, files
from apps.library.parsing import ReadPart
from apps.llm.catalogue import Model

MANY = 24  # passages that a large model is given of files and pages
TOKENS_OF_AN_IMAGE = 1500
LOOKED_AT = gettext_lazy(
    "The model looks at %(names)s itself; that cannot be checked against a passage."
)
READ_BY_OCR = gettext_lazy(
    "%(model)s does not see images: %(names)s went along as the text read from it."
)
NOTHING_ON = gettext_lazy("%(model)s does not see images, and no text was found on %(names)s.")


@dataclass(slots=True)
class Brought:
    """Sources that are not of the vault, numbered from 1; images for a model that sees."""

    sources: list[Found] = field(default_factory=list)
    notices: list[str] = field(default_factory=list)
    images: dict[str, str] = field(default_factory=dict)  # name → base64

    def __bool__(self) -> bool:
        return bool(self.sources or self.images)

    @property
    def notice(self) -> str:
        return " ".join(self.notices)


def bring(
    question: str, ids: tuple[int, ...], web_query: str, model: Model | None, halt: Halt
) -> Generator[Working, None, Brought]:
    """Read the files and ask the web, telling what is being done; the passages that matter come
    back, best first for a small model, in their order for one that can take many."""
    brought, cuts = Brought(), list[Found]()
    if ids:
        yield Working(
            _("Reading the attached files, at most %(seconds)s seconds…")
            % {"seconds": attachments.PATIENCE}
        )
        for each in attachments.await_reading(ids, halt):
            if each.state == Attachment.State.READY:
                cuts += _of_file(each, model, brought)
            else:
                reading = each.state == Attachment.State.READING
                reason = attachments.STILL_READING if reading else each.reason
                reason = reason or _(attachments.NOT_READ)
                said = _("“%(name)s” was left out. %(reason)s")
                brought.notices.append(said % {"name": each.name, "reason": reason})
    if web_query:
        pages = yield from searching.pages(web_query, halt, brought.notices)
        for page in pages:
            cuts += _pieces(page.title, page.parts, url=page.url)
    brought.sources = _chosen(question, cuts, model, brought)
    return brought


def _of_file(attachment: Attachment, model: Model | None, brought: Brought) -> list[Found]:
    name = attachment.name
    if attachment.is_image:
        if model and "vision" in model.abilities:
            with files.on_disk(attachment.file.name) as path:
                brought.images[name] = base64.b64encode(path.read_bytes()).decode()
            brought.notices.append(LOOKED_AT % {"names": name})
            return []
        text = any(part["text"].strip() for part in attachment.parts)
        words = READ_BY_OCR if text else NOTHING_ON
        told = _("This model") if model is None or model.extractive else model.name
        brought.notices.append(words % {"model": told, "names": name})
    elif attachment.reason:
        brought.notices.append(f"{name}: {attachment.reason}")
    return _pieces(name, attachment.parts, attachment=attachment.pk)


def _pieces(
    title: str, parts: list[dict[str, Any]], *, attachment: int | None = None, url: str = ""
) -> list[Found]:
    """The parts cut as the library cuts its own."""
    found = []
    for part in parts:
        if not part["text"].strip():
            continue
        read = ReadPart(
            kind=part["kind"],
            number=part["place"],
            label=part["label"],
            text=part["text"],
            header=part.get("header", ""),
            first_line=part.get("first_line", 1),
        )
        found += [
            Found(
                number=0,
                chunk=None,
                document=None,
                title=title,
                label="" if url else cut.label,
                kind="web" if url else cut.kind,
                place=cut.number,
                quote=cut.text,
                score=0.0,
                attachment=attachment,
                url=url,
            )
            for cut in chunking.cut(read, title)
        ]
    return found


def _chosen(question: str, cuts: list[Found], model: Model | None, brought: Brought) -> list[Found]:
    """The passages to send. Where not all fit, those that share most with the question; of each
    file and page at least one, and the reader is told."""
    small = model is None or model.extractive or prompt.is_small(model)
    most = prompt.budget(model).passages if model and small else _many(model)
    size = prompt.budget(model).characters if model else 700
    if len(cuts) > most:
        words = set(re.findall(r"\w{3,}", question.lower()))
        ranked = sorted(range(len(cuts)), key=lambda at: (-_shared(words, cuts[at]), at))
        seen, best = set[tuple[str, str]](), list[int]()
        for at in ranked:  # the best of each file first
            if (key := (cuts[at].title, cuts[at].url)) not in seen:
                seen.add(key)
                best.append(at)
        kept = sorted(list(dict.fromkeys([*best, *ranked]))[:most])
        about = _("%(most)s of %(all)s passages of what you brought along were read.")
        about = about % {"most": most, "all": len(cuts)}
        brought.notices.append(about)
        cuts = [cuts[at] for at in kept]
    asked = sorted(set(re.findall(r"\w{4,}", question.lower())))
    return [
        replace(each, number=number, quote=prompt.excerpt(each.quote, asked, size))
        for number, each in enumerate(cuts, start=1)
    ]


def _many(model: Model | None) -> int:
    """So many that half of the model's window holds them: what is over would be cut at the end."""
    window = (model and model.context) or memory.USUAL_WINDOW
    held = window * prompt.CHARACTERS_PER_TOKEN / 2 / settings.CHUNK_SIZE
    return max(4, min(MANY, int(held)))


def _shared(words: set[str], passage: Found) -> float:
    text = passage.quote.lower()
    return sum(text.count(word) > 0 for word in words) + min(1.0, 0.1 * sum(map(text.count, words)))


def with_images(sent: Fitted, brought: Brought, model: Model) -> Fitted:
    """The message with the images in it, and room for them in the model's window."""
    if not brought.images:
        return sent
    *before, asked = sent.messages
    names = ", ".join(brought.images)
    content = f"{asked['content']}\n(Attached images: {names}. They may hold the answer.)"
    asked = asked | {"content": content, "images": list(brought.images.values())}
    room = sent.options["num_ctx"] + TOKENS_OF_AN_IMAGE * len(brought.images)
    options = sent.options | {"num_ctx": min(room, model.context or room)}
    return replace(sent, messages=[*before, asked], options=options)
