"""The pulse itself: beats, deadlines, progress, watches inside watches, threads, signals."""

from __future__ import annotations

import math
import signal
import threading
import time
from collections.abc import Callable

import pytest

from dagathlon.errors import OutOfTimeError
from dagathlon.pulse import aside, beat, best_so_far, part, time_left, until_deadline, watch

# Long past, and far in the future: no test here waits for a clock.
PAST = 0.0
FUTURE = time.monotonic() + 1e6


def beats_until(happened: Callable[[], bool], done: int = 1) -> None:
    """Beat until something has happened at a tick, which comes every 50 ms."""
    while not happened():
        beat(done, 10)


def test_without_a_watch_a_beat_does_nothing() -> None:
    beat()
    assert not best_so_far()


def test_a_beat_after_the_deadline_raises() -> None:
    with pytest.raises(OutOfTimeError, match="time limit"), watch(deadline=PAST):
        beat()
    beat()


def test_a_deadline_to_come_changes_nothing() -> None:
    with watch(deadline=FUTURE) as watched:
        beat()
        assert not best_so_far()
        assert 0 < time_left() < math.inf
    assert time_left() == math.inf
    assert not watched.stopped_early


def test_a_search_that_asked_is_left_in_peace_afterwards() -> None:
    with watch(deadline=PAST) as watched:
        assert best_so_far()
        beat()
        assert best_so_far()
    assert watched.stopped_early
    assert not best_so_far()


def test_a_block_until_the_deadline_is_left() -> None:
    steps = []
    with watch(deadline=PAST) as watched:
        with until_deadline():
            steps.append("begun")
            beat()
            steps.append("not reached")
        beat()
        steps.append("finished")
    assert steps == ["begun", "finished"]
    assert watched.stopped_early


@pytest.mark.parametrize("stop", [best_so_far, beat])
def test_the_best_so_far_of_a_part_is_no_result(stop: Callable[[], object]) -> None:
    with watch(deadline=PAST) as watched:
        with pytest.raises(OutOfTimeError), part(), until_deadline():
            stop()
        assert best_so_far()
    assert watched.stopped_early


def test_of_two_deadlines_the_nearer_one_counts() -> None:
    with watch(deadline=FUTURE) as outer:
        with watch(deadline=PAST) as inner:
            assert best_so_far()
        beat()
        assert not best_so_far()
    assert (outer.stopped_early, inner.stopped_early) == (False, True)
    with watch(deadline=PAST) as outer:
        with watch(deadline=FUTURE) as inner:
            assert best_so_far()
        assert best_so_far()
    assert (outer.stopped_early, inner.stopped_early) == (True, True)


def test_a_nearer_deadline_inside_a_part_allows_early_ends() -> None:
    with watch(deadline=FUTURE), part(), watch(deadline=PAST) as inner:
        assert best_so_far()
    assert inner.stopped_early


def test_progress_is_told_and_never_goes_back() -> None:
    told: list[tuple[int, int]] = []
    with watch(progress=lambda done, total: told.append((done, total))):
        for done in range(1, 4):
            beats_until(lambda done=done: (done, 10) in told, done)  # type: ignore[misc]
    assert set(told) == {(1, 10), (2, 10), (3, 10)}
    assert told == sorted(told)


def test_who_listens_hears_that_work_goes_on_where_nothing_is_counted() -> None:
    told: list[tuple[int, int]] = []
    with watch(progress=lambda done, total: told.append((done, total))):
        while not told:
            beat()
    assert set(told) == {(0, 0)}


def test_progress_of_a_part_is_not_that_of_the_whole() -> None:
    told: list[tuple[int, int]] = []
    with watch(progress=lambda done, total: told.append((done, total))):
        beat(1, 2)
        told.clear()
        with part():
            beats_until(lambda: bool(told), 7)
    assert set(told) == {(1, 2)}


def test_an_inner_watch_may_listen_for_itself() -> None:
    outer: list[int] = []
    inner: list[int] = []
    with watch(progress=lambda done, _: outer.append(done)):
        with watch(progress=lambda done, _: inner.append(done)):
            beats_until(lambda: bool(inner), 5)
        beats_until(lambda: bool(outer), 6)
    assert set(inner) == {5}
    assert set(outer) == {6}


def test_what_the_listener_raises_ends_the_work() -> None:
    def refuse(done: int, total: int) -> None:
        raise LookupError(f"{done} of {total}")

    with pytest.raises(LookupError, match="1 of 10"), watch(progress=refuse):
        beats_until(lambda: False)


def test_a_listener_may_beat_itself() -> None:
    told: list[int] = []

    def listen(done: int, total: int) -> None:
        beat(done, total)
        told.append(done)

    with watch(progress=listen):
        beats_until(lambda: len(told) == 2)
    assert told == [1, 1]


def test_an_interrupt_is_answered_by_a_beat() -> None:
    def interrupted() -> None:
        signal.raise_signal(signal.SIGINT)
        while True:
            beat()

    with pytest.raises(KeyboardInterrupt):
        interrupted()


def test_each_thread_has_a_pulse_of_its_own() -> None:
    found: list[object] = []

    def work() -> None:
        beat()
        told: list[int] = []
        with watch(deadline=FUTURE, progress=lambda done, _: told.append(done)):
            beats_until(lambda: bool(told), 3)
        with watch(deadline=PAST):
            found.extend([best_so_far(), told[0]])

    with watch(deadline=PAST):
        thread = threading.Thread(target=work)
        thread.start()
        thread.join()
    assert found == [True, 3]


def test_work_aside_gives_its_result_or_its_error() -> None:
    assert aside(divmod, 7, 2) == (3, 1)
    with pytest.raises(ZeroDivisionError):
        aside(divmod, 1, 0)


def test_work_aside_ends_when_nobody_waits() -> None:
    ended = threading.Event()

    def endless() -> None:
        try:
            while True:
                pass
        finally:
            ended.set()

    with pytest.raises(OutOfTimeError), watch(deadline=PAST):
        aside(endless)
    ended.wait()
    assert ended.is_set()


def test_processor_time_may_end_a_computation_again_and_again():
    for _ in range(2):
        began = time.process_time()
        with pytest.raises(OutOfTimeError):
            _compute_for_ever(seconds=0.1)
        assert time.process_time() - began >= 0.1
    with watch() as watched:
        beat()
    assert not watched.stopped_early
    assert time_left() == math.inf


def _compute_for_ever(seconds: float) -> None:
    with watch(cpu=seconds), watch():
        assert time_left() <= seconds
        while True:
            beat()
