"""Charts are pure functions of tables: what they encode, and what each option changes."""

from __future__ import annotations

import json
import re
from typing import Any

import numpy as np
import pytest

from dagathlon.data import Dataset, Variable
from dagathlon.evaluate.metric import measures
from dagathlon.evaluations.chains.chart import autocorrelations, trajectories
from dagathlon.evaluations.graphs.ggally_ggpairs import MOST_VARIABLES, pairs
from dagathlon.evaluations.graphs.graph_true_stats import graph_properties
from dagathlon.evaluations.no_truth.agreement_charts import ALL, agreement_plot, overlap_plot
from dagathlon.evaluations.no_truth.consensus import edge_agreement, skeleton_overlap
from dagathlon.evaluations.noise.rates_chart import noise_rates, robustness_plot, state_or_gap
from dagathlon.graphs import Graph
from dagathlon.report.charts.boxes import boxes, graph_types
from dagathlon.report.charts.cost import accuracy_against_cost, against_parameter
from dagathlon.report.charts.matrix import adjacency_plot, difference_plot, frequency_plot
from dagathlon.report.charts.overview import outcomes
from dagathlon.report.charts.parts import is_nothing
from dagathlon.report.charts.roc import RocOptions, roc
from dagathlon.report.figures.palette import Look
from dagathlon.report.words import short_title, title, words

LOOK = Look.of(["pc", "ges"])
AXES = ("FPRn_pattern", "TPR_pattern")


def _settings() -> list[dict[str, Any]]:
    rows = []
    for number, identifier in enumerate(("pc", "ges")):
        for place, alpha in enumerate((0.01, 0.1)):
            row: dict[str, Any] = {"id": identifier, "setting": f"{identifier}, alpha = {alpha}"}
            row |= {"alpha": alpha, "curve_param": "alpha", "curve_value": alpha}
            row |= {"curve_vals": alpha, "n_seeds": 3, "case": "n=100", "place": place}
            for metric in (*AXES, "time"):
                middle = 0.2 + 0.3 * number + 0.1 * place
                row |= {f"{metric}_median": middle, f"{metric}_mean": middle}
                row |= {f"{metric}_q1": middle - 0.1, f"{metric}_q3": middle + 0.1}
            rows.append(row)
    return rows


def _runs(seeds: int = 6) -> list[dict[str, Any]]:
    return [
        {
            "id": row["id"],
            "setting": row["setting"],
            "seed": seed,
            "run": 10 * i + seed,
            "status": "ok" if seed else "timeout",
            "graph_type": "dag" if seed % 2 else "cpdag",
            **{metric: row[f"{metric}_median"] + seed / 100 for metric in (*AXES, "time")},
        }
        for i, row in enumerate(_settings())
        for seed in range(seeds)
    ]


def _marks(chart: dict[str, Any]) -> list[str]:
    return [layer["mark"]["type"] for layer in chart["layer"]]


def test_eleven_algorithms_are_told_apart_by_colour_and_symbol_together() -> None:
    look = Look.of(f"algorithm {i}" for i in range(11))
    colours = look.colour()["scale"]["range"]
    shapes = look.shape()["scale"]["range"]
    assert len(set(zip(colours, shapes, strict=True))) == 11
    assert look.colour()["scale"]["domain"] == sorted(look.ids)


def test_an_algorithm_looks_the_same_in_every_figure() -> None:
    curve = roc(_runs(), _settings(), AXES, LOOK, RocOptions())
    box = boxes(_runs(), "time", LOOK)
    assert curve["encoding"]["color"]["scale"] == box["layer"][0]["encoding"]["color"]["scale"]


def test_axes_are_in_words_and_say_which_way_is_better() -> None:
    chart = roc(_runs(), _settings(), AXES, LOOK, RocOptions())
    assert chart["encoding"]["x"]["title"].endswith("↓")
    assert chart["encoding"]["y"]["title"] == "true positives / true edges (pattern) ↑"
    assert title("unheard_of") == "unheard of"
    assert all(short_title(metric) and words(metric).title for metric in measures())


@pytest.mark.parametrize(
    ("options", "marks"),
    [
        (RocOptions(errorbar=False, path=False, label="none"), ["point"]),
        (RocOptions(errorbar=True, path=False, label="none"), ["rule", "point"]),
        (RocOptions(errorbarh=True, path=False, label="none"), ["rule", "rule", "point"]),
        (RocOptions(errorbar=False, path=True, label="none"), ["line", "point"]),
        (RocOptions(errorbar=False, scatter=True, path=False), ["point", "point", "text"]),
        (
            RocOptions(errorbar=False, scatter=True, show_seed=True, path=False),
            ["text", "point", "text"],
        ),
        (RocOptions(errorbar=False, path=False, text=True, label="none"), ["text"]),
    ],
)
def test_each_option_of_a_curve_adds_its_marks(options: RocOptions, marks: list[str]) -> None:
    assert _marks(roc(_runs(), _settings(), AXES, LOOK, options)) == marks


def test_bars_go_from_the_lower_to_the_upper_quantile() -> None:
    chart = roc(_runs(), _settings(), AXES, LOOK, RocOptions(errorbar=True, errorbarh=True))
    vertical, horizontal = chart["layer"][:2]
    assert vertical["encoding"]["y"]["field"] == "TPR_pattern_q1"
    assert vertical["encoding"]["y2"]["field"] == "TPR_pattern_q3"
    assert horizontal["encoding"]["x"]["field"] == "FPRn_pattern_q1"
    assert horizontal["encoding"]["x2"]["field"] == "FPRn_pattern_q3"


def test_limits_are_the_domain_and_marks_outside_are_clipped() -> None:
    chart = roc(_runs(), _settings(), AXES, LOOK, RocOptions(xlim=(0, 2)))
    assert chart["encoding"]["x"]["scale"]["domain"] == [0, 2]
    assert all(layer["mark"]["clip"] for layer in chart["layer"])


def test_the_number_of_an_algorithm_stands_at_one_setting() -> None:
    best = roc(_runs(), _settings(), AXES, LOOK, RocOptions(label="best"))
    numbers = [row["number"] for row in best["data"]["values"]]
    assert sorted(filter(None, numbers)) == ["1", "2"]
    last = roc(_runs(), _settings(), AXES, LOOK, RocOptions(label="last"))
    assert [row["number"] for row in last["data"]["values"]] == ["", "2", "", "1"]


def test_boxes_keep_the_order_of_the_table_and_label_outliers() -> None:
    chart = boxes(_runs(), "time", LOOK, show_seed=True)
    assert chart["encoding"]["y"]["sort"] == [row["setting"] for row in _settings()]
    assert [layer["mark"]["type"] for layer in chart["layer"]] == ["boxplot", "text"]
    assert boxes(_runs(), "time", LOOK, log=True)["encoding"]["x"]["scale"]["type"] == "log"
    assert boxes(_runs(), "time", LOOK, limits=(0, 9))["encoding"]["x"]["scale"]["domain"] == [0, 9]


def test_a_few_runs_are_points_rather_than_boxes() -> None:
    assert _marks(boxes(_runs(seeds=2), "time", LOOK)) == ["point"]


def test_a_chart_without_numbers_says_so() -> None:
    assert is_nothing(boxes(_runs(), "ntests", LOOK))
    assert is_nothing(roc([], [], AXES, LOOK, RocOptions()))
    assert is_nothing(accuracy_against_cost(_settings(), "SHD", "time", LOOK))
    assert is_nothing(graph_properties([]))
    assert not is_nothing(accuracy_against_cost(_settings(), "TPR_pattern", "time", LOOK))


def test_numbers_that_are_not_finite_become_null() -> None:
    runs = [row | {"time": float("nan")} if i == 0 else row for i, row in enumerate(_runs())]
    values = boxes(runs, "time", LOOK)["data"]["values"]
    assert values[0]["time"] is None
    json.dumps(list(values), allow_nan=False)


def test_kinds_of_graph_have_their_own_colours() -> None:
    chart = graph_types(_runs())
    assert chart["encoding"]["color"]["scale"]["domain"] == ["dag", "cpdag"]
    assert len(chart["data"]["values"]) == len(_runs())


def test_adjacency_plot_has_one_cell_for_each_edge() -> None:
    chart = adjacency_plot(["a", "b", "c"], [[0, 1, 0], [0, 0, 1], [0, 0, 0]])
    cells = [(cell["from"], cell["to"]) for cell in chart["data"]["values"]]
    assert cells == [("a", "b"), ("b", "c")]
    assert chart["encoding"]["x"]["scale"]["domain"] == ["a", "b", "c"]


def test_difference_plot_names_every_outcome() -> None:
    chart = difference_plot(["a", "b"], [[0, 1], [0, 0]], [[0, 0], [1, 0]])
    found = {(cell["from"], cell["to"]): cell["edge"] for cell in chart["data"]["values"]}
    assert found == {("a", "b"): "not in the truth", ("b", "a"): "missing"}
    same = difference_plot(["a", "b"], [[0, 1], [0, 0]], [[0, 1], [0, 0]])
    assert [cell["edge"] for cell in same["data"]["values"]] == ["correct"]


def test_frequencies_carry_numbers_only_where_they_are_readable() -> None:
    small = frequency_plot(["a", "b"], [[0, 0.25], [0, 0]])
    assert len(small["layer"]) == 2
    names = [str(i) for i in range(60)]
    assert len(frequency_plot(names, np.full((60, 60), 0.5))["layer"]) == 1


def test_agreement_puts_the_truth_beside_the_algorithms() -> None:
    graphs = {
        "pc": [Graph.from_edges(["a -> b"], "abc")],
        "ges": [Graph.from_edges(["a -> b", "b - c"])],
    }
    edges = edge_agreement(graphs)
    chart = agreement_plot(edges, frozenset({frozenset("ab")}))
    first = chart["data"]["values"][:4]
    assert [row["column"] for row in first] == ["truth", ALL, "pc", "ges"]
    assert first[0] == {"edge": "a → b", "column": "truth", "share": 1.0}
    assert "b – c" in {row["edge"] for row in chart["data"]["values"]}
    assert len(overlap_plot(skeleton_overlap(graphs))["data"]["values"]) == 4


def test_outcomes_count_runs_by_status() -> None:
    chart = outcomes(_runs())
    assert chart["encoding"]["x"]["aggregate"] == "count"
    assert {row["status"] for row in chart["data"]["values"]} == {"ok", "timeout"}


def test_a_parameter_of_wide_range_has_a_logarithmic_axis() -> None:
    narrow = against_parameter(_settings(), "time", "alpha", LOOK)
    assert narrow["encoding"]["x"]["scale"].get("type") is None
    rows = [row | {"curve_value": row["curve_value"] ** 2} for row in _settings()]
    assert against_parameter(rows, "time", "alpha", LOOK)["encoding"]["x"]["scale"]["type"] == "log"
    words_only = [row | {"curve_value": f"x{i}"} for i, row in enumerate(_settings())]
    assert (
        against_parameter(words_only, "time", "alpha", LOOK)["encoding"]["x"]["type"] == "nominal"
    )


def test_properties_have_a_panel_for_each_graph_setting() -> None:
    rows = [{"adjmat": name, "seed": 1, "indegree_avg": 1.0, "max_indegree": 2} for name in "xy"]
    chart = graph_properties(rows)
    assert [panel["title"] for panel in chart["vconcat"]] == ["x", "y"]


def test_lines_of_chains_are_coloured_in_the_order_of_numbers() -> None:
    rows = [
        {"sample": 1, "lag": 1, "value": 0.1, "chain": i, "s": str(s)}
        for i, s in enumerate((10, 9))
    ]
    chart = trajectories(rows, "size", "s", "chain")
    assert chart["encoding"]["color"]["scale"]["domain"] == ["9", "10"]
    assert chart["encoding"]["y"]["title"] == "number of edges"
    assert autocorrelations(rows, "s", "chain")["layer"][1]["encoding"]["x"]["field"] == "lag"


def _kinds(svg: str) -> set[str]:
    return set(re.findall(r'class="(\w+)"', svg)) - {"frame"}


def test_pairs_of_continuous_discrete_and_mixed_data() -> None:
    variables = [Variable("x"), Variable.coded("d", 3), Variable("y"), Variable.coded("e", 2)]
    rng = np.random.default_rng(1)
    codes = np.stack([rng.integers(0, 3, 50), rng.integers(0, 2, 50)], axis=1).astype(np.uint8)
    dataset = Dataset(variables, codes=codes, values=rng.normal(size=(50, 2)))
    chart = pairs(dataset)
    assert _kinds(chart) == {
        "bar",
        "name",
        "point",
        "fit",
        "number",
        "tile",
        "box",
        "line",
        "middle",
    }
    assert _kinds(pairs(dataset.select(["d", "e"]))) == {"bar", "name", "tile"}
    panels = re.findall(r"translate\((\d+) (\d+)\)", chart)
    step = int(panels[1][0]) - int(panels[0][0])
    inside = [float(v) for v in re.findall(r' (?:c?[xy]|[xy][12])="([-\d.]+)"', chart)]
    assert len(panels) == 16
    assert min(inside) >= 0
    assert max(inside) <= step


def test_pairs_show_a_bounded_number_of_variables() -> None:
    names = [Variable(f"v{i}") for i in range(MOST_VARIABLES + 5)]
    values = np.random.default_rng(1).normal(size=(5, len(names)))
    chart = pairs(Dataset(names, values=values))
    assert chart.count('class="name"') == MOST_VARIABLES


def test_names_of_variables_cannot_break_a_picture() -> None:
    odd = Variable('a<b&"\x07')
    svg = pairs(Dataset([odd], values=np.arange(3.0)[:, None]))
    assert "a&lt;b&amp;" in svg
    assert "\x07" not in svg
    assert "empty" in pairs(Dataset([odd], values=np.empty((0, 1))))


def test_rates_of_noise_are_panels_of_lines() -> None:
    about = {"algorithm": "pc", "network": "asia", "seeds": 2, "failures": 0}
    ends = {"mean": 0.5, "mean_low": 0.4, "mean_high": None}
    rows = [about | ends | {"kind": kind, "rate": r} for kind in ("M+NA", "IS") for r in (0, 0.1)]
    chart = noise_rates(rows, LOOK)
    assert chart["facet"]["sort"] == ["missing, as gaps", "incorrect + merged states"]
    assert chart["spec"]["encoding"]["x"]["axis"]["values"] == [0.0, 10.0]
    assert [row["rate"] for row in chart["data"]["values"]] == [0, 10, 0, 10]
    assert is_nothing(noise_rates([], LOOK))
    assert is_nothing(state_or_gap(rows))
    both = state_or_gap([*rows, *(row | {"kind": "M", "algorithm": "ges"} for row in rows[:2])])
    assert both["facet"]["sort"] == ["pc", "ges"]
    assert {row["id"] for row in both["data"]["values"]} == {"as a state", "as gaps"}


def test_the_most_robust_stand_on_top() -> None:
    about = {"index_low": None, "index_high": None, "up_to": 0.1, "clean": 0.5, "seeds": 1}
    rows = [
        about | {"algorithm": name, "kind": kind, "index": index}
        for name, kind, index in [
            *(("ges", "overall", 0.7), ("ges", "M", 0.9), ("pc", "overall", 0.8), ("pc", "M", 0.6)),
            ("ges", "I", None),
        ]
    ]
    chart = robustness_plot(rows, LOOK)
    assert chart["spec"]["encoding"]["y"]["sort"] == ["pc", "ges"]
    assert len(chart["data"]["values"]) == 4
    assert is_nothing(robustness_plot([], LOOK))
