from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from graph_strategies import graphs
from hypothesis import given
from hypothesis import strategies as st

from dagathlon.errors import GraphError
from dagathlon.graphs import (
    Graph,
    as_graph,
    from_causal_learn,
    from_igraph,
    from_networkx,
    from_pandas,
    from_pgmpy,
    to_causal_learn,
    to_igraph,
    to_networkx,
    to_pandas,
    to_pgmpy,
    write_graph,
)

DAG = Graph.from_edges(["A -> B", "C -> B"], names="ABCD")
CPDAG = Graph.from_edges(["A -> B", "B - C"], names="ABCD")
PAG = Graph.from_edges(["A o-> B", "B <-> C", "C o-o D", "D o- A"])
SIMPLE_NAMES = st.sampled_from("ABCDEFGHIJ")


@given(graphs())
def test_networkx_keeps_everything(graph: Graph) -> None:
    pytest.importorskip("networkx")
    assert from_networkx(to_networkx(graph)) == graph
    assert as_graph(to_networkx(graph)).names == graph.names


def test_networkx_types() -> None:
    nx = pytest.importorskip("networkx")
    made = to_networkx(DAG)
    assert type(made) is nx.DiGraph
    assert list(made.edges(data=True)) == [("A", "B", {}), ("C", "B", {})]
    made = to_networkx(Graph.from_edges(["A - B"]))
    assert type(made) is nx.Graph
    assert to_networkx(PAG).edges["B", "C"] == {"source_mark": "arrow", "target_mark": "arrow"}


def test_networkx_graphs_made_elsewhere() -> None:
    nx = pytest.importorskip("networkx")
    both = nx.DiGraph([(1, 2), (2, 3), (3, 2)])
    assert from_networkx(both) == Graph.from_edges(["1 -> 2", "2 - 3"])
    assert from_networkx(nx.MultiDiGraph([("a", "b"), ("a", "b")])) == Graph.from_edges(["a -> b"])

    class MyGraph(nx.DiGraph):
        pass

    assert as_graph(MyGraph([("a", "b")])) == Graph.from_edges(["a -> b"])
    with pytest.raises(GraphError, match="networkx graph: node '1' has an edge with itself"):
        from_networkx(nx.DiGraph([(1, 1)]))
    with pytest.raises(GraphError, match="node name '1' stands twice"):
        from_networkx(nx.DiGraph([(1, "1")]))
    with pytest.raises(GraphError, match="unknown mark 'arow'"):
        from_networkx(nx.DiGraph([("a", "b", {"target_mark": "arow"})]))


@given(graphs())
def test_igraph_keeps_everything(graph: Graph) -> None:
    pytest.importorskip("igraph")
    assert from_igraph(to_igraph(graph)) == graph


def test_igraph_graphs_made_elsewhere() -> None:
    igraph = pytest.importorskip("igraph")
    assert to_igraph(DAG).is_directed()
    assert not to_igraph(Graph.from_edges(["A - B"])).is_directed()
    unnamed = igraph.Graph([(0, 1), (1, 2)])
    assert as_graph(unnamed) == Graph.from_edges(["0 - 1", "1 - 2"])


@given(graphs(min_nodes=1))
def test_pandas_keeps_everything(graph: Graph) -> None:
    pytest.importorskip("pandas")
    frame = to_pandas(graph, "marks")
    assert from_pandas(frame) == graph
    assert from_pandas(frame.iloc[::-1], "marks") == graph


def test_pandas_frames_made_elsewhere() -> None:
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame([[False, True], [False, False]], columns=["A", "B"])
    assert as_graph(frame) == Graph.from_edges(["A -> B"])
    assert np.array_equal(to_pandas(CPDAG).loc["B"], [0, 0, 1, 0])
    assert from_pandas(to_pandas(CPDAG)) == CPDAG
    frame = pd.DataFrame([[0, 2], [3, 0]], columns=["A", "B"], index=["A", "B"])
    assert as_graph(frame) == Graph.from_edges(["A -> B"])
    with pytest.raises(GraphError, match="would lose the marks of A o-> B"):
        to_pandas(PAG)
    with pytest.raises(GraphError, match="not a square"):
        from_pandas(frame[["A"]])
    with pytest.raises(GraphError, match=r"found 0\.5"):
        from_pandas(frame.astype(float).replace(2, 0.5))
    with pytest.raises(GraphError, match="cells are numbers"):
        from_pandas(frame.astype(object).replace(2, "x"))
    with pytest.raises(GraphError, match="a column without a row: unknown row 'B'"):
        from_pandas(frame.rename(index={"B": "C"}))
    with pytest.raises(GraphError, match="unknown matrix format 'mark'"):
        from_pandas(frame, "mark")


@given(graphs(names=SIMPLE_NAMES))
def test_causal_learn_keeps_everything(graph: Graph) -> None:
    pytest.importorskip("causallearn")
    assert from_causal_learn(to_causal_learn(graph)) == graph


def test_causal_learn_endpoints() -> None:
    pytest.importorskip("causallearn")
    from causallearn.graph.Edge import Edge
    from causallearn.graph.Endpoint import Endpoint
    from causallearn.graph.GeneralGraph import GeneralGraph
    from causallearn.graph.GraphNode import GraphNode

    nodes = [GraphNode(name) for name in "ABC"]
    made = GeneralGraph(nodes)
    made.add_directed_edge(nodes[0], nodes[1])
    made.add_edge(Edge(nodes[1], nodes[2], Endpoint.CIRCLE, Endpoint.ARROW))
    assert as_graph(made) == Graph.from_edges(["A -> B", "B o-> C"])
    assert str(to_causal_learn(as_graph(made))) == str(made)
    assert to_causal_learn(DAG).is_ancestor_of(*to_causal_learn(DAG).get_nodes()[:2])
    made.add_edge(Edge(nodes[0], nodes[1], Endpoint.ARROW, Endpoint.ARROW))
    with pytest.raises(GraphError, match="two edges between two nodes"):
        as_graph(made)


@given(graphs(names=SIMPLE_NAMES))
def test_pgmpy_keeps_everything_it_takes(graph: Graph) -> None:
    pytest.importorskip("pgmpy.base")
    try:
        made = to_pgmpy(graph)
    except GraphError as error:
        directed = [edge for edge in graph.edges() if edge.connector == "->"]
        nx = pytest.importorskip("networkx")
        cyclic = not nx.is_directed_acyclic_graph(to_networkx(Graph.from_edges(directed)))
        assert (cyclic, "pgmpy does not take this graph" in str(error)) == (True, True)  # noqa: PT017
    else:
        assert as_graph(made) == graph


def test_pgmpy_types() -> None:
    pgmpy = pytest.importorskip("pgmpy.base")
    models = pytest.importorskip("pgmpy.models")
    assert type(to_pgmpy(DAG)) is pgmpy.DAG
    made = to_pgmpy(CPDAG)
    assert type(made) is pgmpy.PDAG
    assert (made.directed_edges, made.undirected_edges) == ({("A", "B")}, {("B", "C")})
    assert type(to_pgmpy(PAG)) is pgmpy.AncestralBase
    network = models.DiscreteBayesianNetwork([("A", "B")])
    assert as_graph(network) == Graph.from_edges(["A -> B"])
    admg = pgmpy.ADMG(directed_ebunch=[("X", "Y")], bidirected_ebunch=[("Y", "Z")])
    assert from_pgmpy(admg) == Graph.from_edges(["X -> Y", "Y <-> Z"])


def test_as_graph_of_paths_and_graphs(tmp_path: Path) -> None:
    write_graph(PAG, tmp_path / "pag.dot")
    assert as_graph(tmp_path / "pag.dot") == PAG
    assert as_graph(str(tmp_path / "pag.dot")) == PAG
    assert as_graph(PAG) is PAG
    with pytest.raises(GraphError, match=r"graph of builtins\.int; known are"):
        as_graph(7)
    with pytest.raises(GraphError, match="an array has no names"):
        as_graph(np.zeros((2, 2)))
