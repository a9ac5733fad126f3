"""Bootstrap: strengths by hand, the threshold by its definition, learners, studies, texts."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dagathlon.data import Dataset, Network, Variable
from dagathlon.errors import DagathlonError, DataError
from dagathlon.graphs import Graph
from dagathlon.learners import learn
from dagathlon.learners.bayesian.bootstrap import Bootstrap
from dagathlon.modules.spec import single_values
from dagathlon.posteriors import Posterior
from dagathlon.posteriors.edge_strength import (
    EdgeStrengths,
    averaged_graph,
    optimal_threshold,
)


def test_strengths_by_hand() -> None:
    names = ("a", "b", "c")
    graphs = [
        Graph.from_edges([("a", "b")], names=names),
        Graph.from_edges([("b", "a"), ("b", "c")], names=names),
        Graph.from_adjacency(names, np.array([[0, 1, 0], [1, 0, 0], [0, 0, 0]])),
        Graph(names),
    ]
    found = Posterior.of(graphs).strengths
    assert found.strength[0, 1] == found.strength[1, 0] == 0.75
    assert found.direction[0, 1] == found.direction[1, 0] == 0.5
    assert (found.strength[1, 2], found.direction[1, 2], found.direction[2, 1]) == (0.25, 1, 0)
    assert found.strength[0, 2] == found.direction[0, 2] == 0


@given(
    st.lists(st.integers(0, 20), min_size=1, max_size=15).filter(
        lambda v: len(v) in (1, 3, 6, 10, 15)
    )
)
def test_threshold_is_nearest_to_zeros_and_ones(counts: list[int]) -> None:
    """The L1 distance, summed over the steps of the distribution function, is smallest there."""
    p = int((1 + np.sqrt(1 + 8 * len(counts))) / 2)
    strength = np.zeros((p, p))
    strength[np.triu_indices(p, 1)] = np.array(counts) / 20
    grid = np.arange(0, 1, 0.0025) + 0.00125
    values = np.sort(np.array(counts) / 20)
    distribution = np.searchsorted(values, grid, side="right") / len(values)

    def distance(share: float) -> float:
        return float(np.abs(distribution - share).mean())

    best = min(distance(share) for share in np.unique([0.0, *distribution, 1.0]))
    threshold = optimal_threshold(strength + strength.T)
    below = float(np.mean(values <= threshold))
    # The share of pairs up to the threshold is as near as any.
    assert distance(below if threshold else float(np.mean(values <= 0))) <= best + 1e-9


def test_threshold_of_the_published_example() -> None:
    strength = np.zeros((4, 4))
    strength[np.triu_indices(4, 1)] = [0.0460, 0.2242, 0.3921, 0.7689, 0.8935, 0.9439]
    assert optimal_threshold(strength + strength.T) == 0.3921


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        # F is 0, 1/6 … 5/6 on stretches of .1, .5, .1, .1, .1, .1. Its distance from t = 1/6 is
        # (.1 + 0 + .1 + .2 + .3 + .4)/6 = 1.1/6; from 0 it is 1.9/6, from 2/6 it is 1.3/6.
        ([0.1, 0.6, 0.7, 0.8, 0.9, 1.0], 0.1),
        # F is 0, 1/3, 2/3, 1 on stretches of .6, .2, .1, .1: 0.7/3 from t = 0, 0.9/3 from 1/3.
        ([0.6, 0.8, 0.9], 0.0),
        # F is 1/3, 2/3, 1 on stretches of .2, .2, .6: 0.6/3 from t = 1, 0.8/3 from 2/3.
        ([0.0, 0.2, 0.4], 0.4),
        # F is 0, 1/3, 2/3, 1 on stretches of .2, .3, .3, .2: 0.9/3 from t = 1/3 and from 2/3.
        ([0.2, 0.5, 0.8], 0.2),
    ],
)
def test_thresholds_by_hand(values: list[float], expected: float) -> None:
    p = {3: 3, 6: 4}[len(values)]
    strength = np.zeros((p, p))
    strength[np.triu_indices(p, 1)] = values
    assert optimal_threshold(strength + strength.T) == expected


def test_averaging_keeps_strong_edges_and_no_cycle() -> None:
    names = ("a", "b", "c", "d")
    strength, direction = np.zeros((4, 4)), np.zeros((4, 4))
    for (i, j), share, forward in (
        ((0, 1), 0.9, 1.0),
        ((1, 2), 0.8, 0.9),
        ((0, 2), 0.7, 0.2),
        ((2, 3), 0.6, 0.5),
        ((0, 3), 0.1, 1.0),
    ):
        strength[i, j] = strength[j, i] = share
        direction[i, j], direction[j, i] = forward, 1 - forward
    graph = averaged_graph(EdgeStrengths(names, strength, direction), 0.5)
    # c -> a would close a cycle with the stronger a -> b -> c; c and d go as often either way.
    expected = {("a", "->", "b"), ("b", "->", "c"), ("c", "--", "d")}
    assert {
        (e.left, "->" if e.connector == "->" else "--", e.right) for e in graph.edges()
    } == expected


def test_a_strong_dependence_comes_back_in_every_sample() -> None:
    data = Network.load("asia").sample(1000, seed=2)
    found = learn(data, "bootstrap", learner="hc", replicates=50)
    assert "dysp" in found.graph.adjacencies("bronc")
    assert found.posterior is not None
    assert found.posterior.n_draws == 50
    frequencies = found.posterior.edge_probabilities
    i, j = data.position("bronc"), data.position("dysp")
    assert max(frequencies[i, j], frequencies[j, i]) == 1
    assert 0 <= float(found.stats["threshold"]) <= 1


def test_a_threshold_of_one_leaves_nothing_and_more_leaves_less() -> None:
    data = Network.load("asia").sample(300, seed=2)
    sizes = [
        learn(data, "bootstrap", learner="hc", replicates=20, threshold=t).graph.n_edges
        for t in (0.0, 0.5, 1.0)
    ]
    assert sizes[0] >= sizes[1] >= sizes[2] == 0


def test_undirected_learners_and_their_parameters_are_honoured() -> None:
    rng = np.random.default_rng(1)
    values = rng.normal(size=(200, 4))
    values[:, 1] += values[:, 0]
    data = Dataset([Variable(name) for name in "abcd"], values=values)
    found = learn(data, "bootstrap", learner="corr_thresh[thresh=0.4]", replicates=30)
    assert [(e.left, e.right) for e in found.graph.edges()] == [("a", "b")]
    assert found.posterior is not None
    assert found.posterior.chains[0].form == "undirected"


def test_the_seed_decides() -> None:
    data = Network.load("asia").sample(200, seed=2)
    first, again, other = (
        learn(data, "bootstrap", learner="hc", replicates=10, seed=s) for s in (1, 1, 2)
    )
    assert first.posterior == again.posterior
    assert first.posterior != other.posterior


def test_what_cannot_be_averaged_is_refused() -> None:
    data = Network.load("asia").sample(200, seed=2)
    with pytest.raises(DagathlonError, match="gives a PAG"):
        learn(data, "bootstrap", learner="fci")
    with pytest.raises(DagathlonError, match="hk"):
        learn(data, "bootstrap", learner="hk")
    with pytest.raises(DataError, match="scores for them"):
        learn(data, "bootstrap", learner="hc[score=bge]")


def test_brackets_in_a_text_belong_together() -> None:
    text = "bootstrap[learner=hc[score=bde,iss=10],replicates=20]"
    assert single_values(text) == (
        "bootstrap",
        {"learner": "hc[score=bde,iss=10]", "replicates": 20},
    )
    inner = Bootstrap(learner="hc[score=bde,iss=10]").inner()
    assert (inner.name, inner.to_json()["iss"]) == ("hc", 10)


def study(folder: Path, learner: str) -> Path:
    algorithms = {
        "hc": [{"id": "climb", "score": "bic", "max_parents": 2}],
        "bootstrap": [{"id": "boot", "learner": learner, "replicates": 10}],
    }
    data = {
        "graph_id": "asia.csv",
        "parameters_id": "asia.rds",
        "data_id": "rows",
        "seed_range": [1, 2],
    }
    content = {
        "benchmark_setup": [
            {"title": "t", "data": [data], "evaluation": {"benchmarks": {"ids": ["boot"]}}}
        ],
        "resources": {
            "data": {"iid": [{"id": "rows", "n": 200, "standardized": False}]},
            "structure_learning_algorithms": algorithms,
        },
    }
    path = folder / "study.json"
    path.write_text(json.dumps(content))
    return path


@pytest.mark.parametrize("learner", ["climb", "hc[score=bic,max_parents=2]"])
def test_a_study_names_an_algorithm_by_its_id_or_writes_it_out(
    tmp_path: Path, learner: str
) -> None:
    from dagathlon.study.config.study_file import read_config
    from dagathlon.study.engine.execute import module_of
    from dagathlon.study.plan.planner import make_plan
    from dagathlon.study.plan.task import TaskKind

    plan = make_plan(read_config(study(tmp_path, learner)))
    learns = [task for task in plan.tasks if task.call.kind is TaskKind.LEARN]
    assert {task.call.module for task in learns} == {"bootstrap"}
    module = module_of(learns[0].call)
    assert isinstance(module, Bootstrap)
    assert module.inner().to_json()["max_parents"] == 2
