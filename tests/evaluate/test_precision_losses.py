"""Losses of precision matrices: by hand, by invariance, by rows of the true model."""

from __future__ import annotations

import numpy as np
import pytest

from dagathlon.cli import main
from dagathlon.data import Dataset, LinearSem, Variable
from dagathlon.data.models.multivariate_normal import MultivariateNormal
from dagathlon.data.writing.precision_file import write_precision
from dagathlon.errors import DataError
from dagathlon.evaluate import compare_precision, cross_entropy, precision_losses
from dagathlon.evaluate.models.precision_losses import fitted_normal
from dagathlon.evaluate.steps import HeldOut
from dagathlon.graphs import Graph
from dagathlon.learners.base import Estimate

LOOP = ["a - b", "b - c", "c - d", "d - a"]


def random_covariance(seed: int, p: int = 4) -> np.ndarray:
    factor = np.random.default_rng(seed).standard_normal((p, 2 * p))
    return factor @ factor.T / (2 * p)


def test_one_variable_by_hand() -> None:
    found = precision_losses(np.array([[2.0]]), np.array([[3.0]]))
    assert found["precision_kl"] == pytest.approx((6 - np.log(6) - 1) / 2)
    assert found["precision_stein"] == pytest.approx(1 / 6 + np.log(6) - 1)
    assert found["precision_quadratic"] == pytest.approx(25)
    assert found["precision_frobenius"] == pytest.approx(2 - 1 / 3)
    assert found["precision_relative"] == pytest.approx(5)


def test_formulas_and_units() -> None:
    true, other = random_covariance(1), random_covariance(2)
    precision = np.linalg.inv(other)
    found = precision_losses(precision, true)
    product = true @ precision
    log_det = np.linalg.slogdet(product)[1]
    assert found["precision_kl"] == pytest.approx((np.trace(product) - log_det - 4) / 2)
    turned = precision_losses(np.linalg.inv(true), other)
    assert found["precision_stein"] == pytest.approx(2 * turned["precision_kl"])
    apart = product - np.eye(4)
    assert found["precision_quadratic"] == pytest.approx(np.trace(apart @ apart))
    units = np.diag([1.0, 10.0, 0.1, 3.0])
    back = np.linalg.inv(units)
    again = precision_losses(back @ precision @ back, units @ true @ units)
    for name in ("precision_kl", "precision_stein", "precision_quadratic"):
        assert again[name] == pytest.approx(found[name])
    assert precision_losses(np.linalg.inv(true), true) == pytest.approx(
        dict.fromkeys(found, 0.0), abs=1e-9
    )
    with pytest.raises(DataError, match="positive definite"):
        precision_losses(np.diag([1.0, -1, 1, 1]), true)


def test_divergence_is_the_expected_loss_of_log_likelihood() -> None:
    model = MultivariateNormal("abcd", random_covariance(3))
    rows = model.sample(40_000, np.random.default_rng(5))
    rough = np.linalg.inv(random_covariance(4))
    row = compare_precision(rough, model, data=rows, test_data=rows)
    best = compare_precision(np.linalg.inv(model.covariance()), model, data=rows, test_data=rows)
    gained = best["precision_log_likelihood"] - row["precision_log_likelihood"]
    assert gained == pytest.approx(row["precision_kl"], rel=0.05)
    assert row["precision_how"] == "own"


def test_a_graph_without_a_matrix_is_fitted() -> None:
    sem = LinearSem("abcd", np.diag([0.8, -0.5, 1.0], 1))
    data = sem.sample(500, np.random.default_rng(1))
    loop = Graph.from_edges(LOOP)
    found = fitted_normal(loop, data)
    inverse = np.linalg.inv(found.precision)
    sample = np.cov(data.values.T, bias=True)
    joined = (loop.adjacency != 0) | np.eye(4, dtype=bool)
    np.testing.assert_allclose(inverse[joined], sample[joined], rtol=1e-6)
    np.testing.assert_allclose(found.precision[~joined], 0, atol=1e-6)
    chain = compare_precision(Estimate(sem.graph), sem, data=data)
    moral = Graph.from_edges(["a - b", "b - c", "c - d"])
    assert chain["precision_kl"] == pytest.approx(
        compare_precision(Estimate(moral), sem, data=data)["precision_kl"], rel=1e-6
    )
    assert chain["precision_how"] == "fitted"
    scaled = compare_precision(Estimate(moral), sem, data=data, scaled=True)
    assert scaled["precision_kl"] > chain["precision_kl"]


def test_cross_entropy_of_a_normal_distribution_is_its_entropy_and_the_divergence() -> None:
    model = MultivariateNormal("abcd", random_covariance(6))
    data = model.sample(100, np.random.default_rng(2))
    entropy = 2 * np.log(2 * np.pi * np.e) + np.linalg.slogdet(model.covariance())[1] / 2
    means = data.values.mean(axis=0)
    for edges, close in ((["a - b", "b - c", "c - d"], 0.01), (LOOP, 1e-9)):
        graph = Graph.from_edges(edges)
        found = cross_entropy(graph, data, model)
        row = compare_precision(Estimate(graph), model, data=data)
        apart = means @ fitted_normal(graph, data).precision @ means / 2
        assert found.how == "exact"
        assert found.value == pytest.approx(entropy + row["precision_kl"] + apart, rel=close)
    fresh = model.sample(4000, np.random.default_rng(3))
    sampled = cross_entropy(Graph.from_edges(LOOP), data, fresh)
    assert abs(sampled.value - found.value) < 4 * sampled.error
    row = HeldOut().compute(data, fresh, Estimate(Graph.from_edges(LOOP)))
    assert row["held_out_log_likelihood"] == pytest.approx(-sampled.value)


def test_what_has_no_losses() -> None:
    levels = Dataset([Variable("a", ("0", "1")), Variable("b", ("0", "1"))], np.zeros((3, 2), int))
    with pytest.raises(DataError, match="continuous data"):
        compare_precision(Estimate(Graph("ab")), data=levels)
    with pytest.raises(DataError, match="learned from"):
        compare_precision(Estimate(Graph("ab")))
    with pytest.raises(DataError, match="give both"):
        compare_precision(np.eye(2))
    row = compare_precision(Estimate(Graph("ab"), precision=np.eye(2)), model="no model")
    assert row["precision_kl"] is None
    assert "not Gaussian" in row["precision_note"]
    rows = Dataset.from_numpy(np.eye(3, 2), names=["a", "b"])
    row = compare_precision(Estimate(Graph("ab"), precision=-np.eye(2)), data=rows, test_data=rows)
    assert row["precision_log_likelihood"] is None
    assert "not positive definite" in row["precision_note"]


def test_the_command_compares_matrices(tmp_path, capsys) -> None:  # type: ignore[no-untyped-def]
    (tmp_path / "g.txt").write_text("a - b\n")
    write_precision("ab", [[2.0, 0.0], [0.0, 3.0]], tmp_path / "k.csv")
    write_precision("ba", [[3.0, 0.0], [0.0, 2.0]], tmp_path / "t.csv")
    graph = str(tmp_path / "g.txt")
    files = [str(tmp_path / "k.csv"), str(tmp_path / "t.csv")]
    assert main(["compare", graph, graph, "--precision", *files]) == 0
    shown = dict(line.split()[:2] for line in capsys.readouterr().out.splitlines())
    assert float(shown["precision_kl"]) == pytest.approx(0, abs=1e-12)
    write_precision("bc", np.eye(2), tmp_path / "t.csv")
    assert main(["compare", graph, graph, "--precision", *files]) != 0
    assert "different variables: a, c" in capsys.readouterr().err
