"""DiBS: slopes against differences, sums against enumeration, runs in batches, quality."""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np
import pytest

from dagathlon.data import Dataset, Variable
from dagathlon.data.spec import DataFacts
from dagathlon.errors import DagathlonError, UnavailableError
from dagathlon.learners.bayesian.exact_posterior import ExactPosterior
from dagathlon.learners.jax import backend
from dagathlon.learners.jax.dibs import Dibs
from dagathlon.learners.jax.dibs_graphs import acyclicity_gradient, log_prior, parent_sets
from dagathlon.learners.jax.dibs_likelihoods import Bge, Theta, log_joint
from dagathlon.learners.jax.dibs_results import without_cycles
from dagathlon.learners.jax.moments import moments, stacked
from dagathlon.learners.run import run_learner
from dagathlon.testing import check_learner
from dagathlon.testing.samples import ordinary

needs_jax = pytest.mark.skipif(bool(backend.NEEDS_JAX), reason="JAX is not installed")
NAMES = ("a", "b", "c", "d", "e")


def table(values: np.ndarray, regimes: Any = None) -> Dataset:
    names = NAMES[: values.shape[1]]
    return Dataset([Variable(name) for name in names], values=values, regimes=regimes)


def linear_data(seed: int, n: int = 100, p: int = 4) -> Dataset:
    rng = np.random.default_rng(seed)
    weights = np.triu(rng.normal(0, 1.2, (p, p)) * (rng.random((p, p)) < 0.6), 1)
    return table(rng.normal(size=(n, p)) @ np.linalg.inv(np.eye(p) - weights))


def interventional(seed: int, n: int = 60) -> Dataset:
    plain = linear_data(seed, n)
    regime = np.repeat([0, 1, 2], n // 3)
    return table(np.array(plain.values), ([(), ("b",), ("c", "d")], regime))


def graphs(p: int, most: int = 20) -> np.ndarray:
    """All directed graphs over p nodes, of at most so many pairs, of shape (p, p, graphs)."""
    pairs = [(i, j) for i in range(p) for j in range(p) if i != j][:most]
    number = np.arange(2 ** len(pairs))
    found = np.zeros((p, p, len(number)))
    for bit, (i, j) in enumerate(pairs):
        found[i, j] = number >> bit & 1
    return found


def cycles(matrices: np.ndarray) -> np.ndarray:
    p = len(matrices)
    steps = np.eye(p) + np.moveaxis(matrices, 2, 0) / p
    return np.trace(np.linalg.matrix_power(steps, p), axis1=1, axis2=2) - p


def probabilities(matrices: np.ndarray, arcs: np.ndarray) -> np.ndarray:
    """Of each graph, where arcs are independent."""
    off = ~np.eye(len(arcs), dtype=bool)
    each = np.where(matrices > 0, arcs[:, :, None], 1 - arcs[:, :, None])
    return np.prod(each[off], axis=0)


def log_normal(data: Dataset, graph: np.ndarray, b: np.ndarray, logs: np.ndarray) -> float:
    """The likelihood row by row, with the prior of coefficients on arcs and of variances."""
    total = 0.0
    for j in range(len(graph)):
        kept = np.ones(len(data), bool) if data.intervened is None else ~data.intervened[:, j]
        rows = data.values[kept]
        rest = rows[:, j] - rows @ (graph * b)[:, j]
        total += np.sum(-0.5 * np.log(2 * np.pi) - 0.5 * logs[j] - rest**2 / 2 / np.exp(logs[j]))
        total -= 4 * logs[j] + 0.5 * np.exp(-logs[j])
    on = graph > 0
    return total + np.sum(-0.5 * b[on] ** 2 - 0.5 * np.log(2 * np.pi))


def log_posterior(
    data: Dataset, z: np.ndarray, b: np.ndarray, logs: np.ndarray, step: int
) -> float:
    """The density of one particle by enumeration of all graphs, with cycles or without."""
    every = graphs(len(z[0]))
    arcs = 1 / (1 + np.exp(-0.02 * step * z[0] @ z[1].T))
    np.fill_diagonal(arcs, 0)
    weight = probabilities(every, arcs)
    each = [log_normal(data, g, b, logs) for g in np.moveaxis(every, 2, 0)]
    likelihood = max(each) + math.log(weight @ np.exp(np.array(each) - max(each)))
    prior = -3 * np.sum(np.log(1 + arcs.sum(axis=0))) - step * weight @ cycles(every)
    return likelihood + prior - 0.5 * np.sum((z / 0.5) ** 2)


def numerical(function: Any, at: np.ndarray, width: float = 1e-5) -> np.ndarray:
    found = np.zeros(at.size)
    for k in range(at.size):
        moved = [at.ravel().copy(), at.ravel().copy()]
        moved[0][k] += width
        moved[1][k] -= width
        found[k] = (function(moved[0].reshape(at.shape)) - function(moved[1].reshape(at.shape))) / (
            2 * width
        )
    return found.reshape(at.shape)


def test_without_jax_the_line_that_installs_it_is_told(monkeypatch):
    monkeypatch.setattr(backend, "NEEDS_JAX", "JAX is not installed: pip install 'dagathlon[jax]'")
    with pytest.raises(UnavailableError, match=r"pip install 'dagathlon\[jax\]'"):
        backend.require_jax.__wrapped__()


def test_moments_leave_out_a_nodes_own_interventions():
    data = interventional(3)
    found = moments(data, centre=True)
    assert found.counts.tolist() == [60, 40, 40, 40]
    rows = data.values[np.r_[0:20, 40:60]]
    np.testing.assert_allclose(found.gram[1], np.cov(rows.T, bias=True) * 40)
    assert stacked([found, found]).gram.shape == (2, 4, 4, 4)


def test_local_scores_are_those_of_the_native_score():
    data = interventional(5)
    like = Bge(1.0, 6.0)
    sets = parent_sets(4)
    fixed = like.fixed(moments(data, centre=True), tabled=False)
    found = like.local(np, fixed.scale, fixed.counts, np.eye(4), sets.astype(float))
    wanted = []
    for j in range(4):
        own = table(data.values[~data.intervened[:, j]])
        score = ExactPosterior(score="bge").native_score(own)
        wanted.append([score.local(j, np.flatnonzero(mask).tolist()) for mask in sets[j]])
    np.testing.assert_allclose(found, wanted, rtol=1e-10)


def test_weights_of_particles_are_likelihoods_of_rows():
    data = interventional(7)
    rng = np.random.default_rng(0)
    graph = np.triu(np.ones((4, 4)), 1)
    b, logs = rng.normal(size=(4, 4)), rng.normal(size=4)
    like = Dibs(likelihood="linear").plan(4).likelihood
    fixed = like.fixed(moments(data, centre=False), tabled=True)
    theta = Theta(b[:, :, None], logs[:, None])
    found = log_joint(like, fixed, theta, graph[:, :, None])
    assert found == pytest.approx(log_normal(data, graph, b, logs), rel=1e-12)


def test_cycles_are_seen():
    every = graphs(3) > 0
    assert np.array_equal(without_cycles(every), cycles(every) < 1e-9)
    assert without_cycles(every).sum() == 25


def test_priors_of_graphs():
    arcs = np.triu(np.ones((5, 5)), 1)[:, :, None]
    assert log_prior(arcs, "uniform", 1.0) == 0
    assert log_prior(arcs, "er", 0.5) == pytest.approx(10 * math.log(1 / 3))
    assert log_prior(arcs, "scale_free", 1.0) == pytest.approx(-3 * math.log(120))


@pytest.mark.slow
@needs_jax
@pytest.mark.parametrize("p", [1, 2, 3, 4])
def test_expected_cycles_are_those_of_all_graphs(p):
    rng = np.random.default_rng(p)
    arcs = rng.random((p, p)) * (1 - np.eye(p))
    every = graphs(p)
    wanted = numerical(lambda at: probabilities(every, at) @ cycles(every), arcs)
    found = np.asarray(backend.jax.jit(acyclicity_gradient)(arcs[:, :, None]))[:, :, 0]
    off = ~np.eye(p, dtype=bool)
    np.testing.assert_allclose(found[off], wanted[off], atol=1e-5)


@pytest.mark.slow
@needs_jax
def test_expected_cycles_of_five_nodes():
    """Slopes are differences between graphs with an arc and without, on average."""
    every = graphs(5, 14)
    arcs = np.random.default_rng(1).random((5, 5)) * every.any(axis=2)
    with_arc, without = every.copy(), every.copy()
    with_arc[0, 1], without[0, 1] = 1, 0
    wanted = probabilities(every, arcs) @ (cycles(with_arc) - cycles(without))
    found = backend.jax.jit(acyclicity_gradient)(backend.jnp.asarray(arcs[:, :, None]))[0, 1, 0]
    assert float(found) == pytest.approx(wanted, rel=1e-5)


def jitted(function: Any, plan: Any) -> Any:
    """Compiled as a whole: operation by operation takes longer."""
    return backend.jax.jit(lambda *given: function(plan, *given))


def particle(seed: int, p: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    off = 1 - np.eye(p)
    return rng.normal(0, 0.5, (2, p, p)), rng.normal(size=(p, p)) * off, rng.normal(0, 0.3, p)


@pytest.mark.slow
@needs_jax
@pytest.mark.usefixtures("compiled_fast")
def test_slopes_are_those_of_the_density_by_enumeration():
    from dagathlon.learners.jax.dibs_svgd import gradients, initial

    values = np.random.default_rng(4).normal(size=(15, 3))
    data = table(values, ([(), ("b",)], np.repeat([0, 1], [10, 5])))
    z, b, logs = particle(2, 3)
    plan = Dibs(likelihood="linear", particles=1, prior="scale_free").plan(3)
    state = initial(plan, backend.jax.random.PRNGKey(0))
    jnp = backend.jnp
    state = state._replace(
        z=jnp.asarray(z[..., None], "float32"),
        theta=Theta(jnp.asarray(b[..., None], "float32"), jnp.asarray(logs[..., None], "float32")),
    )
    fixed = plan.likelihood.fixed(moments(data, centre=False), tabled=True)
    gradient_z, gradient_theta = jitted(gradients, plan)(fixed, state, 150.0)
    wanted = numerical(lambda at: log_posterior(data, at, b, logs, 150), z)
    np.testing.assert_allclose(np.asarray(gradient_z)[..., 0], wanted, rtol=2e-3, atol=2e-3)
    wanted = numerical(lambda at: log_posterior(data, z, at, logs, 150), b)
    np.testing.assert_allclose(np.asarray(gradient_theta[0])[..., 0], wanted, rtol=2e-3, atol=2e-3)
    wanted = numerical(lambda at: log_posterior(data, z, b, at, 150), logs)
    np.testing.assert_allclose(np.asarray(gradient_theta[1])[..., 0], wanted, rtol=2e-3, atol=2e-3)


@pytest.mark.slow
@needs_jax
@pytest.mark.parametrize("likelihood", ["bge", "linear"])
def test_drawn_parent_sets_give_the_slopes_of_exact_sums(likelihood):
    from dagathlon.learners.jax.dibs_svgd import gradients, initial

    data = linear_data(2, n=8, p=3)
    learner = Dibs(likelihood=likelihood, particles=2)
    exact = learner.plan(3)
    drawn = exact._replace(samples=20_000)
    state = initial(exact, backend.jax.random.PRNGKey(1))
    fixed = [
        exact.likelihood.fixed(moments(data, centre=True), tabled=tabled)
        for tabled in (True, False)
    ]
    a = jitted(gradients, exact)(fixed[0], state, 50)
    b = jitted(gradients, drawn)(fixed[1], state, 50)
    np.testing.assert_allclose(np.asarray(a[0]), np.asarray(b[0]), atol=0.1)
    if likelihood == "linear":
        np.testing.assert_allclose(np.asarray(a[1][0]), np.asarray(b[1][0]), atol=0.2)


@pytest.mark.slow
@needs_jax
@pytest.mark.usefixtures("compiled_fast")
def test_many_at_once_are_each_as_alone(monkeypatch):
    """As on a card: data sets of different sizes in one batch, which end one after the other."""
    learner = Dibs(steps=600, particles=6, patience=100, tolerance=0.3, alpha_linear=0.2)
    data = [linear_data(seed, n=n, p=3) for seed, n in [(1, 30), (2, 300), (3, 100), (4, 50)]]
    alone = [learner.learn(d, np.random.default_rng(k)) for k, d in enumerate(data)]
    monkeypatch.setattr(backend, "on_gpu", lambda: True)
    rngs = [np.random.default_rng(k) for k in range(4)]
    together = learner.learn_many(data, rngs)
    assert len({found.stats["steps"] for found in alone}) > 1
    for one, other in zip(alone, together, strict=True):
        assert one.stats["steps"] == other.stats["steps"]
        assert one.graph == other.graph
        np.testing.assert_allclose(
            one.posterior.edge_probabilities, other.posterior.edge_probabilities
        )


@pytest.mark.slow
@needs_jax
def test_edges_are_nearer_to_the_exact_posterior_than_a_guess():
    found, guessed, twice = [], [], []
    for seed in range(4):
        data = linear_data(seed)
        exact = run_learner(ExactPosterior(score="bge"), data, np.random.default_rng(0)).posterior
        estimate, again = (
            run_learner(Dibs(steps=4000), data, np.random.default_rng(seed)) for _ in range(2)
        )
        truth = np.asarray(exact.edge_probabilities)
        edges = np.asarray(estimate.posterior.edge_probabilities)
        twice.append(np.array_equal(edges, again.posterior.edge_probabilities))
        found.append(np.sum((edges - truth) ** 2))
        guessed.append(np.sum((0.25 * (1 - np.eye(4)) - truth) ** 2))
        assert estimate.graph.is_dag
    assert all(twice)
    assert np.mean(found) < np.mean(guessed)


@pytest.mark.slow
@needs_jax
def test_particles_have_parameters_and_weights():
    data = linear_data(9, n=400)
    plain = Dibs(likelihood="linear", steps=2500, alpha_linear=0.1)
    found = plain.learn(data, np.random.default_rng(1))
    weighted = Dibs(likelihood="linear", steps=2500, alpha_linear=0.1, weighted=True).learn(
        data, np.random.default_rng(1)
    )
    sample = found.posterior.chains[0]
    assert sample.parameters is not None
    # The best particle's noise is near what its parents leave over.
    best = int(np.argmax(sample.score))
    b, variances = sample.parameters_at(best)
    rest = (data.values - data.values.mean(axis=0)) @ (np.eye(4) - b)
    np.testing.assert_allclose(variances, rest.var(axis=0), rtol=0.25)
    assert weighted.stats["effective_particles"] < found.stats["effective_particles"]
    assert weighted.graph == found.graph


@pytest.mark.slow
@needs_jax
def test_one_particle_and_no_time():
    data = linear_data(11)
    found = Dibs(particles=1, steps=1500, alpha_linear=0.1).learn(data, np.random.default_rng(0))
    assert found.posterior.n_draws == 1
    with pytest.raises(DagathlonError, match="before"):
        run_learner(Dibs(particles=1), data, np.random.default_rng(0), timeout=0.0)


@pytest.mark.slow
@needs_jax
def test_data_without_a_meaning_are_refused_with_the_reason():
    values = np.random.default_rng(0).normal(size=(20, 3))
    constant, missing = values.copy(), values.copy()
    constant[:, 1] = 2.0
    missing[0, 0] = np.nan
    reasons = {
        "column b is constant": table(constant),
        "missing values": table(missing),
        "at least 2 rows": table(values[:1]),
        "needs continuous data": ordinary("discrete"),
    }
    for reason, data in reasons.items():
        with pytest.raises(DagathlonError, match=reason):
            run_learner(Dibs(steps=10), data, np.random.default_rng(0))


@pytest.mark.slow
@needs_jax
@pytest.mark.usefixtures("compiled_fast")
def test_conforms():
    check_learner(Dibs(steps=20, particles=4, drawn_sets=2))


def test_too_many_variables_are_refused_before_anything_runs():
    assert "choose fewer" in Dibs(likelihood="linear").why_unsuitable(DataFacts(n_columns=500))
    assert not Dibs(likelihood="linear").why_unsuitable(DataFacts(kind="continuous", n_columns=50))


def test_scales_are_above_zero():
    assert "step_size" in Dibs(step_size=0).problem()
    assert not Dibs().problem()


def test_all_particles_with_cycles_lose_their_weakest_arcs():
    from dagathlon.learners.jax.dibs_results import Finished, estimate

    data = linear_data(1, p=3)
    products = np.array([[0, 3, -1], [2, 0, 1], [1.5, -1, 0]])
    plan = Dibs(particles=1).plan(3)
    fixed = plan.likelihood.fixed(moments(data, centre=True), tabled=True)
    run = Finished(products[:, :, None], None, 10, True)
    found = estimate(plan, fixed, run, data.names, weighted=True)
    arcs = np.asarray(found.graph.adjacency, dtype=bool)
    assert [(i, j) for i, j in itertools.product(range(3), range(3)) if arcs[i, j]] == [
        (0, 1),
        (2, 0),
    ]
    assert "cycle" in found.notes[0]
    assert found.stats["cyclic_particles"] == 0


def test_asking_what_jax_is_does_not_load_it() -> None:
    late = backend._Late("no_such_package")
    assert getattr(late, "__dagathlon_module__", None) is None
