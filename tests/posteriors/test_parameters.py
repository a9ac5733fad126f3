"""Parameters given DAGs: against integrals, multivariate t densities, the score bge and moments."""

from __future__ import annotations

import numpy as np
import pytest
from all_graphs import all_dags
from scipy import linalg, stats

from dagathlon.data import Dataset, Variable
from dagathlon.errors import DataError
from dagathlon.graphs import Graph
from dagathlon.learners.score.scores import score_graph
from dagathlon.posteriors import Sample
from dagathlon.posteriors.parameters import (
    NormalInverseGamma,
    NormalWishart,
    likeliest,
)

NAMES = ("a", "b", "c")
DAG = Graph.from_edges([("a", "b"), ("a", "c"), ("b", "c")], names=NAMES)


def rows(n: int, seed: int = 1, *, set_to: str = "") -> Dataset:
    """Correlated rows with a mean; in the last third the variables of `set_to` were set."""
    rng = np.random.default_rng(seed)
    values = rng.normal(size=(n, 3)) @ rng.normal(size=(3, 3)) + 0.7
    regimes = None
    if set_to:
        last = np.arange(n) >= n - n // 3
        values[np.ix_(last, [NAMES.index(name) for name in set_to])] = 2.0
        regimes = ([[], list(set_to)], last.astype(int))
    return Dataset([Variable(name) for name in NAMES], values=values, regimes=regimes)


def many(dag: Graph, count: int) -> Sample:
    one = Sample.of([dag], names=NAMES)
    return Sample(NAMES, one.form, np.repeat(one.bits, count, axis=0))


def dense(sample: Sample) -> tuple[np.ndarray, np.ndarray]:
    pairs = [sample.parameters_at(k) for k in range(len(sample))]
    return np.array([pair[0] for pair in pairs]), np.array([pair[1] for pair in pairs])


def kept(data: Dataset, node: str) -> np.ndarray:
    """The rows in which a node was not set."""
    if data.intervened is None:
        return np.asarray(data.values)
    return np.asarray(data.values[~data.intervened[:, NAMES.index(node)]])


def node_blocks(dag: Graph, data: Dataset, precision: float) -> list[tuple[np.ndarray, np.ndarray]]:
    """Values of each node and their covariance given its parents, in units of the noise."""
    found = []
    for node in NAMES:
        table = kept(data, node)
        parents = table[:, [NAMES.index(name) for name in dag.parents(node)]]
        cover = np.eye(len(table)) + parents @ parents.T / precision
        found.append((table[:, NAMES.index(node)], cover))
    return found


@pytest.mark.parametrize("set_to", ["", "b", "bc"])
def test_evidence_is_a_product_of_t_densities(set_to: str) -> None:
    """Normal rows with an inverse-gamma scale are multivariate t."""
    data, prior = rows(7, set_to=set_to), NormalInverseGamma(3.0, 0.8, 2.0)
    scale = {"df": 6.0}
    for dag in all_dags("abc")[::6]:
        blocks = node_blocks(dag, data, 2.0)
        each = sum(
            stats.multivariate_t(np.zeros(len(x)), 0.8 / 3.0 * cover, **scale).logpdf(x)
            for x, cover in blocks
        )
        assert prior.log_evidence(dag, data) == pytest.approx(each, rel=1e-10)
        joined = np.concatenate([x for x, _ in blocks])
        shape = linalg.block_diag(*(cover for _, cover in blocks)) * 0.8 / 3.0
        pooled = stats.multivariate_t(np.zeros(len(joined)), shape, **scale).logpdf(joined)
        same = NormalInverseGamma(3.0, 0.8, 2.0, equal_variances=True)
        assert same.log_evidence(dag, data) == pytest.approx(pooled, rel=1e-10)


def test_evidence_is_an_integral() -> None:
    data = Dataset([Variable("a"), Variable("b")], values=rows(4).values[:, :2])
    x, y = data.values.T

    # The sum over a fine grid of a smooth function that vanishes at the ends is nearly exact.
    logs, weights = np.linspace(-6, 8, 1201), np.linspace(-15, 15, 1501)
    variance, grid = np.exp(logs), weights[:, None]
    prior = stats.invgamma.pdf(variance, 4, scale=0.5) * variance
    root = prior * np.exp(-(x @ x) / (2 * variance)) / (2 * np.pi * variance) ** 2
    squares = ((y - grid * x) ** 2).sum(axis=1)[:, None] + weights[:, None] ** 2
    child = prior * np.exp(-squares / (2 * variance)) / (2 * np.pi * variance) ** 2.5
    alone = root.sum() * (logs[1] - logs[0])
    with_arc = child.sum() * (logs[1] - logs[0]) * (weights[1] - weights[0])
    dag = Graph.from_edges([("a", "b")], names=("a", "b"))
    found = NormalInverseGamma().log_evidence(dag, data)
    assert found == pytest.approx(np.log(with_arc) + np.log(alone), abs=1e-8)


@pytest.mark.parametrize(("iss_mu", "iss_w"), [(1.0, None), (0.3, 7.5)])
def test_wishart_evidence_is_the_score_bge(iss_mu: float, iss_w: float | None) -> None:
    data, prior = rows(12), NormalWishart(iss_mu, iss_w)
    for dag in all_dags("abc"):
        score = score_graph(data, dag, "bge", iss_mu=iss_mu, iss_w=iss_w).total
        assert prior.log_evidence(dag, data) == pytest.approx(score, rel=1e-10)


def test_wishart_evidence_without_the_rows_of_an_intervention() -> None:
    """A node's factor is that of the score on the rows in which it was not set."""
    data = rows(12, set_to="b")
    free = Dataset(data.variables, values=data.values[:8])
    every = Dataset(data.variables, values=data.values)
    terms = [score_graph(part, DAG, "bge").by_node for part in (every, free, every)]
    expected = sum(term[node] for term, node in zip(terms, NAMES, strict=True))
    assert NormalWishart().log_evidence(DAG, data) == pytest.approx(expected, rel=1e-10)


@pytest.mark.parametrize("equal", [False, True])
def test_draws_of_normal_inverse_gamma(equal: bool) -> None:
    """Means and variances of the draws are those of the posterior, within four standard errors."""
    data, count = rows(9, set_to="b"), 4000
    prior = NormalInverseGamma(3.0, 0.8, 2.0, equal_variances=equal)
    found = prior.draw(many(DAG, count), data, np.random.default_rng(5))
    weights, variances = dense(found)
    shapes, rates, means, roots = [], [], [], []
    for j, node in enumerate(NAMES):
        table = kept(data, node)
        chosen = table[:, [NAMES.index(name) for name in DAG.parents(node)]]
        inner = chosen.T @ chosen + 2.0 * np.eye(chosen.shape[1])
        mean = np.linalg.solve(inner, chosen.T @ table[:, j])
        shapes.append(len(table) / 2)
        rates.append((table[:, j] @ table[:, j] - mean @ inner @ mean) / 2)
        means.append(mean)
        roots.append(np.linalg.inv(inner))
    assert shapes[1] < shapes[0]
    if equal:
        assert np.all(variances == variances[:, :1])
        shapes, rates = [sum(shapes)] * 3, [sum(rates)] * 3
    for j in range(3):
        shape, rate = 3.0 + shapes[j], 0.8 + rates[j]
        law = stats.invgamma(shape, scale=rate)
        error = law.std() / np.sqrt(count)
        assert abs(variances[:, j].mean() - law.mean()) < 4 * error
        drawn = weights[:, :j, j]
        cover = law.mean() * roots[j]
        errors = np.sqrt(np.diag(cover) / count)
        assert np.all(np.abs(drawn.mean(axis=0) - means[j]) < 4 * errors)
        if j == 2:
            # Coefficients are multivariate t, whose fourth moments are larger than normal ones.
            seen = (drawn - means[2]).T @ (drawn - means[2]) / count
            loose = np.sqrt(np.outer(np.diag(cover), np.diag(cover)) * 4 / count)
            assert np.all(np.abs(seen - cover) < 4 * loose)


def test_draws_of_the_wishart_prior_imply_an_inverse_wishart() -> None:
    """The covariance matrix that a complete DAG implies has the mean of that distribution."""
    data, count = rows(15), 4000
    found = NormalWishart(1.0, 9.0).draw(many(DAG, count), data, np.random.default_rng(6))
    weights, variances = dense(found)
    effects = np.linalg.inv(np.eye(3) - weights)
    covers = np.einsum("dki,dk,dkj->dij", effects, variances, effects)
    centred = data.values - data.values.mean(axis=0)
    scale = centred.T @ centred + 0.5 * (9 - 3 - 1) * np.eye(3)
    errors = covers.std(axis=0) / np.sqrt(count)
    assert np.all(np.abs(covers.mean(axis=0) - scale / (9 + 15 - 3 - 1)) < 4 * errors)


def test_each_draw_has_the_parameters_of_its_own_dag() -> None:
    dags = all_dags("abc")
    sample = Sample.of(dags, names=("c", "a", "b"), log_weights=np.arange(25.0), markov=True)
    with_rows = rows(100_000, seed=3)
    best = likeliest(sample, with_rows, centred=False)
    found = NormalInverseGamma().draw(sample, with_rows, np.random.default_rng(0))
    assert found.markov
    np.testing.assert_array_equal(found.log_weights, sample.log_weights)
    for (weights, noise), (near, near_noise) in zip(
        (found.parameters_at(k) for k in range(25)),
        (best.parameters_at(k) for k in range(25)),
        strict=True,
    ):
        np.testing.assert_allclose(weights, near, atol=0.05)
        np.testing.assert_allclose(noise, near_noise, rtol=0.05)


@pytest.mark.parametrize("centred", [True, False])
def test_likeliest_is_least_squares(centred: bool) -> None:
    data = rows(12, set_to="b")
    weights, variances = dense(likeliest(Sample.of([DAG]), data, centred=centred))
    for j, node in enumerate(NAMES):
        table = kept(data, node)
        design = table[:, :j]
        if centred:
            design = np.column_stack([design, np.ones(len(table))])
        solved = np.linalg.lstsq(design, table[:, j], rcond=None)[0]
        rest = table[:, j] - design @ solved
        np.testing.assert_allclose(weights[0, :j, j], solved[:j], rtol=1e-9)
        assert variances[0, j] == pytest.approx(rest @ rest / len(table))


def test_likeliest_with_fewer_rows_than_parents() -> None:
    """The shortest solution in units of the parents' own sizes, and no noise."""
    data = rows(1)
    weights, variances = dense(likeliest(Sample.of([DAG]), data, centred=False))
    x, y, z = data.values[0]
    np.testing.assert_allclose(weights[0, :2, 2], [z / x / 2, z / y / 2], rtol=1e-9)
    assert variances[0, 2] == pytest.approx(0.0, abs=1e-12)


def test_bad_input_gets_a_reason() -> None:
    prior, rng, one = NormalInverseGamma(), np.random.default_rng(0), Sample.of([DAG])
    variables = [Variable(name) for name in NAMES]
    with pytest.raises(DataError, match="at least one row"):
        prior.draw(one, Dataset(variables, values=np.empty((0, 3))), rng)
    holes = np.full((4, 3), np.nan)
    with pytest.raises(DataError, match="missing values"):
        likeliest(one, Dataset(variables, values=holes))
    discrete = Dataset([Variable(name, ("0", "1")) for name in NAMES], codes=np.zeros((4, 3), int))
    with pytest.raises(DataError, match="continuous data"):
        prior.log_evidence(DAG, discrete)
    other = Dataset([Variable(name) for name in "abx"], values=np.ones((4, 3)))
    with pytest.raises(DataError, match="only in the draws: c; only in the data: x"):
        prior.draw(one, other, rng)
    everywhere = Dataset(variables, values=np.ones((4, 3)), regimes=([["b"]], np.zeros(4, int)))
    with pytest.raises(DataError, match="b was set in every row"):
        likeliest(one, everywhere)
    for wrong in ({"shape": 0.0}, {"rate": -1.0}, {"precision": float("nan")}):
        with pytest.raises(DataError, match="above 0"):
            NormalInverseGamma(**wrong)
    with pytest.raises(DataError, match="iss_w: found 4, expected a number above 4"):
        NormalWishart(iss_w=4.0).log_evidence(DAG, rows(5))
