"""The words of the outbound ledger as readers are told them: it is written in English, by code."""

import re

from django import template
from django.utils.translation import gettext, gettext_lazy, pgettext_lazy

from apps.library.pages import ACT
from apps.outbound import configured, noting

register = template.Library()

PROCESSES = {
    "web": gettext_lazy("Web"),
    "worker": gettext_lazy("Worker"),
    "models": gettext_lazy("Model server"),
    "parser": gettext_lazy("Reader of documents"),
    "speech": gettext_lazy("Reader of recordings"),
    "command": gettext_lazy("Command"),
}
HOW = {
    "connect": pgettext_lazy("attempt", "connect to"),
    "send": pgettext_lazy("attempt", "send to"),
    "look up": pgettext_lazy("attempt", "look up"),
    "ask the name of": pgettext_lazy("attempt", "ask the name of"),
    "listen": pgettext_lazy("attempt", "listen on"),
    noting.FETCH: pgettext_lazy("attempt", "fetch from"),
}
HOSTS = {
    "package index, by pip": gettext_lazy("package index, by pip"),
    "model registry, by Ollama": gettext_lazy("model registry, by Ollama"),
}
PURPOSES = {
    ACT: gettext_lazy("add a web page"),
    configured.DATABASE: gettext_lazy("your database server"),
    configured.MODELS: gettext_lazy("your model server"),
    configured.OURSELVES: gettext_lazy("this vault’s own page"),
    configured.STORAGE: gettext_lazy("your file storage"),
}
LED_IN = {
    "pull ": gettext_lazy("get the model %(what)s"),
    "self-test ": gettext_lazy("self-test %(what)s"),
    "web question: ": gettext_lazy("web question: %(what)s"),
}
BEGINNING = re.compile(f"({'|'.join(LED_IN)})(.*)", re.DOTALL)


@register.filter
def process_words(name: str) -> str:
    """Which of the vault's processes it was."""
    return str(PROCESSES.get(name, name))


@register.filter
def how_words(how: str) -> str:
    """What it tried to do."""
    return str(HOW.get(how, how))


@register.filter
def host_words(host: str) -> str:
    """Whom it tried to reach; names stay."""
    return str(HOSTS.get(host, host))


@register.filter
def purpose_words(purpose: str) -> str:
    """A person's act it was for."""
    if found := BEGINNING.fullmatch(purpose):
        return str(LED_IN[found[1]]) % {"what": found[2]}
    return str(PURPOSES.get(purpose, purpose)) if purpose else gettext("nobody’s act")
