"""Expected statistics of data with missing values under a network, for structural EM."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, cast

import numpy as np
import numpy.typing as npt

from dagathlon import _core
from dagathlon.data import Dataset, Gaussian, Network, Table, Variable
from dagathlon.data.models.fitting import table_of
from dagathlon.errors import DataError
from dagathlon.graphs import Graph
from dagathlon.learners.score.graph_priors import arc_terms
from dagathlon.learners.score.score_kinds import ScoreParameters, make_score, parameters_of
from dagathlon.pulse import beat

FloatArray = npt.NDArray[np.float64]

# The native score refuses larger families.
_MOST_CELLS = 1_000_000
_LOG_TWO_PI = math.log(2 * math.pi)
# Smallest residual share of a variance, so that every model has a density.
_LEAST_SHARE = 1e-9
_AT_ONCE = 256


@dataclass(frozen=True)
class Statistics:
    """Expected statistics, used in place of the data when scores are built.

    It has only what the builders of scores read; there are no rows.
    """

    names: tuple[str, ...]
    variables: tuple[Variable, ...]
    n_rows: int
    arities: tuple[int, ...] = ()
    codes: _core.ExpectedCounts | None = None
    known_moments: _core.Moments | None = None
    intervened: None = None

    def __len__(self) -> int:
        return self.n_rows

    def score(self, name: str, parameters: ScoreParameters) -> _core.Score:
        """Return a score of these statistics, with its prior over graphs."""
        score = make_score(name, parameters)
        native = score.build(cast(Any, self))
        terms = arc_terms(self.names, score, parameters_of(score, parameters), self.n_rows)
        return native if terms is None else terms.added_to(native)


class Expectation(ABC):
    """Base class of the expected statistics of data with missing values under a network.

    Attributes
    ----------
    log_likelihood
        Log probability (density) of the observed values under the network.
    statistics
        The expected statistics, from which scores of other graphs are computed.
    """

    log_likelihood: float
    statistics: Statistics

    @abstractmethod
    def refitted(self, dag: Graph) -> tuple[Expectation, float]:
        """Fit a DAG to the statistics; return the expectation under it and a log likelihood.

        The second value is the log likelihood of the statistics themselves under the fitted
        parameters.
        """


def expectation(data: Dataset, network: Network) -> Expectation:
    """Return the expected statistics of data under a network over their columns."""
    if data.is_discrete:
        source = _core.incomplete_data(data.codes, data.arities)
        parents, tables = [], []
        for name in data.names:
            given = network.distribution(name)
            assert isinstance(given, Table)
            parents.append([data.index[parent] for parent in given.parents])
            tables.append(given.probabilities.ravel().tolist())
        return DiscreteExpectation(data, source, parents, tables)
    return GaussianExpectation(Rows(data), *_equations(data, network))


class DiscreteExpectation(Expectation):
    """Expected counts of families of discrete variables."""

    def __init__(
        self,
        data: Dataset,
        source: _core.IncompleteData,
        parents: Sequence[Sequence[int]],
        tables: Sequence[Sequence[float]],
    ) -> None:
        self._data, self._source = data, source
        with _too_large():
            self._counts = _core.expected_counts(source, parents, tables)
        self.log_likelihood = self._counts.log_likelihood
        self.statistics = Statistics(
            data.names, data.variables, len(data), arities=data.arities, codes=self._counts
        )

    def refitted(self, dag: Graph) -> tuple[Expectation, float]:
        """Fit a DAG by the relative frequencies of the expected counts."""
        parents, tables, total = [], [], 0.0
        for child, name in enumerate(self._data.names):
            family = [self._data.index[parent] for parent in dag.parents(name)]
            shape = [self._data.arities[k] for k in (*family, child)]
            if math.prod(shape) > _MOST_CELLS:
                raise DataError(
                    f"the table of {name!r} would have {math.prod(shape):,} cells; bound the "
                    "number of parents (max_parents)"
                )
            with _too_large():
                counts = np.array(self._counts.counts(child, family)).reshape(shape)
            table = table_of(counts, 0.0)
            total += float(np.sum(counts[counts > 0] * np.log(table[counts > 0])))
            parents.append(family)
            tables.append(table.ravel().tolist())
        return DiscreteExpectation(self._data, self._source, parents, tables), total


@contextmanager
def _too_large() -> Iterator[None]:
    """Turn the native error for oversized tables into one that names the remedy."""
    try:
        yield
    except RuntimeError as error:
        raise DataError(
            f"{error}; leave out the columns or rows with the most missing values, or bound "
            "the number of parents (max_parents)"
        ) from None


class Rows:
    """Rows of continuous data, grouped by the number of missing values."""

    def __init__(self, data: Dataset) -> None:
        self.names, self.variables = data.names, data.variables
        self.values = np.ascontiguousarray(data.values)
        missing = np.isnan(self.values)
        self.known = np.where(missing, 0.0, 1.0)
        counts = missing.sum(axis=1)
        self.batches: list[tuple[npt.NDArray[np.intp], npt.NDArray[np.intp]]] = []
        for count in np.unique(counts[counts > 0]).tolist():
            rows = np.flatnonzero(counts == count)
            for start in range(0, len(rows), _AT_ONCE):
                chosen = rows[start : start + _AT_ONCE]
                open_ = np.nonzero(missing[chosen])[1].reshape(len(chosen), count)
                self.batches.append((chosen, open_))


class GaussianExpectation(Expectation):
    """Expected first and second moments of continuous variables.

    Parameters
    ----------
    rows
        The data.
    mean
        Means of the variables.
    weights
        Effects from row to column.
    variances
        Variances of the noise.
    """

    def __init__(
        self, rows: Rows, mean: FloatArray, weights: FloatArray, variances: FloatArray
    ) -> None:
        self._rows = rows
        n, p = rows.values.shape
        noise = np.eye(p) - weights
        precision = (noise / variances) @ noise.T
        deviations = np.where(rows.known > 0, rows.values - mean, 0.0)
        spread = np.zeros((p, p))
        log_determinant = 0.0
        for chosen, open_ in rows.batches:
            beat()
            block = precision[open_[:, :, None], open_[:, None, :]]
            inverse = np.linalg.inv(block)
            pulls = np.take_along_axis(deviations[chosen] @ precision, open_, axis=1)
            deviations[chosen[:, None], open_] = -np.einsum("rij,rj->ri", inverse, pulls)
            np.add.at(spread, (open_[:, :, None], open_[:, None, :]), inverse)
            log_determinant += float(np.linalg.slogdet(block)[1].sum())
        squares = float(np.sum((deviations @ noise) ** 2 / variances))
        self.log_likelihood = -0.5 * (
            float(rows.known.sum()) * _LOG_TWO_PI
            + n * float(np.log(variances).sum())
            + log_determinant
            + squares
        )
        shift = deviations.mean(axis=0)
        deviations -= shift
        self._mean = mean + shift
        self._scatter = deviations.T @ deviations + spread
        self.statistics = Statistics(
            rows.names,
            rows.variables,
            n,
            known_moments=_core.Moments.of(n, self._mean.tolist(), self._scatter),
        )

    def refitted(self, dag: Graph) -> tuple[Expectation, float]:
        """Fit a DAG by regressions on the parents."""
        n, p = self._rows.values.shape
        weights, variances = np.zeros((p, p)), np.ones(p)
        index = {name: k for k, name in enumerate(self._rows.names)}
        squares = np.diag(self._scatter)
        scale = np.sqrt(np.where(squares > 0, squares, 1.0))
        correlation = self._scatter / np.outer(scale, scale)
        for child, name in enumerate(self._rows.names):
            if squares[child] == 0:
                continue
            family = [index[parent] for parent in dag.parents(name)]
            shared = correlation[family, child]
            slopes = np.linalg.lstsq(correlation[np.ix_(family, family)], shared, rcond=None)[0]
            weights[family, child] = slopes * scale[child] / scale[family]
            share = max(1.0 - float(slopes @ shared), _LEAST_SHARE)
            variances[child] = share * squares[child] / n
        rest = np.diag((np.eye(p) - weights).T @ self._scatter @ (np.eye(p) - weights))
        total = -0.5 * float(np.sum(n * (_LOG_TWO_PI + np.log(variances)) + rest / variances))
        return GaussianExpectation(self._rows, self._mean, weights, variances), total


def _equations(data: Dataset, network: Network) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return the means, coefficients and variances of a Gaussian network, in column order."""
    p = len(data.names)
    mean, weights, variances = np.zeros(p), np.zeros((p, p)), np.ones(p)
    for name in network.graph.topological_order():
        given, child = network.distribution(name), data.index[name]
        assert isinstance(given, Gaussian)
        family = [data.index[parent] for parent in given.continuous_parents]
        weights[family, child] = given.coefficients
        mean[child] = float(given.intercept) + float(weights[:, child] @ mean)
        least = _LEAST_SHARE * float(np.nanvar(data.column(name)))
        variances[child] = max(float(given.sd) ** 2, least) or 1.0
    return mean, weights, variances
