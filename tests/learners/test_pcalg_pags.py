"""FCI and RFCI on contradictory data against a plain copy of what pcalg does."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any, Literal

import numpy as np
import pytest
from plain_pcalg import Test, plain_fci, plain_rfci

from dagathlon import _core
from dagathlon.data import Dataset, Variable
from dagathlon.graphs import Graph
from dagathlon.learners import learn
from dagathlon.learners.constraint.fci import Fci, LatentSearch, Rfci
from dagathlon.learners.independence import independence_test

Kind = Literal["gaussCItest", "disCItest"]


def hidden_and_selected(rng: np.random.Generator, p: int, kind: Kind) -> Dataset:
    """Rows of a linear model, some columns hidden, sometimes rows chosen by a sum of two."""
    weights = np.triu(rng.random((p, p)) < rng.uniform(1, 4) / p, 1) * rng.choice([-1, 1], (p, p))
    weights = weights * rng.uniform(0.3, 1.2, (p, p))
    rows = int(rng.choice([60, 100, 400, 1500]))
    values = rng.normal(size=(3 * rows, p)) @ np.linalg.inv(np.eye(p) - weights)
    if rng.random() < 0.3:
        chosen = values[:, rng.choice(p, 2, replace=False)].sum(axis=1)
        values = values[chosen > np.quantile(chosen, 0.4)]
    values = values[:rows, rng.permutation(p)[: p - int(rng.integers(0, p // 3 + 1))]]
    names = [f"V{j:02}" for j in range(values.shape[1])]
    if kind == "gaussCItest":
        return Dataset([Variable(name) for name in names], values=values)
    return Dataset(
        [Variable(name, ("0", "1")) for name in names], codes=(values > 0).astype(np.uint8)
    )


def plain_test(data: Dataset, kind: Kind, alpha: float) -> Test:
    """pcalg's tests; that of tables accepts any five given variables."""
    proper = independence_test(data, "binCItest" if kind == "disCItest" else kind)
    answers: dict[tuple[int, int, tuple[int, ...]], bool] = {}

    def test(x: int, y: int, given: Sequence[int]) -> bool:
        if kind == "disCItest" and len(given) >= 5:
            return True
        key = (min(x, y), max(x, y), tuple(sorted(given)))
        if key not in answers:
            names = [data.names[k] for k in key[2]]
            x_name, y_name = data.names[key[0]], data.names[key[1]]
            answers[key] = proper.independent(x_name, y_name, names, alpha=alpha)
        return answers[key]

    return test


def differing(name: str, kind: Kind, sizes: tuple[int, int], seed: int, count: int) -> int:
    """The number of random data sets on which a mark differs."""
    rng = np.random.default_rng(seed)
    wrong = 0
    for _ in range(count):
        data = hidden_and_selected(rng, int(rng.integers(*sizes)), kind)
        alpha = float(rng.choice([0.01, 0.05, 0.2]))
        plain = plain_fci if name == "fci" else plain_rfci
        expected = plain(plain_test(data, kind, alpha), len(data.names))
        found = learn(data, name, test=kind, alpha=alpha).graph.marks
        wrong += not np.array_equal(found, expected)
    return wrong


CASES: list[tuple[str, Kind, tuple[int, int]]] = [
    ("fci", "gaussCItest", (5, 10)),
    ("fci", "disCItest", (7, 11)),
    ("rfci", "gaussCItest", (14, 40)),
    ("rfci", "disCItest", (6, 16)),
]


@pytest.mark.parametrize(("name", "kind", "sizes"), CASES)
def test_every_mark(name: str, kind: Kind, sizes: tuple[int, int]) -> None:
    assert differing(name, kind, sizes, 1, 600 if sizes == (5, 10) else 60) == 0


@pytest.mark.slow
@pytest.mark.parametrize(("name", "kind", "sizes"), CASES)
def test_every_mark_on_many_data_sets(name: str, kind: Kind, sizes: tuple[int, int]) -> None:
    assert differing(name, kind, sizes, 2, 600) == 0


@pytest.mark.parametrize(("seed", "alpha"), [(138, 0.2), (6032, 0.5)])
def test_pcalg_directs_what_a_removal_makes_unshielded_without_a_test(
    seed: int, alpha: float
) -> None:
    rng = np.random.default_rng(seed)
    values = rng.normal(size=(60, 9))
    values = values @ (rng.normal(size=(9, 9)) * (rng.random((9, 9)) < 0.45) + np.eye(9))
    data = Dataset([Variable(f"V{j}") for j in range(9)], values=values)
    expected = plain_rfci(plain_test(data, "gaussCItest", alpha), 9)
    found = Rfci(test="gaussCItest", alpha=alpha).learn(data, rng).graph.marks
    every = Rfci(test="gaussCItest", alpha=alpha, checks="all").learn(data, rng).graph.marks
    assert np.array_equal(found, expected)
    assert not np.array_equal(every, expected)


def test_rule_4_of_pcalg_replaces_a_tail() -> None:
    # d -> a <- b o-o c <- a; d and c are separated without b, so b is a collider, though b -> a.
    d, a, b, c = range(4)
    marks = np.zeros((4, 4), dtype=np.uint8)
    for i, j, at_i, at_j in ((d, a, 3, 2), (b, a, 3, 2), (a, c, 3, 2), (b, c, 1, 1)):
        marks[j, i], marks[i, j] = at_i, at_j
    graph = Graph("dabc", marks).native
    for as_pcalg, at_b in ((False, 3), (True, 2)):
        found = _core.orient(graph, lambda *_: False, [4], as_pcalg).marks()
        assert found[a, b] == at_b
        assert found[b, c] == found[c, b] == 2


def test_known_edges_are_not_replaced() -> None:
    rng = np.random.default_rng(5)
    for _ in range(30):
        data = hidden_and_selected(rng, 12, "gaussCItest")
        known: Any = {"required_edges": [list(pair) for pair in itertools.pairwise(data.names)]}
        learners: list[LatentSearch] = [
            Fci(second_pass="none", alpha=0.2, constraints=known),
            Rfci(alpha=0.2, constraints=known),
        ]
        for learner in learners:
            marks = learner.learn(data, rng).graph.marks
            places = range(len(data.names) - 1)
            assert all((marks[k, k + 1], marks[k + 1, k]) == (2, 3) for k in places)


@pytest.mark.parametrize("name", ["disCItest", "disCItest-adapt"])
def test_pcalgs_test_of_tables_accepts_any_five_given_variables(name: str) -> None:
    rng = np.random.default_rng(1)
    codes = rng.integers(2, size=(4000, 7))
    codes[:, 1] = codes[:, 0]
    data = Dataset([Variable(f"V{j}", ("0", "1")) for j in range(7)], codes=codes.astype(np.uint8))
    four, five = ["V2", "V3", "V4", "V5"], ["V2", "V3", "V4", "V5", "V6"]
    assert independence_test(data, name).test("V0", "V1", four).p_value < 1e-9
    result = independence_test(data, name).test("V0", "V1", five)
    assert (result.p_value, result.defined) == (1.0, True)
    assert independence_test(data, name + ".td").test("V0", "V1", five).p_value == 1.0
    for proper in ("binCItest", "mi", "g-square", "disCItest.mi"):
        assert independence_test(data, proper).test("V0", "V1", five).p_value < 1e-9
