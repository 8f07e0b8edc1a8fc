"""What model servers report, in words for the reader: what happened, and what to do next.

A server of Ollama's protocol reports in English, for programs. What is not known here is shown as
it was said.
"""

import re

from apps.web.telling import gettext as _


def in_words(said: str, model: str = "") -> str:
    """A server's report about a model as a sentence."""
    if found := re.search(r"not enough disk space: (\d+) MiB needed, (\d+) MiB free", said):
        told = _("The disk is too full: %(needed)s MB are needed, %(free)s MB are free. Make room.")
        return told % {"needed": int(found[1]), "free": int(found[2])}
    if re.search(r"no space left on device", said):
        return _("The disk is full. Make room.")
    if re.search(r"exceeds? the (available )?context", said):
        return _(
            "Question and passages together are longer than the model can read at once. Ask about"
            " fewer documents, or choose another model."
        )
    if re.search(r"requires more system memory|unable to allocate", said):
        return _("%(model)s needs more memory than is free. Choose a smaller model.") % {
            "model": model
        }
    if found := re.search(
        r"does not support (tools|thinking|embeddings|insert|images|vision)", said
    ):
        told = _("%(model)s cannot do this (%(what)s). Choose another model.")
        return told % {"model": model, "what": found[1]}
    if "server busy" in said:
        return _("The model server has too much to do. Try again in a minute.")
    if re.search(r"digest mismatch|does not hold what|\.whl is damaged", said):
        return _("What came is not the model its makers published, so it was thrown away.")
    if re.search(r"^download of .+ failed", said):
        return _("It could not be downloaded. Is this machine online?")
    if "context canceled" in said:
        return _("The download was stopped.")
    return _("The model server reports: %(error)s") % {"error": said}
