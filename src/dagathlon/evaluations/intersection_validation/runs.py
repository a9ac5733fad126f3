"""What intersection-validation reads: each learner's graphs, of all rows and of subsamples."""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypeAlias

from dagathlon.frame import Cells, grouped
from dagathlon.graphs import Graph
from dagathlon.report.results import Results
from dagathlon.report.tables.places import combination_of
from dagathlon.report.tables.runs import Combination, setting_name
from dagathlon.simulate.resampling import BootstrapSample, Subsample
from dagathlon.study.plan.plan import Case, Run

Draw: TypeAlias = tuple[int, int]
"""Number of rows of a subsample, and which of the subsamples it is, from 1."""
_SUBSAMPLE = re.compile(rf"{Subsample.name}=(\d+),(\d+)")
_BOOTSTRAP = re.compile(rf"{BootstrapSample.name}=all,(\d+)")
_NO_REASON = "it gave no graph"


@dataclass(frozen=True)
class IntervalRuns:
    """Runs of several learners on one data set, on its subsamples and bootstrap samples.

    A learner is a setting of an algorithm, by the name that tables give it.

    Parameters
    ----------
    case
        The data set.
    ids
        The algorithm of each learner that was asked for, in the order of the study.
    outputs
        The kind of graph that each of them says it returns.
    graphs
        What learners found on all rows, of those that have a graph.
    without
        Learners that ended without a graph on all rows, and why.
    waiting
        Learners whose run on all rows is not in yet.
    draws
        The subsamples on which all runs of `graphs` have ended: what compares fairly.
    asked
        The subsamples that the study has.
    estimates
        The graphs by learner and subsample; None where a run ended without one.
    copies
        The graphs on bootstrap samples by learner.
    failures
        Why runs ended without a graph, by learner and subsample.
    algorithms
        The algorithm of each learner: of Benchpress's names the one that is run.
    """

    case: Case
    ids: Mapping[str, str]
    outputs: Mapping[str, str]
    graphs: Mapping[str, Graph]
    without: Mapping[str, str]
    waiting: tuple[str, ...]
    draws: Sequence[Draw]
    asked: Sequence[Draw]
    estimates: Mapping[str, Mapping[Draw, Graph | None]]
    copies: Mapping[str, Sequence[Graph]]
    failures: Mapping[str, Mapping[Draw, str]] = field(default_factory=dict)
    algorithms: Mapping[str, str] = field(default_factory=dict)

    @property
    def data(self) -> Combination:
        """Return the labels of graph, parameters and data."""
        return combination_of(self.case)

    @property
    def columns(self) -> Cells:
        """Return the cells that identify the data set in the files."""
        case = self.case
        labels = (case.graph_label, case.parameters_label, case.data_label)
        return dict(zip(("graph", "parameters", "data"), labels, strict=True)) | {"seed": case.seed}

    @property
    def sizes(self) -> list[int]:
        """Return the sizes of complete subsamples, in ascending order."""
        return sorted({size for size, _ in self.draws})

    def by_size(self) -> dict[str, dict[int, list[Graph | None]]]:
        """Return graphs by learner and size, one for each of `numbers`."""
        return {
            learner: {
                size: [members[size, number] for number in self.numbers(size)]
                for size in self.sizes
            }
            for learner, members in self.estimates.items()
        }

    def numbers(self, size: int) -> list[int]:
        """Return the numbers of the complete subsamples of a size."""
        return sorted(number for rows, number in self.draws if rows == size)

    def only(self, wanted: Container[Draw]) -> IntervalRuns:
        """Return a copy restricted to some of the subsamples."""
        draws = [draw for draw in self.draws if draw in wanted]
        return replace(self, draws=draws, asked=[draw for draw in self.asked if draw in wanted])


def interval_runs(
    results: Results, ids: Iterable[str] = (), draws: Iterable[Draw] | None = None
) -> Iterator[IntervalRuns]:
    """Yield the runs of each data set of a setup, with what was learned on its subsamples.

    Parameters
    ----------
    results
        Those of the setup.
    ids
        The algorithms; none means all of the setup.
    draws
        The subsamples to read; None means all that some evaluation asked for.
    """
    chosen = tuple(ids) or tuple(results.ids)
    read = _Reader(results, None if draws is None else frozenset(draws))
    members, further = (
        grouped((_key(results.case(run)), run) for run in runs if run.entry in chosen)
        for runs in (results.plan.runs, results.plan.further)
    )
    for key, runs in members.items():
        yield read.data_set(runs, further.get(key, []))


def subsample_of(transform: str) -> Draw | None:
    """Parse the label of a subsample; None for any other transform."""
    match = _SUBSAMPLE.fullmatch(transform)
    return None if match is None else (int(match[1]), int(match[2]))


def _key(case: Case) -> tuple[Any, ...]:
    return (*combination_of(case), case.seed)


class _Reader:
    """Reader of the runs of a setup, data set by data set."""

    def __init__(self, results: Results, draws: frozenset[Draw] | None) -> None:
        self.results = results
        self.draws = draws
        ended = results.runs_of(results.ids)
        labels = {case.transform for case in results.plan.cases} - {""}
        self.ended = {*ended, *results.further_runs(results.ids, *labels)}

    def data_set(self, members: Sequence[Run], further: Sequence[Run]) -> IntervalRuns:
        graphs = {self._learner(run): graph for run, graph in self.results.estimates(members)}
        ended = [run for run in members if run in self.ended]
        lost = [run for run in ended if self._learner(run) not in graphs]
        reasons = (row["reason"] or _NO_REASON for row in self.results.rows_of(lost))
        drawn = [(draw, run) for run in further if (draw := self._draw(run)) is not None]
        asked = {draw for draw, _ in drawn}
        by_draw = grouped((draw, run) for draw, run in drawn if self._learner(run) in graphs)
        complete = sorted(d for d, runs in by_draw.items() if self.ended.issuperset(runs))
        compared = [run for draw in complete for run in by_draw[draw]]
        estimates = self._estimates(compared, graphs)
        return IntervalRuns(
            self.results.case(members[0]),
            {self._learner(run): run.entry for run in members},
            {
                self._learner(run): self.results.algorithm(run).output(run.setting)
                for run in members
            },
            graphs,
            dict(zip(map(self._learner, lost), reasons, strict=True)),
            tuple(self._learner(run) for run in members if run not in self.ended),
            complete,
            sorted(asked),
            estimates,
            self._copies(further, graphs),
            self._failures(compared, estimates),
            {self._learner(run): self.results.algorithm_behind(run.entry) for run in members},
        )

    def _estimates(
        self, runs: Sequence[Run], graphs: Iterable[str]
    ) -> dict[str, dict[Draw, Graph | None]]:
        result: dict[str, dict[Draw, Graph | None]] = {learner: {} for learner in graphs}
        known = dict(self.results.estimates(runs))
        for run in runs:
            draw = self._draw(run)
            if draw is not None:
                result[self._learner(run)][draw] = known.get(run)
        return result

    def _failures(
        self, runs: Sequence[Run], estimates: Mapping[str, Mapping[Draw, Graph | None]]
    ) -> dict[str, dict[Draw, str]]:
        lost = [
            (run, draw)
            for run in runs
            if (draw := self._draw(run)) and estimates[self._learner(run)][draw] is None
        ]
        rows = self.results.rows_of([run for run, _ in lost])
        result: dict[str, dict[Draw, str]] = {}
        for (run, draw), row in zip(lost, rows, strict=True):
            result.setdefault(self._learner(run), {})[draw] = row["reason"] or _NO_REASON
        return result

    def _copies(self, runs: Sequence[Run], graphs: Iterable[str]) -> dict[str, list[Graph]]:
        """Return the available graphs on bootstrap samples."""
        result: dict[str, list[Graph]] = {learner: [] for learner in graphs}
        drawn = [run for run in runs if _BOOTSTRAP.fullmatch(self.results.case(run).transform)]
        for run, graph in self.results.estimates([run for run in drawn if run in self.ended]):
            result.get(self._learner(run), []).append(graph)
        return result

    def _learner(self, run: Run) -> str:
        algorithm = self.results.algorithms[run.entry]
        return setting_name(algorithm, algorithm.settings[run.setting].values)

    def _draw(self, run: Run) -> Draw | None:
        draw = subsample_of(self.results.case(run).transform)
        return draw if self.draws is None or draw in self.draws else None
