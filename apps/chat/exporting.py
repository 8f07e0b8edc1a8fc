"""Conversations and answers as Markdown, to take along with their sources."""

from django.utils.formats import date_format
from django.utils.translation import gettext as _

from apps.chat import showing
from apps.chat.following import told
from apps.chat.models import Answer, Conversation
from apps.chat.steps import Account, Found
from apps.library import labels


def answer(of: Answer) -> str:
    """The answer's text, and the sources it refers to as a list."""
    return _with_sources(told([of])[of.pk]) + "\n"


def conversation(found: Conversation) -> str:
    """All questions that stand, each with the answer that counts and its sources."""
    turns = list(found.turns.standing().prefetch_related("answers", "attachments"))
    parts = [f"# {found}", _head(found)]
    for each in showing.turns(turns):
        parts.append(f"## {' '.join(each.turn.question.split())}")
        if each.turn.web_query:
            parts.append(_("Web search: “%(query)s”") % {"query": each.turn.web_query})
        files = each.turn.attachments.all() if each.turn.with_files else ()
        if names := ", ".join(str(file) for file in files):
            parts.append(_("Attached: %(names)s") % {"names": names})
        parts.append(_with_sources(each.answer.account))
    return "\n\n".join(filter(None, parts)) + "\n"


def _head(found: Conversation) -> str:
    day = date_format(found.created_at, "SHORT_DATE_FORMAT")
    return _("%(day)s, workspace %(name)s") % {"day": day, "name": found.workspace.name}


def _with_sources(account: Account) -> str:
    sources = "  \n".join(_source(each) for each in account.sources if each.used)
    return "\n\n".join(filter(None, [account.text, sources]))


def _source(source: Found) -> str:
    place = ", ".join(filter(None, [source.title, labels.said(source.label), source.url]))
    return f"[{source.number}] {place}"
