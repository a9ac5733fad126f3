"""Random discrete networks: binary, Dirichlet, hyper-Dirichlet."""

from __future__ import annotations

import math

import numpy as np
import pytest
from graph_draws import stream
from scipy import stats

from dagathlon.benchpress.parameters import BinBn, TrilearnHyperDir
from dagathlon.data import Network, Table
from dagathlon.errors import DagathlonError, DataError
from dagathlon.graphs import Graph, moral
from dagathlon.simulate.decomposable import DecomposableGraph
from dagathlon.simulate.discrete import BinaryNetwork, DirichletNetwork
from dagathlon.simulate.erdos_renyi import ErdosRenyi
from dagathlon.simulate.hyper_dirichlet import HyperDirichlet, perfect_dag

FORK = ["a -> c", "b -> c"]


def fork() -> Graph:
    return Graph.from_edges(FORK, names=["a", "b", "c", "alone"])


def cells(network: Network, node: str) -> np.ndarray:
    table = network.distribution(node)
    assert isinstance(table, Table)
    return table.probabilities


def joint(network: Network) -> np.ndarray:
    """The joint distribution, one axis per node in order."""
    letters = {name: chr(97 + i) for i, name in enumerate(network.names)}
    terms, tables = [], []
    for name, table in network.distributions.items():
        assert isinstance(table, Table)
        terms.append("".join(letters[n] for n in (*table.parents, name)))
        tables.append(table.probabilities)
    return np.einsum(f"{','.join(terms)}->{''.join(letters.values())}", *tables)


def test_paper_form_is_uniform_for_every_configuration():
    graph = ErdosRenyi(nodes=80, neighbours=4, max_parents=5).sample(stream())
    network = BinBn().sample(graph, stream())
    assert isinstance(network, Network)
    assert network.graph == graph
    zero = np.concatenate([cells(network, node)[..., 0].ravel() for node in network.names])
    assert len(zero) == sum(2 ** len(graph.parents(node)) for node in graph.names)
    assert stats.kstest(zero, stats.uniform(0.1, 0.8).cdf).pvalue > 1e-4


def test_code_form_adds_strengths():
    one = {node: [] for node in "abc"}
    rng = stream()
    for _ in range(800):
        network = BinaryNetwork(min=0.2, max=0.3, form="code").sample(fork(), rng)
        assert cells(network, "alone").tolist() == [0.97, 0.03]
        for node in "abc":
            one[node].append(cells(network, node)[..., 1])
    for node in "ab":
        assert stats.kstest(np.array(one[node]), stats.uniform(0.2, 0.1).cdf).pvalue > 1e-4
    tables = np.array(one["c"])
    assert stats.kstest(tables[:, 0, 0], stats.uniform(0.01, 0.09).cdf).pvalue > 1e-4
    for strength in (tables[:, 0, 1], tables[:, 1, 0]):
        assert stats.kstest(strength, stats.uniform(0.4, 0.5).cdf).pvalue > 1e-4
    np.testing.assert_allclose(tables[:, 1, 1], np.minimum(tables[:, 0, 1] + tables[:, 1, 0], 0.95))


def test_dirichlet_tables_have_their_moments():
    rng = stream()
    rows = []
    arities = []
    for _ in range(500):
        network = DirichletNetwork(min_levels=3, max_levels=3, concentration=0.5).sample(
            fork(), rng
        )
        rows.append(cells(network, "c").reshape(9, 3))
        varied = DirichletNetwork(min_levels=2, max_levels=5).sample(fork(), rng)
        arities += [variable.arity for variable in varied.variables]
    drawn = np.concatenate(rows)
    # Each cell is Beta(0.5, 1).
    for level in range(3):
        assert stats.kstest(drawn[:, level], stats.beta(0.5, 1).cdf).pvalue > 1e-4
    counts = np.bincount(arities, minlength=6)[2:]
    assert stats.chi2.sf(((counts - 500) ** 2 / 500).sum(), 3) > 1e-4


@pytest.mark.parametrize("concentration", [1e-6, 1e6])
def test_extreme_concentrations_give_distributions(concentration: float):
    network = DirichletNetwork(concentration=concentration).sample(fork(), stream())
    np.testing.assert_allclose(cells(network, "c").sum(axis=-1), 1)


@pytest.mark.slow
def test_hyper_dirichlet_cliques_agree_in_law():
    graph = Graph.from_edges(["a - b", "b - c", "b - d", "c - d"])
    rng = stream()
    generator = HyperDirichlet(levels=2, pseudo_observations=6)
    joints = np.array([joint(generator.sample(graph, rng)) for _ in range(3000)])
    # Marginals of complete sets are Dirichlet with the six observations spread evenly, so that a
    # cell of k variables is Beta(6/2^k, 6 - 6/2^k).
    for complete in ("ab", "bcd", "b", "c", "d", "bd"):
        others = tuple(1 + i for i, name in enumerate(graph.names) if name not in complete)
        cell = joints.sum(axis=others).reshape(len(joints), -1)[:, 0]
        share = 6 / 2 ** len(complete)
        assert stats.kstest(cell, stats.beta(share, 6 - share).cdf).pvalue > 1e-4


def test_hyper_dirichlet_models_have_the_independences_of_the_graph():
    graph = Graph.from_edges(["a - b", "b - c"])
    table = joint(TrilearnHyperDir(n_levels=3, pseudo_obs=9).sample(graph, stream()))
    given_b = table / table.sum(axis=(0, 2), keepdims=True)
    product = given_b.sum(axis=2, keepdims=True) * given_b.sum(axis=0, keepdims=True)
    np.testing.assert_allclose(given_b, product, atol=1e-12)


def test_perfect_dags_have_the_same_moral_graph():
    for seed in range(20):
        graph = DecomposableGraph(nodes=15).sample(stream(seed))
        dag = perfect_dag(graph)
        assert dag.is_dag
        assert moral(dag) == graph
        assert dag.v_structures() == []


def test_networks_are_sampled_with_a_random_stream():
    network = BinaryNetwork().sample(fork(), stream())
    assert network.sample(7, stream(2)) == network.sample(7, stream(2))
    assert network.sample(50, stream(2)) != network.sample(50, stream(3))


@pytest.mark.parametrize(
    ("module", "edges", "message"),
    [
        (BinaryNetwork(min=0.9, max=0.1), FORK, "min 0.9 is above max 0.1"),
        (DirichletNetwork(min_levels=5), FORK, "min_levels 5 is above max_levels 4"),
        (
            DirichletNetwork(concentration=0.0),
            FORK,
            "concentration must be a finite number above 0",
        ),
        (DirichletNetwork(concentration=math.inf), FORK, "found inf"),
        (DirichletNetwork(min_levels=0), FORK, "found 0, expected a whole number between 1"),
        (HyperDirichlet(pseudo_observations=0.0), [], "pseudo_observations must be"),
        (BinaryNetwork(), ["a -> b", "b -> a2", "a2 -> a"], "directed cycle"),
        (BinaryNetwork(), ["a - b"], "needs a DAG, found the edge a - b"),
        (
            HyperDirichlet(),
            ["a - b", "b - c", "c - d", "d - a"],
            "a decomposable model needs a chordal graph: the cycle a - d - c - b - a has no chord",
        ),
        (HyperDirichlet(), FORK, "needs an undirected graph, found the edge a -> c"),
    ],
)
def test_wrong_models_are_refused(module, edges, message):
    with pytest.raises(DagathlonError, match=message):
        module.sample(Graph.from_edges(edges), stream())


def test_tables_that_are_too_large_are_refused():
    many = Graph.from_edges([(f"p{i}", "child") for i in range(30)])
    with pytest.raises(
        DataError, match=r"node child, with 30 parents.*limit the number of parents"
    ):
        BinaryNetwork().sample(many, stream())
