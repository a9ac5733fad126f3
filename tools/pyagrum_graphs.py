"""Graphs of pyAgrum on data drawn for the purpose, kept for the quick tests.

    python tools/pyagrum_graphs.py tests/learners/pyagrum_graphs.json

Needs pyAgrum (``pip install pyagrum pandas``), and nothing of Dagathlon, so that it may run in an
environment of its own. Each case is a line: its settings, the checksum of its data, pyAgrum's arcs
from row to column, its undirected edges, and the pairs for which it suspects a hidden common cause.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

Case: TypeAlias = dict[str, Any]
Codes: TypeAlias = npt.NDArray[np.int64]
FIRST_SEED = 880_000
CASES = 60


def cases(first: int = FIRST_SEED, number: int = CASES) -> Iterator[Case]:
    """Settings that are spread over what users do, each with a seed of its own."""
    rng = np.random.default_rng(first)
    for seed in range(first + 1, first + 1 + number):
        yield {
            "seed": seed,
            "complexity": ["nml", "mdl"][seed % 2],
            "columns": int(rng.integers(4, 11)),
            "rows": int(rng.choice([150, 400, 1000])),
            "parents": int(rng.integers(1, 4)),
            "constraint": ["", "", "", "gap"][int(rng.integers(4))],
        }


def drawn(case: Case) -> Codes:
    """Codes of a random network, by whole numbers alone: the same on every machine."""
    rng = np.random.default_rng(case["seed"])
    p, n = case["columns"], case["rows"]
    levels = rng.integers(2, 4, p)
    codes = np.zeros((n, p), dtype=np.int64)
    for j in range(p):
        parents = rng.permutation(j)[: rng.integers(0, case["parents"] + 1)]
        group = np.zeros(n, dtype=np.int64)
        for i in parents:
            group = group * levels[i] + codes[:, i]
        weights = rng.integers(1, 12, (int(np.prod(levels[parents])), levels[j])) ** 3
        bounds = np.cumsum(weights, axis=1)
        draw = rng.integers(0, bounds[group, -1])
        codes[:, j] = (draw[:, None] >= bounds[group]).sum(axis=1)
    return codes[:, rng.permutation(p)]


def gap_of(case: Case) -> tuple[int, int]:
    """The pair that must not be joined, in cases with a constraint."""
    return case["seed"] % case["columns"], (case["seed"] + 1) % case["columns"]


def pyagrum(case: Case, codes: Codes) -> tuple[list[list[int]], list[list[int]], list[list[int]]]:
    """Arcs, undirected edges and suspected pairs of pyAgrum's MIIC."""
    import pandas as pd  # noqa: PLC0415 - the tests read this file without pyAgrum
    import pyagrum as gum  # noqa: PLC0415

    names = [f"V{j}" for j in range(codes.shape[1])]
    learner = gum.BNLearner(pd.DataFrame(codes, columns=names).astype(str))
    learner.useMIIC()
    getattr(learner, f"use{case['complexity'].upper()}Correction")()
    if case["constraint"]:
        a, b = gap_of(case)
        learner.addForbiddenArc(names[a], names[b])
        learner.addForbiddenArc(names[b], names[a])
    found = learner.learnPDAG()
    return (
        sorted([a, b] for a, b in found.arcs()),
        sorted(sorted(edge) for edge in found.edges()),
        sorted([a, b] for a, b in learner.latentVariables()),
    )


def main(target: str) -> None:
    """Write all cases."""
    lines = []
    for case in cases():
        codes = drawn(case)
        arcs, edges, suspected = pyagrum(case, codes)
        checksum = int((codes * np.arange(1, codes.size + 1).reshape(codes.shape)).sum())
        found = {"checksum": checksum, "arcs": arcs, "edges": edges, "suspected": suspected}
        lines.append(json.dumps({**case, **found}))
    Path(target).write_text("[\n" + ",\n".join(lines) + "\n]\n")


if __name__ == "__main__":
    main(sys.argv[1])
