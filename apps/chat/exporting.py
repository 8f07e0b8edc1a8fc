"""Conversations and answers as Markdown, to take along with their sources."""

from django.utils.formats import date_format
from django.utils.text import Truncator
from django.utils.translation import gettext as _

from apps.chat import claims, showing
from apps.chat.following import told
from apps.chat.models import Answer, Conversation
from apps.chat.steps import Account, Found
from apps.library import labels

DOUBTED = 160  # characters of a sentence that is named as one to check


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
    """The text, how it ended, its sources, and all that the page says against it."""
    sources = "  \n".join(_source(each) for each in account.sources if each.used)
    told = [account.text, _end(account), sources, *(f"> {each}" for each in _caveats(account))]
    return "\n\n".join(filter(None, told))


def _end(account: Account) -> str:
    """How an answer ended that is not whole, in brackets; "" of a whole one."""
    if not account.ended:
        return _("(still being written)")
    match account.ended.state:
        case Answer.State.STOPPED:
            return _("(stopped)")
        case Answer.State.BROKEN_OFF:
            return _("(broke off)")
        case Answer.State.FAILED:
            return " ".join(filter(None, [_("(failed)"), account.ended.reason]))
    return ""


def _caveats(account: Account) -> list[str]:
    """The notices beside an answer, and which of its sentences their passages do not bear."""
    told = [account.searched.notice] if account.searched else []
    whole = account.ended and account.ended.state == Answer.State.FINISHED
    if whole and account.asked and not (account.refused or account.used or account.tools):
        told.append(_("No sentence of this answer could be tied to a passage."))
    sentences = {each.at: each.text for each in claims.cited(account.text)}
    for claim in account.claims:
        if claim.state != claims.SUPPORTED:
            sentence = Truncator(sentences.get(claim.at, "")).chars(DOUBTED)
            doubt = {"sentence": sentence, "reason": claim.reason}
            told.append(_("To check: “%(sentence)s” %(reason)s") % doubt)
    return [" ".join(each.split()) for each in told if each]


def _source(source: Found) -> str:
    place = ", ".join(filter(None, [source.title, labels.said(source.label), source.url]))
    return f"[{source.number}] {place}"
