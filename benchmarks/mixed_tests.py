"""Which test of independence suits mixed data: level and power, and the skeletons of `pc`.

A row of a question has, for every test, the share of rejections at level .05 without and with a
dependence; the first should be .05, the second high. Effects shrink with the root of the rows, so
that the power of a test that fits stays the same. A row of a network has the mean F1 of skeletons.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from benchmarks._mixed_networks import MODELS, network
from benchmarks._mixed_questions import QUESTIONS, Question, table
from benchmarks.timing import Row, best_of, pick, print_table, row
from dagathlon.data import Dataset
from dagathlon.evaluate.graphs.counts import skeleton_counts
from dagathlon.learners import learn
from dagathlon.learners.independence import DEFAULT_TESTS, independence_test

TESTS = ("mi-cg", "lr-cg", "lr-dg", "wilks-dg")
ALPHA = 0.05
COLUMNS = 9
DEGREE = 2.5
SETS = 12


def samples(question: Question, n: int, times: int, *, dependent: bool) -> Iterable[Dataset]:
    """The same data sets for all tests."""
    effect = question.strength / np.sqrt(n) if dependent else 0.0
    for k in range(times):
        random = np.random.default_rng([n, k, int(dependent)])
        yield table(question.draw(random, n, effect))


def rejections(found: Iterable[Dataset]) -> tuple[dict[str, float], dict[str, float]]:
    """For every test the share of rejections, and of questions that it left open."""
    rejected: dict[str, list[bool]] = {name: [] for name in TESTS}
    undefined: dict[str, list[bool]] = {name: [] for name in TESTS}
    for data in found:
        x, y, *given = data.names
        for name in TESTS:
            result = independence_test(data, name).test(x, y, given)
            rejected[name].append(result.p_value < ALPHA)
            undefined[name].append(not result.defined)
    return _means(rejected), _means(undefined)


def level_and_power(question: Question, n: int, times: int) -> Row:
    """One row: the time of the default test once, and how often each test rejects."""
    level, open_without = rejections(samples(question, n, times, dependent=False))
    power, open_with = rejections(samples(question, n, times, dependent=True))
    left_open = {name: (open_without[name] + open_with[name]) / 2 for name in TESTS}
    note = ", ".join(
        f"{name} {_short(share)}" for name, share in left_open.items() if share >= 0.005
    )
    (data,) = samples(question, n, 1, dependent=True)
    x, y, *given = data.names
    ours = best_of(lambda: independence_test(data, DEFAULT_TESTS["mixed"]).test(x, y, given), 3)
    result = ", ".join(f"{name} {_short(level[name])} → {_short(power[name])}" for name in TESTS)
    return row(f"{question.name}, n={n:,}", ours, result=result, note=note and f"undefined: {note}")


def skeletons(model: str, n: int) -> Row:
    """The mean F1 of the skeletons of `pc` over fresh networks."""
    sets = [network(model, seed, columns=COLUMNS, rows=n, degree=DEGREE) for seed in range(SETS)]
    scores: dict[str, list[float]] = {name: [] for name in TESTS}
    for name in TESTS:
        for data, truth in sets:
            found = learn(data, "pc", test=name, alpha=ALPHA).graph
            scores[name].append(skeleton_counts(found, truth).f1)
    ours = best_of(lambda: [learn(data, "pc", test=DEFAULT_TESTS["mixed"]) for data, _ in sets], 1)
    result = ", ".join(f"{name} {_short(mean)}" for name, mean in _means(scores).items())
    return row(f"pc, {model}, n={n:,}", ours, result=result, note=f"F1, {SETS} networks")


def run() -> list[Row]:
    """Questions at several sizes, then networks."""
    times_of = pick({100: 200, 300: 200, 1000: 200, 10_000: 100}, {100: 2})
    rows = [
        level_and_power(question, n, times)
        for question in QUESTIONS
        for n, times in times_of.items()
    ]
    sizes = pick((200, 500, 2000, 10_000), (100,))
    return rows + [skeletons(model, n) for model in MODELS for n in sizes]


def _means(values: dict[str, list[bool]] | dict[str, list[float]]) -> dict[str, float]:
    return {name: float(np.mean(each)) for name, each in values.items()}


def _short(share: float) -> str:
    return f"{share:.2f}".removeprefix("0")


if __name__ == "__main__":
    print_table(run())
