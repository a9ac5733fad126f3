"""Record the causal orders and graphs that dodiscover's learners give, for tests/learners.

    python tools/dodiscover_orders.py > tests/learners/dodiscover_orders.json

Run it with an interpreter that has dodiscover (github.com/py-why/dodiscover, MIT), not with this
package's: the tests only import `rows_of` from here.
"""

from __future__ import annotations

import contextlib
import io
import json
import warnings
from typing import Any

import numpy as np
import numpy.typing as npt

CASES = [(880001, 5, 200), (880002, 6, 300), (880003, 7, 250), (880004, 8, 300), (880005, 6, 500)]
ALPHA = 0.001


def rows_of(seed: int, columns: int, rows: int) -> npt.NDArray[np.float64]:
    """Sums of sines, squares and bumps of random parents with Gaussian noise, in a random order."""
    rng = np.random.default_rng(seed)
    values = rng.standard_normal((rows, columns)) * rng.uniform(0.5, 1.0, columns)
    for j in range(columns):
        for i in range(j):
            if rng.random() < 0.45:
                x = values[:, i]
                kind = rng.integers(3)
                values[:, j] += (np.sin(2 * x), 0.5 * np.clip(x, -2, 2) ** 2, np.exp(-(x**2)))[kind]
    return values[:, rng.permutation(columns)]


def main() -> None:
    """Run all learners on all cases."""
    import pandas as pd  # noqa: PLC0415 - only where dodiscover is
    from dodiscover import make_context, toporder  # noqa: PLC0415

    found: list[dict[str, Any]] = []
    warnings.simplefilter("ignore")
    for seed, columns, rows in CASES:
        frame = pd.DataFrame(rows_of(seed, columns, rows))
        case: dict[str, Any] = {"seed": seed, "columns": columns, "rows": rows}
        case["checksum"] = float((frame.to_numpy() ** 2).sum())
        for name in ("SCORE", "DAS", "NoGAM", "CAM"):
            learner = getattr(toporder, name)(alpha=ALPHA)
            with contextlib.redirect_stdout(io.StringIO()):
                learner.learn_graph(frame, make_context().variables(data=frame).build())
            arcs = sorted((int(a), int(b)) for a, b in learner.graph_.edges)
            case[name] = {"order": [int(j) for j in learner.order_], "arcs": arcs}
        found.append(case)
    print("[\n" + ",\n".join(map(json.dumps, found)) + "\n]")


if __name__ == "__main__":
    main()
