"""The modules that come with the package: correct where their programs are there."""

from __future__ import annotations

import numpy as np
import pytest

from dagathlon.data import Dataset, Variable
from dagathlon.errors import UnavailableError
from dagathlon.external import ExternalLearner
from dagathlon.graphs import Graph, cpdag
from dagathlon.learners import learn
from dagathlon.modules import find, modules
from dagathlon.testing import check_learner

GCASTLE = tuple(
    f"gcastle_{name}" for name in ("notears_nonlinear", "grandag", "mcsl", "gae", "rl", "corl")
)
SHIPPED = ("awk_correlation", "causallearn_grasp_original", *GCASTLE)
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
