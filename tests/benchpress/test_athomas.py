"""Benchpress's junction tree samplers under our names."""

from __future__ import annotations

import math

import numpy as np
import pytest

from dagathlon.benchpress.junction_trees import AthomasJtsamplers
from dagathlon.data import Dataset
from dagathlon.learners.undirected.giudici_green import GiudiciGreen
from dagathlon.learners.undirected.junction_tree_mcmc import JunctionTreeMcmc


def test_each_number_is_a_sampler() -> None:
    first, second, third = (AthomasJtsamplers(sampler=number).native() for number in (0, 1, 2))
    assert isinstance(first, GiudiciGreen)
    assert isinstance(second, JunctionTreeMcmc)
    assert isinstance(third, JunctionTreeMcmc)
    assert (second.several, third.several) == (False, True)


@pytest.mark.parametrize("penalty", [0.0, 1.0, 30.0, 1e6])
def test_a_penalty_is_a_log_odds(penalty: float) -> None:
    found = AthomasJtsamplers(edge_penalty=penalty).native()
    odds = math.log(found.edge_probability) - math.log1p(-found.edge_probability)
    assert odds == pytest.approx(-min(penalty, 708.4), abs=1e-2)
    assert found.problem() == ""


def test_every_sample_is_kept_from_the_empty_graph_on() -> None:
    data = Dataset.from_numpy(np.random.default_rng(1).normal(size=(20, 4)))
    found = AthomasJtsamplers(num_samples=300, size_maxclique=2).learn(
        data, np.random.default_rng(2)
    )
    assert found.posterior is not None
    (chain,) = found.posterior.chains
    assert (chain.end, chain.sizes[0]) == (301, 0)
    assert chain.sizes.max() <= 3
