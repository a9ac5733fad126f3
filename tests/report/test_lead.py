"""The sentences and tables of a verdict, from tables with known answers."""

from __future__ import annotations

import html
import re
from types import SimpleNamespace
from typing import Any, cast

from dagathlon.evaluate.graphs.control import EMPTY, Baselines
from dagathlon.evaluate.ranking.ranks import direction
from dagathlon.evaluate.ranking.summary import count_failures
from dagathlon.evaluate.ranking.verdict import Interval, Verdict, verdict
from dagathlon.report.page.lead import lead_of, no_truth, shown_as, stated
from dagathlon.report.page.tables import Tables
from dagathlon.report.page.verdict import verdict_tables
from dagathlon.report.words import duration
from run_rows import run_rows

SHD, F1 = "SHD_pattern", "F1_pattern"


def _verdict(
    rows: list[dict[str, Any]], metric: str = SHD, baselines: Baselines | None = None
) -> Verdict:
    found = verdict(rows, metric, direction(metric), baselines)
    assert found is not None
    return found


def _lead(*verdicts: Verdict) -> str:
    return html.unescape(re.sub("<[^>]+>", "", lead_of(verdicts, verdicts[0].metric)))


def test_ties_are_counted_and_that_is_all() -> None:
    values = {f"a{i}, x = {j}": [9.0] for i in range(4) for j in range(3)} | {"last": [20.0]}
    said = _lead(_verdict(run_rows(values)))
    assert said.startswith("12 settings of 4 algorithms share the best structural Hamming distance")
    assert "next" not in said
    assert "closest" not in said
    few = _lead(_verdict(run_rows({"pc": [1.0], "hc": [1.0], "ges": [2.0]})))
    assert few.startswith("pc and hc share the best")
    every = _lead(_verdict(run_rows({f"pc, alpha = {i}": [1.0] for i in range(5)})))
    assert every.startswith("All 5 settings of pc share")


def test_metrics_that_disagree_are_named() -> None:
    first = _verdict(run_rows({"pc": [1.0, 2, 3], "hc": [2.0, 3, 4]}))
    second = _verdict(run_rows({"pc": [0.5, 0.5, 0.6], "hc": [0.7, 0.8, 0.8]}, metric=F1), F1)
    assert "pc came closest" in _lead(first, second)
    assert "Metrics disagree: by F1 (pattern) hc is first." in _lead(first, second)
    same = _verdict(run_rows({"pc": [0.9, 0.9, 0.9], "hc": [0.7, 0.8, 0.8]}, metric=F1), F1)
    assert "disagree" not in _lead(first, same)


def test_ranks_that_disagree_with_means_are_explained() -> None:
    # pc is a little worse five times and much better once.
    found = _verdict(run_rows({"pc": [2.0] * 5 + [0.0], "hc": [1.0] * 5 + [60.0]}))
    said = _lead(found)
    assert said.startswith("pc came closest")
    assert "By average rank over all 6 data sets, hc is first (1.17 against 1.83)" in said
    groups = found.contest.nemenyi()
    assert groups is not None
    assert groups.names[0] == "hc"


def test_several_kinds_of_data_are_told_one_by_one() -> None:
    rows = run_rows({"pc": [1.0, 1], "hc": [2.0, 2]}, "iid/n=10")
    rows += run_rows({"pc": [1.0, 1], "hc": [2.0, 2]}, "iid/n=20")
    rows += run_rows({"pc": [50.0, 50], "hc": [2.0, 2]}, "iid/n=30")
    said = _lead(_verdict(rows))
    assert "pc is best or among the best on 2 of 3 kinds of data and hc on 1" in said
    assert "over all 6 data sets, pc is first (1.33 among 2 algorithms)" in said
    assert "no test is made, since there are only 2 blocks of data (at least 5 are needed)" in said
    assert "±" not in said


def test_critical_differences_decide_over_several_kinds() -> None:
    rows = run_rows({"pc": [1.0] * 9, "hc": [2.0] * 9}, "iid/n=10")
    rows += run_rows({"pc": [1.0] * 9, "hc": [2.0] * 9}, "iid/n=20")
    said = _lead(_verdict(rows))
    assert "pc is best by structural Hamming distance (pattern) on both kinds of data" in said
    assert "further away than the critical difference of 0.65 on 9 blocks" in said


def test_what_the_empty_graph_does_better_is_not_praised() -> None:
    baselines = {("g", "p", "iid", seed): {SHD: {EMPTY: 70.0}} for seed in range(3)}
    said = _lead(_verdict(run_rows({"pc": [72.0, 73, 72.5], "hc": [80.0, 81, 82]}), SHD, baselines))
    assert said.startswith("No setting beats the empty graph (70). The best of them is pc:")
    assert "closest" not in said
    half = _lead(_verdict(run_rows({"pc": [7.0, 7, 8], "hc": [80.0, 81, 82]}), SHD, baselines))
    assert (
        "The best baseline is the empty graph: 70; 1 of 2 settings is worse than that (hc)" in half
    )


def test_who_has_no_number_everywhere_does_not_compete() -> None:
    said = _lead(_verdict(run_rows({"pc": [5.0, 5, 5], "hc": [1.0, None, 1], "ges": [6.0, 6, 6]})))
    assert said.startswith("pc came closest")
    assert "hc has no number on some or all data sets and does not compete there." in said


def test_names_cannot_become_elements() -> None:
    rows = run_rows({"<b>": [1.0], "<i>": [2.0]})
    assert "<b>" not in lead_of([_verdict(rows)], SHD)


def test_others_that_are_best_as_often_as_those_named_are_not_called_fewer() -> None:
    rows = []
    for winner in "abcd":
        values = {name: [1.0 if name == winner else 2.0] * 2 for name in "abcde"}
        rows += run_rows(values, data=f"iid/{winner}")
    said = _lead(_verdict(rows))
    assert "a is best or among the best on 1 of 4 kinds of data, b on 1 and c on 1; 1 other" in said
    assert "1 other on as many." in said


def test_one_learner_without_truth_agrees_with_nobody() -> None:
    assert "what <strong>pc</strong> found and how far to trust it" in no_truth(["pc"])
    assert "where they agree" in no_truth(["pc", "hc"])


def test_times_are_in_units_that_read_well() -> None:
    times = (0.00027941, 0.0081923, 0.9999, 2.1, 12345.6)
    assert [duration(t) for t in times] == ["279 µs", "8.19 ms", "1 s", "2.1 s", "12,346 s"]
    assert shown_as("time", Interval(0.00045, 0.00013)) == "450 ± 130 µs"
    assert shown_as("time", Interval(0.00045, None)) == "450 µs"
    assert shown_as(SHD, Interval(9.0, None)) == "9"


def test_means_are_not_rounded_further_than_in_tables() -> None:
    """5.5 ± 57 was "6 ± 57" in the lead, above a table with 5.5 for it and 6 for the next."""
    said = _lead(_verdict(run_rows({"hc": [1.0, 10.0], "pc": [2.0, 10.0]})))
    assert "structural Hamming distance (pattern) 5.5 ± 57, which" in said
    assert [stated(Interval(mean, 0.012)) for mean in (5.5, 17.4333)] == [
        "5.500 ± 0.012",
        "17.433 ± 0.012",
    ]
    assert stated(Interval(9.0, None)) == "9"
    assert shown_as("time", Interval(0.0005512, 0.013), stated) == "0.551 ± 13 ms"


def test_two_data_sets_are_both() -> None:
    rows = run_rows({"a": [1.0], "b": [2.0]}, "one") + run_rows({"a": [1.0], "b": [3.0]}, "two")
    assert "By average rank over both data sets, a is first" in _lead(_verdict(rows))
    by_block = verdict(rows, SHD, direction(SHD), unit="block")
    assert by_block is not None
    assert "By average rank over the only block of data (2 data sets), a" in _lead(by_block)


def test_a_skipped_run_has_not_failed() -> None:
    rows = [{"status": status} for status in ("ok", "skipped", "timeout", "error", "skipped")]
    assert count_failures(rows) == {"failed": 2, "skipped": 2}


def test_algorithms_that_have_no_data_in_common_are_judged_on_each_kind() -> None:
    """A method with a prior for each kind of graph is run on that kind alone."""
    few = run_rows({"a": [1, 2], "b": [3, 3]}, "few")
    rows = few + run_rows({"c": [4, 4], "d": [2, 2]}, "many")
    found = verdict(rows, "SHD_pattern", "less")
    assert found is not None
    data_sets = [{**row, "varsortability": 0.9, "r2_sortability": None} for row in few]
    tables = SimpleNamespace(
        runs=rows, results=SimpleNamespace(case_rows=data_sets, metric_note="")
    )
    written = verdict_tables(cast(Tables, tables), [found])
    assert 'data-label="sortability: variance, R²">0.90, –<' in written
    assert 'data-label="sortability: variance, R²">–<' in written
    assert "none is ranked over all of them" in written
    assert "average rank" not in written
    assert all(f">{best}<" in written for best in "ad")
