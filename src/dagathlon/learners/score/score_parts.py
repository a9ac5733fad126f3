"""Parts shared by scores: rows without interventions, penalties per parameter."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy.typing as npt

from dagathlon.data.dataset import Dataset
from dagathlon.modules import NonNegative

Parts: TypeAlias = tuple[list[npt.NDArray[Any]], list[int]]


def all_rows(data: Dataset, matrix: npt.NDArray[Any]) -> Parts:
    """Return all rows, the same for each variable."""
    return [matrix], [0] * len(data.names)


def rows_without_intervention(data: Dataset, matrix: npt.NDArray[Any]) -> Parts:
    """Return, for each variable, the rows without interventions on it; equal choices once."""
    if data.intervened is None:
        return all_rows(data, matrix)
    numbers: dict[bytes, int] = {}
    parts: list[npt.NDArray[Any]] = []
    of_child = []
    for column in data.intervened.T:
        number = numbers.setdefault(column.tobytes(), len(parts))
        if number == len(parts):
            parts.append(matrix[~column])
        of_child.append(number)
    return parts, of_child


def values_or_moments(rows: Any, data: Any) -> tuple[list[Any], list[int]]:
    """Return the values of each variable's rows, or the moments of expected statistics."""
    if not isinstance(data, Dataset):
        return [data.known_moments], [0] * len(data.names)
    parts: tuple[list[Any], list[int]] = rows(data, data.values)
    return parts


def half_log_rows(data: Dataset) -> float:
    """Return half the logarithm of the number of rows: the penalty of BIC."""
    return 0.5 * math.log(len(data))


@dataclass(frozen=True, kw_only=True)
class AicPenalty:
    """Mixin of Akaike's criteria.

    Parameters
    ----------
    k
        Penalty per parameter; null is 1.
    """

    k: NonNegative | None = None

    def penalty(self, data: Dataset) -> float:
        """Return the parameter `k`, by default 1."""
        return 1.0 if self.k is None else self.k


@dataclass(frozen=True, kw_only=True)
class BicPenalty:
    """Mixin of Bayesian information criteria.

    Parameters
    ----------
    k
        Penalty per parameter; null is half the logarithm of the number of rows.
    """

    k: NonNegative | None = None

    def penalty(self, data: Dataset) -> float:
        """Return the parameter `k`, by default half the logarithm of the number of rows."""
        return half_log_rows(data) if self.k is None else self.k


@dataclass(frozen=True, kw_only=True)
class EbicPenalty(BicPenalty):
    """Mixin of extended Bayesian information criteria, which have a penalty per arc.

    Parameters
    ----------
    gamma
        Weight of the penalty per arc, 4·gamma·log(number of variables).
    """

    penalises_arcs = True

    gamma: NonNegative = 0.5
