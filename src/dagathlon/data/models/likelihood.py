"""Likelihood of data under a network."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
import numpy.typing as npt

from dagathlon.data.dataset import Dataset
from dagathlon.data.models.distributions import FloatArray, Gaussian, Table
from dagathlon.errors import DataError, unknown

if TYPE_CHECKING:
    from dagathlon.data.models.network import Network

IntArray: TypeAlias = npt.NDArray[np.intp]


def row_log_likelihoods(network: Network, data: Dataset) -> FloatArray:
    """Return the log probability of each row; see `Network.row_log_likelihoods`."""
    columns = _Columns(network, data)
    total = np.zeros(data.n_rows)
    for name, given in network.distributions.items():
        if isinstance(given, Table):
            terms = _table_terms(name, given, columns)
        else:
            terms = _gaussian_terms(name, given, columns)
        if data.intervened is not None:
            terms[data.intervened[:, data.position(name)]] = 0.0
        total += terms
    return total


class _Columns:
    """Columns of the data with codes converted to the network's order of levels."""

    def __init__(self, network: Network, data: Dataset) -> None:
        self._network = network
        self._data = data
        self._codes: dict[str, IntArray] = {}

    def values(self, name: str) -> FloatArray:
        column = self._data.column(name)
        if self._data.variables[self._data.position(name)].is_discrete:
            raise DataError(f"variable {name!r} is discrete in the data, continuous in the network")
        self._refuse_missing(name, np.isnan(column))
        return column

    def codes(self, name: str) -> IntArray:
        if name not in self._codes:
            self._codes[name] = self._translated(name)
        return self._codes[name]

    def _translated(self, name: str) -> IntArray:
        column = self._data.column(name)
        data_levels = self._data.variables[self._data.position(name)].levels
        if data_levels is None:
            raise DataError(f"variable {name!r} is continuous in the data, discrete in the network")
        self._refuse_missing(name, column == self._data.missing_code)
        given = self._network.distribution(name)
        known = given.levels if isinstance(given, Table) else ()
        position = {level: i for i, level in enumerate(known)}
        for code in np.unique(column).tolist():
            if data_levels[code] not in position:
                raise DataError(unknown("level", data_levels[code], known, f"variable {name!r}"))
        table = np.array([position.get(level, 0) for level in data_levels], dtype=np.intp)
        return np.take(table, column)

    def _refuse_missing(self, name: str, missing: npt.NDArray[np.bool_]) -> None:
        if missing.any():
            raise DataError(
                f"variable {name!r}, row {int(np.argmax(missing)) + 1}: the value is missing; "
                "a likelihood needs complete data"
            )


def _table_terms(name: str, given: Table, columns: _Columns) -> FloatArray:
    chosen = tuple(columns.codes(parent) for parent in given.parents)
    with np.errstate(divide="ignore"):
        logs = np.log(given.probabilities)
    terms: FloatArray = logs[(*chosen, columns.codes(name))]
    return terms


def _gaussian_terms(name: str, given: Gaussian, columns: _Columns) -> FloatArray:
    chosen = tuple(columns.codes(parent) for parent in given.discrete_parents)
    value = columns.values(name)
    mean = given.intercept[chosen] + np.zeros(len(value))
    for k, parent in enumerate(given.continuous_parents):
        mean += given.coefficients[(*chosen, k)] * columns.values(parent)
    sd = given.sd[chosen] + np.zeros(len(value))
    # A node without noise puts all its mass on its mean: infinite density there, none elsewhere.
    with np.errstate(divide="ignore", invalid="ignore"):
        terms = -0.5 * ((value - mean) / sd) ** 2 - np.log(sd) - 0.5 * math.log(2 * math.pi)
    exact = sd == 0
    terms[exact] = np.where(value[exact] == mean[exact], np.inf, -np.inf)
    return terms
