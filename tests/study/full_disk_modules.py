"""Modules that find a disk full, for `test_full_disk.py`."""

from __future__ import annotations

import errno
import os
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from dagathlon.data import Dataset
from dagathlon.graphs import Graph
from dagathlon.learners.base import Estimate, Learner
from dagathlon.simulate.base import GraphGenerator


@dataclass(frozen=True, kw_only=True)
class FullDiskGraph(GraphGenerator):
    """Cannot be drawn while a file is there."""

    name = "full_disk_graph"
    flag: str

    def sample(self, rng: np.random.Generator) -> Graph:
        if Path(self.flag).exists():
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        return Graph(["A"])


@dataclass(frozen=True, kw_only=True)
class FullDiskLearner(Learner):
    """Fills a disk."""

    name = "full_disk_learner"

    def learn(self, data: Dataset, rng: np.random.Generator) -> Estimate:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
