"""Networks beside gCastle's on the same small data, where a Python that has it is named."""

from __future__ import annotations

import os

import numpy as np
import pytest
from benchmarks import networks

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        not os.environ.get("DAGATHLON_GCASTLE"),
        reason="DAGATHLON_GCASTLE names no Python that has gcastle and dagma",
    ),
]
SETS = 4


@pytest.mark.parametrize("name", ["notears_mlp"])
def test_graphs_are_as_near_to_the_truth_as_theirs(name, tmp_path, monkeypatch):
    pytest.importorskip("jax")
    for field, value in (("P", 4), ("ROWS", 150), ("EDGES", 4)):
        monkeypatch.setattr(networks, field, value)
    truths = []
    for number in range(SETS):
        values, arcs = networks.drawn(number)
        np.savez(tmp_path / f"{number}.npz", values=values)
        truths.append(arcs)
    ours = networks.measured(name, tmp_path, truths)
    theirs = networks.measured(networks.PAIRS[name], tmp_path, truths)
    assert ours.shd.mean() <= theirs.shd.mean() + 1
    assert ours.f1.mean() >= theirs.f1.mean() - 0.2
