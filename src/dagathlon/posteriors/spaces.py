"""Which graphs a posterior covers, in words."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt


def all_dags(
    forbidden: npt.NDArray[np.bool_], required: npt.NDArray[np.bool_], max_parents: int | None
) -> str:
    """All DAGs that keep to limits; edges are matrices from row to column."""
    return "all DAGs" + limits_in_words(forbidden, required, max_parents)


def limits_in_words(
    forbidden: npt.NDArray[np.bool_], required: npt.NDArray[np.bool_], max_parents: int | None
) -> str:
    """The limits to which DAGs keep, to be said after them; empty where there are none."""
    p = len(required)
    found = []
    if max_parents is not None and max_parents < p - 1:
        found.append(f" of at most {max_parents} parents for each node")
    if np.any(forbidden & ~np.eye(p, dtype=np.bool_)):
        found.append(" without the forbidden edges")
    if np.any(required):
        found.append(" with the required edges")
    return ",".join(found)
