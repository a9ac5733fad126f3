"""Verdicts: means over seeds and data settings, paired gaps, failures that do not pay."""

from __future__ import annotations

from typing import Any

import pytest

from dagathlon.evaluate.agreement import edge_agreement, skeleton_overlap
from dagathlon.evaluate.summary import SUMMARISED, roc_summary, setting_summary
from dagathlon.evaluate.verdict import interval, verdict
from dagathlon.graphs import Graph


def _rows(values: dict[str, list[float | None]], data: str = "d") -> list[dict[str, Any]]:
    return [
        {
            "id": name.split(",")[0],
            "setting": name,
            "adjmat": "g",
            "parameters": "p",
            "data": data,
            "seed": seed,
            "status": "F1" if value is None else "ok",
            "SHD": value,
        }
        for name, found in values.items()
        for seed, value in enumerate(found)
    ]


def test_interval_is_students_by_hand() -> None:
    found = interval({(("d",), seed): value for seed, value in enumerate((1.0, 2.0, 3.0))})
    assert found.mean == 2
    assert found.half_width == pytest.approx(4.302653 * (1 / 3) ** 0.5, rel=1e-6)


def test_data_settings_count_alike_whatever_their_seeds() -> None:
    values = {(("a",), s): v for s, v in enumerate((0.0, 0.0, 0.0, 0.0))}
    values |= {(("b",), s): v for s, v in enumerate((4.0, 4.0))}
    assert interval(values) == (2.0, 0.0)


def test_the_runner_up_is_another_algorithm() -> None:
    rows = _rows({"pc, 1": [1.0, 2, 3], "pc, 2": [1.5, 2.5, 3.5], "ges, 1": [2.0, 3, 4]})
    found = verdict(rows, "SHD", "less")
    assert found is not None
    assert found.second is not None
    assert (found.best.setting, found.second.setting) == ("pc, 1", "ges, 1")
    assert found.gap == (1.0, 0.0)
    assert found.clear is True
    more = verdict(rows, "SHD", "more")
    assert more is not None
    assert more.best.setting == "ges, 1"


def test_a_difference_within_the_noise_is_not_clear() -> None:
    found = verdict(_rows({"pc": [1.0, 5, 3], "ges": [5.0, 1, 3.3]}), "SHD", "less")
    assert found is not None
    assert found.clear is False


def test_one_seed_cannot_tell() -> None:
    found = verdict(_rows({"pc": [1.0], "ges": [2.0]}), "SHD", "less")
    assert found is not None
    assert found.clear is None
    assert found.best.result.half_width is None


def test_failing_on_hard_data_sets_does_not_pay() -> None:
    found = verdict(_rows({"quitter": [0.0, None, None], "pc": [4.0, 5, 6]}), "SHD", "less")
    assert found is not None
    assert found.best.setting == "pc"


def test_there_is_no_verdict_without_numbers() -> None:
    assert verdict(_rows({"pc": [None, None]}), "SHD", "less") is None


def test_summary_counts_failures_and_keeps_settings_apart() -> None:
    rows = _rows({"pc, 1": [1.0, 3.0, None], "pc, 2": [2.0, 2.0, 2.0]})
    first, second = setting_summary(rows, ["SHD", "SID"])
    assert (first["n_seeds"], first["failed"]) == (3, 1)
    assert first["SHD_mean"] == first["SHD_median"] == 2.0
    assert first["SHD_q1"] == pytest.approx(1.1)
    assert first["SID_mean"] is None
    assert second["failed"] == 0


def test_support_of_an_edge_counts_algorithms_not_graphs() -> None:
    graphs = {
        "many": [Graph.from_edges(["a -> b"], "abc")] * 3 + [Graph("abc")],
        "one": [Graph.from_edges(["b -> a", "b - c"], "cba")],
    }
    first, second = edge_agreement(graphs)
    assert (first.left, first.right) == ("a", "b")
    assert first.support == pytest.approx((0.75 + 1) / 2)
    assert (first.forward, first.backward) == (pytest.approx(0.375), pytest.approx(0.5))
    assert second.by == {"many": 0.0, "one": 1.0}


def test_overlap_of_skeletons_is_symmetric_and_one_with_itself() -> None:
    graphs = {
        "x": [Graph.from_edges(["a -> b", "b -> c"])],
        "y": [Graph.from_edges(["b - a"], "abc")],
    }
    found = {(row["left"], row["right"]): row["overlap"] for row in skeleton_overlap(graphs)}
    assert found == {("x", "x"): 1.0, ("x", "y"): 0.5, ("y", "x"): 0.5, ("y", "y"): 1.0}


def test_an_algorithm_without_parameters_keeps_its_id_in_the_summary() -> None:
    row = {
        "id": "plain",
        "adjmat": "g",
        "parameters": "p",
        "data": "d",
        "seed": 1,
        "SHD_pattern": 1,
    }
    row |= {"curve_param": "id", "curve_value": None, "TP_skel": 1, "true_n_edges_skel": 2}
    row |= dict.fromkeys(SUMMARISED, 0.5) | {"time": 1.0}
    (found,) = roc_summary([row])
    assert found["id"] == "plain"
    assert found["curve_vals"] is None
