"""GraN-DAG and MCSL: models by brute force, slopes by differences, and arcs of clear data."""

from __future__ import annotations

import itertools
import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from benchmarks.networks import drawn, shd

from dagathlon.data import Dataset, Variable
from dagathlon.errors import DagathlonError, OutOfTimeError
from dagathlon.graphs.knowledge import Knowledge
from dagathlon.learners.jax import backend
from dagathlon.learners.jax.grandag import Grandag
from dagathlon.learners.jax.masked_learner import MaskedLearner, closing_arcs
from dagathlon.learners.jax.mcsl import Mcsl
from dagathlon.learners.run import run_learner
from dagathlon.pulse import watch
from dagathlon.testing import check_learner
from strategies import continuous

pytestmark = pytest.mark.slow
NAMES = ("a", "b", "c", "d")
LEARNERS: dict[str, MaskedLearner] = {"grandag": Grandag(), "mcsl": Mcsl()}
BOTH = pytest.mark.parametrize("learner", LEARNERS.values(), ids=LEARNERS)
SHORT = {"steps": 20, "max_iter": 2, "hidden": (4,), "batch_size": 8}
# Of gCastle 1.0.4 on data sets of benchmarks/networks.py, by benchmarks/_networks_process.py.
FOUND_BY_GCASTLE = json.loads(Path(__file__).with_name("gcastle_masked.json").read_text())


def clear(seed: int = 1, n: int = 1000) -> Dataset:
    """A causes b, a and b cause c; d is alone. No inverse of these functions is one."""
    rng = np.random.default_rng(seed)
    a, b, c, d = rng.normal(size=(4, n))
    b += 2 * np.cos(1.5 * a)
    c += 2 * np.sin(1.5 * b) + 1.5 * np.abs(a)
    return continuous(np.column_stack([a, b, c, d]), NAMES)


CLEAR = {("a", "b"), ("a", "c"), ("b", "c")}


def arcs_of(graph) -> set[tuple[str, str]]:
    return {(edge.left, edge.right) for edge in graph.edges()}


def random_model(seed: int, p: int = 3, hidden: tuple[int, ...] = (4, 2)):
    jax = pytest.importorskip("jax")
    from dagathlon.learners.jax.masked_nets import networks

    model = networks(jax.random.PRNGKey(seed), p, hidden)
    rng = np.random.default_rng(seed)
    moved = tuple(np.float32(rng.normal(size=part.shape)) for part in model.intercepts)
    return model._replace(intercepts=moved), np.float32(1 - np.eye(p))


def said_by_hand(model, mask: np.ndarray, row: np.ndarray, child: int) -> float:
    values = row * mask[:, child]
    last = len(model.weights) - 1
    layers = zip(model.weights, model.intercepts, strict=True)
    for number, (weights, intercepts) in enumerate(layers):
        values = values @ np.asarray(weights)[child] + np.asarray(intercepts)[child]
        values = values if number == last else np.where(values > 0, values, 0.01 * values)
    return float(values[0])


def test_predictions_are_those_of_each_network_by_itself():
    from dagathlon.learners.jax.masked_nets import predicted, squared_errors

    model, mask = random_model(1)
    mask = mask * np.random.default_rng(1).random(mask.shape).astype(np.float32)
    rows = np.random.default_rng(2).normal(size=(5, 3)).astype(np.float32)
    expected = np.array([[said_by_hand(model, mask, row, j) for row in rows] for j in range(3)])
    assert np.allclose(predicted(model, mask, rows), expected, atol=1e-5)
    errors = ((rows.T - expected) ** 2).mean(axis=1)
    assert np.allclose(squared_errors(model, mask, rows), errors, rtol=1e-4)


def test_connectivity_is_the_mean_over_all_paths():
    from dagathlon.learners.jax.masked_nets import connectivity

    model, mask = random_model(2)
    mask[0, 2] = 0
    one, two, three = (np.abs(np.asarray(part)) for part in model.weights)
    for i, j in itertools.product(range(3), repeat=2):
        paths = [
            mask[i, j] * one[j, i, u] * two[j, u, v] * three[j, v, 0]
            for u, v in itertools.product(range(4), range(2))
        ]
        assert float(connectivity(model, mask)[i, j]) == pytest.approx(np.mean(paths), rel=1e-5)


@pytest.mark.parametrize("seed", range(3))
def test_the_constraint_is_zero_for_acyclic_paths_alone(seed):
    pytest.importorskip("jax")
    from dagathlon.learners.jax.grandag import Parameters
    from dagathlon.learners.jax.masked_nets import Facts

    model, full = random_model(seed, p=4, hidden=(3,))
    problem = Grandag().problem_of(4)
    rng = np.random.default_rng(seed)
    order = rng.permutation(4)
    acyclic = np.zeros((4, 4), np.float32)
    acyclic[np.ix_(order, order)] = np.triu(np.ones((4, 4)), 1)
    cyclic = acyclic.copy()
    cyclic[order[3], order[0]] = 1
    facts = Facts(np.zeros((2, 4), np.float32), full)
    found = Parameters(model, np.zeros(4, np.float32), acyclic)
    assert float(problem.constraint(found, facts)) == 0
    assert float(problem.constraint(found._replace(mask=cyclic), facts)) > 0


def directional(function, at, steps=1e-2) -> tuple[float, float]:
    """The slope along the gradient: by the gradient, and by a difference."""
    jax = pytest.importorskip("jax")
    each = jax.tree_util.tree_map
    gradients = jax.grad(function)(at)
    size = sum(float((part**2).sum()) for part in jax.tree_util.tree_leaves(gradients)) ** 0.5
    up = function(each(lambda x, g: x + steps * g / size, at, gradients))
    down = function(each(lambda x, g: x - steps * g / size, at, gradients))
    return size, float(up - down) / (2 * steps)


def test_slopes_are_those_of_the_objectives():
    jax = pytest.importorskip("jax")
    from dagathlon.learners.jax import grandag, mcsl
    from dagathlon.learners.jax.masked_nets import Facts

    model, full = random_model(4)
    rows = np.random.default_rng(3).normal(size=(30, 3)).astype(np.float32)
    known, key = Facts(rows, full), jax.random.PRNGKey(1)
    scales = np.array([0.1, -0.3, 0.2], np.float32)
    found = grandag.Parameters(model, scales, full)
    problem = Grandag().problem_of(3)
    multipliers = problem.multipliers()._replace(rho=10.0, alpha=0.5)
    by_slopes, by_difference = directional(
        lambda at: problem.objective(at, known, multipliers, key), found
    )
    assert by_difference == pytest.approx(by_slopes, rel=0.03)
    facts = mcsl.MaskFacts(rows, full, np.float32(0.1))
    masks = mcsl.Parameters(model, np.float32(np.random.default_rng(5).normal(size=(3, 3))))
    for noise in ("equal", "free"):
        problem = Mcsl(noise=noise, temperature=1.0).problem_of(3)
        by_slopes, by_difference = directional(
            lambda at, problem=problem: problem.objective(at, facts, multipliers, key), masks
        )
        assert by_difference == pytest.approx(by_slopes, rel=0.03)


def test_likelihood_is_that_of_gaussian_rows():
    pytest.importorskip("jax")
    from dagathlon.learners.jax.grandag import Parameters, negative_log_likelihood

    model, mask = random_model(6)
    rows = np.random.default_rng(4).normal(size=(7, 3)).astype(np.float32)
    scales = np.array([0.4, -0.2, 0.1], np.float32)
    means = np.array([[said_by_hand(model, mask, row, j) for j in range(3)] for row in rows])
    rest = (rows - means) / np.exp(scales)
    logs = -0.5 * rest**2 - scales - 0.5 * np.log(2 * np.pi)
    expected = -logs.sum(axis=1).mean() - 1.5 * np.log(2 * np.pi)
    found = Parameters(model, scales, mask)
    assert float(negative_log_likelihood(found, rows)) == pytest.approx(expected, rel=1e-4)


def test_mean_slopes_are_those_of_the_predictions():
    from dagathlon.learners.jax.masked_nets import mean_gradients

    model, mask = random_model(7)
    mask[1, 0] = 0
    rows = np.random.default_rng(8).normal(size=(6, 3))
    expected = np.zeros((3, 3))
    for i, j in itertools.product(range(3), repeat=2):
        step = 1e-6 * np.eye(3)[i]
        up, down = (
            np.array([said_by_hand(model, mask, row + sign * step, j) for row in rows])
            for sign in (1, -1)
        )
        expected[i, j] = np.abs((up - down) / 2e-6).mean()
    assert np.allclose(mean_gradients(model, mask, np.float32(rows)), expected, atol=1e-3)
    assert expected[1, 0] == 0


def test_random_masks_are_open_with_their_probability():
    jax = pytest.importorskip("jax")
    from dagathlon.learners.jax.masked_nets import gumbel_sigmoid

    logits = np.repeat(np.float32([[-2.0, 0.0, 1.0]]), 20_000, axis=0)
    drawn = np.asarray(gumbel_sigmoid(jax.random.PRNGKey(1), logits, 0.2))
    assert np.allclose((drawn > 0.5).mean(axis=0), 1 / (1 + np.exp(-logits[0])), atol=0.015)
    assert np.mean((drawn > 0.1) & (drawn < 0.9)) < 0.3


@BOTH
def test_clear_arcs_are_found_with_their_directions(learner):
    pytest.importorskip("jax")
    found = learner.learn(clear(), np.random.default_rng(1))
    assert arcs_of(found.graph) == CLEAR
    assert found.stats["settled"]
    assert not found.notes
    present = found.weights > learner.w_threshold
    assert np.array_equal(present, found.graph.adjacency.astype(bool))
    again = learner.learn(clear(), np.random.default_rng(1))
    assert again == found
    assert np.array_equal(again.weights, found.weights)


def test_least_squares_find_them_too_and_no_common_unit_counts():
    pytest.importorskip("jax")
    learner, data = Mcsl(noise="equal", standardize=False), clear()
    found = learner.learn(data, np.random.default_rng(1))
    assert arcs_of(found.graph) == CLEAR
    assert learner.learn(continuous(1024 * data.values, NAMES), np.random.default_rng(1)) == found


@pytest.mark.parametrize("seed", range(5))
def test_a_cycle_loses_its_weakest_arcs_alone(seed):
    rng = np.random.default_rng(seed)
    weights = rng.random((6, 6)) * (rng.random((6, 6)) < 0.5) * (1 - np.eye(6))
    cut = closing_arcs(weights)
    left = np.where(cut, 0, weights)
    assert is_acyclic(left)
    for tail, head in np.argwhere(cut):
        stronger = np.where(weights > weights[tail, head], weights, 0)
        stronger[tail, head] = 1
        assert not is_acyclic(stronger)


def is_acyclic(weights: np.ndarray) -> bool:
    return not np.linalg.matrix_power((weights > 0).astype(float), len(weights)).any()


@pytest.mark.usefixtures("compiled_fast")
def test_units_do_not_count_where_columns_are_standardised():
    pytest.importorskip("jax")
    data = clear(n=60)
    other = continuous(data.values * np.array([1024, 1, 1 / 64, 2]), NAMES)
    for learner in (Grandag(**SHORT), Mcsl(**SHORT)):
        one, two = (learner.learn(each, np.random.default_rng(1)) for each in (data, other))
        assert one.graph == two.graph
        assert np.allclose(one.weights, two.weights, rtol=1e-4)


@BOTH
@pytest.mark.usefixtures("compiled_fast")
def test_runs_that_are_computed_together_do_not_depend_on_each_other(learner, monkeypatch):
    pytest.importorskip("jax")
    learner = replace(learner, **SHORT)
    data = [clear(seed, n=60) for seed in range(3)]
    streams = [np.random.default_rng(seed) for seed in range(3)]
    alone = [learner.learn(*each) for each in zip(data, streams, strict=True)]
    monkeypatch.setattr(backend, "on_gpu", lambda: True)
    streams = [np.random.default_rng(seed) for seed in range(3)]
    together = learner.learn_many(data, streams)
    for one, two in zip(alone, together, strict=True):
        assert np.allclose(one.weights, two.weights, atol=1e-3)
    assert not np.allclose(alone[0].weights, alone[1].weights, atol=1e-3)


@BOTH
@pytest.mark.usefixtures("compiled_fast")
def test_knowledge_and_constant_columns(learner):
    pytest.importorskip("jax")
    values = np.array(clear(n=60).values)
    values[:, 3] = 7.0
    known = Knowledge(frozenset({("a", "b")}), frozenset({("c", "b")}))
    found = replace(learner, constraints=known, **SHORT).learn(
        continuous(values, NAMES), np.random.default_rng(1)
    )
    assert ("c", "b") in arcs_of(found.graph)
    assert not {("a", "b"), ("b", "c")} & arcs_of(found.graph)
    assert not any("d" in arc for arc in arcs_of(found.graph))
    assert not found.weights[3].any()
    assert not found.weights[:, 3].any()


@pytest.mark.usefixtures("compiled_fast")
def test_pruning_leaves_out_arcs_alone():
    pytest.importorskip("jax")
    data = clear(n=60)
    pruned, whole = (
        Grandag(pruning=pruning, **SHORT).learn(data, np.random.default_rng(1))
        for pruning in ("additive", "none")
    )
    assert arcs_of(pruned.graph) < arcs_of(whole.graph)
    kept = pruned.graph.adjacency.astype(bool)
    assert np.array_equal(pruned.weights[kept], whole.weights[kept])
    assert not pruned.weights[~kept].any()


def test_too_few_rows_and_bad_parameters_are_refused_with_a_reason():
    pytest.importorskip("jax")
    with pytest.raises(DagathlonError, match="pruning='none'"):
        run_learner(Grandag(), clear(n=6), np.random.default_rng(1))
    assert "temperature" in Mcsl(temperature=0).problem()
    assert not Mcsl().problem()
    with pytest.raises(OutOfTimeError), watch(deadline=0.0):
        Mcsl(**SHORT).learn(clear(n=60), np.random.default_rng(1))


@BOTH
@pytest.mark.usefixtures("compiled_fast")
def test_conforms(learner: MaskedLearner):
    pytest.importorskip("jax")
    check_learner(replace(learner, **SHORT), seconds=600)


@pytest.mark.parametrize("name", FOUND_BY_GCASTLE)
def test_no_worse_than_what_gcastle_found(name):
    pytest.importorskip("jax")
    learner, ours, theirs = LEARNERS[name], [], []
    for number, arcs in FOUND_BY_GCASTLE[name].items():
        values, truth = drawn(int(number))
        columns = [Variable(f"x{i}") for i in range(values.shape[1])]
        found = learner.learn(Dataset(columns, values=values), np.random.default_rng(0))
        ours.append(shd(np.asarray(found.graph.adjacency, dtype=bool), truth))
        theirs.append(shd(np.array(arcs, dtype=bool), truth))
    assert np.mean(ours) <= np.mean(theirs)
