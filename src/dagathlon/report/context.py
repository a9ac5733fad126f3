"""`Results`: the only door to what a study has computed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from dagathlon.data import Dataset
from dagathlon.graphs import Graph
from dagathlon.learners.base import Estimate
from dagathlon.report.look import Look
from dagathlon.study.grammar.config import Config, Setup
from dagathlon.study.grammar.expand import ModuleEntry
from dagathlon.study.plan.plan import Case, Origin, Plan, Run
from dagathlon.study.plan.task import Outcome, Status
from dagathlon.study.store.store import Store
from dagathlon.study.view.results import RunRows, case_rows, run_rows

PARTIAL = "partial"
DIAGNOSTICS = "diagnostics"
"""Name of the score of data sets that the page knows how to show."""


@dataclass(frozen=True)
class Results:
    """What evaluations and the page read: the results of one setup, by label.

    A run is known by its algorithm (`Run.entry`, `Run.setting`) and its data set (`case`); a data
    set by its labels, its seed and its transforms. What is not there is None or left out.

    Parameters
    ----------
    config, plan, store
        The study, its tasks, their results.
    number, setup
        The setup.
    folder
        The folder of the setup.
    partial
        Whether the study was run only in part; every table says so.
    """

    config: Config
    plan: Plan
    store: Store
    number: int
    setup: Setup
    folder: Path
    partial: bool

    @property
    def title(self) -> str:
        """The setup's."""
        return self.setup.title

    @cached_property
    def ids(self) -> list[str]:
        """The algorithms of the setup, in order of appearance."""
        return self.setup.algorithm_ids()

    @property
    def algorithms(self) -> Mapping[str, ModuleEntry]:
        """All algorithms of the study by id: their modules, parameters and settings in words."""
        return self.config.algorithms

    @cached_property
    def look(self) -> Look:
        """Colours and symbols of the setup's algorithms."""
        return Look.of(self.ids)

    @property
    def study_name(self) -> str:
        """Name of the study's file."""
        return self.config.path.name

    @cached_property
    def study_text(self) -> bytes:
        """Content of the study's file."""
        return self.config.path.read_bytes()

    @cached_property
    def runs(self) -> list[Run]:
        """All runs of the setup."""
        return [run for run in self.plan.runs if run.setup == self.number]

    def runs_of(self, ids: Iterable[str]) -> list[Run]:
        """Runs of the named algorithms, in the order of the joint table."""
        wanted = set(ids)
        return [run for run in self.runs if run.entry in wanted]

    def further_runs(self, ids: Iterable[str], transform: str) -> list[Run]:
        """Runs on transformed data that an evaluation asked for.

        Parameters
        ----------
        ids
            Algorithms.
        transform
            The label of what was asked for, `Learning.label`.
        """
        wanted = set(ids)
        mine = (run for run in self.plan.further if run.setup == self.number)
        return [r for r in mine if r.entry in wanted and self.case(r).transform == transform]

    def case(self, run: Run) -> Case:
        """The data set of a run."""
        return self.plan.cases[run.case]

    def algorithm(self, run: Run) -> ModuleEntry:
        """The object of the study that a run comes from."""
        return self.algorithms[run.entry]

    def values(self, run: Run) -> Mapping[str, Any]:
        """The parameters of a run as the study gives them."""
        return self.algorithm(run).settings[run.setting].values

    @cached_property
    def cases(self) -> list[Case]:
        """The data sets of the setup, each once, in order; without those of further runs."""
        mine: dict[tuple[Any, ...], Case] = {}
        for case in self.plan.cases:
            if self.origin(case).setup == self.number and not case.transform:
                mine.setdefault(case[2:8], case)
        return list(mine.values())

    def origin(self, case: Case) -> Origin:
        """The data entry of the setup that a data set comes from."""
        return self.plan.origins[case.origin]

    @cached_property
    def _all_rows(self) -> RunRows:
        found = run_rows(self.config, self.plan, self.store, self.runs_of(self.ids))
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

    def rows_of(self, runs: Sequence[Run]) -> list[dict[str, Any]]:
        """How runs ended and what they score: rows as in the joint table, with further metrics.

        ``transform`` says on what an evaluation had them learn; it is empty for the study's own.
        """
        found = run_rows(self.config, self.plan, self.store, runs)
        labels = ({"transform": self.case(run).transform} for run in runs)
        return [a | b | c for a, b, c in zip(labels, *found, strict=True)]

    def scores(self, name: str, runs: Sequence[Run]) -> list[Any]:
        """A score that an evaluation asked for by name: one value per run, None where none is."""
        positions = [self._score(name, run) for run in runs]
        keys = {self.plan.tasks[i].key for i in positions if i is not None}
        found = dict(self.store.load_many(keys))
        return [None if i is None else found.get(self.plan.tasks[i].key) for i in positions]

    def _score(self, name: str, run: Run) -> int | None:
        names = self.origin(self.case(run)).scores
        return dict(zip(names, run.scores, strict=False)).get(name)

    def data_rows(self, name: str) -> list[dict[str, Any]]:
        """A score of data sets that an evaluation asked for by name: one row per data set."""
        return case_rows(self.plan, self.store, self.number, name)

    @cached_property
    def case_rows(self) -> list[dict[str, Any]]:
        """Diagnostics of the data sets, where the study asks for them."""
        return self.data_rows(DIAGNOSTICS)

    def truth(self, case: Case) -> Graph | None:
        """The true graph of a data set."""
        found = self._result(case.graph)
        return found if isinstance(found, Graph) else None

    def data(self, case: Case) -> Dataset | None:
        """The rows of a data set."""
        found = self._result(case.data)
        return found if isinstance(found, Dataset) else None

    def learned(self, run: Run) -> Estimate | None:
        """What the learner of a run returned, with its chain if it is a sampler."""
        found = self._result(run.learn)
        return found if isinstance(found, Estimate) else None

    def estimates(self, runs: Sequence[Run]) -> Iterator[tuple[Run, Graph]]:
        """The learned graphs of many runs, of those that have one."""
        tasks = self.plan.tasks
        keys = {tasks[run.estimate].key for run in runs}
        found = dict(self.store.load_many(keys))
        for run in runs:
            estimate = found.get(tasks[run.estimate].key)
            if isinstance(estimate, Estimate):
                yield run, estimate.graph

    def logs(self, runs: Sequence[Run]) -> Iterator[tuple[Run, str]]:
        """What the steps of failed runs left behind, the first step that failed of each."""
        tasks = self.plan.tasks
        steps = [(run, (run.learn, run.estimate, run.score)) for run in runs]
        keys = {tasks[i].key for _, positions in steps for i in positions if i is not None}
        found = self.store.outcomes(keys)
        for run, positions in steps:
            outcomes = (found.get(tasks[i].key) for i in positions if i is not None)
            yield from ((run, log) for log in list(_details(outcomes))[:1])

    def _result(self, position: int | None) -> Any:
        """The stored result of a task, None when there is none."""
        return None if position is None else self.store.load(self.plan.tasks[position].key)


def _details(outcomes: Iterable[Outcome | None]) -> Iterator[str]:
    for outcome in outcomes:
        if outcome is not None and outcome.status is not Status.OK and outcome.detail:
            yield outcome.detail
