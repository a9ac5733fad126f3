"""The result tables of a study, read from the store."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import Any, NamedTuple, TypeAlias, cast

from dagathlon.learners.base import Estimate
from dagathlon.study.plan.plan import Case, Run
from dagathlon.study.plan.task import Outcome, Status
from dagathlon.study.store.store import Store
from dagathlon.study.view.saved import SavedStudy

Row: TypeAlias = dict[str, Any]

# Columns whose values are measured, so that they differ from one run of a study to the next.
MEASURED = ("time", "cpu", "memory")


class RunRows(NamedTuple):
    """What is known of the runs of a setup, one row per run in each table.

    Parameters
    ----------
    joint
        Benchpress's joint table.
    further
        The metrics that the joint table does not have.
    """

    joint: list[Row]
    further: list[Row]


class RunResults:
    """The results of a setup as far as they are there, looked up in bulk.

    Parameters
    ----------
    study
        What the run saved.
    store
        Where the results are.
    """

    def __init__(self, study: SavedStudy, store: Store) -> None:
        self._study, self._plan, self._store = study, study.plan, store

    @cached_property
    def outcomes(self) -> Mapping[bytes, Outcome]:
        """How the steps of all runs ended, by key."""
        runs = self._plan.runs
        steps = {i for run in runs for i in (run.learn, run.estimate, run.score)} - {None}
        return self._store.outcomes(map(self._key, steps))

    @cached_property
    def runs(self) -> list[Run]:
        """The runs whose results are in, in the order of the plan."""
        return list(self._ended)

    @cached_property
    def _ended(self) -> dict[Run, Outcome]:
        outcomes = ((run, self.outcome(run)) for run in self._plan.runs)
        return {run: outcome for run, outcome in outcomes if outcome is not None}

    def outcome(self, run: Run) -> Outcome | None:
        """How a run ended: the learner's outcome, or that of the first later step that failed.

        None when it has not ended, or when its results are not there any more.
        """
        ended = None
        for position in (run.learn, run.estimate, run.score):
            step = None if position is None else self.outcomes.get(self._key(position))
            if position is not None and (step is None or step.status is not Status.OK):
                return step
            ended = ended or step
        return ended

    @cached_property
    def rows(self) -> RunRows:
        """The tables of the runs that are in."""
        scored = {i for run in self.runs for i in (run.score, run.held_out)} - {None}
        scores: Mapping[bytes, Any] = dict(self._store.load_many(map(self._key, scored)))
        learned = {run.learn for run in self.runs}
        # The graphs themselves would fill the memory.
        stats = {
            key: found.stats
            for key, found in self._store.load_many(map(self._key, learned))
            if isinstance(found, Estimate)
        }
        joint = [self._row(run, stats.get(self._key(run.learn), {}), scores) for run in self.runs]
        return RunRows(joint, [self._further(run, scores) for run in self.runs])

    @cached_property
    def case_rows(self) -> list[Row]:
        """Diagnostics of the data sets: one row each, none where nothing was asked."""
        cases = dict.fromkeys(run.case for run in self._plan.runs)
        asked = {case: self._key(i) for case, i in self._plan.diagnostics.items() if case in cases}
        found = dict(self._store.load_many(set(asked.values())))
        rows = []
        for case in cases:
            metrics = found.get(asked.get(case, b""))
            if metrics is not None:
                about = self._plan.cases[case]
                rows.append(_labels(about) | {"seed": about.seed} | metrics)
        return rows

    def _row(self, run: Run, stats: Mapping[str, Any], scores: Mapping[bytes, Any]) -> Row:
        case = self._plan.cases[run.case]
        algorithm = self._study.algorithms[run.entry]
        values = algorithm.settings[run.setting].values
        outcome = self._ended[run]
        metrics = {} if run.score is None else scores.get(self._key(run.score), {})
        row: Row = {name: metrics.get(name) for name in METRIC_COLUMNS}
        row |= {"seed": case.seed, "algorithm": algorithm.module.name}
        row |= _labels(case)
        row["time"] = outcome.wall if outcome.status is Status.OK else None
        row["ntests"] = stats.get("ntests")
        row["id"] = algorithm.id
        row |= values
        row["curve_param"] = algorithm.curve_parameter
        row["curve_value"] = values.get(algorithm.curve_parameter)
        row["status"] = outcome.status.value
        row["reason"] = outcome.reason or None
        row["implementation"] = algorithm.module.implementation
        row["cpu"] = outcome.cpu if outcome.status is Status.OK else None
        row["memory"] = outcome.memory if outcome.status is Status.OK else None
        row |= {name: metrics[name] for name in BESIDE if name in metrics}
        row |= {name: stats[name] for name in TRUST if name in stats}
        return row

    def _further(self, run: Run, scores: Mapping[bytes, Any]) -> Row:
        row: Row = {}
        for position in (run.score, run.held_out):
            metrics = {} if position is None else scores.get(self._key(position), {})
            row |= {k: v for k, v in metrics.items() if k not in _IN_JOINT_TABLE}
        return row

    def _key(self, position: int | None) -> bytes:
        return self._plan.keys[cast(int, position)]


def _labels(case: Case) -> Row:
    return {
        "adjmat": case.graph_label,
        "parameters": case.parameters_label,
        "data": case.data_label,
    }


# What a learner says of how far its result is to be trusted: convergence of a chain, a certificate.
TRUST = ("rhat_score", "ess_score", "rhat_size", "ess_size", "bound", "gap", "proven")

METRIC_COLUMNS = (
    "TP_pattern",
    "FP_pattern",
    "FN_pattern",
    "TPR_pattern",
    "FPR_pattern",
    "FPRn_pattern",
    "SHD_pattern",
    "SHD_cpdag",
    "FPR_skel",
    "FNR_skel",
    "TP_skel",
    "FN_skel",
    "FP_skel",
    "TN_skel",
    "n_nodes",
    "true_n_edges_skel",
    "true_n_non_edges_skel",
    "graph_type",
)

# Of the metrics that Benchpress does not have, those that stand at the end of the joint table.
BESIDE = (
    "F1_skel",
    "F1_pattern",
    "FPR_pattern_corrected",
    "SHD",
    "bayesys_precision",
    "bayesys_recall",
    "bayesys_f1",
    "bayesys_shd",
    "ddm",
    "bsf",
    "n_nodes_left_out",
)
_IN_JOINT_TABLE = frozenset({*METRIC_COLUMNS, *BESIDE})
