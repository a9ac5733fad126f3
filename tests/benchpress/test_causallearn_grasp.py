"""GRaSP under causal-learn's name: its score by formula and in figures, its results, its keys."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dagathlon.benchpress.other_dags import CausallearnGrasp
from dagathlon.data import Network
from dagathlon.errors import DataError, StudyError
from dagathlon.graphs import Graph, cpdag, extension
from dagathlon.learners import learn
from strategies import continuous

Values = npt.NDArray[np.float64]

# Of causal-learn 0.1.3.4 on `values(seed, p, n)`: the best total of five random starts, and the
# term (to be minimised) of the first column with the second and fourth as parents.
FIGURES = [
    (1, 5, 100, 28.57753179579947, 91.86647316250485),
    (2, 7, 300, -96.90370583213638, 204.0714857722334),
    (3, 9, 1000, -178.25641480696623, 102.11483342279168),
    (4, 11, 150, -44.67677594058939, 139.19194422183045),
    (5, 13, 500, -309.77353492288046, 262.5403402696526),
    (6, 15, 200, -264.75043947036625, 100.59947283316507),
]


def values(seed: int, p: int, n: int) -> Values:
    """Rows of a linear Gaussian model, the last of its order first."""
    rng = np.random.default_rng(seed)
    weights = np.triu(rng.random((p, p)) < 3 / p, 1) * rng.uniform(0.3, 1.0, (p, p))
    return (rng.normal(size=(n, p)) @ np.linalg.inv(np.eye(p) - weights))[:, ::-1].copy()


def term(found: Values, child: int, parents: list[int]) -> float:
    """The number of rows times the log of the residual variance, plus 2·log(rows) per parent."""
    covariance = np.cov(found.T)
    across = covariance[parents, child]
    within = covariance[np.ix_(parents, parents)]
    residual = covariance[child, child] - across @ np.linalg.solve(within, across)
    return float(len(found) * math.log(residual) + 2 * math.log(len(found)) * len(parents))


def total(found: Values, graph: Graph) -> float:
    arcs = np.asarray(extension(graph).adjacency) != 0
    return -sum(term(found, i, np.flatnonzero(arcs[:, i]).tolist()) for i in range(len(arcs)))


@pytest.mark.parametrize(("seed", "p", "n", "best", "first"), FIGURES)
def test_score_and_result_are_those_of_causal_learn(
    seed: int, p: int, n: int, best: float, first: float
) -> None:
    found = values(seed, p, n)
    assert term(found, 0, [1, 3]) == pytest.approx(first, rel=1e-9)
    score = CausallearnGrasp().native().native_score(continuous(found, "v"))
    # Our terms have another constant, which is the same for all parent sets.
    ours = score.local(0, [1, 3]) - score.local(0, [])
    assert ours == pytest.approx(term(found, 0, []) - first, rel=1e-9)
    graph = learn(continuous(found, "v"), "causallearn_grasp").graph
    assert total(found, graph) >= best - 1e-8 * abs(best)


def test_a_collider_and_a_chain_are_found() -> None:
    rng = np.random.default_rng(5)
    weights = np.zeros((5, 5))
    weights[0, 2] = weights[1, 2] = weights[2, 3] = weights[3, 4] = 1.0
    found = rng.normal(size=(1000, 5)) @ np.linalg.inv(np.eye(5) - weights)
    truth = Graph.from_adjacency([f"v{i}" for i in range(5)], weights != 0)
    assert learn(continuous(found, "v"), "causallearn_grasp", maxP=3).graph == cpdag(truth)


@settings(max_examples=20)
@given(seed=st.integers(0, 500), scale=st.floats(0.01, 100))
def test_units_of_measurement_do_not_matter(seed: int, scale: float) -> None:
    found = values(seed, 6, 200)
    rescaled = found * np.array([scale, 1, 1, 1 / scale, 1, 1])
    graphs = [learn(continuous(x, "v"), "causallearn_grasp").graph for x in (found, rescaled)]
    assert graphs[0] == graphs[1]


@pytest.mark.parametrize("most", [0, 1, 2])
def test_max_p_is_the_largest_number_of_parents(most: int) -> None:
    found = values(7, 8, 1000)
    dag = extension(learn(continuous(found, "v"), "causallearn_grasp", maxP=most).graph)
    free = extension(learn(continuous(found, "v"), "causallearn_grasp", maxP=None).graph)
    assert max(len(dag.parents(name)) for name in dag.names) <= most
    assert max(len(free.parents(name)) for name in free.names) > 2


def test_many_variables_have_one_start() -> None:
    few, many = (continuous(np.zeros((2, p)), "v") for p in (50, 51))
    learner = CausallearnGrasp(maxP=3)
    assert learner.native_for(few).to_json()["starts"] == 30
    assert learner.native_for(many).to_json()["starts"] is None


def test_what_it_cannot_take_is_refused() -> None:
    with pytest.raises(DataError, match="continuous"):
        learn(Network.load("asia").sample(50, seed=1), "causallearn_grasp")
    with pytest.raises(StudyError, match="cannot honour edge constraints"):
        learn(continuous(values(1, 5, 50), "v"), "causallearn_grasp", edgeConstraints="edges.json")
