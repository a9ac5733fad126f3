"""Learners that are anytime end at a deadline with a graph; the others raise `OutOfTimeError`."""

from __future__ import annotations

import time
from typing import cast

import numpy as np
import pytest
from test_interrupts import runnable, sparse_data

from dagathlon import _core
from dagathlon.benchpress.base import BenchpressLearner
from dagathlon.data import Dataset
from dagathlon.errors import OutOfTimeError
from dagathlon.graphs import Graph
from dagathlon.learners.base import Estimate, Learner
from dagathlon.learners.bayesian.dag_sampling import RunLength
from dagathlon.learners.order.order_search import Boss
from dagathlon.learners.score.hill_climbing import HillClimbing
from dagathlon.learners.score.score_based import ScoreBased
from dagathlon.modules import modules
from dagathlon.pulse import watch

PAST = 0.0


def learner_of(name: str) -> Learner:
    return cast(type[Learner], modules("algorithm")[name])()


def is_anytime(name: str) -> bool:
    return learner_of(name).anytime


def suited(name: str, columns: int, rows: int) -> Dataset:
    takes = learner_of(name).accepted()
    return sparse_data("continuous" if "continuous" in takes else "discrete", columns, rows)


ANYTIME = [name for name in runnable() if is_anytime(name)]
# They have a graph as soon as they have a score; others raise until they have found a first one.
AT_ONCE = ["boss", "fges", "ges", "gies", "grasp", "hc", "structure_mcmc", "tabu", "xges"]
WHOLE = ["dagma", "direct_lingam", "fci", "gfci", "golem", "iamb", "mmpc", "notears", "pc", "rfci"]


def test_who_is_anytime() -> None:
    searches = {"asobs", "winasobs", "exact_map", "itsearch", "order_mcmc", "partition_mcmc", "gsp"}
    assert searches | set(AT_ONCE) | {"bootstrap", "mmhc", "h2pc", "rsmax2"} <= set(ANYTIME)
    assert not set(WHOLE) & set(ANYTIME)


def test_names_of_benchpress_are_anytime_as_what_they_run() -> None:
    theirs = [cls() for cls in modules("algorithm").values() if issubclass(cls, BenchpressLearner)]
    able = [learner for learner in theirs if not learner.unavailable]
    wrong = [one.name for one in able if one.anytime != one.native().anytime]
    assert len(able) > 30
    assert wrong == []


def within(name: str, data: Dataset, deadline: float) -> tuple[Estimate, bool]:
    with watch(deadline=deadline) as watched:
        found = learner_of(name).learn(data, np.random.default_rng(1))
    return found, watched.stopped_early


@pytest.mark.parametrize("name", AT_ONCE)
def test_no_time_for_the_search_gives_a_valid_graph(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = suited(name, 60, 300)
    score = cast(ScoreBased, learner_of(name)).native_score(data)
    monkeypatch.setattr(ScoreBased, "native_score", lambda self, data: score)
    found, stopped_early = within(name, data, PAST)
    assert stopped_early
    assert found.graph.names == data.names
    assert found.graph.is_dag or found.graph.is_cpdag
    assert np.isfinite(float(found.stats["score"]))


def test_what_one_start_found_stays_when_time_is_up_before_the_next(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def too_late(*_: object) -> None:
        raise OutOfTimeError("too late")

    monkeypatch.setattr(Boss, "best_dag", too_late)
    found, stopped_early = within("gies", suited("gies", 6, 100), time.monotonic() + 60)
    assert stopped_early
    assert found.graph.n_edges > 0


@pytest.mark.parametrize("name", WHOLE)
def test_others_raise(name: str) -> None:
    with pytest.raises(OutOfTimeError):
        within(name, suited(name, 60, 300), PAST)


# Sizes at which the search takes far longer than what comes before it.
SEARCHES = {
    "asobs": 12,
    "bootstrap": 30,
    "exact_map": 22,
    "gsp": 40,
    "itsearch": 60,
    "order_mcmc": 60,
    "partition_mcmc": 60,
    "winasobs": 20,
}


@pytest.mark.parametrize(
    "name",
    [pytest.param(name, marks=pytest.mark.slow if "mcmc" in name else ()) for name in SEARCHES],
)
def test_the_best_so_far_is_a_graph(name: str) -> None:
    """With ever more time, until there is something to give; the clock decides only when."""
    data = suited(name, SEARCHES[name], 300)
    seconds = 0.01
    while True:
        try:
            found, _ = within(name, data, time.monotonic() + seconds)
            break
        except OutOfTimeError:
            seconds *= 1.5
    assert found.graph.names == data.names
    assert found.posterior is not None or found.graph.is_dag
    whole, stopped = within(name, suited(name, 6, 100), time.monotonic() + 1e6)
    assert not stopped
    assert len(whole.graph.names) == 6


def test_a_chain_that_ended_early_counts_the_steps_it_made() -> None:
    """As many as lie between its saved states; a whole one may end after the last of them."""
    length = RunLength(iterations=10, stepsave=3)
    assert length.saved == 4
    assert [length.made(saved) for saved in (1, 2, 3, 4)] == [0, 3, 6, 10]


def test_an_iterative_search_counts_the_steps_of_its_rounds() -> None:
    found = learner_of("itsearch").learn(suited("itsearch", 8, 200), np.random.default_rng(1))
    assert found.stats["iterations"] == int(found.stats["rounds"]) * 25_000


@pytest.mark.slow
def test_a_deadline_that_does_not_strike_changes_nothing() -> None:
    data = suited("hc", 30, 200)
    for name in ("hc", "xges", "boss", "gsp", "winasobs", "pc"):
        plain = learner_of(name).learn(data, np.random.default_rng(1))
        watched, stopped_early = within(name, data, time.monotonic() + 1e6)
        assert not stopped_early
        assert watched.graph == plain.graph
        assert dict(watched.stats) == dict(plain.stats)


def test_a_score_that_ran_out_of_time_is_right_afterwards() -> None:
    """What an interrupted search leaves in the buffers of a score does no harm."""
    data = suited("hc", 40, 200)
    search = HillClimbing()
    score, limits = search.native_score(data), search.limits(data)
    start = Graph(data.names).native
    how = _core.HillClimbing(max_steps=1000, restarts=0, perturbations=0, seed=0)
    with watch(deadline=PAST):
        _core.hill_climb(score, limits, start, how)
    again = _core.hill_climb(score, limits, start, how)
    fresh = _core.hill_climb(search.native_score(data), limits, start, how)
    assert again.score == fresh.score
    assert again.score == sum(score.terms(again.dag))
