"""The normal–inverse-gamma score, priors by numbers of parents, and rows that set a variable."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt
import pytest
from scipy.stats import multivariate_t

from dagathlon import _core
from dagathlon.benchpress.bidag import BidagPartitionMcmc
from dagathlon.data import Dataset, Variable
from dagathlon.errors import DataError
from dagathlon.graphs import Graph
from dagathlon.learners import learn
from dagathlon.learners.bayesian.exact_posterior import ExactPosterior
from dagathlon.learners.bayesian.partition_mcmc import PartitionMcmc
from dagathlon.learners.score.score_kinds import ScoreParameters
from dagathlon.learners.score.scores import native_score, score_graph

NAMES = tuple("ABCD")
DAG = Graph.from_edges(["A -> B", "A -> C", "B -> C", "C -> D"], names=NAMES)
Floats = npt.NDArray[np.float64]


def table(values: Floats, regimes: object = None) -> Dataset:
    return Dataset([Variable(name) for name in NAMES], values=values, regimes=regimes)  # type: ignore[arg-type]


def random_values(seed: int, rows: int = 9) -> Floats:
    values = np.random.default_rng(seed).normal(size=(rows, 4)) + 1.5
    values[:, 1] += 0.8 * values[:, 0]
    return values


def log_t(own: Floats, parents: Floats, prior: tuple[float, float, float]) -> float:
    """A column given its parents, coefficients and variance integrated out: a multivariate t."""
    shape, rate, precision = prior
    spread = np.eye(len(own)) + parents @ parents.T / precision
    found = multivariate_t.logpdf(own, np.zeros(len(own)), rate / shape * spread, df=2 * shape)
    return float(found)


@pytest.mark.parametrize("prior", [(4.0, 0.5, 1.0), (1.5, 3.0, 0.2)])
@pytest.mark.parametrize("rows", [1, 9])
def test_nig_is_a_multivariate_t_density(prior: tuple[float, float, float], rows: int) -> None:
    values = random_values(1, rows)
    keys = ("nig_shape", "nig_rate", "nig_precision")
    found = score_graph(table(values), DAG, "nig", **dict(zip(keys, prior, strict=True))).by_node
    for j, name in enumerate(NAMES):
        parents = values[:, [NAMES.index(parent) for parent in DAG.parents(name)]]
        expected = log_t(values[:, j], parents.reshape(rows, -1), prior)
        assert found[name] == pytest.approx(expected, abs=1e-10)


def test_large_means_are_no_collinearity() -> None:
    """Columns of mean 10⁵ share all but 10⁻¹⁰ of their squares, and differ all the same."""
    values = random_values(2, 30) + 1e5
    # The posterior by orthogonal factors, which lose half as many digits as sums of squares.
    family = np.vstack([values[:, :3], [[1, 0, 0], [0, 1, 0]]])
    factor = np.linalg.qr(family, mode="r")
    rate = 0.5 + factor[2, 2] ** 2 / 2
    expected = (
        -15 * math.log(2 * math.pi)
        + 4 * math.log(0.5)
        - 19 * math.log(rate)
        + math.lgamma(19)
        - math.lgamma(4)
        - math.log(abs(factor[0, 0] * factor[1, 1]))
    )
    found = score_graph(table(values), DAG, "nig").by_node
    assert found["C"] == pytest.approx(expected, abs=1e-3)


@pytest.mark.parametrize("score", ["nig", "mbge"])
def test_rows_that_set_a_variable_say_nothing_about_its_parents(score: str) -> None:
    values = random_values(3, 12)
    rows = np.repeat([0, 1], [8, 4])
    data = table(values, ([set(), {"B"}], rows))
    found = score_graph(data, DAG, score).by_node
    plain = "nig" if score == "nig" else "bge"
    assert found["B"] == score_graph(table(values[:8]), DAG, plain).by_node["B"]
    assert found["C"] == score_graph(table(values), DAG, plain).by_node["C"]
    always = table(values, ([{"B"}], np.zeros(12, dtype=int)))
    assert score_graph(always, DAG, score).by_node["B"] == pytest.approx(0.0, abs=1e-12)


def test_posteriors_leave_out_rows_that_set_a_variable() -> None:
    values = random_values(4, 12)
    data = table(values, ([set(), {"B"}], np.repeat([0, 1], [6, 6])))
    found = ExactPosterior().posterior(data)
    assert found.log_weight(DAG) == pytest.approx(score_graph(data, DAG, "mbge").total)
    ignored = ExactPosterior(interventions=False).posterior(data)
    assert ignored.log_weight(DAG) == pytest.approx(score_graph(data, DAG, "bge").total)
    said = learn(data, "exact_posterior", score="bic-g").notes
    assert said == ("Score bic-g takes no notice of interventions: all rows count the same.",)


def effect(prior: str, graph: Graph, **more: object) -> float:
    data = table(random_values(5))
    plain = score_graph(data, graph, "bge").total
    return score_graph(data, graph, "bge", prior=prior, **more).total - plain


def test_priors_by_numbers_of_parents() -> None:
    """The DAG has in-degrees 0, 1, 2 and 1."""
    assert effect("scale_free", DAG) == pytest.approx(-3 * (2 * math.log(2) + math.log(3)))
    assert effect("fair", DAG) == pytest.approx(-3 * math.log(3))
    q = 0.5 * 4 / 6
    given = effect("er", DAG, edges_per_node=0.5)
    assert given == pytest.approx(4 * math.log(q) + 2 * math.log(1 - q))
    assert effect("er", DAG) == pytest.approx(6 * math.log(0.5))  # null: every other pair


@pytest.mark.parametrize("prior", ["er", "scale_free", "fair"])
def test_searches_know_the_priors(prior: str) -> None:
    data = table(random_values(6, 40))
    best = ExactPosterior(score="nig", prior=prior).posterior(data)  # type: ignore[arg-type]
    exact = learn(data, "exact_map", score="nig", prior=prior)
    assert exact.stats["score"] == pytest.approx(best.log_weight(best.map()), abs=1e-9)
    hill_climbing_dag = learn(data, "hc", score="nig", prior=prior)
    total = score_graph(data, hill_climbing_dag.graph, "nig", prior=prior).total
    assert hill_climbing_dag.stats["score"] == pytest.approx(total, abs=1e-9)
    if prior != "er":
        said = learn(data, "ges", score="bge", prior=prior).notes
        assert f"bge with prior {prior} is not" in said[0]


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"nig_rate": 0}, "nig_rate: found 0, expected a number above 0"),
        ({"nig_precision": 0}, "nig_precision: found 0"),
        ({"prior": "er", "edges_per_node": 1.5}, "edges_per_node: found 1.5, .* below 1.5"),
        ({"prior": "er", "edges_per_node": 0}, "edges_per_node: found 0"),
    ],
)
def test_parameters_that_make_no_sense(parameters: dict[str, object], message: str) -> None:
    with pytest.raises(DataError, match=message):
        score_graph(table(random_values(7)), DAG, "nig", **parameters)


@pytest.mark.parametrize("prior", ["cs", "fair"])
@pytest.mark.parametrize("score", ["bge", "nig", "bic-g", "l0-g"])
def test_all_families_at_once_are_the_families_one_by_one(score: str, prior: str) -> None:
    """On data with a copied and a constant column, too."""
    values = random_values(8, 20)
    values[:, 2], values[:, 3] = values[:, 0], 2.0
    arcs = (("A", "B", 0.7), ("D", "C", 0.1)) if prior == "cs" else ()
    given = ScoreParameters(prior=prior, arc_probabilities=arcs)  # type: ignore[arg-type]
    native = native_score(table(values), score, given)
    none = np.zeros((4, 4), dtype=bool)
    limits = _core.SearchLimits(none, none, 4)
    found = _core.DagPosterior.of_score(native, limits, _core.Modularity.structure).log_weights()
    for j in range(4):
        others = [i for i in range(4) if i != j]
        sets = [[others[k] for k in range(3) if rank >> k & 1] for rank in range(8)]
        wanted = [native.local(j, parents) for parents in sets]
        np.testing.assert_allclose(found[j], wanted, rtol=1e-9, atol=1e-9)


def test_samplers_leave_out_the_same_rows() -> None:
    data = table(random_values(9), ([set(), {"B"}], np.repeat([0, 1], [5, 4])))
    assert PartitionMcmc().chosen_score(data) == "mbge"
    assert PartitionMcmc(interventions=False).chosen_score(data) == "bge"
    assert PartitionMcmc(score="nig").chosen_score(data) == "nig"
    assert PartitionMcmc().chosen_score(table(random_values(9))) == "bge"
    theirs = BidagPartitionMcmc().native_for(data)
    assert isinstance(theirs, PartitionMcmc)
    assert theirs.chosen_score(data) == "bge"


@pytest.mark.slow
def test_a_sampler_finds_the_exact_posterior_of_interventional_data() -> None:
    values = random_values(10, 30)
    data = table(values, ([set(), {"B"}, {"C", "D"}], np.repeat([0, 1, 2], 10)))
    exact = ExactPosterior(score="nig", prior="scale_free").posterior(data).edge_probabilities
    given = {"score": "nig", "prior": "scale_free", "iterations": 20_000, "seed": 1}
    found = learn(data, "structure_mcmc", **given).posterior
    assert found is not None
    assert np.abs(found.after(0.1).edge_probabilities - exact).max() < 0.04
