"""The modules that come with the package: correct where their programs are there."""

from __future__ import annotations

import numpy as np
import pytest
from folders import data

from dagathlon.data import Dataset, Variable, facts_of
from dagathlon.errors import UnavailableError
from dagathlon.external import ExternalLearner
from dagathlon.graphs import Graph, cpdag
from dagathlon.learners import learn
from dagathlon.modules import find, modules
from dagathlon.posteriors import Chain
from dagathlon.testing import check_learner

SHIPPED = ("awk_correlation", "bdgraph", "causallearn_grasp_original")
NAMES = ("a b", "x.1", "é", "2nd", "e", "f")


def gaussian(n: int = 1000) -> tuple[Dataset, Graph]:
    """Data of a DAG: a collider, a chain, an isolated node."""
    rng = np.random.default_rng(5)
    weights = np.zeros((6, 6))
    weights[0, 2] = weights[1, 2] = weights[2, 3] = weights[3, 4] = 1.0
    values = rng.normal(size=(n, 6)) @ np.linalg.inv(np.eye(6) - weights)
    truth = Graph.from_adjacency(NAMES, weights != 0)
    return Dataset([Variable(name) for name in NAMES], values=values), truth


def available(name: str) -> None:
    reason = find("algorithm", name).unavailable
    if reason:
        pytest.skip(f"{name}: {reason}")


@pytest.mark.parametrize("name", SHIPPED)
def test_shipped_modules_are_found_and_documented(name: str):
    cls = modules("algorithm")[name]
    assert issubclass(cls, ExternalLearner)
    assert all(parameter.description for parameter in cls.parameters().values())
    assert cls.from_json({}).to_json()["timeout"] is None


def test_every_folder_is_found():
    found = {name for name, cls in modules("algorithm").items() if issubclass(cls, ExternalLearner)}
    assert found == set(SHIPPED)


def test_awk_agrees_with_the_native_learner():
    given, _ = gaussian()
    for thresh in (0.05, 0.3, 0.6, 1.0):
        native = learn(given, "corr_thresh", thresh=thresh).graph
        assert learn(given, "awk_correlation", thresh=thresh).graph == native


def test_awk_passes_the_conformance_suite():
    check_learner("awk_correlation")


def test_bdgraph_finds_the_moral_graph():
    available("bdgraph")
    given, _ = gaussian()
    expected = {("a b", "é"), ("x.1", "é"), ("é", "2nd"), ("2nd", "e"), ("a b", "x.1")}
    for algorithm in ("bdmcmc", "rjmcmc"):
        estimate = learn(given, "bdgraph", iter=3000, algo=algorithm)
        assert {(edge.left, edge.right) for edge in estimate.graph.edges()} >= expected
        assert estimate.posterior is not None
        (chain,) = estimate.posterior.chains
        assert isinstance(chain, Chain)
        assert chain.end == 3000
        assert (chain.time is not None) == (algorithm == "bdmcmc")
        assert not chain.directed


def test_bdgraph_seeds_make_the_chain():
    available("bdgraph")
    given, _ = gaussian(60)
    first, again, other = (
        learn(given, "bdgraph", iter=200, seed=seed).posterior for seed in (1, 1, 2)
    )
    assert first == again
    assert first != other


def test_bdgraph_takes_discrete_data_with_a_copula():
    available("bdgraph")
    objection = find("algorithm", "bdgraph").from_json({}).objection(facts_of(data("discrete")))
    assert "needs continuous data" in objection
    estimate = learn(data("discrete", p=3), "bdgraph", method="gcgm", iter=50)
    assert estimate.graph.names == ("a", "b", "c")


@pytest.mark.slow
def test_bdgraph_passes_the_conformance_suite():
    available("bdgraph")
    check_learner(find("algorithm", "bdgraph").from_json({"iter": 60}))
    check_learner(find("algorithm", "bdgraph").from_json({"iter": 60, "method": "gcgm"}))


@pytest.mark.slow
def test_grasp_finds_the_cpdag():
    available("causallearn_grasp_original")
    given, truth = gaussian()
    try:
        graph = learn(given, "causallearn_grasp_original").graph
    except UnavailableError as error:
        pytest.skip(str(error))
    assert graph == cpdag(truth)
    # The native module under Benchpress's name has the same score, and searches from more orders.
    assert learn(given, "causallearn_grasp").graph == graph
    check_learner("causallearn_grasp_original")
