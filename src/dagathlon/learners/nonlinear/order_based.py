"""Base class of learners that find a causal order and then prune its arcs."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from dagathlon.data.spec import DataFacts, DataKind
from dagathlon.errors import DataError
from dagathlon.graphs import Graph
from dagathlon.learners.assumptions import ADDITIVE, NO_HIDDEN
from dagathlon.learners.background import ConstraintFile, knowledge_of, refuse_required_cycle
from dagathlon.learners.base import Estimate, Statistic
from dagathlon.learners.continuous.weights import few_values, numbers, varying
from dagathlon.learners.nonlinear.additive import Arcs, pruned
from dagathlon.learners.nonlinear.splines import Matrix, SplineProducts, Vector, fitting_splines
from dagathlon.learners.with_scipy import ScipyLearner
from dagathlon.modules import Natural, NonNegative, Probability
from dagathlon.pulse import beat

if TYPE_CHECKING:
    from dagathlon.data import Dataset

STEPS = 100
STEP_LENGTH = 0.1
LEAST_SHARE = 0.02
# Degrees of freedom of the function added in one boosting step (the usual value).
_FREEDOM = 4.0

# Number of variables from which parents are chosen among preselected neighbours.
MANY_VARIABLES = 20
FEWEST_ROWS = 10


@dataclass(frozen=True, kw_only=True)
class Problem:
    """Input of the search for an order: values and background knowledge.

    Parameters
    ----------
    values
        Columns that are not constant.
    forbidden, required
        Forbidden and required arcs, from row to column.
    rng
        The only source of randomness.
    """

    values: Matrix
    forbidden: Arcs
    required: Arcs
    rng: np.random.Generator

    def sinks(self, left: Sequence[int]) -> list[int]:
        """Return the variables among `left` that may come last.

        Variables with a required arc to another one are excluded; also, if others remain,
        those that can only be causes of another one, such as those of an earlier tier.
        """
        among = np.ix_(left, left)
        able = ~self.required[among].any(axis=1)
        before = self.forbidden.T & ~self.forbidden
        free = able & ~before[among].any(axis=1)
        chosen = np.asarray(free if free.any() else able)
        return [left[int(place)] for place in np.flatnonzero(chosen)]

    def candidates(self, order: Sequence[int]) -> Arcs:
        """Return all arcs along an order that are not forbidden."""
        place = np.argsort(order)
        result: Arcs = (place[:, None] < place) & ~self.forbidden
        return result


@dataclass(frozen=True)
class OrderResult:
    """Result of the search for an order.

    Parameters
    ----------
    order
        The variables, causes before effects.
    candidates
        Arcs along the order among which parents are chosen; none means all.
    stats, notes
        As of `Estimate`.
    """

    order: Sequence[int]
    candidates: Arcs | None = None
    stats: Mapping[str, Statistic] = field(default_factory=dict)
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class OrderBased(ScipyLearner):
    """Base class of learners of a causal order, then of parents among the variables before.

    Parents are those whose term in an additive model is significant (the pruning of CAM),
    unless the learner has a parameter for another way. Constant columns get no edges.

    Parameters
    ----------
    alpha
        Significance level of the F tests that terms of additive models must pass.
    splines
        Functions of the basis of each term of an additive model; fewer where many terms meet few
        rows.
    neighbours
        Largest number of candidate parents of a variable if there are 20 variables or more: those
        most often chosen by boosting of an additive model. Null: all candidates of the order.
    constraints
        Name of a JSON file with forbidden and required edges. Required edges and tiers constrain
        the order too.
    timeout
        Seconds after which the run is stopped; null for no limit.
    """

    assumes: ClassVar[tuple[str, ...]] = (ADDITIVE, NO_HIDDEN)
    gives = "dag"
    takes: ClassVar[frozenset[DataKind]] = frozenset({"continuous"})

    alpha: Probability = 0.001
    splines: Natural = 10
    neighbours: Natural | None = 10
    constraints: ConstraintFile | None = None
    timeout: NonNegative | None = None

    def why_unsuitable(self, data: DataFacts) -> str:
        """Return a message if there are fewer rows than columns; empty otherwise."""
        if data.n_rows is not None and 3 <= data.n_rows <= (data.n_columns or 0) + 1:
            return _too_few(self.name, data.n_rows, data.n_columns or 0)
        return super().why_unsuitable(data)

    def learn(self, data: Dataset, rng: np.random.Generator) -> Estimate:
        """Learn a DAG."""
        values = numbers(data, self.name, rows=FEWEST_ROWS)
        used = np.flatnonzero(varying(values))
        if len(values) <= len(used) + 1:
            raise DataError(_too_few(self.name, len(values), len(used)))
        knowledge = knowledge_of(self.constraints, data.names)
        refuse_required_cycle(knowledge, data.names)
        forbidden, required = knowledge.matrices(data.names)
        arcs = required.copy()
        stats: dict[str, Statistic] = {}
        notes = few_values(self.name, data, values)
        if len(used):
            among = np.ix_(used, used)
            problem = Problem(
                values=values[:, used],
                forbidden=forbidden[among],
                required=required[among],
                rng=rng,
            )
            models = Models(problem.values, self.splines, self.neighbours)
            result = self.search(problem, models)
            arcs[among] |= self.parents(problem, result, models)
            stats = {"order": " ".join(data.names[used[i]] for i in result.order)}
            stats |= result.stats
            notes += result.notes
        return Estimate(Graph.from_adjacency(data.names, arcs), stats, notes=notes)

    @abstractmethod
    def search(self, problem: Problem, models: Models) -> OrderResult:
        """Find the order of the variables."""

    def parents(self, problem: Problem, found: OrderResult, models: Models) -> Arcs:
        """Return the arcs along the order after pruning."""
        arcs = problem.candidates(found.order)
        arcs &= models.neighbours if found.candidates is None else found.candidates
        return models.pruned(arcs | problem.required, self.alpha) | problem.required


class Models:
    """Additive models of one data set, built on first use.

    Parameters
    ----------
    values
        Columns that are not constant.
    splines
        Functions of each basis.
    most
        Largest number of neighbours where there are many variables.
    """

    def __init__(self, values: Matrix, splines: int, most: int | None) -> None:
        self._values, self._splines = values, splines
        size = values.shape[1]
        self._most = most if size >= MANY_VARIABLES else None
        self._parents = size - 1 if self._most is None else min(self._most, size - 1)

    @cached_property
    def bases(self) -> SplineProducts:
        """Spline bases of the variables."""
        functions = fitting_splines(self._splines, len(self._values), self._parents)
        return SplineProducts(self._values, functions)

    @cached_property
    def neighbours(self) -> Arcs:
        """Candidate parents before any order, from row to column."""
        size = self._values.shape[1]
        if self._most is None:
            return ~np.eye(size, dtype=np.bool_)
        return additive_neighbours(self.bases, self._most)

    def pruned(self, candidates: Arcs, alpha: float) -> Arcs:
        """Return the candidates whose terms are significant."""
        return pruned(self.bases, candidates, alpha)


def _too_few(name: str, rows: int, columns: int) -> str:
    return (
        f"{name} needs more rows than columns that vary, by two at least; found {rows} rows of "
        f"{columns} columns"
    )


def additive_neighbours(bases: SplineProducts, most: int) -> Arcs:
    """Return the best explaining variables of each variable, from row to column.

    Each of 100 boosting steps adds a tenth of the smooth function of the variable that explains
    most of the residual. Variables chosen in at least two steps in a hundred are neighbours; if
    there are more than `most`, those chosen most often (Bühlmann, Peters and Ernest 2014, §3).
    """
    shrink = _shrinkage(bases)
    chosen = np.zeros((bases.size, bases.size), dtype=np.bool_)
    for target in range(bases.size):
        beat(target, bases.size)
        counts = _choices(bases, shrink, target)
        enough = np.flatnonzero(counts >= LEAST_SHARE * STEPS)
        best = enough[np.argsort(-counts[enough], kind="stable")][:most]
        chosen[best, target] = True
    return chosen


def _choices(bases: SplineProducts, shrink: Vector, target: int) -> Vector:
    """Return how often boosting of the target chooses each other variable."""
    counts = np.zeros(bases.size)
    residual = bases.with_targets[:, target].copy()  # products with the residual of the target
    starts = np.array([block.start for block in bases.blocks])
    # Coefficients s·b of orthonormal columns reduce the sum of squares by b²(2s - s²).
    gain = shrink * (2 - shrink)
    for _ in range(STEPS):
        gains = np.add.reduceat(gain * residual**2, starts)
        gains[target] = -1.0
        best = int(np.argmax(gains))
        counts[best] += 1
        block = bases.blocks[best]
        residual -= bases.products[:, block] @ (STEP_LENGTH * shrink[block] * residual[block])
    return counts


def _shrinkage(bases: SplineProducts) -> Vector:
    """Return the factors that shrink each function to four degrees of freedom."""
    parts = [_shrunk(bases.penalty[block]) for block in bases.blocks]
    return np.concatenate(parts)


def _shrunk(penalty: Vector) -> Vector:
    if len(penalty) <= _FREEDOM:
        return np.ones(len(penalty))
    low, high = -40.0, 40.0
    for _ in range(60):
        middle = (low + high) / 2
        loads: Matrix = 1 / (1 + np.exp(middle) * penalty)
        low, high = (middle, high) if loads.sum() > _FREEDOM else (low, middle)
    result: Vector = 1 / (1 + np.exp(low) * penalty)
    return result
