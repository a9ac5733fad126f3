"""Scores and searches with many discrete rows: counts that are kept, sums whose digits are lost."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from dagathlon.data import Dataset, Variable
from dagathlon.learners import learn
from dagathlon.learners.score.score_kinds import ScoreParameters
from dagathlon.learners.score.scores import native_score

# More than one word of bits; one column has a single level, one more levels than others.
ARITIES = (2, 3, 1, 4, 5, 2, 20, 3, 2, 12, 3, 4, 16, 2, 10, 3)
ROWS = 17_000


def many_rows(n: int = ROWS, arities: tuple[int, ...] = ARITIES, seed: int = 0) -> Dataset:
    """Every column hangs on the one before it and on one that is further away."""
    rng = np.random.default_rng(seed)
    codes = np.zeros((n, len(arities)), np.uint8)
    for j, arity in enumerate(arities):
        drawn = rng.integers(0, arity, n)
        follows = rng.random(n) < 0.4
        before = codes[:, j - 1].astype(int) + codes[:, max(j - 4, 0)]
        codes[:, j] = np.where(follows, before % arity, drawn)
    names = (f"x{j}" for j in range(len(arities)))
    levels = [tuple(map(str, range(arity))) for arity in arities]
    return Dataset(map(Variable, names, levels), codes=codes)


def bic(data: Dataset, child: int, parents: list[int]) -> float:
    """By sorting rows, read as numbers."""
    log_likelihood = 0.0
    for sign, columns in ((1, [*parents, child]), (-1, parents)):
        rows = np.zeros(ROWS, np.int64)
        for column in columns:
            rows = rows * ARITIES[column] + data.codes[:, column]
        counts = np.unique(rows, return_counts=True)[1]
        log_likelihood += sign * float(np.sum(counts * np.log(counts)))
    configurations = np.prod([ARITIES[s] for s in parents])
    return log_likelihood - np.log(ROWS) / 2 * float(configurations) * (ARITIES[child] - 1)


def growing_families(seed: int, count: int) -> Iterator[tuple[int, list[int]]]:
    rng = np.random.default_rng(seed)
    for _ in range(count):
        child, *others = rng.permutation(len(ARITIES)).tolist()
        for size in range(5):
            yield child, sorted(others[:size])


def additions(native: Any, child: int, parents: list[int]) -> list[float]:
    found = native.additions(child, parents)
    return [found[x] for x in range(len(ARITIES)) if x != child and x not in parents]


def test_additions_with_many_rows_are_scores_of_larger_families() -> None:
    data = many_rows()
    native = native_score(data, "bic", ScoreParameters())
    for child, parents in growing_families(1, 3):
        others = [x for x in range(len(ARITIES)) if x != child and x not in parents]
        expected = [bic(data, child, sorted([*parents, x])) for x in others]
        assert additions(native, child, parents) == pytest.approx(expected, rel=1e-10)
        # The counts of the family are among those that were kept.
        assert native.local(child, parents) == pytest.approx(bic(data, child, parents), rel=1e-10)


@pytest.mark.parametrize("score", ["bic", "bde", "fnml"])
def test_what_was_counted_before_changes_no_digit(score: str) -> None:
    data = many_rows()
    families = list(growing_families(2, 4))
    native = native_score(data, score, ScoreParameters())
    forward = {(c, *p): additions(native, c, p) for c, p in families}
    terms = {(c, *p): native.local(c, p) for c, p in families}
    other = native_score(data, score, ScoreParameters())
    backward = {(c, *p): additions(other, c, p) for c, p in reversed(families)}
    assert forward == backward
    alone = native_score(data, score, ScoreParameters())
    assert terms == {(c, *p): alone.local(c, p) for c, p in families}


def resident_bytes() -> int:
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE")


@pytest.mark.memory
@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="no such file here")
def test_rows_of_many_levels_are_not_kept_as_bits() -> None:
    """Each column would have a word of its own, and columns one by one are counted sooner."""
    data = many_rows(200_000, (60,) * 16)
    native = native_score(data, "bic", ScoreParameters())
    before = resident_bytes()
    found = native.additions(0, [])
    assert resident_bytes() - before < 15_000_000  # 16 words a row are 25 MB
    assert found[1] == native.local(0, [1])


@pytest.mark.memory
@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="no such file here")
def test_parts_of_the_rows_share_what_may_be_kept() -> None:
    """Interventions on each variable: the counts are of 15 choices of rows."""
    p, rows = 14, 40_000
    plain = many_rows(rows, (3,) * p)
    regimes = ([(), *((name,) for name in plain.names)], np.arange(rows) % (p + 1))
    data = Dataset(plain.variables, codes=plain.codes, regimes=regimes)
    native = native_score(data, "mbde", ScoreParameters())
    rng = np.random.default_rng(2)
    before = resident_bytes()
    for _ in range(4_000):
        child, *parents = rng.permutation(p)[:5].tolist()
        native.additions(child, sorted(parents))
    assert resident_bytes() - before < 110_000_000  # 64 MB for all, and buffers


@pytest.mark.parametrize("learner", ["boss", "grasp"])
def test_searches_over_orders_end_where_scores_have_few_digits_left(learner: str) -> None:
    """Terms so large that their sum depends on their order by more than ties may differ."""
    rng = np.random.default_rng(0)
    values = rng.normal(size=(100_000, 40))
    for j in range(1, 40):
        values[:, j] += 0.6 * values[:, j - 1] + 0.4 * values[:, max(j - 3, 0)]
    names = [f"x{i}" for i in rng.permutation(40)]
    plain, large = (
        learn(Dataset(map(Variable, names), values=scale * values), learner) for scale in (1, 1e30)
    )
    assert set(large.graph.edges()) == set(plain.graph.edges())
