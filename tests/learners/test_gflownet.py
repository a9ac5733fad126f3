"""GFlowNets over DAGs: moves against brute force, draws against exact posteriors."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from dagathlon import _core
from dagathlon.data import Dataset, Variable, facts_of
from dagathlon.errors import DagathlonError, DataError
from dagathlon.learners.bayesian.exact_posterior import ExactPosterior
from dagathlon.learners.jax import backend
from dagathlon.learners.jax.dag_gflownet import DagGflownet
from dagathlon.learners.jax.gflownet_rewards import closure, compression_depth, parent_sets
from dagathlon.learners.jax.vbg import Vbg
from dagathlon.learners.run import run_learner
from dagathlon.testing import check_learner
from dagathlon.testing.samples import ordinary
from strategies import random_dag

pytestmark = pytest.mark.slow
NAMES = ("a", "b", "c", "d")
# All runs of four variables share what is compiled.
FEW = {"draws": 2000, "hidden": 64, "steps": 1000, "tolerance": 0}


def linear_data(seed: int, n: int, p: int = 4) -> Dataset:
    rng = np.random.default_rng(seed)
    weights = np.triu(rng.normal(0, 1.0, (p, p)), 1)
    values = rng.normal(size=(n, p)) @ np.linalg.inv(np.eye(p) - weights)
    return Dataset([Variable(name) for name in NAMES[:p]], values=values)


def streams(count: int) -> list[np.random.Generator]:
    return [np.random.default_rng(seed) for seed in range(count)]


def test_moves_are_those_that_leave_a_dag_and_gain_what_the_table_says():
    pytest.importorskip("jax")
    from dagathlon.learners.jax.gflownet_states import Graphs, Reward, moves, with_arc

    rng = np.random.default_rng(1)
    table = rng.normal(size=(4, 8)).astype(np.float32)
    weight = {
        (child, tuple(np.flatnonzero(row))): table[child, number]
        for child in range(4)
        for number, row in enumerate(parent_sets(4, child))
    }

    def total(arcs: np.ndarray) -> float:
        return sum(weight[j, tuple(np.flatnonzero(arcs[:, j]))] for j in range(4))

    for _ in range(5):
        arcs = random_dag(4, rng).adjacency == 1
        graph = Graphs(np.asarray(arcs), closure(arcs))
        found = moves(graph, Reward(table, np.zeros((4, 4), bool)), 1e6)
        for parent, child in np.argwhere(~arcs & ~np.eye(4, dtype=bool)).tolist():
            longer = arcs.copy()
            longer[parent, child] = True
            cyclic = np.trace(np.linalg.matrix_power(np.eye(4) + longer, 4)) > 4
            assert bool(found.legal[parent, child]) != cyclic
            if not cyclic:
                assert found.gain[parent, child] == pytest.approx(
                    total(longer) - total(arcs), abs=1e-5
                )
        legal = np.flatnonzero(np.asarray(found.legal))
        if legal.size:
            import jax.numpy as jnp

            after = with_arc(Graphs(jnp.asarray(arcs), jnp.asarray(closure(arcs))), int(legal[0]))
            assert np.array_equal(after.leads, closure(np.asarray(after.arcs)))


def test_compression_keeps_probable_dags_and_the_order_of_others():
    pytest.importorskip("jax")
    from dagathlon.learners.jax.gflownet_states import compressed

    depth = compression_depth(4)
    logs = np.array([3.0, 0.0, -depth + 1, -depth - 1, -100.0, -5000.0], dtype=np.float32)
    found = np.asarray(compressed(logs, depth))
    assert np.allclose(found[:3], logs[:3])
    assert np.all(np.diff(found) < 0)
    assert found[-1] > -200


def test_draws_follow_the_exact_posterior():
    pytest.importorskip("jax")
    data = [linear_data(1, 8), linear_data(2, 40)]
    learner = DagGflownet(score="bge", **FEW)
    results = learner.learn_many(data, streams(2))
    assert learner.learn_many(data[:1], streams(1)) == results[:1]
    for one, found in zip(data, results, strict=True):
        exact = ExactPosterior(score="bge").posterior(one).edge_probabilities
        assert found.posterior is not None
        assert np.abs(found.posterior.edge_probabilities - exact).max() < 0.07


@pytest.mark.usefixtures("compiled_fast")
def test_runs_that_are_computed_together_do_not_depend_on_each_other(monkeypatch):
    pytest.importorskip("jax")
    monkeypatch.setattr(backend, "on_gpu", lambda: True)
    learner = Vbg(steps=30, draws=20, hidden=8, walkers=4, batch_size=4, buffer_size=16)
    first, *others = (linear_data(seed, 10, p=3) for seed in range(3))
    one, two = (learner.learn_many([first, other], streams(2)) for other in others)
    assert one[0] == two[0]
    assert one[1] != two[1]


def test_constraints_and_limits_hold_in_every_draw(tmp_path):
    pytest.importorskip("jax")
    file = tmp_path / "known.json"
    file.write_text('{"required_edges": [["a", "b"]], "forbidden_edges": [["c", "d"]]}')
    data = linear_data(1, 8)
    known = {"score": "bge", "max_parents": 2, "constraints": str(file)}
    runs = DagGflownet(**known, **FEW).learn_many([data, data], streams(2))
    exact = ExactPosterior(**known).posterior(data).edge_probabilities
    for run in runs:
        found = run.posterior.edge_probabilities
        assert found[0, 1] == 1
        assert found[2, 3] == 0
        assert np.abs(found - exact).max() < 0.07


def log_density(data: Dataset, child: int, parents: np.ndarray) -> float:
    """Of a column given its parents, with their weights integrated out."""
    values = np.asarray(data.values)
    covariance = 0.1 * np.eye(len(values)) + 2.0 * values[:, parents] @ values[:, parents].T
    rest = values[:, child] @ np.linalg.solve(covariance, values[:, child])
    return -0.5 * (np.linalg.slogdet(2 * np.pi * covariance)[1] + rest)


def test_vbg_rewards_families_by_their_evidence():
    data = linear_data(3, 12)
    learner = Vbg(weight_variance=2.0, arc_odds=0.5)
    table = learner.table(data)
    for child in range(4):
        for number, row in enumerate(parent_sets(4, child)):
            expected = log_density(data, child, np.flatnonzero(row)) + row.sum() * math.log(0.5)
            assert table[child, number] == pytest.approx(expected, rel=1e-9)


def test_vbg_draws_graphs_and_weights_from_their_posterior():
    pytest.importorskip("jax")
    data = [linear_data(1, 4), linear_data(2, 6)]
    learner = Vbg(noise_variance=1.0, **FEW)
    for one, found in zip(data, learner.learn_many(data, streams(2)), strict=True):
        exact = _core.DagPosterior.of_weights(learner.table(one), _core.Modularity.structure)
        assert np.abs(found.posterior.edge_probabilities - exact.edges()).max() < 0.07
        assert all(model.variances.tolist() == [1] * 4 for model, _ in found.posterior.models())


def test_vbg_weights_given_a_dag_have_their_conjugate_mean_and_covariance():
    data = linear_data(4, 10)
    arcs = np.zeros((20000, 4, 4), dtype=bool)
    arcs[:, [0, 1], 3] = True
    sample = Vbg(noise_variance=0.5).sample(data, arcs, np.random.default_rng(1))
    drawn = sample.parameters.coefficients.reshape(-1, 2)
    parents, child = np.asarray(data.values)[:, :2], np.asarray(data.values)[:, 3]
    covariance = np.linalg.inv(parents.T @ parents / 0.5 + np.eye(2))
    mean = covariance @ parents.T @ child / 0.5
    spread = np.sqrt(np.diag(covariance))
    assert np.all(np.abs(drawn.mean(axis=0) - mean) < 5 * spread / math.sqrt(len(drawn)))
    assert np.allclose(np.cov(drawn.T), covariance, atol=0.05 * spread.max() ** 2)


def test_rows_in_which_a_node_was_set_say_nothing_about_it():
    plain = linear_data(5, 20)
    set_values = np.array(plain.values)
    set_values[10:, 1] = 7.0
    regimes = ([(), ("b",)], np.repeat([0, 1], 10))
    data = Dataset(plain.variables, values=set_values, regimes=regimes)
    first = Dataset(plain.variables, values=set_values[:10])
    assert np.allclose(Vbg().table(data)[1], Vbg().table(first)[1])


@pytest.mark.parametrize("learner", [DagGflownet(), Vbg()], ids=["dag_gflownet", "vbg"])
def test_too_many_variables_are_refused_with_a_remedy(learner):
    facts = replace(facts_of(linear_data(1, 8)), n_columns=17)
    assert "partition_mcmc" in learner.why_unsuitable(facts)


def test_bad_data_and_parameters_are_refused_with_a_reason():
    pytest.importorskip("jax")
    with pytest.raises(DagathlonError, match="continuous"):
        run_learner(Vbg(), ordinary("discrete"), np.random.default_rng(1))
    assert "noise_variance" in Vbg(noise_variance=0).problem()
    assert not Vbg().problem()
    with pytest.raises(DataError, match="rows"):
        DagGflownet(score="bge").learn(linear_data(1, 2), np.random.default_rng(1))


@pytest.mark.parametrize("cls", [DagGflownet, Vbg])
@pytest.mark.usefixtures("compiled_fast")
def test_conforms(cls):
    pytest.importorskip("jax")
    learner = cls(steps=10, draws=20, hidden=8, walkers=4, batch_size=4, buffer_size=16)
    check_learner(learner, seconds=600)
