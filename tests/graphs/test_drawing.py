from __future__ import annotations

import os
import re
import subprocess
import sys
from itertools import combinations, pairwise
from xml.etree import ElementTree as ET

import numpy as np
import pytest
from graph_strategies import graphs
from hypothesis import given, settings
from hypothesis import strategies as st

from dagathlon.errors import GraphError
from dagathlon.graphs import Graph, read_graph, to_svg
from dagathlon.graphs.drawing.arrange import arrange
from dagathlon.graphs.drawing.coordinates import spaced
from dagathlon.graphs.drawing.labels import label, text_width
from dagathlon.graphs.drawing.layers import downward, layers
from dagathlon.graphs.drawing.layout import Box, Layout, Point
from dagathlon.graphs.drawing.ordering import crossings, ordered

SVG = "{http://www.w3.org/2000/svg}"
PAG = Graph.from_edges(["A o-> B", "B <-> C", "C -> D", "D - E", "E o-o A", "B o- E"])


def random_dag(p: int, degree: float, seed: int) -> Graph:
    rng = np.random.default_rng(seed)
    matrix = np.triu(rng.random((p, p)) < degree / p, 1)
    return Graph.from_adjacency([f"node_{i}" for i in range(p)], matrix.astype(int))


def undirected(graph: Graph) -> Graph:
    return Graph.from_adjacency(graph.names, graph.adjacency | graph.adjacency.T)


def layout_of(graph: Graph) -> Layout:
    return arrange(graph, [label(name) for name in graph.names])


def overlapping(a: Box, b: Box) -> bool:
    sideways = (a.width + b.width) / 2 - abs(a.x - b.x)
    upwards = (a.height + b.height) / 2 - abs(a.y - b.y)
    return sideways > 0.01 and upwards > 0.01


def on_border(point: Point, box: Box) -> bool:
    across, along = abs(point.x - box.x) - box.width / 2, abs(point.y - box.y) - box.height / 2
    return max(across, along) == pytest.approx(0, abs=0.01)


def sampled(curve: tuple[Point, ...]) -> np.ndarray:
    shares = np.linspace(0, 1, 30)[:, None]
    parts = []
    for start in range(0, len(curve) - 1, 3):
        a, b, c, d = (np.array(curve[start + k]) for k in range(4))
        rest = 1 - shares
        parts.append(
            rest**3 * a + 3 * shares * rest**2 * b + 3 * shares**2 * rest * c + shares**3 * d
        )
    return np.concatenate(parts)


def check_layout(graph: Graph, layout: Layout) -> None:
    assert set(layout.boxes) == set(range(len(graph)))
    joined = {frozenset(pair) for pair in layout.curves}
    assert joined == {frozenset(map(graph.position, (e.left, e.right))) for e in graph.edges()}
    for box in layout.boxes.values():
        assert np.isfinite(box).all()
        assert -0.01 <= box.x - box.width / 2 <= box.x + box.width / 2 <= layout.width + 0.01
        assert -0.01 <= box.y - box.height / 2 <= box.y + box.height / 2 <= layout.height + 0.01
    for a, b in combinations(layout.boxes.values(), 2):
        assert not overlapping(a, b)
    for (i, j), curve in layout.curves.items():
        assert np.isfinite(np.array(curve)).all()
        assert len(curve) % 3 == 1
        assert on_border(curve[0], layout.boxes[i])
        assert on_border(curve[-1], layout.boxes[j])


@given(graphs(max_nodes=9))
def test_small_layouts_are_sound(graph: Graph) -> None:
    check_layout(graph, layout_of(graph))


LARGER = {
    "dag": lambda: random_dag(40, 3, seed=1),
    "large": lambda: random_dag(120, 2, seed=2),
    "dense": lambda: random_dag(30, 20, seed=3),
    "undirected": lambda: undirected(random_dag(60, 4, seed=4)),
    "wide": lambda: undirected(random_dag(300, 3, seed=5)),
    "cycle": lambda: Graph.from_edges([f"v{i} -> v{(i + 1) % 12}" for i in range(12)]),
    "star": lambda: Graph.from_edges([f"hub -> leaf{i}" for i in range(80)]),
    "isolated": lambda: Graph([f"alone{i}" for i in range(30)]),
    "grid": lambda: random_dag(1300, 3, seed=6),
}


@pytest.mark.parametrize("kind", LARGER)
def test_larger_layouts_are_sound(kind: str) -> None:
    graph = LARGER[kind]()
    check_layout(graph, layout_of(graph))


@pytest.mark.parametrize("seed", range(4))
def test_edges_of_layered_drawings_keep_clear_of_nodes(seed: int) -> None:
    layout = layout_of(random_dag(40, 4, seed))
    boxes = np.array([layout.boxes[node] for node in range(40)])
    for (i, j), curve in layout.curves.items():
        apart = np.abs(sampled(curve)[:, None] - boxes[None, :, :2])
        inside = (apart < boxes[:, 2:] / 2 - 0.01).all(axis=2).any(axis=0)
        inside[[i, j]] = False
        assert not inside.any()


def test_directed_edges_point_down() -> None:
    graph = random_dag(50, 3, seed=8)
    layout = layout_of(graph)
    for edge in graph.edges():
        tail, head = graph.position(edge.left), graph.position(edge.right)
        assert layout.boxes[tail].y < layout.boxes[head].y


@given(st.integers(0, 10_000), st.integers(2, 12))
def test_layers_of_any_orientation(seed: int, n: int) -> None:
    rng = np.random.default_rng(seed)
    pairs = [(i, j) for i in range(n) for j in range(n) if i != j and rng.random() < 0.2]
    pairs = [pair for pair in pairs if pair[::-1] not in pairs or pair[0] < pair[1]]
    edges = downward(n, pairs[::2], pairs[1::2])
    assert {frozenset(edge) for edge in edges} == {frozenset(pair) for pair in pairs}
    found = layers(n, edges)
    assert all(found[u] < found[v] for u, v in edges)


def test_directed_acyclic_edges_are_never_turned() -> None:
    assert downward(4, [(3, 2), (2, 1), (3, 0)], [(0, 1)])[:3] == [(3, 2), (2, 1), (3, 0)]


def test_avoidable_crossings_are_removed() -> None:
    below = [[4], [3], [5], [], [], []]
    above = [[], [], [], [1], [0], [2]]
    rows = [[0, 1, 2], [3, 4, 5]]
    assert crossings(rows, below) == 1
    assert crossings(ordered(rows, above, below), below) == 0
    complete = [[2, 3], [2, 3], [], []]
    assert crossings([[0, 1], [2, 3]], complete) == 1


@given(st.lists(st.floats(-100, 100), min_size=1, max_size=6), st.floats(0, 30))
def test_spacing_is_the_nearest_that_keeps_the_order(wanted: list[float], gap: float) -> None:
    places = spaced(wanted, [1.0] * len(wanted), [gap] * (len(wanted) - 1))
    assert all(b - a >= gap - 1e-6 for a, b in pairwise(places))

    def cost(candidate: np.ndarray) -> float:
        return float(((candidate - wanted) ** 2).sum())

    rng = np.random.default_rng(0)
    for _ in range(50):
        moved = np.array(places) + rng.normal(0, 1, len(places))
        if all(np.diff(moved) >= gap):
            assert cost(np.array(places)) <= cost(moved) + 1e-6


@settings(max_examples=50)
@given(graphs())
def test_svg_is_well_formed_and_complete(graph: Graph) -> None:
    root = ET.fromstring(to_svg(graph))
    assert root.tag == f"{SVG}svg"
    assert len(root.findall(f"{SVG}g[@class='node']")) == len(graph)
    assert len(root.findall(f"{SVG}g[@class='edge']")) == graph.n_edges
    assert root.find(f"{SVG}title") is not None
    assert root.find(f"{SVG}desc") is not None


def test_end_marks_are_drawn_shapes() -> None:
    root = ET.fromstring(to_svg(PAG))
    shapes = {}
    for group in root.findall(f"{SVG}g[@class='edge']"):
        arrows = len(group.findall(f"{SVG}polygon"))
        shapes[group.find(f"{SVG}title").text] = (arrows, len(group.findall(f"{SVG}circle")))
    counts = {"".join(sorted(re.sub(r"[A-Z ]", "", text))): found for text, found in shapes.items()}
    assert counts == {
        "->o": (1, 1),
        "-<>": (2, 0),
        "->": (1, 0),
        "-": (0, 0),
        "-oo": (0, 2),
        "-o": (0, 1),
    }


def test_arrow_tips_touch_the_right_node() -> None:
    root = ET.fromstring(to_svg(Graph.from_edges(["top -> bottom"])))
    boxes = {}
    for group in root.findall(f"{SVG}g[@class='node']"):
        rect = group.find(f"{SVG}rect")
        boxes[group.find(f"{SVG}title").text] = {k: float(v) for k, v in rect.attrib.items()}
    tip = root.find(f".//{SVG}polygon").get("points").split()[0]
    x, y = map(float, tip.split(","))
    bottom = boxes["bottom"]
    assert y == pytest.approx(bottom["y"], abs=0.1)
    assert bottom["x"] <= x <= bottom["x"] + bottom["width"]


def test_highlights() -> None:
    graph = Graph.from_edges(["A -> B", "B -> C", "A -> C"])
    classes = {("A", "B"): "correct", ("C", "B"): "wrong", ("A", "C"): "missing"}
    root = ET.fromstring(to_svg(graph, classes))
    found = {g.find(f"{SVG}title").text: g.get("class") for g in root.findall(f"{SVG}g")}
    assert found["A -> B"] == "edge correct"
    assert found["B -> C"] == "edge wrong"
    assert found["A -> C"] == "edge missing"
    with pytest.raises(GraphError, match=r"unknown highlight 'worng' \(did you mean 'wrong'"):
        to_svg(graph, {("A", "B"): "worng"})
    with pytest.raises(GraphError, match="no edge joins 'A' and 'D'"):
        to_svg(Graph.from_edges(graph.edges(), "ABCD"), {("A", "D"): "missing"})
    with pytest.raises(GraphError, match="unknown node 'X'"):
        to_svg(graph, {("A", "X"): "missing"})


def test_width_scales_the_drawing() -> None:
    root = ET.fromstring(to_svg(PAG, width=500))
    _, _, width, height = map(float, root.get("viewBox").split())
    assert float(root.get("width")) == 500
    assert float(root.get("height")) == pytest.approx(500 * height / width, abs=0.1)


def test_drawings_are_the_same_in_every_process() -> None:
    code = (
        "from dagathlon.graphs import Graph, to_svg\n"
        "edges = [f'v{i} -> v{(i * 7 + 3) % 40 + i + 1}' for i in range(30)]\n"
        "other = [f'v{i} - v{(i * i + 1) % 23}' for i in range(20) if i != (i * i + 1) % 23]\n"
        "seen = {frozenset(e.split(' - ')): e for e in other}\n"
        "print(to_svg(Graph.from_edges(edges)), to_svg(Graph.from_edges(seen.values())))"
    )
    results = {
        subprocess.run(
            [sys.executable, "-c", code],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    }
    assert len(results) == 1


def test_labels_fit_their_boxes() -> None:
    short = label("asia")
    assert short.lines == ("asia",)
    long = label("R_DIFFN_LNLW_MEDD2_DISP_WD")
    assert "".join(long.lines) == "R_DIFFN_LNLW_MEDD2_DISP_WD"
    assert len(long.lines) == 2
    assert all(text_width(line) < long.width for line in long.lines)
    cut = label("x" * 500)
    assert len(cut.lines) == 3
    assert cut.lines[-1].endswith("…")
    assert label("a\nb").lines == ("a␣b",)
    assert text_width("变量") > text_width("ab")


def test_a_graph_shows_itself_in_a_line() -> None:
    assert repr(Graph.from_edges(["A -> B", "B o-o C"])) == (
        "Graph(3 nodes, 2 edges: A -> B, B o-o C)"
    )
    assert repr(Graph("A")) == "Graph(1 node, 0 edges)"
    line = repr(random_dag(100, 3, seed=1))
    assert len(line) <= 100
    assert re.fullmatch(r"Graph\(100 nodes, \d+ edges: node_0 -> node_\d+, .*, …\)", line)
    assert "\n" not in repr(Graph.from_edges([("a\nb", "->", "c")]))


def test_a_notebook_shows_the_drawing_with_a_caption() -> None:
    shown = PAG._repr_html_()
    assert "<svg" in shown
    assert "5 nodes, 6 edges (1 o-&gt;" in shown
    assert "<svg" not in random_dag(400, 1, seed=1)._repr_html_()


@pytest.mark.shared
def test_benchpress_graphs_have_sound_drawings(shared) -> None:
    folder = shared / "benchpress" / "resources" / "adjmat" / "myadjmats"
    for name in ("asia", "sachs", "alarm", "hepar2", "butterflies", "jonesp15", "win95pts"):
        graph = read_graph(folder / f"{name}.csv")
        check_layout(graph, layout_of(graph))
