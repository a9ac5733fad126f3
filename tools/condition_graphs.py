"""Records what causal-learn's CD-NOD gives on drawn data, for tests/learners/test_cd_nod.py.

    python tools/condition_graphs.py tests/learners/condition_graphs.json

Run it where causal-learn is installed; it needs nothing of this package.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

Matrix = npt.NDArray[np.float64]
KERNEL_SEED = 1000


def draw(seed: int) -> tuple[Matrix, npt.NDArray[np.int64]]:
    """Linear Gaussian data of three conditions with which two variables shift."""
    rng = np.random.default_rng(seed)
    kernel = seed >= KERNEL_SEED
    p, rows = (3, 30) if kernel else (6, 200)
    weights = rng.uniform(0.4, 1, (p, p)) * rng.choice([-1, 1], (p, p))
    weights = np.triu((rng.random((p, p)) < (0.8 if kernel else 0.4)) * weights, 1)
    changing = rng.permutation(p)[:2]
    labels = np.repeat(np.arange(3), rows)
    noise = rng.normal(size=(3 * rows, p))
    for j in changing:
        noise[:, j] += labels * rng.uniform(0.6, 1.2)
    return noise @ np.linalg.inv(np.eye(p) - weights), labels


def marks(found: Any) -> list[str]:
    """Cell (i, j) is the mark at j: 2 an arrow, 3 a tail."""
    codes = np.select([found == 1, found == -1], [2, 3], 0).T
    return ["".join(map(str, row)) for row in codes]


def main(target: str) -> None:
    """Run causal-learn on all data sets and write its graphs."""
    from causallearn.search.ConstraintBased.CDNOD import cdnod  # noqa: PLC0415

    cases = []
    for seed in (*range(20), KERNEL_SEED, KERNEL_SEED + 1):
        data, labels = draw(seed)
        test = "kci" if seed >= KERNEL_SEED else "fisherz"
        condition = labels[:, None].astype(float)
        found = cdnod(data, condition, 0.05, test, True, 0, 2, show_progress=False)
        cases.append({"seed": seed, "test": test, "marks": marks(found.G.graph)})
    Path(target).write_text(json.dumps(cases, indent=1) + "\n")


if __name__ == "__main__":
    main(sys.argv[1])
