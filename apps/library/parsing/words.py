"""What parsers say to people: messages and values, which the room says in each reader's language.

The child knows no Django and no translations.
"""

from apps.web.told import gettext as _

__all__ = ["_", "gettext_noop"]


def gettext_noop(message: str) -> str:
    """Mark a text for translation where it is written down; it is translated where it is said."""
    return message
