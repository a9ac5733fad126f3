"""Integer programming for optimal DAGs: a variable per parent set, cycles ruled out by cuts.

Each node takes one parent set; in each cluster of nodes some node takes one outside the cluster
(Jaakkola et al. 2010, Cussens 2011). There are too many clusters to write down, so those that a
solution of the linear program violates are added until none is found; branch and bound does the
rest, and its solution is checked for cycles in the same way.
"""

from __future__ import annotations

import importlib.util
import math
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from dagathlon import _core
from dagathlon.errors import DataError, UnavailableError
from dagathlon.pulse import aside, best_so_far, time_left, until_deadline

Floats = npt.NDArray[np.float64]

# Differences of scores below this are rounding of the linear program.
_TOLERANCE = 1e-7
_CUTS_PER_ROUND = 200
_MANY_SETS = 10_000


class SolverLimits(NamedTuple):
    """When a search may stop before its proof is complete."""

    seconds: float = math.inf
    gap: float = 0.0


class Bounded(NamedTuple):
    """A choice of parents for each node, what none can score above, and how that was found."""

    parents: list[list[int]]
    bound: float
    solver: str
    cuts: int


def solver_is_installed() -> bool:
    """Whether the solver of linear and integer programs is there."""
    return importlib.util.find_spec("highspy") is not None


def solve_by_cuts(sets: _core.ParentSets, limits: SolverLimits) -> Bounded:
    """The best choice without a cycle, or the best so far when a limit is reached."""
    if not solver_is_installed():
        raise UnavailableError(
            f"{len(sets)} variables that depend on each other need integer programming, and "
            "highspy is not installed: pip install 'dagathlon[ilp]', or set max_parents to a "
            "lower number"
        )
    if sets.count() > _MANY_SETS and math.isinf(min(limits.seconds, time_left())):
        raise DataError(
            f"{len(sets)} variables that depend on each other choose from {sets.count():,} parent "
            f"sets, and a proof may take days beyond {_MANY_SETS:,}: give a time_limit, set "
            "max_parents to a lower number, or use winasobs"
        )
    program = _Program(sets)
    program.search(limits)
    return Bounded(program.best, program.bound, program.solver, program.cuts)


@dataclass
class _Option:
    """A parent set as a variable of the program; its loss is against the node's best set."""

    child: int
    parents: tuple[int, ...]
    loss: float


@dataclass
class _Program:
    """The program with the cuts found so far; losses are minimised, which keeps numbers small."""

    sets: _core.ParentSets
    options: list[_Option] = field(init=False)
    ideal: float = field(init=False)
    best: list[list[int]] = field(init=False)
    least: float = field(init=False)
    clusters: dict[tuple[int, ...], None] = field(default_factory=dict)
    cuts: int = 0

    def __post_init__(self) -> None:
        lists = self.sets.lists()
        self.ideal = math.fsum(found[0][0] for found in lists)
        self.options = [
            _Option(child, tuple(parents), found[0][0] - score)
            for child, found in enumerate(lists)
            for score, parents in found
        ]
        how = _core.WindowSearch(starts=200, window=3, acyclic_selection=True, seed=0)
        score, self.best, *_ = _core.window_search(self.sets, how)
        self.least = self.ideal - score
        self.lower = 0.0

    @property
    def solver(self) -> str:
        """Name and version of the solver."""
        from importlib.metadata import version  # noqa: PLC0415 - only for a result

        return f"integer programming, HiGHS {version('highspy')}"

    @property
    def bound(self) -> float:
        """No choice scores more."""
        return self.ideal - min(self.lower, self.least)

    def search(self, limits: SolverLimits) -> None:
        """Cut until the linear program closes the gap, then branch on what is left."""
        end = time.monotonic() + limits.seconds
        self._allowed = limits.gap * max(abs(self.ideal - self.least), 1.0) + _TOLERANCE
        with until_deadline():
            if not best_so_far():
                self._cut(end)
                while not self._closed and time.monotonic() < end:
                    if not self._branch(end):
                        break
        if not math.isfinite(self.least):
            raise DataError("no DAG was found that has the required edges within the limits")

    @property
    def _closed(self) -> bool:
        return self.least - self.lower <= self._allowed

    def _cut(self, end: float) -> None:
        """Rounds of the linear program, each with the cuts that its solution violates."""
        model = self._model(integer=False)
        while time.monotonic() < end:
            _run(model)
            solution = model.getSolution()
            values = np.asarray(solution.col_value)
            self.lower = max(self.lower, model.getInfo().objective_function_value)
            self._take(values)
            if self._closed:
                return
            kept = self._fix(model, np.asarray(solution.col_dual))
            found = self._violated(values[kept])
            if not found:
                self._drop_slack(np.asarray(solution.row_value))
                return
            for cluster in found:
                self._add_row(model, cluster)

    def _drop_slack(self, rows: Floats) -> None:
        """Keep only cuts that nearly hold with equality; branching is faster with few rows."""
        tight = rows[len(self.sets) :] <= 1.5
        pairs = zip(self.clusters, tight.tolist(), strict=True)
        self.clusters = dict.fromkeys(cluster for cluster, kept in pairs if kept)

    def _fix(self, model: Any, reduced: Floats) -> npt.NDArray[np.bool_]:
        """Take out variables that only worse solutions than the best one have; which are kept."""
        kept = self.lower + reduced <= self.least + 10 * _TOLERANCE
        hopeless = np.flatnonzero(~kept).astype(np.int32)
        self.options = [self.options[k] for k in np.flatnonzero(kept)]
        if len(hopeless):
            model.deleteCols(len(hopeless), hopeless)
        return kept

    def _branch(self, end: float) -> bool:
        """Solve the integer program with the present cuts; whether there is more to do."""
        model = self._model(integer=True)
        model.setOptionValue("mip_rel_gap", 0.0)
        model.setOptionValue("mip_abs_gap", self._allowed / 2)
        if math.isfinite(end):
            model.setOptionValue("time_limit", max(end - time.monotonic(), 0.1))
        _run(model)
        info = model.getInfo()
        self.lower = max(self.lower, min(info.mip_dual_bound, self.least))
        values = np.asarray(model.getSolution().col_value)
        if not len(values) or info.primal_solution_status == 0:
            return False
        self._take(values)
        if self._closed:
            return False
        return bool(self._violated(values))

    def _violated(self, values: Floats) -> list[tuple[int, ...]]:
        shares = [
            (self.options[k].child, list(self.options[k].parents), float(values[k]))
            for k in np.flatnonzero(values > _TOLERANCE)
        ]
        found = _core.violated_clusters(len(self.sets), shares, _CUTS_PER_ROUND)
        new = [tuple(cluster) for cluster in found if tuple(cluster) not in self.clusters]
        self.clusters.update(dict.fromkeys(new))
        self.cuts += len(new)
        return new

    def _take(self, values: Floats) -> None:
        """Keep a solution that is a DAG and better than the best so far."""
        chosen = [self.options[k] for k in np.flatnonzero(values > 0.5)]
        parents = {option.child: list(option.parents) for option in chosen}
        loss = math.fsum(option.loss for option in chosen)
        if len(parents) < len(self.sets) or loss >= self.least:
            return
        listed = [parents[child] for child in range(len(self.sets))]
        if _is_acyclic(listed):
            self.least, self.best = loss, listed

    def _model(self, integer: bool) -> Any:
        import highspy  # noqa: PLC0415 - an extra, for large problems only

        model: Any = highspy.Highs()  # type: ignore[no-untyped-call]
        model.setOptionValue("output_flag", False)
        model.setOptionValue("threads", 1)
        count = len(self.options)
        model.addVars(count, np.zeros(count), np.ones(count))
        everyone = np.arange(count, dtype=np.int32)
        model.changeColsCost(count, everyone, np.array([option.loss for option in self.options]))
        if integer:
            kinds = np.full(count, highspy.HighsVarType.kInteger)
            model.changeColsIntegrality(count, everyone, kinds)
        children = np.array([option.child for option in self.options])
        for child in range(len(self.sets)):
            own = np.flatnonzero(children == child).astype(np.int32)
            model.addRow(1.0, 1.0, len(own), own, np.ones(len(own)))
        for cluster in self.clusters:
            self._add_row(model, cluster)
        return model

    def _add_row(self, model: Any, cluster: Sequence[int]) -> None:
        inside = set(cluster)
        own = [
            k
            for k, option in enumerate(self.options)
            if option.child in inside and inside.isdisjoint(option.parents)
        ]
        model.addRow(1.0, math.inf, len(own), np.array(own, dtype=np.int32), np.ones(len(own)))


def _run(model: Any) -> None:
    """Run the solver in a thread of its own; whatever ends the wait ends the solver too."""
    model.HandleUserInterrupt = True
    try:
        aside(model.run)
    except BaseException:
        model.cancelSolve()
        raise


def _is_acyclic(parents: Sequence[Sequence[int]]) -> bool:
    placed: set[int] = set()
    while len(placed) < len(parents):
        ready = [j for j, p in enumerate(parents) if j not in placed and placed.issuperset(p)]
        if not ready:
            return False
        placed.update(ready)
    return True
