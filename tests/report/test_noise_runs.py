"""Free parameters of networks, as their tables and equations have them."""

from __future__ import annotations

import numpy as np
import pytest

from dagathlon.data import Dataset, Network
from dagathlon.graphs import Graph
from dagathlon.report.noise_runs import free_parameters


@pytest.mark.parametrize(("name", "number"), [("asia", 18), ("alarm", 509)])
def test_free_parameters_are_those_of_the_network(name: str, number: int) -> None:
    network = Network.load(name)
    data = network.sample(5, seed=1)
    assert free_parameters(network.graph, data) == number


def test_an_equation_has_coefficients_intercept_and_variance() -> None:
    graph = Graph.from_adjacency(("a", "b"), np.array([[0, 1], [0, 0]]))
    data = Dataset.from_numpy(np.array([[0.1, 0.3], [0.2, 0.4]]), names=("a", "b"))
    assert free_parameters(graph, data) == 5
