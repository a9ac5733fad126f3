"""Greedy searches over equivalence classes of DAGs: GES, FGES, GIES and XGES."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal, TypeAlias

import numpy as np

from dagathlon import _core
from dagathlon._core import ClassStep
from dagathlon.data import Dataset
from dagathlon.data.spec import DataFacts
from dagathlon.errors import OutOfTimeError
from dagathlon.graphs import Graph
from dagathlon.learners.background import direct_by_knowledge, starting_dag
from dagathlon.learners.base import Estimate
from dagathlon.learners.order.order_search import Boss
from dagathlon.learners.score.score_based import ROUNDING, ScoreBased
from dagathlon.learners.score.score_kinds import (
    UNEQUAL_PRIORS,
    DefaultScores,
    make_score,
    score_class,
)
from dagathlon.learners.score.stable_order import stable_order
from dagathlon.learners.start_graph import StartsFromGraph
from dagathlon.modules import Delegate, Natural, SharedCode
from dagathlon.pulse import best_so_far, until_deadline
from dagathlon.threads import ObjectPool, side_by_side

Phase: TypeAlias = Literal["forward", "backward", "turning"]
_ALL_PHASES: tuple[Phase, ...] = ("forward", "backward", "turning")
# One start often ends at a local maximum; with many variables each takes long.
_STARTS, _FEW_VARIABLES = 10, 20
_FEWER_STARTS, _MORE_VARIABLES = 3, 50
# Version 2 makes ten starts for up to 20 variables.
_NUMBER_OF_STARTS = SharedCode("choice", "starts_of_classes", 2)
# Largest number of variables with escapes by default: every edge is deleted once.
_MANY_VARIABLES = 200
# Expected number of neighbours in a random start DAG.
_NEIGHBOURS = 2.0
_STEPS = {
    "forward": ClassStep.insert,
    "backward": ClassStep.remove,
    "turning": ClassStep.turn,
}


@dataclass(frozen=True, kw_only=True)
class EquivalenceSearch(StartsFromGraph, ScoreBased):
    """Base class of the greedy searches over equivalence classes of DAGs.

    Parameters
    ----------
    max_degree
        Largest number of edges at a node after an insertion; null is no limit.
    max_parents
        Largest number of parents of a node in any DAG of the class; null is no limit.
    escape
        Whether the search escapes from local maxima: each edge in turn is deleted and kept out
        while the search continues, and a higher score is kept. Skipped if large cliques would need
        too many deletions. Null is true up to 200 variables, unless the settings are those of a
        published search.
    starts
        Number of starts, of which the result of highest score is returned: the first from the
        required edges alone, the others from random DAGs, always the same ones. Null is ten up to
        20 variables, three up to 50, and one beyond or with the settings of a published search;
        with a start graph, background knowledge or limits on degrees and parents there is one.
    """

    gives = "cpdag"
    anytime = True
    splits = True
    max_degree: Natural | None = None
    escape: bool | None = None
    starts: Natural | None = None

    def learn(
        self, data: Dataset, rng: np.random.Generator, start: Graph | None = None
    ) -> Estimate:
        """Search from the class of `start`, or of the graph of the required edges alone."""
        knowledge = self.knowledge(data)
        first = starting_dag(start, knowledge, data.names)
        best = self._search(data, [first] if start is not None else self._starts(data, first))
        graph = direct_by_knowledge(Graph.from_native(data.names, best.graph), knowledge)
        stats = {"score": best.score, "steps": best.steps}
        return Estimate(graph, stats, notes=self.notes(data))

    def classes(self, data: Dataset, samples: Iterable[Dataset]) -> Iterator[Graph]:
        """Yield the CPDAG learned from each of many samples of the rows of `data`, one start each.

        Everything that is independent of the rows is prepared once.
        """
        knowledge = self.knowledge(data)
        first = starting_dag(None, knowledge, data.names)
        limits, settings, targets = self.limits(data), self._settings(data), self._targets(data)
        score = make_score(self.chosen_score(data), self.score_parameters(data))
        known: dict[bytes, Graph] = {}
        self.native_score(data)  # raises an error for unsuitable data
        for sample in samples:
            native = score.build(sample)
            cpdag = _core.search_classes(native, limits, first.native, settings, targets).graph
            marks = cpdag.marks().tobytes()
            if marks not in known:
                known[marks] = direct_by_knowledge(Graph._of(data.names, cpdag), knowledge)
            yield known[marks]

    def notes(self, data: Dataset) -> tuple[str, ...]:
        """Return a note if the score differs between the DAGs of a class."""
        if self._equivalent(data):
            return super().notes(data)
        score, prior = self.chosen_score(data), self.prior
        cause = f"{score} with prior {prior}" if prior in UNEQUAL_PRIORS else score
        return (
            *super().notes(data),
            f"{self.name} assumes a score that is the same for all DAGs of a class, and {cause} is "
            f"not; use hc or tabu with it, or {self.default_score(data)} here.",
        )

    def _starts(self, data: Dataset, first: Graph) -> Iterator[Graph]:
        """Yield the DAGs to start from, which do not depend on the order of the columns."""
        yield first
        names = data.names
        bounds = (self.max_degree, self.max_parents)
        limited = any(bound is not None and bound < len(names) - 1 for bound in bounds)
        count = self._most_starts(len(names))
        if limited or self.constraints or len(names) < 3:
            return
        stable = stable_order(data)
        for number in range(1, count):
            order = np.random.default_rng(number).permutation(len(names))
            chance = np.random.default_rng([number, 1]).random((len(names), len(names)))
            forward = np.triu(chance < _NEIGHBOURS / (len(names) - 1), 1)
            yield Graph.from_adjacency([stable[i] for i in order], forward).subgraph(names)

    def delegates(self) -> tuple[Delegate, ...]:
        """Return the score, and the rule for the number of starts where it is left open."""
        chosen = self.starts is None and self._thorough()
        return (*super().delegates(), *((_NUMBER_OF_STARTS,) if chosen else ()))

    def gains_by_threads(self) -> bool:
        """Return whether there are several starts, which is the work that splits well."""
        return self.starts is not None and self.starts > 1

    def _most_starts(self, variables: int) -> int:
        if self.starts is not None:
            return self.starts
        if not self._thorough() or variables > _MORE_VARIABLES:
            return 1
        return _STARTS if variables <= _FEW_VARIABLES else _FEWER_STARTS

    def _search(self, data: Dataset, starts: Iterable[Graph]) -> _core.ClassSearchResult:
        """Search from all starts and return the result of highest score, the first one of ties."""
        limits = self.limits(data)
        scores = ObjectPool(lambda: self.native_score(data))

        def found_from(start: Graph) -> _core.ClassSearchResult:
            with scores.borrow() as score:
                return self._run(score, limits, start, data)

        best: _core.ClassSearchResult | None = None
        with until_deadline():  # the deadline may come while another start is made
            for found in side_by_side(found_from, starts, self._most_starts(len(data.names))):
                if best is None or found.score > best.score + ROUNDING:
                    best = found
                if best_so_far():
                    break
        if best is None:
            raise OutOfTimeError("the time limit came before the first start")
        return best

    def _run(
        self, score: _core.Score, limits: _core.SearchLimits, start: Graph, data: Dataset
    ) -> _core.ClassSearchResult:
        """Run the native search from one start."""
        settings, targets = self._settings(data), self._targets(data)
        return _core.search_classes(score, limits, start.native, settings, targets)

    def _settings(self, data: Dataset) -> _core.ClassSettings:
        phases, iterate, together = self._plan()
        return _core.ClassSettings(
            phases=[_STEPS[phase] for phase in phases],
            iterate=iterate,
            together=together,
            escape=self._escapes(len(data.names)),
            verify=not self._equivalent(data),
            max_degree=self.max_degree or len(data.names),
            faithful=self._faithful(),
        )

    def _equivalent(self, data: Dataset) -> bool:
        """Return whether the score is the same for all DAGs of an equivalence class."""
        kind = score_class(self.chosen_score(data))
        one_kind = kind.conditional and not data.is_mixed
        return (kind.equivalent or one_kind) and self.prior not in UNEQUAL_PRIORS

    def _escapes(self, variables: int) -> bool:
        if self.escape is None:
            return self._thorough() and variables <= _MANY_VARIABLES
        return self.escape

    def _thorough(self) -> bool:
        """Return whether the extended search runs, not the search as published."""
        return True

    @abstractmethod
    def _plan(self) -> tuple[Sequence[Phase], bool, bool]:
        """Return the phases, whether to repeat them, and whether steps choose among all kinds."""

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
        Phases in order: insert edges (forward), delete them (backward), turn them (turning). Null
        is all three, repeated, with escapes and several starts; with given phases the search is the
        published one, without these.
    iterate
        Whether the phases are repeated until none changes the graph; null is false if phases are
        given.
    """

    phases: tuple[Phase, ...] | None = None
    iterate: bool | None = None

    def _plan(self) -> tuple[Sequence[Phase], bool, bool]:
        thorough = self._thorough()
        iterate = thorough if self.iterate is None else self.iterate
        usual = _ALL_PHASES if thorough else _ALL_PHASES[:2]
        return usual if self.phases is None else self.phases, iterate, False

    def _thorough(self) -> bool:
        return self.phases is None


@dataclass(frozen=True, kw_only=True)
class Ges(ClassSearch):
    """Greedy equivalence search: the class of highest score, by insertion and deletion of edges.

    With the phases forward and backward it is the search as published, with the phases forward,
    backward, turning and `iterate` that of pcalg. Both end at local maxima more often than the
    default, which continues from there with the same kinds of steps.
    """

    name = "ges"
    version = 2
    references = ("Chickering 2002, JMLR 3",)


@dataclass(frozen=True, kw_only=True)
class Fges(ClassSearch):
    """Fast greedy equivalence search (FGES), which can skip pairs without dependence.

    With `faithfulness` true or false it is the published search.

    Parameters
    ----------
    like
        Program whose search this is: tetrad-6 (r-causal 1.1) keeps operators in a queue by their
        gain and drops those that no longer fit the graph when their turn comes, with faithfulness
        and without escapes or further starts. Null is ours.
    faithfulness
        Whether two marginally independent variables are joined only while both have an edge with a
        third one. It saves time, and may lose edges whose effects cancel. Null is false, with the
        phases, escapes and starts of ges.
    """

    name = "fges"
    version = 2
    references = ("Ramsey, Glymour, Sanchez-Romero and Glymour 2017, IJDSA 3",)
    faithfulness: bool | None = None
    like: Literal["tetrad-6"] | None = None

    def problem(self) -> str:
        """Return a message if options of another program's search are changed; empty otherwise."""
        options = (self.phases, self.iterate, self.escape, self.starts)
        if self.like is not None and (self.faithfulness is False or any(options)):
            return (
                f"like={self.like} has its own steps: leave out phases, iterate, escape, starts "
                "and faithfulness=false"
            )
        return super().problem()

    def _run(
        self, score: _core.Score, limits: _core.SearchLimits, start: Graph, data: Dataset
    ) -> _core.ClassSearchResult:
        if self.like is None:
            return super()._run(score, limits, start, data)
        most = self.max_degree or len(data.names)
        return _core.search_by_queue(score, limits, start.native, most)

    def _faithful(self) -> bool:
        return bool(self.faithfulness)

    def _thorough(self) -> bool:
        return self.faithfulness is None and self.like is None and super()._thorough()


@dataclass(frozen=True, kw_only=True)
class Gies(ClassSearch):
    """Greedy interventional equivalence search, for data with known intervention targets.

    The published search has `escape` and `orders` false; for some models it ends at a local
    maximum however many rows there are.

    Parameters
    ----------
    orders
        Whether the search also starts at the DAG of the best order that BOSS finds, and the result
        of higher score is returned; not with a start graph, nor with limits on degrees, nor with
        fewer rows than variables.
    score
        Score to maximise; null is l0-g, mbde or l0-dg as the data are continuous, discrete or
        mixed. Other scores ignore interventions.
    """

    name = "gies"
    version = 2
    handles_interventions = True
    references = ("Hauser and Bühlmann 2012, JMLR 13",)
    # The interventional scores.
    default_scores: ClassVar[DefaultScores] = {
        "continuous": "l0-g",
        "discrete": "mbde",
        "mixed": "l0-dg",
    }

    score: Literal["l0-g", "mbde", "l0-dg"] | None = None
    phases: tuple[Phase, ...] | None = ("forward", "backward", "turning")
    iterate: bool | None = True
    escape: bool | None = True
    orders: bool = True

    def delegates(self) -> tuple[Delegate, ...]:
        """Return the score, and BOSS if its result is a start."""
        return (*super().delegates(), *((Boss(score=self.score, starts=1),) if self.orders else ()))

    def gains_by_threads(self) -> bool:
        """Return whether two searches run in parallel."""
        return self.orders

    def _most_starts(self, variables: int) -> int:
        return 2

    def _starts(self, data: Dataset, first: Graph) -> Iterator[Graph]:
        """Yield the required edges alone, then the DAG of BOSS; independent of the column order."""
        yield first
        if self.orders and self.max_degree is None and len(data) >= len(data.names):
            table = data.select(stable_order(data))
            search = Boss(**self.for_search(data), starts=1)
            dag, _ = search.best_dag(table, np.random.default_rng(0))
            yield dag.subgraph(data.names)

    def why_unsuitable(self, data: DataFacts) -> str:
        """Return a message if the data have no known intervention targets; empty otherwise."""
        if not data.interventions:
            return (
                f"{self.name} needs data with intervention targets; use ges for observational data"
            )
        return super().why_unsuitable(data)

    def _targets(self, data: Dataset) -> list[list[int]]:
        if data.regimes is None:
            return []
        present = set(np.unique(data.regimes.rows).tolist())
        targets = [t for i, t in enumerate(data.regimes.targets) if i in present]
        positions = [sorted(data.position(name) for name in target) for target in targets]
        always = set.intersection(*map(set, positions)) if positions else set()
        # A variable that is intervened on in every row has no observational rows.
        return positions if not always else [*positions, []]


@dataclass(frozen=True, kw_only=True)
class Xges(EquivalenceSearch):
    """Extremely greedy equivalence search (XGES): delete before turn before insert.

    Each step deletes an edge if that raises the score, else turns one, else inserts one;
    afterwards it tries to escape from local maxima. With `escape` false it is XGES-0.
    """

    name = "xges"
    version = 3
    references = ("Nazaret and Blei 2024, Extremely greedy equivalence search, UAI",)
    escape: bool | None = True

    def _plan(self) -> tuple[Sequence[Phase], bool, bool]:
        return ("backward", "turning", "forward"), False, True
