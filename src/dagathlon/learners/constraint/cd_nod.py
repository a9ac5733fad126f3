"""CD-NOD: causal discovery from data of several conditions or changing over time."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import combinations
from typing import TYPE_CHECKING, ClassVar, Literal

import numpy as np

from dagathlon import _core
from dagathlon.data.spec import DataFacts, DataKind
from dagathlon.errors import DataError
from dagathlon.graphs import Graph, meek
from dagathlon.learners.background import knowledge_of, refuse_required_cycle
from dagathlon.learners.base import Estimate
from dagathlon.learners.constraint.conditions import labels_of, with_condition
from dagathlon.learners.constraint.independent_changes import LEAST_CONDITIONS, Changes
from dagathlon.learners.constraint.pc import Conflicts, Pc
from dagathlon.learners.independence import named_test
from dagathlon.modules import Delegate

if TYPE_CHECKING:
    from collections.abc import Collection

    from dagathlon.data import Dataset

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
