"""What a writer of outputs is given: the study, its results, and where to write."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from math import prod
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from dagathlon.graphs import Graph
from dagathlon.learners.base import Estimate
from dagathlon.report.look import Look
from dagathlon.study.grammar.config import Config, DataEntry, Part, Setup
from dagathlon.study.grammar.evaluation import Evaluation
from dagathlon.study.grammar.expand import ModuleEntry
from dagathlon.study.plan.labels import label_of
from dagathlon.study.plan.plan import Case, Plan, Run
from dagathlon.study.store.store import Store
from dagathlon.study.view.results import RunRows, case_rows, run_rows

PARTIAL = "partial"

_Evaluation = TypeVar("_Evaluation", bound=Evaluation)


class Origin(NamedTuple):
    """Where a data set comes from: an entry of the setup, and which of its combinations."""

    entry: DataEntry
    number: int
    combinations: int


@dataclass(frozen=True)
class Context:
    """What a writer of outputs is given.

    Parameters
    ----------
    config, plan, store
        The study, its tasks, their results.
    number, setup
        The setup to write.
    folder
        Where to write.
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

    @cached_property
    def look(self) -> Look:
        """Colours and symbols of the setup's algorithms."""
        return Look.of(self.setup.algorithm_ids())

    @cached_property
    def runs(self) -> list[Run]:
        """All runs of the setup."""
        return [run for run in self.plan.runs if run.setup == self.number]

    def runs_of(self, ids: Iterable[str]) -> list[Run]:
        """Runs of the named algorithms, in the order of the joint table."""
        wanted = set(ids)
        return [run for run in self.runs if run.entry in wanted]

    @cached_property
    def _all_rows(self) -> RunRows:
        ids = self.setup.algorithm_ids()
        found = run_rows(self.config, self.plan, self.store, self.number, ids)
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
    def case_rows(self) -> list[dict[str, Any]]:
        """Diagnostics of the data sets, where the study asks for them."""
        return case_rows(self.plan, self.store, self.number)

    @cached_property
    def cases(self) -> list[Case]:
        """The data sets of the setup, each once, in order."""
        mine = {case[2:]: case for case in self.plan.cases if case[2:] in self._origins}
        return list(mine.values())

    def origin(self, case: Case) -> Origin:
        """The data entry of the setup that a data set comes from."""
        return self._origins[case[2:]]

    @cached_property
    def _origins(self) -> dict[tuple[Any, ...], Origin]:
        """Data entries by seed and labels of their data sets; the first entry of a kind counts."""
        found: dict[tuple[Any, ...], Origin] = {}
        none: Sequence[Part | None] = (None,)
        for entry in self.setup.data:
            labels = [
                [label_of(part) for part in parts]
                for parts in (entry.graphs or none, entry.parameters or none, entry.data)
            ]
            for number, (graph, parameters, data) in enumerate(product(*labels), 1):
                for noise, seed in product(entry.noises, entry.seeds):
                    suffix = f"/noise={noise.code}" if noise.rates else ""
                    key = (seed, graph, parameters, data + suffix, noise.code)
                    found.setdefault(key, Origin(entry, number, prod(map(len, labels))))
        return found

    def evaluations(self, kind: type[_Evaluation]) -> list[_Evaluation]:
        """The setup's evaluations of one kind."""
        return [found for found in self.setup.evaluations if isinstance(found, kind)]

    def entry(self, run: Run) -> ModuleEntry:
        """The object of the study that a run comes from."""
        return self.config.algorithms[run.entry]

    def result(self, position: int | None) -> Any:
        """The stored result of a task, None when there is none."""
        return None if position is None else self.store.load(self.plan.tasks[position].key)

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
        tasks = self.plan.tasks
        keys = {tasks[run.estimate].key for run in runs}
        found = dict(self.store.load_many(keys))
        for run in runs:
            estimate = found.get(tasks[run.estimate].key)
            if isinstance(estimate, Estimate):
                yield run, estimate.graph
