"""Drawings on the page: as they are, one open and the others folded, with a key."""

from __future__ import annotations

import numpy as np

from dagathlon.evaluations.graphs.learned_graphs import learned_drawing
from dagathlon.evaluations.no_truth.consensus import Copies, pair_probabilities
from dagathlon.graphs import Graph
from dagathlon.graphs.drawing.svg import EdgeStyle, to_svg
from dagathlon.report.charts.legend import Key, Keyed
from dagathlon.report.page.sections import shown
from dagathlon.report.section import Picture, Section
from dagathlon.report.tables.places import Place, by_data, not_defined
from dagathlon.report.tables.runs import Combination

GRAPH = Graph.from_edges(["a -> c", "b -> c", "c -> d"])


def test_a_picture_is_part_of_the_page_and_its_words_are_escaped() -> None:
    picture = Picture("p", "What <is> it?", "a & b", [("one", "<svg/>"), ("two", "<svg id='x'/>")])
    found = shown([Section("s", "S", [picture, picture], leading=True)], [])
    assert found.leading.count("<svg/>") == 2
    assert "What &lt;is&gt; it?" in found.leading
    assert "<details open><summary>one</summary>" in found.leading
    assert "<details><summary>two</summary>" in found.leading
    assert 'id="picture-p"' in found.leading
    assert 'id="picture-s-p"' in found.leading
    assert not found.figures


def test_edges_can_have_looks_of_their_own() -> None:
    style = EdgeStyle("#123456", 4.5, 0.5, True, "who <says> what")
    svg = to_svg(GRAPH, styles={("c", "a"): style})
    assert svg.count("styled") == 1 + 1  # the rule and the edge
    assert "stroke:#123456;stroke-width:4.5" in svg
    assert "<title>who &lt;says&gt; what</title>" in svg
    assert svg.count("stroke-dasharray") == to_svg(GRAPH).count("stroke-dasharray") + 1


def test_a_key_stands_below_a_drawing() -> None:
    keyed = Keyed(
        to_svg(GRAPH), [Key("a < b", "red", 2.0), Key("dashed", "blue", 1.0, dashed=True)]
    )
    page, file = keyed.for_page(), keyed.for_file()
    assert page.endswith("</p>")
    assert "a &lt; b" in page
    assert "a &lt; b" in file
    assert file.count("<svg ") == file.count("</svg>") == 2
    assert "max-width" in page


def test_a_learned_graph_shows_what_its_class_fixes_and_what_samples_repeat() -> None:
    share = np.array([[0, 0, 0.9, 0], [0, 0, 1, 0], [0.9, 1, 0, 0.4], [0, 0, 0.4, 0]])
    copies = Copies(tuple("abcd"), share, np.triu(share), [3, 3], 0)
    drawing = learned_drawing(Graph.from_edges(["a -> c", "b -> c", "c -> d", "d -> e"]), None)
    assert [key.words for key in drawing.keys] == ["direction shared by the class"]
    chain = learned_drawing(Graph.from_edges(["a -> b", "b -> c"], "abcd"), copies)
    words = [key.words for key in chain.keys]
    assert words == ["reversible", "in half bootstrap samples", "in all bootstrap samples"]
    assert "reversible: the class leaves it open" in chain.svg
    kept = learned_drawing(GRAPH.subgraph("acbd"), copies)
    assert "bootstrap: joined in 90% of 2 samples" in kept.svg
    assert "stroke-width:5.5" in kept.svg


def test_bootstrap_shares_count_algorithms_once() -> None:
    data = Combination("None", "None", "rows.csv")

    def copies(share: float) -> Copies:
        both = np.array([[0, share], [share, 0]])
        return Copies(("x", "y"), both, np.zeros((2, 2)), [1], 0)

    found = {
        Place(data, 1, "pc", 0): copies(1.0),
        Place(data, 1, "pc", 1): copies(0.5),
        Place(data, 1, "pc-2", 0): copies(0.0),
        Place(data, 1, "hc", 0): copies(0.2),
    }
    shares = pair_probabilities(found, {"pc-2": "pc"})
    assert shares == {frozenset("xy"): (0.5 + 0.2) / 2}
    assert pair_probabilities({}, {}) == {}


def test_rows_by_data_set_and_who_has_no_numbers() -> None:
    rows = [
        {"data": "x", "seed": 1, "setting": "fci", "note": "why"},
        {"data": "x", "seed": 2, "setting": "fci", "note": "why"},
        {"data": "x", "seed": 2, "setting": "hc", "note": None},
    ]
    assert {name: len(found) for name, found in by_data(rows).items()} == {
        "x, seed 1": 1,
        "x, seed 2": 2,
    }
    assert [words.text for words in not_defined(rows)] == ["Not defined for fci: why."]
