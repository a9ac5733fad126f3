"""Green and Thomas's sampler of decomposable graphs through their junction trees."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from dagathlon import _core
from dagathlon.data import Dataset
from dagathlon.learners.base import Estimate
from dagathlon.learners.undirected.decomposable_score import ChainsFromForest
from dagathlon.modules import Count


@dataclass(frozen=True, kw_only=True)
class JunctionTreeMcmc(ChainsFromForest):
    """A Markov chain over junction trees that connects or disconnects subsets of their cliques.

    Proposals are legal by construction or nearly so. The weight of a tree is the posterior of
    its graph divided by the exact number of junction trees of that graph, so that graphs are
    sampled with their posterior probabilities.

    Parameters
    ----------
    several
        Whether every other move may join or separate sets of variables, many edges at a time;
        otherwise all moves change a single edge.
    randomise
        Number of steps after which the tree is replaced by a uniformly drawn junction tree of its
        graph; null is 100, or five for each variable if that is more. 0 is never: such chains mix
        slowly.
    """

    name = "junction_tree_mcmc"
    references = (
        "Green and Thomas 2013, Sampling decomposable graphs using a Markov chain on junction "
        "trees, Biometrika 100",
        "Thomas and Green 2009, Enumerating the junction trees of a decomposable graph, JCGS 18",
        "Dawid and Lauritzen 1993, Hyper Markov laws, Annals of Statistics 21",
    )

    several: bool = False
    randomise: Count | None = None

    def learn(self, data: Dataset, rng: np.random.Generator) -> Estimate:
        """Sample junction trees, and return their graphs."""
        every = max(100, 5 * len(data.names)) if self.randomise is None else self.randomise

        def chain(
            target: _core.DecomposableTarget, options: _core.ChainOptions
        ) -> _core.UndirectedLog:
            return _core.junction_tree_chain(target, self.first(), self.several, every, options)

        return self.sampled(chain, data, rng)
