"""Base class of generators of rows, with standardisation."""

from __future__ import annotations

import warnings
from dataclasses import dataclass, replace

import numpy as np

from dagathlon.data import Dataset
from dagathlon.data.spec import DataFacts
from dagathlon.errors import DataWarning, listing
from dagathlon.modules import Natural
from dagathlon.simulate.base import DataGenerator


@dataclass(frozen=True, kw_only=True)
class RowGenerator(DataGenerator):
    """Base class of generators of a number of rows from a model, standardised if asked for.

    Parameters
    ----------
    n
        Number of rows. For the same seed, a smaller sample is a prefix of a larger one, except for
        what is computed from all rows, such as quantiles.
    standardized
        Whether continuous columns are standardised to mean 0 and variance 1.
    """

    outside_stream = frozenset({"n", "standardized"})

    n: Natural = 1000
    standardized: bool = False

    def facts(self, model: DataFacts) -> DataFacts:
        """Return the properties of the model's data with the number of rows."""
        return replace(model, n_rows=self.n)

    def why_unsuitable(self, model: DataFacts) -> str:
        """Return a message if discrete data are to be standardised; empty otherwise."""
        if self.standardized and self.facts(model).kind == "discrete":
            return "discrete data cannot be standardised; set standardized to false"
        return super().why_unsuitable(model)

    def finished(self, data: Dataset) -> Dataset:
        """Return the rows, standardised if asked for."""
        return standardize(data) if self.standardized else data


def standardize(data: Dataset) -> Dataset:
    """Standardise continuous columns to mean 0 and variance 1 (divisor n − 1).

    Missing values stay missing and discrete columns stay as they are. A constant column becomes
    zero, with a warning.
    """
    present = ~np.isnan(data.values)
    count = np.maximum(present.sum(axis=0), 1)
    values = data.values - np.nansum(data.values, axis=0) / count
    squares = np.nansum(values**2, axis=0)
    deviation = np.sqrt(squares / np.maximum(count - 1, 1))
    # Rounding leaves a trace of the mean in a constant column.
    scale = np.nanmax(np.abs(data.values), axis=0, initial=0.0, where=present)
    constant = deviation <= 1e-13 * scale
    if constant.any():
        names = [variable.name for variable in data.variables if not variable.is_discrete]
        listed = listing(name for name, flat in zip(names, constant, strict=True) if flat)
        warnings.warn(f"constant columns become zero: {listed}", DataWarning, stacklevel=2)
        values[:, constant] *= 0.0
    values /= np.where(constant, 1.0, deviation)
    codes = data.codes if data.codes.shape[1] else None
    return Dataset(data.variables, codes, values, data.regimes)
