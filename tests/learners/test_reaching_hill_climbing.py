"""Score-based learners on fresh sets: none ends below hill climbing under its own score."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from benchmarks.inputs import linear_data
from benchmarks.mixed_scores import mixed_data
from benchmarks.penalties import discrete_data

from dagathlon.data import Dataset, Variable
from dagathlon.graphs import extension
from dagathlon.learners import learn
from dagathlon.learners.score.scores import score_graph

SETS = 12
KINDS = ("regression", "cells", "threshold")


def fresh(kind: str) -> Iterator[Dataset]:
    """Sets that no default was chosen on."""
    for seed in range(1000, 1000 + SETS):
        if kind == "mixed":
            yield mixed_data(seed, KINDS[seed % 3], 500, 10)[0]
        elif kind == "continuous":
            yield linear_data(12, 400, 4, seed)
        else:
            yield discrete_data(10, 500, 2.5, seed)


PLAIN = {"continuous": "bic-g", "discrete": "bic", "mixed": "bic-dg"}


def score(data: Dataset, kind: str, learner: str, **given: Any) -> float:
    """The score of a DAG of the result, counted again."""
    found = learn(data, learner, score=PLAIN[kind], **given)
    total = score_graph(data, extension(found.graph), PLAIN[kind]).total
    assert float(found.stats["score"]) == pytest.approx(total, rel=1e-9)
    return total


def gaps(kind: str, learner: str, peer: dict[str, Any], **given: Any) -> np.ndarray:
    """How far a learner is above hill climbing, for each set; rounding is nothing."""
    found = []
    for data in fresh(kind):
        least = score(data, kind, "hc", **peer)
        above = score(data, kind, learner, **given) - least
        found.append(0.0 if abs(above) < 1e-9 * abs(least) else above)
    return np.array(found)


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["mixed", "continuous", "discrete"])
def test_tabu_begins_where_hill_climbing_ends(kind: str) -> None:
    assert gaps(kind, "tabu", {}).min() >= 0


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["mixed", "continuous", "discrete"])
@pytest.mark.parametrize("learner", ["ges", "fges", "xges", "boss", "grasp"])
def test_searches_over_classes_and_orders_reach_hill_climbing(learner: str, kind: str) -> None:
    """In either order of the columns, the given one and the one that the data choose.

    They are other searches, and luck may lead hill climbing a little higher on one set of twelve.
    """
    for stable in (False, True):
        found = gaps(kind, learner, {"stable": stable})
        assert (found >= 0).sum() >= SETS - 1
        assert found.mean() > 0


# Sets on which three starts were not enough.
HARD = [("mixed", 8147, 12), ("mixed", 8009, 20), ("discrete", 7035, 10), ("discrete", 8013, 20)]


@pytest.mark.parametrize(("kind", "seed", "variables"), HARD)
def test_xges_reaches_hill_climbing_with_few_variables(
    kind: str, seed: int, variables: int
) -> None:
    if kind == "mixed":
        data = mixed_data(seed, KINDS[seed % 3], 500, variables)[0]
    else:
        data = discrete_data(variables, 500, 2.5, seed)
    least = score(data, kind, "hc")
    assert score(data, kind, "xges") >= least - 1e-9 * abs(least)


@pytest.mark.parametrize("learner", ["boss", "grasp"])
def test_orders_that_begin_at_hill_climbings_are_never_below_it(learner: str) -> None:
    for kind in ("mixed", "discrete"):
        for data in list(fresh(kind))[:6]:
            least = score(data, kind, "hc")
            assert score(data, kind, learner, starts=1, climb=True) >= least - 1e-9 * abs(least)


@pytest.mark.parametrize("learner", ["ges", "fges"])
def test_more_starts_and_escapes_never_lead_lower(learner: str) -> None:
    plain = {"phases": ["forward", "backward"], "iterate": False, "escape": False, "starts": 1}
    for data in list(fresh("continuous"))[:4]:
        assert score(data, "continuous", learner) >= score(data, "continuous", learner, **plain)


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["mixed", "continuous", "discrete"])
def test_searches_with_few_parents_reach_hill_climbing_with_as_few(kind: str) -> None:
    exact = gaps(kind, "exact_map", {"max_parents": 3})
    assert exact.min() >= 0
    best_orders = gaps(kind, "winasobs", {"max_parents": 6}, starts=20)
    assert (best_orders >= 0).sum() >= SETS - 1


@pytest.mark.slow
def test_experiments_reach_hill_climbing() -> None:
    for seed in range(1000, 1000 + SETS):
        values = linear_data(8, 300, 3, seed).values.copy()
        rows = np.repeat([0, 1], 150)
        values[rows == 1, 2] = np.random.default_rng(seed).normal(size=150)
        variables = [Variable(f"V{i}") for i in range(8)]
        data = Dataset(variables, values=values, regimes=([set(), {"V2"}], rows))
        least = float(learn(data, "hc", score="l0-g", stable=True).stats["score"])
        assert float(learn(data, "gies").stats["score"]) >= least - 1e-9 * abs(least)


@pytest.mark.parametrize("learner", ["ges", "fges", "xges"])
def test_scores_that_differ_within_a_class_are_noted_and_the_search_ends(learner: str) -> None:
    """Turns that each promise a rise went round for ever here."""
    turning: dict[str, Any] = {"phases": ["forward", "backward", "turning"], "iterate": True}
    for seed in range(8):
        data = mixed_data(seed, KINDS[seed % 3], 200, 6)[0]
        given = turning if learner != "xges" else {}
        found = learn(data, learner, score="bic-cg", cpu_limit=20, **given)
        assert "stopped_early" not in found.stats
        assert np.isfinite(float(found.stats["score"]))
        assert any("bic-cg" in note and "bic-dg" in note for note in found.notes)
        assert found.notes != learn(data, learner, score="bic-dg").notes == ()


def test_mixed_data_have_one_default_and_bnlearn_its_own() -> None:
    data, _ = mixed_data(1, "regression", 400, 5)
    for learner in ("hc", "ges", "xges", "boss"):
        assert learn(data, learner).graph == learn(data, learner, score="bic-dg").graph
    theirs = learn(data, "bnlearn_hc")
    assert theirs.graph == learn(data, "hc", score="bic-cg").graph
    assert theirs.graph != learn(data, "hc").graph


@pytest.mark.parametrize("learner", ["hc", "ges", "boss", "mmhc"])
def test_wide_data_have_a_penalty_per_arc_by_default(learner: str) -> None:
    data = linear_data(12, 100, 2, 3)
    found = learn(data, learner)
    assert found.graph == learn(data, learner, score="ebic-g", gamma=0.25).graph
    assert any("12 variables and 100 rows" in n and "ebic-g" in n for n in found.notes)
    for given in ({"score": "bic-g"}, {"k": math.log(100) / 2}, {"prior": "vsp"}):
        assert learn(data, learner, **given).notes == ()
    high = linear_data(12, 144, 2, 3)
    assert learn(high, learner).notes == ()
    assert learn(high, learner).graph == learn(high, learner, score="bic-g").graph


def test_wide_data_keep_bnlearns_score_under_its_names() -> None:
    data = linear_data(20, 60, 2, 3)
    assert learn(data, "bnlearn_hc").graph == learn(data, "hc", score="bic-g").graph
    assert learn(data, "bnlearn_hc").graph != learn(data, "hc").graph


def test_the_default_penalty_of_independent_wide_data_finds_next_to_nothing() -> None:
    names = [f"V{i}" for i in range(60)]
    values = np.random.default_rng(4).normal(size=(100, 60))
    data = Dataset([Variable(name) for name in names], values=values)
    assert len(learn(data, "hc").graph.edges()) <= 3
    assert len(learn(data, "hc", score="bic-g").graph.edges()) > 30


def test_levels_need_as_many_variables_as_rows_for_another_default() -> None:
    data = discrete_data(12, 60, 2, 3)
    assert learn(data, "hc").notes == ()
    found = learn(data[:12], "hc")
    assert found.graph == learn(data[:12], "hc", score="ebic", gamma=0.25).graph
    assert any("12 variables and 12 rows" in note for note in found.notes)
