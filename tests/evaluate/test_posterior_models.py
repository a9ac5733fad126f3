"""Metrics of a posterior's linear models: closed forms, integrals, naive sums."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt
import pytest

from dagathlon.data import LinearSem
from dagathlon.errors import DataError, GraphError
from dagathlon.evaluate.posteriors.discrepancies import parameter_mmd, weighted_mmd
from dagathlon.evaluate.posteriors.entropy import likelihood_entropy, nearest_neighbour_entropy
from dagathlon.evaluate.posteriors.interventions import interventional_kl, interventional_mmd
from dagathlon.evaluate.posteriors.likelihoods import interventional_nll, negative_log_likelihood
from dagathlon.evaluate.posteriors.scores import averaged_effects, effect_error
from dagathlon.graphs import Graph
from dagathlon.posteriors import Posterior
from dagathlon.posteriors.arrays import LinearModels, linear_models, systematic

Floats = npt.NDArray[np.float64]


def random_model(rng: np.random.Generator, p: int) -> LinearSem:
    order = rng.permutation(p)
    weights = np.triu(rng.normal(size=(p, p)) * (rng.random((p, p)) < 0.7), 1)
    return LinearSem("abcdef"[:p], weights[np.ix_(order, order)], rng.uniform(0.3, 2, p))


def posterior_of(models: list[LinearSem], weights: npt.ArrayLike | None = None) -> Posterior:
    return Posterior.of(
        [model.graph for model in models],
        weights=weights,
        coefficients=np.array([model.weights for model in models]),
        variances=np.array([model.variances for model in models]),
    )


def case(p: int, count: int, seed: int) -> tuple[LinearSem, list[LinearSem], Floats, Posterior]:
    rng = np.random.default_rng(seed)
    true = random_model(rng, p)
    models = [random_model(rng, p) for _ in range(count)]
    weights = rng.dirichlet(np.ones(count))
    return true, models, weights, posterior_of(models, weights)


def cross_entropy(mean: Floats, covariance: Floats, other: Floats, spread: Floats) -> float:
    """Of a Gaussian of this mean and covariance, under another one."""
    gap = mean - other
    inverse = np.linalg.inv(spread)
    trace = np.trace(inverse @ covariance) + gap @ inverse @ gap
    return 0.5 * float(np.linalg.slogdet(2 * math.pi * spread)[1] + trace)


def set_to(model: LinearSem, node: int, value: float) -> tuple[Floats, Floats]:
    """Mean and covariance of the other nodes when one is set, by solving node after node."""
    p = len(model.names)
    mean, loads = np.zeros(p), np.zeros((p, p))
    for j in model.order:
        if j == node:
            mean[j] = value
            continue
        mean[j] = model.weights[:, j] @ mean
        loads[j] = model.weights[:, j] @ loads
        loads[j, j] += math.sqrt(model.variances[j])
    kept = [k for k in range(p) if k != node]
    return mean[kept], (loads @ loads.T)[np.ix_(kept, kept)]


def do_values(model: LinearSem, size: float) -> Floats:
    return size * np.sqrt(np.diag(model.covariance()))


def test_likelihood_is_the_cross_entropy_of_gaussians() -> None:
    true, models, weights, posterior = case(4, 6, 1)
    nothing = np.zeros(4)
    by_draw = [
        cross_entropy(nothing, true.covariance(), nothing, one.covariance()) for one in models
    ]
    assert negative_log_likelihood(posterior, true) == pytest.approx(weights @ by_draw)


def test_likelihood_of_rows_is_their_mean_density() -> None:
    true, models, weights, posterior = case(3, 4, 2)
    rows = true.sample(17, np.random.default_rng(3))
    found = []
    for model in models:
        gaps = rows.values - rows.values @ model.weights
        logs = -0.5 * (np.log(2 * math.pi * model.variances) + gaps**2 / model.variances)
        found.append(-logs.sum(axis=1).mean())
    assert negative_log_likelihood(posterior, rows) == pytest.approx(weights @ np.array(found))
    mixed = rows.select(["c", "a", "b"])
    assert negative_log_likelihood(posterior, mixed) == pytest.approx(weights @ np.array(found))


def test_interventional_likelihood_leaves_out_what_is_set() -> None:
    true, models, weights, posterior = case(4, 5, 4)
    found = []
    for node, value in enumerate(do_values(true, 1.5)):
        right = set_to(true, node, value)
        terms = [cross_entropy(*right, *set_to(one, node, value)) for one in models]
        found.append(weights @ np.array(terms))
    assert interventional_nll(posterior, true, size=1.5) == pytest.approx(np.mean(found))
    # The mean of divergences is the same less the true model's own.
    own = [
        cross_entropy(*set_to(true, k, v), *set_to(true, k, v))
        for k, v in enumerate(do_values(true, 1.5))
    ]
    by_mean = interventional_kl(posterior, true, size=1.5, method="mean")
    assert by_mean == pytest.approx(np.mean(found) - np.mean(own))


def on_grid(mean: Floats, covariance: Floats, grid: Floats) -> Floats:
    gaps = grid - mean[0]
    density = np.exp(-0.5 * gaps**2 / covariance[0, 0])
    return np.asarray(density / math.sqrt(2 * math.pi * covariance[0, 0]))


def test_divergence_from_a_mixture_by_integration() -> None:
    true, models, weights, posterior = case(2, 4, 11)
    grid = np.linspace(-40, 40, 20_001)
    found = []
    for node, value in enumerate(do_values(true, 1.0)):
        right = on_grid(*set_to(true, node, value), grid)
        parts = np.array([on_grid(*set_to(one, node, value), grid) for one in models])
        ratio = np.log(np.maximum(right, 1e-300)) - np.log(np.maximum(weights @ parts, 1e-300))
        found.append((right * ratio).sum() * (grid[1] - grid[0]))
    # 4096 evenly spread points: far less than the error of as many random ones, .01.
    assert interventional_kl(posterior, true, rows=4096) == pytest.approx(np.mean(found), abs=3e-3)
    assert interventional_kl(posterior_of([true]), true) == pytest.approx(0, abs=1e-12)


def test_discrepancy_of_interventions_by_integration() -> None:
    true, models, weights, posterior = case(2, 3, 12)
    closed = interventional_mmd(posterior, true, frequencies=None)
    grid = np.linspace(-15, 15, 1201)
    step, found, widths = grid[1] - grid[0], [], []
    for node, value in enumerate(do_values(true, 1.0)):
        own = set_to(true, node, value)
        # The median distance of two rows of a normal distribution.
        width = 0.6744897501960817 * math.sqrt(2 * own[1][0, 0])
        parts = np.array([on_grid(*set_to(one, node, value), grid) for one in models])
        gap = (on_grid(*own, grid) - weights @ parts) * step
        kernel = np.exp(-0.5 * (grid[:, None] - grid) ** 2 / width**2)
        found.append(gap @ kernel @ gap)
        widths.append(width)
    assert closed.value == pytest.approx(np.mean(found), rel=0.01)
    assert closed.bandwidth == pytest.approx(np.mean(widths), rel=0.01)
    many = interventional_mmd(posterior, true, frequencies=4096)
    assert many.value == pytest.approx(closed.value, rel=0.01)
    assert interventional_mmd(posterior, true).value == pytest.approx(closed.value, rel=0.1)
    assert interventional_mmd(posterior_of([true]), true).value == pytest.approx(0, abs=1e-9)


def test_parameter_discrepancy_is_a_mean_over_pairs() -> None:
    rng = np.random.default_rng(6)
    left, right = rng.normal(size=(5, 3)), rng.normal(1, 1, size=(4, 3))
    v, w = rng.dirichlet(np.ones(5)), rng.dirichlet(np.ones(4))
    found = weighted_mmd(left, v, right, w)
    points = np.concatenate([left, right])
    apart = [((a - b) ** 2).sum() for k, a in enumerate(points) for b in points[:k]]
    assert found.bandwidth == pytest.approx(math.sqrt(np.median(apart)))

    def mean(a: Floats, x: Floats, b: Floats, y: Floats, same: bool) -> float:
        total = weight = 0.0
        for i, j in np.ndindex(len(a), len(b)):
            if not (same and i == j):
                square = ((a[i] - b[j]) ** 2).sum()
                total += x[i] * y[j] * math.exp(-square / (2 * found.bandwidth**2))
                weight += x[i] * y[j]
        return total / weight

    value = mean(left, v, left, v, True) + mean(right, w, right, w, True)
    assert found.value == pytest.approx(value - 2 * mean(left, v, right, w, False))


def test_a_single_particle_is_far_from_a_spread_posterior() -> None:
    true, _, _, posterior = case(3, 8, 7)
    found = parameter_mmd(posterior_of([true]), posterior)
    assert 0.1 < found.value < 2
    assert parameter_mmd(posterior_of([true]), posterior_of([true])) == (0, 0)


def test_effects_by_hand() -> None:
    # a → b → c and a → c: 2·3 + 1 = 7; without b → c: 1.
    model = LinearSem("abc", [[0, 2, 1], [0, 0, 3], [0, 0, 0]])
    less = LinearSem("abc", [[0, 2, 1], [0, 0, 0], [0, 0, 0]])
    posterior = posterior_of([model, less], [0.25, 0.75])
    found = averaged_effects(posterior)
    assert found.mean[0, 2] == pytest.approx(0.25 * 7 + 0.75 * 1)
    assert found.deviation[0, 2] == pytest.approx(6 * math.sqrt(0.25 * 0.75))
    assert effect_error(posterior, model) == pytest.approx((4.5 + 2.25) / 6)


def test_entropy_by_hand_and_of_a_normal_distribution() -> None:
    # Three points at 0, 1, 3: nearest distances 1, 1, 2; ψ(3) - ψ(1) = 3/2, and c_1 = 2.
    points = np.array([0.0, 1.0, 3.0])
    by_hand = 1.5 + math.log(2) + math.log(2) / 3
    assert nearest_neighbour_entropy(points) == pytest.approx(by_hand)
    normal = np.random.default_rng(1).normal(size=(400, 2))
    found = nearest_neighbour_entropy(normal, neighbour=3)
    # The standard error of 400 points is about .06.
    assert found == pytest.approx(math.log(2 * math.pi * math.e), abs=0.2)
    assert math.isfinite(nearest_neighbour_entropy(np.zeros(5)))
    with pytest.raises(DataError, match="nearest neighbour"):
        nearest_neighbour_entropy(np.zeros(1))


def test_entropy_of_likelihoods_follows_the_equations() -> None:
    true, models, _, _ = case(3, 7, 9)
    posterior = posterior_of(models)
    rows = true.sample(5, np.random.default_rng(1)).values
    logs = np.array(
        [
            [-negative_log_likelihood(posterior_of([one]), np.outer(x, x)) for one in models]
            for x in rows
        ]
    )
    gaps = [abs(r[i] - r[j]) for r in logs for i in range(7) for j in range(i)]
    width = np.median(gaps)
    kernels = np.exp(-0.5 * (logs[:, :, None] - logs[:, None]) ** 2 / width**2)
    wanted = nearest_neighbour_entropy(kernels.mean(axis=(0, 2)))
    assert likelihood_entropy(posterior, rows) == pytest.approx(wanted)


def test_resampling_keeps_probabilities() -> None:
    chosen = systematic(np.array([0.5, 0.0, 0.3, 0.2]), 10)
    assert np.bincount(chosen, minlength=4).tolist() == [5, 0, 3, 2]
    assert systematic(np.ones(6) / 6, 3).tolist() == [1, 3, 5]


def test_what_has_no_density_or_no_parameters_is_named() -> None:
    true, models, _, _ = case(3, 2, 1)
    singular = LinearSem("abc", models[0].weights, [1, 0, 1])
    with pytest.raises(DataError, match="noise of b has variance 0 in draw 1"):
        negative_log_likelihood(posterior_of([models[0], singular]), true)
    with pytest.raises(DataError, match="no coefficients"):
        linear_models(Posterior.of([models[0].graph]))
    with pytest.raises(GraphError, match="different nodes"):
        negative_log_likelihood(posterior_of(models), LinearSem("abd", np.zeros((3, 3))))
    lonely = LinearModels(("a",), np.zeros((1, 1, 1)), np.ones((1, 1)), np.ones(1))
    with pytest.raises(DataError, match="nothing to predict"):
        interventional_mmd(lonely, LinearSem("a", [[0]]))


def test_draws_of_weight_zero_do_not_count() -> None:
    true, models, _, _ = case(3, 2, 5)
    both = posterior_of(models, [1, 0])
    assert len(linear_models(both).shares) == 1
    alone = negative_log_likelihood(posterior_of(models[:1]), true)
    assert negative_log_likelihood(both, true) == pytest.approx(alone)
    assert isinstance(both.map(), Graph)
