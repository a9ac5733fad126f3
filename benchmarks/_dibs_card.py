"""All 60 runs of a cell of the study of posteriors at once: 20 data sets with three starts each.

    PYTHONPATH=src python -m benchmarks._dibs_card

For machines with a graphics card and JAX, NumPy and SciPy alone. What else dagathlon imports, its
native core among it, is replaced by nothing where it is missing: DiBS computes with none of it.
"""

from __future__ import annotations

import importlib.abc
import importlib.machinery
import sys
import time
from typing import Any
from unittest.mock import MagicMock

import numpy as np

MAY_BE_MISSING = ("dagathlon._core", "pyarrow", "rich", "threadpoolctl", "gadjid", "cliquepicking")
SETS, STARTS, P, ROWS = 20, 3, 5, 100


class Nothing(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Stands for packages that are not installed; asked last."""

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> Any:
        if any(name == one or name.startswith(f"{one}.") for one in MAY_BE_MISSING):
            return importlib.machinery.ModuleSpec(name, self, is_package=True)
        return None

    def create_module(self, spec: Any) -> Any:
        return MagicMock(__path__=[], __spec__=spec)

    def exec_module(self, module: Any) -> None:
        pass


def values(seed: int) -> np.ndarray:
    """Rows of a random linear Gaussian model, centred."""
    rng = np.random.default_rng(100 + seed)
    weights = np.triu(rng.normal(0, 1.4, (P, P)) * (rng.random((P, P)) < 0.5), 1)
    rows = rng.normal(size=(ROWS, P)) @ np.linalg.inv(np.eye(P) - weights)
    return rows - rows.mean(axis=0)


def run(likelihood: str, patience: int) -> tuple[float, float]:
    """Seconds of all runs, and their steps on average."""
    from dagathlon.learners.jax.backend import jax, jnp, keys
    from dagathlon.learners.jax.dibs import Dibs
    from dagathlon.learners.jax.dibs_svgd import compiled
    from dagathlon.learners.jax.loop import run_until_settled
    from dagathlon.learners.jax.moments import Moments

    plan = Dibs(likelihood=likelihood, patience=patience).plan(P)
    grams = [values(seed).T @ values(seed) for seed in range(SETS) for _ in range(STARTS)]
    each = [Moments(np.stack([gram] * P), np.full(P, float(ROWS))) for gram in grams]
    start = time.perf_counter()
    fixed = jax.tree_util.tree_map(
        lambda *parts: jnp.asarray(np.stack(parts), "float32"),
        *(plan.likelihood.fixed(moments, True) for moments in each),
    )
    begin, advance, settled = compiled(plan, True)
    state = begin(keys([np.random.default_rng(seed) for seed in range(len(each))]))
    ended = run_until_settled(advance, settled, state, fixed, steps=20_000, every=100)
    if not np.all(np.isfinite(ended.state.z)):
        raise ArithmeticError("some particles are not finite")
    return time.perf_counter() - start, float(ended.steps.mean())


def main() -> None:
    sys.meta_path.append(Nothing())
    from dagathlon.learners.jax.backend import jax

    print(f"JAX {jax.__version__} on {jax.devices()[0]}")
    for likelihood in ("bge", "linear"):
        for patience, words in ((1000, "until settled"), (10**9, "20,000 steps")):
            for attempt in ("with compiling", "compiled"):
                seconds, steps = run(likelihood, patience)
                print(
                    f"{likelihood}, {SETS * STARTS} runs, {words}, {attempt}: {seconds:.1f} s, "
                    f"{steps:.0f} steps on average",
                    flush=True,
                )


if __name__ == "__main__":
    main()
