"""Rounding as people do it."""


def half_up(value: float) -> int:
    """Round 0.5 up, as people do; Python rounds it to the even neighbour."""
    return int(value + 0.5)
