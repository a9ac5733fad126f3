"""CD-NOD: causal discovery from data of several conditions or changing over time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations, pairwise
from typing import TYPE_CHECKING, ClassVar, Literal

import numpy as np
import numpy.typing as npt

from dagathlon import _core
from dagathlon.data import Dataset
from dagathlon.data.spec import DataFacts, DataKind
from dagathlon.errors import DataError
from dagathlon.graphs import Graph, meek
from dagathlon.learners.background import knowledge_of, refuse_required_cycle
from dagathlon.learners.base import Estimate
from dagathlon.learners.constraint.conditions import Labels, labels_of, with_condition
from dagathlon.learners.constraint.pc import Conflicts, Pc
from dagathlon.learners.independence import named_test
from dagathlon.modules import Delegate
from dagathlon.pulse import beat

if TYPE_CHECKING:
    from collections.abc import Collection

Matrix = npt.NDArray[np.float64]

LEAST_CONDITIONS = 3
"""Smallest number of conditions: with two, the changes are always dependent."""
# Kernels hold rows by rows; the distributions given a cause are compared at some of them.
_MOST_ROWS = 1000
_MOST_CONDITIONS = 250
_COMMON_ROWS = 200
_RIDGE = 1e-2

_ALL: frozenset[DataKind] = frozenset({"continuous", "discrete", "mixed"})
_NAMED = 8


@dataclass(frozen=True, kw_only=True)
class CdNod(Pc):
    """CD-NOD: PC for heterogeneous or nonstationary data, with the condition as a cause.

    Rows come from several conditions (domains, experiments with unknown targets) or from
    different times, and the cause of the difference is not observed. The condition is a further
    variable without causes: it explains dependences that are only due to the change, and its
    edges direct others. Its neighbours change with it, given their causes: a note names them.
    The condition itself is not part of the result unless `show_condition`.

    Parameters
    ----------
    condition
        The column of the condition. Null is the regime of each row of interventional data (whose
        targets are not used), and for other data the row number: rows in temporal order.
    show_condition
        Whether the edges of the condition's column are in the result; otherwise that node has no
        edges.
    changes
        How edges are directed that are left undirected between two variables which both change:
        not at all (unused), or by the independence of the changes of a cause and of its effect
        given it, measured by kernels (kernel), where there are at least three conditions.
    """

    name = "cd_nod"
    version = 1
    handles_interventions = True
    references: ClassVar[tuple[str, ...]] = (
        "Huang, Zhang, Zhang, Ramsey, Sanchez-Romero, Glymour and Schölkopf 2020, Causal discovery "
        "from heterogeneous/nonstationary data, JMLR 21",
    )

    conflicts: Conflicts = "existing"
    condition: str | None = None
    show_condition: bool = False
    changes: Literal["unused", "kernel"] = "unused"

    def problem(self) -> str:
        """Return a message if options contradict each other; empty otherwise."""
        if self.show_condition and self.condition is None:
            return "show_condition goes with the name of a column; set condition"
        if self.changes == "kernel" and (self.skeleton_only or self.output() == "mixed"):
            return "changes 'kernel' directs the edges of a CPDAG; set it to 'unused'"
        return super().problem()

    def why_unsuitable(self, data: DataFacts) -> str:
        """Return a message if kernels would need to handle missing values; empty otherwise."""
        if data.missing and self.changes == "kernel":
            return "cd_nod: changes 'kernel' needs complete data; impute them or set 'unused'"
        return super().why_unsuitable(data)

    def delegates(self) -> tuple[Delegate, ...]:
        """Return the test, and the search of PC."""
        return (*super().delegates(), Pc(test=self.test))

    def knowledge(self, names: tuple[str, ...]) -> _core.KnownEdges:
        """Return the known edges, with arrows into the condition (or the last column) forbidden."""
        background = knowledge_of(self.constraints, names)
        size = len(names)
        forbidden, required = np.zeros((2, size, size), dtype=np.bool_)
        if background:
            refuse_required_cycle(background, names)
            forbidden, required = background.matrices(names)
        place = size - 1 if self.condition is None else names.index(self.condition)
        if required[:, place].any():
            cause = names[int(np.flatnonzero(required[:, place])[0])]
            raise DataError(
                f"the edge {cause} -> {names[place]} is required, but nothing causes the condition"
            )
        forbidden[:, place] = True
        forbidden[place, place] = False
        return _core.KnownEdges(forbidden, required)

    def learn(self, data: Dataset, rng: np.random.Generator) -> Estimate:
        """Learn a CPDAG of the variables, and which of them change with the condition."""
        test = None if self.test is None else named_test(self.test).module
        kinds: Collection[DataKind] = _ALL if test is None else test.takes
        extended, name = with_condition(data, self.condition, kinds)
        estimate = super().learn(extended, rng)
        graph, notes = estimate.graph, estimate.notes
        changing = list(graph.adjacencies(name))
        directed = 0
        if self.changes == "kernel":
            graph, directed = self._by_changes(graph, extended, name, changing)
        stats = {**estimate.stats, "changing_variables": len(changing), "by_changes": directed}
        return replace(
            estimate,
            graph=graph if self.show_condition else _without_condition(graph, name, data.names),
            stats=stats,
            notes=(*notes, _changes_in_words(changing)),
        )

    def _by_changes(
        self, graph: Graph, data: Dataset, condition: str, changing: list[str]
    ) -> tuple[Graph, int]:
        """Direct undirected edges between changing variables by kernels, the clearest first."""
        labels = labels_of(data, condition)
        if labels.max(initial=0) + 1 < LEAST_CONDITIONS:
            return graph, 0
        measure = Changes(data, labels)
        directed = 0
        while True:
            pairs = combinations(changing, 2)
            open_pairs = [(a, b) for a, b in pairs if b in graph.neighbours(a)]
            if not open_pairs:
                return graph, directed
            graph = _direct_clearest(graph, open_pairs, measure, condition)
            directed += 1


def _direct_clearest(
    graph: Graph, pairs: list[tuple[str, str]], measure: Changes, condition: str
) -> Graph:
    """Direct the edge with the clearest direction and apply Meek's rules."""

    def along(a: str, b: str) -> float:
        causes = [name for name in graph.parents(b) if name not in (a, condition)]
        parents = [name for name in graph.parents(a) if name not in (b, condition)]
        return measure.dependence([a, *causes], b, parents)

    contrasts = {pair: along(*pair) - along(*pair[::-1]) for pair in pairs}
    pair = max(contrasts, key=lambda one: abs(contrasts[one]))
    return meek(graph, required=[pair if contrasts[pair] <= 0 else pair[::-1]])


def _without_condition(graph: Graph, condition: str, names: tuple[str, ...]) -> Graph:
    """Return the graph over the data's columns, with the edges of the condition removed."""
    if condition not in names:
        return graph.subgraph(names)
    marks = graph.marks.copy()
    place = graph.names.index(condition)
    marks[place], marks[:, place] = 0, 0
    return Graph(graph.names, marks)


def _changes_in_words(changing: list[str]) -> str:
    if not changing:
        return "No variable was found to change with the condition."
    more = "" if len(changing) <= _NAMED else f" and {len(changing) - _NAMED} more"
    return f"Changing with the condition, given their causes: {', '.join(changing[:_NAMED])}{more}."


@dataclass(frozen=True)
class Changes:
    """Kernel measure of how distributions change between conditions.

    Parameters
    ----------
    data
        The variables, without missing values.
    labels
        The condition of each row, from 0.
    """

    data: Dataset
    labels: Labels

    def dependence(self, cause: Sequence[str], effect: str, own: Sequence[str]) -> float:
        """Return the dependence between the changes of a cause and those of its effect given it.

        Parameters
        ----------
        cause
            The cause, and further parents of the effect.
        effect
            The effect.
        own
            Parents of the cause.
        """
        first = self._centred(cause[0], own)
        second = self._centred(effect, cause)
        size = float(np.trace(first) * np.trace(second))
        return float(np.sum(first * second)) / size if size > 0 else 1.0

    def _centred(self, variable: str, parents: Sequence[str]) -> Matrix:
        """Return the centred Gram matrix of the conditional distributions, one per condition."""
        outcome = self._kernel([variable])
        blocks = self._blocks
        sizes = [block.stop - block.start for block in blocks]
        weights = [np.full((1, size), 1 / size) for size in sizes]
        if parents:
            given = self._kernel(parents)
            common = slice(None, None, max(1, len(given) // _COMMON_ROWS))
            weights = [_regression(given[block, block], given[block, common]) for block in blocks]
        k = len(blocks)
        products = np.empty((k, k))
        for a in range(k):
            beat(a, k)
            for b in range(k):
                between = weights[a] @ outcome[blocks[a], blocks[b]]
                products[a, b] = np.mean(np.sum(between * weights[b], axis=1))
        centring = np.eye(k) - 1 / k
        return centring @ products @ centring

    @cached_property
    def _rows(self) -> list[npt.NDArray[np.intp]]:
        """Row numbers of each condition; evenly spaced subsets of many rows or conditions."""
        conditions = np.unique(self.labels)
        conditions = conditions[:: -(-len(conditions) // _MOST_CONDITIONS)]
        rows_of = [np.flatnonzero(self.labels == c) for c in conditions]
        most = _MOST_ROWS // len(rows_of)
        return [rows[:: -(-len(rows) // most)] for rows in rows_of]

    @cached_property
    def _blocks(self) -> list[slice]:
        """Slice of each condition's rows in a kernel matrix."""
        ends = np.cumsum([0, *(len(rows) for rows in self._rows)]).tolist()
        return [slice(start, stop) for start, stop in pairwise(ends)]

    def _kernel(self, names: Sequence[str]) -> Matrix:
        """Return the product kernel: Gaussian for continuous, equality for discrete columns."""
        rows = np.concatenate(self._rows)
        result = np.ones((len(rows), len(rows)))
        for name in names:
            column, discrete = self._column(name)
            distance = np.abs(column[rows][:, None] - column[rows][None, :])
            if discrete:
                result *= distance == 0
            else:
                width = float(np.median(distance)) or 1.0
                result *= np.exp(-0.5 * (distance / width) ** 2)
        return result

    def _column(self, name: str) -> tuple[Matrix, bool]:
        same = [v for v in self.data.variables if v.is_discrete == self._is_discrete(name)]
        place = [v.name for v in same].index(name)
        if self._is_discrete(name):
            return self.data.codes[:, place].astype(np.float64), True
        return self.data.values[:, place], False

    def _is_discrete(self, name: str) -> bool:
        return self.data.variables[self.data.index[name]].is_discrete


def _regression(own: Matrix, other: Matrix) -> Matrix:
    """Return the weights of the rows in the kernel regression at each of some other rows."""
    ridge = _RIDGE * len(own) * np.eye(len(own))
    return np.linalg.solve(own + ridge, other).T.astype(np.float64)
