"""Rules of the noise study's tables, on runs small enough to do by hand."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from noise_2021.conclusions import conclusions, rank_correlation_rows

from dagathlon.errors import DagathlonError
from dagathlon.evaluations.noise.tables import NoiseRun, NoiseStudyTables


def run(algorithm: str, f1: float | None, code: str = "N", **facts: Any) -> NoiseRun:
    """A run with F1 = BSF = 1 - SHD / 10, failed where F1 is None."""
    known = {"network": "asia", "n": 100, "seed": 1} | facts
    if f1 is None:
        return NoiseRun(code=code, algorithm=algorithm, **{"failure": "timeout"} | known)
    return NoiseRun(code=code, algorithm=algorithm, f1=f1, shd=10 - 10 * f1, bsf=f1, **known)


def tables(*runs: NoiseRun, limit: float = 10.0, **how: Any) -> NoiseStudyTables:
    return NoiseStudyTables.of(runs, limit, resamples=150, **how)


def by(rows: list[dict[str, Any]], *names: str) -> dict[Any, dict[str, Any]]:
    return {tuple(row[name] for name in names): row for row in rows}


def test_failures_share_the_worst_rank() -> None:
    """If five of 15 fail, all five have rank 11."""
    runs = [run(f"a{i}", None if i >= 10 else i / 10) for i in range(15)]
    found = by(tables(*runs).ranks(), "metric", "algorithm")
    for metric in ("f1", "shd", "bsf"):
        assert [found[metric, f"a{i}"]["average"] for i in range(10, 15)] == [11] * 5
        assert found[metric, "a9"]["overall"] == 1


def test_ties_share_the_better_rank_and_absentees_have_none() -> None:
    runs = [run("a", 0.5), run("b", 0.5), run("c", 0.2)]
    runs += [run(name, 0.1, network="sports") for name in "abcd"]
    found = by(tables(*runs).ranks(), "metric", "algorithm")
    assert [found["f1", name]["average"] for name in "abcd"] == [1, 1, 2, 1]
    assert [found["f1", name]["overall"] for name in "abcd"] == [1, 1, 4, 1]
    assert [found["f1", name]["n"] for name in "abcd"] == [2, 2, 2, 1]
    assert found["f1", "c"]["deviation"] == 1  # of 3 and 1, as a population


def test_equal_fractions_tie_in_spite_of_rounding() -> None:
    found = tables(run("a", 0.1 + 0.2), run("b", 0.3)).ranks()
    assert {row["average"] for row in found} == {1.0}


def test_empty_graphs_score_nothing() -> None:
    """As WINASOBS on Sports with 100 rows: F1 and precision 0, not missing."""
    empty = NoiseRun("asia", "N", 100, 1, "a", None, 8.0, 0.0, None, 0.0, 0)
    row = by(tables(empty, run("b", 0.5)).scores(), "algorithm")["a",]
    assert (row["f1"], row["precision"], row["failures"]) == (0.0, 0.0, 0)


def test_changes_are_positive_where_noise_helps() -> None:
    clean = [run("a", 0.9), run("b", 0.5)]
    noisy = [run("a", 0.3, "M5"), run("b", 0.4, "M5")]
    found = by(tables(*clean, *noisy).ranks(noisy=True), "metric", "algorithm")
    assert found["f1", "b"]["change"] == found["f1", "b"]["overall_change"] == 1
    assert found["shd", "a"]["change"] == -1


def test_every_code_counts_the_same() -> None:
    """Two networks with M5 and one with S5: the average is of 1.5 and 1, not of 1, 2 and 1."""
    runs = [run("a", 0.9, "M5"), run("b", 0.5, "M5"), run("a", 0.9, "S5"), run("b", 0.5, "S5")]
    runs += [run("a", 0.1, "M5", network="alarm"), run("b", 0.5, "M5", network="alarm")]
    found = by(tables(*runs).ranks(noisy=True), "metric", "algorithm")
    assert found["f1", "a"]["average"] == 1.25
    assert found["f1", "a"]["change"] is None  # nothing without noise


def test_relative_performance_leaves_out_who_failed() -> None:
    runs = [run("a", 0.2), run("b", 0.6), run("c", 1.0), run("d", 0.4)]
    runs += [run("a", 0.0, "M5"), run("b", 0.4, "M5"), run("c", None, "M5"), run("d", 0.4, "M5")]
    study = tables(*runs)
    shares = {row["algorithm"]: row["share"] for row in study.relative() if row["metric"] == "shd"}
    assert shares == {"a": 0.0, "b": 1.0, "c": None, "d": pytest.approx(0.75)}
    row = by(study.extremes(), "metric")["f1",]
    assert (row["worst"], row["best"], row["worst_by"], row["best_by"]) == (0.1, 0.5, "a", "b")
    clean = {row["algorithm"]: row["share"] for row in study.relative("N") if row["metric"] == "f1"}
    assert clean["c"] == 1.0


def test_changes_over_all_and_over_those_who_finished_both() -> None:
    runs = [run("a", 0.4), run("b", 0.8), run("a", 0.2, "I5"), run("b", None, "I5")]
    row = by(tables(*runs).relative_change(), "metric")["f1",]
    assert row["change"] == pytest.approx(0.2 / 0.6 - 1)
    assert row["paired"] == pytest.approx(-0.5)
    assert by(tables(*runs).loss_by_code(), "metric")["shd",]["paired"] == pytest.approx(-2 / 6)


def test_results_without_noise_stand_in() -> None:
    """For a failure, and for an experiment that a network does not have."""
    runs = [run("a", 0.4, n_edges=4), run("a", 0.6, n=1000, n_edges=6)]
    runs += [run("a", 0.8, network="alarm", n_edges=8), run("a", None, network="alarm", n=1000)]
    runs += [run("a", 0.2, "S5", n_edges=5), run("a", None, "S5", n=1000)]
    runs += [run("a", 0.9, "S5", network="alarm", n=1000, n_edges=9)]
    study = tables(*runs)
    row = by(study.kept_by_code(), "code")["S5",]
    assert row["score"] == pytest.approx((0.2 + 0.6 + 0.8) / 3)
    assert row["score_kept"] == pytest.approx(1.6 / 1.8)
    assert (row["n"], row["imputed"], row["edges"]) == (3, 2, pytest.approx(19 / 3))
    kept = by(study.accuracy_kept(), "network", "code")["asia", "S5"]
    assert (kept["kept"], kept["n"], kept["failures"]) == (pytest.approx(0.5), 1, 1)


def test_failures_are_charged_the_limit() -> None:
    runs = [run("a", 0.5, time=1.0), run("b", 0.5, time=2.0)]
    runs += [run("a", None, "L5"), run("b", 0.5, "L5", time=1.0)]
    study = tables(*runs, limit=7.0)
    assert [row["total"] for row in study.run_times()] == [1.0, 2.0]
    noisy = by(study.run_times(noisy=True), "algorithm")
    assert (noisy["a",]["total"], noisy["a",]["failures"]) == (7.0, 1)
    row = study.time_by_code()[0]
    assert row["ratio"] == pytest.approx(8 / 3)
    assert row["typical"] == pytest.approx(0.5)  # b alone finished in both


def test_edges_and_ranks_by_rows_per_parameter() -> None:
    facts = {"n_edges": 6, "true_edges": 8, "n_parameters": 20}
    runs = [run("a", 0.5, **facts, n=n) for n in (1000, 100)]
    runs.append(run("a", 0.5, **facts | {"n_parameters": 400}, network="alarm"))
    rows = tables(*runs).edges_by_density()
    assert [row["rows_per_parameter"] for row in rows] == [0.25, 5.0, 50.0]
    assert {row["ratio"] for row in rows} == {0.75}
    assert [row["n"] for row in tables(*runs).ranks_by_density()] == [100, 100, 1000]


def seeds(**values: list[float]) -> list[NoiseRun]:
    return [run(name, f1, seed=k) for name, list_ in values.items() for k, f1 in enumerate(list_)]


def test_intervals_are_over_seeds_and_the_same_each_time() -> None:
    runs = seeds(a=[0.9, 0.2], b=[0.1, 0.4])
    first, second = tables(*runs).ranks(), tables(*runs).ranks()
    assert first == second
    row = by(first, "metric", "algorithm")["f1", "a"]
    assert row["average"] == 1.5
    assert (row["average_low"], row["average_high"]) == (1.0, 2.0)
    single = by(tables(*seeds(a=[0.9], b=[0.1])).ranks(), "metric", "algorithm")["f1", "a"]
    assert single["average_low"] is None


def test_intervals_over_seeds_of_the_same_networks() -> None:
    """Where seeds agree, networks may still differ."""
    runs = seeds(a=[0.9, 0.9], b=[0.1, 0.1])
    runs += [replace(one, network="alarm", f1=1 - (one.f1 or 0)) for one in runs]
    ends = {}
    for over in ("networks", "seeds"):
        row = by(tables(*runs, over=over).ranks(), "metric", "algorithm")["f1", "a"]
        ends[over] = (row["average"], row["average_low"], row["average_high"])
    assert ends == {"networks": (1.5, 1.0, 2.0), "seeds": (1.5, 1.5, 1.5)}
    alone = [one for one in runs if one.seed == 0]
    assert tables(*alone, over="seeds").ranks()[0]["average_low"] is None


def test_networks_are_drawn_before_their_seeds() -> None:
    """Four networks of ten seeds: the variance of a mean of four networks, each with its seeds."""
    means, steps = np.array([0.2, 0.4, 0.6, 0.8]), np.linspace(-0.09, 0.09, 10)
    runs = [
        run("a", mean + step, network=f"net{k}", seed=seed)
        for k, mean in enumerate(means)
        for seed, step in enumerate(steps)
    ]
    found = {}
    for over in ("networks", "seeds"):
        study = NoiseStudyTables.of(runs, 10.0, resamples=4000, over=over)
        found[over] = float(study.drawn.means(study.grid.values["f1"])[1:].var())
    within = steps.var() / 10
    assert found["networks"] == pytest.approx((means.var() + within) / 4, rel=0.1)
    assert found["seeds"] == pytest.approx(within / 4, rel=0.1)


def test_intervals_are_over_seeds_where_every_network_has_several() -> None:
    runs = seeds(a=[0.9, 0.8])
    assert tables(*runs).over == "seeds"
    assert tables(*runs, over="networks").over == "networks"
    assert tables(*runs, run("a", 0.5, network="alarm")).over == "networks"


def test_a_loss_of_what_was_negative_is_a_loss() -> None:
    runs = [replace(run("a", 0.1), bsf=-0.1), replace(run("a", 0.1, "I10"), bsf=-0.4)]
    row = by(tables(*runs).loss_by_code(), "metric")["bsf",]
    assert (row["change"], row["paired"]) == pytest.approx((-3.0, -3.0))


def test_strengths_that_nothing_says() -> None:
    """One network and size has no variance; failures with all noise no resilience."""
    runs = [run(name, f1, n=n) for n in (100, 1000) for name, f1 in (("a", 0.5), ("b", n / 2000))]
    runs += [run("c", 0.1), run("c", None, n=1000)]
    runs += [run("a", 0.3, "cMISL"), run("b", 0.02, "cMISL"), run("c", None, "cMISL")]
    found = by(tables(*runs).strengths(), "algorithm")
    assert [found[name,]["variance"] is None for name in "abc"] == [False, False, True]
    assert [found[name,]["resilience"] is None for name in "abc"] == [False, False, True]


def test_a_small_network_alone_makes_nobody_quick() -> None:
    """On Sports c takes 4 s where the others take 1 and 3; d takes 1 s. Alarm takes 9 and 27."""
    seconds = {"a": (1, 9), "b": (3, 27), "c": (4,), "d": (1,)}
    runs = [
        run(name, 0.5, network=network, time=float(time))
        for name, times in seconds.items()
        for network, time in zip(("sports", "alarm"), times, strict=False)
    ]
    found = by(tables(*runs).strengths(), "algorithm")
    # Means of 5 and 15 s; those of c and d are 4 and 1 s times 10 / 2: as slow as 20 and 5 s.
    speeds = [found[name,]["time"] for name in "abcd"]
    assert speeds == pytest.approx([1.0, 1 / 3, 0.0, 1.0])


def test_strengths_by_groups() -> None:
    runs = [
        run(name, f1, network=network, n=n, n_nodes=nodes)
        for network, nodes in (("asia", 8), ("alarm", 37))
        for n in (100, 1000, 10000)
        for name, f1 in (("a", 0.9 if nodes == 8 else 0.1), ("b", 0.5))
    ]
    found = by(tables(*runs).strengths(), "algorithm")
    assert (found["a",]["small_networks"], found["b",]["small_networks"]) == (1.0, 0.0)
    assert (found["a",]["large_networks"], found["b",]["large_networks"]) == (0.0, 1.0)
    # 1,000 rows are limited data for Alarm and big data for Asia.
    assert (found["a",]["limited_data"], found["a",]["big_data"]) == (0.0, 1.0)
    assert found["a",]["resilience"] is None
    same = by(tables(*runs).strengths(limited=[100], big=[10000]), "algorithm")
    assert same["a",]["limited_data"] == same["b",]["limited_data"] == 1.0


@pytest.mark.parametrize(
    ("ask", "why"),
    [
        (tables, "need runs"),
        (lambda: tables(run("a", 0.5), run("a", 0.6)), "two runs"),
        (lambda: tables(run("a", 0.5)).relative("some"), "'noisy'"),  # type: ignore[arg-type]
        (lambda: tables(run("a", 0.5)).failures("seed"), "'network'"),  # type: ignore[arg-type]
        (lambda: tables(run("a", 0.5), over="sizes"), "'seeds'"),
    ],
)
def test_errors_say_what_is_possible(ask: Any, why: str) -> None:
    with pytest.raises(DagathlonError, match=why):
        ask()


def test_conclusions_need_intervals_within_their_range() -> None:
    """TABU first on every seed, HC before and behind it with noise, nobody else there."""
    runs = seeds(tabu=[0.9, 0.9, 0.9], hc=[0.5, 0.6, 0.7], gs=[0.1, 0.1, 0.1])
    noise = [("hc", 0.5), ("tabu", 0.4), ("gs", 0.1)]
    runs += [run(name, f1, "M5", seed=k) for k in range(3) for name, f1 in noise]
    found = {(one.statement, one.metric): one for one in conclusions(tables(*runs))}
    first = found["TABU is first without noise", "f1"]
    assert (first.holds, first.estimate, first.interval) == ("yes", 1.0, (1.0, 1.0))
    lost = found["noise makes TABU lose against HC", "bsf"]
    assert (lost.holds, lost.estimate) == ("yes", 2.0)
    assert found["TABU is second with noise", "f1"].holds == "yes"
    assert found["more rows help", ""].holds is None
    assert found["MMHC gains most by noise", "f1"].estimate is None
    assert found["loss by missing values", "f1"].holds == "no"  # a loss by 30 %
    assert found["HC is first with noise", "f1"].interval == (1.0, 1.0)


def test_a_conclusion_without_an_interval_is_open() -> None:
    found = {(one.statement, one.metric): one for one in conclusions(tables(*seeds(tabu=[0.9])))}
    first = found["TABU is first without noise", "f1"]
    assert (first.holds, first.estimate, first.interval) == ("open", 1.0, None)


def test_rank_correlation_with_another_study() -> None:
    runs = seeds(a=[0.9, 0.8], b=[0.5, 0.5], c=[0.1, 0.2])
    others = {(False, "f1"): {"a": 1.0, "b": 2.0, "c": 3.0, "d": 4.0}}
    others[False, "shd"] = {"a": 3.0, "b": 2.0, "c": 1.0}
    same, reversed_ = rank_correlation_rows(tables(*runs), others)
    assert (same["spearman"], same["algorithms"]) == (pytest.approx(1.0), 3)
    assert reversed_["spearman_high"] == pytest.approx(-1.0)
