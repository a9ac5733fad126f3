"""Structural EM: searches for data with missing values."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, fields
from typing import ClassVar, Literal, NamedTuple, TypeAlias

import numpy as np

from dagathlon import _core
from dagathlon.data import Dataset, fit, impute
from dagathlon.data.spec import DataFacts
from dagathlon.errors import DataError, listing
from dagathlon.graphs import Graph
from dagathlon.learners.background import starting_dag
from dagathlon.learners.base import Estimate
from dagathlon.learners.run import run_inner_learner
from dagathlon.learners.score.expectation import Expectation, expectation
from dagathlon.learners.score.hill_climbing import GreedyDagSearch, HillClimbing, Tabu
from dagathlon.learners.score.score_based import ScoreBased
from dagathlon.learners.score.score_kinds import known_scores, score_class
from dagathlon.learners.start_graph import StartsFromGraph
from dagathlon.modules import Count, Delegate, Natural
from dagathlon.pulse import time_left, until_deadline

Beginning: TypeAlias = Literal["imputed", "empty", "given"]
_SEARCHES: dict[str, type[GreedyDagSearch]] = {"hc": HillClimbing, "tabu": Tabu}
# Gains below this share of the score are rounding.
_ROUNDING = 1e-9
# Parameters have converged when a step gains less than this per row.
_SETTLED = 1e-5


class Step(NamedTuple):
    """A graph on the path of the search, with its score on the observed values."""

    graph: Graph
    score: float
    log_likelihood: float


@dataclass(frozen=True, kw_only=True)
class StructuralEm(StartsFromGraph, ScoreBased):
    """Structural EM: a search over DAGs for data with missing values.

    It alternates between two steps: compute the expected counts (of discrete data) or moments
    (of continuous data) given the observed values under the current network, and search for the
    graph of highest score on these expectations. The expectations are exact, and the score, the
    log likelihood of the observed values less the score's penalty, never falls. Without missing
    values it is the search itself. Values are assumed to be missing at random: whether one is
    missing depends on observed values.

    Parameters
    ----------
    search
        The search: hill climbing (hc) or tabu search (tabu), from the graph so far.
    iterations
        Largest number of searches.
    em_steps
        Largest number of EM steps for the parameters before each search.
    begin
        The first graph if none is given: the one that the search finds on data imputed once by
        chained equations (imputed), or the one of the required edges alone (empty); with both, the
        run of higher score is returned. Null is both for discrete and empty for continuous data,
        chosen by a benchmark.
    max_iter
        Largest number of steps of each search; null is no limit.
    score
        Score to maximise, one of those that expected counts or moments decide; null is bic or
        bic-g as the data are discrete or continuous.
    """

    name = "structural_em"
    references = (
        "Friedman 1997, Learning belief networks in the presence of missing values, ICML",
    )
    takes = frozenset({"continuous", "discrete"})
    handles_missing = True
    gives = "dag"
    anytime = True
    uses_blas: ClassVar[bool] = True

    search: Literal["hc", "tabu"] = "hc"
    iterations: Natural = 20
    em_steps: Natural = 5
    begin: Literal["both", "imputed", "empty"] | None = None
    max_iter: Count | None = None

    def why_unsuitable(self, data: DataFacts) -> str:
        """Return why such data or such a score cannot be used; empty if they can."""
        if data.kind == "mixed":
            return (
                f"{self.name} takes discrete or continuous data, not mixed; discretise the "
                "continuous columns, or take imputed[learner=hc] instead"
            )
        if self.score is not None and not score_class(self.score).by_expectation:
            able = [name for name, one in known_scores().items() if one.by_expectation]
            return (
                f"{self.name} cannot compute score {self.score} from expected values; "
                f"it can: {listing(able)}"
            )
        return super().why_unsuitable(data)

    def delegates(self) -> tuple[Delegate, ...]:
        """Return the score and the search."""
        return (*super().delegates(), self._searcher())

    def learn(
        self, data: Dataset, rng: np.random.Generator, start: Graph | None = None
    ) -> Estimate:
        """Learn by alternating expectation and search."""
        if data.missing is None:
            return run_inner_learner(self._searcher(), data, rng, start=start)
        _refuse_empty(data)
        best, searches = None, 0
        for begin in self._beginnings(data, start):
            steps = self.steps(data, rng, begin, start)
            if best is None:
                best = next(steps)
            with until_deadline():
                for step in steps:
                    searches += 1
                    best = step if step.score > best.score else best
            if time_left() <= 0:
                break
        assert best is not None
        stats = {
            "score": best.score,
            "log_likelihood": best.log_likelihood,
            "searches": searches,
            "n_missing": int(data.missing.sum()),
        }
        return Estimate(best.graph, stats, notes=self.notes(data))

    def steps(
        self,
        data: Dataset,
        rng: np.random.Generator,
        begin: Beginning,
        start: Graph | None = None,
    ) -> Iterator[Step]:
        """Yield the first graph after its parameters converged, then each improved graph."""
        searcher, limits = self._searcher(), self.limits(data)
        graph, expected = self._first(data, rng, begin, start)
        expected, score = self._run_em(expected, graph, data)
        yield Step(graph, score, expected.log_likelihood)
        for _ in range(self.iterations):
            native = self._native(expected, data)
            before = sum(native.terms(graph.native))
            result = searcher.search(native, limits, graph.native, searcher.seed_of_search(rng))
            if result.score <= before + _ROUNDING * abs(before):
                return
            better = Graph.from_native(data.names, result.dag)
            fresh, reached = self._run_em(expected, better, data)
            # Only a penalised likelihood cannot fall; other scores may, slightly.
            if reached <= score:
                return
            graph, expected, score = better, fresh, reached
            yield Step(graph, score, expected.log_likelihood)
            if time_left() <= 0:
                return

    def _native(self, expected: Expectation, data: Dataset) -> _core.Score:
        return expected.statistics.score(self.chosen_score(data), self.score_parameters(data))

    def _run_em(
        self, expected: Expectation, graph: Graph, data: Dataset
    ) -> tuple[Expectation, float]:
        """Run EM steps for the parameters of a graph; return the expectations and the score.

        The score is that of the expected statistics, with their own likelihood replaced by
        that of the observed values.
        """
        score = -np.inf
        for _ in range(self.em_steps):
            terms = self._native(expected, data).terms(graph.native)
            expected, likelihood = expected.refitted(graph)
            before, score = score, sum(terms) - likelihood + expected.log_likelihood
            if score - before < _SETTLED * len(data):
                break
        return expected, score

    def _beginnings(self, data: Dataset, start: Graph | None) -> tuple[Beginning, ...]:
        if start is not None:
            return ("given",)
        begin = self.begin or ("both" if data.is_discrete else "empty")
        # The empty graph first: it needs no time if there is a time limit.
        return ("empty", "imputed") if begin == "both" else (begin,)

    def _first(
        self, data: Dataset, rng: np.random.Generator, begin: Beginning, start: Graph | None
    ) -> tuple[Graph, Expectation]:
        """Return the first graph, and the expected statistics under initial parameters."""
        if begin == "imputed":
            filled = impute(data, 1)[0]
            graph = run_inner_learner(self._searcher(), filled, rng).graph
            return graph, expectation(data, fit(filled, graph))
        graph = starting_dag(start, self.knowledge(data), data.names)
        return graph, expectation(data, fit(data, Graph(data.names)))

    def _searcher(self) -> GreedyDagSearch:
        cls = _SEARCHES[self.search]
        shared = {field.name for field in fields(cls)} & {field.name for field in fields(self)}
        return cls(**{name: getattr(self, name) for name in sorted(shared)})


def _refuse_empty(data: Dataset) -> None:
    assert data.missing is not None
    empty = data.missing.all(axis=0)
    if empty.any():
        name = data.names[int(np.argmax(empty))]
        raise DataError(f"variable {name!r} has no value at all; leave it out")
