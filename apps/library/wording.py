"""How a hit is told, on the page and in the terminal: its places, and where it stands."""

from django.utils.translation import get_language, gettext_lazy

from apps.library import labels
from apps.library.search import Hit

LEGS = {"words": gettext_lazy("words %(place)s"), "meaning": gettext_lazy("meaning %(place)s")}


def places(hit: Hit) -> str:
    """Its place by each way of searching: "words 1st · meaning 4th"."""
    legs = {"words": hit.place_by_words, "meaning": hit.place_by_meaning}
    told = [LEGS[leg] % {"place": _ordinal(place)} for leg, place in legs.items() if place]
    return " · ".join(told)


def label(hit: Hit) -> str:
    """Where in its document it stands, each place once where neighbours are put together."""
    return ", ".join(labels.together(chunk.label for chunk in hit.joined or (hit.chunk,)))


def _ordinal(place: int) -> str:
    if get_language() != "en":
        return f"{place}."
    ending = "th" if 10 < place % 100 < 14 else {1: "st", 2: "nd", 3: "rd"}.get(place % 10, "th")
    return f"{place}{ending}"
