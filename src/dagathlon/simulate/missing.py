"""Missing values: MCAR, MAR, MNAR."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from dagathlon.data import Dataset
from dagathlon.data.spec import DataFacts
from dagathlon.errors import DataError
from dagathlon.graphs import Graph
from dagathlon.modules import Count, Probability
from dagathlon.simulate.base import Model
from dagathlon.simulate.row_generator import RowGenerator
from dagathlon.simulate.streams import substreams

Mechanism: TypeAlias = Literal["mcar", "mar", "mnar", "self"]
Causes: TypeAlias = Mapping[int, int | None]
"""For each variable with missing values, the variable that causes them; None for MCAR."""

# Interval of the share of rows in which a cause is low.
_LOW_SHARE = (0.1, 0.7)


@dataclass(frozen=True, kw_only=True)
class Missing(RowGenerator):
    """Rows of a model with missing values in some variables.

    A value is missing with probability `p_high` in the rows in which its cause is low, and with
    probability `p_low` in the others. A cause is low when it lies below a quantile, which is
    drawn between 10 % and 70 % for each variable with missing values.

    Parameters
    ----------
    mechanism
        ``mcar``, completely at random: the cause is an independent coin; ``mar``, at random: a
        variable without missing values; ``mnar``, not at random: another variable with missing
        values; ``self``: the variable itself.
    n_variables
        Number of variables with missing values.
    n_colliders
        Largest number of them whose cause (mar, mnar) is a common child of theirs and of another
        variable, which makes a naive test find a false edge.
    p_high
        Probability of a missing value if the cause is low.
    p_low
        Probability of a missing value otherwise.
    """

    name = "missing"
    references = (
        "Rubin 1976, Inference and missing data, Biometrika 63",
        "Tu, Zhang, Ackermann, Bertilson, Glymour, Kjellström and Zhang 2019, AISTATS",
    )

    mechanism: Mechanism = "mcar"
    n_variables: Count = 3
    n_colliders: Count = 0
    p_high: Probability = 0.9
    p_low: Probability = 0.1

    def problem(self) -> str:
        """Return a message if mnar has a single variable; empty otherwise."""
        if self.mechanism == "mnar" and self.n_variables == 1:
            return (
                "mnar with one variable has no other variable with missing values as cause; use "
                "mechanism 'self' or more variables"
            )
        return ""

    def facts(self, model: DataFacts) -> DataFacts:
        """Return the properties of the data, with missing values if any variable has them."""
        return replace(super().facts(model), missing=self.n_variables > 0)

    def sample(self, model: Model, rng: np.random.Generator) -> Dataset:
        """Draw one data set."""
        design, rows, coins = substreams(rng, 3)
        complete = model.sample(self.n, rows)
        causes = self.causes(complete.names, getattr(model, "graph", None), design)
        return self.finished(self._without(complete, causes, design, coins))

    def causes(
        self, names: tuple[str, ...], graph: Graph | None, rng: np.random.Generator
    ) -> Causes:
        """Choose the variables with missing values and their causes.

        Parameters
        ----------
        names
            The columns of the data.
        graph
            The DAG, for its colliders; without one there are none.
        rng
            The random stream.
        """
        p, count = len(names), self.n_variables
        limit = p - 1 if self.mechanism == "mar" else p
        if count > limit:
            raise DataError(
                f"{self.mechanism} data of {p} variables have at most {limit} with missing values, "
                f"found {count}"
            )
        order = [int(j) for j in rng.permutation(p)]
        if self.mechanism in ("mcar", "self"):
            chosen = order[:count]
            return {j: j if self.mechanism == "self" else None for j in chosen}
        pairs = self._collider_pairs(names, graph, rng)
        return (_at_random if self.mechanism == "mar" else _not_at_random)(order, pairs, count, rng)

    def _collider_pairs(
        self, names: tuple[str, ...], graph: Graph | None, rng: np.random.Generator
    ) -> dict[int, int]:
        """Return parents of colliders, each with the collider as cause; no variable is both."""
        if graph is None or not graph.is_dag:
            return {}
        place = {name: j for j, name in enumerate(names)}
        candidates = [
            (place[parent], place[child])
            for child in graph.names
            for parent in graph.parents(child)
            if len(graph.parents(child)) > 1
        ]
        pairs: dict[int, int] = {}
        room = min(self.n_colliders, self.n_variables)
        for i in rng.permutation(len(candidates)):
            parent, collider = candidates[i]
            free = parent not in pairs and parent not in pairs.values() and collider not in pairs
            if free and len(pairs) < room:
                pairs[parent] = collider
        return pairs

    def _without(
        self, data: Dataset, causes: Causes, design: np.random.Generator, coins: np.random.Generator
    ) -> Dataset:
        shares = design.uniform(*_LOW_SHARE, len(causes))
        draws = coins.random((len(data), 2 * len(causes)))
        gone = {}
        for k, (j, cause) in enumerate(causes.items()):
            if cause is None:
                low = draws[:, 2 * k + 1] < shares[k]
            else:
                column = data.column(data.names[cause])
                low = column < np.quantile(column, shares[k])
            gone[data.names[j]] = draws[:, 2 * k] < np.where(low, self.p_high, self.p_low)
        return _erased(data, gone)


def _at_random(
    order: list[int], pairs: dict[int, int], count: int, rng: np.random.Generator
) -> Causes:
    """Draw causes among the variables without missing values (MAR)."""
    others = [j for j in order if j not in pairs and j not in pairs.values()]
    causes = dict(list(pairs.items())[:count])
    chosen = others[: count - len(causes)]
    if len(causes) + len(chosen) < count:  # too few variables beside the colliders
        return _at_random(order, dict(list(pairs.items())[:-1]), count, rng)
    observed = [j for j in order if j not in causes and j not in chosen]
    return causes | {j: int(rng.choice(observed)) for j in chosen}


def _not_at_random(
    order: list[int], pairs: dict[int, int], count: int, rng: np.random.Generator
) -> Causes:
    """Draw causes among the variables with missing values, none its own cause (MNAR)."""
    first = [j for pair in pairs.items() for j in pair]
    chosen = list(dict.fromkeys([*first, *order]))[:count]
    causes = {}
    for j in chosen:
        others = [k for k in chosen if k != j]
        causes[j] = pairs[j] if pairs.get(j) in others else int(rng.choice(others))
    return causes


def _erased(data: Dataset, gone: Mapping[str, npt.NDArray[np.bool_]]) -> Dataset:
    codes, values = data.codes.copy(order="F"), data.values.copy(order="F")
    places = {True: 0, False: 0}
    for variable in data.variables:
        place = places[variable.is_discrete]
        places[variable.is_discrete] += 1
        if variable.name in gone and variable.is_discrete:
            codes[gone[variable.name], place] = data.missing_code
        elif variable.name in gone:
            values[gone[variable.name], place] = np.nan
    return Dataset(data.variables, codes, values, data.regimes)
