"""Discrete and mixed data from continuous models by discretisation."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Annotated

import numpy as np
import numpy.typing as npt

from dagathlon.data import Dataset, Variable
from dagathlon.data.spec import DataFacts
from dagathlon.errors import DataError
from dagathlon.modules import Probability, Range
from dagathlon.simulate.base import Model
from dagathlon.simulate.row_generator import RowGenerator


@dataclass(frozen=True, kw_only=True)
class Discretized(RowGenerator):
    """Rows of a continuous model, with some columns discretised at quantiles.

    Parameters
    ----------
    share
        Share of the columns that become discrete, chosen at random: 1 gives discrete data, less
        gives mixed data.
    levels
        Number of levels of a discrete column, all equally frequent.
    """

    name = "discretized"
    takes = frozenset({"continuous"})

    share: Probability = 0.5
    levels: Annotated[int, Range(2, 255)] = 3

    def facts(self, model: DataFacts) -> DataFacts:
        """Return the properties of the data: discrete, mixed or continuous by the share."""
        known = super().facts(model)
        if self.share == 1:
            return replace(known, kind="discrete", binary=self.levels == 2)
        return replace(known, kind="mixed" if self.share else "continuous", binary=False)

    def sample(self, model: Model, rng: np.random.Generator) -> Dataset:
        """Draw one data set."""
        order = rng.permutation(len(model.names))
        data = model.sample(self.n, rng)
        if not data.is_continuous:
            raise DataError(f"{self.name} cuts continuous columns, and the model has discrete ones")
        count = int(np.floor(self.share * len(data.names) + 0.5))
        cut = {data.names[j] for j in order[:count]}
        variables = [
            Variable.coded(name, self.levels) if name in cut else Variable(name)
            for name in data.names
        ]
        codes = np.empty((len(data), count), dtype=np.int64, order="F")
        for k, name in enumerate(name for name in data.names if name in cut):
            codes[:, k] = _quantile_codes(data.column(name), self.levels)
        uncut = data.values[:, [name not in cut for name in data.names]]
        return self.finished(Dataset(variables, codes, np.asfortranarray(uncut)))


def _quantile_codes(column: npt.NDArray[np.float64], levels: int) -> npt.NDArray[np.intp]:
    cuts = np.quantile(column, np.arange(1, levels) / levels)
    return np.searchsorted(cuts, column, side="right")
