"""Tables of intersection-validation beside the truth, from distances made by hand."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from dagathlon.evaluations.forecast_accuracy.accuracy import (
    Distances,
    Point,
    kept,
    predictors,
    rules,
)
from dagathlon.evaluations.forecast_accuracy.figures import accuracy_against_size, class_of
from dagathlon.evaluations.forecast_accuracy.tables import Networks, separation
from dagathlon.evaluations.intersection_validation.validation import forecast
from dagathlon.graphs import Graph, PartialGraph
from dagathlon.report.charts.metric_lines import correlation_lines
from dagathlon.report.figures.palette import Look

TRUTH = Graph.from_edges([("a", "->", "c"), ("b", "->", "c")], names="abcd")
OTHER = Graph.from_edges([("a", "-", "b")], names="abcd")
LEARNERS = ("x", "y", "z")


def distances(size: int, *means: float) -> Distances:
    """Two subsamples of each learner, one below and one above its mean."""
    pairs = zip(LEARNERS, means, strict=True)
    return {size: {name: np.array([mean - 1, mean + 1]) for name, mean in pairs}}


def point(rows: int, seed: int, phd: Distances, **values: Any) -> Point:
    agreement = PartialGraph.of(TRUTH)
    return Point(
        values.get("network", "net"),
        rows,
        seed,
        forecast(agreement),
        agreement,
        PartialGraph.of(values.get("truth", TRUTH)),
        dict.fromkeys(LEARNERS, TRUTH),
        dict.fromkeys(LEARNERS, "cpdag"),
        {"SHD": dict(zip(LEARNERS, values.get("shd", (1.0, 2.0, 3.0)), strict=True))},
        phd,
        values.get("own", distances(100, 3.0, 2.0, 1.0)),
        [],
    )


def only(rows: Any) -> dict[str, Any]:
    (found,) = rows
    assert isinstance(found, dict)
    return found


def test_phd_is_compared_with_data_sets_of_its_own_size() -> None:
    found = Networks(
        [
            point(100, 1, {}, shd=(0.0, 2.0, 4.0)),
            point(100, 2, {}, shd=(2.0, 2.0, 5.0)),
            point(200, 3, distances(100, 5.0, 6.0, 9.0)),
            point(200, 4, distances(100, 7.0, 8.0, 8.0)),
        ]
    )
    row = only(found.accuracy())
    expected = np.corrcoef([6.0, 7.0, 8.5], [1.0, 2.0, 4.5])[0, 1]
    assert row["pearson"] == pytest.approx(expected)
    assert row["pearson_same_rows"] == pytest.approx(np.corrcoef([6, 7, 8.5], [3, 2, 1])[0, 1])
    assert row["spearman"] == pytest.approx(1)
    assert (row["same_best"], row["data_sets"]) == (True, 2)
    # SHD is 1, 2, 4.5, and the first is chosen.
    assert (row["loss"], row["blind_loss"]) == (0, 1.5)
    single = list(found.data_sets())
    assert [one["seed"] for one in single] == [3, 4]
    assert single[0]["pearson"] == pytest.approx(np.corrcoef([5, 6, 9], [1, 2, 4.5])[0, 1])


def test_without_data_sets_of_that_size_the_subsamples_tell_the_truth() -> None:
    row = only(Networks([point(200, 1, distances(100, 1.0, 2.0, 3.0))]).accuracy())
    assert row["pearson"] == pytest.approx(-1)
    assert row["same_best"] is False
    assert (row["loss"], row["blind_loss"]) == (2, 1)


def test_graphs_that_are_drawn_anew_are_not_mixed() -> None:
    found = Networks(
        [
            point(100, 1, {}, truth=OTHER),
            point(200, 2, distances(100, 1.0, 2.0, 3.0)),
        ]
    )
    assert only(found.accuracy())["pearson"] == pytest.approx(-1)


def test_what_does_not_vary_is_not_defined() -> None:
    row = only(Networks([point(200, 1, distances(100, 2.0, 2.0, 2.0))]).accuracy())
    assert row["pearson"] is None
    assert row["spearman"] is None


def test_learning_curves_are_means_with_standard_errors() -> None:
    found = Networks(
        [point(100, 1, {}, shd=(1.0, 5.0, 5.0)), point(100, 2, {}, shd=(3.0, 5.0, 5.0))]
    )
    first, second, _ = found.curves()
    assert (first["learner"], first["mean"], first["se"], first["data_sets"]) == ("x", 2.0, 1.0, 2)
    assert (second["mean"], second["se"]) == (5.0, 0.0)


def test_separation_is_in_standard_errors() -> None:
    apart = {"x": np.array([0.0, 2.0]), "y": np.array([4.0, 6.0]), "z": np.array([8.0, 10.0])}
    # The means 1, 5, 9 have standard deviation 4, each has standard error 1.
    assert separation(apart) == pytest.approx(4)
    assert separation(dict.fromkeys("xyz", np.array([1.0]))) is None
    assert separation(dict.fromkeys("xyz", np.array([1.0, 1.0]))) is None
    gaps = apart | {"w": np.array([math.nan, 3.0])}
    assert separation(gaps) == pytest.approx(4)


def judged(network: str, verdict: str, pearson: float | None, size: float) -> dict[str, Any]:
    row = {"network": network, "verdict": verdict, "pearson": pearson, "spearman": pearson}
    row |= {"loss": 0.5, "blind_loss": 1.0}
    return row | {"same_best": True, "relative_size": size, "connected": 9, "separation": 5.0}


ROWS = [
    judged("a", "good", 0.95, 0.95),
    judged("a", "good", 0.5, 0.92),
    judged("a", "not reliable", None, 0.5),
    judged("b", "fair", 0.91, 0.85),
    judged("b", "not reliable", -0.2, 0.6),
]


def test_verdicts_are_counted_with_what_came_of_them() -> None:
    found = {(row["network"], row["verdict"]): row for row in kept(ROWS, "data sets")}
    good = found["a", "good"]
    assert (good["cases"], good["undefined"], good["above_0.9"]) == (2, 0, 0.5)
    assert good["mean_pearson"] == pytest.approx(0.725)
    assert found["all networks", "not reliable"]["undefined"] == 1
    assert found["all networks", "not reliable"]["below_0"] == 1
    assert found["a", "not reliable"]["mean_pearson"] is None


def test_rules_are_judged_by_precision_and_recall() -> None:
    found = {row["rule"]: row for row in rules(ROWS, "data sets") if row["network"] != "a"}
    rule = found["not 'not reliable'"]
    # Over all networks: four are defined, three are believed, two of them are above 0.9.
    assert (rule["cases"], rule["believed"]) == (4, 0.75)
    assert (rule["precision"], rule["recall"]) == (pytest.approx(2 / 3), 1)


def test_properties_are_correlated_with_accuracy() -> None:
    found = [row for row in predictors(ROWS, "data sets") if row["network"] == "all networks"]
    size = next(row for row in found if row["property"] == "relative_size")
    expected = np.corrcoef([0.95, 0.92, 0.85, 0.6], [0.95, 0.5, 0.91, -0.2])[0, 1]
    assert size["correlation"] == pytest.approx(expected)
    assert next(row for row in found if row["property"] == "connected")["correlation"] is None


def test_families_are_judged_by_themselves_and_together() -> None:
    rows = [row | {"family": name} for name in ("one", "two") for row in ROWS]
    found = [row for row in kept(rows, "data sets") if row["network"] == "all networks"]
    cases = {(row["family"], row["verdict"]): row["cases"] for row in found}
    assert cases["one", "good"] == cases["two", "good"] == 2
    assert cases["all families", "good"] == 4


def test_what_is_not_defined_is_marked_by_a_cross() -> None:
    rows = [
        {"graph": "net", "rows": n, "id": "x", "data_sets": 1, "mean": v, "low": v, "high": v}
        for n, v in ((100, 0.5), (200, None))
    ]
    chart = correlation_lines(rows, "correlation", Look(("x",)))
    crosses = chart["layer"][-1]
    assert crosses["mark"]["text"] == "×"
    values = chart["data"]["values"]
    assert [value.get("at") is not None for value in values] == [False, True]
    assert chart["encoding"]["y"]["scale"]["domain"][0] < -1
    plain = correlation_lines(rows[:1], "correlation", Look(("x",)))
    assert len(plain["layer"]) == 3


def test_classes_of_connected_pairs() -> None:
    words = ["fewer than 5", "5 to 9", "10 to 19", "20 or more"]
    assert [class_of(n) for n in (4.9, 5, 19.9, 20)] == [words[i] for i in (0, 1, 2, 3)]
    rows = [row | {"point": 200, "rows": 100} for row in ROWS]
    chart = accuracy_against_size(rows)
    values = chart["data"]["values"]
    assert len(values) == 4
    assert {value["class"] for value in values} == {"5 to 9"}
