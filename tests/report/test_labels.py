"""What tables call a setting, and what they say against a mean."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from dagathlon.evaluate.graphs.control import COMPLETE, EMPTY
from dagathlon.report.live.board import _Cell, _places
from dagathlon.report.page.tables import Tables, _best
from dagathlon.report.tables.runs import named, setting_name
from dagathlon.study.records.schema import Algorithm, Column, ModuleFacts, Settings


def _algorithm(identifier: str, **values: Any) -> Algorithm:
    facts = ModuleFacts(identifier, "algorithm", 1)
    columns = {key: Column(v if isinstance(v, list) else [v]) for key, v in values.items()}
    return Algorithm(identifier, facts, values, "id", Settings(1, columns, {}))


@pytest.mark.parametrize(
    ("identifier", "values", "label"),
    [
        ("hc", {}, "hc"),
        ("hc", {"score": "bge"}, "hc, bge"),
        ("hc-BGe", {"score": "bge"}, "hc-BGe"),
        ("mmhc", {"test": "mi", "score": "bic", "alpha": 0.05}, "mmhc, bic, mi"),
        ("pc", {"test": "zf", "alpha": [0.01, 0.05]}, "pc, zf, alpha = 0.01"),
        ("hc", {"score": ["bge", "bic-g"]}, "hc, score = bge"),
        ("hc", {"score": None}, "hc"),
    ],
)
def test_labels_tell_scores_and_tests(identifier: str, values: dict[str, Any], label: str) -> None:
    first = {key: v[0] if isinstance(v, list) else v for key, v in values.items()}
    assert setting_name(_algorithm(identifier, **values), first) == label


def test_no_bytes_were_not_measured() -> None:
    entries = {"hc": _algorithm("hc")}
    rows = named([{"id": "hc", "memory": 0}, {"id": "hc", "memory": 4096}], entries)
    assert [row["memory"] for row in rows] == [None, 4096]


def _tables(**values: float) -> Tables:
    baselines = {("g", "p", "d", seed): {"SHD_pattern": values} for seed in (1, 2)}
    results: Any = SimpleNamespace(baselines=baselines)
    return Tables(results, {})


def _row(mean: float, n: int, runs: int = 2) -> dict[str, Any]:
    about = {"adjmat": "g", "parameters": "p", "data": "d", "n_seeds": runs}
    return about | {
        "SHD_pattern_mean": mean,
        "SHD_pattern_n": n,
        "TPR_skel_mean": 1.0,
        "TPR_skel_n": n,
    }


def test_what_speaks_against_a_mean() -> None:
    tables = _tables(**{EMPTY: 70.0, COMPLETE: 900.0})
    assert tables.note(_row(69.9, 2), "SHD_pattern") is None
    assert tables.note(_row(70.0, 2), "SHD_pattern") is None
    assert tables.note(_row(72.5, 2), "SHD_pattern") == "▾ worse than the empty graph (70)"
    assert tables.note(_row(0.0, 1), "SHD_pattern") == (
        "(1\u00a0of\u00a02) mean over 1 of 2 runs: the others have no number"
    )
    assert tables.note(_row(0.0, 2), "TPR_skel") is None


def test_equal_numbers_share_a_place_and_unfair_ones_have_none() -> None:
    cells = {"a": (9.0, True), "b": (9.0, True), "c": (12.0, True), "d": (1.0, False)}
    column = {name: _Cell(value, "", fair) for name, (value, fair) in cells.items()}
    assert _places(column, "SHD_pattern", several=False) == {"a": "1=", "b": "1=", "c": "3"}
    assert _places(column, "F1_pattern", several=False) == {"a": "2=", "b": "2=", "c": "1"}
    # Ranks are better the lower, whatever the metric.
    assert _places(column, "F1_pattern", several=True) == {"a": "1=", "b": "1=", "c": "3"}


def test_the_best_setting_for_a_curve_is_not_the_one_that_failed_most() -> None:
    numbers = dict.fromkeys(("SHD_pattern_median", "SHD_pattern_q1", "SHD_pattern_q3"), 1.0)
    settings = [
        _row(mean, n) | numbers | {"id": "pc", "case": "d", "setting": name}
        for name, mean, n in (("easy", 1.0, 1), ("whole", 5.0, 2), ("worse", 6.0, 2))
    ]
    tables: Any = SimpleNamespace(settings=settings)
    assert _best(tables, "SHD_pattern")["pc", "d"]["setting"] == "whole"
