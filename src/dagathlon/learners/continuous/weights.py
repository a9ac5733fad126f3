"""Data as numeric matrices, and DAGs from weight matrices, for the continuous learners."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from dagathlon import _core
from dagathlon.errors import DataError, listing
from dagathlon.graphs import Graph
from dagathlon.learners.base import Estimate, Statistic

if TYPE_CHECKING:
    from dagathlon.data import Dataset

Matrix: TypeAlias = npt.NDArray[np.float64]
Cycles: TypeAlias = Literal["cut", "keep"]
_FEW_VALUES, _FEWEST_ROWS = 5, 30
_NUMBER = re.compile(r"(?:(?<!.)-)?\d+(?:\.\d+)?")
_MERGED = re.compile(r"(.+?\+?)(?<!\d[eE])\+(?=[^+'])")  # 1+2 and 5++6, but not 5+ or 1e+5
_BELOW = re.compile(r"<|less|below|under", re.IGNORECASE)


def numbers(data: Dataset, learner: str, rows: int = 2, ordered: bool = False) -> Matrix:
    """Return the data as a matrix; discrete levels become the numbers they spell, or codes.

    Parameters
    ----------
    data
        The data.
    learner
        Name of the learner, for the message when there are too few rows.
    rows
        The smallest number of rows.
    ordered
        Whether levels become ranks instead (see `ranks_of`).
    """
    if len(data) < rows:
        raise DataError(f"{learner} needs at least {rows} rows, found {len(data)}")
    values = _with_levels(data, ordered) if data.arities else np.array(data.values, dtype=float)
    for name, column in zip(data.names, values.T, strict=True):
        if not np.isfinite(column).all():
            raise DataError(f"{learner} needs finite numbers; column {name!r} has others")
    return values


def _with_levels(data: Dataset, ordered: bool) -> Matrix:
    coded = ranks_of if ordered else _spelled
    result = np.empty((len(data), len(data.variables)))
    continuous, discrete = iter(data.values.T), iter(data.codes.T)
    for j, variable in enumerate(data.variables):
        levels = variable.levels
        result[:, j] = next(continuous) if levels is None else coded(levels)[next(discrete)]
    return result


def _spelled(levels: tuple[str, ...]) -> npt.NDArray[np.float64]:
    try:
        return np.array([float(level) for level in levels])
    except ValueError:
        return np.arange(len(levels), dtype=np.float64)


def ranks_of(levels: tuple[str, ...]) -> npt.NDArray[np.float64]:
    """Ranks of levels from 0 on by the last number in each name; levels without one come behind.

    That is the upper end of intervals such as ``7to10``; ``<38`` comes before ``30to38``, and names
    of one number with a plus, which readers of networks may have replaced by an underscore, come
    last of the numbers. Two states that noise has merged, such as ``1+2``, stand in the place of
    the first. Levels without a number, such as ``missing``, keep their order, and those that stand
    before all numbers stay there: writers of networks may have lost a first digit (x, x2, x3, x_).
    """
    places = [_place(level) for level in levels]
    first = next((i for i, place in enumerate(places) if place), len(levels))
    nothing = (False, 0.0, False)
    keys = [
        (0, *place) if place else (-1 if i < first else 1, *nothing)
        for i, place in enumerate(places)
    ]
    order = sorted(range(len(levels)), key=keys.__getitem__)
    return np.argsort(order).astype(np.float64)


def _place(level: str) -> tuple[bool, float, bool] | None:
    """Return the sort key of a level with a number: open above, the number, not below it."""
    merged = _MERGED.match(level)
    name = merged[1] if merged else level
    spelled = _NUMBER.findall(name)
    if not spelled:
        return None
    below = _BELOW.search(name) is not None
    is_open = len(spelled) == 1 and name.endswith(("+", "_")) and not below
    return is_open, float(spelled[-1]), not below


def standardized(values: Matrix) -> Matrix:
    """Standardise columns to mean 0 and variance 1; constant columns become 0."""
    centred = values - values.mean(axis=0)
    used = varying(values)
    scaled: Matrix = np.where(used, centred, 0.0) / np.where(used, centred.std(axis=0), 1.0)
    return scaled


def order_by_content(values: Matrix) -> npt.NDArray[np.intp]:
    """Return an order of the columns that depends on their values, not on their positions."""
    # One byte order, so that results agree on all machines.
    keys = [hashlib.blake2b(column.astype("<f8").tobytes()).digest() for column in values.T]
    return np.array(sorted(range(len(keys)), key=keys.__getitem__), dtype=np.intp)


def few_values(learner: str, data: Dataset, values: Matrix) -> tuple[str, ...]:
    """Return a note on columns treated as continuous that have only a few distinct values."""
    if len(values) < _FEWEST_ROWS:
        return ()
    counts = [len(np.unique(column)) for column in values.T]
    few = [name for name, n in zip(data.names, counts, strict=True) if 1 < n <= _FEW_VALUES]
    if not few:
        return ()
    return (
        f"{learner} takes all columns for continuous ones, and {listing(few)} "
        f"{'has' if len(few) == 1 else 'have'} at most {_FEW_VALUES} different values; a learner "
        "that takes mixed or discrete data may suit better.",
    )


def varying(values: Matrix) -> npt.NDArray[np.bool_]:
    """Return the mask of columns that are not constant, up to rounding of their mean."""
    spread = values.std(axis=0)
    answer: npt.NDArray[np.bool_] = spread > 1e-12 * np.abs(values).max(axis=0)
    return answer


def dag_estimate(
    names: tuple[str, ...], weights: Matrix, threshold: float, stats: Mapping[str, Statistic]
) -> Estimate:
    """Return the DAG of the weights, from row to column, above a threshold in absolute value.

    Where these form a directed cycle, the threshold is raised until there is none; the smallest
    remaining weight is then in the statistics as ``threshold``.
    """
    sizes = np.abs(weights)
    np.fill_diagonal(sizes, 0.0)
    above = sizes > threshold
    if not _acyclic(above):
        cuts = np.unique(sizes[above])
        low, high = 0, len(cuts) - 1
        while low < high:
            middle = (low + high) // 2
            low, high = (low, middle) if _acyclic(sizes > cuts[middle]) else (middle + 1, high)
        above = sizes > cuts[low]
        stats = {**stats, "threshold": float(cuts[low])}
    return Estimate(Graph.from_adjacency(names, above), stats)


def thresholded(
    names: tuple[str, ...],
    weights: Matrix,
    threshold: float,
    cycles: Cycles,
    stats: Mapping[str, Statistic],
) -> Estimate:
    """Return the graph of the weights above the threshold, its directed cycles cut or kept."""
    if cycles == "cut":
        return dag_estimate(names, weights, threshold, stats)
    return Estimate(Graph.from_adjacency(names, np.abs(weights) > threshold), stats)


def _acyclic(arcs: npt.NDArray[np.bool_]) -> bool:
    return len(_core.weight_order(arcs.astype(np.float64))) == len(arcs)
