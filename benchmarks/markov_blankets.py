"""Speed of blanket and neighbourhood learners: ``python -m benchmarks.markov_blankets``.

The peer is bnlearn's C code as packaged in bnlearn-port (imports as pybnlearn).
"""

from __future__ import annotations

from typing import Any

import numpy as np
from benchmarks.separation import best_of

from dagathlon.data import Dataset, read_data
from dagathlon.learners import learn

LEARNERS = ("gs", "iamb", "inter_iamb", "mmpc", "si_hiton_pc", "hpc")


def gaussian_frame(p: int, n: int) -> Any:
    """A random linear Gaussian network with one parent per variable on average."""
    import pandas as pd

    rng = np.random.default_rng(3)
    weights = np.triu((rng.random((p, p)) < 2 / (p - 1)) * rng.uniform(0.3, 0.9, (p, p)), 1)
    values = np.linalg.solve((np.eye(p) - weights).T, rng.normal(size=(p, n))).T
    return pd.DataFrame(values, columns=[f"V{i}" for i in range(p)])


def compare(name: str, frame: Any, data: Dataset, what: str) -> dict[str, Any]:
    """Times of both on the same data."""
    import pybnlearn

    peer = getattr(pybnlearn, name)
    ours = best_of(3, lambda: learn(data, name, test="zf", alpha=0.01))
    theirs = best_of(1, lambda: peer(frame, test="zf", alpha=0.01))
    return {
        "what": f"{name}, {what}",
        "ours_s": ours,
        "peer": "bnlearn-port",
        "peer_s": theirs,
        "ratio": theirs / ours,
        "note": "zf, alpha .01, one core; ours best of 3, the peer once",
    }


def run() -> list[dict[str, Any]]:
    """One row per learner."""
    rows = []
    for p, n, names in ((50, 1000, LEARNERS), (100, 1000, ("mmpc", "si_hiton_pc", "iamb"))):
        frame = gaussian_frame(p, n)
        data = read_data(frame)
        rows += [compare(name, frame, data, f"Gaussian p={p} n={n}") for name in names]
    return rows


if __name__ == "__main__":
    for row in run():
        print(
            f"{row['what']:40} {row['ours_s']:9.4f} s {row['peer']:13} {row['peer_s']:9.3f} s "
            f"{row['ratio']:8.1f}x  {row['note']}"
        )
