"""What a writer of outputs is given: the study as it was saved, its results, where to write."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple, TypeVar, cast

from dagathlon.errors import StudyError
from dagathlon.graphs import Graph
from dagathlon.learners.base import Estimate
from dagathlon.modules import modules
from dagathlon.report.look import Look
from dagathlon.study.grammar.evaluation import Evaluation
from dagathlon.study.plan.plan import Case, Run
from dagathlon.study.plan.task import Status
from dagathlon.study.store.store import Store
from dagathlon.study.view.provenance import Provenance
from dagathlon.study.view.results import RunResults, RunRows
from dagathlon.study.view.saved import Algorithm, Origin, SavedPlan, SavedSetup, SavedStudy
from dagathlon.study.view.saved_file import load
from dagathlon.study.view.standing import Standing, state_of

PARTIAL = "partial"

_Evaluation = TypeVar("_Evaluation", bound=Evaluation)


class NotShown(NamedTuple):
    """An evaluation that the study asks for and that cannot be made here, and why."""

    name: str
    reason: str


class _Asked(NamedTuple):
    """What the setup asks for: the evaluations that are known here, and the others."""

    known: list[Evaluation]
    unknown: list[NotShown]


@dataclass(frozen=True)
class Context:
    """What a writer of outputs is given.

    Parameters
    ----------
    study
        One setup of a study, as its run saved it.
    provenance
        Where and when it was run, and whether it still runs.
    store
        The results.
    folder
        Where to write.
    """

    study: SavedStudy
    provenance: Provenance
    store: Store
    folder: Path

    @classmethod
    def of(cls, folder: Path, store: Store) -> Context:
        """Of the folder in which a run has saved a setup."""
        return cls(load(folder), Provenance.load(folder), store, folder)

    @property
    def setup(self) -> SavedSetup:
        """The setup to write."""
        return self.study.setup

    @property
    def plan(self) -> SavedPlan:
        """What was to be run."""
        return self.study.plan

    @property
    def algorithms(self) -> Mapping[str, Algorithm]:
        """The algorithms of the study, by id."""
        return self.study.algorithms

    @cached_property
    def look(self) -> Look:
        """Colours and symbols of the setup's algorithms."""
        return Look.of(self.setup.algorithm_ids())

    @cached_property
    def _results(self) -> RunResults:
        return RunResults(self.study, self.store)

    @cached_property
    def standing(self) -> Standing:
        """How much of the setup is there."""
        state = state_of(self.provenance, self.store)
        limited = self.provenance.partial
        return Standing(len(self.runs), len(self.plan.runs), state, limited)

    @property
    def partial(self) -> bool:
        """Whether runs are missing; every table says so."""
        return self.standing.partial

    @property
    def runs(self) -> list[Run]:
        """All runs of the setup that are in."""
        return self._results.runs

    def runs_of(self, ids: Iterable[str]) -> list[Run]:
        """Runs of the named algorithms, in the order of the joint table."""
        wanted = set(ids)
        return [run for run in self.runs if run.entry in wanted]

    @cached_property
    def _all_rows(self) -> RunRows:
        found = self._results.rows
        if self.partial:
            return found._replace(joint=[row | {PARTIAL: True} for row in found.joint])
        return found

    def rows(self, ids: Iterable[str]) -> list[dict[str, Any]]:
        """The joint table of the named algorithms, one row for each of `runs_of`."""
        wanted = set(ids)
        return [row for row in self._all_rows.joint if row["id"] in wanted]

    def further_rows(self, ids: Iterable[str]) -> list[dict[str, Any]]:
        """Metrics that the joint table does not have, one row for each of `rows`."""
        wanted = set(ids)
        pairs = zip(*self._all_rows, strict=True)
        return [further for row, further in pairs if row["id"] in wanted]

    @cached_property
    def compared(self) -> set[tuple[Any, ...]]:
        """Seed and labels of the data sets on which all runs are in: those that compare fairly."""
        missing = {run.case for run in set(self.plan.runs).difference(self.runs)}
        planned = {run.case for run in self.plan.runs}
        return {self.plan.cases[case][2:6] for case in planned - missing}

    def comparable(self, rows: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
        """The rows of data sets on which all runs are in; all of them when nothing is missing.

        A setting that has not come to a data set yet must not look as if it had failed there.
        """
        names = ("seed", "adjmat", "parameters", "data")
        return [row for row in rows if tuple(row[name] for name in names) in self.compared]

    @property
    def case_rows(self) -> list[dict[str, Any]]:
        """Diagnostics of the data sets, where the study asks for them."""
        return self._results.case_rows

    @cached_property
    def cases(self) -> list[Case]:
        """The data sets of the setup, each once, in order."""
        return list({case[2:]: case for case in self.plan.cases}.values())

    def origin(self, case: Case) -> Origin:
        """The data entry of the setup that a data set comes from."""
        return self._origins[case[2:]]

    @cached_property
    def _origins(self) -> dict[tuple[Any, ...], Origin]:
        pairs = zip(self.plan.cases, self.plan.origins, strict=True)
        return {case[2:]: origin for case, origin in pairs}

    @cached_property
    def _asked(self) -> _Asked:
        """The setup's evaluations, by those that are installed here; none is looked for."""
        asked, known = _Asked([], []), modules("evaluation")
        for name, values in ((one.name, one.values) for one in self.setup.evaluations):
            if name not in known:
                reason = "no evaluation of that name is installed here"
                asked.unknown.append(NotShown(name, reason))
                continue
            try:
                asked.known.append(cast(type[Evaluation], known[name]).from_json(values, name))
            except StudyError as error:
                asked.unknown.append(NotShown(name, str(error)))
        return asked

    def evaluations(self, kind: type[_Evaluation]) -> list[_Evaluation]:
        """The setup's evaluations of one kind."""
        return [found for found in self._asked.known if isinstance(found, kind)]

    @property
    def not_shown(self) -> list[NotShown]:
        """What the study asks for and cannot be made here, each with the reason."""
        return list(dict.fromkeys(self._asked.unknown))

    def entry(self, run: Run) -> Algorithm:
        """The object of the study that a run comes from."""
        return self.algorithms[run.entry]

    def result(self, position: int | None) -> Any:
        """The stored result of a task, None when there is none."""
        return None if position is None else self.store.load(self.plan.keys[position])

    def truth(self, case: Case) -> Graph | None:
        """The true graph of a data set."""
        found = self.result(case.graph)
        return found if isinstance(found, Graph) else None

    def estimate(self, run: Run) -> Graph | None:
        """The graph that a run learned."""
        found = self.result(run.estimate)
        return found.graph if isinstance(found, Estimate) else None

    def estimates(self, runs: Sequence[Run]) -> Iterator[tuple[Run, Graph]]:
        """The learned graphs of many runs, of those that have one."""
        keys = self.plan.keys
        found = dict(self.store.load_many({keys[run.estimate] for run in runs}))
        for run in runs:
            estimate = found.get(keys[run.estimate])
            if isinstance(estimate, Estimate):
                yield run, estimate.graph

    def log(self, run: Run) -> str:
        """What the step of a run that failed left behind."""
        outcome = self._results.outcome(run)
        return "" if outcome is None or outcome.status is Status.OK else outcome.detail
