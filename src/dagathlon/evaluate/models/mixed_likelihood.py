"""Likelihood of rows of mixed data under a DAG fitted to other rows, family by family."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from dagathlon.data import Dataset
from dagathlon.data.models.distributions import FloatArray
from dagathlon.errors import DataError
from dagathlon.graphs import Graph

# Rows beyond the number of coefficients that a configuration of discrete parents needs for a
# regression of its own; with fewer it takes part in that of all rows.
_SPARE_ROWS = 5
_MOST_CELLS = 1_000_000
# A residual deviation below this share of the column's own is rounding: the density is no number.
_LEAST_DEVIATION = 1e-9
_RIDGE = 1e-6
IntArray = npt.NDArray[np.intp]


class _Family(NamedTuple):
    """A node with its parents, by kind."""

    node: str
    discrete: tuple[str, ...]
    continuous: tuple[str, ...]
    levels: tuple[int, ...]

    @classmethod
    def of(cls, name: str, dag: Graph, data: Dataset) -> _Family:
        parents = sorted(dag.parents(name))
        variables = {n: data.variables[data.position(n)] for n in (*parents, name)}
        discrete = tuple(n for n in parents if variables[n].is_discrete)
        levels = tuple(variables[n].arity for n in discrete)
        if math.prod(levels) > _MOST_CELLS:
            raise DataError(f"the parents of {name!r} have {math.prod(levels):,} configurations")
        return cls(name, discrete, tuple(n for n in parents if n not in discrete), levels)

    def configurations(self, data: Dataset) -> IntArray:
        """Return the configuration number of the discrete parents in each row."""
        if not self.discrete:
            return np.zeros(len(data), dtype=np.intp)
        codes = tuple(data.column(n).astype(np.intp) for n in self.discrete)
        return np.ravel_multi_index(codes, self.levels)

    def values(self, data: Dataset) -> FloatArray:
        """Return the continuous parents, one per column."""
        columns = [data.column(n).astype(np.float64) for n in self.continuous]
        return np.column_stack(columns) if columns else np.zeros((len(data), 0))


def mixed_row_log_likelihoods(
    dag: Graph, training: Dataset, test: Dataset, sample_size: float = 1.0
) -> FloatArray:
    """Return the log density of each test row, with families fitted to the training rows.

    A continuous node has a regression on its continuous parents for each configuration of its
    discrete ones; configurations with few rows share that of all rows. A discrete node has a
    table, the mean of its BDeu posterior; where it has continuous parents too, these are normal
    given the node and its discrete parents, with a covariance that all cells share, and Bayes'
    rule gives the node.

    Parameters
    ----------
    dag
        A DAG over columns of the data.
    training, test
        Complete rows; variables follow no mechanism of their own where they were intervened on,
        so that these rows are left out of training and of the test.
    sample_size
        Equivalent sample size of the prior of discrete nodes.
    """
    total = np.zeros(len(test))
    for name in dag.names:
        family = _Family.of(name, dag, training)
        own_rows = training.take(np.flatnonzero(~_intervened(name, training)))
        if not len(own_rows):
            raise DataError(f"variable {name!r} was intervened on in every row")
        if training.variables[training.position(name)].is_discrete:
            terms = _discrete_terms(family, own_rows, test, sample_size)
        else:
            terms = _continuous_terms(family, own_rows, test)
        terms[_intervened(name, test)] = 0.0
        total += terms
    return total


def _intervened(name: str, data: Dataset) -> npt.NDArray[np.bool_]:
    if data.intervened is None:
        return np.zeros(len(data), dtype=bool)
    return np.asarray(data.intervened[:, data.position(name)])


def _continuous_terms(family: _Family, training: Dataset, test: Dataset) -> FloatArray:
    cells, values = family.configurations(training), family.values(training)
    test_configurations, given = family.configurations(test), family.values(test)
    node = training.column(family.node).astype(np.float64)
    observed = test.column(family.node).astype(np.float64)
    shared = _regression(values, node)
    if shared is None:
        raise DataError(f"variable {family.node!r} follows from its parents without noise")
    terms = np.empty(len(test))
    for cell in np.unique(test_configurations):
        rows, mine = test_configurations == cell, cells == cell
        own = None
        if mine.sum() >= values.shape[1] + 1 + _SPARE_ROWS:
            own = _regression(values[mine], node[mine])
        weights, deviation = own or shared
        mean = weights[0] + given[rows] @ weights[1:]
        terms[rows] = _log_normal((observed[rows] - mean) / deviation) - math.log(deviation)
    return terms


def _regression(values: FloatArray, node: FloatArray) -> tuple[FloatArray, float] | None:
    """Return coefficients, intercept first, and residual deviation; None without residuals."""
    given = np.column_stack([np.ones(len(node)), values])
    weights: FloatArray = np.linalg.lstsq(given, node, rcond=None)[0].astype(np.float64)
    deviation = float(np.sqrt(np.mean((node - given @ weights) ** 2)))
    scale = max(float(np.std(node)), float(np.abs(node).max()), 1e-300)
    return (weights, deviation) if deviation > _LEAST_DEVIATION * scale else None


def _log_normal(scaled: FloatArray) -> FloatArray:
    return np.asarray(-0.5 * scaled**2 - 0.5 * math.log(2 * math.pi))


def _discrete_terms(
    family: _Family, training: Dataset, test: Dataset, sample_size: float
) -> FloatArray:
    arity = training.variables[training.position(family.node)].arity
    cells, codes = family.configurations(training), training.column(family.node).astype(np.intp)
    n_cells = math.prod(family.levels)
    if n_cells * arity > _MOST_CELLS:
        raise DataError(f"the table of {family.node!r} would have {n_cells * arity:,} cells")
    counts = np.bincount(cells * arity + codes, minlength=n_cells * arity).reshape(n_cells, arity)
    smoothed = counts + sample_size / counts.size
    logs = np.log(smoothed / smoothed.sum(axis=1, keepdims=True))
    test_configurations = family.configurations(test)
    weights = logs[test_configurations]
    if family.continuous:
        weights = weights + _parent_densities(family, training, test, counts)
        weights -= np.logaddexp.reduce(weights, axis=1, keepdims=True)
    return np.asarray(weights[np.arange(len(test)), test.column(family.node).astype(np.intp)])


def _parent_densities(
    family: _Family, training: Dataset, test: Dataset, counts: npt.NDArray[np.intp]
) -> FloatArray:
    """Return the log density of each test row's continuous parents for every level of the node.

    Terms common to all levels are left out. The mean of a cell is shrunk by one pseudo-row at
    the mean of its configuration, which in turn is shrunk by one at the mean of all rows.
    """
    n_cells, arity = counts.shape
    cells, values = family.configurations(training), family.values(training)
    codes = training.column(family.node).astype(np.intp)
    centre = values.mean(axis=0)
    sums = np.zeros((n_cells, arity, values.shape[1]))
    np.add.at(sums, (cells, codes), values)
    by_cell = (sums.sum(axis=1) + centre) / (counts.sum(axis=1) + 1)[:, None]
    means = (sums + by_cell[:, None, :]) / (counts + 1)[:, :, None]
    residuals = values - means[cells, codes]
    spread = residuals.T @ residuals / len(values)
    spread += np.diag(_RIDGE * values.var(axis=0) + 1e-300)
    root = np.linalg.cholesky(spread)
    given, test_configurations = family.values(test), family.configurations(test)
    apart = given[:, None, :] - means[test_configurations]
    scaled = np.linalg.solve(root, apart.reshape(-1, values.shape[1]).T)
    return np.asarray(-0.5 * (scaled**2).sum(axis=0).reshape(len(test), arity))
