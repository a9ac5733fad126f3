"""BCD Nets: likelihoods and slopes against their definitions, the bound against the evidence."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

from dagathlon.data import Dataset
from dagathlon.errors import DagathlonError, DataError
from dagathlon.learners.jax import backend
from dagathlon.learners.jax.bcd_nets import BcdNets, horseshoe_scale
from dagathlon.learners.jax.bcd_permutations import all_orders
from dagathlon.learners.run import run_learner
from dagathlon.testing import check_learner
from dagathlon.testing.samples import ordinary
from strategies import continuous

pytestmark = pytest.mark.slow
NAMES = ("a", "b", "c", "d", "e", "f", "g")


def chain_data(seed: int, n: int, p: int = 3) -> Dataset:
    values = np.random.default_rng(seed).normal(size=(n, p))
    for j in range(1, p):
        values[:, j] += 1.2 * values[:, j - 1]
    return continuous(values, NAMES)


def log_normal_rows(data: Dataset, weights: np.ndarray, variances: np.ndarray) -> float:
    rest = np.asarray(data.values) @ (np.eye(len(weights)) - weights)
    return float(np.sum(-0.5 * (np.log(2 * np.pi * variances) + rest**2 / variances)))


def test_likelihoods_are_those_of_the_rows_for_every_order():
    pytest.importorskip("jax")
    from dagathlon.learners.jax.bcd_bound import log_likelihoods

    data = chain_data(1, 20, p=4)
    rng = np.random.default_rng(2)
    weights = np.triu(rng.normal(size=(3, 4, 4)), 1)
    logs = rng.normal(size=(3, 4))
    facts = BcdNets()._facts(data)
    found = np.asarray(log_likelihoods(weights.astype(np.float32), logs.astype(np.float32), facts))
    for draw in range(3):
        for number, order in enumerate(all_orders(4)):
            arcs = np.zeros((4, 4))
            arcs[np.ix_(order, order)] = weights[draw]
            expected = log_normal_rows(data, arcs, np.exp(logs[draw]))
            assert found[draw, number] == pytest.approx(expected, rel=1e-4)


@pytest.mark.parametrize("p", [3, 7])
@pytest.mark.usefixtures("compiled_fast")
def test_slopes_are_those_of_the_bound(p):
    jax = pytest.importorskip("jax")
    from dagathlon.learners.jax import bcd_bound

    learner = BcdNets(draws_per_step=4, hidden=4)
    family = learner._training(p).family
    facts = learner._facts(chain_data(1, 10, p))
    found = bcd_bound.initial(family, jax.random.PRNGKey(1))
    key = jax.random.PRNGKey(2)
    if p == 7:  # roundings have no slope: that of the divergence and the priors is checked
        found = found._replace(network=[(w * 0, b) for w, b in found.network])
    bound = jax.jit(lambda at: bcd_bound.bounds(family, at, facts, key)[0])
    slope = jax.jit(jax.grad(bound))(found)

    def at(step: float) -> float:
        moved = found._replace(mean=found.mean + step * slope.mean, log_sd=found.log_sd + step)
        return float(bound(moved))

    size = 1e-3 / max(float(np.abs(slope.mean).max()), 1.0)
    expected = float((slope.mean**2).sum() + slope.log_sd.sum())
    assert (at(size) - at(-size)) / (2 * size) == pytest.approx(expected, rel=0.03)


def test_bounds_by_order_have_the_likelihood_of_their_order():
    jax = pytest.importorskip("jax")
    from dagathlon.learners.jax import bcd_bound, bcd_orders

    data = chain_data(1, 10)
    learner = BcdNets(draws_per_step=1)
    family, facts = learner._training(3).family, learner._facts(data)
    size = family.arcs + family.noises
    rng = np.random.default_rng(4)
    mean = rng.normal(size=(6, size)).astype(np.float32)
    # Without spread every draw is the mean, and the entropy is known.
    found = bcd_bound.Variational(mean, np.full((6, size), -30.0, np.float32), [])
    bounds = np.asarray(bcd_orders.bounds(family, found, facts, jax.random.PRNGKey(1)))
    entropy = size * (-30 + (1 + math.log(2 * math.pi)) / 2)
    for number, order in enumerate(all_orders(3)):
        weights, logs = np.zeros((3, 3)), np.zeros(3)
        weights[order[[0, 0, 1]], order[[1, 2, 2]]] = mean[number, :3]
        logs[order] = mean[number, 3:]
        prior = log_horseshoe(mean[number, :3], float(facts.scale)).sum()
        prior -= np.sum(logs**2 / 18 + math.log(3 * math.sqrt(2 * math.pi)))
        expected = log_normal_rows(data, weights, np.exp(logs)) + prior + entropy
        assert bounds[number] == pytest.approx(expected, rel=1e-4)


def log_horseshoe(weights: np.ndarray, scale: float) -> np.ndarray:
    widths = scale * np.tan((np.arange(16) + 0.5) / 16 * np.pi / 2)
    density = np.exp(-0.5 * (weights[..., None] / widths) ** 2) / widths / math.sqrt(2 * math.pi)
    return np.log(density.mean(axis=-1))


def log_evidence_of_node(data: Dataset, child: int, parents: list[int], scale: float) -> float:
    """By sums over a grid of weights and log variances."""
    gram = np.asarray(data.values).T @ np.asarray(data.values)
    # Denser near 0, where the prior is.
    half = np.geomspace(1e-3, 4, 90)
    line = np.concatenate([-half[::-1], half])
    width = np.gradient(line)
    grids = np.meshgrid(*[line] * len(parents), indexing="ij")
    rest = np.full([len(line)] * len(parents), gram[child, child])
    log_prior = np.zeros(rest.shape)
    for a, grid in zip(parents, grids, strict=True):
        rest = rest - 2 * grid * gram[a, child]
        log_prior = log_prior + log_horseshoe(grid, scale)
        for b, other in zip(parents, grids, strict=True):
            rest = rest + grid * other * gram[a, b]
    cells = np.ones(rest.shape)
    for axis in range(len(parents)):
        cells = cells * width.reshape([-1 if k == axis else 1 for k in range(len(parents))])
    logs = np.linspace(-6, 6, 121)
    terms = [
        np.logaddexp.reduce((np.log(cells) + log_prior - rest / (2 * math.exp(v))).ravel())
        - len(data) / 2 * (math.log(2 * math.pi) + v)
        - 0.5 * (v / 3) ** 2
        - math.log(3 * math.sqrt(2 * math.pi))
        for v in logs.tolist()
    ]
    return float(np.logaddexp.reduce(terms) + math.log(logs[1] - logs[0]))


def test_the_bound_is_below_the_evidence_and_near_it():
    pytest.importorskip("jax")
    data = chain_data(3, 8)
    scale = horseshoe_scale(3, 8, 1.0)
    orders = [
        sum(log_evidence_of_node(data, order[k], list(order[:k]), scale) for k in range(3))
        for order in itertools.permutations(range(3))
    ]
    evidence = float(np.logaddexp.reduce(orders)) - math.log(6)
    bounds = {
        family: BcdNets(family=family, steps=4000).learn(data, np.random.default_rng(1)).stats
        for family in ("by_order", "network")
    }
    assert bounds["by_order"]["bound"] < evidence + 0.05
    assert bounds["network"]["bound"] < evidence + 0.05
    assert bounds["by_order"]["bound"] > evidence - 2
    assert bounds["network"]["bound"] > evidence - 5


def test_a_clear_chain_is_found():
    pytest.importorskip("jax")
    clear = chain_data(5, 500)
    learner = BcdNets()
    found = learner.learn(clear, np.random.default_rng(1))
    assert learner.learn(clear, np.random.default_rng(1)) == found
    shares = found.posterior.edge_probabilities
    joined = shares + shares.T
    assert joined[0, 1] > 0.95
    assert joined[1, 2] > 0.95
    assert np.all(shares[[0, 1], [1, 2]] > 0.1)  # the other DAGs of the class as well
    assert np.all(shares[[1, 2], [0, 1]] > 0.1)
    assert found.stats["settled"]


@pytest.mark.parametrize("family", ["by_order", "network"])
@pytest.mark.usefixtures("compiled_fast")
def test_runs_that_are_computed_together_do_not_depend_on_each_other(family, monkeypatch):
    pytest.importorskip("jax")
    monkeypatch.setattr(backend, "on_gpu", lambda: True)
    learner = BcdNets(family=family, steps=30, draws=20, hidden=4, draws_per_step=2)
    first, *others = (chain_data(seed, 10) for seed in range(3))
    pairs = [
        learner.learn_many([first, other], [np.random.default_rng(k) for k in (1, 2)])
        for other in others
    ]
    assert pairs[0][0] == pairs[1][0]
    assert pairs[0][1] != pairs[1][1]


def test_gumbel_sinkhorn_gives_permutations_and_its_divergence_is_that_of_the_noise():
    jax = pytest.importorskip("jax")
    from dagathlon.learners.jax.bcd_permutations import gumbel_divergence, gumbel_sinkhorn

    rng = np.random.default_rng(1)
    scores = rng.normal(size=(7, 7)).astype(np.float32)
    for seed in range(3):
        found = np.asarray(gumbel_sinkhorn(scores, jax.random.PRNGKey(seed), 0.2))
        assert np.allclose(np.sort(found, axis=1)[:, -1], 1, atol=1e-5)
        assert np.allclose(found.sum(axis=0), 1, atol=1e-5)
    noise = rng.gumbel(size=(200_000, 1)) + np.array([0.7, -0.4])
    shift = np.array([0.7, -0.4])
    logs = -(noise - shift) - np.exp(-(noise - shift)) + noise + np.exp(-noise)
    assert float(gumbel_divergence(shift)) == pytest.approx(logs.mean(axis=0).sum(), abs=0.02)


@pytest.mark.usefixtures("compiled_fast")
def test_seven_variables_and_shared_noise():
    pytest.importorskip("jax")
    learner = BcdNets(steps=20, draws=50, equal_variances=True, draws_per_step=2, hidden=8)
    found = learner.learn(chain_data(1, 50, p=7), np.random.default_rng(1))
    found.posterior.require_dags()
    models = [model for model, _ in found.posterior.models()]
    assert all(len(set(model.variances.tolist())) == 1 for model in models)
    assert found.notes


def test_bad_data_and_parameters_are_refused_with_a_reason():
    pytest.importorskip("jax")
    with pytest.raises(DagathlonError, match="continuous"):
        run_learner(BcdNets(), ordinary("discrete"), np.random.default_rng(1))
    with pytest.raises(DataError, match="standard deviation"):
        BcdNets().learn(
            continuous(1e8 * np.asarray(chain_data(1, 9).values), NAMES), np.random.default_rng(1)
        )
    assert "noise_sd" in BcdNets(noise_sd=0).problem()
    assert not BcdNets().problem()


@pytest.mark.usefixtures("compiled_fast")
def test_conforms():
    pytest.importorskip("jax")
    check_learner(BcdNets(steps=10, draws=20, hidden=4, draws_per_step=2), seconds=600)
