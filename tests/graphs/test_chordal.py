from __future__ import annotations

from itertools import combinations, pairwise

import networkx as nx
import pytest
from brute_force import graph_of, names_of
from hypothesis import given
from hypothesis import strategies as st

from dagathlon.errors import GraphError
from dagathlon.graphs import Graph, junction_tree, maximal_cliques, perfect_elimination_order


def undirected(pairs, p: int) -> Graph:
    return graph_of([arc for i, j in pairs for arc in ((i, j), (j, i))], p)


def as_networkx(graph: Graph) -> nx.Graph:
    result = nx.Graph()
    result.add_nodes_from(graph.names)
    result.add_edges_from((edge.left, edge.right) for edge in graph.edges())
    return result


@st.composite
def undirected_graphs(draw: st.DrawFn) -> Graph:
    p = draw(st.integers(0, 9))
    pairs = list(combinations(range(p), 2))
    kept = draw(st.lists(st.booleans(), min_size=len(pairs), max_size=len(pairs)))
    return undirected([pair for pair, keep in zip(pairs, kept, strict=True) if keep], p)


@st.composite
def chordal_graphs(draw: st.DrawFn) -> Graph:
    """Each new node is joined to a part of a clique that is there."""
    p = draw(st.integers(0, 12))
    cliques: list[list[int]] = []
    pairs = []
    for node in range(p):
        home = draw(st.sampled_from(cliques)) if cliques else []
        joined = draw(st.lists(st.sampled_from(home), unique=True)) if home else []
        pairs += [(node, other) for other in joined]
        cliques.append([*joined, node])
    return undirected(pairs, p)


def is_perfect(graph: Graph, order: tuple[str, ...]) -> bool:
    place = {name: k for k, name in enumerate(order)}
    for name in order:
        later = [other for other in graph.neighbours(name) if place[other] > place[name]]
        if any(b not in graph.neighbours(a) for a, b in combinations(later, 2)):
            return False
    return set(order) == set(graph.names)


def check_junction_tree(graph: Graph) -> None:
    other = as_networkx(graph)
    tree = junction_tree(graph)
    assert {frozenset(clique) for clique in tree.cliques} == {
        frozenset(clique) for clique in nx.find_cliques(other)
    }
    assert len(set(tree.cliques)) == len(tree.cliques)
    assert maximal_cliques(graph) == tree.cliques
    parts = nx.number_connected_components(other)
    assert len(tree.edges) == len(tree.cliques) - parts
    for (a, b), separator in zip(tree.edges, tree.separators, strict=True):
        assert a < b
        assert set(separator) == set(tree.cliques[a]) & set(tree.cliques[b])
        assert set(separator) == set(tree.cliques[b]) & set().union(*tree.cliques[:b])
    for name in graph.names:
        holding = [k for k, clique in enumerate(tree.cliques) if name in clique]
        subtree = nx.Graph(tree.edges).subgraph(holding)
        assert len(holding) == 1 or (len(subtree) == len(holding) and nx.is_connected(subtree))


@given(undirected_graphs())
def test_chordal_or_a_cycle_without_a_chord(graph) -> None:
    assert graph.is_chordal == nx.is_chordal(as_networkx(graph))
    if graph.is_chordal:
        assert is_perfect(graph, perfect_elimination_order(graph))
        check_junction_tree(graph)
        return
    with pytest.raises(GraphError, match="has no chord") as refused:
        perfect_elimination_order(graph)
    cycle = str(refused.value).split("the cycle ")[1].removesuffix(" has no chord").split(" - ")
    assert cycle[0] == cycle[-1]
    induced = as_networkx(graph.subgraph(cycle[:-1]))
    assert len(cycle) > 4
    assert nx.is_isomorphic(induced, nx.cycle_graph(len(cycle) - 1))
    assert all(induced.has_edge(a, b) for a, b in pairwise(cycle))


@given(chordal_graphs())
def test_junction_trees_have_the_running_intersection_property(graph) -> None:
    assert graph.is_chordal
    assert is_perfect(graph, perfect_elimination_order(graph))
    check_junction_tree(graph)


@pytest.mark.parametrize("p", [63, 64, 65, 128])
def test_word_borders(p) -> None:
    band = [(i, j) for i in range(p) for j in range(i + 1, min(i + 4, p))]
    graph = undirected(band, p)
    check_junction_tree(graph)
    assert len(maximal_cliques(graph)) == p - 3
    complete = undirected(combinations(range(p), 2), p)
    assert maximal_cliques(complete) == (tuple(names_of(p)),)
    ring = undirected([(i, (i + 1) % p) for i in range(p)], p)
    assert not ring.is_chordal


def test_no_nodes_and_one_node() -> None:
    assert junction_tree(Graph([])).cliques == ()
    assert perfect_elimination_order(Graph([])) == ()
    assert maximal_cliques(Graph("A")) == (("A",),)
    assert Graph([]).is_chordal


def test_only_undirected_graphs_are_chordal() -> None:
    triangle = Graph.from_edges(["A -> B", "B - C", "A - C"])
    assert not triangle.is_chordal
    for function in (maximal_cliques, junction_tree, perfect_elimination_order):
        with pytest.raises(GraphError, match="undirected graph, found the edge A -> B"):
            function(triangle)
    square = Graph.from_edges(["A - B", "B - C", "C - D", "D - A"])
    with pytest.raises(GraphError, match=r"A - .* - A has no chord"):
        maximal_cliques(square)
