"""Base class of learners with a network for each variable: data, constraints, starts, graph."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from dagathlon.data import Dataset
from dagathlon.errors import DataError, OutOfTimeError
from dagathlon.graphs.knowledge import Knowledge
from dagathlon.learners.assumptions import ADDITIVE, NO_HIDDEN
from dagathlon.learners.background import ConstraintFile, knowledge_of, refuse_required_cycle
from dagathlon.learners.base import Estimate, Statistic
from dagathlon.learners.continuous.weights import dag_estimate, few_values, numbers, standardized
from dagathlon.learners.jax.augmented import Problem, minimise
from dagathlon.learners.jax.backend import (
    JaxLearner,
    batches_of,
    full_precision_products,
    jax,
    jnp,
    keys,
    require_jax,
)
from dagathlon.learners.jax.loop import Ended
from dagathlon.modules import Natural, NonNegative

Matrix = npt.NDArray[np.float64]
_LARGEST, _SIMILAR = 1e6, 100.0


@dataclass(frozen=True, kw_only=True)
class NetworkLearner(JaxLearner):
    """Base class of learners that minimise a `Problem` and threshold the weights of arcs.

    Parameters
    ----------
    w_threshold
        Weights not above this are no arcs.
    standardize
        Whether columns are standardised to mean 0 and variance 1; otherwise they are only centred,
        and if all noise has the same variance in the units of the data, the variances identify
        directions. Use it for columns in different units.
    starts
        Number of random starts; the result is that of the lowest objective.
    constraints
        Name of a file of edges that are forbidden or required, and of tiers.
    timeout
        Seconds after which the run is stopped; null for no limit.
    """

    assumes: ClassVar[tuple[str, ...]] = (ADDITIVE, NO_HIDDEN)
    whole_products: ClassVar[bool] = True

    w_threshold: NonNegative = 0.3
    standardize: bool = False
    starts: Natural = 1
    constraints: ConstraintFile | None = None
    timeout: NonNegative | None = None

    @abstractmethod
    def problem_of(self, p: int) -> Problem:
        """Return the objective for p variables, with all compile-time constants."""

    @abstractmethod
    def facts_of(self, columns: Matrix, allowed: Matrix) -> Any:
        """Return the input arrays of a run, as a tree.

        Parameters
        ----------
        columns
            The data, a variable in each row.
        allowed
            Ones where an arc is allowed, from row to column, and zeros on the diagonal.
        """

    @abstractmethod
    def weights_of(self, found: Any, facts: Any) -> Matrix:
        """Return the weights of arcs, from row to column, from the parameters of a run."""

    def learn_many(
        self, data: Sequence[Dataset], rngs: Sequence[np.random.Generator]
    ) -> list[Estimate]:
        """Learn from all data sets and starts: in one batch on a GPU, one by one on a CPU."""
        require_jax()
        facts = [self._facts(one) for one in data]  # unsuitable data raise an error before any run
        runs = [place for place in range(len(data)) for _ in range(self.starts)]
        all_keys = [keys([rng], start)[0] for rng in rngs for start in range(self.starts)]
        best: dict[int, tuple[float, Estimate]] = {}
        with full_precision_products():
            for chosen in _alike(runs, facts):
                ended = minimise(
                    self.problem_of(len(data[runs[chosen[0]]].names)),
                    jnp.stack([all_keys[run] for run in chosen]),
                    _stacked([facts[runs[run]] for run in chosen]),
                )
                self._keep(best, [runs[run] for run in chosen], data, facts, ended)
        if len(best) < len(data):
            raise OutOfTimeError("the time limit came before the first minimum")
        return [best[place][1] for place in range(len(data))]

    def _facts(self, data: Dataset) -> Any:
        values = numbers(data, self.name)
        values = standardized(values) if self.standardize else values - values.mean(axis=0)
        size = np.abs(values).max(initial=0.0)
        if size > _LARGEST:
            raise DataError(
                f"{self.name}: values are up to {size:.3g} from their means, and at most "
                f"{_LARGEST:.0e} is allowed; use standardize=true, or other units"
            )
        knowledge = knowledge_of(self.constraints, data.names)
        refuse_required_cycle(knowledge, data.names)
        facts = self.facts_of(values.T, allowed_arcs(knowledge, data.names))
        return jax.tree_util.tree_map(np.float32, facts)

    def _keep(
        self,
        best: dict[int, tuple[float, Estimate]],
        places: list[int],
        data: Sequence[Dataset],
        facts: list[Any],
        ended: Ended,
    ) -> None:
        """Keep, for each data set, the start of lowest objective."""
        for run, place in enumerate(places):
            state = jax.tree_util.tree_map(lambda part, run=run: part[run], ended.state)
            objective = float(state.minimum)
            if state.outer and (place not in best or objective < best[place][0]):
                stats = self._stats(ended, state, run)
                weights = self.weights_of(state.params, facts[place])
                best[place] = objective, self._estimate(data[place], weights, stats)

    def _stats(self, ended: Ended, state: Any, run: int) -> dict[str, Statistic]:
        return {
            "steps": int(ended.steps[run]),
            "outer_steps": int(state.outer),
            "objective": float(state.minimum),
            "settled": bool(ended.settled[run]),
        }

    def _estimate(self, data: Dataset, weights: Matrix, stats: dict[str, Statistic]) -> Estimate:
        knowledge = knowledge_of(self.constraints, data.names)
        notes = few_values(self.name, data, data.values)
        if not stats["settled"]:
            notes += ("Training ended before the graph was acyclic; more steps may help.",)
        if not self.standardize:
            notes += _units(self.name, data)
        estimate = dag_estimate(
            data.names, with_required(weights, knowledge, data.names), self.w_threshold, stats
        )
        return replace(estimate, notes=notes, weights=weights)


def allowed_arcs(knowledge: Knowledge, names: Sequence[str]) -> Matrix:
    """Return ones for allowed arcs, from row to column; required arcs are allowed one way."""
    place = {name: i for i, name in enumerate(names)}
    allowed = 1.0 - np.eye(len(names))
    reverse = {(b, a) for a, b in knowledge.required if (b, a) not in knowledge.required}
    for a, b in knowledge.forbidden | reverse:
        allowed[place[a], place[b]] = 0.0
    return allowed


def with_required(weights: Matrix, knowledge: Knowledge, names: Sequence[str]) -> Matrix:
    """Raise the weights of required arcs above all others; of those required both ways, one."""
    place = {name: i for i, name in enumerate(names)}
    result, most = weights.copy(), weights.max(initial=0.0)
    for a, b in sorted(knowledge.required):
        i, j = place[a], place[b]
        if (b, a) not in knowledge.required:
            result[i, j] = np.inf
        elif (weights[i, j], a) > (weights[j, i], b):
            result[i, j] = 1 + most + weights[i, j]
    return result


def _alike(runs: list[int], facts: list[Any]) -> list[list[int]]:
    """Group runs into batches: data of one size, together on a GPU, one by one on a CPU."""
    batches: dict[Any, list[int]] = {}
    for run, place in enumerate(runs):
        shapes = tuple(part.shape for part in jax.tree_util.tree_leaves(facts[place]))
        batches.setdefault(shapes, []).append(run)
    return [batch for same in batches.values() for batch in batches_of(same)]


def _stacked(facts: list[Any]) -> Any:
    return jax.tree_util.tree_map(lambda *parts: jnp.asarray(np.stack(parts)), *facts)


def _units(learner: str, data: Dataset) -> tuple[str, ...]:
    """Return a note on columns of very different scales."""
    sizes = data.values.std(axis=0)
    sizes = sizes[sizes > 0]
    if not sizes.size or sizes.max() <= _SIMILAR * sizes.min():
        return ()
    return (
        f"The largest standard deviation of a column is {sizes.max() / sizes.min():.0f} times the "
        f"smallest, and {learner} compares noise in the units of the data: use standardize=true "
        "where columns are in units of their own.",
    )
