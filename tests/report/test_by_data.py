"""Curves against the data: one factor at a time, all else alike."""

from __future__ import annotations

from dagathlon.report.charts.cost import against_parameter, varied_parameters
from dagathlon.report.figures.palette import Look
from dagathlon.report.page.tables import _curves, _telling


def test_a_curve_follows_one_factor_among_data_alike_in_all_others() -> None:
    factors = {
        "graph": {"a": "my/asia", "b": "my/asia", "c": "my/alarm", "d": "my/alarm"},
        "data noise": {"a": "N", "b": "M10", "c": "N", "d": "M10"},
    }
    found = {(factor, group): values for factor, group, values in _curves(factors)}
    assert found["data noise", "asia"] == {"a": "N", "b": "M10"}
    assert found["data noise", "alarm"] == {"c": "N", "d": "M10"}
    assert found["graph", "noise = N"] == {"a": "my/asia", "c": "my/alarm"}
    assert len(found) == 4


def test_factors_that_vary_together_are_told_once() -> None:
    factors = {
        "graph": {"a": "asia", "b": "alarm"},
        "parameters": {"a": "asia.rds", "b": "alarm.rds"},
        "data n": {"a": 100, "b": 100},
    }
    assert list(_telling(factors)) == ["graph"]


def test_a_parameter_with_one_value_in_each_algorithm_is_not_varied() -> None:
    def row(identifier: str, parameter: str, value: object) -> dict[str, object]:
        about = {"id": identifier, "setting": identifier, "case": "x", "n_seeds": 3}
        numbers = {"SHD_median": 1.0, "SHD_q1": 0.0, "SHD_q3": 2.0}
        return about | numbers | {"curve_param": parameter, "curve_value": value}

    rows = [row("hc", "score", "bic"), row("boss", "score", "bdeu")]
    assert varied_parameters(rows) == {}
    rows += [row("pc", "alpha", 0.01), row("pc", "alpha", 0.05), row("gs", "alpha", 0.05)]
    assert varied_parameters(rows) == {"alpha": ["pc"]}
    chart = against_parameter(rows, "SHD", "alpha", Look.of(["hc", "boss", "pc", "gs"]))
    assert {one["id"] for one in chart["data"]["values"]} == {"pc"}
