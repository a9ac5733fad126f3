"""The generalised score against whole kernel matrices, and the search by it."""

from __future__ import annotations

import numpy as np
import pytest

from dagathlon.data import Dataset, Variable
from dagathlon.learners import learn
from dagathlon.learners.score.score_kinds import ScoreParameters
from dagathlon.learners.score.scores import native_score
from strategies import continuous

RIDGES = {"cv-kernel": 1e-4, "cv-kernel-2018": 1e-2}


def curved(rows: int, seed: int) -> np.ndarray:
    """A cause with two effects, and an effect of the second and a cause that is apart."""
    rng = np.random.default_rng(seed)
    a, d = rng.normal(size=(2, rows))
    b = np.sin(2 * a) + 0.3 * rng.normal(size=rows)
    c = a**2 + 0.3 * rng.normal(size=rows)
    e = np.tanh(2 * b) * d + 0.3 * rng.normal(size=rows)
    return np.column_stack([a, b, c, d, e])


def kernel(values: np.ndarray, columns: list[int]) -> np.ndarray:
    n = len(values)
    found = np.ones((n, n))
    for v in values[:, columns].T:
        apart = (v[:, None] - v) ** 2
        distances = np.sort(apart[np.triu_indices(n, 1)])
        found *= np.exp(-apart / (4 * distances[len(distances) // 2]))
    centre = np.eye(n) - 1 / n
    return np.asarray(centre @ found @ centre)


def by_matrices(values: np.ndarray, x: int, parents: list[int], ridge: float) -> float:
    """Regression in the space of the kernels, by rows, with matrices of rows by rows."""
    n, total = len(values), 0.0
    kx = kernel(values, [x])
    kz = kernel(values, parents) if parents else np.zeros((n, n))
    for fold in range(10):
        test, train = (
            np.flatnonzero(np.arange(n) % 10 == fold),
            np.flatnonzero(np.arange(n) % 10 != fold),
        )
        m = len(train)
        inverse = np.linalg.inv(kz[np.ix_(train, train)] + m * ridge * np.eye(m))
        keep = np.eye(m) - kz[np.ix_(train, train)] @ inverse
        guess = kz[np.ix_(test, train)] @ inverse
        inner, cross = kx[np.ix_(train, train)], kx[np.ix_(test, train)]
        spread = np.eye(m) + keep @ inner @ keep.T / (m * 0.01)
        errors = (
            kx[np.ix_(test, test)] - guess @ cross.T - cross @ guess.T + guess @ inner @ guess.T
        )
        both = (cross - guess @ inner) @ keep.T
        trace = np.trace(errors) - np.trace(both @ np.linalg.solve(spread, both.T)) / (m * 0.01)
        total -= 0.5 * (len(test) * np.linalg.slogdet(spread)[1] + trace / 0.01)
    return float(total)


@pytest.mark.parametrize("name", RIDGES)
@pytest.mark.parametrize(("x", "parents"), [(0, []), (1, [0]), (4, [1, 3]), (0, [2])])
def test_the_score_is_that_of_whole_matrices(name: str, x: int, parents: list[int]) -> None:
    values = curved(90, 3)
    native = native_score(continuous(values, "abcde"), name, ScoreParameters())
    expected = by_matrices(values, x, parents, RIDGES[name])
    # Kernels are factorised up to a millionth of their diagonal.
    assert native.local(x, parents) == pytest.approx(expected, abs=0.02 + 2e-4 * abs(expected))


def test_scores_do_not_depend_on_units() -> None:
    values = curved(80, 1)
    one, other = (
        native_score(continuous(v, "abcde"), "cv-kernel", ScoreParameters())
        for v in (values, values * [5, 0.1, 1, 1, 30] + 7)
    )
    for x, parents in ((0, []), (4, [1, 3])):
        assert one.local(x, parents) == pytest.approx(other.local(x, parents), rel=1e-6)


def test_levels_are_alike_or_not() -> None:
    rng = np.random.default_rng(2)
    codes = rng.integers(0, 3, 150).astype(np.uint16)
    values = np.column_stack([np.array([2.0, -1.0, 0.5])[codes] + 0.3 * rng.normal(size=150)])
    renamed = np.array([2, 0, 1], dtype=np.uint16)[codes]
    found = []
    for each in (codes, renamed):
        data = Dataset(
            [Variable("level", levels=("u", "v", "w")), Variable("x")],
            codes=each[:, None],
            values=values,
        )
        native = native_score(data, "cv-kernel", ScoreParameters())
        found.append([native.local(1, [0]), native.local(0, [1])])
        assert native.local(1, [0]) > native.local(1, []) + 10
    assert found[0] == pytest.approx(found[1], rel=1e-9)


def test_it_finds_what_lines_do_not_show() -> None:
    graph = learn(continuous(curved(250, 0), "abcde"), "kernel_ges").graph
    assert {"b", "c"} <= set(graph.adjacencies("a"))
    assert {"b", "d"} <= set(graph.adjacencies("e"))
    assert "d" not in graph.adjacencies("a")
    plain = learn(continuous(curved(250, 0), "abcde"), "ges").graph
    assert "c" not in plain.adjacencies("a")


def test_constant_columns_and_few_rows() -> None:
    values = curved(40, 4)
    values[:, 2] = 1
    assert not learn(continuous(values, "abcde"), "kernel_ges").graph.adjacencies("c")
    assert learn(continuous(curved(5, 4), "abcde"), "kernel_ges").graph.kind
