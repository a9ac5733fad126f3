"""Experiments one after another: nested rows, targets, and information against integrals."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from dagathlon.data import Dataset, LinearSem, Network, Table
from dagathlon.data.spec import DataFacts
from dagathlon.errors import DataError
from dagathlon.graphs import Graph
from dagathlon.learners.bayesian.designed_experiments import DesignedExperiments
from dagathlon.posteriors import Posterior
from dagathlon.posteriors.arrays import LinearModels
from dagathlon.posteriors.design import best_target, information_gains
from dagathlon.simulate.experiments import Experiments

NAMES = ("a", "b", "c")
WEIGHTS = np.array([[0.0, 1.5, 0.0], [0.0, 0.0, -1.0], [0.0, 0.0, 0.0]])
MODEL = LinearSem(NAMES, WEIGHTS, [1.0, 0.5, 2.0])


def drawn(cls: type[Experiments] = Experiments, seed: int = 1, **settings) -> Dataset:
    return cls(**settings).sample(MODEL, np.random.default_rng(seed))


@pytest.mark.parametrize("cls", [Experiments, DesignedExperiments])
def test_fewer_steps_are_the_beginning_of_more(cls: type[Experiments]) -> None:
    quick = {"learner": "bgies[bootstraps=8]"} if cls is DesignedExperiments else {}
    tables = [drawn(cls, steps=steps, **quick) for steps in (0, 1, 3)]
    assert [len(table) for table in tables] == [10, 15, 25]
    for table in tables[:2]:
        assert tables[2][: len(table)] == table
    assert tables[0].regimes is None
    assert Experiments.outside_stream == {"n", "steps", "rows_per_step"}


def test_rows_of_a_step_are_those_of_the_cut_model() -> None:
    data = drawn(n=5, steps=60, rows_per_step=200, mean=3.0, sd=0.5, seed=2)
    assert set(data.targets) == {frozenset(), *map(frozenset, NAMES)}
    assert not data.intervened[:5].any()
    assert np.all(data.intervened[5:].sum(axis=1) == 1)
    set_b = data.values[data.intervened[:, 1]]
    n = len(set_b)
    for column, mean, variance in ((0, 0.0, 1.0), (1, 3.0, 0.25), (2, -3.0, 2.25)):
        assert abs(set_b[:, column].mean() - mean) < 4 * np.sqrt(variance / n)
        assert abs(set_b[:, column].var() - variance) < 4 * variance * np.sqrt(2 / n)
    assert abs(np.corrcoef(set_b[:, 0], set_b[:, 1])[0, 1]) < 4 / np.sqrt(n)
    counts = data.intervened.sum(axis=0) / 200
    assert stats.chisquare(counts).pvalue > 1e-3


def test_facts_are_known_before_the_data() -> None:
    continuous = DataFacts(kind="continuous", missing=False)
    facts = Experiments(steps=3).facts(continuous)
    assert (facts.n_rows, facts.interventions) == (25, True)
    assert not Experiments().facts(continuous).interventions
    assert not Experiments().why_unsuitable(DataFacts(kind="discrete"))
    assert "continuous" in DesignedExperiments().why_unsuitable(DataFacts(kind="discrete"))


def test_discrete_networks_have_experiments_too() -> None:
    levels = ("0", "1")
    network = Network(
        {
            "x": Table(levels, (), np.array([0.9, 0.1])),
            "y": Table(levels, ("x",), np.array([[1.0, 0.0], [0.0, 1.0]])),
        }
    )
    data = Experiments(steps=40, rows_per_step=50).sample(network, np.random.default_rng(0))
    set_y = data.codes[data.intervened[:, 1]]
    assert abs(set_y[:, 1].mean() - 0.5) < 4 * 0.5 / np.sqrt(len(set_y))
    set_x = data.codes[data.intervened[:, 0]]
    assert np.array_equal(set_x[:, 0], set_x[:, 1])


def two_directions(copies: int) -> LinearModels:
    """`a -> b` and `b -> a` with one distribution of observations, and c beside them."""
    forward, backward = np.zeros((3, 3)), np.zeros((3, 3))
    forward[0, 1], backward[1, 0] = 1.0, 0.5
    noise = np.array([[1.0, 1.0, 1.0], [0.5, 2.0, 1.0]])
    matrices = np.repeat([forward, backward], copies, axis=0)
    shares = np.repeat([0.3 / copies, 0.7 / copies], copies)
    return LinearModels(NAMES, matrices, np.repeat(noise, copies, axis=0), shares)


def information_of_setting_a(mean: float, sd: float) -> float:
    """By a sum over a grid of one row (a, b): b depends on a in the first model alone."""
    a, b = np.meshgrid(np.linspace(-6, 10, 801), np.linspace(-12, 16, 1401), indexing="ij")
    first, second = stats.norm.pdf(b, a, 1.0), stats.norm.pdf(b, 0.0, np.sqrt(2.0))
    mixture = 0.3 * first + 0.7 * second
    with np.errstate(divide="ignore", invalid="ignore"):
        terms = 0.3 * first * np.log(first / mixture) + 0.7 * second * np.log(second / mixture)
    cell = (16 / 800) * (28 / 1400)
    return float((np.nan_to_num(terms) * stats.norm.pdf(a, mean, sd)).sum() * cell)


@pytest.mark.slow
def test_information_is_the_integral() -> None:
    copies, times = 150, 6
    gains = [
        information_gains(
            two_directions(copies), np.random.default_rng(k), rows=1, mean=2.0, sd=1.0
        )
        for k in range(times)
    ]
    error = np.std(gains, axis=0, ddof=1) / np.sqrt(times)
    exact = information_of_setting_a(2.0, 1.0)
    assert 0.1 < exact < 0.62
    assert abs(np.mean(gains, axis=0)[0] - exact) < 5 * error[0]
    # Observations tell nothing between the two, nor do they with c set.
    np.testing.assert_allclose(np.array(gains)[:, 2], 0.0, atol=1e-12)
    entropy = -0.3 * np.log(0.3) - 0.7 * np.log(0.7)
    many = information_gains(
        two_directions(50), np.random.default_rng(0), rows=200, mean=2.0, sd=1.0
    )
    np.testing.assert_allclose(many[:2], entropy, atol=0.02)


def test_the_best_target_is_where_models_differ() -> None:
    models = two_directions(20)
    graphs = [Graph.from_adjacency(NAMES, matrix != 0) for matrix in models.coefficients]
    posterior = Posterior.of(
        graphs,
        weights=models.shares,
        coefficients=models.coefficients,
        variances=models.variances,
    )
    data = drawn(n=30)
    for seed in range(3):
        assert best_target(posterior, data, np.random.default_rng(seed)) in ("a", "b")
    bare = Posterior.of(
        [Graph.from_edges([("a", "b")], NAMES), Graph.from_edges([("b", "a")], NAMES)]
    )
    assert best_target(bare, data, np.random.default_rng(0)) in NAMES
    flat = models._replace(variances=np.zeros((40, 3)))
    with pytest.raises(DataError, match="above 0"):
        information_gains(flat, np.random.default_rng(0), mean=2.0, sd=1.0)


def test_a_learner_chooses_where_it_is_unsure() -> None:
    """Of b -> a and a -> b alone an experiment can tell; c is known to stand apart."""
    apart = LinearSem(NAMES, [[0, 0.9, 0], [0, 0, 0], [0, 0, 0]])
    made = DesignedExperiments(n=300, steps=1, learner="exact_posterior[score=bge,draws=60]")
    found = made.sample(apart, np.random.default_rng(1))
    assert found.targets[1] <= {"a", "b"}


def test_learners_without_posteriors_are_refused() -> None:
    assert "gives no posterior" in DesignedExperiments(learner="hc").problem()
    assert "did you mean 'bgies'" in DesignedExperiments(learner="bgie").problem()
    with pytest.raises(DataError, match="set its parameter draws"):
        drawn(DesignedExperiments, steps=1, learner="exact_posterior")
