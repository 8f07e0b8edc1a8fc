"""One slow look is shared by all who wait for it."""

import threading
from concurrent.futures import ThreadPoolExecutor

from apps.web.sharing import Shared


def test_a_crowd_shares_a_look() -> None:
    looks: list[int] = []
    entered, go_on = threading.Event(), threading.Event()

    def look() -> int:
        looks.append(len(looks))
        entered.set()
        go_on.wait()
        return looks[-1]

    shared = Shared(look)
    with ThreadPoolExecutor(9) as crowd:
        first = crowd.submit(shared)
        entered.wait()
        rest = [crowd.submit(shared) for _ in range(8)]
        while sum(each.running() for each in rest) < 8:
            pass
        go_on.set()
        assert first.result() == 0
        assert all(each.result() > 0 for each in rest)
    assert len(looks) < 9


def test_nobody_is_told_of_a_time_before_he_asked() -> None:
    seen = iter(range(9))
    shared = Shared(lambda: next(seen))
    assert [shared(), shared(), shared()] == [0, 1, 2]


def test_a_look_that_fails_is_no_look() -> None:
    seen = iter([0])
    shared = Shared(lambda: 1 / next(seen))
    for error in (ZeroDivisionError, StopIteration):
        try:
            shared()
        except error:
            continue
        raise AssertionError("it said something")
