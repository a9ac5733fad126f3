"""Accuracy against the rate of noise, and the share of it that is kept: by hand, by invariance."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dagathlon.evaluations.noise.grid import NoiseRun
from dagathlon.evaluations.noise.robustness import (
    EVERYWHERE,
    OVERALL,
    Trial,
    kind_of,
    noise_trials,
    rate_curves,
    robustness,
    row_trials,
)
from dagathlon.evaluations.ranking.strengths import data_facts, strengths

CODES = ("N", "I5", "I10", "I20", "M5", "M20")


def trials(scores: dict[str, float | None], name: str = "a", seed: int = 1, case: str = "asia"):
    return [Trial(name, (case, 100), seed, code, score) for code, score in scores.items()]


def index(found: list[Trial], kind: str = "I", name: str = "a") -> float:
    return next(
        r["index"] for r in robustness(found) if (r["algorithm"], r["kind"]) == (name, kind)
    )


def test_codes_of_one_rate_have_a_kind() -> None:
    assert kind_of("M5") == ("M", 0.05)
    assert kind_of("cMI") == ("MI", 0.05)
    assert kind_of("cM10S10L10+NA") == ("MSL+NA", 0.1)
    assert kind_of("I5+NA") == ("I", 0.05)
    assert kind_of("cM5I10") is None


def test_index_by_hand() -> None:
    one = trials({"N": 0.8, "I5": 0.8, "I10": 0.4, "I30": 0.0})
    # .8 for 5 %, .6 on average for 5 %, .2 for 20 %, of .8 for 30 %.
    assert index(one) == pytest.approx((0.8 * 5 + 0.6 * 5 + 0.2 * 20) / (0.8 * 30))
    assert index(trials({"N": 0.5, "cMISL": 0.25}), "MISL") == pytest.approx(0.75)
    failed = trials({"N": 0.8, "I5": 0.8, "I10": None})
    assert index(failed) == pytest.approx((0.8 * 5 + 0.4 * 5) / (0.8 * 10))
    assert not robustness(trials({"N": None, "I5": 0.8}))
    assert not robustness(trials({"I5": 0.8}))


def test_sums_come_before_the_ratio_and_seeds_give_the_interval() -> None:
    both = [*trials({"N": 1.0, "I10": 0.5}), *trials({"N": 0.2, "I10": 0.2}, seed=2)]
    (overall, row) = robustness(both)
    assert row["index"] == overall["index"] == pytest.approx((0.75 + 0.2) / 1.2)
    assert row["clean"] == pytest.approx(0.6)
    assert (row["up_to"], row["seeds"], row["cases"]) == (0.1, 2, 2)
    # Of two seeds, the jackknife's error is half the difference of what is left without either.
    half = 12.706204736432095 * abs(0.75 - 1.0) / 2
    assert row["index_high"] - row["index"] == pytest.approx(half)
    assert row["index"] - row["index_low"] == pytest.approx(half)
    assert robustness(both[:2])[0]["index_low"] is None


def test_overall_is_of_the_kinds_that_most_learners_have() -> None:
    whole = {"N": 1.0, "I10": 0.6, "M10": 0.8, "M10+NA": 0.2, "cMI": 0.0}
    part = {code: whole[code] for code in ("N", "I10", "M10")}
    found = robustness([t for name in "abc" for t in trials(part, name)] + trials(whole, "d"))
    kinds = {(r["algorithm"], r["kind"]): r["index"] for r in found}
    assert kinds["a", OVERALL] == kinds["d", OVERALL] == pytest.approx((0.8 + 0.9) / 2)
    assert kinds["d", "M+NA"] == pytest.approx(0.6)
    only = robustness([*trials(part), *trials({"N": 1.0, "I10": 1.0}, "b")])
    assert {r["algorithm"] for r in only if r["kind"] == OVERALL} == {"a"}


def test_curves_are_of_the_same_data_at_every_rate() -> None:
    runs = [
        *trials({"N": 0.9, "L5": 0.7, "L10": 0.5}),
        *trials({"N": 0.5, "L10": 0.3}, case="sports"),
        *trials({"N": 0.1, "L5": 0.1}, case="short"),
    ]
    rows = rate_curves(runs)
    everywhere = [r for r in rows if r["network"] == EVERYWHERE]
    assert [r["rate"] for r in everywhere] == [0.0, 0.05, 0.1]
    assert [r["mean"] for r in everywhere] == pytest.approx([0.7, (0.7 + 0.4) / 2, 0.4])
    assert {r["network"] for r in rows} == {EVERYWHERE, "asia", "sports"}
    assert all(r["mean_low"] is None for r in rows)
    seeds = rate_curves([t._replace(seed=s) for s in (1, 2, 3) for t in runs[:3]])
    for row in seeds:
        assert (row["mean_low"], row["mean_high"]) == pytest.approx((row["mean"], row["mean"]))


def test_runs_and_rows_say_the_same() -> None:
    runs = [NoiseRun("asia", code, 100, 1, "a", f1=f1) for code, f1 in (("N", 0.8), ("M5", None))]
    runs.append(NoiseRun("asia", "I5", 100, 1, "a", failure="timeout"))
    assert [t.score for t in noise_trials(runs)] == [0.8, 0.0, None]
    about = {"adjmat": "asia", "parameters": "p", "seed": 1, "id": "a", "TP_skel": 0, "FP_skel": 0}
    rows: list[dict[str, Any]] = [
        about | {"data": "iid/n=100", "status": "ok", "f1": 0.8},
        about | {"data": "iid/n=100/noise=M5", "status": "ok", "f1": None},
        about | {"data": "iid/n=100/noise=I5", "status": "timeout", "f1": None},
        about | {"data": "iid/n=100/noise=L5", "status": "skipped", "f1": None},
    ]
    found = list(row_trials(rows, "f1", "id"))
    assert [(t.code, t.score) for t in found] == [("N", 0.8), ("M5", 0.0), ("I5", None)]
    assert {t.case for t in found} == {("asia", "p", "iid/n=100")}


def test_strengths_have_the_share_that_is_kept() -> None:
    about = {"adjmat": "g", "parameters": "p", "seed": 1, "status": "ok"}
    rows = [
        about | {"data": "d" + noise, "setting": name, "F1_skel": score}
        for name, scores in {"a": (0.8, 0.4), "b": (0.4, 0.5), "c": (0.0, 0.5)}.items()
        for noise, score in zip(("", "/noise=I10"), scores, strict=True)
    ]
    found = strengths(rows, {"SHD": "less", "F1_skel": "more"}, data_facts(rows))
    assert [row["robustness"] for row in found] == [pytest.approx(0.75), 1.0, None]
    assert "robustness" not in strengths(rows[::2], {"F1_skel": "more"}, data_facts(rows[::2]))[0]


scores = st.dictionaries(
    st.tuples(st.sampled_from("ab"), st.integers(1, 3)),
    st.tuples(*[st.floats(0.05, 1) for _ in CODES]),
    min_size=1,
)


@settings(max_examples=10)
@given(scores, st.randoms(use_true_random=False), st.floats(0.1, 1))
def test_invariances(drawn: Any, random: Any, factor: float) -> None:
    runs = [
        Trial(name, ("asia",), seed, code, score)
        for (name, seed), values in drawn.items()
        for code, score in zip(CODES, values, strict=True)
    ]
    found = {(r["algorithm"], r["kind"]): r["index"] for r in robustness(runs)}
    assert found
    assert all(value > 0 for value in found.values())

    def again(changed: list[Trial]) -> dict[Any, float]:
        return {(r["algorithm"], r["kind"]): r["index"] for r in robustness(changed)}

    shuffled = random.sample(runs, len(runs))
    assert again(shuffled) == pytest.approx(found)
    # The scale of the accuracy, and a rate at which the curve does not bend, change nothing.
    assert again([t._replace(score=factor * t.score) for t in runs]) == pytest.approx(found)
    scores = {(t.name, t.seed, t.code): t.score for t in runs}
    halfway = [
        t._replace(code="I15", score=(t.score + scores[t.name, t.seed, "I20"]) / 2)
        for t in runs
        if t.code == "I10"
    ]
    assert again([*runs, *halfway]) == pytest.approx(found)
    # Who keeps everything has 1, and nobody gains by being worse.
    kept = [t._replace(score=scores[t.name, t.seed, "N"]) for t in runs]
    assert all(value == pytest.approx(1) for value in again(kept).values())
    worse = [t if t.code == "N" else t._replace(score=factor * t.score) for t in runs]
    assert all(value <= found[key] + 1e-12 for key, value in again(worse).items())
