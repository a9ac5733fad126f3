"""Greedy searches over equivalence classes of DAGs: GES, FGES, GIES and XGES."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal, TypeAlias

import numpy as np

from dagathlon import _core
from dagathlon._core import ClassStep
from dagathlon.data import Dataset
from dagathlon.data.facts import DataFacts
from dagathlon.graphs import Graph
from dagathlon.learners.background import direct_by_knowledge, starting_dag
from dagathlon.learners.base import Estimate
from dagathlon.learners.order.order_search import Boss
from dagathlon.learners.score.score_based import ROUNDING, ScoreBased
from dagathlon.learners.score.score_kinds import SCORES, DefaultScores
from dagathlon.learners.score.stable_order import stable_order
from dagathlon.learners.start_graph import StartsFromGraph
from dagathlon.modules import Delegate, Natural
from dagathlon.pulse import best_so_far

Phase: TypeAlias = Literal["forward", "backward", "turning"]
_STEPS = {
    "forward": ClassStep.insert,
    "backward": ClassStep.remove,
    "turning": ClassStep.turn,
}


@dataclass(frozen=True, kw_only=True)
class EquivalenceSearch(StartsFromGraph, ScoreBased):
    """A greedy search over equivalence classes of DAGs.

    Parameters
    ----------
    max_degree
        Largest number of edges at a node that an insertion may lead to; null is no limit.
    max_parents
        Largest number of parents of a node in any DAG of the class; null is no limit.
    escape
        Whether a maximum is left where that leads higher: each edge in turn is deleted, and kept
        out while the search goes on. Not done where large cliques make for too many deletions.
    orders
        Whether the search also starts at the DAG that BOSS finds, and the result of higher score is
        returned; not with a start graph, nor with a largest degree, which orders cannot keep, nor
        with fewer rows than variables. The published searches do not.
    """

    gives = "cpdag"
    anytime = True
    max_degree: Natural | None = None
    escape: bool = False
    orders: bool = True

    def learn(
        self, data: Dataset, rng: np.random.Generator, start: Graph | None = None
    ) -> Estimate:
        """Search from the class of `start`, or of the graph of the required edges alone."""
        knowledge = self.knowledge(data)
        first = starting_dag(start, knowledge, data.names)
        best = self._search(data, first, self.orders and start is None)
        graph = direct_by_knowledge(Graph(data.names, best.graph.marks()), knowledge)
        stats = {"score": best.score, "steps": best.steps}
        return Estimate(graph, stats, notes=self.notes(data))

    def notes(self, data: Dataset) -> tuple[str, ...]:
        """A score that differs within a class is not what the search is made for."""
        if self._equivalent(data):
            return super().notes(data)
        score = self.chosen_score(data)
        return (
            *super().notes(data),
            f"{self.name} assumes a score that is the same for all DAGs of a class, and {score} is "
            f"not; use hc or tabu with it, or {self.default_score(data)} here.",
        )

    def delegates(self) -> tuple[Delegate, ...]:
        """The score, and BOSS where the search starts at its result as well."""
        return (*super().delegates(), *((Boss(score=self.score),) if self.orders else ()))

    def _search(self, data: Dataset, first: Graph, orders: bool) -> _core.ClassSearchResult:
        """The result of higher score of the two starts, the first if they are equal."""
        score, limits = self.native_score(data), self.limits(data)
        settings, targets = self._settings(data), self._targets(data)
        found = _core.search_classes(score, limits, first.native, settings, targets)
        if not orders or self.max_degree is not None or len(data) < len(score) or best_so_far():
            return found
        second = self._of_best_order(data).native
        other = _core.search_classes(score, limits, second, settings, targets)
        return other if other.score > found.score + ROUNDING else found

    def _of_best_order(self, data: Dataset) -> Graph:
        """The DAG of BOSS, whatever the order of the columns."""
        table = data.select(stable_order(data))
        dag, _ = Boss(**self.inner(data)).best_dag(table, np.random.default_rng(0))
        return dag.subgraph(data.names)

    def _settings(self, data: Dataset) -> _core.ClassSettings:
        phases, iterate, together = self._plan()
        return _core.ClassSettings(
            phases=[_STEPS[phase] for phase in phases],
            iterate=iterate,
            together=together,
            escape=self.escape,
            verify=not self._equivalent(data),
            max_degree=self.max_degree or len(data.names),
            faithful=self._faithful(),
        )

    def _equivalent(self, data: Dataset) -> bool:
        """Whether the score is the same for all DAGs of a class."""
        kind = SCORES[self.chosen_score(data)]
        one_kind = kind.conditional and not data.is_mixed
        return (kind.equivalent or one_kind) and self.prior != "cs"

    @abstractmethod
    def _plan(self) -> tuple[Sequence[Phase], bool, bool]:
        """Phases, whether they are repeated, and whether they are kinds of steps to choose from."""

    def _faithful(self) -> bool:
        return False

    def _targets(self, data: Dataset) -> list[list[int]]:
        return []


@dataclass(frozen=True, kw_only=True)
class ClassSearch(EquivalenceSearch):
    """A greedy search over equivalence classes of DAGs in phases.

    Parameters
    ----------
    phases
        What to do, in order: insert edges (forward), delete them (backward), turn them (turning).
    iterate
        Whether the phases are repeated until none changes the graph.
    """

    phases: tuple[Phase, ...] = ("forward", "backward")
    iterate: bool = False

    def _plan(self) -> tuple[Sequence[Phase], bool, bool]:
        return self.phases, self.iterate, False


@dataclass(frozen=True, kw_only=True)
class Ges(ClassSearch):
    """Greedy equivalence search: the class of DAGs of highest score, by edges put in and taken out.

    With the phases forward, backward, turning and `iterate` it is the search of pcalg.
    """

    name = "ges"
    version = 2
    references = ("Chickering 2002, JMLR 3",)


@dataclass(frozen=True, kw_only=True)
class Fges(ClassSearch):
    """Greedy equivalence search that can skip pairs without dependence.

    Parameters
    ----------
    faithfulness
        Whether two variables that are not dependent by themselves are joined only while both have
        an edge with a third one. It saves time, and may lose edges whose effect others cancel.
    """

    name = "fges"
    version = 2
    references = ("Ramsey, Glymour, Sanchez-Romero and Glymour 2017, IJDSA 3",)
    faithfulness: bool = True

    def _faithful(self) -> bool:
        return self.faithfulness


@dataclass(frozen=True, kw_only=True)
class Gies(ClassSearch):
    """Greedy interventional equivalence search, for data with known targets of interventions.

    The published search has `escape` and `orders` false; it ends at a local maximum in some models
    whatever the number of rows.

    Parameters
    ----------
    score
        Score to maximise; null is l0-g, mbde or l0-dg as the data are continuous, discrete or
        mixed. Others take no notice of interventions.
    """

    name = "gies"
    version = 2
    handles_interventions = True
    references = ("Hauser and Bühlmann 2012, JMLR 13",)
    # The scores of the rows in which a variable was not set.
    default_scores: ClassVar[DefaultScores] = {
        "continuous": "l0-g",
        "discrete": "mbde",
        "mixed": "l0-dg",
    }

    score: Literal["l0-g", "mbde", "l0-dg"] | None = None
    phases: tuple[Phase, ...] = ("forward", "backward", "turning")
    iterate: bool = True
    escape: bool = True

    def objection(self, data: DataFacts) -> str:
        """Interventions must be known."""
        if not data.interventions:
            return (
                f"{self.name} needs data with intervention targets; use ges for observational data"
            )
        return super().objection(data)

    def _targets(self, data: Dataset) -> list[list[int]]:
        if data.regimes is None:
            return []
        present = set(np.unique(data.regimes.rows).tolist())
        targets = [t for i, t in enumerate(data.regimes.targets) if i in present]
        found = [sorted(data.position(name) for name in target) for target in targets]
        always = set.intersection(*map(set, found)) if found else set()
        # A variable that was set in every row is as unknown as in observations alone.
        return found if not always else [*found, []]


@dataclass(frozen=True, kw_only=True)
class Xges(EquivalenceSearch):
    """Extremely greedy equivalence search: delete before turn before insert, and leave maxima.

    Each step deletes an edge if that gains anything, else turns one, else inserts one. With
    `escape` false it is XGES-0.
    """

    name = "xges"
    version = 3
    references = ("Nazaret and Blei 2024, Extremely greedy equivalence search, UAI",)
    escape: bool = True

    def _plan(self) -> tuple[Sequence[Phase], bool, bool]:
        return ("backward", "turning", "forward"), False, True
