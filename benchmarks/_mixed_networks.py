"""Mixed data from random networks, by models of which no one is made for one test."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from benchmarks._mixed_questions import Columns, Random, chosen, table
from dagathlon.data import Dataset
from dagathlon.graphs import Graph

Arcs: TypeAlias = npt.NDArray[np.bool_]
Kinds: TypeAlias = list[int]
"""The number of levels of each column; 0 for a continuous one."""
Model: TypeAlias = Callable[[Random, Arcs, Kinds, int], Columns]

MOST_LEVELS = 10
_STRENGTHS = (0.5, 1.0)


def network(
    model: str, seed: int, *, columns: int, rows: int, degree: float
) -> tuple[Dataset, Graph]:
    """Data and their true DAG, whose arcs lead from earlier to later columns before a shuffle."""
    random = np.random.default_rng([seed, columns])
    arcs = np.triu(random.random((columns, columns)) < degree / (columns - 1), 1)
    discrete = random.permutation(columns) < columns // 2
    if model in _LEVELS_FIRST:
        discrete = np.sort(discrete)[::-1]
    kinds = [int(random.integers(2, MOST_LEVELS + 1)) if is_one else 0 for is_one in discrete]
    drawn = MODELS[model](random, arcs, kinds, rows)
    order = random.permutation(columns)
    data = table([drawn[j] for j in order])
    return data, Graph.from_adjacency(data.names, arcs[np.ix_(order, order)])


def conditional_gaussian(random: Random, arcs: Arcs, kinds: Kinds, n: int) -> Columns:
    """Levels by tables; values with a mean for every configuration, and one slope per parent."""
    return _by_configuration(random, arcs, kinds, n, own_slopes=False)


def own_slopes(random: Random, arcs: Arcs, kinds: Kinds, n: int) -> Columns:
    """The same with slopes and variances for every configuration too, as `mi-cg` assumes."""
    return _by_configuration(random, arcs, kinds, n, own_slopes=True)


def cut_gaussian(random: Random, arcs: Arcs, kinds: Kinds, n: int) -> Columns:
    """A linear Gaussian model, some of whose columns are cut at random points into levels."""
    values: Columns = []
    for j in range(len(kinds)):
        value = random.normal(size=n)
        for i in np.flatnonzero(arcs[:, j]):
            value = value + _strength(random) * values[i] / values[i].std()
        values.append(value)
    return [
        np.searchsorted(_cuts(random, value, levels), value) if levels else value
        for value, levels in zip(values, kinds, strict=True)
    ]


def logistic(random: Random, arcs: Arcs, kinds: Kinds, n: int) -> Columns:
    """Effects add up: for values in the mean, for levels in the multinomial logistic model."""
    drawn: Columns = []
    for j, levels in enumerate(kinds):
        effect = random.normal(scale=0.5, size=max(levels, 1)) + np.zeros((n, 1))
        for i in np.flatnonzero(arcs[:, j]):
            effect = effect + _effect_of(random, drawn[i], kinds[i], max(levels, 1))
        drawn.append(chosen(random, effect) if levels else effect[:, 0] + random.normal(size=n))
    return drawn


MODELS: Mapping[str, Model] = {
    "conditional Gaussian": conditional_gaussian,
    "conditional Gaussian, own slopes": own_slopes,
    "cut Gaussian": cut_gaussian,
    "logistic": logistic,
}
# No level is caused by a value there.
_LEVELS_FIRST = ("conditional Gaussian", "conditional Gaussian, own slopes")


def _by_configuration(
    random: Random, arcs: Arcs, kinds: Kinds, n: int, *, own_slopes: bool
) -> Columns:
    drawn: Columns = []
    for j, levels in enumerate(kinds):
        parents = np.flatnonzero(arcs[:, j])
        cells, count = _configurations([drawn[i] for i in parents if kinds[i]], n)
        if levels:
            drawn.append(chosen(random, random.normal(scale=1.5, size=(count, levels))[cells]))
            continue
        value = random.normal(size=count)[cells]
        for i in parents:
            if not kinds[i]:
                slopes = (
                    [_strength(random) for _ in range(count)] if own_slopes else _strength(random)
                )
                value = value + np.broadcast_to(slopes, count)[cells] * drawn[i] / drawn[i].std()
        spread = np.exp(random.normal(scale=0.3, size=count)) if own_slopes else np.ones(count)
        drawn.append(value + spread[cells] * random.normal(size=n))
    return drawn


def _configurations(columns: Columns, n: int) -> tuple[npt.NDArray[np.int64], int]:
    """The number of each row's configuration, and how many there are."""
    if not columns:
        return np.zeros(n, dtype=np.int64), 1
    found, cells = np.unique(np.column_stack(columns), axis=0, return_inverse=True)
    return cells.reshape(-1), len(found)


def _effect_of(
    random: Random, parent: npt.NDArray[np.generic], levels: int, width: int
) -> npt.NDArray[np.float64]:
    if levels:
        effects: npt.NDArray[np.float64] = random.normal(size=(levels, width))[parent.astype(int)]
        return effects
    weights = random.normal(size=width) if width > 1 else np.array([_strength(random)])
    return np.outer(parent / parent.std(), weights)


def _strength(random: Random) -> float:
    return float(random.uniform(*_STRENGTHS) * random.choice([-1, 1]))


def _cuts(random: Random, value: npt.NDArray[np.float64], levels: int) -> npt.NDArray[np.float64]:
    """Between levels of random sizes, the same on average."""
    shares = random.dirichlet(np.full(levels, 4.0))
    return np.quantile(value, np.cumsum(shares)[:-1])
