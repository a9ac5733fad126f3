from __future__ import annotations

import io
import re
import tracemalloc
from itertools import pairwise
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from graph_strategies import NASTY_NAMES, graphs
from hypothesis import given
from hypothesis import strategies as st

from dagathlon.errors import GraphError
from dagathlon.graphs import Graph, read_graph, write_graph
from dagathlon.modules import modules

PAG = Graph.from_edges(
    ["A -> B", "B <-> C", "C - D", "D o-> E", "E o-o F", "F o- G", "A -o G"], names="ABCDEFGH"
)
ASIA = Graph.from_edges(
    [
        *("asia -> tub", "smoke -> lung", "smoke -> bronc", "tub -> either", "lung -> either"),
        *("either -> xray", "either -> dysp", "bronc -> dysp"),
    ]
)


def text_of(graph: Graph, format: str, *, lossy: bool = False) -> str:
    file = io.StringIO()
    write_graph(graph, file, format, lossy=lossy)
    return file.getvalue()


def parse(text: str | bytes, format: str | None = None, **options) -> Graph:
    content = text.encode() if isinstance(text, str) else text
    return read_graph(io.BytesIO(content), format, **options)


def same(graph: Graph, other: Graph) -> bool:
    """Equal, with the nodes in the same order."""
    return graph.names == other.names and np.array_equal(graph.marks, other.marks)


@given(graphs(min_nodes=1))
def test_marks_keep_everything(graph: Graph) -> None:
    text = text_of(graph, "marks")
    assert same(parse(text, "marks"), graph)
    if graph.n_edges:
        assert same(parse(text), graph)


@pytest.mark.slow
@given(graphs(min_nodes=1))
def test_adjacency_keeps_what_it_can_say(graph: Graph) -> None:
    text = text_of(graph, "adjacency", lossy=True)
    back = parse(text, "adjacency")
    assert np.array_equal(back.adjacency, graph.adjacency)
    assert back.names == graph.names
    if all(edge.connector in ("->", "-") for edge in graph.edges()):
        assert same(parse(text_of(graph, "adjacency")), graph)
    else:
        with pytest.raises(GraphError, match="'marks'"):
            text_of(graph, "adjacency")


@given(graphs())
def test_tables_keep_everything(graph: Graph) -> None:
    text = text_of(graph, "table")
    assert parse(text, "table") == graph
    assert parse(text) == graph
    file = io.BytesIO()
    write_graph(graph, file, "parquet")
    assert parse(file.getvalue(), "parquet") == graph
    assert parse(file.getvalue()) == graph


@given(graphs())
def test_edges_keep_everything(graph: Graph) -> None:
    assert parse(text_of(graph, "edges"), "edges") == graph


@given(graphs())
def test_bayesys_keeps_all_but_isolated_nodes(graph: Graph) -> None:
    text = text_of(graph, "bayesys", lossy=True)
    assert same(parse(text, "bayesys", names=graph.names), graph)
    if all(graph.adjacencies(name) for name in graph.names):
        assert parse(text_of(graph, "bayesys")) == graph
    else:
        with pytest.raises(GraphError, match="isolated"):
            text_of(graph, "bayesys")


@given(graphs())
def test_dot_keeps_everything_it_can_write(graph: Graph) -> None:
    if any(re.search(r'(?<!\\)\\(\\\\)*("|\r|\n|\Z)', name) for name in graph.names):
        with pytest.raises(GraphError, match="Graphviz"):
            text_of(graph, "dot")
    else:
        assert same(parse(text_of(graph, "dot"), "dot"), graph)


@given(graphs())
def test_graphml_keeps_everything_it_can_write(graph: Graph) -> None:
    allowed = re.compile("[\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]*")
    if all(allowed.fullmatch(name) for name in graph.names):
        assert same(parse(text_of(graph, "graphml")), graph)
    else:
        with pytest.raises(GraphError, match="XML"):
            text_of(graph, "graphml")


PRINTABLE = st.sampled_from([name for name in NASTY_NAMES if name.isprintable()])


@given(graphs(names=PRINTABLE).filter(lambda graph: graph.n_edges))
def test_the_format_of_a_text_is_inferred(graph: Graph) -> None:
    for format in ("edges", "dot", "graphml", "marks"):
        assert parse(text_of(graph, format)) == graph, format


@pytest.mark.parametrize(
    ("file", "format"),
    [
        ("g.marks.csv", "marks"),
        ("g.txt", "edges"),
        ("g.edges", "edges"),
        ("g.dot", "dot"),
        ("g.GV", "dot"),
        ("g.graphml", "graphml"),
        ("g.xml", "graphml"),
    ],
)
def test_the_extension_chooses_the_format(tmp_path: Path, file: str, format: str) -> None:
    write_graph(PAG, tmp_path / file)
    assert (tmp_path / file).read_text() == text_of(PAG, format)
    assert read_graph(str(tmp_path / file)) == PAG


def test_csv_is_adjacency_and_falls_back_to_marks_and_bayesys(tmp_path: Path) -> None:
    path = tmp_path / "g.csv"
    write_graph(ASIA, path)
    assert path.read_text().splitlines()[1] == "0,1,0,0,0,0,0,0"
    assert same(read_graph(path), ASIA)
    write_graph(PAG, path, "marks")
    assert same(read_graph(path), PAG)
    write_graph(ASIA, path, "bayesys")
    assert read_graph(path) == ASIA
    with pytest.raises(
        GraphError, match=r"g\.csv: format 'adjacency' would lose the marks of A -o G"
    ):
        write_graph(PAG, path)


def test_a_matrix_of_circles_is_not_taken_for_an_adjacency_matrix() -> None:
    graph = Graph.from_edges(["A o-o B"])
    text = text_of(graph, "marks")
    assert text == "# marks\nA,B\n0,1\n1,0\n"
    assert parse(text) == graph
    with pytest.raises(GraphError, match="format 'marks'"):
        parse(text, "adjacency")
    assert parse("A,B\n0,1\n1,0\n") == Graph.from_edges(["A - B"])


@pytest.mark.parametrize(
    "text",
    [
        "A,B\n0,1\n0,0",
        "A,B\n0,1\n0,0\n\n\n",
        "\ufeffA,B\r\n0,1\r\n0,0\r\n",
        "A,B\r0,1\r0,0\r",
        " A , B \n 0 , 1\n0,0 \n",
        '"A","B"\n"0","1"\n0,0\n',
        "A,B\nFALSE,TRUE\nFALSE,FALSE\n",
        "A,B\n0.0,1.0\n0.0,0.0\n",
        "A,B\n0,1.000000000000000000e+00\n0,0\n",
        "A,B\n\n0,1\n0,0\n",
    ],
)
def test_ways_to_write_an_adjacency_matrix(text: str) -> None:
    assert same(parse(text), Graph.from_edges(["A -> B"]))
    assert same(parse(text, "adjacency"), Graph.from_edges(["A -> B"]))


TETRAD = """Graph Nodes:
X1;X2,X3 (L)

Graph Edges:
1. X1 --> X2 dd nl
2. X2 o-o X3 [X2 o-o X3]:0.9;[no edge]:0.1;
3. X3 <-> X1

Graph Attributes:
BIC: -12.5
"""


def test_tetrad_text() -> None:
    expected = Graph.from_edges(["X1 -> X2", "X2 o-o X3", "X3 <-> X1"], ["X1", "X2", "X3", "L"])
    assert same(parse(TETRAD), expected)
    assert parse("1. A --> B\n2. C --- B\n") == Graph.from_edges(["A -> B", "B - C"])
    with pytest.raises(GraphError, match=r"line 7: unknown node 'X33' \(did you mean 'X3'"):
        parse(TETRAD.replace("3. X3", "3. X33"))


def test_edges_with_comments_and_isolated_nodes() -> None:
    text = '# a comment\nA -> B\n\n  lonely  \n"two words" o-> A\n'
    expected = Graph.from_edges(
        ["A -> B", ("two words", "o->", "A")], ["A", "B", "lonely", "two words"]
    )
    assert parse(text, "edges") == expected


DOT = r"""
/* a comment */ strict digraph "my graph" { // another
# and a third
  rankdir=LR; node [shape=box, label=<b <i>x</i>>]
  a -> b -> c [color=red];
  "d\"q" -> {a; b} [dir=back]
  subgraph cluster_1 { edge [dir=none]; e -> f; }
  e -> g [arrowhead=odot, arrowtail=normal, dir="both"]
  h:port:n -> i
  "lo" + "ng"; -1.5
}
"""


def test_graphviz_statements() -> None:
    expected = Graph.from_edges(
        ["a -> b", "b -> c", ("a", "->", 'd"q'), ("b", "->", 'd"q'), "e - f", "e <-o g", "h -> i"],
        ["a", "b", "c", 'd"q', "e", "f", "g", "h", "i", "long", "-1.5"],
    )
    assert same(parse(DOT), expected)
    assert parse("graph{a--b--c}") == Graph.from_edges(["a - b", "b - c"])
    assert parse("graph{a--b[dir=forward]}", "dot") == Graph.from_edges(["a -> b"])


def test_graphml_of_networkx_and_igraph(tmp_path: Path) -> None:
    nx = pytest.importorskip("networkx")
    igraph = pytest.importorskip("igraph")
    path = tmp_path / "g.graphml"
    nx.write_graphml(nx.DiGraph([("a", "b"), ("b", "c"), ("c", "b")]), path)
    assert read_graph(path) == Graph.from_edges(["a -> b", "b - c"])
    nx.write_graphml(nx.Graph([("a", "b")]), path)
    assert read_graph(path) == Graph.from_edges(["a - b"])
    made = igraph.Graph([(0, 1)], directed=True)
    made.vs["name"] = ["x", "y"]
    made.write_graphml(str(path))
    assert read_graph(path) == Graph.from_edges(["x -> y"])


def test_networkx_reads_our_graphml(tmp_path: Path) -> None:
    nx = pytest.importorskip("networkx")
    write_graph(PAG, tmp_path / "g.graphml")
    read = nx.read_graphml(tmp_path / "g.graphml")
    assert list(read.nodes) == list(PAG.names)
    assert read.edges["D", "E"] == {"source_mark": "circle", "target_mark": "arrow"}
    write_graph(ASIA, tmp_path / "g.graphml")
    assert set(nx.read_graphml(tmp_path / "g.graphml").edges) >= {
        ("asia", "tub"),
        ("bronc", "dysp"),
    }


BOMB = """<?xml version="1.0"?>
<!DOCTYPE lolz [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;">]>
<graphml><graph edgedefault="directed"><node id="&b;"/></graph></graphml>"""


@pytest.mark.parametrize(
    ("format", "text", "message"),
    [
        (None, "", "the file is empty"),
        (None, "\n \n", "the file is empty"),
        ("graphml", " ", "the file is empty"),
        (None, b"\x89PNG\r\n\x00\x01", "binary file"),
        (None, b"A,B\n0,\xff\n0,0\n", "line 2: the text is not UTF-8"),
        (None, "A,B\n".encode("utf-16"), "UTF-16"),
        (None, "A,B\n0,1\n0\n", "line 3: found 1 cell, the header has 2 names"),
        (None, "A,B\n0,1\n", "found 1 row, the header has 2 names"),
        (None, "A,B\n0,1\n0,0\n0,0\n", "line 4: more rows than 2 names"),
        (None, "A,B\n0,7\n0,0\n", r"line 2, column 2 \('B'\): found '7', allowed are 0 and 1"),
        ("adjacency", "A,B\n0,2\n3,0\n", "line 2, column 2 .*'2'.*format 'marks'"),
        ("marks", "A,B\n0,x\n0,0\n", "line 2, column 2 .*found 'x', allowed are 0 none"),
        ("marks", "A,B\n0,2\n0,0\n", "line 3, column 1 .*found '0'.*row 'B' has an edge|row 'A'"),
        (None, "A,B,A\n", "line 1, column 3: node name 'A' stands twice, first in column 1"),
        (None, "A,,B\n", "line 1, column 2: a node name is empty"),
        (None, ",A,B\nA,0,0\nB,0,0\n", "leave row names out"),
        (None, "A;B\n0;1\n0;0\n", "separated by commas"),
        (None, "A,B\n1,0\n0,0\n", "line 2, column 1 .*no edge with itself"),
        (None, 'A,"B\n0,1\n', "line 1, column 2: the quote before 'B' is never closed"),
        (None, '"A"x,B\n0,0\n0,0\n', "line 1, column 1: text follows a closing quote"),
        ("bayesys", "A,B\n", "header of a Bayesys file"),
        (None, "ID,Variable 1,Dependency,Variable 2\n1,A,=>,B\n", "line 2: unknown edge '=>'"),
        (None, "ID,Variable 1,Dependency,Variable 2\n1,A,->\n", "line 2: found 3 cells"),
        (None, "ID,Variable 1,Dependency,Variable 2\n1,A,->,A\n", "line 2: .*with itself"),
        ("edges", "A -> B\nB -> A\n", "line 2: .*joined by another edge"),
        ("edges", "A B C D\n", "line 1: a line is 'A -> B'"),
        ("edges", "A => B\n", "line 1: unknown edge '=>'"),
        ("edges", "A->B\n", "an arrow has spaces around it"),
        ("edges", '"A -> B\n', "quote is never closed"),
        ("edges", '"\\x" -> B\n', "not a JSON string"),
        ("edges", '"\\ud800" -> B\n', "not a JSON string"),
        ("dot", "digraph { a -- b }", "line 1: expected '->'"),
        ("dot", "digraph {\n a -> b", "line 2: expected '->|line 2: expected a node or '}'"),
        ("dot", "digraph { a -> b [dir=up] }", "unknown dir 'up'"),
        ("dot", "digraph { a -> b [arrowhead=odott] }", "did you mean 'odot'"),
        ("dot", "digraph " + "{" * 60, "nested braces"),
        ("dot", "digraph { a } digraph { b }", "one graph per file"),
        ("dot", "digraph { a -> <b }", "never closed"),
        ("dot", "digraph { a -> § ! }", "cannot read"),
        ("dot", "digraph { a -> a }", "edge with itself"),
        ("dot", "nonsense", "expected 'graph' or 'digraph', found 'nonsense'"),
        (None, BOMB, "line 2: a document type declaration"),
        (None, "<graphml><graph>", "line 1: this is not XML"),
        (None, "<html></html>", "no <graph>"),
        (None, "<graphml><graph/><graph/></graphml>", "second <graph>"),
        (None, "<graphml><graph><node/></graph></graphml>", "<node> has no attribute 'id'"),
        (None, "<g><graph><edge source='a' target='b'/></graph></g>", "unknown node 'a'"),
        (None, "<g><graph edgedefault='x'/></g>", "allowed are directed and undirected"),
        (None, "<g><graph><hyperedge/></graph></g>", "hyperedge"),
        (None, "<g><graph><node id='a'/><node id='a'/></graph></g>", "stands twice"),
        ("graphml", "<?xml version='1.0' encoding='klingon'?><g/>", "line 1: "),
        ("csv", "A\n0\n", "unknown graph format 'csv'"),
    ],
)
def test_errors_say_where_and_what(format: str | None, text: str | bytes, message: str) -> None:
    with pytest.raises(GraphError, match=message):
        parse(text, format)


def test_unknown_mark_words_are_refused() -> None:
    text = text_of(PAG, "graphml").replace("circle", "cirle", 1)
    with pytest.raises(GraphError, match=r"line \d+: unknown mark 'cirle' \(did you mean 'circle'"):
        parse(text)


def test_errors_name_the_file(tmp_path: Path) -> None:
    path = tmp_path / "asia.csv"
    path.write_text("A,B\n0,x\n0,0\n")
    with pytest.raises(GraphError, match=r"asia\.csv, line 2, column 2"):
        read_graph(path)
    with pytest.raises(
        GraphError, match=r"asai\.csv: there is no such file \(did you mean 'asia\.csv'"
    ):
        read_graph(tmp_path / "asai.csv")
    with pytest.raises(GraphError, match="cannot be read"):
        read_graph(tmp_path)
    with pytest.raises(GraphError, match=r"cannot be written .there is no folder .*no\)"):
        write_graph(ASIA, tmp_path / "no" / "folder.csv")
    with pytest.raises(GraphError, match="which format"):
        write_graph(ASIA, tmp_path / "graph.png")


@pytest.mark.parametrize("format", ["adjacency", "marks", "bayesys", "edges", "dot", "graphml"])
def test_names_fix_the_nodes(format: str) -> None:
    graph = Graph.from_edges(["B -> A", "C -> A"])
    text = text_of(graph, format)
    assert same(
        parse(text, format, names="ABCD"), graph.subgraph("ABC").from_edges(graph.edges(), "ABCD")
    )
    with pytest.raises(GraphError, match="unknown node 'C'"):
        parse(text, format, names="ABX")


@pytest.mark.parametrize("name", ["nul\0", "\ud800"])
def test_names_that_no_file_can_hold(name: str, tmp_path: Path) -> None:
    for format in ("adjacency", "marks", "dot", "graphml"):
        with pytest.raises(GraphError):
            write_graph(Graph([name]), tmp_path / "x", format)
    assert not (tmp_path / "x").exists()


def test_a_graph_without_nodes() -> None:
    for format in ("edges", "dot", "graphml", "bayesys"):
        assert len(parse(text_of(Graph([]), format), format)) == 0
    with pytest.raises(GraphError, match="without nodes"):
        text_of(Graph([]), "adjacency")


@pytest.mark.slow
@pytest.mark.parametrize("format", [*modules("format")])
def test_large_nonsense_is_refused(format: str) -> None:
    for junk in ("a,b\n", "( (", '"', "0,", "<", "a -> ", "{"):
        with pytest.raises(GraphError):
            parse(junk * (100_000 // len(junk)), format)


def test_too_many_nodes_are_refused_before_memory_is_asked_for() -> None:
    with pytest.raises(GraphError, match="50,000"):
        parse("\n".join(f"v{i}" for i in range(60_000)), "edges")
    with pytest.raises(GraphError, match="20,000"):
        parse(",".join(f"v{i}" for i in range(30_000)) + "\n0\n")


def test_all_nasty_names_together() -> None:
    graph = Graph.from_edges([(a, "o->", b) for a, b in pairwise(NASTY_NAMES)])
    for format in ("marks", "bayesys", "edges", "dot"):
        assert parse(text_of(graph, format), format) == graph


def shared_counts(shared: Path) -> dict[str, tuple[int, int]]:
    table = (shared / "spec" / "benchpress" / "data.md").read_text()
    rows = re.findall(r"^\| (\S+\.csv) \| (\d+) \| (\d+) \| (?:DAG|UG) \|", table, re.MULTILINE)
    return {name: (int(nodes), int(edges)) for name, nodes, edges in rows}


@pytest.mark.shared
def test_all_benchpress_graphs_load_with_their_counts(shared: Path) -> None:
    folder = shared / "benchpress" / "resources" / "adjmat" / "myadjmats"
    counts = shared_counts(shared)
    assert len(counts) == 43
    for name, (nodes, edges) in counts.items():
        graph = read_graph(folder / name)
        assert (len(graph), graph.n_edges) == (nodes, edges), name
        if nodes < 100:
            assert same(parse(text_of(graph, "adjacency")), graph), name


@pytest.mark.shared
def test_bayesys_graphs_load(shared: Path) -> None:
    folder = shared / "bayesys"
    assert read_graph(folder / "DAGtrue_ASIA.csv") == ASIA
    alarm = read_graph(folder / "DAGtrue_ALARM.csv")
    assert (len(alarm), alarm.n_edges) == (37, 46)
    mag = read_graph(folder / "ALARM_MAGtrue_L10.csv")
    connectors = [edge.connector for edge in mag.edges()]
    assert (connectors.count("->"), connectors.count("<->")) == (50, 5)


def test_a_csv_of_many_nodes_is_a_table_of_edges(tmp_path: Path) -> None:
    names = [f"V{i}" for i in range(2_001)]
    graph = Graph.from_edges(["V0 -> V1", "V1 o-> V2"], names=names)
    small = Graph.from_edges(["V0 -> V1"], names=names[:2_000])
    write_graph(graph, tmp_path / "graph.csv")
    write_graph(small, tmp_path / "small.csv")
    lines = (tmp_path / "graph.csv").read_text().splitlines()
    assert lines[:2] == ["from,edge,to", "V3,,"]
    assert lines[-2:] == ["V0,->,V1", "V1,o->,V2"]
    assert read_graph(tmp_path / "graph.csv") == graph
    assert (tmp_path / "small.csv").read_text().startswith("V0,V1,V2")
    write_graph(small, tmp_path / "small.parquet")
    assert read_graph(tmp_path / "small.parquet") == small


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("from,edge\nA,->\n", "header of a table"),
        ("from,edge,to\nA,->\n", "line 2: found 2 cells"),
        ("from,edge,to\nA,=>,B\n", "line 2: unknown edge '=>'"),
        ("from,edge,to\nA,->,\n", "line 2: a node name is empty"),
        ("from,edge,to\nA,,B\n", "line 2: unknown edge ''"),
        ("from,edge,to\nA,->,A\n", "line 2: node 'A' has an edge with itself"),
        ("from,edge,to\nA,->,B\nB,->,A\n", "line 3: .*joined by another edge"),
    ],
)
def test_a_wrong_table_names_its_line(text: str, message: str) -> None:
    with pytest.raises(GraphError, match=message):
        parse(text, "table")


@pytest.mark.slow
def test_a_parquet_file_that_repeats_itself_is_read_some_rows_at_a_time(tmp_path: Path) -> None:
    rows, name = 150_000, "a rather long name"
    cells = [pa.array([name]).take(pa.array([0] * rows)), pa.nulls(rows, pa.string())]
    pq.write_table(pa.table([*cells, cells[1]], ["from", "edge", "to"]), tmp_path / "long.parquet")
    tracemalloc.start()
    graph = read_graph(tmp_path / "long.parquet")
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert graph == Graph([name])
    assert peak < 60 * rows  # a name takes 67 bytes


def test_a_parquet_file_of_something_else_says_what_is_missing(tmp_path: Path) -> None:
    other = pa.table({"from": ["A"], "to": ["B"]})
    pq.write_table(other, tmp_path / "other.parquet")
    with pytest.raises(GraphError, match="'from,edge,to', found 'from, to'"):
        read_graph(tmp_path / "other.parquet")
    (tmp_path / "torn.parquet").write_bytes((tmp_path / "other.parquet").read_bytes()[:50])
    with pytest.raises(GraphError, match="no readable Parquet file"):
        read_graph(tmp_path / "torn.parquet")
