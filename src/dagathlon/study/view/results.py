"""The result tables of a study, read from the store."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, TypeAlias

from dagathlon.evaluate.metric import columns
from dagathlon.learners.base import Estimate
from dagathlon.study.grammar.config import Config
from dagathlon.study.grammar.expand import ModuleEntry
from dagathlon.study.plan.plan import Case, Plan, Run
from dagathlon.study.plan.task import Outcome, Status
from dagathlon.study.store.store import Store

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


def run_rows(config: Config, plan: Plan, store: Store, runs: Sequence[Run]) -> RunRows:
    """The tables of some runs.

    Parameters
    ----------
    config, plan, store
        The study, its tasks, and where their results are.
    runs
        The runs, of the study itself or further ones.
    """
    table = _Table(plan, store, runs)
    joint = [table.row(run, config.algorithms[run.entry]) for run in runs]
    return RunRows(joint, [table.further(run) for run in runs])


def case_rows(plan: Plan, store: Store, setup: int, name: str) -> list[Row]:
    """A score of the data sets of a setup: one row each, none where nothing was asked.

    Parameters
    ----------
    plan, store
        The tasks of the study, and where their results are.
    setup
        Number of the setup.
    name
        The name that evaluations ask for the score by.
    """
    cases = dict.fromkeys(run.case for run in plan.runs if run.setup == setup)
    scored = plan.data_scores.get(name, {})
    asked = {case: plan.tasks[i].key for case, i in scored.items() if case in cases}
    found = dict(store.load_many(set(asked.values())))
    rows = []
    for case in cases:
        metrics = found.get(asked.get(case, b""))
        if metrics is not None:
            rows.append(_labels(plan.cases[case]) | {"seed": plan.cases[case].seed} | metrics)
    return rows


class _Table:
    """Looks up everything the rows need, in bulk."""

    def __init__(self, plan: Plan, store: Store, runs: Sequence[Run]) -> None:
        self._plan = plan
        tasks = plan.tasks
        wanted = {tasks[i].key for run in runs for i in (run.learn, run.estimate, run.score) if i}
        self._outcomes = store.outcomes(wanted)
        scores = {tasks[i].key for run in runs for i in (run.score, *run.scores) if i is not None}
        self._scores: Mapping[bytes, Any] = dict(store.load_many(scores))
        learned = {tasks[run.learn].key for run in runs}
        # The graphs themselves would fill the memory.
        self._stats: Mapping[bytes, Mapping[str, Any]] = {
            key: found.stats
            for key, found in store.load_many(learned)
            if isinstance(found, Estimate)
        }

    def row(self, run: Run, entry: ModuleEntry) -> Row:
        case = self._plan.cases[run.case]
        learner = entry.settings[run.setting].module
        outcome = self._outcome(run)
        stats = self._stats.get(self._key(run.learn), {})
        metrics = {} if run.score is None else self._scores.get(self._key(run.score), {})
        row: Row = {name: metrics.get(name) for name in columns("benchpress")}
        row |= {"seed": case.seed, "algorithm": learner.name}
        row |= _labels(case)
        row["time"] = outcome.wall if outcome.status is Status.OK else None
        row["ntests"] = stats.get("ntests")
        row["id"] = entry.id
        row |= entry.settings[run.setting].values
        row["curve_param"] = entry.curve_parameter
        row["curve_value"] = entry.settings[run.setting].values.get(entry.curve_parameter)
        row["status"] = outcome.status.value
        row["reason"] = outcome.reason or None
        row["implementation"] = learner.implementation
        row["cpu"] = outcome.cpu if outcome.status is Status.OK else None
        row["memory"] = outcome.memory if outcome.status is Status.OK else None
        row |= {name: metrics[name] for name in columns("beside") if name in metrics}
        row |= {name: stats[name] for name in TRUST if name in stats}
        return row

    def further(self, run: Run) -> Row:
        row: Row = {}
        joint = columns("benchpress", "beside")
        for position in (run.score, *run.scores):
            metrics = {} if position is None else self._scores.get(self._key(position), {})
            row |= {k: v for k, v in metrics.items() if k not in joint}
        return row

    def _key(self, position: int) -> bytes:
        return self._plan.tasks[position].key

    def _outcome(self, run: Run) -> Outcome:
        """How the run ended: the learner's outcome, or that of the first later step that failed."""
        learned = self._find(run.learn)
        if learned.status is not Status.OK:
            return learned
        for position in (run.estimate, run.score):
            if position is not None and self._find(position).status is not Status.OK:
                return self._find(position)
        return learned

    def _find(self, position: int) -> Outcome:
        missing = Outcome(Status.SKIPPED, "not run yet")
        return self._outcomes.get(self._key(position), missing)


def _labels(case: Case) -> Row:
    return {
        "adjmat": case.graph_label,
        "parameters": case.parameters_label,
        "data": case.data_label,
    }


# What a learner says of how far its result is to be trusted: convergence of a chain, a certificate.
TRUST = ("rhat_score", "ess_score", "rhat_size", "ess_size", "bound", "gap", "proven")
