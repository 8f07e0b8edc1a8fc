"""Who is next."""

import threading
import time

import pytest

from apps.llm.bundled.queue import Left, Queue


def test_questions_go_first_but_not_for_ever() -> None:
    queue, order = Queue(), list[str]()
    threads = []

    def work(name: str) -> None:
        with queue.turn(background=name.startswith("b")):
            order.append(name)

    with queue.turn():
        for name in ("b1", "b2", *(f"q{n}" for n in range(6))):
            threads.append(threading.Thread(target=work, args=(name,)))
            threads[-1].start()
            while queue.waiting < len(threads):
                time.sleep(0.001)
        with pytest.raises(Left), queue.turn(gone=lambda: True):
            pass
    for thread in threads:
        thread.join()
    assert order == ["q0", "q1", "q2", "q3", "b1", "q4", "q5", "b2"] and queue.idle
