"""The exact posterior against an enumeration of its own: each weight, prior and kind of data."""

from __future__ import annotations

import math
from typing import Any

import dag_oracle as oracle
import numpy as np
import pytest
from dag_oracle import Bools, Enumerated, Floats
from scipy.stats import chi2

from dagathlon.data import Dataset, Variable
from dagathlon.errors import DagathlonError, DataError
from dagathlon.graphs import Graph, cpdag, members
from dagathlon.graphs.knowledge import Knowledge
from dagathlon.learners import learn
from dagathlon.learners.bayesian.exact_posterior import ExactPosterior
from dagathlon.posteriors import MarginalPosterior, Sample, read_posterior, write_posterior
from dagathlon.posteriors.exact_sums import ExactSums
from dagathlon.posteriors.parameters import NormalInverseGamma, NormalWishart

WEIGHTS = ["bge", "bde", "nig", "equal"]
PRIORS = ["uniform", "er", "scale_free", "fair"]
TOLERANCE = 1e-10


def variables(d: int, levels: tuple[int, ...] = ()) -> list[Variable]:
    names = "ABCDEFGH"[:d]
    if not levels:
        return [Variable(name) for name in names]
    return [Variable(n, tuple(map(str, range(k)))) for n, k in zip(names, levels, strict=True)]


def made(d: int, discrete: bool, targets: bool, seed: int = 0) -> tuple[Dataset, Bools]:
    """Data, and in which rows each variable was not set."""
    rng = np.random.default_rng([d, seed])
    rows = 24
    values = rng.normal(size=(rows, d)) + 0.3
    for j in range(1, d):
        values[:, j] += 0.7 * values[:, j - 1]
    kept = np.ones((rows, d), dtype=bool)
    regimes = None
    if targets:
        kept[8:14, 0], kept[14:, 1:3] = False, False
        names = "ABCDEFGH"
        regimes = ([set(), {names[0]}, {names[1], names[2]}], np.repeat([0, 1, 2], [8, 6, 10]))
    if not discrete:
        return Dataset(variables(d), values=values, regimes=regimes), kept
    levels = tuple(2 + (j % 2) for j in range(d))
    codes = np.stack([np.digitize(values[:, j], [0.0, 1.0][: k - 1]) for j, k in enumerate(levels)])
    codes = codes.T.astype(np.uint8)
    return Dataset(variables(d, levels), codes=codes, regimes=regimes), kept


def learner(weight: str, prior: str = "uniform", **more: Any) -> ExactPosterior:
    prior_settings = {"prior": prior} | ({"edges_per_node": 0.5} if prior == "er" else {})
    if weight == "equal":
        return ExactPosterior(variances="equal", **prior_settings, **more)
    return ExactPosterior(score=weight, **prior_settings, **more)  # type: ignore[arg-type]


def likelihoods(weight: str, data: Dataset, kept: Bools) -> Floats:
    d = len(data.names)
    if weight == "bde":
        return oracle.log_likelihoods(d, oracle.bde_family(data.codes, data.arities, kept))
    if weight == "bge":
        return oracle.log_likelihoods(d, oracle.bge_family(data.values, kept))
    if weight == "nig":
        return oracle.log_likelihoods(d, oracle.nig_family(data.values, kept))
    shape = 4 + kept.sum() / 2
    found = oracle.log_likelihoods(d, oracle.pooled_family(data.values, kept), shape, 0.5)
    return found + math.lgamma(shape) - math.lgamma(4) + 4 * math.log(0.5)


def assert_same(found: ExactSums, truth: Enumerated) -> None:
    assert found.log_evidence == pytest.approx(truth.log_evidence, abs=TOLERANCE)
    np.testing.assert_allclose(found.edge_probabilities, truth.edges, rtol=0, atol=TOLERANCE)
    np.testing.assert_allclose(found.path_probabilities, truth.paths, rtol=0, atol=TOLERANCE)
    assert found.entropy == pytest.approx(truth.entropy, abs=TOLERANCE)
    best = truth.dags[np.argmax(truth.shares)]
    weight = found.log_weight(Graph.from_adjacency(found.names, best))
    assert found.log_weight(found.map()) == pytest.approx(weight, abs=TOLERANCE)
    assert math.exp(weight - found.log_partition) == pytest.approx(truth.shares.max())
    # A sum over nodes that the probabilities of edges do not give.
    degrees = truth.dags.sum(axis=1)
    measured = found.expect_by_family(lambda node, parents: len(parents) ** 2 * (node != "A"))
    assert measured == pytest.approx(truth.shares @ (degrees**2)[:, 1:].sum(axis=1), abs=TOLERANCE)
    wanted = truth.classes()
    classes = found.classes
    sample = classes.chains[0]
    assert isinstance(sample, Sample)
    keys = [oracle.class_of(arcs) for arcs in sample.packing.adjacency(sample.bits)]
    assert len(set(keys)) == len(keys) == len(wanted) == {4: 185, 5: 8782}[len(found.names)]
    shares = [wanted[key] for key in keys]
    np.testing.assert_allclose(classes.weights[0], shares, rtol=0, atol=TOLERANCE)


@pytest.mark.parametrize("targets", [False, True])
@pytest.mark.parametrize("prior", PRIORS)
@pytest.mark.parametrize("weight", WEIGHTS)
def test_four_variables(weight: str, prior: str, targets: bool) -> None:
    data, kept = made(4, weight == "bde", targets)
    truth = oracle.enumerated(4, likelihoods(weight, data, kept), oracle.log_priors(4)[prior])
    assert_same(learner(weight, prior).posterior(data), truth)


@pytest.mark.slow
@pytest.mark.parametrize("targets", [False, True])
@pytest.mark.parametrize("weight", WEIGHTS)
def test_five_variables(weight: str, targets: bool) -> None:
    data, kept = made(5, weight == "bde", targets)
    found = likelihoods(weight, data, kept)
    for prior in PRIORS:
        truth = oracle.enumerated(5, found, oracle.log_priors(5)[prior])
        assert_same(learner(weight, prior).posterior(data), truth)


def restricted(arcs: Bools) -> Bools:
    """Whether A → B is there and C → A is not, with at most two parents for each node."""
    return arcs[:, 0, 1] & ~arcs[:, 2, 0] & (arcs.sum(axis=1).max(axis=1) <= 2)


@pytest.mark.parametrize("weight", ["bge", "equal"])
def test_constraints_are_part_of_the_prior(weight: str) -> None:
    data, kept = made(4, False, False)
    knowledge = Knowledge(required=frozenset({("A", "B")}), forbidden=frozenset({("C", "A")}))
    found = learner(weight, "er", max_parents=2, constraints=knowledge).posterior(data)
    prior = np.where(restricted(oracle.all_dags(4)), oracle.log_priors(4)["er"], -np.inf)
    truth = oracle.enumerated(4, likelihoods(weight, data, kept), prior)
    assert found.log_evidence == pytest.approx(truth.log_evidence, abs=TOLERANCE)
    np.testing.assert_allclose(found.edge_probabilities, truth.edges, rtol=0, atol=TOLERANCE)
    wanted = {key: share for key, share in truth.classes().items() if share > 0}
    assert len(found.classes.chains[0]) == len(wanted)
    one = Graph.from_edges(["A -> B", "B -> C"], names=data.names)
    key = oracle.class_of(one.adjacency != 0)
    assert found.class_probability(one) == pytest.approx(wanted[key], abs=TOLERANCE)
    both = found.probability(present=["B -> C"], absent=["A -> D"])
    holds = truth.dags[:, 1, 2] & ~truth.dags[:, 0, 3]
    assert both == pytest.approx(truth.shares[holds].sum(), abs=TOLERANCE)


def test_arcs_of_their_own_probability_have_an_evidence_too() -> None:
    data, kept = made(4, False, False)
    arcs = (("A", "B", 0.7), ("D", "C", 0.1))
    found = ExactPosterior(score="nig", prior="cs", arc_probabilities=arcs).posterior(data)
    odds = np.zeros((4, 4))
    odds[0, 1], odds[1, 0] = math.log(0.7 / 0.15), 0.0
    odds[3, 2], odds[2, 3] = math.log(0.1 / 0.45), 0.0
    prior = np.einsum("kij,ij->k", oracle.all_dags(4), odds)
    truth = oracle.enumerated(4, likelihoods("nig", data, kept), prior)
    assert found.log_evidence == pytest.approx(truth.log_evidence, abs=TOLERANCE)


def test_an_order_counts_in_the_evidence_of_orders() -> None:
    """Of two variables: the empty DAG has two orders, the others one each."""
    data = made(2, False, False)[0]
    found = ExactPosterior(score="nig", modularity="order").posterior(data)
    dags = [Graph.from_edges(edges, names=data.names) for edges in ([], ["A -> B"], ["B -> A"])]
    weights = np.exp([found.log_weight(dag) - found.log_partition for dag in dags])
    assert weights @ [2, 1, 1] == pytest.approx(1)
    assert found.log_evidence == pytest.approx(found.log_partition - math.log(4))


@pytest.mark.parametrize("weight", ["nig", "equal"])
def test_the_order_of_columns_does_not_matter(weight: str) -> None:
    data = made(5, False, True)[0]
    turned = data.select(("D", "A", "E", "C", "B"))
    mine, other = (learner(weight, "fair").posterior(table) for table in (data, turned))
    assert mine.log_evidence == pytest.approx(other.log_evidence, abs=TOLERANCE)
    assert mine.entropy == pytest.approx(other.entropy, abs=TOLERANCE)
    place = [turned.names.index(name) for name in data.names]
    for matrix in ("edge_probabilities", "path_probabilities"):
        left, right = getattr(mine, matrix), getattr(other, matrix)[np.ix_(place, place)]
        np.testing.assert_allclose(left, right, rtol=0, atol=TOLERANCE)
    assert mine.map() == other.map().subgraph(data.names)
    best = mine.classes.map()
    assert other.class_probability(best) == pytest.approx(mine.class_probability(best))


@pytest.mark.parametrize("weight", ["nig", "equal"])
def test_frequencies_of_draws_fit_the_probabilities(weight: str) -> None:
    """Chi-square over all 25 DAGs of three variables, by its 99.9 % point."""
    data, kept = made(3, False, False)
    truth = oracle.enumerated(
        3, likelihoods(weight, data, kept), oracle.log_priors(3)["scale_free"]
    )
    found = learner(weight, "scale_free").posterior(data).drawn(20_000, seed=4)
    drawn = found.packing.adjacency(found.bits).reshape(-1, 9) @ (1 << np.arange(9))
    number = {
        int(code): k for k, code in enumerate(truth.dags.reshape(-1, 9) @ (1 << np.arange(9)))
    }
    counts = np.bincount([number[int(code)] for code in drawn], minlength=25)
    expected = truth.shares * 20_000
    often = expected >= 5
    seen = np.append(counts[often], counts[~often].sum())
    wanted = np.append(expected[often], expected[~often].sum())
    statistic = ((seen - wanted) ** 2 / np.maximum(wanted, 1e-3)).sum()
    assert statistic < chi2.ppf(0.999, often.sum())


@pytest.mark.parametrize("weight", ["nig", "equal", "bge"])
def test_draws_have_parameters_of_the_score(weight: str) -> None:
    data = made(4, False, True)[0]
    found = learn(
        data,
        "exact_posterior",
        **({"variances": "equal"} if weight == "equal" else {"score": weight}),
        draws=50,
        draw_parameters="score",
        seed=3,
    ).posterior
    assert isinstance(found, ExactSums)
    model: NormalInverseGamma | NormalWishart = NormalWishart()
    if weight != "bge":
        model = NormalInverseGamma(equal_variances=weight == "equal")
    sample = found.chains[0]
    assert isinstance(sample, Sample)
    assert sample.parameters is not None
    variances = sample.parameters.variances
    assert np.all(variances[:, 0] == variances[:, 1]) == (weight == "equal")
    dag = sample.graph_at(0)
    assert found.log_weight(dag) == pytest.approx(model.log_evidence(dag, data), abs=1e-9)
    again = found.drawn(50, 9, model).parameters
    assert again is not None
    assert np.array_equal(again.variances, found.drawn(50, 9, model).parameters.variances)  # type: ignore[union-attr]


def test_the_evidence_is_kept_in_files(tmp_path: Any) -> None:
    found = learner("equal").posterior(made(3, False, False)[0])
    write_posterior(found, tmp_path / "posterior.npz")
    kept = read_posterior(tmp_path / "posterior.npz")
    assert type(kept) is MarginalPosterior
    assert kept == found
    assert kept.log_evidence == found.log_evidence
    assert math.isfinite(kept.log_evidence)


@pytest.mark.slow
@pytest.mark.parametrize("variances", ["own", "equal"])
def test_six_variables(variances: Any) -> None:
    """All 3,781,503 DAGs and 1,067,825 classes, each counted once."""
    data = made(6, False, True)[0]
    found = ExactPosterior(score="nig", prior="fair", variances=variances).posterior(data)
    listed = found.enumerated()
    assert listed.n_draws == 3_781_503
    assert len(found.classes.chains[0]) == 1_067_825
    np.testing.assert_allclose(found.edge_probabilities, listed.edge_probabilities, atol=TOLERANCE)
    shares = listed.weights[0]
    entropy = -math.fsum(shares[shares > 0] * np.log(shares[shares > 0]))
    assert found.entropy == pytest.approx(entropy, abs=1e-9)
    best = found.map()
    weight = math.exp(found.log_weight(best) - found.log_partition)
    assert weight == pytest.approx(shares.max())
    # The class of a DAG by its members, listed in another way.
    total = sum(
        math.exp(found.log_weight(dag) - found.log_partition) for dag in members(cpdag(best))
    )
    assert found.class_probability(best) == pytest.approx(total, abs=TOLERANCE)


@pytest.mark.parametrize("rows", [1, 2])
@pytest.mark.parametrize("weight", ["nig", "equal"])
def test_few_rows_and_constant_columns_have_a_posterior(weight: str, rows: int) -> None:
    values = made(4, False, False)[0].values[:rows].copy()
    values[:, 2] = 1.0
    data = Dataset(variables(4), values=values)
    kept = np.ones((rows, 4), dtype=bool)
    truth = oracle.enumerated(4, likelihoods(weight, data, kept), oracle.log_priors(4)["uniform"])
    assert_same(learner(weight).posterior(data), truth)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"variances": "equal", "score": "bge"}, "prior of nig, not of score bge"),
        ({"variances": "equal", "modularity": "order"}, "counts each DAG once"),
        ({"draw_parameters": "nig"}, "draw_parameters needs draws"),
        ({"draw_parameters": "score", "draws": 3, "score": "bic-g"}, "bic-g has no parameters"),
        ({"prior": "scale-free"}, "did you mean 'scale_free'"),
        ({"prior": "er", "edges_per_node": 3}, "edges_per_node: found 3"),
        ({"score": "nig", "nig_shape": 0}, "nig_shape: found 0"),
    ],
)
def test_settings_that_cannot_be(given: dict[str, Any], message: str) -> None:
    with pytest.raises(DagathlonError, match=message):
        learn(made(4, False, False)[0], "exact_posterior", **given)


def test_data_that_cannot_be() -> None:
    seven = made(7, False, False)[0]
    with pytest.raises(DataError, match="at most 6 variables, not 7; choose fewer"):
        learn(seven, "exact_posterior", variances="equal")
    with pytest.raises(DataError, match="at most 6 variables"):
        _ = learner("nig").posterior(seven).classes
    with pytest.raises(DataError, match="continuous"):
        learn(made(4, True, False)[0], "exact_posterior", variances="equal")
    with pytest.raises(DataError, match="rows"):
        learn(seven[:0], "exact_posterior", score="nig")
