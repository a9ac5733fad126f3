"""Particle Gibbs over junction trees, with global moves."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from dagathlon import _core
from dagathlon.data import Dataset
from dagathlon.learners.base import Estimate
from dagathlon.learners.undirected.decomposable_score import DecomposableSampler
from dagathlon.modules import Natural, Probability


@dataclass(frozen=True, kw_only=True)
class ParticleGibbs(DecomposableSampler):
    """Particle Gibbs: a Markov chain of decomposable graphs with global moves.

    In each step variables are removed from the current junction tree. From the rest a
    population of trees (particles) grows, one variable at a time in a random order, and
    particles that fit the data are resampled more often. One of them retraces the current tree;
    one of the final particles is the next state. The correction for the number of junction
    trees of a graph is exact. The chain starts at a tree from such a population.

    Parameters
    ----------
    n_particles
        Number of particles (trees), at least 2. More make a step slower and its moves larger.
    alpha
        Probability that a new variable that joins a clique is joined to a neighbouring clique of
        the junction tree too, by the proposal ``christmas_tree``.
    beta
        Probability that a new variable is joined to any other, by the same proposal.
    radius
        Each variable of the order is at most so many columns away from an earlier one, which helps
        if neighbouring columns are related, as in time series; null is any order.
    block
        Number of variables, the last ones of the order, that a step removes from the tree and adds
        again; null is all but one, as published, of which most return to their places.
    proposal
        Proposal for a new variable: by dependence in the data (``informed``), or independent of the
        data by the Christmas tree algorithm as published (``christmas_tree``).
    """

    name = "particle_gibbs"
    references = (
        "Olsson, Pavlenko and Rios 2019, Bayesian learning of weakly structural Markov graph laws "
        "using sequential Monte Carlo methods, Electronic Journal of Statistics 13",
        "Olsson, Pavlenko and Rios 2022, Sequential sampling of junction trees for decomposable "
        "graphs, Statistics and Computing 32",
    )

    n_particles: Natural = 20
    alpha: Probability = 0.5
    beta: Probability = 0.5
    radius: Natural | None = None
    block: Natural | None = 10
    proposal: Literal["informed", "christmas_tree"] = "informed"

    def problem(self) -> str:
        """Return a message if a tree is impossible or there are fewer than two particles."""
        if self.n_particles < 2:
            return f"n_particles: found {self.n_particles}, expected at least 2"
        for name in ("alpha", "beta"):
            if getattr(self, name) in (0, 1):
                return f"{name}: found {getattr(self, name):g}, expected above 0 and below 1"
        return super().problem()

    def default_iterations(self, p: int) -> int:
        """Return the default number of steps: each variable is replaced a few hundred times."""
        return 50 * max(p, 10)

    def learn(self, data: Dataset, rng: np.random.Generator) -> Estimate:
        """Sample, starting from a tree of the first population."""
        growth = self.growth(len(data.names))

        def chain(
            target: _core.DecomposableTarget, options: _core.ChainOptions
        ) -> _core.UndirectedLog:
            return _core.particle_gibbs(target, growth, options)

        return self.sampled(chain, data, rng)

    def growth(self, p: int) -> _core.ParticleOptions:
        """Return the native options for the growth of trees of p variables."""
        return _core.ParticleOptions(
            particles=self.n_particles,
            alpha=self.alpha,
            beta=self.beta,
            radius=self.radius or max(p, 1),
            block=self.block or max(p, 1),
            informed=self.proposal == "informed",
        )
