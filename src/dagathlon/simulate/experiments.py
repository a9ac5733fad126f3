"""Sequential experiments: observational rows, then rows under an intervention in each step."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from dagathlon.data import Dataset
from dagathlon.data.spec import DataFacts
from dagathlon.modules import Count, Natural, NonNegative
from dagathlon.simulate.base import DataGenerator, Model
from dagathlon.simulate.interventional import Interventional, as_network


@dataclass(frozen=True, kw_only=True)
class Experiments(DataGenerator):
    """Observational rows, then in each step rows under a perfect intervention on one variable.

    The variable of a step is drawn uniformly, with repetition. For the same seed the rows of
    fewer steps are a prefix of those of more, so that a list of `steps` in a study shows what
    each further experiment adds.

    Parameters
    ----------
    n
        Number of observational rows.
    steps
        Number of interventions.
    rows_per_step
        Number of rows under each of them.
    mean, sd
        Mean and standard deviation of a continuous variable under intervention; a discrete one
        takes all levels with equal probability.
    """

    name = "experiments"
    outside_stream = frozenset({"n", "steps", "rows_per_step"})
    references: ClassVar[tuple[str, ...]] = ("Karimi Mamaghan et al. 2024, ICML, PMLR 235",)

    n: Natural = 10
    steps: Count = 0
    rows_per_step: Natural = 5
    mean: float = 2.0
    sd: NonNegative = 1.0

    def facts(self, model: DataFacts) -> DataFacts:
        """Return the properties of the model's data with the number of rows."""
        rows = self.n + self.steps * self.rows_per_step
        return replace(model, n_rows=rows, interventions=self.steps > 0)

    def sample(self, model: Model, rng: np.random.Generator) -> Dataset:
        """Draw one data set, step by step."""
        network = as_network(model)
        lab = Interventional(intervention="perfect", mean=self.mean, sd=self.sd)
        data = network.sample(self.n, _key(rng))
        for _ in range(self.steps):
            key, choice = _key(rng), np.random.Generator(np.random.Philox(key=_key(rng)))
            target = self.target(data, choice)
            rows = lab.changed(network, [target]).sample(self.rows_per_step, key)
            data = with_rows(data, rows, target)
        return data

    def target(self, data: Dataset, rng: np.random.Generator) -> str:
        """Return the variable of the next intervention, given the data so far."""
        return data.names[int(rng.integers(len(data.names)))]


def with_rows(data: Dataset, rows: Dataset, target: str) -> Dataset:
    """Append rows with an intervention on one variable to the data."""
    sets, regime = [frozenset[str]()], np.zeros(len(data), dtype=np.int64)
    if data.regimes is not None:
        sets, regime = list(data.regimes.targets), data.regimes.rows.astype(np.int64)
    mine = frozenset({target})
    if mine not in sets:
        sets.append(mine)
    return Dataset(
        data.variables,
        np.concatenate([data.codes, rows.codes]),
        np.concatenate([data.values, rows.values]),
        (sets, np.concatenate([regime, np.full(len(rows), sets.index(mine))])),
    )


def _key(rng: np.random.Generator) -> int:
    return int(rng.integers(0, 2**64, dtype=np.uint64))
