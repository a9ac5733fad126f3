"""The linear relaxation of the choice of parent sets, with the cuts found so far."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from dagathlon import _core
from dagathlon.pulse import aside

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int32]


class Solution(NamedTuple):
    """An optimum, or where its iterations ended; infinite loss if there is none."""

    loss: float
    is_optimal: bool
    values: Floats
    reduced: Floats
    slack: Floats


class Relaxation:
    """A linear program in HiGHS: each node's parent sets sum to 1, and rows of cuts.

    Parameters
    ----------
    program
        The columns, and the pool of cuts.
    nodes
        Their number.
    """

    def __init__(self, program: _core.FamilyProgram, nodes: int) -> None:
        import highspy  # noqa: PLC0415 - an extra, for large problems only

        self.program = program
        self.nodes = nodes
        self.cuts: list[int] = []
        self._most = np.zeros(0)
        self._closed = np.zeros(0, dtype=np.int32)
        self._infeasible = highspy.HighsModelStatus.kInfeasible
        self._optimal = highspy.HighsModelStatus.kOptimal
        self._model = silent_model()
        count = len(program)
        self._model.addVars(count, np.zeros(count), np.ones(count))
        everyone = np.arange(count, dtype=np.int32)
        self._model.changeColsCost(count, everyone, program.losses())
        children = program.children()
        for child in range(nodes):
            own = np.flatnonzero(children == child).astype(np.int32)
            self._model.addRow(1.0, 1.0, len(own), own, np.ones(len(own)))

    def solve(self, iterations: int | None = None) -> Solution:
        """Solve it from the last basis; with so many iterations at most."""
        limit = 2**31 - 1 if iterations is None else iterations
        self._model.setOptionValue("simplex_iteration_limit", limit)
        _run(self._model)
        status = self._model.getModelStatus()
        if status == self._infeasible:
            return Solution(math.inf, True, np.zeros(0), np.zeros(0), np.zeros(0))
        found = self._model.getSolution()
        slack = self._most - np.asarray(found.row_value)[self.nodes :]
        loss = float(self._model.getInfo().objective_function_value)
        values, reduced = np.asarray(found.col_value), np.asarray(found.col_dual)
        return Solution(loss, status == self._optimal, values, reduced, slack)

    def add(self, cuts: Sequence[int]) -> None:
        """Add rows for cuts of the pool."""
        starts, columns, values, most = self.program.rows(list(cuts))
        below = np.full(len(most), -math.inf)
        self._model.addRows(len(most), below, most, len(columns), starts, columns, values)
        self.cuts.extend(cuts)
        self._most = np.append(self._most, most)

    def drop(self, rows: npt.NDArray[np.bool_]) -> None:
        """Take out rows of cuts."""
        places = np.flatnonzero(rows)
        if not len(places):
            return
        self._model.deleteRows(len(places), (places + self.nodes).astype(np.int32))
        self.cuts = [cut for cut, gone in zip(self.cuts, rows, strict=True) if not gone]
        self._most = self._most[~rows]

    def keep(self, columns: npt.NDArray[np.bool_]) -> None:
        """Leave out all columns but these, for good; none may be closed."""
        hopeless = np.flatnonzero(~columns).astype(np.int32)
        if len(hopeless):
            self._model.deleteCols(len(hopeless), hopeless)
            self.program.keep(columns)

    def close(self, columns: Integers) -> None:
        """Hold these columns at 0 and open all others."""
        opened = np.setdiff1d(self._closed, columns)
        closed = np.setdiff1d(columns, self._closed)
        changed = np.concatenate([opened, closed]).astype(np.int32)
        upper = np.concatenate([np.ones(len(opened)), np.zeros(len(closed))])
        if len(changed):
            self._model.changeColsBounds(len(changed), changed, np.zeros(len(changed)), upper)
        self._closed = columns

    def basis(self) -> Any:
        """Where the last solution ended, to start from again as long as rows are the same."""
        return self._model.getBasis()

    def restart(self, basis: Any) -> None:
        """Start the next solution from a basis."""
        self._model.setBasis(basis)


def silent_model() -> Any:
    """An empty model of HiGHS for the simplex method."""
    import highspy  # noqa: PLC0415 - an extra, for large problems only

    model: Any = highspy.Highs()  # type: ignore[no-untyped-call]
    # Presolve would throw away the basis that the next solution starts from.
    options = {"output_flag": False, "threads": 1, "presolve": "off", "solver": "simplex"}
    for name, value in options.items():
        model.setOptionValue(name, value)
    return model


def _run(model: Any) -> None:
    """Run the solver in a thread of its own; whatever ends the wait ends the solver too."""
    model.HandleUserInterrupt = True
    try:
        aside(model.run)
    except BaseException:
        model.cancelSolve()
        raise
