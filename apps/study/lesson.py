"""Write a lesson, piece by piece, each from one passage, each sentence with its source.

introduction → what each passage says, under a heading → key takeaways → self-check

Each piece is stored as it is ready; a kill loses the one at hand. What the model says that no
passage supports is left out; where too little is left, the passage's own sentences stand there.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterator

from django.db.models import F, TextField, Value
from django.db.models.functions import Concat
from django.utils import timezone

from apps.library.models import Chunk
from apps.study import quality, wording
from apps.study.authoring import Author
from apps.study.generation import MAKERS, Maker, Rejected
from apps.study.models import Job, Lesson, LessonSource
from apps.study.outlining import best_sentences, crumb, excerpt, pick, smooth
from apps.study.workshop import PASSAGES, minutes
from apps.study.workshop_prompts import Asked, Explained, Introduced, Remembered
from apps.web.telling import gettext as _

LEAST_SENTENCES = 2
LEAST_TAKEAWAYS, MOST_TAKEAWAYS = 3, 5
LEAST_QUESTIONS, MOST_QUESTIONS = 2, 3
BEGINNING = 220  # characters of each passage that the introduction is made from
PIECES = 3  # besides one for each passage
LEAST_WORDS = 4  # of a statement; less is a heading
NUMBERING = re.compile(r"^[§\d.\s]+")
HEADING = re.compile(r"^### .*$", re.M)
# A beginning that points to something said before.
DANGLING = re.compile(
    r"(it|its|this|that|these|those|they|he|she|but|yet|and|so|es|dies\w*|er|sie|aber|und)\b", re.I
)
ABOUT = {"en": "This lesson is about “{}”.", "de": "In dieser Lektion geht es um „{}“."}
ASK = {
    "en": "What does the text say about “{}”?",
    "de": "Was sagt der Text über „{}“?",
}
Written = Callable[[], None]


def make(job: Job, stop_when: Callable[[], bool]) -> Iterator[Written | Rejected]:
    """The pieces not written yet, in reading order."""
    lesson = Lesson.objects.filter(job=job).select_related("workshop").first()
    if lesson is None:
        return
    sources = list(lesson.sources.all()) if job.made else _sources(lesson, job)
    if not any(source.quote for source in sources):
        return
    if job.asked != len(sources) + PIECES:
        job.asked = len(sources) + PIECES
        job.save(update_fields=["asked"])
    author = Author(job, stop_when)
    job.options = job.options | {"extractive": author.extractive}
    job.save(update_fields=["options"])
    while job.made < job.asked:
        if job.made == 0:
            yield _begin(lesson, sources, author)
        elif job.made <= len(sources):
            yield _explain(lesson, sources, job.made - 1, author)
        elif job.made == len(sources) + 1:
            yield _conclude(lesson, sources, author)
        else:
            yield _question(lesson, sources, author)


def finish(job: Job) -> None:
    """The lesson is there, as long as it turned out."""
    for lesson in Lesson.objects.filter(job=job):
        lesson.made_at = timezone.now()
        lesson.minutes = minutes(len(lesson.introduction + lesson.core + lesson.takeaways))
        lesson.save(update_fields=["made_at", "minutes"])


def shortfall(job: Job) -> str:
    """Why the lesson was not written to its end."""
    return _(
        "The passages this lesson is made from are gone: their document was deleted or changed. "
        "Make a new workshop."
    )


def _sources(lesson: Lesson, job: Job) -> list[LessonSource]:
    """The passages to write about, not stored yet."""
    ids = pick(lesson.passages, PASSAGES, job.options.get("take", 0))
    found = Chunk.objects.select_related("document").in_bulk(ids)
    chunks = [found[pk] for pk in ids if pk in found]
    return [
        LessonSource(
            lesson=lesson,
            number=number,
            chunk=chunk,
            document=chunk.document,
            document_name=chunk.document.name,
            label=chunk.label,
            section=chunk.heading,
            quote=excerpt(chunk.text),
        )
        for number, chunk in enumerate(chunks, 1)
    ]


def _begin(lesson: Lesson, sources: list[LessonSource], author: Author) -> Written:
    """The introduction. Storing it clears what an earlier take has left."""
    quotes = [smooth(source.quote) for source in sources]
    material = "\n\n".join([lesson.title, *(quote[:BEGINNING] for quote in quotes)])
    kept = author.ask(
        Introduced,
        material,
        _language(lesson, sources),
        lambda item: _enough(item.sentences, quotes, 1, least=1),
    )
    if kept is None:
        kept = [
            wording.quoted(sentence, source.number)
            for source in sources[:2]
            for sentence in best_sentences(source.quote, 1)
        ]
    while kept and DANGLING.match(kept[0]):
        kept.pop(0)
    about = ABOUT.get(_language(lesson, sources), ABOUT["en"]).format(wording.escaped(lesson.title))
    text = " ".join(kept[: len(sources)]) or about  # a short lesson is not told twice

    def store() -> None:
        lesson.sources.all().delete()
        there = set(
            Chunk.objects.select_for_update(no_key=True)
            .filter(pk__in=[source.chunk_id for source in sources])
            .values_list("pk", flat=True)
        )
        for source in sources:
            if source.chunk_id not in there:  # deleted while this was written
                source.chunk = source.document = None
        LessonSource.objects.bulk_create(sources)
        fields = {"core": "", "takeaways": "", "self_check": "", "made_at": None}
        _store(lesson, author, introduction=text, **fields)

    return store


def _explain(lesson: Lesson, sources: list[LessonSource], at: int, author: Author) -> Written:
    """What one passage says, under a heading."""
    source, quotes = sources[at], [smooth(source.quote) for source in sources]
    lesson.refresh_from_db(fields=["core"])
    headings = [wording.plain(head[4:]) for head in HEADING.findall(lesson.core)]

    def check(item: Explained) -> tuple[str, list[str]]:
        return item.heading, _enough(item.sentences, quotes, source.number)

    told = None
    if source.quote:  # emptied where the document was deleted meanwhile
        material = f"{crumb(source.section)}\n{quotes[at]}".strip()
        told = author.ask(Explained, material, _language(lesson, sources), check)
    kept = told[1] if told else _quoted(source)
    heading = _heading(told[0] if told else "", source, [lesson.title, *headings])
    section = "\n\n".join(filter(None, [heading and f"### {heading}", " ".join(kept)]))

    def store() -> None:
        core = Concat(F("core"), Value(section + "\n\n" if kept else ""), output_field=TextField())
        _store(lesson, author, core=core)

    return store


def _heading(told: str, source: LessonSource, earlier: list[str]) -> str:
    """A heading that fits the passage and is not there yet, else none."""
    for heading in (told.strip(" .:"), crumb(source.section)):
        about = f"{source.section}\n{smooth(source.quote)}"
        fits = 3 <= len(heading) <= 80 and quality.support(heading, about) >= 0.5
        if fits and not quality.repeats(NUMBERING.sub("", heading), earlier):
            return wording.escaped(heading)
    return ""


def _conclude(lesson: Lesson, sources: list[LessonSource], author: Author) -> Written:
    """Three to five statements to keep."""
    quotes = [smooth(source.quote) for source in sources]
    paragraphs = _paragraphs(lesson)
    material = "\n\n".join(map(wording.plain, paragraphs))
    kept = author.ask(
        Remembered,
        material,
        _language(lesson, sources),
        lambda item: _enough(item.takeaways, quotes, 1),
    )
    kept = (kept or [])[:MOST_TAKEAWAYS]
    told = [wording.plain(line) for line in kept]
    for sentence in _one_of_each(paragraphs):
        if len(kept) < LEAST_TAKEAWAYS and not quality.repeats(wording.plain(sentence), told):
            kept.append(sentence)
            told.append(wording.plain(sentence))
    text = "\n".join(f"- {line}" for line in kept)
    return lambda: _store(lesson, author, takeaways=text)


def _question(lesson: Lesson, sources: list[LessonSource], author: Author) -> Written:
    """Two or three questions, each with the passage that answers it."""
    quotes = [smooth(source.quote) for source in sources]
    paragraphs = _paragraphs(lesson)
    material = "\n\n".join(map(wording.plain, paragraphs))
    language = _language(lesson, sources)
    kept = author.ask(Asked, material, language, lambda item: _good_questions(item, quotes)) or []
    known = language if language in ASK else "en"
    headings = [wording.plain(head[4:]) for head in HEADING.findall(lesson.core)]
    places = [f"{source.document_name}, {source.label}" for source in sources]
    for about in [*headings, lesson.title, *places]:
        question = ASK[known].format(about)
        if len(kept) < LEAST_QUESTIONS and not quality.repeats(question, kept):
            kept.append(wording.escaped(question))
    lines = (f"{number}. {question}" for number, question in enumerate(kept[:MOST_QUESTIONS], 1))
    text = "\n".join(lines)
    return lambda: _store(lesson, author, self_check=text)


def _good_questions(item: Asked, quotes: list[str]) -> list[str]:
    """Those that are questions about a passage, none twice, as Markdown. Raises Rejected."""
    asked = [each.strip() for each in item.questions if each.strip().endswith("?")]
    if quality.other_language(" ".join(asked), "\n".join(quotes)):
        raise Rejected("it is in another language than the passages")
    kept = wording.supported(asked, quotes, least=wording.ENOUGH)
    if len(kept) < LEAST_QUESTIONS:
        raise Rejected("fewer than two questions about the passages")
    return kept


def _enough(
    sentences: list[str], quotes: list[str], number: int, *, least: int = LEAST_SENTENCES
) -> list[str]:
    """The sentences that a passage supports, as Markdown. Raises Rejected where too few are."""
    if quality.other_language(" ".join(sentences), " ".join(quotes)):
        raise Rejected("it is in another language than the passages")
    statements = [
        each
        for each in sentences
        if len(each.split()) >= LEAST_WORDS and not each.rstrip().endswith("?")
    ]
    kept = wording.supported(statements, quotes, number)
    if len(kept) < least:
        raise Rejected(f"{len(sentences) - len(kept)} sentences that no passage supports")
    return kept


def _quoted(source: LessonSource) -> list[str]:
    """The passage's own sentences, where the model's are not to be trusted."""
    told = [each for each in best_sentences(source.quote, 4) if not each[:1].islower()]
    return [wording.quoted(each, source.number) for each in told]


def _paragraphs(lesson: Lesson) -> list[str]:
    """The core's paragraphs as Markdown, without its headings."""
    lesson.refresh_from_db(fields=["core"])
    return [part.strip() for part in HEADING.sub("", lesson.core).split("\n\n") if part.strip()]


def _one_of_each(paragraphs: list[str]) -> Iterator[str]:
    """The first sentence of each paragraph, then the second of each, and so on."""
    split = [wording.SPLIT.split(part) for part in paragraphs]
    for n in range(max(map(len, split), default=0)):
        yield from (sentences[n] for sentences in split if n < len(sentences))


def _language(lesson: Lesson, sources: list[LessonSource]) -> str:
    """The language of most of the passages."""
    told = Counter(s.document.language for s in sources if s.document and s.document.language)
    return told.most_common(1)[0][0] if told else lesson.workshop.language


def _store(lesson: Lesson, author: Author, **fields: object) -> None:
    Lesson.objects.filter(pk=lesson.pk).update(**fields)
    author.store_rejections()


MAKERS[Job.Kind.LESSON] = Maker(make, finish, shortfall)
