"""The plan of a study: plain data that can be printed, counted and compared."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import NamedTuple

from dagathlon.data.spec import DataFacts
from dagathlon.study.plan.task import Limits, Resources, Task, TaskKind


class Origin(NamedTuple):
    """Origin of data sets of one kind: setup, data entry, combination of parts.

    Parameters
    ----------
    setup
        Number of the setup.
    where
        Place of the data entry in the study.
    graph_id, parameters_id, data_id
        As the entry has them.
    number, combinations
        Number of its combination of graph, parameters and data settings, and how many there are.
    seeds
        First and last seed.
    fixed_truth
        Whether the true graph is a file, the same for all seeds.
    several
        Whether the entry tries several transforms.
    scores
        Names of the further scores of its runs.
    """

    setup: int
    where: str
    graph_id: str | None
    parameters_id: str | None
    data_id: str
    number: int
    combinations: int
    seeds: tuple[int, int]
    fixed_truth: bool
    several: bool
    scores: tuple[str, ...] = ()


class Case(NamedTuple):
    """One data set: positions of its parts in the plan, and their labels.

    Parameters
    ----------
    graph, data
        Positions of the true graph, if there is one, and of the data.
    seed
        The replicate.
    graph_label, parameters_label, data_label
        The names in tables; that of the data ends with the transforms of the data entry.
    noise
        Code of the noise experiment.
    steps
        Label of the other transforms of the data entry.
    transform
        Label of the transforms that only an evaluation asked for; empty for the study's own data.
    origin
        Place in the plan's origins.
    """

    graph: int | None
    data: int
    seed: int
    graph_label: str
    parameters_label: str
    data_label: str
    noise: str = "N"
    steps: str = ""
    transform: str = ""
    origin: int = 0


ALGORITHM = "algorithm"
"""Prefix of omissions that are algorithms, whose runs are skipped."""


class Omission(NamedTuple):
    """A transform, metric or algorithm that does not suit its data, with the reason."""

    where: str
    data_label: str
    transform: str
    reason: str


class Run(NamedTuple):
    """One row of the results: a setting on one data set.

    Parameters
    ----------
    setup, case
        Numbers of the setup and of the data set.
    entry, setting
        Id of the algorithm and number of its setting.
    learn, estimate, score
        Positions of the tasks: the learner's result, the graph, its metrics.
    scores
        Positions of further scores; the origin of the data set has their names.
    """

    setup: int
    case: int
    entry: str
    setting: int
    learn: int
    estimate: int
    score: int | None
    scores: tuple[int, ...] = ()


@dataclass
class Plan:
    """All tasks of a study without repetition, inputs before dependents.

    Parameters
    ----------
    tasks
        The tasks; equal keys are one task, whatever setup or id asks for it.
    cases
        The data sets.
    runs
        The rows of the results, pointing into `tasks` and `cases`.
    further
        Runs on transformed data that evaluations asked for.
    limits
        Limits of the learning tasks, by position.
    resources
        Cores and cards of the learning tasks that have more than one core, by position.
    omissions
        Transforms, metrics and algorithms that do not suit their data, with the reason.
    warnings
        Sentences on parts of the study without effect, such as constraints on no column.
    data_scores
        Positions of the tasks that look at whole data sets, by name and number of the case.
    origins
        Where data sets come from.
    facts
        Facts of the data of each origin.
    further_scores
        Names of the further scores of `further`, by origin and label of the transforms.
    """

    tasks: list[Task] = field(default_factory=list)
    cases: list[Case] = field(default_factory=list)
    runs: list[Run] = field(default_factory=list)
    further: list[Run] = field(default_factory=list)
    limits: dict[int, Limits] = field(default_factory=dict)
    resources: dict[int, Resources] = field(default_factory=dict)
    omissions: list[Omission] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    data_scores: dict[str, dict[int, int]] = field(default_factory=dict)
    origins: list[Origin] = field(default_factory=list)
    facts: list[DataFacts] = field(default_factory=list)
    further_scores: dict[tuple[int, str], tuple[str, ...]] = field(default_factory=dict)

    def counts(self) -> dict[TaskKind, int]:
        """Return the number of tasks of each kind, in pipeline order."""
        counts = Counter(task.call.kind for task in self.tasks)
        return {kind: counts[kind] for kind in TaskKind if counts[kind]}

    def inputs_of(self, runs: Iterable[Run]) -> set[int]:
        """Return positions of the learning tasks that these runs' learners read from."""
        inputs: set[int] = set()
        waiting = [run.learn for run in runs]
        while waiting:
            for position in self.tasks[waiting.pop()].inputs:
                kind = self.tasks[position].call.kind
                if kind in (TaskKind.LEARN, TaskKind.ESTIMATE) and position not in inputs:
                    waiting.append(position)
                    if kind is TaskKind.LEARN:
                        inputs.add(position)
        return inputs
