"""Results on fixed data: what makes a search faster must not change where it ends."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from dagathlon.data import Dataset, Variable
from dagathlon.learners import learn

P, N = 40, 200
SEM_BIC = {"score": "sem-bic", "penalty_discount": 2.0}
TURNING = {"phases": ["forward", "backward", "turning"], "iterate": True}


def data() -> Dataset:
    """A linear model of four edges per node, its columns in random order."""
    rng = np.random.default_rng(7)
    values = rng.normal(size=(N, P))
    for j in range(1, P):
        parents = rng.choice(j, size=min(j, int(rng.integers(0, 5))), replace=False)
        values[:, j] += values[:, parents] @ rng.uniform(0.25, 1.0, size=len(parents))
    mixed = values[:, rng.permutation(P)]
    return Dataset([Variable(f"V{i}") for i in range(P)], values=mixed / mixed.std(axis=0))


# Score, edges and steps before operators, tree places and fingerprints were kept.
CASES: list[tuple[str, dict[str, Any], float, int, int]] = [
    ("fges", SEM_BIC, -1868.7593322433986, 89, 97),
    ("ges", {**SEM_BIC, **TURNING}, -1776.7179548978916, 102, 111),
    ("xges", SEM_BIC, -1550.6447495360685, 92, 1526),
    ("boss", {**SEM_BIC, "starts": 1}, -1393.2646280887534, 91, 39),
    ("grasp", SEM_BIC, -1236.2047402764501, 86, 522),
    ("winasobs", {"score": "bge", "explored": 300, "starts": 3}, -1778.461300808744, 157, 77),
]


@pytest.mark.parametrize(("name", "parameters", "score", "edges", "steps"), CASES)
def test_search_ends_where_it_did(
    name: str, parameters: dict[str, Any], score: float, edges: int, steps: int
) -> None:
    found = learn(data(), name, **parameters)
    assert found.stats["score"] == pytest.approx(score, rel=1e-12)
    assert len(found.graph.edges()) == edges
    assert found.stats["steps" if "steps" in found.stats else "moves"] == steps
