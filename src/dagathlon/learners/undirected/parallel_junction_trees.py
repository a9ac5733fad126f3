"""A Markov chain over junction trees that changes all edges of a variable at a time."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from dagathlon import _core
from dagathlon.data import Dataset
from dagathlon.learners.base import Estimate
from dagathlon.learners.undirected.decomposable_score import DecomposableSampler
from dagathlon.modules import Count


@dataclass(frozen=True, kw_only=True)
class ParallelJunctionTrees(DecomposableSampler):
    """A Markov chain of decomposable graphs with many independent changes in one step.

    In each step one variable may enter and leave several cliques at once: at each place of the
    junction tree where its subtree may grow or end, the change is drawn by the data there. The
    whole proposal is accepted by the remaining ratio, above all the numbers of junction trees
    of both graphs.

    Parameters
    ----------
    randomise
        Number of steps after which another junction tree of the same graph is drawn uniformly; 0 is
        never.
    """

    name = "parallel_junction_trees"
    references = (
        "Elmasri 2022, Parallel sampling of decomposable graphs using Markov chains on junction "
        "trees, arXiv:2209.02008",
        "Elmasri 2017, Sub-clustering in decomposable graphs and size-varying junction trees, "
        "arXiv:1705.07277",
    )

    randomise: Count = 100

    def default_iterations(self, p: int) -> int:
        """Return the default number of steps: a thousand for each variable."""
        return 1000 * max(p, 10)

    def learn(self, data: Dataset, rng: np.random.Generator) -> Estimate:
        """Sample, starting from the empty graph."""

        def chain(
            target: _core.DecomposableTarget, options: _core.ChainOptions
        ) -> _core.UndirectedLog:
            return _core.parallel_moves(target, self.randomise, options)

        return self.sampled(chain, data, rng)
