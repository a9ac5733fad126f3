"""The look of the page: colours, panels by kind of data, names that are not cut, its bounds."""

from __future__ import annotations

import itertools
import json
import re
from typing import Any, NamedTuple

import numpy as np
import pytest

from dagathlon.evaluate.ranking.significance import Nemenyi
from dagathlon.evaluations.ranking.chart import critical_difference
from dagathlon.graphs import Graph
from dagathlon.report.charts.boxes import boxes, kinds_of_graph
from dagathlon.report.charts.overview import overview
from dagathlon.report.charts.parts import by_kind, nothing
from dagathlon.report.figures.palette import PALETTE, SHAPES, Look
from dagathlon.report.figures.vega_worker import VEGA_LITE
from dagathlon.report.page import bounds
from dagathlon.report.page.figures import detached
from dagathlon.report.page.graphs import GraphBook, packed
from dagathlon.report.section import Figure, Listing

# Machado, Oliveira and Fernandes (2009): protanopia and deuteranopia, in linear RGB.
_SEEN = (
    np.eye(3),
    [[0.152, 1.053, -0.205], [0.115, 0.786, 0.099], [-0.004, -0.048, 1.052]],
    [[0.367, 0.861, -0.228], [0.280, 0.673, 0.047], [-0.012, 0.043, 0.969]],
)
_XYZ = np.array([[0.4125, 0.3576, 0.1804], [0.2127, 0.7152, 0.0722], [0.0193, 0.1192, 0.9503]])


def _linear(colour: str) -> Any:
    rgb = np.array([int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)])
    return np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)


def _lab(linear: Any) -> Any:
    f = np.cbrt(np.clip(_XYZ @ linear, 1e-4, None) / _XYZ.sum(axis=1))
    return np.array([116 * f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])])


@pytest.mark.parametrize("eye", range(3))
def test_twelve_colours_are_told_apart_by_every_eye(eye: int) -> None:
    seen = [_lab(np.clip(np.asarray(_SEEN[eye]) @ _linear(c), 0, 1)) for c in PALETTE]
    assert min(np.linalg.norm(a - b) for a, b in itertools.combinations(seen, 2)) > 11


def test_colours_stand_out_on_white_and_on_black() -> None:
    for colour in PALETTE:
        luminance = float((_XYZ @ _linear(colour))[1])
        assert 1.05 / (luminance + 0.05) > 2.1
        assert (luminance + 0.05) / 0.058 > 2.1


def test_a_dozen_algorithms_share_neither_colour_nor_symbol() -> None:
    assert len(set(PALETTE)) == len(set(SHAPES)) == 12
    look = Look.of(f"{i:02}" for i in range(40))
    pairs = {(look.colour_of(one), look.shape_of(one)) for one in look.ids}
    assert len(pairs) == 40


def test_legends_are_numbered_only_where_points_are() -> None:
    look = Look.of(["pc", "ges"])
    assert "labelExpr" not in look.colour()["legend"]
    assert "labelExpr" in look.colour(numbered=True)["legend"]


def _runs() -> list[dict[str, Any]]:
    return [
        {"id": i, "setting": i, "seed": s, "case": c, "run": 0, "SHD": s, "graph_type": "dag"}
        for i in ("pc", "ges")
        for c in ("small", "large")
        for s in range(6)
    ]


def test_each_kind_of_data_has_a_panel_with_axes_of_its_own() -> None:
    chart = boxes(_runs(), "SHD", Look.of(["pc", "ges"]))
    panels = by_kind(chart, ["small", "large"], own=("x",), titles={"x": "SHD"})
    assert panels["facet"]["field"] == "case"
    assert panels["facet"]["sort"] == ["small", "large"]
    assert panels["resolve"]["scale"] == {"x": "independent", "y": "shared"}
    assert panels["spec"]["encoding"]["x"]["title"] == "SHD"
    assert "data" not in panels["spec"]
    assert by_kind(chart, ["small"]) is chart
    empty = nothing("because")
    assert by_kind(empty, ["small", "large"]) is empty


def test_few_runs_are_counted_within_a_kind_of_data() -> None:
    marks = [
        boxes(rows, "SHD", Look.of(["pc", "ges"]))["layer"][0]["mark"]["type"]
        for rows in (_runs(), [row for row in _runs() if row["seed"] < 3])
    ]
    assert marks == ["boxplot", "point"]


def test_the_overview_compares_within_a_row() -> None:
    cells = {
        ("pc", "small"): (9.0, 3),
        ("ges", "small"): (1.0, 3),
        ("hc", "small"): (5.0, 3),
        # The best mean of all is over two runs of three: it does not compete.
        ("few", "small"): (0.5, 2),
        ("pc", "large"): (30.0, 3),
        ("ges", "large"): (40.0, 3),
    }
    rows = [
        {"id": i, "setting": i, "case": c, "n_seeds": 3, "place": 0, "SHD_mean": v, "SHD_n": n}
        for (i, c), (v, n) in cells.items()
    ]
    chart = overview(rows, "SHD", ["small", "large"], ["ges", "pc", "hc", "few"])
    drawn = _drawn(chart)
    assert [text for text, colour in drawn if colour == "white"] == ["1", "30"]
    assert {text for text, _ in drawn} == {"9", "1", "5", "0.5*", "30", "40"}


def _drawn(chart: dict[str, Any]) -> list[tuple[str, str]]:
    """Texts of the cells with their colours, as Vega draws them."""
    vl_convert = pytest.importorskip("vl_convert")
    svg = vl_convert.vegalite_to_svg(json.dumps(chart, default=list), vl_version=VEGA_LITE)
    cells = svg[svg.index("mark-text role-mark") :]
    return [
        (text, colour)
        for colour, text in re.findall(r'<text[^>]*fill="([^"]+)"[^>]*>([^<]+)</text>', cells)
        if re.fullmatch(r"[\d.]+\*?", text)
    ]


def test_kinds_of_graph_are_counted() -> None:
    chart = kinds_of_graph([*_runs(), {"id": "x", "setting": "x", "graph_type": None}])
    assert chart["encoding"]["color"]["scale"]["domain"] == ["dag"]
    assert chart["encoding"]["x"]["aggregate"] == "count"


def test_a_diagram_of_ranks_grows_with_its_names() -> None:
    def width(name: str) -> int:
        found = Nemenyi((name, "b"), (1.2, 1.8), 0.5, (), 10)
        chart = critical_difference(found, {name: "a", "b": "b"}, Look.of(["a", "b"]))
        assert "limit" not in str(chart)
        assert chart["width"] >= chart["usermeta"]["least_width"]
        return int(chart["usermeta"]["least_width"])

    assert width("a" * 150) - width("a" * 50) >= 500


def test_rows_of_a_chart_stand_by_columns() -> None:
    values = [{"x": i, "name": "long name"} for i in range(50)]
    made = detached({"data": {"values": values}, "mark": "point", "encoding": {}})
    assert made["data"]["columns"]["x"] == list(range(50))
    assert made["data"]["columns"]["name"]["levels"] == ["long name"]


class _Tables(NamedTuple):
    runs: list[dict[str, Any]]
    metrics: list[str]
    headlines: list[str]


def test_many_runs_keep_the_metrics_of_the_headlines(monkeypatch: pytest.MonkeyPatch) -> None:
    tables: Any = _Tables(_runs(), ["SHD", "F1_skel", "ddm", "SID"], ["F1_skel"])
    assert bounds.run_columns(tables).left_out == ""
    monkeypatch.setattr(bounds, "_MOST_CELLS", 100)
    kept = bounds.run_columns(tables)
    assert kept.what[-2:] == ["SHD", "F1_skel"]
    assert "ddm" not in kept.what
    assert kept.left_out == "2 metrics of the single runs"


def test_a_page_says_what_it_leaves_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bounds, "_MOST_ROWS", 2)
    monkeypatch.setattr(bounds, "_MOST_LETTERS", 1)
    listing = bounds.listing_rows(Listing("edges", [{"a": i} for i in range(5)]))
    assert len(listing.what) == 2
    figure = Figure("f", "?", "", [(name, nothing(name)) for name in "abc"])
    charts = bounds.charts_of([figure])
    assert len(charts.what["f"]) == 1
    said = bounds.sentence([listing.left_out, "", charts.left_out])
    assert "3 rows of the table of edges and 2 choices of figures" in said
    assert bounds.sentence(["", ""]) == ""


def test_graphs_carry_their_classes_for_the_colours_of_a_run() -> None:
    book = GraphBook()
    chain = Graph.from_edges(["a -> b", "b -> c"], "abc")
    other = Graph.from_edges(["b -> a", "b -> c"], "abc")
    book.add(0, chain, other, "truth")
    stored = book.to_json()
    undirected = stored["truths"][0]["class"]
    assert undirected != stored["truths"][0]["edges"]
    # The chain and the fork are one class: no edge of the estimate is wrong.
    assert stored["runs"][0][3] == undirected
    collider = Graph.from_edges(["a -> b", "c -> b"], "abc")
    book.add(1, collider, other, "truth")
    assert stored["runs"][1][3:] == [None]
    assert stored["runs"][1][2] == packed(collider)
