"""The tables of the noise study from the numbers that its paper printed, beside its other tables.

Inputs are printed rounded, so that results agree within what that rounding leaves open; each test
says how much that is. What the paper's own tables do not agree on is listed in CONTRADICTIONS.
"""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from dagathlon.evaluations.noise.grid import FAILURES
from dagathlon.evaluations.noise.ranks import Span, over_codes
from dagathlon.evaluations.noise.resampling import Resampling
from dagathlon.evaluations.noise.strengths import Groups, combined_ranks, mean_share, scaled
from dagathlon.evaluations.noise.tables import NoiseRun, NoiseStudyTables

NODES = {"asia": 8, "sports": 9, "property": 27, "alarm": 37, "formed": 88, "pathfinder": 109}
METRICS = ("f1", "shd", "bsf")
CONTRADICTIONS = {
    # Table 12 prints 74 % resilience: the scores of D1, D3 and E5 make it the least resilient.
    ("resilience", "rfci-bsc"),
    # Table 12 prints 0 % with big data: Table 11 has six results of 10,000 rows for it.
    ("big data", "rfci-bsc"),
}


@cache
def printed() -> dict[str, Any]:
    """What tools/noise_2021/paper.json has, and the further tables."""
    here = Path(__file__)
    found = json.loads((here.parents[2] / "tools" / "noise_2021" / "paper.json").read_text("utf-8"))
    return found | {"more": json.loads(here.with_name("noise_2021_tables.json").read_text("utf-8"))}


@cache
def tables() -> NoiseStudyTables:
    """Of the scores without noise (three digits) and with cMISL (as printed)."""
    runs = []
    for network, by_name in printed()["more"]["scores"].items():
        for name, values in by_name.items():
            for k, n in enumerate(printed()["sizes"]):
                noisy = [
                    printed()["scores"]["cMISL"][metric][network][name][k] for metric in METRICS
                ]
                for code, scores in (("N", values[k]), ("cMISL", noisy)):
                    runs.append(_run(network, code, n, name, scores))
    return NoiseStudyTables.of(runs, 21600.0, resamples=20)


def _run(network: str, code: str, n: int, name: str, scores: Any) -> NoiseRun:
    if "F" in scores:
        return NoiseRun(network, code, n, 1, name, failure="error", n_nodes=NODES[network])
    return NoiseRun(network, code, n, 1, name, *scores, n_nodes=NODES[network])


def test_scores_agree_with_what_is_printed() -> None:
    """Bayesys gives three digits, and the paper rounds again: .0055 from its two."""
    for network, by_name in printed()["more"]["scores"].items():
        for name, values in by_name.items():
            for k, scores in enumerate(values):
                cells = [printed()["scores"]["N"][m][network][name][k] for m in METRICS]
                if scores == "F":
                    assert cells == ["F"] * 3
                else:
                    near = np.abs(np.subtract(scores, cells))
                    assert (near <= [0.00551, 0.5, 0.00551]).all(), (network, name, k)


def test_average_and_overall_ranks_of_table_8() -> None:
    """All 45 of both; deviations need the ranks of each data set, of which some stay open."""
    exact = 0
    for row in tables().ranks():
        metric, name = row["metric"], row["algorithm"]
        average, overall = printed()["ranks"]["clean"][metric][name]
        assert row["average"] == pytest.approx(average, abs=0.00501)
        assert row["overall"] == overall
        off = abs(row["deviation"] - printed()["more"]["deviations"][metric][name])
        assert off < 0.035
        exact += off <= 0.00501
    assert exact >= 41


def test_ranks_with_noise_of_table_e3() -> None:
    """SHD is printed exactly. Rounded F1 and BSF tie, and ties can only make ranks better."""
    for row in tables().ranks_by_code():
        average = printed()["more"]["by_code"][row["metric"]][row["algorithm"]][-1]
        overall = printed()["more"]["overall"][row["metric"]][row["algorithm"]]
        if row["metric"] == "shd":
            assert row["average"] == pytest.approx(average, abs=0.0501)
            assert row["overall"] == overall
        else:
            assert -0.0501 <= average - row["average"] <= 0.45


def test_table_9_is_the_mean_of_tables_e1_to_e3() -> None:
    """These have one digit; a mean over data sets would be off by up to .16."""
    for metric, by_name in printed()["more"]["by_code"].items():
        for name, averages in by_name.items():
            codes = [np.array([np.nan if one is None else one]) for one in averages]
            average, _ = printed()["ranks"]["noisy"][metric][name]
            assert over_codes(codes)[0] == pytest.approx(average, abs=0.03)


def test_worst_and_best_of_table_d6() -> None:
    for row in tables().extremes("N"):
        ends = printed()["more"]["ends"][row["metric"]][row["network"]]
        k = printed()["sizes"].index(row["n"])
        digit = 0.001 if row["metric"] == "shd" else 0.00501
        assert row["worst"] == pytest.approx(ends[0][k], abs=digit)
        assert row["best"] == pytest.approx(ends[1][k], abs=digit)


@pytest.mark.slow
def test_relative_performance_of_table_d7() -> None:
    """Percentages are whole ones; SHD is exact.

    F1 and BSF are known to .0055 where printed digits leave room, and so is the distance of the
    ends that they are relative to.
    """
    ends = {(row["metric"], row["network"], row["n"]): row for row in tables().extremes("N")}
    rows = tables().relative("N")
    assert len(rows) == 3 * (14 * 30 + 5)
    for row in rows:
        metric, network = row["metric"], row["network"]
        cells = printed()["more"]["clean"][metric][network][row["algorithm"]]
        cell = cells[printed()["sizes"].index(row["n"])]
        assert (row["share"] is None) == (cell == "F")
        if cell != "F":
            span = ends[metric, network, row["n"]]
            open_ = 0.0 if metric == "shd" else 1.1 / abs(span["best"] - span["worst"])
            assert 100 * row["share"] == pytest.approx(cell, abs=0.501 + open_)


def test_changes_of_table_e4_and_figure_7() -> None:
    """SHD is exact; the others are means of 15 printed scores."""
    for row in tables().relative_change():
        cells = printed()["change"]["cMISL"][row["metric"]][row["network"]]
        cell = cells[printed()["sizes"].index(row["n"])]
        slack = 0.55 if row["metric"] == "shd" else 1.5
        assert 100 * row["change"] == pytest.approx(cell, abs=slack)
    found = {row["metric"]: row["change"] for row in tables().loss_by_code()}
    assert found["f1"] == pytest.approx(-0.30, abs=0.005)
    assert found["bsf"] == pytest.approx(-0.37, abs=0.005)


def column(name: str) -> dict[str, float]:
    """Of Table 12, in per cent."""
    place = printed()["strength_categories"].index(name)
    return {algorithm: values[place] for algorithm, values in printed()["strengths"].items()}


def test_ranking_of_table_12() -> None:
    names = list(printed()["strengths"])
    parts = []
    for metric in METRICS:
        clean, noisy = (
            np.array([[printed()["ranks"][which][metric][name][0] for name in names]])
            for which in ("clean", "noisy")
        )
        parts.append(combined_ranks(clean, noisy, 15))
    found = scaled(-np.mean(parts, axis=0))[0]
    assert found * 100 == pytest.approx([column("ranking")[name] for name in names], abs=0.6)


def _spans() -> list[Span]:
    """Table 11, whose percentages are their own shares; less SHD is better."""
    names = list(printed()["strengths"])
    result = []
    for metric, by_network in printed()["more"]["all"].items():
        for network, by_name in by_network.items():
            for k, n in enumerate(printed()["sizes"]):
                cells = [by_name.get(name, ["F"] * 5)[k] for name in names]
                shares = np.array([[np.nan if cell == "F" else float(cell) for cell in cells]])
                values = 100 - shares if metric == "shd" else shares
                result.append(Span(network, n, metric, [0], values, 1))
    return result


@pytest.mark.parametrize(
    ("name", "category", "off"),
    [
        ("small networks", "small_networks", 0.7),
        ("large networks", "large_networks", 0.7),
        ("limited data", "limited_data", 0.7),
        # No choice of sizes gives what is printed here; this is the one that the paper describes.
        ("big data", "big_data", 6.5),
    ],
)
def test_columns_of_table_12_by_network_and_size(name: str, category: str, off: float) -> None:
    names = list(printed()["strengths"])
    belongs = Groups().chosen(tables().grid)[category]
    some = [span for span in _spans() if belongs(span.network, span.n)]
    once = Resampling(*np.zeros((2, 1), dtype=np.intp), np.ones((1, 1)))
    values = mean_share(some, len(names), once)
    values[0, [(name, one) in CONTRADICTIONS for one in names]] = np.nan
    for one, share in zip(names, scaled(values)[0], strict=True):
        if not np.isnan(share):
            assert 100 * share == pytest.approx(column(name)[one], abs=off), one
        elif (name, one) not in CONTRADICTIONS:
            assert one == "notears"
            assert column(name)[one] == 0


def test_resilience_of_table_12() -> None:
    """Within what RFCI-BSC, which is the least here and not there, moves the others: 5 points."""
    found = {row["algorithm"]: row["resilience"] for row in tables().strengths()}
    for name, value in column("resilience").items():
        if ("resilience", name) not in CONTRADICTIONS:
            assert 100 * found[name] == pytest.approx(value, abs=5.5), name


@pytest.mark.slow
def test_failures_and_reliability_of_table_12() -> None:
    """From Tables C1 and C2, with twenty runs of each code."""
    runs = []
    for name, by_code in printed()["failures"].items():
        for code, counts in by_code.items():
            kinds = [kind for kind, n in zip(FAILURES, counts, strict=True) for _ in range(n)]
            for n in range(20):
                failure = kinds[n] if n < len(kinds) else None
                runs.append(NoiseRun("asia", code, n, 1, name, 1.0, 0.0, 1.0, failure=failure))
    found = NoiseStudyTables.of(runs, 1.0, resamples=2)
    for row in found.failures():
        counts = printed()["failures"][row["algorithm"]][row["code"]]
        assert [*(row[kind] for kind in FAILURES), row["runs"]] == [*counts, 20]
    for row in found.strengths():
        value = column("reliability")[row["algorithm"]]
        assert 100 * row["reliability"] == pytest.approx(value, abs=0.51)
