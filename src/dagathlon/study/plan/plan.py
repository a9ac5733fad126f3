"""From a study to its tasks: plain data that can be printed, counted and compared."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, cast

from dagathlon.errors import StudyError
from dagathlon.evaluate.steps import McmcEstimator
from dagathlon.learners.base import Learner
from dagathlon.modules.lineage import lineage, raised
from dagathlon.simulate.noise import Noise, ObservedTruth
from dagathlon.study.grammar.config import Config, DataEntry, Part, Setup
from dagathlon.study.grammar.expand import ModuleEntry, Setting
from dagathlon.study.grammar.library import FixedFile
from dagathlon.study.plan.compatible import check_case, facts_of_case
from dagathlon.study.plan.inputs import Inputs
from dagathlon.study.plan.labels import label_of
from dagathlon.study.plan.scoring import HeldOutCall, MetricCalls, Scoring, call_of, fresh_seed
from dagathlon.study.plan.task import Call, Limits, Task, TaskKind, plain_key, stream_key, task_key


class Case(NamedTuple):
    """One data set: where its parts stand in the plan and what tables call them."""

    graph: int | None
    data: int
    seed: int
    graph_label: str
    parameters_label: str
    data_label: str
    noise: str = "N"


class Omission(NamedTuple):
    """A noise experiment that has no meaning for its data, and why; it is no failure."""

    where: str
    data_label: str
    noise: str
    reason: str


class Run(NamedTuple):
    """One row of the results: an algorithm's setting on one data set."""

    setup: int
    case: int
    entry: str
    setting: int
    learn: int
    estimate: int
    score: int | None
    held_out: int | None = None


@dataclass
class Plan:
    """All tasks of a study, each once, inputs before those who read them.

    Parameters
    ----------
    tasks
        The tasks; equal keys are one task, whatever setup or id asks for it.
    cases
        The data sets.
    runs
        The rows of the results, pointing into `tasks` and `cases`.
    limits
        Limits of the learning tasks, by position.
    omissions
        Experiments that are not applicable, with the reason.
    diagnostics
        Positions of the tasks that look at whole data sets, by number of the case.
    """

    tasks: list[Task] = field(default_factory=list)
    cases: list[Case] = field(default_factory=list)
    runs: list[Run] = field(default_factory=list)
    limits: dict[int, Limits] = field(default_factory=dict)
    omissions: list[Omission] = field(default_factory=list)
    diagnostics: dict[int, int] = field(default_factory=dict)

    def counts(self) -> dict[TaskKind, int]:
        """Number of tasks of each kind, in the order of the pipeline."""
        found = Counter(task.call.kind for task in self.tasks)
        return {kind: found[kind] for kind in TaskKind if found[kind]}

    def inputs_of(self, runs: Iterable[Run]) -> set[int]:
        """Positions of the learning tasks that the learners of these runs read from."""
        found: set[int] = set()
        waiting = [run.learn for run in runs]
        while waiting:
            for position in self.tasks[waiting.pop()].inputs:
                kind = self.tasks[position].call.kind
                if kind in (TaskKind.LEARN, TaskKind.ESTIMATE) and position not in found:
                    waiting.append(position)
                    if kind is TaskKind.LEARN:
                        found.add(position)
        return found


def make_plan(
    config: Config, time_limit: float | None = None, memory_limit: int | None = None
) -> Plan:
    """Plan a study.

    Parameters
    ----------
    config
        The study.
    time_limit, memory_limit
        Limits of every learning task whose object and setup have none of their own.
    """
    planner = _Planner(config, Limits(time_limit, memory_limit))
    try:
        for number, setup in enumerate(config.setups):
            planner.add_setup(number, setup)
    except StudyError as error:
        raise StudyError(f"{config.path}: {error}") from None
    if not planner.plan.cases:
        place = config.setups[0].where
        raise StudyError(
            f"{config.path}: {place}.data: there is no data set; look at seed_range and empty lists"
        )
    return planner.plan


class _Planner:
    """Collects tasks; every part of the study that repeats is made once."""

    def __init__(self, config: Config, limits: Limits) -> None:
        self.plan = Plan()
        self.algorithms = config.algorithms
        self.inputs = Inputs(config)
        self.limits = limits
        self._position: dict[bytes, int] = {}
        self._calls: dict[int, Call] = {}
        self._truth = call_of(TaskKind.TRUTH, ObservedTruth())

    def add_setup(self, number: int, setup: Setup) -> None:
        names, metrics = setup.algorithm_ids(), MetricCalls.of(setup)
        for entry in setup.data:
            for parts in _combinations(entry):
                for noise in self._applicable(entry, parts, names):
                    for case in self._cases(entry, parts, noise):
                        self._diagnose(case, metrics)
                        scoring = Scoring(metrics, self._held_out(case, parts, metrics))
                        self._add_runs(number, setup, case, scoring)

    def _applicable(self, entry: DataEntry, parts: _Parts, names: Sequence[str]) -> Iterator[Noise]:
        """The noise experiments that can be done; algorithms that cannot take part are refused."""
        facts = facts_of_case(*parts, entry.where)
        for noise in entry.noises:
            reason = noise.not_applicable(facts)
            if reason:
                omission = Omission(entry.where, label_of(parts.data), noise.code, reason)
                self.plan.omissions.append(omission)
                continue
            for name in names:
                check_case(self.inputs.chain(name), noise.facts(facts), entry.where)
            yield noise

    def add(self, call: Call, seed: int, inputs: tuple[int, ...] = ()) -> int:
        """Position of the task, added if it is new."""
        tasks = self.plan.tasks
        key = task_key(call, seed, [tasks[i].key for i in inputs])
        position = self._position.get(key)
        if position is None:
            position = self._position[key] = len(tasks)
            plain = plain_key(call, seed, [tasks[i].plain_key for i in inputs])
            stream = self._stream(call, seed, inputs)
            tasks.append(Task(key, call, seed, inputs, stream, b"" if plain == key else plain))
        return position

    def _stream(self, call: Call, seed: int, inputs: tuple[int, ...]) -> bytes:
        """Data of different size are one sample, and noise does to all of them the same."""
        if call.kind not in (TaskKind.DATA, TaskKind.NOISE):
            return b""
        return stream_key(call, seed, [self.plan.tasks[i].random_key for i in inputs])

    def _call(self, part: object, make: Callable[[], Call]) -> Call:
        """The call of a setting or source, hashed once; parts live as long as the study."""
        call = self._calls.get(id(part))
        if call is None:
            call = self._calls[id(part)] = make()
        return call

    def _fixed(self, kind: TaskKind, source: FixedFile) -> int:
        def make() -> Call:
            values = {"sha256": source.digest}
            return Call.of(kind, f"fixed_{kind}", 1, values, source.location)

        return self.add(self._call(source, make), 0)

    def _drawn(self, kind: TaskKind, part: Part, seed: int, inputs: tuple[int, ...]) -> int:
        if isinstance(part, FixedFile):
            return self._fixed(kind, part)
        module = part.module

        def make() -> Call:
            return call_of(kind, module)

        return self.add(self._call(part, make), seed, inputs)

    def _cases(self, entry: DataEntry, parts: _Parts, noise: Noise) -> Iterator[int]:
        graph_label, parameters_label, data_label = (label_of(part) for part in parts)
        if noise.rates:
            data_label += f"/noise={noise.code}"
        labels = (graph_label, parameters_label, data_label, noise.code)
        for seed in entry.seeds:
            graph = None
            if parts.graph is not None:
                graph = self._drawn(TaskKind.GRAPH, parts.graph, seed, ())
            inputs: tuple[int, ...] = ()
            if parts.parameters is not None:
                on_graph = () if graph is None else (graph,)
                inputs = (self._drawn(TaskKind.PARAMETERS, parts.parameters, seed, on_graph),)
            data = self._drawn(TaskKind.DATA, parts.data, seed, inputs)
            if noise.rates:
                call = self._call(noise, lambda: call_of(TaskKind.NOISE, noise))
                data = self.add(call, seed, (data,))
            if noise.latent and graph is not None:
                graph = self.add(self._truth, 0, (graph, data))
            self.plan.cases.append(Case(graph, data, seed, *labels))
            yield len(self.plan.cases) - 1

    def _diagnose(self, case: int, metrics: MetricCalls) -> None:
        found = self.plan.cases[case]
        if metrics.diagnostics is not None and found.graph is not None:
            position = self.add(metrics.diagnostics, 0, (found.graph, found.data))
            self.plan.diagnostics[case] = position

    def _held_out(self, case: int, parts: _Parts, metrics: MetricCalls) -> HeldOutCall | None:
        """What a run's estimate is tried on, besides the estimate itself."""
        if not metrics.held_out:
            return None
        found = self.plan.cases[case]
        if isinstance(parts.data, FixedFile):
            return HeldOutCall(metrics.cross_validated, (found.data,))
        drawn = self.plan.tasks[found.data]
        if drawn.call.kind is TaskKind.NOISE:
            drawn = self.plan.tasks[drawn.inputs[0]]
        fresh = self._drawn(TaskKind.DATA, parts.data, fresh_seed(found.seed), drawn.inputs)
        inputs = (*drawn.inputs, found.data, fresh)
        return HeldOutCall(metrics.on_fresh_data(parts.data.module), inputs)

    def _add_runs(self, number: int, setup: Setup, case: int, scoring: Scoring) -> None:
        graph = self.plan.cases[case].graph
        for name in setup.algorithm_ids():
            entry = self.algorithms[name]
            for i, setting in enumerate(entry.settings):
                learn = self._learn(entry, setting, case, setup)
                estimate = self._estimate(setting, learn)
                score, held_out = None, None
                if graph is not None:
                    score = self.add(scoring.metrics.score, 0, (graph, estimate))
                if scoring.held_out is not None:
                    call, inputs = scoring.held_out
                    held_out = self.add(call, 0, (*inputs, estimate))
                self.plan.runs.append(Run(number, case, name, i, learn, estimate, score, held_out))

    def _learn(self, entry: ModuleEntry, setting: Setting, case: int, setup: Setup) -> int:
        found = self.plan.cases[case]
        module = cast(Learner, setting.module)
        inputs: tuple[int, ...] = (found.data,)
        for other in self.inputs.of(setting):
            start = self._learn(other, other.settings[0], case, setup)
            inputs = (*inputs, self._estimate(other.settings[0], start))

        def make() -> Call:
            values = self.inputs.values(setting, entry.where)
            behind = raised(lineage(self.inputs.resolved(setting, values)))
            return Call.of(TaskKind.LEARN, module.name, module.version, values, raised=behind)

        position = self.add(self._call(setting, make), found.seed, inputs)
        self._limit(position, module, setup)
        return position

    def _limit(self, position: int, module: Learner, setup: Setup) -> None:
        own = getattr(module, "timeout", None) if module.timeout_is_limit else None
        time = next((t for t in (own, setup.time_limit, self.limits.time) if t is not None), None)
        memory = self.limits.memory if setup.memory_limit is None else setup.memory_limit
        if time is not None or memory is not None:
            self.plan.limits[position] = Limits(time, memory)

    def _estimate(self, setting: Setting, learn: int) -> int:
        """A chain becomes a graph by an estimator; other learners' graphs are there already."""
        module = cast(Learner, setting.module)
        if not module.samples:
            return learn
        values = {name: getattr(module, name) for name in module.ESTIMATOR_FIELDS}
        call = Call.of(TaskKind.ESTIMATE, McmcEstimator.name, McmcEstimator.version, values)
        return self.add(call, 0, (learn,))


class _Parts(NamedTuple):
    graph: Part | None
    parameters: Part | None
    data: Part


def _combinations(entry: DataEntry) -> Iterator[_Parts]:
    for graph in entry.graphs or (None,):
        for parameters in entry.parameters or (None,):
            for data in entry.data:
                yield _Parts(graph, parameters, data)
