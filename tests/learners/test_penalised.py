"""The frame of learners with a path of penalties: inputs, paths, selection."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

from dagathlon.data import Dataset, Variable
from dagathlon.errors import DataError
from dagathlon.learners.base import Estimate
from dagathlon.learners.run import run_learner
from dagathlon.learners.undirected import inputs, selection
from dagathlon.learners.undirected.likelihoods import (
    gaussian_log_likelihoods,
    pseudo_log_likelihoods,
)
from dagathlon.learners.undirected.penalised import GaussianPenalised, PathFit
from dagathlon.learners.undirected.thresholds import CorrelationThreshold


@dataclass(frozen=True, kw_only=True)
class Cut(GaussianPenalised):
    """Correlations above the penalty are edges: the simplest path there is."""

    name = "cut"

    def fit_moments(self, moments: inputs.Moments, penalties: inputs.Vector) -> PathFit:
        """No precision, no likelihood."""
        strength = np.abs(moments.correlation - np.eye(moments.p))
        return PathFit(strength[None] > penalties[:, None, None])


@dataclass(frozen=True, kw_only=True)
class Shrunk(GaussianPenalised):
    """The inverse of correlations drawn to the identity, for criteria that need a precision."""

    name = "shrunk"

    def fit_moments(self, moments: inputs.Moments, penalties: inputs.Vector) -> PathFit:
        """Precision matrices without a zero."""
        mixed = [(moments.correlation + k * np.eye(moments.p)) / (1 + k) for k in penalties]
        precisions = np.array([np.linalg.inv(one) for one in mixed])
        strength = np.abs(moments.correlation - np.eye(moments.p))
        return PathFit(strength[None] > penalties[:, None, None], precisions)


def _chain(n: int = 200, p: int = 5, seed: int = 3) -> Dataset:
    rng = np.random.default_rng(seed)
    noise = rng.normal(size=(n, p))
    values = noise.copy()
    for j in range(1, p):
        values[:, j] += 0.6 * values[:, j - 1]
    return Dataset.from_numpy(values * np.arange(1, p + 1), names=[f"v{j}" for j in range(p)])


def _learn(learner: GaussianPenalised, data: Dataset, seed: int = 0) -> Estimate:
    return run_learner(learner, data, np.random.default_rng(seed))


def _pairs(found: Estimate) -> list[tuple[int, int]]:
    rows, columns = np.nonzero(np.triu(found.graph.adjacency, 1))
    return list(zip(rows.tolist(), columns.tolist(), strict=True))


def test_the_path_goes_from_the_empty_graph_down_and_its_choice_is_the_graph() -> None:
    data = _chain()
    found = _learn(Cut(n_penalties=7, min_ratio=0.1), data)
    path = found.path
    strength = np.abs(np.corrcoef(data.values.T) - np.eye(5))
    assert path is not None
    assert len(path) == 7
    assert path.penalties[0] == pytest.approx(strength.max())
    assert path.penalties[-1] == pytest.approx(0.1 * strength.max())
    assert np.allclose(np.diff(np.log(path.penalties)), np.log(0.1) / 6)
    assert np.array_equal(path.adjacency[3], strength > path.penalties[3])
    assert path.chosen is not None
    assert path.graph(path.chosen) == found.graph
    assert found.stats["penalty"] == path.penalties[path.chosen]


def test_a_given_penalty_is_a_path_of_one_with_nothing_to_select() -> None:
    found = _learn(Cut(penalty=0.3), _chain())
    assert found.path is not None
    assert found.path.penalties.tolist() == [0.3]
    assert found.path.chosen == 0
    assert set(found.stats) == {"penalty"}


def test_precisions_come_in_the_units_of_the_columns() -> None:
    data = _chain()
    found = _learn(Shrunk(penalty=0.0), data)
    assert found.precision is not None
    assert np.allclose(found.precision, np.linalg.inv(np.cov(data.values.T, ddof=0)))
    shrunk = _learn(Shrunk(penalty=0.5), data).precision
    assert shrunk is not None
    mixed = np.cov(data.values.T, ddof=0) + 0.5 * np.diag(data.values.var(0))
    assert np.allclose(shrunk, np.linalg.inv(mixed / 1.5))


@pytest.mark.parametrize("select", ["ebic", "ric", "stars", "cv"])
def test_every_criterion_finds_the_edges_of_a_chain(select: Any) -> None:
    found = _learn(Cut(select=select, stars_samples=5, stars_threshold=0.4), _chain())
    assert set(range(4)) <= {min(j, k) for j, k in _pairs(found) if abs(j - k) == 1}


def test_cross_validation_is_the_mean_likelihood_of_rows_left_out() -> None:
    data = _chain(21)
    learner = Shrunk(select="cv", folds=3, n_penalties=4)
    found = _learn(learner, data)
    assert found.path is not None
    order = np.random.default_rng(0).permutation(21)
    scores = np.zeros(4)
    for fold in range(3):
        part = order[7 * fold : 7 * fold + 7]
        rest = np.delete(data.values, part, axis=0)
        moved = (data.values[part] - rest.mean(0)) / rest.std(0)
        for k, penalty in enumerate(found.path.penalties):
            matrix = (np.corrcoef(rest.T) + penalty * np.eye(5)) / (1 + penalty)
            quadratic = np.sum(moved @ np.linalg.inv(matrix) * moved, axis=1)
            scores[k] -= np.sum(np.log(np.linalg.det(matrix)) + quadratic) / 2
    assert found.path.chosen == int(np.argmax(scores))
    assert found.stats["held_out"] == pytest.approx(scores.max() / 21)


def test_ebic_is_that_of_regressions_on_the_neighbours() -> None:
    data = _chain()
    found = _learn(Shrunk(gamma=0.25), data)
    assert found.path is not None
    columns = inputs.standardised(data.values)
    scores = np.zeros(len(found.path))
    for k, graph in enumerate(found.path.adjacency):
        for j in range(5):
            rest = columns[:, graph[j]]
            fitted = rest @ np.linalg.lstsq(rest, columns[:, j])[0] if graph[j].any() else 0.0
            scores[k] += 200 * (np.log(np.mean((columns[:, j] - fitted) ** 2)) + 1)
        edges = found.path.n_edges[k]
        scores[k] += 2 * edges * np.log(200) + edges * np.log(5)
    assert found.path.chosen == int(np.argmin(scores))
    assert found.stats["ebic"] == pytest.approx(scores.min())


def test_pseudo_likelihoods_are_those_of_regressions() -> None:
    data = _chain()
    columns = inputs.standardised(data.values)
    graph = np.zeros((5, 5), dtype=bool)
    graph[0, 1] = graph[1, 0] = graph[1, 2] = graph[2, 1] = True
    expected = 0.0
    for j in range(5):
        rest = columns[:, graph[j]]
        fitted = rest @ np.linalg.lstsq(rest, columns[:, j])[0] if graph[j].any() else 0.0
        variance = np.mean((columns[:, j] - fitted) ** 2)
        expected -= (np.log(variance) + 1) / 2
    given = inputs.moments(data.values)
    found = pseudo_log_likelihoods(graph[None], given, given.correlation)
    assert found[0] == pytest.approx(expected)
    few = inputs.Moments(given.correlation, given.scales, 3)
    assert pseudo_log_likelihoods(graph[None], few, given.correlation)[0] == -np.inf


def test_stars_stops_before_the_graph_becomes_unstable() -> None:
    assert selection.stars(np.array([0.0, 0.05, 0.2, 0.05]), 0.1) == 1
    assert selection.stars(np.array([0.0, 0.05, 0.08]), 0.1) == 2
    assert selection.stars(np.array([0.3, 0.4]), 0.1) == 0
    joined = np.zeros((4, 1, 3, 3), dtype=bool)
    joined[:3, 0, 0, 1] = joined[:3, 0, 1, 0] = joined[:, 0, 1, 2] = joined[:, 0, 2, 1] = True
    assert selection.instabilities(joined) == pytest.approx([4 * 0.75 * 0.25 / 3])


def test_rotations_shift_each_column_against_the_others() -> None:
    columns = np.random.default_rng(0).normal(size=(7, 3))
    largest = []
    for shift in (2, 5):
        moved = np.roll(columns, -shift, axis=0)
        pairs = [(i, j) for i in range(3) for j in range(3) if i != j]
        largest.append(max(abs(moved[:, i] @ columns[:, j]) for i, j in pairs) / 7)
    assert selection.rotation_penalty(columns, [2, 5]) == pytest.approx(min(largest))
    assert set(selection.shifts(50, 10, np.random.default_rng(1))) <= set(range(1, 50))
    assert selection.shifts(4, 10, np.random.default_rng(1)).tolist() == [1, 2, 3]


def test_ric_puts_its_penalty_on_the_path() -> None:
    found = _learn(Cut(select="ric", n_penalties=5), _chain())
    assert found.path is not None
    assert found.path.chosen is not None
    assert len(found.path) == 6
    assert 0.02 < found.path.penalties[found.path.chosen] < 0.25


def test_rotated_ranks_become_correlations_of_gaussian_columns() -> None:
    data = _chain(40)
    found = Cut(relation="spearman", stars_samples=39).ric_penalty(data, np.random.default_rng(0))
    largest = []
    for shift in range(1, 40):
        both = np.hstack([data.values, np.roll(data.values, shift, axis=0)])
        latent = inputs.moments(both, "spearman").correlation[:5, 5:]
        largest.append(np.abs(latent - np.diag(np.diag(latent))).max())
    assert found == pytest.approx(min(largest), rel=0.02)


def test_matrices_with_two_negative_eigenvalues_have_no_likelihood() -> None:
    precisions = [np.diag([1.0, 2.0, 3.0]), np.diag([-1.0, -2.0, 3.0])]
    found = gaussian_log_likelihoods(precisions, np.eye(3))
    assert found.tolist() == [pytest.approx((np.log(6) - 6) / 2), -np.inf]


def test_ranks_and_kendall_with_ties_are_those_of_pairs() -> None:
    values = np.random.default_rng(5).integers(0, 6, size=(30, 3)).astype(float)
    first, last = values[:, 0], values[:, 2]
    below = (values[None] < values[:, None]).sum(1)
    equal = (values[None] == values[:, None]).sum(1)
    assert np.array_equal(inputs.ranks(values), below + (equal + 1) / 2)
    signs = [np.sign(np.subtract.outer(one, one)) for one in (first, last)]
    products = [np.sum(one * other) for one in signs for other in signs]
    expected = products[1] / np.sqrt(products[0] * products[3])
    assert inputs.kendall(values)[0, 2] == pytest.approx(expected)
    values[:, 1] = 4.0
    assert inputs.kendall(values)[0, 1] == 0.0


@pytest.mark.parametrize("relation", ["nonparanormal", "truncated", "kendall", "spearman"])
def test_ranks_see_through_monotone_functions(relation: inputs.Relation) -> None:
    values = _chain(300).values
    bent = np.exp(values / 3) ** 3
    found = inputs.moments(bent, relation).correlation
    assert np.allclose(found, inputs.moments(values, relation).correlation)
    assert np.abs(found - np.corrcoef(values.T)).max() < 0.12
    assert np.linalg.eigvalsh(found).min() > -1e-12


def test_rank_correlations_are_projected() -> None:
    values = np.random.default_rng(2).normal(size=(6, 9))
    found = inputs.moments(values, "kendall").correlation
    assert np.linalg.eigvalsh(np.sin(np.pi / 2 * inputs.kendall(values))).min() < -0.1
    assert np.linalg.eigvalsh(found).min() > -1e-12
    assert np.array_equal(np.diag(found), np.ones(9))
    assert np.array_equal(found, found.T)


def test_a_constant_column_stays_alone() -> None:
    values = np.column_stack([_chain().values, np.full(200, 0.1)])
    found = _learn(
        Shrunk(penalty=0.01), Dataset([Variable(f"V{j}") for j in range(1, 7)], values=values)
    )
    assert found.precision is not None
    assert np.count_nonzero(found.precision[5]) == 1
    assert not found.graph.neighbours("V6")


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"min_ratio": 0.0}, "min_ratio"),
        ({"n_penalties": 1}, "at least 2"),
        ({"select": "cv", "folds": 1}, "folds"),
    ],
)
def test_paths_without_two_ends_are_refused(wrong: dict[str, Any], said: str) -> None:
    assert said in Cut(**wrong).problem()
    assert not Cut(penalty=0.1, **wrong).problem()


def test_thresholds_leave_a_path_of_growing_graphs() -> None:
    data = _chain()
    found = run_learner(CorrelationThreshold(thresh=0.3), data, np.random.default_rng(0))
    strength = np.abs(np.corrcoef(data.values.T) - np.eye(5))
    path = found.path
    assert path is not None
    assert path.chosen is not None
    assert path.penalties[path.chosen] == 0.3
    assert np.array_equal(path.adjacency[path.chosen], strength > 0.3)
    assert path.n_edges[0] == 0
    assert path.n_edges[-1] == 9
    tested = run_learner(
        CorrelationThreshold(method="pval", thresh=0.01), data, np.random.default_rng(0)
    )
    assert tested.path is not None
    assert -0.01 in tested.path.penalties
    assert tested.path.n_edges.tolist()[-1] == 9


@pytest.mark.parametrize("rows", [8, 200])
def test_the_path_ends_where_chance_begins(rows: int) -> None:
    path = _learn(Cut(), _chain(rows)).path
    assert path is not None
    assert path.penalties[-1] == pytest.approx(np.sqrt(np.log(5) / rows) / 2)


def test_weak_correlations_leave_a_path_all_the_same() -> None:
    values = np.random.default_rng(0).normal(size=(500, 4))
    values -= 0.99 * inputs.standardised(values) @ np.triu(np.corrcoef(values.T), 1)
    path = _learn(Cut(), Dataset.from_numpy(values)).path
    assert path is not None
    assert path.penalties[-1] == pytest.approx(path.penalties[0] / 2)


def test_rows_that_are_too_few_to_leave_some_out_give_no_edge() -> None:
    values = np.random.default_rng(3).normal(size=(5, 9))
    found = _learn(Cut(select="cv", n_penalties=4), Dataset.from_numpy(values))
    assert found.graph.n_edges == 0
    assert found.path is not None
    assert found.path.chosen == 0
    with pytest.raises(DataError, match="at least 4 rows"):
        _learn(Cut(select="cv"), Dataset.from_numpy(values[:3]))


def test_columns_are_shuffled_each_by_itself() -> None:
    data = _chain(40)
    found = selection.shuffled(data, np.random.default_rng(0))
    assert np.array_equal(np.sort(found.values, axis=0), np.sort(data.values, axis=0))
    assert np.abs(np.corrcoef(found.values.T) - np.eye(5)).max() < 0.45
    assert np.abs(np.corrcoef(data.values.T) - np.eye(5)).max() > 0.45
