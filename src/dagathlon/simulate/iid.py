"""Independent rows from a model."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from dagathlon.data import Dataset
from dagathlon.data.facts import DataFacts
from dagathlon.modules import Natural
from dagathlon.simulate.base import DataGenerator, Model


@dataclass(frozen=True, kw_only=True)
class Iid(DataGenerator):
    """Draw independent rows from the model.

    Parameters
    ----------
    n
        Number of rows.
    standardized
        Whether continuous columns are shifted and scaled to mean 0 and variance 1.
    """

    name = "iid"
    outside_stream = frozenset({"n", "standardized"})

    n: Natural = 1000
    standardized: bool = False

    def facts(self, model: DataFacts) -> DataFacts:
        """The model's facts and the number of rows."""
        return replace(model, n_rows=self.n)

    def objection(self, model: DataFacts) -> str:
        """Categories have no mean and no variance."""
        return super().objection(model) or objection_to_standardizing(self.standardized, model.kind)

    def sample(self, model: Model, rng: np.random.Generator) -> Dataset:
        """Draw one data set."""
        data = model.sample(self.n, rng)
        return standardize(data) if self.standardized else data


def objection_to_standardizing(standardized: bool, kind: str | None) -> str:
    """Why data of a kind cannot be standardised, with the remedy; empty when they can."""
    if standardized and kind == "discrete":
        return "discrete data cannot be standardised; set standardized to false"
    return ""


def standardize(data: Dataset) -> Dataset:
    """The data with continuous columns of mean 0 and variance 1 (divisor n − 1).

    A constant column becomes zero. Discrete columns stay as they are.
    """
    values = data.values - np.nanmean(data.values, axis=0)
    if len(data) > 1:
        deviation = np.nanstd(data.values, axis=0, ddof=1)
        values = values / np.where(deviation > 0, deviation, 1.0)
    codes = data.codes if data.codes.shape[1] else None
    return Dataset(data.variables, codes, values, data.regimes)
