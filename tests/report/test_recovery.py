"""Methods by kinds of data: means, ranks, and the table that stands before the verdict."""

from __future__ import annotations

import re

import numpy as np
import pytest

from dagathlon.evaluations.paths.recovery import (
    Shape,
    average_ranks,
    compact,
    drawings,
    mean_rows,
    median_costs,
    table,
)
from dagathlon.evaluations.posterior_comparison.charts import edge_graph
from dagathlon.graphs import Graph
from dagathlon.report.charts.metric_lines import metric_lines
from dagathlon.report.figures.palette import Look
from dagathlon.report.page.sections import shown
from dagathlon.report.section import Grid, Picture, Section

LOOK = Look.of(["a", "b", "c"])
F1 = {"a": (0.8, 0.6), "b": (0.4, 0.4), "c": (0.6, None)}


def rows() -> list[dict[str, object]]:
    return [
        {"graph": graph, "model": "m", "rows": n, "variables": 5, "id": name, "method": name}
        | {"F1_skel": value if n > 5 else 0.5, "cpu": cpu}
        for graph in ("band", "hub")
        for n in (4, 10)
        for name, values in F1.items()
        for value, cpu in zip(values, (0.1, 0.3), strict=True)
    ]


def test_means_errors_and_costs_by_hand() -> None:
    means = list(mean_rows(rows(), ["F1_skel", "precision_kl"]))
    assert len(means) == 2 * 2 * 3
    found = {(r["graph"], r["rows"], r["method"]): r for r in means}
    first = found["band", 10, "a"]
    assert first["mean"] == pytest.approx(0.7)
    assert first["se"] == pytest.approx(0.1)
    assert found["band", 10, "c"]["known"] == 1
    assert found["band", 10, "c"]["se"] is None
    assert median_costs(rows()) == pytest.approx(dict.fromkeys("abc", 0.2))
    # All share the places on few rows; a, c, b on many.
    assert average_ranks(means, "F1_skel") == pytest.approx({"a": 1.5, "b": 2.5, "c": 2.0})


def test_the_table_marks_the_best_and_says_who_does_not_compete() -> None:
    means = list(mean_rows(rows(), ["F1_skel"]))
    made = table(means, ["a", "c", "b"], LOOK, {"a": 0.5})
    lines = re.findall(r'<tr><th scope="row">(.*?)</tr>', made)
    assert len(lines) == 3
    assert lines[0].count("<b>0.70</b>") == 2  # on ten rows of either graph
    assert "500 ms" in lines[0]
    assert lines[1].count("0.60*") == 2
    assert "1 of 2 data sets" in lines[1]
    assert all(line.count("<b>0.50</b>") == 2 for line in lines)
    assert "4 rows &lt; 5 variables" in made
    assert "10 rows &gt; 5 variables" in made
    assert "CPU" not in table(means, ["a"], LOOK)


def test_compact_tables_are_of_metrics_that_have_numbers() -> None:
    means = list(mean_rows(rows(), ["F1_skel"]))
    ((name, made),) = compact(means, {"one": ("F1_skel",), "none": ("precision_kl",)}, LOOK)
    assert name == "one"
    assert re.findall(r"</span>(\w)</th>", made) == ["a", "c", "b"]


def test_names_cannot_become_elements() -> None:
    evil = [row | {"method": "<i>x", "graph": "<i>g"} for row in rows()]
    assert "<i>" not in table(list(mean_rows(evil, ["F1_skel"])), ["<i>x"], LOOK)
    graph = Graph.from_edges(["a - b", "b - c"])
    drawn = drawings([Shape("<i>g", graph, (2, 4))])
    assert "<i>" not in drawn
    assert drawn.count("<circle") == 3
    assert drawn.count("L") == 2
    assert "3 nodes, 2 to 4 edges" in drawn


def test_an_opening_section_stands_first_and_long_tables_are_folded() -> None:
    opening = Section("o", "O", [Picture("p", "", "", [("x", "<p></p>")])], opening=True)
    closed = Picture("q", "", "", [("x", ""), ("y", "")], closed=True)
    grid = Grid(["h"], [["cell"]], 1, "All <rows>")
    made = shown([Section("s", "S", [grid, closed]), opening], [])
    assert 'id="o"' in made.opening
    assert 'id="o"' not in made.leading + made.following
    assert '<details class="folded"><summary>All &lt;rows&gt;</summary>' in made.following
    assert "<details open>" not in made.following


def test_losses_far_apart_are_read_as_ratios() -> None:
    about = {"graph": "g", "id": "a", "data_sets": 3}
    losses = [
        about | {"rows": n, "mean": value, "low": value, "high": value}
        for n, value in ((20, 50.0), (200, 0.5))
    ]
    encoding = metric_lines(losses, "precision_kl", LOOK, ratios=True)["encoding"]
    assert encoding["y"]["scale"]["type"] == "log"
    assert "type" not in metric_lines(losses, "precision_kl", LOOK)["encoding"]["y"]["scale"]


def test_pairs_without_direction_are_drawn_as_an_undirected_graph() -> None:
    edges = np.zeros((3, 3))
    edges[0, 1] = edges[1, 2] = 0.9
    made = edge_graph(["a", "b", "c"], edges, None, 0.2, heads=False).picture.for_page()
    assert "a – b: 0.90" in made
    assert "→" not in made
