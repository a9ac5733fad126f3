"""The linear relaxation of the choice of parent sets, with cuts (column generation).

Of thousands of parent sets a solution uses few, so the linear program has only some of them as
columns. The dual prices of its rows show which others could lower the loss; these are added until
there are none.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from importlib.util import find_spec
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from dagathlon import _core
from dagathlon.errors import UnavailableError
from dagathlon.pulse import aside

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int32]
Flags = npt.NDArray[np.bool_]

# Initial columns per node, and the largest number of columns added at a time.
_FIRST, _AT_ONCE = 15, 300
# Columns per node up to which none are removed.
_FEW = 10
# Columns with a smaller gain are not added.
_LEAST_GAIN = 1e-9


class Solution(NamedTuple):
    """Optimum of the relaxation, with a value and a reduced loss for each parent set.

    The loss is a bound by the dual prices alone: whatever the solver's tolerances are, no DAG
    that is not excluded has a lower loss.
    """

    loss: float
    values: Floats
    reduced: Floats
    slack: Floats


class Relaxation:
    """A linear program in HiGHS: each node's parent sets sum to 1, and rows of cuts.

    Parameters
    ----------
    program
        The parent sets, and the pool of cuts.
    nodes
        Number of nodes.
    dear
        The loss of a node without a parent set; above that of any DAG of interest.
    """

    def __init__(self, program: _core.FamilyProgram, nodes: int, no_parents_loss: float) -> None:
        self.program = program
        self.nodes = nodes
        self.cuts: list[int] = []
        self._most = np.zeros(0)
        self.closed = np.zeros(len(program), dtype=bool)
        self._model = silent_model()
        self._add_nodes(no_parents_loss)
        self._listed = np.zeros(0, dtype=np.int32)
        children = program.children()
        ranks = np.arange(len(children)) - np.searchsorted(children, children)
        self._enter(np.flatnonzero(ranks < _FIRST).astype(np.int32))

    def _add_nodes(self, no_parents_loss: float) -> None:
        """Add a row for each node, and a column for no parents at a high price.

        With these columns the program is always feasible.
        """
        one, every = np.ones(self.nodes), np.arange(self.nodes, dtype=np.int32)
        self._model.addRows(self.nodes, one, one, 0, 0 * every, every[:0], one[:0])
        self._model.addCols(
            self.nodes,
            no_parents_loss * one,
            0 * one,
            math.inf * one,
            self.nodes,
            every,
            every,
            one,
        )

    def solve(self) -> Solution:
        """Solve the program from the last basis, for all parent sets."""
        while True:
            values, prices, slack = self._solve_listed()
            reduced = self.program.reduced(prices, self.cuts)
            wanted = np.flatnonzero((reduced < -_LEAST_GAIN) & ~self.closed & ~self._is_listed())
            if not len(wanted):
                break
            order = np.argsort(reduced[wanted], kind="stable")
            self._enter(np.sort(wanted[order[:_AT_ONCE]]).astype(np.int32))
        return Solution(self._bound(prices, reduced), values, reduced, slack)

    def _bound(self, prices: Floats, reduced: Floats) -> float:
        """Return the dual bound: prices of all rows plus each node's least reduced loss."""
        least = np.full(self.nodes, math.inf)
        np.minimum.at(least, self.program.children(), np.where(self.closed, math.inf, reduced))
        paid = prices[: self.nodes] + least
        return math.fsum([*paid, *(prices[self.nodes :] * self._most)])

    def trial(self, iterations: int) -> float:
        """Return the loss after some simplex iterations on the present columns."""
        self._model.setOptionValue("simplex_iteration_limit", iterations)
        _run(self._model)
        return float(self._model.getInfo().objective_function_value)

    def _solve_listed(self) -> tuple[Floats, Floats, Floats]:
        """Return the values of parent sets, the dual prices of rows and the slack of the cuts."""
        self._model.setOptionValue("simplex_iteration_limit", 2**31 - 1)
        _run(self._model)
        solution = self._model.getSolution()
        values = np.zeros(len(self.program))
        values[self._listed] = np.asarray(solution.col_value)[self.nodes :]
        prices = np.array(solution.row_dual)
        # Cuts have non-positive dual prices, up to the solver's tolerance.
        prices[self.nodes :] = np.minimum(prices[self.nodes :], 0.0)
        return values, prices, self._most - np.asarray(solution.row_value)[self.nodes :]

    def _is_listed(self) -> Flags:
        listed = np.zeros(len(self.program), dtype=bool)
        listed[self._listed] = True
        return listed

    def _enter(self, columns: Integers) -> None:
        starts, rows, entries = self.program.columns(columns, self.cuts)
        count = len(columns)
        loss = self.program.losses()[columns]
        upper = np.where(self.closed[columns], 0.0, math.inf)
        self._model.addCols(count, loss, np.zeros(count), upper, len(rows), starts, rows, entries)
        self._listed = np.concatenate([self._listed, columns])

    def remove_columns(self, solution: Solution, bearable: float) -> None:
        """Remove columns with a large reduced loss; they are added again when needed."""
        reduced = solution.reduced[self._listed]
        far = (reduced > bearable) & (solution.values[self._listed] <= 0)
        if len(reduced) > _FEW * self.nodes and far.sum() > len(reduced) // 4:
            places = (np.flatnonzero(far) + self.nodes).astype(np.int32)
            self._model.deleteCols(len(places), places)
            self._listed = self._listed[~far]

    def add(self, cuts: Sequence[int]) -> None:
        """Add rows for cuts of the pool."""
        if not cuts:
            return
        places = np.full(len(self.program), -1, dtype=np.int32)
        places[self._listed] = self.nodes + np.arange(len(self._listed), dtype=np.int32)
        starts, columns, entries = self.program.rows(list(cuts), places)
        most = self.program.most(list(cuts))
        below = np.full(len(most), -math.inf)
        self._model.addRows(len(most), below, most, len(columns), starts, columns, entries)
        self.cuts.extend(cuts)
        self._most = np.append(self._most, most)

    def exchange(self, cuts: Sequence[int]) -> None:
        """Replace the present cuts by these."""
        wanted, present = set(cuts), set(self.cuts)
        self.drop(np.array([cut not in wanted for cut in self.cuts], dtype=bool))
        self.add([cut for cut in cuts if cut not in present])

    def drop(self, rows: Flags) -> None:
        """Remove rows of cuts."""
        places = np.flatnonzero(rows)
        if not len(places):
            return
        self._model.deleteRows(len(places), (places + self.nodes).astype(np.int32))
        self.cuts = [cut for cut, gone in zip(self.cuts, rows, strict=True) if not gone]
        self._most = self._most[~rows]

    def keep(self, columns: Flags) -> None:
        """Remove all other parent sets permanently."""
        if columns.all():
            return
        gone = np.flatnonzero(~columns[self._listed])
        if len(gone):
            self._model.deleteCols(len(gone), (gone + self.nodes).astype(np.int32))
        renumbered = (np.cumsum(columns) - 1).astype(np.int32)
        self._listed = renumbered[self._listed[columns[self._listed]]]
        self.closed = self.closed[columns]
        self.program.keep(columns)

    def close(self, closed: Flags) -> None:
        """Fix these parent sets at 0 and free all others."""
        changed = np.flatnonzero((closed != self.closed)[self._listed])
        upper = np.where(closed[self._listed[changed]], 0.0, math.inf)
        if len(changed):
            places = (changed + self.nodes).astype(np.int32)
            self._model.changeColsBounds(len(places), places, np.zeros(len(places)), upper)
        self.closed = closed

    def basis(self) -> Any:
        """Return the basis of the last solution, for warm starts with equal rows and columns."""
        return self._model.getBasis()

    def restart(self, basis: Any) -> None:
        """Start the next solution from a basis."""
        self._model.setBasis(basis)


def silent_model() -> Any:
    """Make an empty HiGHS model for the simplex method."""
    if find_spec("highspy") is None:
        raise UnavailableError(
            "integer programming needs the solver HiGHS: pip install 'dagathlon[exact]'; up to 25 "
            "variables that depend on each other are solved without it by solver dp"
        )
    import highspy  # noqa: PLC0415 - for large problems only

    model: Any = highspy.Highs()  # type: ignore[no-untyped-call]
    # Presolve would discard the basis for warm starts.
    options = {"output_flag": False, "threads": 1, "presolve": "off", "solver": "simplex"}
    for name, value in options.items():
        model.setOptionValue(name, value)
    return model


def _run(model: Any) -> None:
    """Run the solver in a thread; an interrupt or deadline of the wait cancels the solver too."""
    model.HandleUserInterrupt = True
    try:
        aside(model.run)
    except BaseException:
        model.cancelSolve()
        raise
