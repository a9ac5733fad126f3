"""The same work many times in several threads: what a loop would give, and an end when asked."""

from __future__ import annotations

import _thread
import threading
import time

import numpy as np
import pytest
from threaded_runs import SEVERAL, alike, linear

from dagathlon import learn
from dagathlon.data import Dataset
from dagathlon.errors import OutOfTimeError
from dagathlon.learners import meta_learner as around
from dagathlon.learners import run as attempts
from dagathlon.modules import modules
from dagathlon.pulse import beat, best_so_far, part, until_deadline, watch
from dagathlon.threads import allowed_threads, several_threads, side_by_side


def worked(seconds: float) -> None:
    """Beat for a while, as a search does."""
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        beat()
        time.sleep(0.001)


@pytest.mark.parametrize("threads", [1, *SEVERAL])
def test_results_come_in_the_order_of_the_items_whoever_is_first(threads):
    drawn = np.random.default_rng(1)
    items = ((k, int(drawn.integers(1000))) for k in range(12))

    def work(item: tuple[int, int]) -> tuple[int, int]:
        worked(0.01 * (item[0] % 3 == 0))
        return item

    with several_threads(threads):
        found = list(side_by_side(work, items, 12))
    again = np.random.default_rng(1)
    assert found == [(k, int(again.integers(1000))) for k in range(12)]


@pytest.mark.parametrize("threads", [1, *SEVERAL])
def test_the_first_item_that_fails_is_the_one_that_is_told_of(threads):
    def work(item: int) -> int:
        worked(0.03 if item == 3 else 0)  # later ones fail before it
        if item >= 3:
            raise ValueError(item)
        return item

    found: list[int] = []
    with several_threads(threads), pytest.raises(ValueError, match="3"):
        found.extend(side_by_side(work, range(9), 9))
    assert found == [0, 1, 2]


@pytest.mark.parametrize("threads", [1, *SEVERAL])
def test_items_that_cannot_be_drawn_end_it_after_those_before(threads):
    def items():
        yield from (1, 2)
        raise ValueError("no third")

    found: list[int] = []
    with several_threads(threads), pytest.raises(ValueError, match="no third"):
        found.extend(side_by_side(lambda x: x, items(), 9))
    assert found == [1, 2]


@pytest.mark.parametrize(
    ("threads", "count", "share"), [(2, 5, 1), (3, 2, 1), (7, 3, 2), (4, 1, 4)]
)
def test_threads_are_shared_out_and_never_more_than_asked(threads, count, share):
    lock, running, most = threading.Lock(), 0, 0

    def work(_: int) -> int:
        nonlocal running, most
        with lock:
            running += 1
            most = max(most, running)
        worked(0.02)
        with lock:
            running -= 1
        return allowed_threads()

    with several_threads(threads):
        found = list(side_by_side(work, range(count), count))
        assert allowed_threads() == threads
    assert found == [share] * count
    assert most <= min(threads, count)
    assert most * share <= threads


def test_who_stops_listening_ends_the_helpers():
    before = threading.active_count()
    with several_threads(3):
        results = side_by_side(worked, [0, 60, 60, 60], 4)
        with watch(progress=_enough), pytest.raises(_EnoughError):
            list(results)
    assert threading.active_count() == before


class _EnoughError(Exception):
    pass


def _enough(done: int, total: int) -> None:
    raise _EnoughError


def test_an_interrupt_ends_all_threads():
    timer = threading.Timer(0.1, _thread.interrupt_main)
    before = threading.active_count()
    timer.start()
    with several_threads(3), pytest.raises(KeyboardInterrupt):
        list(side_by_side(lambda _: worked(60), range(5), 5))
    timer.join()
    assert threading.active_count() == before


def test_a_deadline_leaves_what_was_finished_before_it():
    def work(item: int) -> int:
        with part():
            worked(0 if item < 4 else 60)
        return item

    found: list[int] = []
    seconds = 0.1
    while len(found) < 4:  # on a busy machine fewer are finished in time
        found, seconds = [], 2 * seconds
        deadline = time.monotonic() + seconds
        with several_threads(2), watch(deadline=deadline) as watched, until_deadline():
            found.extend(side_by_side(work, range(9), 9))
        assert found == [0, 1, 2, 3][: len(found)]
        assert watched.stopped_early


def test_a_best_so_far_of_a_helper_is_known_to_the_caller():
    both = threading.Barrier(2)

    def work(item: int) -> int:
        both.wait(60)  # one for each thread
        while threading.current_thread() is not threading.main_thread() and not best_so_far():
            time.sleep(0.001)
        return item

    with several_threads(2), watch(deadline=time.monotonic() + 0.1) as watched:
        assert list(side_by_side(work, range(2), 2)) == [0, 1]
    assert watched.stopped_early


def test_a_deadline_before_the_first_result_is_one():
    with several_threads(2), watch(deadline=time.monotonic()), pytest.raises(OutOfTimeError):
        list(side_by_side(lambda _: worked(60), range(3), 3))


INSIDE = ("hc", "pc", "boss", "ges", "order_mcmc[iterations=200]", "glasso", "hc[restart=2]")


@pytest.mark.parametrize("inner", INSIDE)
def test_a_bootstrap_is_the_same_with_any_number_of_threads(inner):
    data = linear(7, 80, 3)
    one = learn(data, "bootstrap", learner=inner, replicates=9)
    for k in SEVERAL:
        assert alike(one, learn(data, "bootstrap", learner=inner, replicates=9, threads=k))


def test_samples_of_a_bootstrap_are_those_of_its_random_numbers():
    """By hand: rows are drawn one sample after another, whatever the learner does."""
    data = linear(6, 60, 4)
    learner = modules("algorithm")["bootstrap"](learner="pc", replicates=5, classes=False)
    found = attempts.run_learner(learner, data, np.random.default_rng(2), threads=3)
    rng = np.random.default_rng(2)
    graphs = [learn(data.take(rng.integers(60, size=60)), "pc").graph for _ in range(5)]
    joined = sum(graph.marks.astype(bool).astype(float) for graph in graphs) / 5
    assert np.allclose(found.posterior.strengths.strength, joined)


def test_completed_copies_are_learned_from_side_by_side():
    rng = np.random.default_rng(1)
    data = linear(5, 60, 1)
    gaps = rng.random(data.values.shape) < 0.1
    data = Dataset(data.variables, values=np.where(gaps, np.nan, data.values))
    for inner in ("hc", "order_mcmc[iterations=100]"):
        one = learn(data, "imputed", learner=inner, copies=4)
        several = [learn(data, "imputed", learner=inner, copies=4, threads=k) for k in SEVERAL]
        assert all(alike(one, other) for other in several)


@pytest.mark.parametrize(("threads", "replicates"), [(3, 6), (7, 3)])
@pytest.mark.parametrize("inner", ["pc[alpha=0.3]", "boss"])
def test_a_bootstrap_of_a_learner_that_splits_does_not_multiply_threads(
    monkeypatch, inner, threads, replicates
):
    """Native teams are no larger than what the thread that makes them is allowed."""
    lock, running, most = threading.Lock(), 0, 0

    def counted(*given: object, **named: object) -> object:
        nonlocal running, most
        allowed = allowed_threads()
        with lock:
            running += allowed
            most = max(most, running)
        try:
            return attempts.run_inner_learner(*given, **named)
        finally:
            with lock:
                running -= allowed

    monkeypatch.setattr(around, "run_inner_learner", counted)
    data = linear(25, 200, 1)
    learn(data, "bootstrap", learner=inner, replicates=replicates, threads=threads)
    assert running == 0
    assert 0 < most <= threads


def test_what_has_a_card_or_a_program_is_run_one_at_a_time():
    on_cards = [cls.name for cls in modules("algorithm").values() if cls.gpu not in ("no", False)]
    assert on_cards
    assert not any(modules("algorithm")[name].reentrant for name in on_cards)


def test_threads_that_the_system_does_not_give_are_done_without(monkeypatch):
    begun: list[threading.Thread] = []
    start = threading.Thread.start

    def few(thread: threading.Thread) -> None:
        if len(begun) == 2:
            raise RuntimeError("can't start new thread")
        begun.append(thread)
        start(thread)

    monkeypatch.setattr(threading.Thread, "start", few)
    with several_threads(10**9):
        assert list(side_by_side(abs, range(-50, 0), 50)) == list(range(50, 0, -1))
    assert len(begun) == 2
    assert not any(thread.is_alive() for thread in begun)


def test_an_interrupt_while_linear_algebra_is_limited_does_not_leave_it_so(monkeypatch):
    restored = []

    class Libraries:
        def limit(self, **_: object) -> Libraries:
            return self

        def restore_original_limits(self) -> None:
            restored.append(True)

    def interrupted(with_scipy: bool) -> Libraries:
        raise KeyboardInterrupt

    limit = attempts._BlasLimit()
    monkeypatch.setattr(attempts, "_blas", interrupted)
    with pytest.raises(KeyboardInterrupt), limit:
        pass
    monkeypatch.setattr(attempts, "_blas", lambda with_scipy: Libraries())
    with limit, limit:
        assert not restored
    assert restored == [True]
