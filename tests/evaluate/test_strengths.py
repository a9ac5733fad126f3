"""Relative scores, ranks by kind of data, strengths."""

from __future__ import annotations

from typing import Any

import pytest

from dagathlon.evaluate.ranking.ranks import score_table
from dagathlon.evaluations.ranking.strengths import (
    data_facts,
    ranks_by_kind,
    relative_scores,
    strengths,
)


def run(name: str, case: int, seed: int, f1: float | None, **more: Any) -> dict[str, Any]:
    return {
        "adjmat": f"g{case}",
        "parameters": "p",
        "data": "d/noise=M5" if case == 2 else "d",
        "seed": seed,
        "setting": name,
        "status": "ok" if f1 is not None else "error",
        "f1": f1,
        "n_nodes": 10 * (case + 1),
        "true_n_edges_skel": 10,
        "TP_skel": 8,
        "FP_skel": 2,
        "time": 1.0,
    } | more


ROWS = [
    *(run("a", 0, 1, 0.2), run("b", 0, 1, 0.6), run("c", 0, 1, 0.4)),
    *(run("a", 0, 2, 0.4), run("b", 0, 2, 1.0), run("c", 0, 2, 0.4, time=9.0)),
    *(run("a", 1, 1, 0.9), run("b", 1, 1, 0.5), run("c", 1, 1, None)),
    *(run("a", 2, 1, 0.3), run("b", 2, 1, 0.1), run("c", 2, 1, 0.1)),
]


def test_relative_scores_by_hand() -> None:
    found = {(r.name, r.case[0]): r for r in relative_scores(score_table(ROWS, "f1"), "more")}
    assert found["a", "g0"].mean == pytest.approx(0.3)
    assert found["a", "g0"].share == 0
    assert found["b", "g0"].share == 1
    assert found["c", "g0"].share == pytest.approx(0.1 / 0.5)
    assert found["c", "g1"] == ("c", ("g1", "p", "d"), None, None, 1)
    less = {(r.name, r.case[0]): r for r in relative_scores(score_table(ROWS, "f1"), "less")}
    assert less["a", "g0"].share == 1


def test_ranks_by_kind_of_data() -> None:
    facts = data_facts(ROWS, [ROWS[0] | {"kind": "discrete", "n": 100}])
    assert facts["g0", "p", "d", 1] == {
        "noise": "N",
        "nodes": 10,
        "density": 0.222,
        "data": "discrete",
        "sample size": 100,
    }
    found = ranks_by_kind(score_table(ROWS, "f1"), "more", facts)
    assert [(one.factor, one.value, one.n) for one in found][:3] == [
        ("nodes", "10", 2),
        ("nodes", "20", 1),
        ("nodes", "30", 1),
    ]
    assert found[0].averages == {"b": 1.0, "c": 2.25, "a": 2.75}
    assert [one.value for one in found if one.factor == "noise"] == ["M5", "N"]


def test_many_values_are_cut_into_thirds() -> None:
    rows = [
        run(name, 0, seed, seed / 10, true_n_edges_skel=seed)
        for seed in range(1, 10)
        for name in "ab"
    ]
    found = ranks_by_kind(score_table(rows, "f1"), "more", data_facts(rows))
    assert [one.n for one in found] == [3, 3, 3]
    assert {one.factor for one in found} == {"density"}
    assert found[0].value.startswith("up to")


def test_strengths_by_hand() -> None:
    found = {row["setting"]: row for row in strengths(ROWS, {"f1": "more"}, data_facts(ROWS))}
    assert found["b"]["ranking"] == 1
    assert found["c"]["ranking"] == 0
    assert found["c"]["time"] == 0
    assert found["a"]["time"] == found["b"]["time"] == 1
    assert found["c"]["reliability"] == 0.75
    assert found["a"]["reliability"] == 1
    assert found["a"]["small networks"] == pytest.approx(0.5 / 0.5)
    assert found["a"]["large networks"] == 1
    assert "limited data" not in found["a"]
    assert found["a"]["resilience to noise"] == 1
    assert found["a"]["fitting"] == 1


def test_who_always_fails_is_neither_reliable_nor_fast() -> None:
    rows = [run(name, 0, seed, 0.5) for seed in range(4) for name in "ab"]
    rows += [run("late", 0, seed, None, status="timeout", time=None) for seed in range(4)]
    rows += [run("once", 0, seed, None, status="memory", time=None) for seed in range(3)]
    rows += [run("once", 0, 3, 0.9, time=0.001), run("unfit", 0, 0, None, status="skipped")]
    found = {row["setting"]: row for row in strengths(rows, {"f1": "more"}, data_facts(rows))}
    assert found["late"]["reliability"] == 0
    assert found["late"]["time"] is None
    assert (found["once"]["reliability"], found["once"]["time"]) == (0.25, None)
    assert found["unfit"]["reliability"] is None
    alone = strengths(rows[-5:-1], {"f1": "more"}, data_facts(rows[-5:-1]))
    assert alone[0]["reliability"] == 0.25
