"""Graphs as files of pictures, alone and against the truth."""

from __future__ import annotations

import struct
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from dagathlon.errors import GraphError
from dagathlon.graphs import Graph, read_graph
from dagathlon.graphs.drawing.picture import marked_differences

TRUTH = Graph.from_edges(["A -> B", "B -> C", "C -> D", "D -> E"])
LEARNED = Graph.from_edges(["A -> B", "C -> B", "C - D", "A -> E"], names="ABCDE")


def classes_in(svg: str) -> list[str]:
    root = ET.fromstring(svg)
    groups = root.iter("{http://www.w3.org/2000/svg}g")
    return [group.get("class", "").removeprefix("edge ") for group in groups]


def test_edges_against_the_truth() -> None:
    together, classes = marked_differences(LEARNED, TRUTH.subgraph("EDCBA"))
    assert classes == {
        ("A", "B"): "correct",
        ("B", "C"): "reversed",
        ("C", "D"): "reversed",
        ("A", "E"): "wrong",
        ("D", "E"): "missing",
    }
    assert together.n_edges == 5
    with pytest.raises(GraphError, match="different nodes: F"):
        marked_differences(LEARNED, Graph("ABCDEF"))


def test_svg_has_every_class_and_a_key(tmp_path: Path) -> None:
    LEARNED.draw(tmp_path / "g.svg", truth=TRUTH, width=300)
    text = (tmp_path / "g.svg").read_text()
    found = classes_in(text)
    # One edge of each class more, in the key.
    assert [found.count(name) for name in ("correct", "reversed", "wrong", "missing")] == [
        2, 3, 2, 2,
    ]  # fmt: skip
    assert "direction differs: 2" in text
    assert ET.fromstring(text).get("width") == "300"
    assert "prefers-color-scheme" in text


def test_dark_paper(tmp_path: Path) -> None:
    TRUTH.draw(tmp_path / "g.svg", dark=True)
    text = (tmp_path / "g.svg").read_text()
    assert 'fill="#16181c"' in text
    assert "prefers-color-scheme" not in text


def test_png_and_pdf(tmp_path: Path) -> None:
    TRUTH.draw(tmp_path / "g.png", width=400)
    content = (tmp_path / "g.png").read_bytes()
    assert content.startswith(b"\x89PNG")
    assert abs(struct.unpack(">I", content[16:20])[0] - 400) <= 1
    TRUTH.draw(tmp_path / "g.pdf")
    assert (tmp_path / "g.pdf").read_bytes().startswith(b"%PDF")


def test_graphviz_files_are_read_back(tmp_path: Path) -> None:
    LEARNED.draw(tmp_path / "g.dot")
    assert read_graph(tmp_path / "g.dot") == LEARNED
    LEARNED.draw(tmp_path / "c.dot", truth=TRUTH)
    assert read_graph(tmp_path / "c.dot") == marked_differences(LEARNED, TRUTH)[0]
    assert '"A" -> "E" [color="#dd4b26"' in (tmp_path / "c.dot").read_text()


@pytest.mark.parametrize("layout", ["layered", "stress", "grid"])
def test_layouts_differ_in_places_only(tmp_path: Path, layout: str) -> None:
    TRUTH.draw(tmp_path / "a.svg", layout=layout)  # type: ignore[arg-type]
    root = ET.fromstring((tmp_path / "a.svg").read_text())
    titles = {title.text for title in root.iter("{http://www.w3.org/2000/svg}title")}
    assert {"A", "E", "A -> B"} <= titles


def test_mistakes(tmp_path: Path) -> None:
    with pytest.raises(GraphError, match=r"ends in one of \.svg, \.png, \.pdf"):
        TRUTH.draw(tmp_path / "g.gif")
    with pytest.raises(GraphError, match="unknown layout 'layerd'"):
        TRUTH.draw(tmp_path / "g.svg", layout="layerd")  # type: ignore[arg-type]
    with pytest.raises(GraphError, match="no folder"):
        TRUTH.draw(tmp_path / "no" / "g.svg")
    with pytest.raises(GraphError, match="pixels, found 0"):
        TRUTH.draw(tmp_path / "g.svg", width=0)
