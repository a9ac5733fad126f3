"""Base class of GraN-DAG and MCSL: candidate parents, training, removal of cycles."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from dagathlon.learners.background import knowledge_of
from dagathlon.learners.continuous.weights import varying
from dagathlon.learners.jax.augmented import Adam, State
from dagathlon.learners.jax.loop import Ended
from dagathlon.learners.jax.masked_nets import Facts
from dagathlon.learners.jax.nets_learner import Matrix, NetworkLearner, with_required
from dagathlon.learners.nonlinear.order_based import Models
from dagathlon.modules import Natural, NonNegative
from dagathlon.pulse import beat

if TYPE_CHECKING:
    from dagathlon.data import Dataset
    from dagathlon.learners.base import Estimate, Statistic

_EVERY = 100


@dataclass(frozen=True, kw_only=True)
class MaskedLearner(NetworkLearner):
    """Base class of learners whose networks have masked inputs, trained on minibatches.

    Parameters
    ----------
    neighbours
        Largest number of candidate parents of a variable where there are 20 variables or more,
        chosen by boosting of an additive model before training. Null: all others.
    splines
        Functions of the basis of each term of additive models; fewer where many terms meet few
        rows.
    hidden
        Units of each hidden layer of the networks, which have leaky rectifiers.
    batch_size
        Number of rows in each step, drawn at random.
    learning_rate
        Size of the steps of Adam.
    steps
        Largest number of steps until the penalty of cycles is raised.
    tolerance
        The penalty is raised earlier when the mean objective of 100 steps differs by no more than
        this from that of the 100 before, relative to its size or to 1.
    max_iter
        Largest number of times that the penalty is raised.
    rho
        Initial penalty of cycles; it is multiplied by ten if the constraint has not halved.
    h_tol
        Training ends when the acyclicity constraint is not above this.
    """

    anytime = True

    neighbours: Natural | None = 10
    splines: Natural = 10
    hidden: tuple[Natural, ...] = (10, 10)
    batch_size: Natural = 64
    learning_rate: NonNegative = 0.01
    steps: Natural = 300
    tolerance: NonNegative = 1e-3
    max_iter: Natural = 60
    rho: NonNegative = 0.01
    h_tol: NonNegative = 1e-8

    def facts_of(self, columns: Matrix, allowed: Matrix) -> Any:
        """Return the data, and the allowed arcs between candidate neighbours, as arrays."""
        used = np.flatnonzero(varying(columns.T))
        near = np.zeros_like(allowed)
        near[np.ix_(used, used)] = self.models(columns[used].T).neighbours
        return Facts(columns.T, allowed * near)

    def models(self, values: Matrix) -> Models:
        """Return additive models of the columns, which must not be constant."""
        return Models(values, self.splines, self.neighbours)

    def search(self) -> dict[str, Any]:
        """Return the settings that all problems share."""
        every = min(_EVERY, self.steps)
        return {
            "inner": Adam(self.steps, every, self.tolerance, self.learning_rate),
            "outer_steps": self.max_iter,
            "rho": self.rho,
            "tolerance": self.h_tol,
        }

    def _stats(self, ended: Ended, state: State, run: int) -> dict[str, Statistic]:
        value = float(state.multipliers.value)
        return {**super()._stats(ended, state, run), "acyclicity": value}

    def _estimate(self, data: Dataset, weights: Matrix, stats: dict[str, Statistic]) -> Estimate:
        """Return the arcs above the threshold, with the weakest arc of each cycle removed."""
        knowledge = knowledge_of(self.constraints, data.names)
        sizes = with_required(weights, knowledge, data.names)
        cut = closing_arcs(np.where(sizes > self.w_threshold, sizes, 0.0))
        stats = stats | {"cut_arcs": int(cut.sum())}
        estimate = super()._estimate(data, np.where(cut, 0.0, weights), stats)
        if not cut.any():
            return estimate
        note = (
            f"Training ended with directed cycles, of which {cut.sum()} arcs were cut; "
            "other starts, or a smaller learning_rate, may help."
        )
        return replace(estimate, notes=(*estimate.notes, note))


def closing_arcs(weights: Matrix) -> npt.NDArray[np.bool_]:
    """Return arcs, from row to column, whose removal breaks all cycles: the weakest of each.

    Arcs are visited from the weakest to the strongest, and removed when they close a cycle with
    the remaining ones.
    """
    remaining, cut = weights > 0, np.zeros(weights.shape, dtype=np.bool_)
    for place in np.argsort(weights, axis=None, kind="stable"):
        tail, head = divmod(int(place), len(weights))
        if remaining[tail, head] and _reaches(remaining, head, tail):
            remaining[tail, head], cut[tail, head] = False, True
    return cut


def _reaches(arcs: npt.NDArray[np.bool_], start: int, end: int) -> bool:
    """Return whether a directed path, possibly empty, leads from one node to another."""
    beat()
    seen = np.zeros(len(arcs), dtype=np.bool_)
    seen[start] = True
    fresh = seen.copy()
    while fresh.any() and not seen[end]:
        fresh = arcs[fresh].any(axis=0) & ~seen
        seen |= fresh
    return bool(seen[end])
