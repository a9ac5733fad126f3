"""Giudici and Green's sampler of decomposable graphs, edge by edge."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from dagathlon import _core
from dagathlon.data import Dataset
from dagathlon.learners.base import Estimate
from dagathlon.learners.undirected.decomposable_score import ChainsFromForest


@dataclass(frozen=True, kw_only=True)
class GiudiciGreen(ChainsFromForest):
    """Giudici and Green's chain over decomposable graphs: one edge added or removed at a time.

    A pair of variables is drawn at a time; the junction tree shows whether the graph stays
    decomposable when its edge is added or removed.
    """

    name = "giudici_green"
    references = (
        "Giudici and Green 1999, Decomposable graphical Gaussian model determination, "
        "Biometrika 86",
        "Dawid and Lauritzen 1993, Hyper Markov laws, Annals of Statistics 21",
    )

    def learn(self, data: Dataset, rng: np.random.Generator) -> Estimate:
        """Sample decomposable graphs."""

        def chain(
            target: _core.DecomposableTarget, options: _core.ChainOptions
        ) -> _core.UndirectedLog:
            return _core.giudici_green_chain(target, self.first(), options)

        return self.sampled(chain, data, rng)
