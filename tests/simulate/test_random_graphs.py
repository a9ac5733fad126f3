"""Random graphs with an expected number of neighbours: how many edges, and where."""

from __future__ import annotations

import math

import numpy as np
import pytest
from graph_draws import degrees, draws, stream
from scipy import stats

from dagathlon.benchpress.graphs import GcastleDag, PcalgRanddag
from dagathlon.errors import GraphError
from dagathlon.graphs import Graph
from dagathlon.simulate.blocks import Bipartite, Islands
from dagathlon.simulate.degrees import PowerLaw, RegularGraph, is_graphical, power_law
from dagathlon.simulate.er_sf import ErSf
from dagathlon.simulate.erdos_renyi import ErdosRenyi
from dagathlon.simulate.geometric import GeometricGraph, radius_of
from dagathlon.simulate.random_graph import RandomGraph
from dagathlon.simulate.scale_free import ScaleFree, attach_nodes
from dagathlon.simulate.small_world import SmallWorld

ALL = [
    ErdosRenyi,
    RegularGraph,
    SmallWorld,
    Bipartite,
    ScaleFree,
    GeometricGraph,
    PowerLaw,
    Islands,
]
METHODS = ["er", "regular", "watts", "bipartite", "barabasi", "geometric", "power", "interEr"]


@pytest.mark.parametrize("generator", ALL)
def test_graphs_are_what_they_say(generator: type[RandomGraph]):
    for graph in draws(generator(nodes=16, neighbours=4), 30):
        assert graph.is_dag
        assert graph.names == tuple(map(str, range(1, 17)))
    for graph in draws(generator(nodes=16, neighbours=4, directed=False), 30):
        assert graph.is_undirected
        assert graph.n_edges > 0


@pytest.mark.parametrize("method", METHODS)
def test_same_stream_same_graph(method: str):
    generator = PcalgRanddag(method=method, n=30, d=4)
    first, again, other = (generator.sample(stream(seed)) for seed in (1, 1, 2))
    assert first == again
    assert first != other


@pytest.mark.parametrize("neighbours", [1.5, 3, 4, 5.25])
@pytest.mark.parametrize(
    "generator", [ErdosRenyi, SmallWorld, Bipartite, ScaleFree, GeometricGraph, Islands]
)
def test_expected_number_of_neighbours(generator: type[RandomGraph], neighbours: float):
    graphs = draws(generator(nodes=24, neighbours=neighbours), 900)
    counts = 2 * np.array([graph.n_edges for graph in graphs]) / 24
    error = max(counts.std() / math.sqrt(len(counts)), 1e-9)
    assert abs(counts.mean() - neighbours) < 4.5 * error


@pytest.mark.parametrize("generator", [ErdosRenyi, SmallWorld, Bipartite, ScaleFree, Islands])
def test_all_nodes_and_directions_are_alike(generator: type[RandomGraph]):
    graphs = draws(generator(nodes=6, neighbours=2), 2000)
    into = np.array([graph.adjacency.sum(axis=0) for graph in graphs], dtype=float)
    out = np.array([graph.adjacency.sum(axis=1) for graph in graphs], dtype=float)
    for counts in (into, out):
        error = counts.std(axis=0) / math.sqrt(len(graphs))
        assert np.all(np.abs(counts.mean(axis=0) - 1) < 4.5 * error + 1e-12)


def test_erdos_renyi_counts_are_binomial():
    counts = [graph.n_edges for graph in draws(ErdosRenyi(nodes=12, neighbours=3), 4000)]
    expected = stats.binom.pmf(np.arange(10, 28), 66, 3 / 11) * 4000
    seen = np.bincount(counts, minlength=28)[10:28]
    assert stats.chi2.sf(((seen - expected) ** 2 / expected).sum(), 17) > 1e-4


@pytest.mark.parametrize(("nodes", "neighbours"), [(2, 1), (7, 4), (10, 3), (6, 5), (1, 0)])
def test_regular_graphs_are_regular(nodes: int, neighbours: int):
    for graph in draws(RegularGraph(nodes=nodes, neighbours=neighbours), 20):
        assert degrees(graph).tolist() == [neighbours] * nodes


def test_regular_graphs_are_uniform():
    # Six nodes with two neighbours each: 60 hexagons and 10 pairs of triangles.
    seen: dict[bytes, int] = {}
    for graph in draws(RegularGraph(nodes=6, neighbours=2, directed=False), 7000):
        key = graph.adjacency.tobytes()
        seen[key] = seen.get(key, 0) + 1
    assert len(seen) == 70
    counts = np.array(list(seen.values()))
    assert stats.chi2.sf(((counts - 100) ** 2 / 100).sum(), 69) > 1e-4


def is_ring(graph: Graph, reach: int) -> bool:
    return bool(np.all(degrees(graph) == 2 * reach)) and graph.n_edges == reach * len(graph)


def test_small_worlds_between_a_ring_and_chance():
    assert all(is_ring(g, 2) for g in draws(SmallWorld(nodes=20, neighbours=4, moved=0), 10))
    moved = draws(SmallWorld(nodes=20, neighbours=4, moved=1.0), 300)
    assert {graph.n_edges for graph in moved} == {40}
    # A moved edge keeps one end: at least two of a node's edges, and more by chance.
    assert min(degrees(graph).min() for graph in moved) >= 2
    assert np.mean([degrees(graph).var() for graph in moved]) > 1


@pytest.mark.parametrize(
    ("nodes", "neighbours"), [(6, 5), (6, 4.5), (5, 4), (2, 1), (1, 0), (7, 5.5)]
)
def test_small_worlds_that_are_almost_complete(nodes: int, neighbours: float):
    graphs = draws(SmallWorld(nodes=nodes, neighbours=neighbours), 400)
    mean = 2 * np.mean([graph.n_edges for graph in graphs]) / nodes
    assert abs(mean - neighbours) < 0.15


def test_bipartite_graphs_have_two_parts():
    for graph in draws(Bipartite(nodes=15, neighbours=3, part=0.3), 50):
        joined = graph.adjacency | graph.adjacency.T
        odd = np.linalg.matrix_power(joined.astype(np.int64), 5)
        assert np.trace(odd) == 0  # no closed walk of odd length
    # Five nodes against ten: those of the smaller part have twice the neighbours.
    full = draws(Bipartite(nodes=15, neighbours=100 / 15, part=0.3), 20)
    assert all(sorted(degrees(graph)) == [5] * 10 + [10] * 5 for graph in full)


def test_islands_have_few_bridges():
    graphs = draws(Islands(nodes=40, neighbours=6, islands=4, between=0.5, directed=False), 300)
    # Islands can be told apart only on average: intra degree 2·6/2.5 = 4.8 of 9 others.
    triangles = [np.trace(np.linalg.matrix_power(g.adjacency.astype(int), 3)) / 6 for g in graphs]
    inside = 4 * math.comb(10, 3) * (4.8 / 9) ** 3
    assert np.mean(triangles) > inside
    assert np.mean(triangles) < 1.2 * inside


def test_attachment_is_preferential():
    rng = stream()
    counts = np.array([0, 1, 1, 1])
    # The last node sees a path: weights 2, 3, 2 (degree + 1), the middle being 0 or 1.
    middle = 0
    for _ in range(6000):
        edges = attach_nodes(counts, 1.0, rng)
        hub = edges[1, 1]
        middle += edges[2, 1] == hub
    assert abs(middle / 6000 - 3 / 7) < 4.5 * math.sqrt(3 / 7 * 4 / 7 / 6000)


@pytest.mark.parametrize("power", [0.0, 1.0, 3.0, 100.0])
def test_attachment_with_any_power(power: float):
    largest = [degrees(graph).max() for graph in draws(ScaleFree(nodes=60, power=power), 20)]
    assert np.mean(largest) > {0.0: 6, 1.0: 11, 3.0: 30, 100.0: 50}[power]
    if power == 0:
        assert np.mean(largest) < 16


def test_degrees_of_scale_free_graphs_have_a_heavy_tail():
    graph = ScaleFree(nodes=3000, neighbours=4).sample(stream())
    assert degrees(graph).max() > 60
    assert degrees(ErdosRenyi(nodes=3000, neighbours=4).sample(stream())).max() < 20


@pytest.mark.parametrize("dimension", [2, 3, 4, 5])
def test_radius_by_simulation(dimension: int):
    rng = stream(dimension)
    for probability in (0.01, 0.3, 0.95):
        radius = radius_of(probability, dimension)
        distance = np.linalg.norm(
            rng.random((40_000, dimension)) - rng.random((40_000, dimension)), axis=1
        )
        error = math.sqrt(probability * (1 - probability) / 40_000)
        assert abs(np.mean(distance <= radius) - probability) < 4.5 * error


def test_radius_by_hand():
    # In the square P(distance ≤ r) = πr² - 8r³/3 + r⁴/2 for r ≤ 1.
    for r in (0.05, 0.4, 0.99):
        assert radius_of(math.pi * r**2 - 8 * r**3 / 3 + r**4 / 2, 2) == pytest.approx(r, abs=1e-9)


def test_geometric_graphs_have_many_triangles():
    graph = GeometricGraph(nodes=300, neighbours=6, directed=False).sample(stream())
    joined = graph.adjacency.astype(int)
    closed = np.trace(joined @ joined @ joined) / (joined @ joined).sum(
        where=~np.eye(300, dtype=bool)
    )
    assert closed > 0.4  # 0.59 in the plane, 0.02 in an Erdős–Rényi graph


def test_power_law_degrees():
    probabilities = power_law(199, 3.0)
    assert probabilities @ np.arange(1, 200) == pytest.approx(3)
    ratio = np.log(probabilities[1] / probabilities[0]) / np.log(2)
    assert np.log(probabilities[9] / probabilities[0]) / np.log(10) == pytest.approx(ratio)
    found = np.concatenate([degrees(g) for g in draws(PowerLaw(nodes=200, neighbours=3), 60)])
    assert found.min() >= 1
    share = np.mean(found == 1)
    # Sequences that no graph has are drawn again, which trims the tail and lifts this a little.
    assert abs(share - probabilities[0]) < 0.05


@pytest.mark.parametrize(
    ("sequence", "answer"),
    [
        ([3, 3, 3, 3], True),
        ([3, 3, 1, 1], False),
        ([1, 1, 1], False),
        ([4, 1, 1, 1, 1], True),
        ([0], True),
    ],
)
def test_graphical_sequences_by_hand(sequence: list[int], answer: bool):
    assert is_graphical(np.array(sequence)) is answer


@pytest.mark.parametrize("family", ["ER1", "ER2", "SF1", "SF2"])
def test_er_sf_has_so_many_edges_per_node(family: str):
    per_node = int(family[-1])
    graphs = draws(ErSf(nodes=10, family=family), 400)
    assert all(graph.is_dag for graph in graphs)
    counts = np.array([graph.n_edges for graph in graphs])
    if family.startswith("ER"):
        assert abs(counts.mean() - 10 * per_node) < 4.5 * math.sqrt(45 / 4 / 400)
    else:
        assert set(counts) == {10 * per_node - math.comb(per_node + 1, 2)}
        assert max(g.adjacency.sum(axis=1).max() for g in graphs) == per_node
        assert max(g.adjacency.sum(axis=0).max() for g in graphs) > 4


def test_five_nodes_with_two_edges_each_are_all_joined():
    assert ErSf(nodes=5, family="ER2").sample(stream()).n_edges == 10


@pytest.mark.parametrize("method", ["er", "sf"])
@pytest.mark.parametrize("n_edges", [0, 12, 31, 66])
def test_gcastle_has_the_expected_number_of_edges(method: str, n_edges: int):
    graphs = draws(GcastleDag(n_nodes=12, n_edges=n_edges, method=method), 800)
    counts = np.array([graph.n_edges for graph in graphs])
    assert graphs[0].names == tuple(map(str, range(12)))
    assert abs(counts.mean() - n_edges) < 4.5 * max(counts.std(), 1e-9) / math.sqrt(800)


@pytest.mark.parametrize("method", METHODS)
def test_max_parents_holds_for_every_method(method: str):
    for graph in draws(PcalgRanddag(n=20, d=4, method=method, max_parents=5), 20):
        assert graph.adjacency.sum(axis=0).max() <= 5
    undirected = PcalgRanddag(n=20, d=2, method=method, max_parents=6, DAG=False)
    assert max(degrees(graph).max() for graph in draws(undirected, 20)) <= 6


def test_max_parents_that_cannot_be_met_is_an_error_with_the_rate():
    with pytest.raises(GraphError, match=r"none of 10000 .*observed rate 0.*raise max_parents"):
        PcalgRanddag(n=20, d=6, max_parents=1).sample(stream())


@pytest.mark.parametrize(
    ("method", "par1", "par2", "native"),
    [
        ("watts", 0.25, None, SmallWorld(moved=0.25)),
        ("bipartite", 0.3, None, Bipartite(part=0.3)),
        ("barabasi", 1.5, None, ScaleFree(power=1.5)),
        ("geometric", 3.0, 7.0, GeometricGraph(dimension=3)),
        ("interEr", 4.0, 0.5, Islands(islands=4, between=0.5)),
        ("er", 9.0, 9.0, ErdosRenyi()),
        ("regular", None, None, RegularGraph()),
        ("power", None, None, PowerLaw()),
    ],
)
def test_real_parameters_of_randdag_arrive(method, par1, par2, native):
    assert PcalgRanddag(method=method, par1=par1, par2=par2).native() == native
