"""Suspicious relations among columns: duplicates of each other, exact linear dependence."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence

import numpy as np
import numpy.typing as npt

from dagathlon.data.inspection.remarks import Remark

MOST_COLUMNS = 300
MOST_ROWS = 2000
_TOLERANCE = 1e-9
_NAMED = 6
_DIFFERENT = 10
_PRESENT = 0.5


class Copies:
    """Finder of columns that have the same values as an earlier one."""

    def __init__(self) -> None:
        self.remarks: list[Remark] = []
        self._seen: dict[bytes, str] = {}

    def add(self, name: str, values: npt.NDArray[np.float64], words: Sequence[str] = ()) -> None:
        """Compare one more column with those before; constant columns are skipped."""
        present = values[~np.isnan(values)]
        if len(present) < 2 or (present == present[0]).all():
            return
        content = hashlib.blake2b(np.add(values, 0.0).tobytes())
        content.update("\0".join(words).encode())
        digest = content.digest()
        first = self._seen.setdefault(digest, name)
        if first != name:
            text = f"the same values as in {first!r}"
            # Levels agree by chance where rows are few.
            chance = len(np.unique(present)) < _DIFFERENT
            self.remarks.append(Remark("copy", text, name, "drop", name, advised=not chance))


def dependences(
    columns: Mapping[str, npt.NDArray[np.float64]], known: Sequence[str]
) -> Iterator[Remark]:
    """Yield remarks on continuous columns that are linear combinations of earlier ones.

    Columns in `known` are left out. Each column is regressed on the independent ones before it;
    it is reported where the residual is rounding error.
    """
    gone = frozenset(known)
    names = [
        name
        for name, values in columns.items()
        if name not in gone and np.isfinite(values).mean() > _PRESENT
    ]
    if not 2 <= len(names) <= MOST_COLUMNS:
        return
    matrix = np.column_stack([columns[name] for name in names])[:MOST_ROWS]
    matrix = matrix[np.isfinite(matrix).all(axis=1)]
    if len(matrix) < len(names) + 2:
        return
    deviations = matrix.std(axis=0)
    varying = [j for j in range(len(names)) if deviations[j] > 1e-12 * np.abs(matrix[:, j]).max()]
    standard = (matrix - matrix.mean(axis=0)) / np.where(deviations > 0, deviations, 1.0)
    basis: list[int] = []
    directions = np.empty((len(matrix), 0))
    for j in varying:
        column = standard[:, j]
        rest = column - directions @ (directions.T @ column)
        rest = rest - directions @ (directions.T @ rest)  # twice is enough
        size = float(np.linalg.norm(rest))
        if size > _TOLERANCE * np.sqrt(len(matrix)) * max(len(basis), 1):
            basis.append(j)
            directions = np.column_stack([directions, rest / size])
        else:
            yield _dependence(names, standard, j, basis)


def _dependence(
    names: Sequence[str], standard: npt.NDArray[np.float64], j: int, basis: Sequence[int]
) -> Remark:
    weights, *_ = np.linalg.lstsq(standard[:, list(basis)], standard[:, j], rcond=None)
    used = [names[k] for k, weight in zip(basis, weights, strict=True) if abs(weight) > 1e-6]
    of = ", ".join(map(repr, used[:_NAMED])) + (" …" if len(used) > _NAMED else "")
    text = f"an exact linear function of {of}: tests and scores cannot distinguish them"
    return Remark("linear dependence", text, names[j], "drop", names[j], advised=True)
