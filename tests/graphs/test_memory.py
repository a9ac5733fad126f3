"""Native memory is given back."""

from __future__ import annotations

import resource
import sys

import numpy as np
import pytest

from dagathlon.graphs import Graph, cpdag, extension, latent_projection, moral

ALLOWED = 50_000
"""KiB by which the peak may grow; 100 leaked graphs of 1000 nodes take 70,000 and more."""


def peak() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


def work() -> None:
    names = [f"v{i}" for i in range(1000)]
    graph = Graph.from_adjacency(names, np.eye(1000, k=1, dtype=np.uint8))
    for function in (cpdag, moral, lambda dag: extension(cpdag(dag))):
        assert function(graph).n_edges == 999
    assert latent_projection(graph, names[:2]).marks.shape == (998, 998)


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere the peak has another unit")
def test_graphs_are_freed() -> None:
    for _ in range(3):
        work()
    before = peak()
    for _ in range(25):
        work()
    assert peak() - before < ALLOWED
