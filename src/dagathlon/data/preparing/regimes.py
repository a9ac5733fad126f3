"""Regimes: which variables were intervened on in which rows."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from dagathlon.errors import DataError, unknown

_MAX_REGIMES = 65_536


class Regimes(NamedTuple):
    """Distinct target sets, and for each row the index of its target set.

    The empty set is the observational regime.
    """

    targets: tuple[frozenset[str], ...]
    rows: npt.NDArray[np.uint16]

    @property
    def is_observational(self) -> bool:
        """Whether no row belongs to a regime with targets."""
        used = np.bincount(self.rows, minlength=len(self.targets)) > 0
        return not any(target for target, use in zip(self.targets, used, strict=True) if use)

    def canonical(self) -> Regimes:
        """Return the regimes without unused ones, in order of first appearance in the rows."""
        numbers, first, positions = np.unique(self.rows, return_index=True, return_inverse=True)
        order = np.argsort(first)
        rank = np.empty_like(order)
        rank[order] = np.arange(len(order))
        targets = tuple(self.targets[numbers[i]] for i in order)
        return Regimes(targets, rank[positions].astype(np.uint16))

    def mask(self, names: Sequence[str]) -> npt.NDArray[np.bool_]:
        """Return a mask of rows by names: whether the variable was intervened on."""
        table = np.array([[name in target for name in names] for target in self.targets])
        result = np.empty((len(self.rows), len(names)), dtype=bool, order="F")
        for j in range(len(names)):
            np.take(table[:, j], self.rows, out=result[:, j])
        return result

    def restricted(self, names: Iterable[str]) -> Regimes:
        """Return the regimes with targets outside `names` dropped."""
        observed = frozenset(names)
        return merged([target & observed for target in self.targets], self.rows)


def merged(targets: Iterable[Iterable[str]], rows: npt.NDArray[np.integer]) -> Regimes:
    """Return regimes with equal target sets merged, the rows renumbered."""
    sets = [frozenset([target] if isinstance(target, str) else target) for target in targets]
    distinct = tuple(dict.fromkeys(sets))
    if len(distinct) > _MAX_REGIMES:
        raise DataError(f"found {len(distinct)} regimes, allowed are {_MAX_REGIMES}")
    number = {target: i for i, target in enumerate(distinct)}
    renumbered = np.array([number[target] for target in sets], dtype=np.uint16)
    result = rows.astype(np.uint16, copy=False)
    if len(distinct) != len(sets):
        result = renumbered[rows]
    result.flags.writeable = False
    return Regimes(distinct, result)


def checked_regimes(
    targets: Iterable[Iterable[str]], rows: npt.ArrayLike, names: Sequence[str], n_rows: int
) -> Regimes | None:
    """Return regimes checked against the names and number of rows; None if all observational."""
    sets = [frozenset([target] if isinstance(target, str) else target) for target in targets]
    known = set(names)
    for name in (name for target in sets for name in sorted(target, key=str)):
        if name not in known:
            raise DataError(unknown("intervention target", name, names))
    indices = np.asarray(rows, dtype=None if n_rows else np.uint16)
    if indices.shape != (n_rows,) or indices.dtype.kind not in "iu":
        raise DataError(
            f"regimes are one whole number for each of the {n_rows} rows, "
            f"found an array of shape {indices.shape} and type {indices.dtype}"
        )
    if n_rows and not (int(indices.min()) >= 0 and int(indices.max()) < len(sets)):
        raise DataError(
            f"a row's regime is the index of one of the {len(sets)} target sets, "
            f"found {int(indices.min())} to {int(indices.max())}"
        )
    return merged(sets, indices) if any(sets) else None


def regimes_of_mask(names: Sequence[str], mask: npt.NDArray[np.bool_]) -> Regimes:
    """Return the regimes given a mask of rows by names of intervened variables."""
    packed = np.packbits(mask, axis=1)
    _, first, rows = np.unique(packed, axis=0, return_index=True, return_inverse=True)
    targets = [frozenset(np.array(names, dtype=object)[mask[row]].tolist()) for row in first]
    if len(targets) > _MAX_REGIMES:
        raise DataError(f"found {len(targets)} regimes, allowed are {_MAX_REGIMES}")
    return merged(targets, rows.reshape(len(mask)))
