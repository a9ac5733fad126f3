"""How fast a run goes and when it will end, by a clock of the test's own."""

from __future__ import annotations

import pytest

from dagathlon.study.engine.pace import Pace
from dagathlon.study.engine.protocol import Host, Running

LEARN, SCORE = ("learn", "pc"), ("score", "metrics")


class Clock:
    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


def test_nothing_is_known_before_a_task_has_ended():
    pace = Pace({LEARN: 4})
    pace.look(2)
    assert pace.rate == 0.0
    assert pace.seconds_left() is None


def test_mean_times_by_sort_and_how_many_run_at_once():
    pace = Pace({LEARN: 4, SCORE: 4}, Clock())
    pace.finish(LEARN, 10.0)
    pace.finish(SCORE, 1.0)
    pace.look(2)
    # Three of ten seconds and three of one, two at a time.
    assert pace.seconds_left() == pytest.approx(16.5)


def test_a_sort_of_which_nothing_has_ended_is_like_the_rest():
    pace = Pace({LEARN: 2, SCORE: 3}, Clock())
    pace.finish(LEARN, 4.0)
    pace.look(1)
    assert pace.seconds_left() == pytest.approx(16.0)


def test_rate_is_of_the_last_seconds():
    clock = Clock()
    pace = Pace({LEARN: 1000}, clock)
    pace.look(1)
    for _ in range(100):
        pace.finish(LEARN, 0.01)
    clock.now += 5.0
    pace.look(1)
    assert pace.rate == pytest.approx(20.0)
    clock.now += 60.0
    pace.look(1)
    clock.now += 5.0
    pace.look(1)
    assert pace.rate == 0.0


def test_short_tasks_that_take_long_to_hand_out():
    """A millisecond each, but only 100 in a second: 900 more take nine seconds, not 0.45."""
    clock = Clock()
    pace = Pace({LEARN: 1000}, clock)
    pace.look(2)
    for _ in range(100):
        pace.finish(LEARN, 0.001)
    clock.now += 1.0
    pace.look(2)
    assert pace.seconds_left() == pytest.approx(9.0)


def test_short_tasks_say_little_of_long_ones():
    """After quick tasks, of which handing out took most, ten long ones need their own time."""
    clock = Clock()
    pace = Pace({SCORE: 100, LEARN: 11}, clock)
    pace.look(2)
    for _ in range(100):
        pace.finish(SCORE, 0.0)
    pace.finish(LEARN, 10.0)
    clock.now += 9.0
    pace.look(2)
    # Ten of ten seconds, and 8/101 of a second beside each, two at a time.
    assert pace.seconds_left() == pytest.approx(50.0 + 5 * 8 / 101)


def test_more_ends_than_were_to_be_done():
    pace = Pace({LEARN: 1}, Clock())
    for _ in range(3):
        pace.finish(LEARN, 1.0)
    pace.finish(SCORE, 1.0)
    assert pace.seconds_left() == 0.0


def test_how_many_are_under_way():
    one, two = Host("a", 2, given=9), Host("b", 4, given=3)
    assert Running((5,), 0, (one,)).at_once == 1
    assert Running((), 0, (one,)).at_once == 2
    assert Running((5,), 0, (one, two)).at_once == 5
    assert Running((5, 6), 0).at_once == 2
