"""A learner that takes its time, for tests in which workers are lost."""

from __future__ import annotations

import time
from dataclasses import dataclass

import numpy as np

from dagathlon.data import Dataset
from dagathlon.graphs import Graph
from dagathlon.learners.base import Estimate, Learner
from dagathlon.modules import Natural


@dataclass(frozen=True, kw_only=True)
class NappingLearner(Learner):
    """Draws a DAG at random after a nap.

    Parameters
    ----------
    milliseconds
        How long it naps.
    """

    name = "napping"
    takes = frozenset({"continuous", "discrete"})
    gives = "dag"

    milliseconds: Natural = 20

    def learn(self, data: Dataset, rng: np.random.Generator) -> Estimate:
        time.sleep(self.milliseconds / 1000)
        n = len(data.names)
        order = rng.permutation(n)
        pairs = [(order[i], order[j]) for i in range(n) for j in range(i + 1, n)]
        arcs = [pair for pair in pairs if rng.random() < 0.2]
        return Estimate(Graph.from_pairs(data.names, arcs), {"arcs": len(arcs)})
