"""Samplers of undirected graphs where there is hardly anything to sample, or hardly any time."""

from __future__ import annotations

import numpy as np
import pytest
from decomposable_oracle import continuous

from dagathlon.data import Dataset
from dagathlon.errors import DataError
from dagathlon.learners.base import Learner
from dagathlon.learners.run import run_learner
from dagathlon.learners.undirected.bd_mcmc import BdMcmc
from dagathlon.learners.undirected.bdgraph_mcmc import BdgraphMcmc
from dagathlon.learners.undirected.exact_decomposable import ExactDecomposable
from dagathlon.learners.undirected.giudici_green import GiudiciGreen
from dagathlon.learners.undirected.particle_gibbs import ParticleGibbs
from dagathlon.learners.undirected.rj_mcmc import RjMcmc

AS_THEY_ARE = {"scale": 1.0, "zero_mean": True}
OF_THE_DATA = [
    BdMcmc(iterations=5, **AS_THEY_ARE),
    RjMcmc(iterations=5, **AS_THEY_ARE),
    BdgraphMcmc(iterations=5),
    GiudiciGreen(iterations=5, **AS_THEY_ARE),
    ExactDecomposable(**AS_THEY_ARE),
]


def changed(factor: float, shift: float) -> Dataset:
    """Four columns and a copy of the first one, in other units."""
    data = continuous(4)
    rows = np.column_stack([data.values, data.values[:, 0]]) * factor + shift
    return Dataset(continuous(5).variables, values=rows)


@pytest.mark.parametrize("learner", OF_THE_DATA, ids=lambda one: one.name)
def test_data_next_to_which_the_prior_is_lost(learner: Learner) -> None:
    rng = np.random.default_rng(1)
    for factor, shift in ((1e9, 0.0), (1.0, 1e9)):
        with pytest.raises(DataError, match="the scale of the prior is lost"):
            learner.learn(changed(factor, shift), rng)
    found = learner.learn(changed(1.0, 0.0), rng)
    assert np.isfinite(found.stats["score"])


def test_a_scale_from_the_data_takes_them_in_any_units() -> None:
    for learner in (BdMcmc(iterations=5), GiudiciGreen(iterations=5)):
        for factor, shift in ((1e9, 0.0), (1.0, 1e6)):
            found = learner.learn(changed(factor, shift), np.random.default_rng(1))
            assert np.isfinite(found.stats["score"])


def test_particles_that_all_die_leave_a_graph_that_is_possible() -> None:
    learner = ParticleGibbs(iterations=5, max_clique=1, n_particles=2, proposal="christmas_tree")
    found = learner.learn(continuous(20), np.random.default_rng(1))
    assert not found.graph.adjacency.any()
    assert np.isfinite(found.stats["score"])


def test_a_deadline_before_the_first_step() -> None:
    found = run_learner(BdMcmc(), continuous(40), np.random.default_rng(1), timeout=1e-6)
    assert found.stats["stopped_early"] is True
    assert found.stats["iterations"] == 0
