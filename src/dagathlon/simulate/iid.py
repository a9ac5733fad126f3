"""Independent rows from a model."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from dagathlon.data import Dataset
from dagathlon.simulate.base import Model
from dagathlon.simulate.row_generator import RowGenerator


@dataclass(frozen=True, kw_only=True)
class Iid(RowGenerator):
    """Independent rows from the model."""

    name = "iid"

    def sample(self, model: Model, rng: np.random.Generator) -> Dataset:
        """Draw one data set."""
        return self.finished(model.sample(self.n, rng))
