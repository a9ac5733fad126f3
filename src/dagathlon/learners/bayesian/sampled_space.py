"""Search space of samplers: all parent sets, or as many as tables can hold."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from dagathlon import _core
from dagathlon.data import Dataset
from dagathlon.data.spec import DataFacts
from dagathlon.errors import DataError
from dagathlon.graphs import Graph
from dagathlon.learners.bayesian.dag_sampling import squared_log, steps_for, thousands
from dagathlon.learners.bayesian.search_space import MAX_ENTRIES, ArcMatrix, first_candidates
from dagathlon.learners.bayesian.space_based import SearchSpace, SpaceBased
from dagathlon.modules import Count, Natural, Probability
from dagathlon.posteriors.spaces import all_dags, limits_in_words
from dagathlon.pulse import stage

# Tables of all parent sets of more variables take more than some seconds and half a gigabyte.
MOST_COMPLETE = 20
# Parent sets in the tables of all nodes together.
_TABLED = 3_000_000
_MOST_FREE = 3
# Largest number of variables with free sets in the tables.
_MOST_FREED = 128
_FEWEST_STEPS = 20_000


@dataclass(frozen=True, kw_only=True)
class SampledSpace(SpaceBased):
    """Base class of samplers in a search space: all DAGs where there are few variables.

    Parameters
    ----------
    alpha
        Significance level of PC, whose graph then defines the search space, like a start graph.
        Null: all parent sets up to 20 variables; with more, all subsets of candidate parents chosen
        by the score, with one parent from outside, and all small sets.
    candidates
        Number of candidate parents of each node if the score chooses them; null is as many as fit
        into the tables, 10 at most.
    free_parents
        Size up to which all parent sets are in the space if the score chooses candidates, 3 at
        most; null is 2 up to 128 variables and 1 beyond. With 3, steps take several times as long.
    """

    alpha: Probability | None = None
    candidates: Natural | None = None
    free_parents: Count | None = None

    def level(self) -> float | None:
        """Return the parameter `alpha`: the significance level of PC."""
        return self.alpha

    def problem(self) -> str:
        """Return a message if there are too many candidates for tables of all subsets."""
        if self.candidates is not None and self.candidates > _core.MAX_CANDIDATES:
            return f"candidates: found {self.candidates}, expected at most {_core.MAX_CANDIDATES}"
        if (self.free_parents or 0) > _MOST_FREE:
            return f"free_parents: found {self.free_parents}, expected at most {_MOST_FREE}"
        return super().problem()

    def why_unsuitable(self, data: DataFacts) -> str:
        """Return a message if `free_parents` is too large for so many variables."""
        if (self.free_parents or 0) > 1 and (data.n_columns or 0) > _MOST_FREED:
            return (
                f"free_parents: found {self.free_parents} for {data.n_columns} variables, expected "
                f"at most 1 beyond {_MOST_FREED}"
            )
        return super().why_unsuitable(data)

    def space(self, data: Dataset, rng: np.random.Generator, start: Graph | None) -> SearchSpace:
        """Return the space of the start graph or of PC where given, else the widest possible."""
        if start is not None or self.alpha is not None:
            return super().space(data, rng, start)
        forbidden, required = self.forbidden_and_required(data)
        return self.widest(data, forbidden, required)

    def widest(self, data: Dataset, forbidden: ArcMatrix, required: ArcMatrix) -> SearchSpace:
        """Return the space of all parent sets, or of candidates chosen by the score."""
        p, limits = len(data.names), (forbidden, required, self.max_parents)
        if p <= MOST_COMPLETE and self.candidates is None:
            nothing = np.zeros_like(forbidden)
            return SearchSpace(~forbidden | required, nothing, required, words=all_dags(*limits))
        count, free = self.sizes(p)
        _check_room(p, count if self.plus_one else count - math.log2(p))
        with stage("choosing candidate parents"):
            chosen = first_candidates(self.native_score(data), forbidden, required, count)
        extras = ~forbidden & ~chosen & self.plus_one
        words = (
            f"DAGs{limits_in_words(*limits)} whose parents are among {count} candidates for each "
            f"node, chosen by the score{', with one more from outside' * self.plus_one}"
            f"{f', or any {free} nodes' if free > 1 else ''}"
        )
        return SearchSpace(chosen, extras, required, words=words, free=free)

    def steps(self, p: int) -> int:
        """Return the steps of a chain: fewer where the score chooses candidates of many nodes."""
        given = self.alpha is not None or self.input_algorithm_id is not None
        if given or p <= MOST_COMPLETE:
            return steps_for(p)
        return max(_FEWEST_STEPS, thousands(2 * squared_log(p)))

    def sizes(self, p: int) -> tuple[int, int]:
        """Return the number of candidates, and the size up to which all parent sets are in it."""
        count = self.candidates or min(max(int(math.log2(_TABLED / p**2)), 4), 10)
        count = min(count, max(p - 1, 1))
        free = (2 if p <= _MOST_FREED else 1) if self.free_parents is None else self.free_parents
        free = max(free, 1)
        return count, min(free, self.max_parents or free) if self.plus_one else 0


def _check_room(p: int, log_sets: float) -> None:
    """Raise an error if tables of 2^log_sets · p sets per variable exceed the allowed size."""
    entries = int(2.0**log_sets * p * p)
    if entries > MAX_ENTRIES:
        raise DataError(
            f"the search space of {p} variables has {entries} parent sets, more than the "
            f"{MAX_ENTRIES} that tables can hold: choose fewer variables or candidates, or set "
            "plus_one = false"
        )
