"""Interventional data: perfect and soft interventions with known targets."""

from __future__ import annotations

import math
from collections.abc import Collection
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from dagathlon.data import Dataset, Distribution, Gaussian, LinearSem, Network, Table
from dagathlon.data.spec import DataFacts
from dagathlon.errors import DataError, unknown
from dagathlon.modules import Count, Natural, NonNegative, Probability
from dagathlon.simulate.base import Model
from dagathlon.simulate.row_generator import RowGenerator

_BETWEEN = "&"
_MAX_DRAWS = 10_000


@dataclass(frozen=True, kw_only=True)
class Interventional(RowGenerator):
    """Observational rows, then rows under interventions, one block for each target set.

    A perfect intervention cuts a variable from its parents: a continuous variable is drawn from a
    normal distribution of its own, a discrete one takes all levels with equal probability. A soft
    intervention keeps the parents: it shifts a continuous variable and scales its noise, and mixes
    the probabilities of a discrete one with equal ones. The data know the target set of each row.

    Parameters
    ----------
    n
        Number of observational rows.
    n_intervened
        Number of rows for each target set.
    targets
        Target sets: names of variables, several in one set joined by ``&``. If the list is empty,
        they are drawn.
    n_targets
        Number of distinct target sets to draw; null is the number of variables.
    target_size
        Number of variables in a drawn target set.
    intervention
        Perfect or soft.
    mean, sd
        Mean and standard deviation of a continuous target of a perfect intervention.
    shift, factor
        Shift of a continuous target of a soft intervention, and factor of its noise standard
        deviation.
    mixture
        Weight of the uniform distribution in the mixture for a discrete target of a soft
        intervention.
    """

    name = "interventional"
    outside_stream = frozenset({"n", "n_intervened", "standardized"})
    references = ("Hauser and Bühlmann 2012, JMLR 13", "Eberhardt and Scheines 2007, PoS 74")

    n: Count = 500
    n_intervened: Natural = 100
    targets: tuple[str, ...] = ()
    n_targets: Natural | None = None
    target_size: Natural = 1
    intervention: Literal["perfect", "soft"] = "perfect"
    mean: float = 2.0
    sd: NonNegative = 1.0
    shift: float = 2.0
    factor: NonNegative = 1.0
    mixture: Probability = 0.5

    def facts(self, model: DataFacts) -> DataFacts:
        """Return the properties of the model's data; the rows if the target sets are listed."""
        blocks = len(self.targets) or self.n_targets
        rows = None if blocks is None else self.n + blocks * self.n_intervened
        return replace(model, interventions=True, n_rows=rows)

    def sample(self, model: Model, rng: np.random.Generator) -> Dataset:
        """Draw one data set."""
        network = as_network(model)
        targets = self._targets(network.names, rng)
        keys = rng.integers(0, 2**64, 1 + len(targets), dtype=np.uint64)
        blocks = [network.sample(self.n, int(keys[0]))]
        for target, key in zip(targets, keys[1:], strict=True):
            blocks.append(self.changed(network, target).sample(self.n_intervened, int(key)))
        sets = [frozenset[str](), *targets]
        regime = np.repeat(np.arange(len(sets)), [len(block) for block in blocks])
        codes = np.concatenate([block.codes for block in blocks])
        values = np.concatenate([block.values for block in blocks])
        return self.finished(Dataset(network.variables, codes, values, (sets, regime)))

    def _targets(self, names: tuple[str, ...], rng: np.random.Generator) -> list[frozenset[str]]:
        if self.targets:
            return [self._read_target(text, names) for text in self.targets]
        size = self.target_size
        count = len(names) if self.n_targets is None else self.n_targets
        if size > len(names) or count > math.comb(len(names), size):
            raise DataError(
                f"there are not {count} different target sets of {size} among {len(names)} "
                "variables; lower n_targets or target_size"
            )
        drawn: dict[frozenset[str], None] = {}
        for _ in range(_MAX_DRAWS * count):
            if len(drawn) == count:
                return list(drawn)
            drawn[frozenset(names[j] for j in rng.permutation(len(names))[:size])] = None
        raise DataError(f"could not draw {count} different target sets; lower n_targets")

    def _read_target(self, text: str, names: tuple[str, ...]) -> frozenset[str]:
        parts = [text] if text in names else [part.strip() for part in text.split(_BETWEEN)]
        for part in parts:
            if part not in names:
                raise DataError(unknown("intervention target", part, names))
        return frozenset(parts)

    def changed(self, network: Network, target: Collection[str]) -> Network:
        """Return the network under an intervention on these variables."""
        changed = dict(network.distributions)
        for name in target:
            change = self._cut if self.intervention == "perfect" else self._softened
            changed[name] = change(changed[name])
        return Network(changed)

    def _cut(self, given: Distribution) -> Distribution:
        if isinstance(given, Table):
            levels = len(given.levels)
            return Table(given.levels, (), np.full(levels, 1 / levels))
        return Gaussian((), np.array(self.mean), np.zeros(0), np.array(self.sd))

    def _softened(self, given: Distribution) -> Distribution:
        if isinstance(given, Table):
            equal = self.mixture / len(given.levels)
            mixed = (1 - self.mixture) * given.probabilities + equal
            return Table(given.levels, given.parents, mixed)
        return replace(given, intercept=given.intercept + self.shift, sd=given.sd * self.factor)


def as_network(model: Model) -> Network:
    """Return a causal model as a modifiable network; raise an error for other models."""
    if isinstance(model, Network):
        return model
    if not isinstance(model, LinearSem):
        raise DataError(
            "interventions need a causal model, a linear structural equation model or a Bayesian "
            f"network, found {type(model).__name__}"
        )
    nodes: dict[str, Distribution] = {}
    for j, name in enumerate(model.names):
        parents = np.flatnonzero(model.weights[:, j])
        nodes[name] = Gaussian(
            tuple(model.names[i] for i in parents),
            np.array(0.0),
            model.weights[parents, j],
            np.sqrt(model.variances[j]),
        )
    return Network(nodes)
