"""A person's conversations: page by page, and searched by the words of questions and answers."""

import re
from dataclasses import dataclass
from datetime import datetime

from django.contrib.auth.models import User
from django.db import connection
from django.db.models import Count, Q
from django.utils.html import escape
from django.utils.safestring import SafeString, mark_safe

from apps.chat.models import Conversation, ConversationQuerySet
from apps.library.models import Workspace

PAGE = 50
BEGIN, END = "\ue000", "\ue001"  # around a found word, until the rest is escaped
MARKUP = re.compile(r"\*{1,3}|`+|^#+ |\s*\[\d{1,3}\]", re.M)

# The expressions are those of the indexes turn_words and answer_words.
SEARCH = """
WITH asked AS (SELECT to_tsquery('simple', %(query)s) AS words),
mine AS (
    SELECT id, title, pinned, touched_at FROM chat_conversation
    WHERE owner_id = %(owner)s AND workspace_id = %(workspace)s
      AND (%(after)s OR (pinned, touched_at, id) < (%(pinned)s, %(touched)s, %(id)s))
),
hit AS (
    SELECT mine.id AS conversation, turn.id AS turn, turn.question AS text
    FROM asked, mine JOIN chat_turn AS turn ON turn.conversation_id = mine.id
    WHERE turn.replaced_by_id IS NULL
      AND to_tsvector('simple'::regconfig, COALESCE(turn.question, '')) @@ asked.words
  UNION ALL
    SELECT mine.id, turn.id, answer.text
    FROM asked, mine JOIN chat_turn AS turn ON turn.conversation_id = mine.id
    JOIN chat_answer AS answer ON answer.turn_id = turn.id
    WHERE turn.replaced_by_id IS NULL
      AND to_tsvector('simple'::regconfig, COALESCE(answer.text, '')) @@ asked.words
  UNION ALL
    SELECT mine.id, NULL, '' FROM asked, mine
    WHERE to_tsvector('simple'::regconfig, mine.title) @@ asked.words
),
newest AS (
    SELECT DISTINCT ON (conversation) conversation, turn, text FROM hit
    ORDER BY conversation, turn DESC NULLS LAST, length(text)
),
page AS (
    SELECT newest.* FROM newest JOIN mine ON mine.id = newest.conversation
    ORDER BY mine.pinned DESC, mine.touched_at DESC, mine.id DESC LIMIT %(limit)s
)
SELECT page.conversation, page.turn,
       ts_headline('simple', page.text, asked.words, %(style)s) AS snippet
FROM page, asked
"""
STYLE = f'StartSel="{BEGIN}", StopSel="{END}", MaxWords=28, MinWords=14, MaxFragments=1'


@dataclass(frozen=True, slots=True)
class Row:
    """A conversation in the list; when searched, where its words stand."""

    conversation: Conversation
    questions: int
    snippet: str = ""  # safe HTML
    turn: int | None = None

    @property
    def url(self) -> str:
        place = f"#turn-{self.turn}" if self.turn else ""
        return self.conversation.get_absolute_url() + place


@dataclass(frozen=True, slots=True)
class Page:
    rows: list[Row]
    after: str = ""  # where the next page begins; empty on the last one


@dataclass(frozen=True, slots=True)
class _Place:
    """The last conversation of the page before."""

    pinned: bool
    touched: datetime
    pk: int

    @classmethod
    def read(cls, text: str) -> "_Place | None":
        try:
            pinned, touched, pk = text.split(",")
            return cls(pinned == "1", datetime.fromisoformat(touched), int(pk))
        except ValueError:
            return None  # somebody else's idea of a place: the beginning

    @staticmethod
    def write(last: Conversation) -> str:
        return f"{int(last.pinned)},{last.touched_at.isoformat()},{last.pk}"


def page(person: User, workspace: Workspace, wanted: str = "", after: str = "") -> Page:
    """Pinned ones first, then the latest; with `wanted` those that hold all its words."""
    place = _Place.read(after)
    query = _query(wanted)
    if wanted and not query:
        return Page([])
    mine = Conversation.objects.owned_by(person).filter(workspace=workspace)
    if query:
        hits = _hits(person, workspace, query, place)
        rows = _rows(mine.filter(pk__in=hits), hits)
    else:
        rows = _rows(mine.filter(_before(place)) if place else mine, {})
    further = len(rows) > PAGE
    rows = rows[:PAGE]
    return Page(rows, _Place.write(rows[-1].conversation) if further else "")


def _query(wanted: str) -> str:
    """The words as PostgreSQL reads them: all of them, the end of each left open."""
    return " & ".join(f"{word}:*" for word in re.findall(r"\w+", wanted.replace("\0", "")))


def _before(place: _Place) -> Q:
    older = Q(touched_at__lt=place.touched) | Q(touched_at=place.touched, pk__lt=place.pk)
    return Q(pinned=place.pinned) & older | (Q(pinned=False) if place.pinned else Q())


def _hits(
    person: User, workspace: Workspace, query: str, place: _Place | None
) -> dict[int, tuple[int | None, str]]:
    with connection.cursor() as cursor:
        cursor.execute(
            SEARCH,
            {
                "query": query,
                "owner": person.pk,
                "workspace": workspace.pk,
                "after": place is None,
                "pinned": place.pinned if place else False,
                "touched": place.touched if place else None,
                "id": place.pk if place else 0,
                "limit": PAGE + 1,
                "style": STYLE,
            },
        )
        return {conversation: (turn, text) for conversation, turn, text in cursor.fetchall()}


def _rows(found: ConversationQuerySet, hits: dict[int, tuple[int | None, str]]) -> list[Row]:
    counted = found.annotate(questions=Count("turns", filter=Q(turns__replaced_by=None)))
    ordered = counted.order_by("-pinned", "-touched_at", "-pk")  # counting forgets the order
    rows = []
    for each in ordered[: PAGE + 1]:
        turn, text = hits.get(each.pk, (None, ""))
        rows.append(Row(each, vars(each)["questions"], marked(text), turn))
    return rows


def marked(text: str) -> SafeString:
    """Text in which the found words are marked; everything else in it is only text."""
    told = escape(" ".join(MARKUP.sub("", text).split()))
    return mark_safe(told.replace(BEGIN, "<mark>").replace(END, "</mark>"))  # escaped above
