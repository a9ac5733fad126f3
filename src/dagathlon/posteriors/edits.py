"""`Edits`: edges added or removed in each row of a chain of graphs."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from dagathlon.posteriors.packed import Ints


class Edits(NamedTuple):
    """Edges added in each row, or those removed.

    Parameters
    ----------
    edges
        Pairs of node numbers, from first to second, row after row: an array of shape (m, 2).
    starts
        For each row the place of its first edge in `edges`, and at last m.
    """

    edges: npt.NDArray[np.int32]
    starts: Ints

    @classmethod
    def of(cls, rows: Iterable[npt.ArrayLike]) -> Edits:
        """Make edits from one list of pairs per row."""
        pairs = [np.asarray(row, dtype=np.int32).reshape(-1, 2) for row in rows]
        starts = np.cumsum([0, *map(len, pairs)], dtype=np.int64)
        return cls(np.concatenate([np.empty((0, 2), np.int32), *pairs]), starts)

    @property
    def rows(self) -> Ints:
        """Row of each edge."""
        return np.repeat(np.arange(len(self.starts) - 1, dtype=np.int64), np.diff(self.starts))

    def kept(self, keep: npt.NDArray[np.bool_]) -> Edits:
        """Return only the edges selected by a mask."""
        if keep.all():
            return self
        counts = np.concatenate(([0], np.cumsum(keep)))
        return Edits(self.edges[keep], counts[self.starts])


def effective_edits(added: Edits, removed: Edits, p: int) -> tuple[Edits, Edits]:
    """Drop edits without effect, so that additions and removals of an edge alternate."""
    rows = np.concatenate([added.rows, removed.rows])
    edges = np.concatenate([added.edges, removed.edges]).astype(np.int64)
    present = np.arange(len(edges)) < len(added.edges)
    edge = edges[:, 0] * p + edges[:, 1]
    # One sortable number: by edge, then by row, additions before removals.
    order = np.argsort((edge * len(added.starts) + rows) * 2 + ~present, kind="stable")
    state = present[order]
    before = np.concatenate(([False], state[:-1]))
    before[np.flatnonzero(np.diff(edge[order], prepend=-1))] = False
    keep = np.empty(len(edges), dtype=np.bool_)
    keep[order] = state != before
    return added.kept(keep[: len(added.edges)]), removed.kept(keep[len(added.edges) :])


def joined_edits(added: Edits, removed: Edits, rows: Ints, p: int) -> tuple[Edits, Edits]:
    """Return the edits of selected rows; those of other rows join the next selected one."""
    keys, signs = [], []
    for edits, sign in ((added, 1), (removed, -1)):
        place = np.searchsorted(rows, edits.rows)
        inside = place < len(rows)
        edges = edits.edges[inside].astype(np.int64)
        keys.append(place[inside] * p * p + edges[:, 0] * p + edges[:, 1])
        signs.append(np.full(len(edges), sign))
    keys_used, inverse = np.unique(np.concatenate(keys), return_inverse=True)
    # Additions and removals of an edge alternate, so only one of them is left over, if any.
    net = np.bincount(inverse, weights=np.concatenate(signs), minlength=len(keys_used))
    parts = []
    for sign in (1, -1):
        row, cell = np.divmod(keys_used[net == sign], p * p)
        pairs = np.stack(np.divmod(cell, p), axis=1).astype(np.int32)
        parts.append(Edits(pairs, np.searchsorted(row, np.arange(len(rows) + 1))))
    return parts[0], parts[1]
