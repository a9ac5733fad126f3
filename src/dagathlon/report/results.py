"""`Results`: the view of one setup's results that evaluations and the page read."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple, cast

from dagathlon.data import Dataset
from dagathlon.errors import StudyError
from dagathlon.evaluate.graphs.control import RANDOM, Baselines, trivial_baselines
from dagathlon.evaluate.ranking.ranks import UNITS, Unit, case_of
from dagathlon.evaluate.ranking.summary import is_number
from dagathlon.frame import Cells, Row, Rows, grouped_by
from dagathlon.graphs import Graph
from dagathlon.graphs.undirected import UndirectedForm, undirected_form
from dagathlon.learners.base import Estimate
from dagathlon.modules import modules
from dagathlon.study.config.evaluation import Request
from dagathlon.study.config.study_file import shown_besides
from dagathlon.study.plan.plan import Case, Origin, Run
from dagathlon.study.plan.scoring import STANDARD
from dagathlon.study.plan.task import Outcome, Status
from dagathlon.study.records.completeness import Standing, state_of
from dagathlon.study.records.file import load
from dagathlon.study.records.provenance import Provenance
from dagathlon.study.records.runs import Remarks, case_labels, further_row, run_row
from dagathlon.study.records.schema import Algorithm, SavedPlan, SavedSetup, SavedStudy
from dagathlon.study.store.store import Store

_CONTROL = "control_"
Found = dict[tuple[Any, ...], dict[str, dict[str, float]]]

PARTIAL = "partial"
RANKING = "ranking"
"""Name of the evaluation whose options decide how verdicts rank."""
DIAGNOSTICS = "diagnostics"
"""Name of the score of data sets that the page shows as diagnostics."""
_MISSING = Outcome(Status.SKIPPED, "not run yet")
_LARGEST = 2**63
_COUNTS = ("TP_skel", "FP_skel", "SHD_pattern", "true_n_edges_skel")
"""Metrics of graphs that are there together or not at all."""

_OPEN_DIRECTIONS = (
    "In BSF and the other metrics of Bayesys, directions that the equivalence class of the truth "
    "leaves open cost nothing, as the study asks."
)


class NotShown(NamedTuple):
    """A requested evaluation that cannot be made here, and the reason."""

    name: str
    reason: str


class _Asked(NamedTuple):
    """Requested evaluations of a setup: those that are installed here, and the others."""

    known: list[Request]
    unknown: list[NotShown]


@dataclass(frozen=True)
class Results:
    """View of the results of one setup, looked up by run and data set.

    A run is identified by its algorithm (`Run.entry`, `Run.setting`) and its data set (`case`);
    a data set by its labels, its seed and its transforms. Results that are missing are None or
    omitted.

    Parameters
    ----------
    study
        One setup of a study, as its run saved it.
    provenance
        Where and when it was run, and whether it still runs.
    store
        The results.
    folder
        The folder of the setup.
    """

    study: SavedStudy
    provenance: Provenance
    store: Store
    folder: Path

    @classmethod
    def of(cls, folder: Path, store: Store) -> Results:
        """Load the results of a setup from the folder in which a run saved it."""
        return cls(load(folder), Provenance.load(folder), store, folder)

    @property
    def setup(self) -> SavedSetup:
        """Return the setup as its run saved it."""
        return self.study.setup

    @property
    def plan(self) -> SavedPlan:
        """Return the planned runs and their data sets."""
        return self.study.plan

    @property
    def ids(self) -> Sequence[str]:
        """Return the ids of the setup's algorithms, in order of appearance."""
        return self.setup.ids

    @property
    def algorithms(self) -> Mapping[str, Algorithm]:
        """Return all algorithms of the study by id: modules, parameters, settings in words."""
        return self.study.algorithms

    @cached_property
    def _outcomes(self) -> Mapping[bytes, Outcome]:
        """Return outcomes of the steps of all runs, by key."""
        runs = (*self.plan.runs, *self.plan.further)
        steps = {i for run in runs for i in (run.learn, run.estimate, run.score)} - {None}
        return self.store.outcomes(map(self._key, steps))

    def _key(self, position: int | None) -> bytes:
        return self.plan.keys[cast(int, position)]

    def _outcome(self, run: Run) -> Outcome | None:
        """Return the learner's outcome, or that of the first later step that failed.

        None when the run has not ended, or when its results have been removed.
        """
        ended = None
        for position in (run.learn, run.estimate, run.score):
            step = None if position is None else self._outcomes.get(self._key(position))
            if position is not None and (step is None or step.status is not Status.OK):
                return step
            ended = ended or step
        return ended

    @cached_property
    def standing(self) -> Standing:
        """Return how many planned runs have ended, and whether the study still runs."""
        state = state_of(self.provenance, self.store)
        limited = self.provenance.partial
        return Standing(len(self.runs), len(self.plan.runs), state, limited)

    @property
    def partial(self) -> bool:
        """Return whether runs are missing."""
        return self.standing.partial

    @cached_property
    def runs(self) -> list[Run]:
        """Return all ended runs of the setup, in the order of the plan."""
        return [run for run in self.plan.runs if self._outcome(run) is not None]

    @cached_property
    def made_on(self) -> Mapping[str, int]:
        """Return the number of learning runs by machine, without skipped runs."""
        runs = (*self.plan.runs, *self.plan.further)
        keys = {self.plan.keys[run.learn] for run in runs}
        ended = (self._outcomes[key] for key in keys if key in self._outcomes)
        return Counter(outcome.host for outcome in ended if outcome.status is not Status.SKIPPED)

    def runs_of(self, ids: Iterable[str]) -> list[Run]:
        """Return the runs of some algorithms, in the order of the joint table."""
        wanted = set(ids)
        return [run for run in self.runs if run.entry in wanted]

    def further_runs(self, ids: Iterable[str], *transforms: str) -> list[Run]:
        """Return the ended runs on transformed data that an evaluation requested.

        Parameters
        ----------
        ids
            Algorithms.
        *transforms
            The labels of what was asked for, `Learning.label`.
        """
        wanted = set(ids)
        asked = [run for label in dict.fromkeys(transforms) for run in self._further.get(label, ())]
        ended = [run for run in asked if self._outcome(run) is not None]
        return [run for run in ended if run.entry in wanted]

    @cached_property
    def _further(self) -> Mapping[str, Sequence[Run]]:
        """Return runs on transformed data, by label of the transforms."""
        return grouped_by(self.plan.further, lambda run: self.case(run).transform)

    def case(self, run: Run) -> Case:
        """Return the data set of a run."""
        return self.plan.cases[run.case]

    def algorithm(self, run: Run) -> Algorithm:
        """Return the entry of the study that a run belongs to."""
        return self.algorithms[run.entry]

    def algorithm_behind(self, identifier: str) -> str:
        """Return the learner of an id; for a Benchpress name, the learner it runs."""
        name = self.algorithms[identifier].module.name
        runs = getattr(modules("algorithm").get(name), "runs", None)
        return getattr(runs, "name", "") or name

    def values(self, run: Run) -> Mapping[str, Any]:
        """Return the parameters of a run as the study gives them."""
        return self.algorithm(run).settings[run.setting].values

    @cached_property
    def cases(self) -> list[Case]:
        """Return the data sets of the setup in order, without those of further runs."""
        mine: dict[tuple[Any, ...], Case] = {}
        for case in self.plan.cases:
            if not case.transform:
                mine.setdefault(case[2:8], case)
        return list(mine.values())

    def origin(self, case: Case) -> Origin:
        """Return the study's data entry of a data set."""
        return self.plan.origins[case.origin]

    @cached_property
    def _all_rows(self) -> tuple[list[Cells], list[Cells]]:
        """Return joint rows and further rows of all runs."""
        joint, further = self._rows_of(self.runs)
        return self.marked(joint), further

    def _rows_of(self, runs: Sequence[Run]) -> tuple[list[Cells], list[Cells]]:
        places = {i for run in runs for i in (run.score, *run.scores)} - {None}
        scores = dict(self.store.load_many(map(self._key, places), _has_metrics))
        self._read_remarks({self._key(run.learn) for run in runs})
        joint, further = [], []
        for run in runs:
            remarks = self._remarks.get(self._key(run.learn), Remarks())
            outcome = self._outcome(run) or _MISSING
            steps = [i for i in (run.score, *run.scores) if i is not None]
            metrics = [scores.get(self._key(i), {}) for i in steps]
            # What failed when it was tried again may have the score of an earlier result.
            scored = outcome.status is Status.OK and run.score is not None
            own = metrics[0] if scored else {}
            joint.append(run_row(self.study, run, outcome, remarks, own))
            further.append(further_row(metrics))
        return joint, further

    @cached_property
    def _remarks(self) -> dict[bytes, Remarks]:
        """Return statistics and notes of learners by key, cached because reading is slow."""
        return {}

    def _read_remarks(self, keys: Collection[bytes]) -> None:
        for key, result in self.store.load_many([k for k in keys if k not in self._remarks]):
            if isinstance(result, Estimate):
                self._remarks[key] = Remarks(result.stats, result.notes)

    def marked(self, rows: Iterable[Row]) -> list[Cells]:
        """Return rows with the column `partial` if runs of the setup are missing."""
        note = {PARTIAL: True} if self.partial else {}
        return [{**row, **note} for row in rows]

    def rows(self, ids: Iterable[str]) -> list[Cells]:
        """Return the rows of the joint table of some algorithms, one for each of `runs_of`."""
        wanted = set(ids)
        return [row for row in self._all_rows[0] if row["id"] in wanted]

    def further_rows(self, ids: Iterable[str]) -> list[Cells]:
        """Return the metrics beyond the joint table, one row for each of `rows`."""
        wanted = set(ids)
        pairs = zip(*self._all_rows, strict=True)
        return [further for row, further in pairs if row["id"] in wanted]

    def rows_of(self, runs: Sequence[Run]) -> list[Cells]:
        """Return outcomes and all metrics of runs: rows of the joint table with further metrics.

        The column ``transform`` is the label of the transforms of the data, empty for the
        study's own.
        """
        pairs = self._rows_of(runs)
        labels = ({"transform": self.case(run).transform} for run in runs)
        return [a | b | c for a, b, c in zip(labels, *pairs, strict=True)]

    @cached_property
    def rank_unit(self) -> Unit:
        """Return the unit of average ranks, from the report's option or the study."""
        units = [
            evaluation.values.get("unit")
            for evaluation in self.setup.evaluations
            if evaluation.name == RANKING
        ]
        unit = next(filter(None, [self.provenance.rank_unit, *units]), UNITS[0])
        return cast(Unit, unit) if unit in UNITS else UNITS[0]

    @cached_property
    def metric_note(self) -> str:
        """Return a sentence on metrics that differ from their default definition; else empty."""
        asked = [evaluation.values.get("equivalent") for evaluation in self.setup.evaluations]
        return _OPEN_DIRECTIONS if True in asked else ""

    @cached_property
    def rank_alpha(self) -> float:
        """Return the level of the critical difference of ranks, from the study's ranking."""
        levels = [
            evaluation.values.get("alpha")
            for evaluation in self.setup.evaluations
            if evaluation.name == RANKING
        ]
        level = next((a for a in levels if isinstance(a, float) and 0 < a < 1), 0.05)
        return float(level)

    @cached_property
    def compared(self) -> set[tuple[Any, ...]]:
        """Return seed and labels of the data sets on which all runs have ended."""
        missing = {run.case for run in set(self.plan.runs).difference(self.runs)}
        planned = {run.case for run in self.plan.runs}
        return {self.plan.cases[case][2:6] for case in planned - missing}

    def comparable(self, rows: Sequence[Cells]) -> list[Cells]:
        """Return the rows of data sets on which all runs have ended.

        A setting without a result on a data set yet must not count as failed there.
        """
        names = ("seed", "adjmat", "parameters", "data")
        return [row for row in rows if tuple(row[name] for name in names) in self.compared]

    def scores(self, name: str, runs: Sequence[Run]) -> list[Any]:
        """Return a requested score by name: one value per run, None where absent."""
        places = [self._score(name, run) for run in runs]
        loaded = dict(self.store.load_many({self._key(i) for i in places if i is not None}))
        return [None if i is None else loaded.get(self._key(i)) for i in places]

    def _score(self, name: str, run: Run) -> int | None:
        case = self.case(run)
        names = self.origin(case).scores
        if case.transform:
            names = self.plan.further_scores.get((case.origin, case.transform), ())
        return dict(zip(names, run.scores, strict=False)).get(name)

    def data_rows(self, name: str) -> list[Cells]:
        """Return a requested score of data sets by name: one row per data set."""
        cases = dict.fromkeys(run.case for run in self.plan.runs)
        scored = self.plan.data_scores.get(name, {})
        asked = {case: self._key(i) for case, i in scored.items() if case in cases}
        loaded = dict(self.store.load_many(set(asked.values()), _has_metrics))
        rows = []
        for number in cases:
            metrics, case = loaded.get(asked.get(number, b"")), self.plan.cases[number]
            if metrics is not None:
                rows.append(case_labels(case) | {"seed": case.seed} | metrics)
        return rows

    @cached_property
    def case_rows(self) -> list[Cells]:
        """Return diagnostics of the data sets, where the study requests them."""
        return self.data_rows(DIAGNOSTICS)

    @cached_property
    def baselines(self) -> Baselines:
        """Return scores of the empty, the complete and random graphs, by data set and metric."""
        keys = {c: self.plan.keys[c.graph] for c in self.cases if c.graph is not None}
        loaded = dict(self.store.load_many(set(keys.values())))
        truths = ((case, loaded.get(key)) for case, key in keys.items())
        graphs = [(case, truth) for case, truth in truths if isinstance(truth, Graph)]
        if self.undirected is not None:
            formed = ((case, undirected_form(graph, self.undirected)) for case, graph in graphs)
            graphs = [(case, graph) for case, graph in formed if graph is not None]
        return baselines_of(graphs, self.case_rows)

    @cached_property
    def undirected(self) -> UndirectedForm | None:
        """Return the undirected form under which directed graphs are compared, from `metrics`."""
        forms = (
            evaluation.values.get("undirected")
            for evaluation in self.setup.evaluations
            if evaluation.name == STANDARD
        )
        return cast("UndirectedForm | None", next(filter(None, forms), None))

    @cached_property
    def _asked(self) -> _Asked:
        """Return requested evaluations, split by whether they are installed here."""
        asked, known = _Asked([], []), modules("evaluation")
        for name, values in (
            (evaluation.name, evaluation.values) for evaluation in self.setup.evaluations
        ):
            if name not in known:
                reason = "no evaluation of that name is installed here (--modules names a file)"
                asked.unknown.append(NotShown(name, reason))
                continue
            try:
                asked.known.append(cast(type[Request], known[name]).from_json(values, name))
            except StudyError as error:
                asked.unknown.append(NotShown(name, str(error)))
        return asked

    @property
    def evaluations(self) -> list[Request]:
        """Return requested evaluations that are installed here."""
        return self._asked.known

    @cached_property
    def shown(self) -> list[Request]:
        """Return evaluations that the page shows by default."""
        named = {*(evaluation.name for evaluation in self.setup.evaluations), *self.setup.off}
        return list(shown_besides(named, self.ids, self.setup.has_truth))

    @property
    def not_shown(self) -> list[NotShown]:
        """Return requested evaluations that cannot be made here, each with the reason."""
        return list(dict.fromkeys(self._asked.unknown))

    def truth(self, case: Case) -> Graph | None:
        """Return the true graph of a data set, None without one."""
        graph = self._result(case.graph)
        return graph if isinstance(graph, Graph) else None

    def data(self, case: Case) -> Dataset | None:
        """Return the rows of a data set, None if they are not stored."""
        data = self._result(case.data)
        return data if isinstance(data, Dataset) else None

    def learned(self, run: Run) -> Estimate | None:
        """Return the estimate of a run, with its chains for a sampler; None where it failed."""
        estimate = self._result(run.learn)
        return estimate if isinstance(estimate, Estimate) else None

    def estimates(self, runs: Sequence[Run]) -> Iterator[tuple[Run, Graph]]:
        """Yield the learned graph of each run that has one."""
        keys = self.plan.keys
        stored = dict(self.store.load_many({keys[run.estimate] for run in runs}))
        for run in runs:
            estimate = stored.get(keys[run.estimate])
            if isinstance(estimate, Estimate):
                yield run, estimate.graph

    def log(self, run: Run) -> str:
        """Return the log of the failed step of a run."""
        outcome = self._outcome(run)
        return "" if outcome is None or outcome.status is Status.OK else outcome.detail

    def _result(self, position: int | None) -> Any:
        """Return the stored result of a task, None without one."""
        return None if position is None else self.store.load(self.plan.keys[position])


def _has_metrics(found: object) -> bool:
    """Return whether a stored result, maybe a stranger's, holds metrics by name."""
    if not isinstance(found, Mapping) or not all(isinstance(name, str) for name in found):
        return False
    if any(isinstance(value, int) and abs(value) >= _LARGEST for value in found.values()):
        return False
    counts = [found.get(name) for name in _COUNTS]
    return counts == [None] * len(counts) or all(map(is_number, counts))


def baselines_of(truths: Iterable[tuple[Case, Graph]], diagnostics: Rows) -> Found:
    """Return scores of the empty, the complete and random graphs against each truth.

    Parameters
    ----------
    truths
        Data sets with their true graphs.
    diagnostics
        One row per data set, with the mean of random graphs as ``control_<metric>``.

    Returns
    -------
    dict
        By data set (labels of graph, parameters and data, and the seed) and metric: the value of
        each baseline by its name.
    """
    found: Found = {}
    for case, truth in truths:
        about = (case.graph_label, case.parameters_label, case.data_label, case.seed)
        found[about] = trivial_baselines(truth)
    for row in diagnostics:
        known = found.get(case_of(row), {})
        for metric, values in known.items():
            if is_number(row.get(_CONTROL + metric)):
                values[RANDOM] = float(row[_CONTROL + metric])
    return found
