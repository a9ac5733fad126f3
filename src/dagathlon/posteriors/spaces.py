"""Descriptions of the space of graphs that a posterior covers."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt


def all_dags(
    forbidden: npt.NDArray[np.bool_], required: npt.NDArray[np.bool_], max_parents: int | None
) -> str:
    """Describe all DAGs within limits, given as matrices from row to column."""
    return "all DAGs" + limits_in_words(forbidden, required, max_parents)


def limits_in_words(
    forbidden: npt.NDArray[np.bool_], required: npt.NDArray[np.bool_], max_parents: int | None
) -> str:
    """Describe the limits on DAGs as a suffix; empty without any."""
    p = len(required)
    limits = []
    if max_parents is not None and max_parents < p - 1:
        limits.append(f" of at most {max_parents} parents for each node")
    if np.any(forbidden & ~np.eye(p, dtype=np.bool_)):
        limits.append(" without the forbidden edges")
    if np.any(required):
        limits.append(" with the required edges")
    return ",".join(limits)
