"""Verdicts: means over seeds and data settings, paired gaps, failures that do not pay."""

from __future__ import annotations

from typing import Any

import pytest

from dagathlon.evaluate.graphs.control import COMPLETE, EMPTY, RANDOM
from dagathlon.evaluate.ranking.summary import SUMMARISED, roc_summary, setting_summary
from dagathlon.evaluate.ranking.verdict import KindVerdict, interval, verdict
from dagathlon.evaluations.no_truth.consensus import edge_agreement, skeleton_overlap
from dagathlon.graphs import Graph
from run_rows import run_rows


def _rows(values: dict[str, list[float | None]], data: str = "d") -> list[dict[str, Any]]:
    return run_rows(values, data, "SHD")


def _kind(rows: list[dict[str, Any]], better: Any = "less", **more: Any) -> KindVerdict:
    """The verdict on the only kind of data."""
    found = verdict(rows, "SHD", better, **more)
    assert found is not None
    (kind,) = found.kinds
    return kind


def _best(kind: KindVerdict) -> list[str]:
    return [one.setting for one in kind.best]


def test_interval_is_students_by_hand() -> None:
    found = interval(dict(enumerate((1.0, 2.0, 3.0))))
    assert found.mean == 2
    assert found.half_width == pytest.approx(4.302653 * (1 / 3) ** 0.5, rel=1e-6)


def test_the_runner_up_is_another_algorithm() -> None:
    rows = _rows({"pc, 1": [1.0, 2, 3], "pc, 2": [1.5, 2.5, 3.5], "ges, 1": [2.0, 3, 4]})
    found = _kind(rows)
    assert found.second is not None
    assert (_best(found), found.second.setting) == (["pc, 1"], "ges, 1")
    assert found.gap == (1.0, 0.0)
    assert _best(_kind(rows, "more")) == ["ges, 1"]


@pytest.mark.parametrize(("n", "clear"), [(2, False), (3, False), (5, False), (6, True)])
def test_gaps_that_are_all_the_same_need_six_data_sets(n: int, clear: bool) -> None:
    """Their spread is 0, whatever chance there is in whole numbers: 2 ** (1 - n) is below .05."""
    found = _kind(_rows({"pc": [0.1 + i for i in range(n)], "ges": [2.1 + i for i in range(n)]}))
    assert found.gap is not None
    assert found.gap.mean == pytest.approx(2)
    assert found.clear is clear


def test_gaps_that_vary_little_are_clear() -> None:
    assert _kind(_rows({"pc": [1.0, 2, 3], "ges": [3.0, 4.1, 5]})).clear is True


def test_a_difference_within_the_noise_is_not_clear() -> None:
    assert _kind(_rows({"pc": [1.0, 5, 3], "ges": [5.0, 1, 3.3]})).clear is False


def test_one_seed_cannot_tell() -> None:
    found = _kind(_rows({"pc": [1.0], "ges": [2.0]}))
    assert found.clear is None
    assert found.best[0].result.half_width is None


def test_nobody_is_crowned_among_equals() -> None:
    # Means of 0.3 in another order of addition are the same mean.
    rows = _rows({"pc, 1": [0.1, 0.2, 0.6], "pc, 2": [0.6, 0.1, 0.2], "ges": [0.2, 0.6, 0.1]})
    found = _kind(rows + _rows({"hc": [5.0, 5, 5]}))
    assert _best(found) == ["pc, 1", "pc, 2", "ges"]
    assert found.first == {"pc", "ges"}
    assert (found.second, found.gap, found.clear) == (None, None, None)
    one = _kind(_rows({"pc, 1": [1.0], "pc, 2": [1.0], "hc": [5.0]}))
    assert one.second is not None
    assert one.second.setting == "hc"


def test_failing_on_hard_data_sets_does_not_pay() -> None:
    values = {"quitter": [0.0, None, None], "pc": [4.0, 5, 6], "never": [None, None, None]}
    found = _kind(_rows(values))
    assert _best(found) == ["pc"]
    assert found.incomplete == (("quitter", 1, 3), ("never", 0, 3))


def test_means_are_of_the_data_sets_that_all_have() -> None:
    found = _kind(_rows({"pc": [None, 2.0, 3.0], "ges": [9.0, 1.0, None]}))
    assert (found.n, found.means) == (1, {"pc": 2.0, "ges": 1.0})
    apart = verdict(_rows({"pc": [None, 2.0], "ges": [9.0, None]}), "SHD", "less")
    assert apart is not None
    assert apart.kinds == ()


def test_there_is_no_verdict_without_numbers() -> None:
    assert verdict(_rows({"pc": [None, None]}), "SHD", "less") is None


def test_unlike_data_are_ranked_and_not_averaged() -> None:
    # By the mean of both kinds pc would win (21 against 24.2), on account of the larger graph.
    rows = _rows({"pc": [8.0] * 5, "ges": [2.0] * 5}, "small/n=10")
    rows += _rows({"pc": [30.0] * 4 + [50], "ges": [48.0] * 4 + [40]}, "large/n=20")
    found = verdict(rows, "SHD", "less")
    assert found is not None
    assert [_best(kind) for kind in found.kinds] == [["ges"], ["pc"]]
    # The kinds are of the same graph: five seeds, five blocks. Four are undecided, ges has one.
    assert (found.contest.n_cases, found.contest.n_blocks) == (10, 5)
    assert [one.id for one in found.places] == ["ges", "pc"]
    assert [one.average for one in found.places] == pytest.approx([1.4, 1.6])
    assert found.first == {"ges"}
    groups = found.contest.nemenyi()
    assert groups is not None
    assert groups.names == ("ges", "pc")
    assert groups.averages == pytest.approx((1.4, 1.6))


def test_equal_ranks_share_the_first_place() -> None:
    rows = _rows({"pc": [1.0, 1], "ges": [2.0, 2]}, "a") + _rows(
        {"pc": [9.0, 9], "ges": [2.0, 2]}, "b"
    )
    found = verdict(rows, "SHD", "less")
    assert found is not None
    assert found.first == {"pc", "ges"}
    assert found.contest.nemenyi() is None


def test_the_best_baseline_is_the_yardstick() -> None:
    # ecoli70 with 200 rows: a praised 72.5 is worse than the empty graph's 70.
    rows = _rows({"pc": [72.0, 73.0], "ges": [80.0, 81.0], "hc": [60.0, 60.0]})
    values = {EMPTY: 70.0, RANDOM: 130.0, COMPLETE: 1000.0}
    baselines = {("g", "p", "d", seed): {"SHD": values} for seed in (0, 1)}
    found = _kind(rows, baselines=baselines)
    assert found.baseline == (EMPTY, 70.0)
    assert found.below == ("pc", "ges")
    more = _kind(rows, "more", baselines=baselines)
    assert more.baseline == (COMPLETE, 1000.0)
    assert set(more.below) == {"pc", "ges", "hc"}


def test_distances_are_shares_of_the_baseline() -> None:
    rows = _rows({"pc": [4.0], "ges": [8.0]}, "small") + _rows(
        {"pc": [30.0], "ges": [10.0]}, "large"
    )
    baselines = {
        ("g", "p", "small", 0): {"SHD": {EMPTY: 8.0}},
        ("g", "p", "large", 0): {"SHD": {EMPTY: 40.0}},
    }
    found = verdict(rows, "SHD", "less", baselines)
    assert found is not None
    assert found.relative("pc") == pytest.approx((4 / 8 + 30 / 40) / 2)
    assert found.relative("ges") == pytest.approx((8 / 8 + 10 / 40) / 2)
    assert found.relative("nobody") is None


def test_summary_counts_failures_and_keeps_settings_apart() -> None:
    rows = _rows({"pc, 1": [1.0, 3.0, None], "pc, 2": [2.0, 2.0, 2.0]})
    first, second = setting_summary(rows, ["SHD", "SID"])
    assert (first["n_seeds"], first["failed"], first["SHD_n"]) == (3, 1, 2)
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
