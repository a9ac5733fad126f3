"""Conditional distributions of the nodes of a Bayesian network."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from dagathlon.data.variable import first_repeated
from dagathlon.errors import DataError

FloatArray: TypeAlias = npt.NDArray[np.float64]

# A row that misses 1 by less than EXACT is left as it is, so that writing and reading a network
# changes no digit. Up to ROUNDING it is a table printed with few digits (three thirds of 0.333)
# and is divided by its sum; beyond, it is a mistake.
EXACT = 1e-12
ROUNDING = 2e-3


@dataclass(frozen=True, eq=False)
class Table:
    """Conditional probability table of a discrete node: probabilities of its levels given parents.

    Parameters
    ----------
    levels
        The node's levels, at least one, in order.
    parents
        The parents, all discrete, in the order of the table's axes.
    probabilities
        One axis per parent, in order, and the node's own levels on the last axis, which sums to 1.
        Sums that miss 1 by at most 0.002, as tables printed with few digits do, are set right;
        larger differences are refused.
    """

    levels: tuple[str, ...]
    parents: tuple[str, ...]
    probabilities: FloatArray

    def __post_init__(self) -> None:
        object.__setattr__(self, "levels", _unique(self.levels, "level"))
        object.__setattr__(self, "parents", _unique(self.parents, "parent"))
        if not self.levels:
            raise DataError("a discrete node has at least one level, found none")
        cells = _numbers(self.probabilities, "probabilities")
        wanted = len(self.parents) + 1
        if cells.ndim != wanted or cells.shape[-1] != len(self.levels):
            raise DataError(
                f"a table of {len(self.levels)} levels and {len(self.parents)} parents has "
                f"{wanted} axes, the last of length {len(self.levels)}; "
                f"found {_shape(cells.shape)}"
            )
        object.__setattr__(self, "probabilities", _frozen(_normalised(cells)))

    @property
    def n_parameters(self) -> int:
        """Number of free parameters: levels minus one, for each configuration of the parents."""
        return self.probabilities.size // len(self.levels) * (len(self.levels) - 1)

    def reordered(self, parents: tuple[str, ...]) -> Table:
        """Return the same table with its parents in another order."""
        axes = [self.parents.index(parent) for parent in parents]
        turned = np.transpose(self.probabilities, [*axes, len(axes)])
        return Table(self.levels, parents, np.ascontiguousarray(turned))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Table) or self.levels != other.levels:
            return False
        if set(self.parents) != set(other.parents):
            return False
        return np.array_equal(self.probabilities, other.reordered(self.parents).probabilities)

    def __hash__(self) -> int:
        return hash((self.levels, frozenset(self.parents)))

    def __reduce__(self) -> tuple[object, ...]:
        return (Table, (self.levels, self.parents, self.probabilities))


@dataclass(frozen=True, eq=False)
class Gaussian:
    """Linear Gaussian distribution of a continuous node given its continuous parents.

    Discrete parents, if any, choose the row of parameters: then the node is conditional
    Gaussian.

    Parameters
    ----------
    continuous_parents
        The continuous parents, in the order of the coefficients.
    intercept
        Mean at zero of all continuous parents; an array with one axis per discrete parent.
    coefficients
        One per continuous parent on the last axis, after one axis per discrete parent.
    sd
        Standard deviation around the mean, not negative; shaped as the intercept.
    discrete_parents
        The discrete parents, in the order of the axes; none for a plain Gaussian node.
    """

    continuous_parents: tuple[str, ...]
    intercept: FloatArray
    coefficients: FloatArray
    sd: FloatArray
    discrete_parents: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "continuous_parents", _unique(self.continuous_parents, "parent"))
        object.__setattr__(self, "discrete_parents", _unique(self.discrete_parents, "parent"))
        _unique(self.parents, "parent")
        intercept = _numbers(self.intercept, "intercept")
        coefficients = _numbers(self.coefficients, "coefficients")
        sd = _numbers(self.sd, "sd")
        if intercept.ndim != len(self.discrete_parents):
            raise DataError(
                f"an intercept has one axis per discrete parent ({len(self.discrete_parents)}), "
                f"found {_shape(intercept.shape)}"
            )
        wanted = (*intercept.shape, len(self.continuous_parents))
        if coefficients.shape != wanted or sd.shape != intercept.shape:
            raise DataError(
                f"coefficients are {_shape(wanted)} and sd {_shape(intercept.shape)}, "
                f"found {_shape(coefficients.shape)} and {_shape(sd.shape)}"
            )
        if sd.size and sd.min() < 0:
            raise DataError(f"a standard deviation is not negative, found {sd.min():g}")
        for name, array in (("intercept", intercept), ("coefficients", coefficients), ("sd", sd)):
            object.__setattr__(self, name, _frozen(array))

    @property
    def parents(self) -> tuple[str, ...]:
        """All parents: the discrete ones, then the continuous ones."""
        return self.discrete_parents + self.continuous_parents

    @property
    def n_parameters(self) -> int:
        """Number of intercepts, coefficients and sds over all discrete configurations."""
        return self.intercept.size + self.coefficients.size + self.sd.size

    @property
    def rows(self) -> FloatArray:
        """Intercept, coefficients and sd in one matrix, one row per discrete configuration."""
        width = len(self.continuous_parents)
        parts = (
            self.intercept.reshape(-1, 1),
            self.coefficients.reshape(self.intercept.size, width),
            self.sd.reshape(-1, 1),
        )
        return np.ascontiguousarray(np.hstack(parts))

    def reordered(self, discrete: tuple[str, ...], continuous: tuple[str, ...]) -> Gaussian:
        """Return the same distribution with its parents in another order."""
        axes = [self.discrete_parents.index(parent) for parent in discrete]
        columns = [self.continuous_parents.index(parent) for parent in continuous]
        coefficients = np.transpose(self.coefficients, [*axes, len(axes)])[..., columns]
        return Gaussian(
            continuous,
            np.transpose(self.intercept, axes),
            coefficients,
            np.transpose(self.sd, axes),
            discrete,
        )

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Gaussian):
            return False
        if set(self.discrete_parents) != set(other.discrete_parents):
            return False
        if set(self.continuous_parents) != set(other.continuous_parents):
            return False
        same = other.reordered(self.discrete_parents, self.continuous_parents)
        return np.array_equal(self.rows, same.rows) and self.intercept.shape == same.intercept.shape

    def __hash__(self) -> int:
        return hash((frozenset(self.discrete_parents), frozenset(self.continuous_parents)))

    def __reduce__(self) -> tuple[object, ...]:
        parts = (self.intercept, self.coefficients, self.sd)
        return (Gaussian, (self.continuous_parents, *parts, self.discrete_parents))


Distribution: TypeAlias = Table | Gaussian


def _normalised(cells: FloatArray) -> FloatArray:
    if cells.size == 0:
        return cells
    if cells.min() < 0:
        where = np.unravel_index(int(np.argmin(cells)), cells.shape)
        raise DataError(f"probabilities are not negative, found {cells[where]:g}")
    sums = cells.sum(axis=-1, keepdims=True)
    error = np.abs(sums - 1)
    if error.max() > ROUNDING:
        worst = int(np.argmax(error))
        row = "" if sums.size == 1 else f" in row {worst + 1} of {sums.size}"
        raise DataError(
            f"probabilities sum to 1 (within {ROUNDING:g}), found {sums.flat[worst]:.10g}{row}"
        )
    return np.where(error > EXACT, cells / sums, cells)


def _numbers(values: npt.ArrayLike, what: str) -> FloatArray:
    try:
        array = np.array(values, dtype=np.float64, order="C")
    except (TypeError, ValueError):
        raise DataError(f"{what} are numbers, found {values!r:.60}") from None
    if not np.isfinite(array).all():
        raise DataError(
            f"{what} are finite numbers, found {array[~np.isfinite(array)].flat[0]}"
            " (some tools write it for parent configurations that were never observed)"
        )
    return array


def _frozen(array: FloatArray) -> FloatArray:
    array = np.ascontiguousarray(array).reshape(array.shape)
    array.flags.writeable = False
    return array


def _unique(names: tuple[str, ...], what: str) -> tuple[str, ...]:
    labels = tuple(names)
    for label in labels:
        if not isinstance(label, str):
            raise DataError(f"a {what} is a text, found {label!r}")
    twice = first_repeated(labels)
    if twice is not None:
        raise DataError(f"{what} {twice!r} stands twice")
    return labels


def _shape(shape: tuple[int, ...]) -> str:
    return "×".join(map(str, shape)) if shape else "a single number"
