"""Tables, words and charts of a study of posteriors, from rows with known answers."""

from __future__ import annotations

from typing import Any

import pytest

from dagathlon.evaluations.posterior_comparison.posteriors import (
    posterior_figures,
    trust_parts,
    truth_parts,
)
from dagathlon.evaluations.posterior_comparison.words import (
    entropies,
    trusted,
    yardsticks,
)
from dagathlon.report.charts.matrix import correlation_tiles, short
from dagathlon.report.charts.metric_lines import metric_lines
from dagathlon.report.charts.parts import is_nothing
from dagathlon.report.evaluation import Table, TableSet
from dagathlon.report.figures.palette import Look
from dagathlon.report.section import Grid, Words
from dagathlon.report.tables.metrics import ALL_GRAPHS, correlation_rows, data_sets, mean_rows

METRICS = ("e_shd", "edge_auroc", "graph_mmd")


def rows() -> list[dict[str, Any]]:
    """Two graphs, 5 and 100 rows, three data sets; with 5 rows E-SHD and Graph MMD are opposite."""
    found = []
    for graph in ("ER1", "SF1"):
        for size in (5, 100):
            for seed in (1, 2, 3):
                for place, name in enumerate("abcd"):
                    for start in ("1", "2") if name == "a" else ("",):
                        mmd = place / 10
                        shd = 5.0 - place if size == 5 else 1.0 + place
                        about: dict[str, Any] = {
                            "graph": graph,
                            "model": "m",
                            "rows": size,
                            "seed": seed,
                        }
                        about |= {"method": name, "start": start, "entropy": 4.0 - place}
                        scores = {"e_shd": shd, "graph_mmd": mmd, "edge_auroc": 0.5 + 0.1 * place}
                        found.append(about | scores)
    return found


@pytest.fixture(scope="module")
def tables() -> TableSet:
    runs = rows()
    found: dict[str, list[dict[str, Any]]] = {
        "runs": runs,
        "means": list(mean_rows(runs, (*METRICS, "entropy"), 50)),
        "correlations": list(correlation_rows(runs, METRICS, 50)),
        "references": [{"model": "m", "reference": "a"}],
        "metrics": [{"metric": name} for name in (*METRICS, "entropy")],
    }
    filled = {name: Table(content) for name, content in found.items()}
    return TableSet(filled, "study", Look.of("abcd"), False)


def test_means_are_over_data_sets_not_starts(tables: TableSet) -> None:
    means = tables.rows("means")
    assert len(means) == 2 * 2 * 4 * 4
    (one,) = [
        row
        for row in means
        if (row["graph"], row["rows"], row["method"], row["metric"]) == ("ER1", 5, "a", "e_shd")
    ]
    assert (one["mean"], one["low"], one["high"], one["data_sets"]) == (5, 5, 5, 3)


def test_a_method_without_starts_has_the_same_value_at_each() -> None:
    chosen = [row for row in rows() if row["graph"] == "ER1" and row["rows"] == 5]
    blocks = data_sets(chosen, METRICS)
    assert [len(starts) for starts in blocks] == [2, 2, 2]
    assert (blocks[0][0] == blocks[0][1]).all()


def test_correlations_say_which_metrics_agree_where(tables: TableSet) -> None:
    pairs = tables.rows("correlations")
    assert {row["graph"] for row in pairs} == {"ER1", "SF1", ALL_GRAPHS}
    found = {one.rows: one for one in trusted(pairs, "graph_mmd", ("graph_mmd",))}
    # The area rises with the distance to the truth, so it prefers the wrong methods.
    assert [row["right"] for row in found[5].against] == ["e_shd", "edge_auroc"]
    assert [row["right"] for row in found[100].agree] == ["e_shd"]
    assert found[100].agree[0]["data_sets"] == 6
    assert found[5].mean == pytest.approx(-1)


def test_two_methods_are_not_correlated() -> None:
    few = [row for row in rows() if row["method"] in ("a", "b")]
    assert list(correlation_rows(few, METRICS, 10)) == []


def test_where_the_true_posterior_is_behind(tables: TableSet) -> None:
    found = list(yardsticks(tables.rows("means"), ("e_shd",), {"m": "a"}))
    assert [(one.rows, sorted(one.better), one.others) for one in found] == [
        (5, ["b", "c", "d"], 3),
        (100, [], 3),
    ]


def test_who_is_too_sure_is_named(tables: TableSet) -> None:
    (said,) = entropies(tables.rows("means"), {"m": "a"})
    assert "the entropy of a is 4.00 with 5, 4.00 with 100 rows" in said
    assert "d has less than half of it with 5, 100 rows" in said
    assert "c has" not in said


def test_the_section_has_words_and_figures(tables: TableSet) -> None:
    trust = list(trust_parts(tables))
    assert isinstance(trust[0], Words)
    assert "−1 with 5 rows" in trust[0].text
    grids = [part for part in truth_parts(tables) if isinstance(part, Grid)]
    assert [row[:3] for row in grids[0].rows] == [["m", "5", "3 of 3"], ["m", "100", "0 of 3"]]
    figures = {figure.name: figure for figure in posterior_figures(tables)}
    assert [name for name, _ in figures["posterior-metrics"].variants] == ["E-SHD", "AUROC"]
    assert [name for name, _ in figures["posterior-correlations"].variants] == [
        "m, 5 rows",
        "m, 100 rows",
    ]
    assert not any(is_nothing(chart) for f in figures.values() for _, chart in f.variants)


def test_charts_have_panels_and_scales_for_what_is_far_off() -> None:
    lines = [
        {"graph": g, "rows": n, "id": i, "mean": v, "low": v, "high": v, "data_sets": 3}
        for g in ("ER1", "SF1")
        for n in (5, 1000)
        for i, v in (("a", 1.0), ("b", 2.0), ("c", 1e6))
    ]
    chart = metric_lines(lines, "nll", Look.of("abc"))
    assert chart["facet"]["sort"] == ["ER1", "SF1"]
    assert chart["spec"]["encoding"]["y"]["scale"]["type"] == "symlog"
    assert chart["spec"]["encoding"]["x"]["scale"]["type"] == "log"
    assert is_nothing(metric_lines([], "nll", Look.of("abc")))
    assert is_nothing(correlation_tiles([], METRICS))


@pytest.mark.parametrize(
    ("value", "text"), [(0.474, ".47"), (-0.12, "−.12"), (1.0, "1"), (0.001, "0"), (-0.001, "0")]
)
def test_numbers_are_short(value: float, text: str) -> None:
    assert short(value) == text
