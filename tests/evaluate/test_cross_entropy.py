"""Cross-entropy to the true model: exact sums against the whole joint, closed forms, fresh rows."""

from __future__ import annotations

import math
from itertools import product

import numpy as np
import numpy.typing as npt
import pytest

from dagathlon.benchpress.bnlearn import BnlearnHc
from dagathlon.data import Dataset, LinearSem, Network, Variable
from dagathlon.data.models.distributions import Gaussian, Table
from dagathlon.errors import DataError, GraphError
from dagathlon.evaluate import cross_entropy, discrete_cross_entropy, fit, gaussian_cross_entropy
from dagathlon.evaluate.models import true_families
from dagathlon.evaluate.models.cross_entropy import CrossEntropy
from dagathlon.evaluate.models.true_families import FamilyTables
from dagathlon.graphs import Graph, cpdag
from dagathlon.learners.base import Estimate, Learner
from dagathlon.modules import find

ASIA = Network.load("asia")
SEM = LinearSem(
    "ABCD",
    [[0, 0.9, 0, 0.7], [0, 0, -1.2, 0], [0, 0, 0, 0.5], [0, 0, 0, 0]],
    [1.0, 0.5, 2.0, 0.3],
)


def random_dag(names: tuple[str, ...], seed: int, most: int = 3) -> Graph:
    rng = np.random.default_rng(seed)
    order = list(rng.permutation(names))
    pairs = [
        (str(parent), str(child))
        for place, child in enumerate(order)
        for parent in rng.permutation(order[:place])[: rng.integers(0, most + 1)]
    ]
    return Graph.from_edges([f"{a} -> {b}" for a, b in pairs], names=names)


def every_row(network: Network) -> Dataset:
    sizes = [range(len(variable.levels or ())) for variable in network.variables]
    return Dataset(network.variables, codes=np.array(list(product(*sizes)), dtype=np.uint8))


def entropy(network: Network) -> float:
    logs = network.row_log_likelihoods(every_row(network))
    possible = logs > -math.inf
    return float(-(np.exp(logs[possible]) @ logs[possible]))


@pytest.mark.parametrize("seed", range(4))
def test_it_is_the_sum_over_the_joint(seed: int) -> None:
    data, rows = ASIA.sample(60, seed=seed), every_row(ASIA)
    fitted = fit(random_dag(ASIA.names, seed), data, 0.5 + seed)
    probable = np.exp(ASIA.row_log_likelihoods(rows))
    expected = -(probable @ fitted.row_log_likelihoods(rows))
    assert discrete_cross_entropy(fitted, ASIA) == pytest.approx(expected, rel=1e-12)
    whole = cross_entropy(random_dag(ASIA.names, seed), data, ASIA, 0.5 + seed)
    assert whole == (pytest.approx(expected), None, "exact")
    assert expected > entropy(ASIA)


def test_fresh_rows_have_that_mean() -> None:
    data, graph = ASIA.sample(200, seed=1), random_dag(ASIA.names, 7)
    exact = cross_entropy(graph, data, ASIA)
    rows = cross_entropy(graph, data, ASIA.sample(40_000, seed=2))
    assert rows.how == "40,000 fresh rows"
    assert rows.error is not None
    assert abs(rows.value - exact.value) < 4 * rows.error < 0.05


def test_the_true_graph_has_the_least_in_the_long_run() -> None:
    data = ASIA.sample(50_000, seed=3)
    least = cross_entropy(ASIA.graph, data, ASIA).value
    assert 0 < least - entropy(ASIA) < 1e-3
    arcs = [f"{e.left} -> {e.right}" for e in ASIA.graph.edges()]
    for gone in arcs:
        rest = Graph.from_edges([arc for arc in arcs if arc != gone], names=ASIA.names)
        assert cross_entropy(rest, data, ASIA).value > least


def test_the_prior_is_spread_over_the_cells() -> None:
    data = Dataset(
        [Variable("A", ("n", "y")), Variable("B", ("n", "y"))],
        codes=np.array([[0, 0], [0, 1], [0, 0]], dtype=np.uint8),
    )
    truth = Network(
        {
            "A": Table(("n", "y"), (), np.array([0.5, 0.5])),
            "B": Table(("n", "y"), ("A",), np.array([[0.9, 0.1], [0.2, 0.8]])),
        }
    )
    found = cross_entropy(Graph.from_edges(["A -> B"]), data, truth, 4.0).value
    seen = -(0.45 * math.log(3 / 5) + 0.05 * math.log(2 / 5))
    first = -0.5 * (math.log(5 / 7) + math.log(2 / 7))
    assert found == pytest.approx(first + seen + 0.5 * math.log(2))


def test_levels_may_stand_in_another_order() -> None:
    graph, data = random_dag(ASIA.names, 2), ASIA.sample(100, seed=1)
    fitted = fit(graph, data, 5.0)
    turned = {
        name: Table(given.levels[::-1], given.parents, np.flip(given.probabilities).copy())
        for name, given in fitted.distributions.items()
        if isinstance(given, Table)
    }
    expected = discrete_cross_entropy(fitted, ASIA)
    assert discrete_cross_entropy(Network(turned), ASIA) == pytest.approx(expected)
    one = Network({"asia": Table(("no",), (), np.ones(1))})
    with pytest.raises(DataError, match="'asia' has no level yes in the data"):
        discrete_cross_entropy(one, ASIA)


def test_large_networks_are_asked_for_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    data, graph = ASIA.sample(100, seed=1), ASIA.graph
    exact = cross_entropy(graph, data, ASIA)
    true_families.family_tables.cache_clear()
    monkeypatch.setattr(true_families, "_MOST_CELLS_OF_TREE", 5)
    rows = cross_entropy(graph, data, ASIA)
    true_families.family_tables.cache_clear()
    assert rows.how == "20,000 fresh rows"
    assert rows.error is not None
    assert abs(rows.value - exact.value) < 4 * rows.error
    assert rows == cross_entropy(graph, data, true_families.fresh_rows(ASIA))


def test_families_are_kept_up_to_a_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    tables = FamilyTables(ASIA)
    first = tables.table(("asia", "tub"))
    assert tables.table(("asia", "tub")) is first
    assert first.sum() == pytest.approx(1)
    monkeypatch.setattr(true_families, "_MOST_CELLS", 6)
    tables.table(("smoke", "bronc"))
    again = tables.table(("asia", "tub"))
    assert again is not first
    assert again == pytest.approx(first)


def closed_form(
    mean: npt.NDArray[np.float64],
    covariance: npt.NDArray[np.float64],
    other: npt.NDArray[np.float64],
    spread: npt.NDArray[np.float64],
) -> float:
    apart = mean - other
    inverse = np.linalg.inv(spread)
    logs = np.linalg.slogdet(2 * math.pi * spread)[1]
    return float(0.5 * (logs + np.trace(inverse @ covariance) + apart @ inverse @ apart))


def moments(network: Network) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    """Mean and covariance of a Gaussian network by a matrix inverse."""
    place = {name: k for k, name in enumerate(network.names)}
    weights, constant = np.zeros((len(place), len(place))), np.zeros(len(place))
    variances = np.zeros(len(place))
    for name, given in network.distributions.items():
        assert isinstance(given, Gaussian)
        constant[place[name]], variances[place[name]] = given.intercept, given.sd**2
        for parent, weight in zip(given.continuous_parents, given.coefficients, strict=True):
            weights[place[name], place[parent]] = weight
    effects = np.linalg.inv(np.eye(len(place)) - weights)
    return effects @ constant, effects @ np.diag(variances) @ effects.T


def test_gaussian_networks_by_the_closed_form() -> None:
    truth = Network(
        {
            "A": Gaussian((), np.array(2.0), np.zeros(0), np.array(1.0)),
            "B": Gaussian(("A",), np.array(-1.0), np.array([0.8]), np.array(0.5)),
            "C": Gaussian(("A", "B"), np.array(0.5), np.array([0.3, -2.0]), np.array(1.5)),
        }
    )
    data = truth.sample(30, seed=1)
    graph = Graph.from_edges(["A -> C", "C -> B"], names="ABC")
    fitted = fit(graph, data)
    expected = closed_form(*moments(truth), *moments(fitted))
    assert gaussian_cross_entropy(fitted, truth) == pytest.approx(expected)
    found = cross_entropy(graph, data, truth)
    assert found == (pytest.approx(expected), None, "exact")


def test_standardised_data_meet_a_standardised_truth() -> None:
    data = SEM.sample(500, np.random.default_rng(1))
    values = (data.values - data.values.mean(axis=0)) / data.values.std(axis=0, ddof=1)
    scaled = Dataset(data.variables, values=values)
    fitted = fit(SEM.graph, scaled)
    covariance = SEM.covariance()
    deviation = np.sqrt(np.diag(covariance))
    correlation = covariance / np.outer(deviation, deviation)
    expected = closed_form(np.zeros(4), correlation, *moments(fitted))
    found = cross_entropy(SEM.graph, scaled, SEM, scaled=True)
    assert found.value == pytest.approx(expected)


def test_fewer_rows_than_coefficients_have_no_density() -> None:
    complete = Graph.from_edges(["A -> B", "A -> C", "B -> C", "A -> D", "B -> D", "C -> D"])
    with pytest.raises(DataError, match="'D' follows from its parents without noise"):
        cross_entropy(complete, SEM.sample(4, np.random.default_rng(1)), SEM)


def test_a_mixed_truth_is_asked_for_rows() -> None:
    truth = Network(
        {
            "k": Table(("a", "b"), (), np.array([0.3, 0.7])),
            "x": Gaussian((), np.array([0.0, 3.0]), np.zeros((2, 0)), np.array([1.0, 2.0]), ("k",)),
        }
    )
    graph = Graph.from_edges(["k -> x"])
    found = cross_entropy(graph, truth.sample(20_000, seed=1), truth)
    normal = 0.5 * math.log(2 * math.pi * math.e)
    exact = 0.3 * (normal - math.log(0.3)) + 0.7 * (normal + math.log(2) - math.log(0.7))
    assert found.error is not None
    assert abs(found.value - exact) < 4 * found.error < 0.05
    assert found == cross_entropy(graph, truth.sample(20_000, seed=1), truth)


def test_what_stands_for_no_dag_has_a_reason() -> None:
    data = SEM.sample(50, np.random.default_rng(1))
    square = Graph.from_edges(["A -- B", "B -- C", "C -- D", "D -- A"])
    partly = Graph.from_edges(["A o-> B"], names="ABCD")
    levels = Dataset([Variable(name, ("0", "1")) for name in "ABCD"], np.eye(4, dtype=int))
    for graph, rows, reason in ((square, levels, "chordal"), (partly, data, "hidden|circles")):
        with pytest.raises(GraphError, match=reason):
            cross_entropy(graph, rows, SEM)
        row = CrossEntropy().compute(SEM, rows, Estimate(graph))
        assert row["cross_entropy"] is None
        assert row["cross_entropy_note"]
    assert CrossEntropy().compute(SEM, data, Estimate(square))["cross_entropy"] > 0
    dag = cross_entropy(SEM.graph, data, SEM).value
    assert cross_entropy(cpdag(SEM.graph), data, SEM).value == pytest.approx(dag)
    turned = Graph.from_edges(["A -> B", "C -> B", "B -> D", "D -> A"], names="ABCD")
    assert (
        "v-structure" in CrossEntropy().compute(SEM, data, Estimate(turned))["cross_entropy_note"]
    )
    hidden = Graph.from_edges(["A -> E"])
    rows = Dataset([Variable("A"), Variable("E")], values=data.values[:, :2])
    with pytest.raises(DataError, match="does not have E"):
        cross_entropy(hidden, rows, SEM)


def learner(name: str, **values: object) -> Learner:
    found = find("algorithm", name).from_json(values)
    assert isinstance(found, Learner)
    return found


@pytest.mark.parametrize(
    ("who", "size"),
    [
        (learner("hc", score="bdeu", iss=0.1), 0.1),
        (learner("exact_map", score="bde", iss=10), 10),
        (learner("exact_map", score="fnml"), 5),
        (learner("hc", score="bic", iss=3), 5),
        (learner("hc"), 5),
        (learner("pc"), 5),
        (learner("order_mcmc"), 1),
        (learner("bootstrap", learner="hc[score=bdeu,iss=2]"), 2),
        (BnlearnHc(score="bde", iss=7), 7),
    ],
)
def test_a_learner_has_its_own_prior(who: Learner, size: float) -> None:
    assert CrossEntropy().for_learner(who) == CrossEntropy(sample_size=size)
