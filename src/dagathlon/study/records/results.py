"""The result tables of a study, read from the store."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from functools import cached_property
from typing import Any, NamedTuple, TypeAlias, cast

from dagathlon.evaluate.metric import columns
from dagathlon.learners.base import Estimate
from dagathlon.study.plan.plan import Case, Run
from dagathlon.study.plan.task import Outcome, Status
from dagathlon.study.records.schema import SavedStudy
from dagathlon.study.store.store import Store

Row: TypeAlias = dict[str, Any]
_Said: TypeAlias = tuple[Mapping[str, Any], Sequence[str]]

MEASURED = ("time", "cpu", "memory")
"""What the names of columns begin with whose values are measured: they differ between any two runs
of a study, as all of a table does whose name begins with ``run_time``."""
NOTES = "notes"
"""The column of what learners say of their results; it is there where one has said something."""
TIME_NOTE = "time_note"
"""Why times are not those of a run alone: learned together with others, or counted for others."""
_MISSING = Outcome(Status.SKIPPED, "not run yet")


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
        self._said: dict[bytes, _Said] = {}

    @cached_property
    def outcomes(self) -> Mapping[bytes, Outcome]:
        """How the steps of all runs ended, by key."""
        runs = (*self._plan.runs, *self._plan.further)
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
        return self.rows_of(self.runs)

    def rows_of(self, runs: Sequence[Run]) -> RunRows:
        """The tables of some runs, of the study itself or further ones."""
        scored = {i for run in runs for i in (run.score, *run.scores)} - {None}
        scores: Mapping[bytes, Any] = dict(self._store.load_many(map(self._key, scored)))
        said = self._said_by({self._key(run.learn) for run in runs})
        nothing: _Said = ({}, ())
        joint = [self._row(run, *said.get(self._key(run.learn), nothing), scores) for run in runs]
        return RunRows(joint, [self._further(run, scores) for run in runs])

    def _said_by(self, keys: Collection[bytes]) -> dict[bytes, _Said]:
        """What learners said beside their graphs and posteriors, which would fill the memory.

        It is kept, since evaluations ask for the same runs and long posteriors are slow to read.
        """
        unread = [key for key in keys if key not in self._said]
        for key, found in self._store.load_many(unread):
            if isinstance(found, Estimate):
                self._said[key] = (found.stats, found.notes)
        return self._said

    def scores(self, name: str, runs: Sequence[Run]) -> list[Any]:
        """A further score by name: one value per run, None where there is none."""
        positions = [self._score(name, run) for run in runs]
        keys = {self._key(i) for i in positions if i is not None}
        found = dict(self._store.load_many(keys))
        return [None if i is None else found.get(self._key(i)) for i in positions]

    def _score(self, name: str, run: Run) -> int | None:
        case = self._plan.cases[run.case]
        names = self._plan.origins[case.origin].scores
        if case.transform:
            names = self._plan.further_scores.get((case.origin, case.transform), ())
        return dict(zip(names, run.scores, strict=False)).get(name)

    def data_rows(self, name: str) -> list[Row]:
        """A score of data sets by name: one row each, none where nothing was asked."""
        cases = dict.fromkeys(run.case for run in self._plan.runs)
        scored = self._plan.data_scores.get(name, {})
        asked = {case: self._key(i) for case, i in scored.items() if case in cases}
        found = dict(self._store.load_many(set(asked.values())))
        rows = []
        for case in cases:
            metrics = found.get(asked.get(case, b""))
            if metrics is not None:
                about = self._plan.cases[case]
                rows.append(_labels(about) | {"seed": about.seed} | metrics)
        return rows

    def _row(
        self,
        run: Run,
        stats: Mapping[str, Any],
        notes: Sequence[str],
        scores: Mapping[bytes, Any],
    ) -> Row:
        case = self._plan.cases[run.case]
        algorithm = self._study.algorithms[run.entry]
        values = algorithm.settings[run.setting].values
        outcome = self._ended.get(run) or self.outcome(run) or _MISSING
        metrics = {} if run.score is None else scores.get(self._key(run.score), {})
        row: Row = {name: metrics.get(name) for name in columns("benchpress")}
        row |= {"seed": case.seed, "algorithm": algorithm.module.name}
        row |= _labels(case)
        row["time"] = outcome.wall if outcome.status is Status.OK else None
        row["ntests"] = stats.get("ntests")
        row["id"] = algorithm.id
        row |= values
        row["curve_param"] = algorithm.curve_parameter
        value = values.get(algorithm.curve_parameter)
        row["curve_value"] = "+".join(map(str, value)) if isinstance(value, list) else value
        row["status"] = outcome.status.value
        row["reason"] = outcome.reason or None
        row["implementation"] = algorithm.module.implementation
        row["cpu"] = outcome.cpu if outcome.status is Status.OK else None
        row["memory"] = outcome.memory if outcome.status is Status.OK else None
        row |= {name: metrics[name] for name in columns("beside") if name in metrics}
        row |= {name: stats[name] for name in (*TRUST, *WHERE) if name in stats}
        if notes:
            row[NOTES] = " ".join(notes)
        if outcome.status is Status.OK and outcome.detail:
            row[TIME_NOTE] = outcome.detail
        return row

    def _further(self, run: Run, scores: Mapping[bytes, Any]) -> Row:
        row: Row = {}
        joint = columns("benchpress", "beside")
        for position in (run.score, *run.scores):
            metrics = {} if position is None else scores.get(self._key(position), {})
            # Lists and objects are for the evaluation that asked, and no cells of a table.
            plain = {k: v for k, v in metrics.items() if not isinstance(v, list | dict)}
            row |= {
                k: v for k, v in plain.items() if k not in joint and (v is not None or k not in row)
            }
        return row

    def _key(self, position: int | None) -> bytes:
        return self._plan.keys[cast(int, position)]


def _labels(case: Case) -> Row:
    return {
        "adjmat": case.graph_label,
        "parameters": case.parameters_label,
        "data": case.data_label,
    }


# What it was computed on, of learners that can use a graphics card.
WHERE = ("device", "precision")
# What a learner says of how far its result is to be trusted: convergence of a chain, a certificate.
TRUST = ("rhat_score", "ess_score", "rhat_size", "ess_size", "bound", "gap", "proven")
