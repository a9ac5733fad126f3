"""Psi-learning: the scores, the mixture, the rate of false discoveries, and what equSA gives."""

from __future__ import annotations

import json
from math import lgamma, log
from pathlib import Path

import numpy as np
import pytest

from dagathlon import _core
from dagathlon.data import Dataset
from dagathlon.learners.base import Estimate
from dagathlon.learners.run import run_learner
from dagathlon.learners.undirected.false_discovery import evidence, threshold
from dagathlon.learners.undirected.psi_learner import PsiLearner, neighbourhoods, psi_scores

EQUSA = json.loads(Path(__file__).with_name("equsa_scores.json").read_text(encoding="utf-8"))


def _chain(n: int, p: int, seed: int) -> Dataset:
    """Rows of a Gaussian Markov chain."""
    precision = 2 * np.eye(p) + 0.9 * (np.eye(p, k=1) + np.eye(p, k=-1))
    noise = np.random.RandomState(seed).normal(size=(n, p))
    return Dataset.from_numpy(np.linalg.solve(np.linalg.cholesky(precision).T, noise.T).T)


def _learn(learner: PsiLearner, data: Dataset, seed: int = 0) -> Estimate:
    return run_learner(learner, data, np.random.default_rng(seed))


def _edges(found: Estimate) -> list[list[int]]:
    return np.argwhere(np.triu(found.graph.adjacency)).tolist()


def _brute_force(covariance: np.ndarray, around: list[np.ndarray], i: int, j: int, n: int) -> float:
    smaller = around[i] if len(around[i]) < len(around[j]) else around[j]
    rest = [k for k in smaller if k not in (i, j)]
    inverse = np.linalg.inv(covariance[np.ix_([i, j, *rest], [i, j, *rest])])
    partial = -inverse[0, 1] / np.sqrt(inverse[0, 0] * inverse[1, 1])
    return float(0.5 * np.log((1 + partial) / (1 - partial)) * np.sqrt(n - len(rest) - 3))


def test_graph_and_scores_are_those_of_equsa() -> None:
    data = _chain(100, 15, 7)
    found = _learn(PsiLearner(ridge=1e-3), data)
    assert _edges(found) == EQUSA["edges"]
    correlation = np.corrcoef(data.values.T)
    correlated = evidence(np.arctanh(correlation - np.eye(15)) * np.sqrt(97))
    pairs = correlated[np.triu_indices(15, 1)]
    cut = threshold(pairs, 0.05, rng=np.random.default_rng(1))
    around = neighbourhoods(correlated, cut.value, 21)
    scores = psi_scores(np.cov(data.values.T, ddof=0) + 1e-3 * np.eye(15), around, 100)
    assert np.allclose(scores[np.triu_indices(15, 1)], EQUSA["scores"], atol=2e-6)


def test_scores_are_partial_correlations_given_the_smaller_neighbourhood() -> None:
    covariance = np.cov(_chain(30, 7, 1).values.T)
    sets = [[1, 2], [0, 2, 3], [0, 1, 4], [1], [2, 6], [], [4, 5, 0, 1]]
    around = [np.array(sorted(one), dtype=np.int64) for one in sets]
    found = psi_scores(covariance, around, 30)
    for i in range(7):
        for j in range(i + 1, 7):
            assert found[i, j] == pytest.approx(_brute_force(covariance, around, i, j, 30))
    assert np.array_equal(found, found.T)


def test_neighbourhoods_keep_the_strongest() -> None:
    scores = np.array([[0.0, 3.0, 5.0, 4.0], [3.0, 0, 1, 1], [5.0, 1, 0, 1], [4.0, 1, 1, 0]])
    found = neighbourhoods(scores, 2.0, 2)
    assert [one.tolist() for one in found] == [[2, 3], [0], [0], [0]]


def test_evidence_is_the_normal_quantile_of_the_two_sided_p_value() -> None:
    found = evidence(np.array([1.959963984540054, -2.5758293035489004, 0.6744897501960817, 60.0]))
    assert found[:3] == pytest.approx([1.6448536269514722, 2.3263478740408408, 0.0], abs=1e-9)
    assert 59 < found[3] < 60
    assert np.isfinite(evidence(np.zeros(1)))[0]


def _log_density(z: float, location: float, scale: float, shape: float) -> float:
    power = (abs(z - location) / scale) ** shape
    return float(log(shape / (2 * scale)) - lgamma(1 / shape) - power)


def test_each_score_moves_the_mixture_up_its_gradient() -> None:
    parts = np.array([[0.7, 0.1, 1.3, 1.8], [0.3, 2.5, 0.9, 1.1]])
    found = _core.fit_score_mixture([1.2], parts, 3, 5)
    for _ in range(3):
        weights = parts[:, 0] / parts[:, 0].sum()
        shares = weights * np.exp([_log_density(1.2, *part[1:]) for part in parts])
        shares /= shares.sum()
        slopes = np.zeros((2, 3))
        for k in range(2):
            for m in range(3):
                step = 1e-6 * np.eye(3)[m]
                ends = [_log_density(1.2, *(parts[k, 1:] + side * step)) for side in (1, -1)]
                slopes[k, m] = (ends[0] - ends[1]) / 2e-6
        parts[:, 1:] += 0.01 * shares[:, None] * slopes
        parts[:, 0] = np.exp(np.log(parts[:, 0]) + 0.01 * (shares - weights))
    parts[:, 0] /= parts[:, 0].sum()
    assert np.allclose(found, parts, atol=1e-9)


def test_the_threshold_keeps_the_rate_of_false_discoveries() -> None:
    rng = np.random.default_rng(3)
    scores = np.concatenate([rng.normal(size=1900), rng.normal(4.5, 1.0, size=100)])
    found = threshold(scores, 0.1, iterations=20, rng=rng)
    assert found.mixture is not None
    assert found.mixture[0] == pytest.approx([0.95, 0.0, np.sqrt(2), 2.0], abs=0.2)
    kept = np.flatnonzero(scores > found.value)
    assert np.sum(kept >= 1900) >= 80
    assert np.mean(kept < 1900) < 0.2


def test_few_pairs_are_judged_by_the_normal_distribution() -> None:
    scores = np.array([0.1, -1.0, 4.0, 3.5, 0.3])
    found = threshold(scores, 0.05, rng=np.random.default_rng(0))
    assert found.mixture is None
    assert found.value == pytest.approx(1.9)
    assert threshold(scores[:2], 0.05, rng=np.random.default_rng(0)).value == np.inf
    few = _learn(PsiLearner(), _chain(60, 3, 2))
    assert _edges(few) == [[0, 1], [1, 2]]
    assert "too few pairs" in few.notes[0]


def test_the_path_leads_through_the_chosen_graph() -> None:
    found = _learn(PsiLearner(iterations=5), _chain(100, 15, 7))
    path = found.path
    assert path is not None
    assert path.chosen is not None
    assert path.graph(path.chosen) == found.graph
    assert path.n_edges[0] == 0
    assert path.n_edges[-1] > 90
    assert np.all(np.diff(path.n_edges) > 0)


@pytest.mark.slow
def test_edges_are_false_at_about_the_rate_that_was_asked_for() -> None:
    truth = np.eye(40, k=1, dtype=bool)
    rates, powers = [], []
    for seed in range(12):
        found = np.triu(_learn(PsiLearner(), _chain(200, 40, seed), seed).graph.adjacency) > 0
        rates.append((found & ~truth).sum() / max(found.sum(), 1))
        powers.append((found & truth).sum() / 39)
    assert 0.005 < np.mean(rates) < 0.11
    assert np.mean(powers) > 0.95
