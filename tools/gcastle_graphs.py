"""Graphs of gCastle on data drawn for the purpose, kept for the quick tests.

    python tools/gcastle_graphs.py tests/learners/gcastle_graphs.json

Needs gCastle (``pip install gcastle torch``), and nothing of Dagathlon, so that it may run in an
environment of its own. Each case is a line: its settings, the checksum of its data, gCastle's arcs
from row to column, the distance of its weights from the threshold, and the other arcs that gCastle
gives when its data are changed by rounding errors.
"""

from __future__ import annotations

import json
import logging
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

Case: TypeAlias = dict[str, Any]
Matrix: TypeAlias = npt.NDArray[np.float64]
FIRST_SEED = 770_000
# Copies of the data changed by about this part of themselves: nothing a result should depend on.
COPIES, ROUNDING = 6, 1e-13


def cases() -> Iterator[Case]:
    """Settings that are spread over what users do, each with a seed of its own."""
    rng = np.random.default_rng(FIRST_SEED)
    kinds = ["l2"] * 20 + ["logistic"] * 2 + ["poisson"] * 2 + ["low_rank"] * 3 + ["anm"] * 3
    for seed, kind in enumerate(kinds, start=FIRST_SEED + 1):
        yield {
            "seed": seed,
            "kind": kind,
            "columns": int(rng.integers(5, 16 if kind == "l2" else 8)),
            "rows": int(rng.integers(100, 200 if kind == "anm" else 1000)),
            "scale_free": bool(rng.integers(2)),
            "weak": bool(rng.integers(2)),
            "standardised": bool(rng.integers(2)),
            "lambda1": [0.0, 0.1, 0.3][int(rng.integers(3))],
        }


def drawn(case: Case) -> Matrix:
    """The data of a case: a random linear model, or what its kind asks for."""
    rng = np.random.default_rng(case["seed"])
    arcs = _scale_free(case, rng) if case["scale_free"] else _erdos_renyi(case, rng)
    size = rng.uniform(*((0.25, 1.0) if case["weak"] else (0.5, 2.0)), arcs.shape)
    weights = arcs * size * rng.choice([-1, 1], arcs.shape)
    order = rng.permutation(len(arcs))
    values = _values(weights, case, rng)[:, order]
    if case["standardised"] and case["kind"] in ("l2", "low_rank"):
        values = (values - values.mean(axis=0)) / values.std(axis=0)
    return values


def _erdos_renyi(case: Case, rng: np.random.Generator) -> npt.NDArray[np.bool_]:
    p = case["columns"]
    return np.triu(rng.random((p, p)) < 3 / (p - 1), 1)


def _scale_free(case: Case, rng: np.random.Generator) -> npt.NDArray[np.bool_]:
    p = case["columns"]
    arcs = np.zeros((p, p), dtype=np.bool_)
    for j in range(1, p):
        chance = 1.0 + arcs.sum(axis=0)[:j] + arcs.sum(axis=1)[:j]
        arcs[rng.choice(j, min(2, j), replace=False, p=chance / chance.sum()), j] = True
    return arcs


def _values(weights: Matrix, case: Case, rng: np.random.Generator) -> Matrix:
    values = rng.normal(size=(case["rows"], len(weights)))
    for j in range(len(weights)):
        mean = values[:, :j] @ weights[:j, j]
        if case["kind"] == "logistic":
            values[:, j] = rng.random(len(values)) < 1 / (1 + np.exp(-2 * mean))
        elif case["kind"] == "poisson":
            values[:, j] = np.minimum(rng.poisson(np.exp(np.clip(mean, -1, 1))), 6)
        elif case["kind"] == "anm":
            values[:, j] += np.tanh(mean) + 0.3 * mean**2
        else:
            values[:, j] += mean
    return values


def gcastle(case: Case, values: Matrix) -> tuple[npt.NDArray[np.bool_], float]:
    """Arcs of gCastle, and how near the weight nearest to the threshold is to it."""
    from castle import algorithms  # noqa: PLC0415 - the tests read this file without gCastle

    if case["kind"] == "anm":
        learner = algorithms.ANMNonlinear()
        learner.learn(values, regressor=_Regressor())
        return np.asarray(learner.causal_matrix) != 0, 1.0
    if case["kind"] == "low_rank":
        learner = algorithms.NotearsLowRank()
        learner.learn(values, rank=3)
    else:
        learner = algorithms.Notears(lambda1=case["lambda1"], loss_type=case["kind"])
        learner.learn(values)
    weights = np.abs(np.asarray(learner.weight_causal_matrix))
    return weights > learner.w_threshold, float(np.abs(weights - learner.w_threshold).min())


def others(case: Case, values: Matrix, arcs: npt.NDArray[np.bool_]) -> list[list[list[int]]]:
    """Other arcs than these that gCastle gives on the data changed by rounding errors."""
    rng = np.random.default_rng(case["seed"])
    found: list[list[list[int]]] = []
    for _ in range(0 if case["kind"] == "anm" else COPIES):
        changed = gcastle(case, values * (1 + ROUNDING * rng.normal(size=values.shape)))[0]
        listed = np.argwhere(changed).tolist()
        if (changed != arcs).any() and listed not in found:
            found.append(listed)
    return found


class _Regressor:
    """gCastle's default as it documents it.

    Later versions of scikit-learn fit the width of the kernel, and give predictions in another
    shape, from which gCastle makes a matrix of residuals and then no arcs at all.
    """

    def estimate(self, x: Matrix, y: Matrix) -> Matrix:
        """Predictions of y, a column."""
        from sklearn.gaussian_process import GaussianProcessRegressor  # noqa: PLC0415
        from sklearn.gaussian_process.kernels import RBF, ConstantKernel  # noqa: PLC0415

        kernel = ConstantKernel(1.0, "fixed") * RBF(1.0, "fixed")
        fitted = GaussianProcessRegressor(kernel).fit(x, y).predict(x)
        return np.asarray(fitted).reshape(-1, 1)


def main(target: Path) -> None:
    """Run gCastle on all cases and write its graphs."""
    logging.disable(logging.INFO)
    lines = []
    for case in cases():
        values = drawn(case)
        arcs, margin = gcastle(case, values)
        found = {"checksum": float(np.abs(values).sum()), "margin": margin}
        graphs = {"arcs": np.argwhere(arcs).tolist(), "others": others(case, values, arcs)}
        lines.append(json.dumps({**case, **found, **graphs}))
        print(lines[-1], flush=True)
    target.write_text("[\n" + ",\n".join(lines) + "\n]\n")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
