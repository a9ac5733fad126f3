"""Learners that fit networks: slopes, cycles, steps, invariances, batches, knowledge, recovery."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

from dagathlon.data import Dataset
from dagathlon.errors import DataError, GraphError, OutOfTimeError
from dagathlon.graphs import Graph
from dagathlon.graphs.knowledge import Knowledge
from dagathlon.learners.base import Estimate
from dagathlon.learners.jax import backend, nets_learner
from dagathlon.learners.jax.dagma_mlp import DagmaMlp
from dagathlon.learners.jax.nets_learner import allowed_arcs, with_required
from dagathlon.learners.jax.nets_models import Regressions
from dagathlon.learners.jax.notears_mlp import NotearsMlp
from dagathlon.learners.result_checks import problems_with
from dagathlon.learners.run import run_learner
from dagathlon.pulse import watch
from dagathlon.study.store.formats import FORMATS
from dagathlon.testing import check_learner
from strategies import continuous

NAMES = ("a", "b", "c", "d")
# Few steps: later ones make more and more of rounding.
LEARNERS = [
    NotearsMlp(hidden=2, max_iter=2, steps=5),
    DagmaMlp(hidden=2, stages=2, steps=5),
]
BY_NAME = pytest.mark.parametrize("learner", LEARNERS, ids=["mlp", "dagma"])


def waves(seed: int, rows: int = 200) -> Dataset:
    """A chain a -> b -> c of strong curved relations, with noise of one variance."""
    noise = np.random.default_rng(seed).normal(size=(rows, 3))
    a = 2 * noise[:, 0]
    b = 3 * np.sin(a) + 1.5 * a + 0.5 * noise[:, 1]
    c = 0.5 * b + 2 * np.cos(b) + 0.5 * noise[:, 2]
    return continuous(np.column_stack([a, b, c]), NAMES)


def arcs(estimate) -> set[tuple[str, str]]:
    return {(edge.left, edge.right) for edge in estimate.graph.edges()}


def closed_walks(weights: np.ndarray, factor) -> float:
    """The sum of the products along all closed walks, by enumeration up to length 8."""
    total, p = 0.0, len(weights)
    for length in range(1, 9):
        for nodes in itertools.product(range(p), repeat=length):
            steps = zip(nodes, (*nodes[1:], nodes[0]), strict=True)
            total += factor(length) * math.prod(weights[i, j] for i, j in steps)
    return total


@pytest.mark.slow
def test_cycles_are_counted_as_by_enumeration():
    pytest.importorskip("jax")
    from dagathlon.learners.jax.nets_cycles import log_determinant, walks

    weights = 0.3 * np.random.default_rng(1).random((3, 3)) * (1 - np.eye(3))
    given = np.float32(weights)
    by_factorial = closed_walks(weights, lambda k: 1 / math.factorial(k))
    assert float(walks(given)) == pytest.approx(by_factorial, rel=1e-5)
    by_length = closed_walks(weights, lambda k: 1 / k)
    assert float(log_determinant(given)) == pytest.approx(by_length, rel=1e-3)
    assert float(walks(np.triu(given, 1))) == 0
    assert float(log_determinant(10 * given)) == math.inf
    tiny = np.float32([[0, 1e-6], [1e-6, 0]])  # far below the rounding of 1
    assert float(walks(tiny)) == pytest.approx(1e-12, rel=1e-5)


@pytest.mark.slow
@pytest.mark.usefixtures("compiled_fast")
@pytest.mark.parametrize(("functions", "noise"), [(0, "equal"), (3, "free")])
def test_slopes_are_those_of_the_loss(functions, noise):
    jax = pytest.importorskip("jax")
    from dagathlon.learners.jax.nets_models import Facts

    rng = np.random.default_rng(2)
    model = Regressions(() if functions else (4, 3), functions, 0.1, 0.1, noise, True)
    columns = rng.normal(size=(3, 30))
    inputs = model.inputs(columns)
    facts = Facts(*(np.float32(part) for part in (columns, inputs, 1 - np.eye(3))))
    initial = model.initial(jax.random.PRNGKey(0), facts)
    place = jax.tree_util.tree_map(lambda x: x + np.float32(rng.normal(size=x.shape)), initial)
    towards = jax.tree_util.tree_map(lambda x: np.float32(rng.normal(size=x.shape)), initial)
    loss = jax.jit(lambda at: model.loss(at, facts))
    gradients = jax.grad(loss)(place)
    products = jax.tree_util.tree_map(lambda a, b: float((a * b).sum()), gradients, towards)

    def at(step: float) -> float:
        return float(loss(jax.tree_util.tree_map(lambda x, d: x + step * d, place, towards)))

    expected = sum(jax.tree_util.tree_leaves(products))
    assert (at(2e-3) - at(-2e-3)) / 4e-3 == pytest.approx(expected, rel=0.02, abs=0.02)


@pytest.mark.slow
@pytest.mark.usefixtures("compiled_fast")
def test_minima_are_as_many_as_asked_for_whatever_the_number_of_steps():
    pytest.importorskip("jax")
    learner = DagmaMlp(hidden=2, stages=3, steps=30, tolerance=0)
    stats = learner.learn(waves(1, rows=50), np.random.default_rng(1)).stats
    assert stats["outer_steps"] == 3
    assert stats["settled"] is True
    assert stats["steps"] == 3 * 20  # the next look would come after 40


@pytest.mark.slow
@pytest.mark.usefixtures("compiled_fast")
def test_steps_under_a_penalty_find_the_lasso():
    jax = pytest.importorskip("jax")
    from dagathlon.learners.jax.quasi_newton import initial_memory, lbfgs_step

    rng = np.random.default_rng(3)
    rows, target = np.float32(rng.normal(size=(50, 6))), np.float32(rng.normal(size=50))

    def objective(at):
        return 0.5 * ((rows @ at - target) ** 2).sum()

    place = jax.numpy.zeros(6)
    memory = initial_memory(objective, place)
    step = jax.jit(lambda place, memory: lbfgs_step(objective, place, memory, 5.0 + 0 * place))
    for _ in range(60):
        place, memory, _ = step(place, memory)
    found, gradients = np.asarray(place), np.asarray(jax.grad(objective)(place))
    assert np.any(found == 0)
    assert np.all(np.abs(gradients[found == 0]) <= 5.01)
    np.testing.assert_allclose(gradients[found != 0], -5 * np.sign(found[found != 0]), atol=0.02)


@pytest.mark.slow
@pytest.mark.parametrize(
    "learner",
    [NotearsMlp(hidden=5), NotearsMlp(model="sob", expansions=5), DagmaMlp(hidden=5)],
    ids=["mlp", "sob", "dagma"],
)
def test_curved_relations_are_found(learner):
    pytest.importorskip("jax")
    found = learner.learn(waves(4), np.random.default_rng(0))
    assert arcs(found) - {("a", "c")} == {("a", "b"), ("b", "c")}  # sob may join the ends
    assert np.all((found.weights > learner.w_threshold) == found.graph.adjacency)


@pytest.mark.slow
@pytest.mark.usefixtures("compiled_fast")
@BY_NAME
def test_neither_the_order_of_columns_nor_a_batch_matters(learner, monkeypatch):
    pytest.importorskip("jax")
    data = [waves(seed) for seed in (5, 6, 7)]

    def rngs() -> list[np.random.Generator]:
        return [np.random.default_rng(seed) for seed in range(3)]

    alone = [learner.learn(one, rng) for one, rng in zip(data, rngs(), strict=True)]
    turned = learner.learn(data[0].select(["c", "a", "b"]), np.random.default_rng(0))
    back = turned.weights[np.ix_([1, 2, 0], [1, 2, 0])]
    np.testing.assert_allclose(back, alone[0].weights, atol=0.01)
    assert alone[0].weights.max() > 0.1
    monkeypatch.setattr(nets_learner, "batches_of", lambda places: [places])
    together = learner.learn_many(data, rngs())
    for one, other in zip(alone, together, strict=True):
        np.testing.assert_allclose(one.weights, other.weights, atol=0.01)


@pytest.mark.slow
def test_the_best_of_several_starts_is_no_worse_and_knowledge_is_obeyed():
    pytest.importorskip("jax")
    data = waves(8)
    one = NotearsMlp(hidden=5).learn(data, np.random.default_rng(0))
    several = NotearsMlp(hidden=5, starts=3).learn(data, np.random.default_rng(0))
    assert several.stats["objective"] <= one.stats["objective"] + 1e-6
    told = Knowledge(frozenset({("a", "b")}), frozenset({("c", "a")}))
    found = NotearsMlp(hidden=5, constraints=told).learn(data, np.random.default_rng(0))
    assert ("c", "a") in arcs(found)
    assert ("a", "b") not in arcs(found)
    assert found.weights[0, 1] == found.weights[0, 2] == 0


@pytest.mark.slow
@pytest.mark.usefixtures("compiled_fast")
def test_a_deadline_is_kept_and_units_are_noted():
    pytest.importorskip("jax")
    data = waves(9)
    with pytest.raises(OutOfTimeError, match="before"):
        run_learner(LEARNERS[1], data, np.random.default_rng(0), timeout=0.0)
    wide = continuous(data.values * [1, 1000, 1], NAMES)
    found = LEARNERS[1].learn(wide, np.random.default_rng(0))
    assert any("standardize=true" in note for note in found.notes)


@pytest.mark.slow
@pytest.mark.usefixtures("compiled_fast")
@BY_NAME
def test_conforms(learner):
    pytest.importorskip("jax")
    check_learner(learner, seconds=600)


def test_knowledge_becomes_a_mask_and_required_arcs_stay():
    told = Knowledge(frozenset({("a", "b")}), frozenset({("c", "a"), ("b", "c"), ("c", "b")}))
    allowed = allowed_arcs(told, NAMES[:3])
    np.testing.assert_array_equal(allowed, [[0, 0, 0], [1, 0, 1], [1, 1, 0]])
    weights = np.array([[0, 0.1, 0.9], [0, 0, 0.2], [0, 0.1, 0]])
    found = with_required(weights, told, NAMES[:3])
    assert found[2, 0] == np.inf
    assert found[1, 2] > 1
    assert found[2, 1] == weights[2, 1]


def test_weights_are_stored_and_checked():
    graph = Graph.from_edges([("a", "b")], names=NAMES[:2])
    given = Estimate(graph, weights=np.array([[0.0, 0.7], [0.1, 0.0]]))
    form = FORMATS["estimate"]
    np.testing.assert_array_equal(form.put_together(form.take_apart(given)).weights, given.weights)
    assert not list(problems_with(given, NAMES[:2], "dag"))
    wrong = Estimate(graph, weights=np.zeros((3, 3)))
    assert any("weights matrix has 3×3" in said for said in problems_with(wrong, NAMES[:2], "dag"))


def test_basis_functions_are_those_of_the_sobolev_space():
    columns = np.array([[0.0, 0.2, 0.5, 0.9, 1.0], [-1.0, 3.0, 1.0, 0.0, 2.0]])
    part = np.array([columns[0], (columns[1] + 1) / 4])
    found = Regressions((), 3, 0.0, 0.0, "equal").inputs(columns).reshape(3, 2, 5)
    for k in range(3):
        scale = 2 / (math.pi * (2 * k + 1))
        np.testing.assert_allclose(found[k], np.array([[1], [4]]) * scale * np.sin(part / scale))


@pytest.mark.skipif(bool(backend.NEEDS_JAX), reason=backend.NEEDS_JAX)
def test_what_cannot_be_learned_from_is_refused_with_the_reason():
    values = np.random.default_rng(1).normal(size=(10, 3))
    with pytest.raises(DataError, match="use standardize=true"):
        NotearsMlp().learn(continuous(values * 1e7, NAMES), np.random.default_rng(0))
    told = Knowledge(required=frozenset({("a", "b"), ("b", "c"), ("c", "a")}))
    with pytest.raises(GraphError, match="directed cycle"):
        DagmaMlp(constraints=told).learn(continuous(values, NAMES), np.random.default_rng(0))
    assert "mu_factor" in DagmaMlp(mu_factor=1.0).problem()


def test_no_batch_goes_on_after_a_deadline_that_stopped_one_before():
    pytest.importorskip("jax")
    from dagathlon.learners.jax.loop import run_until_converged

    made = []

    def advance(state, fixed, first, last):
        made.append(last)
        return state

    def settled(state, fixed, step):
        return state, np.zeros(1, dtype=bool)

    with watch(deadline=0.0) as watched:
        for _ in range(2):
            ended = run_until_converged(
                advance, settled, np.zeros(1), np.zeros(1), steps=4, every=2
            )
            assert ended.steps.tolist() == [0]
    assert watched.stopped_early
    assert made == []
