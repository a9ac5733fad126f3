"""Planning of a study's tasks."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from math import prod
from typing import NamedTuple, cast

from dagathlon.data.spec import DataFacts
from dagathlon.errors import Mistakes, StudyError, suggestion, unknown
from dagathlon.evaluate.models.learner_prior import LearnerPriorScore
from dagathlon.evaluate.steps import McmcEstimator, StandardMetrics
from dagathlon.learners.base import Learner
from dagathlon.modules.lineage import lineage, raised
from dagathlon.simulate.noise import Noise
from dagathlon.study.config.expand import ModuleEntry, Setting
from dagathlon.study.config.library import FixedFile, plain_id
from dagathlon.study.config.plan_requests import Agreed, Cases, Learning, transform_label
from dagathlon.study.config.resources import resources_of, says_threads
from dagathlon.study.config.restriction import ONLY_ON
from dagathlon.study.config.study_file import Config, DataEntry, Part, Setup, Steps
from dagathlon.study.plan.collector import Collector
from dagathlon.study.plan.compatible import (
    Names,
    Unsuited,
    check_order,
    facts_of_case,
    known_names,
    with_columns,
)
from dagathlon.study.plan.imputing import Pooling
from dagathlon.study.plan.inputs import Inputs
from dagathlon.study.plan.plan import ALGORITHM, Case, Omission, Origin, Plan, Run
from dagathlon.study.plan.scoring import (
    STANDARD,
    Place,
    ScoreCall,
    beside,
    fresh_seed,
    of_run,
    started_seed,
    wanted_of,
    without_value,
)
from dagathlon.study.plan.task import Call, Limits, Resources, TaskKind

_LAST = "standardized"

_ORDINARY = Resources()


def make_plan(
    config: Config,
    time_limit: float | None = None,
    memory_limit: int | None = None,
    cpu_limit: float | None = None,
) -> Plan:
    """Plan a study.

    Parameters
    ----------
    config
        The study.
    time_limit, memory_limit, cpu_limit
        Limits of every learning task whose object has none of its own; they replace those of
        the setups.
    """
    planner = _Planner(config, Limits(time_limit, memory_limit, cpu_limit))
    try:
        for number, setup in enumerate(config.setups):
            planner.add_setup(number, setup)
        planner.finish(config.setups[0].where)
    except StudyError as error:
        raise error.inside(config.path) from None
    return planner.plan


class _Parts(NamedTuple):
    graph: Part | None
    parameters: Part | None
    data: Part


class _Kind(NamedTuple):
    """Data sets that differ in their seed alone, while being planned."""

    setup: Setup
    entry: DataEntry
    parts: _Parts
    steps: Steps
    cases: Cases
    agreed: Agreed
    scores: Sequence[ScoreCall]
    origin: int


class _Planner:
    """Plans a study, setup by setup."""

    def __init__(self, config: Config, limits: Limits) -> None:
        self.plan = Plan()
        self.algorithms = config.algorithms
        self.setups = config.setups
        self.inputs = Inputs(config)
        self.limits = limits
        self.collect = Collector(self.plan.tasks)
        self.pooling = Pooling(self.collect)
        self.mistakes = Mistakes()
        self.unsuited = Unsuited(self.inputs)
        self._by_learner_calls: dict[
            tuple[LearnerPriorScore | StandardMetrics, str, int], Call
        ] = {}

    def add_setup(self, number: int, setup: Setup) -> None:
        for entry in setup.data:
            combinations = list(_combinations(entry))
            for place, parts in enumerate(combinations, 1):
                self.mistakes.read(self._add_parts, number, setup, entry, parts, place)

    def _add_parts(
        self, number: int, setup: Setup, entry: DataEntry, parts: _Parts, place: int
    ) -> None:
        for kind in self._kinds(number, setup, entry, parts, place):
            self._add_kind(number, kind)

    def finish(self, where: str) -> None:
        """Raise for a study with mistakes, without data, or without a suitable algorithm."""
        self._check_restrictions()
        self.mistakes.refuse()
        if not self.plan.cases:
            raise StudyError(
                f"{where}.data: there is no data set; look at seed_range and empty lists"
            )
        self.unsuited.refuse_if_nothing_suits()
        self.plan.omissions += self.unsuited.omissions
        self.plan.warnings += self.unsuited.warnings()

    def _kinds(
        self, number: int, setup: Setup, entry: DataEntry, parts: _Parts, place: int
    ) -> Iterator[_Kind]:
        """Yield the kinds of data that transforms make of one combination of parts."""
        labels = [label_of(part) for part in parts]
        before = facts_of_case(*parts, entry.where)
        check_order(entry.steps, parts, entry.where)
        for steps in entry.steps:
            facts = self._transformed(steps, before, entry.where, labels[2])
            if facts is None:
                continue
            transform = transform_label(steps)
            cases = Cases(
                labels[0],
                labels[1],
                f"{labels[2]}/{transform}" if transform else labels[2],
                entry.seeds,
                facts,
                parts.graph is not None,
                None if isinstance(parts.data, FixedFile) else parts.data.module,
                tuple(step for step in steps if not step.does_nothing),
                tuple(setup.algorithm_ids()),
                plain_id(entry.graph_id),
                plain_id(entry.parameters_id),
            )
            cases = replace(cases, ids=self._allowed(setup.ids_on(cases), entry, cases.data))
            columns = partial(known_names, parts)
            self._look(cases.ids, facts, columns, entry.where, cases.data)
            for name, reason in without_value(cases):
                omission = Omission(entry.where, cases.data, f"metric {name}", reason)
                self.plan.omissions.append(omission)
            requested = wanted_of(setup, cases)
            scores = [ScoreCall.of(one) for one in requested.run_scores]
            names = tuple(one.name for one in scores if one.name != STANDARD)
            self.plan.origins.append(_origin(number, entry, parts, place)._replace(scores=names))
            self.plan.facts.append(with_columns(facts, parts.graph))
            origin = len(self.plan.origins) - 1
            yield _Kind(setup, entry, parts, steps, cases, requested, scores, origin)

    def _check_restrictions(self) -> None:
        """Raise for restrictions to graphs that are probably misspelt.

        Other graphs may be those of data entries that were taken out of a study.
        """
        graphs = [entry.graph_id for setup in self.setups for entry in setup.data if entry.graph_id]
        named = dict.fromkeys(name for setup in self.setups for name in setup.algorithm_ids())
        for name in named:
            for one in self.mistakes.read(self.inputs.chain, name) or ():
                for graph in one.only_on.absent(graphs) if one.only_on else ():
                    place = f"{one.where}.{ONLY_ON}.graphs"
                    if suggestion(graph, graphs):
                        self.mistakes.add(unknown("graph", graph, dict.fromkeys(graphs), place))

    def _allowed(self, ids: Sequence[str], entry: DataEntry, data: str) -> tuple[str, ...]:
        """Return the algorithms that `only_on` admits on such data; record why not the others."""
        if not any(one.only_on for one in self.algorithms.values()):
            return tuple(ids)
        allowed = []
        for name in ids:
            restrictions = [one.only_on for one in self.inputs.chain(name) if one.only_on]
            reason = next((o.because for o in restrictions if not o.allows(entry.graph_id)), None)
            if reason is None:
                allowed.append(name)
                continue
            self.plan.omissions.append(Omission(entry.where, data, f"{ALGORITHM} {name}", reason))
        return tuple(allowed)

    def _transformed(
        self, steps: Steps, facts: DataFacts, where: str, data_label: str
    ) -> DataFacts | None:
        """Return the facts after the transforms; None where one is not applicable."""
        for step in steps:
            reason = step.not_applicable(facts)
            if reason:
                name = step.code if isinstance(step, Noise) else step.label
                self.plan.omissions.append(Omission(where, data_label, name, reason))
                return None
            facts = step.facts(facts)
        return facts

    def _look(
        self,
        ids: Sequence[str],
        facts: DataFacts,
        names: Names,
        where: str,
        data: str,
        *,
        derived: bool = False,
    ) -> None:
        """Find algorithms that do not suit the data, whose runs will be skipped."""
        mistakes = Mistakes()
        for name in ids:
            chain = mistakes.read(self.inputs.chain, name)
            if chain:
                self.unsuited.look(chain, facts, names, where, data, derived=derived)
        mistakes.refuse()

    def _add_kind(self, number: int, kind: _Kind) -> None:
        wanted = (
            replace(one, ids=self._allowed(one.ids, kind.entry, kind.cases.data))
            for one in kind.agreed.learning
        )
        further = [one for one in wanted if self._possible(kind, one)]
        for seed in kind.entry.seeds:
            case, model = self._case(kind, seed)
            self.plan.cases.append(case)
            place = self._place(kind, case, model)
            numbered = len(self.plan.cases) - 1
            for wish in kind.agreed.data_scores:
                call = self.collect.module_call(TaskKind.SCORE, wish.module)
                position = self.collect.add(call, 0, place.inputs(wish.inputs))
                self.plan.data_scores.setdefault(wish.name, {})[numbered] = position
            self._add_runs(number, kind, numbered, place)
            for learning in further:
                self._add_further(number, kind, place._replace(fresh=None), numbered, learning)

    def _possible(self, kind: _Kind, learning: Learning) -> bool:
        """Whether the transforms that an evaluation asks for are applicable."""
        where, data = kind.entry.where, kind.cases.data
        facts = self._transformed(learning.steps, kind.cases.facts, where, data)
        if facts is not None:
            label = f"{data}, {learning.label}"
            self._look(learning.ids, facts, lambda: None, where, label, derived=True)
        return facts is not None

    def _case(self, kind: _Kind, seed: int) -> tuple[Case, int | None]:
        """Return a data set and the position of the model it is drawn from."""
        parts, labels = kind.parts, kind.cases
        graph = None
        if parts.graph is not None:
            graph = self.collect.drawn(TaskKind.GRAPH, parts.graph, seed, ())
        model: tuple[int, ...] = ()
        if parts.parameters is not None:
            on_graph = () if graph is None else (graph,)
            model = (self.collect.drawn(TaskKind.PARAMETERS, parts.parameters, seed, on_graph),)
        data = self.collect.drawn(TaskKind.DATA, parts.data, seed, model)
        graph = self.collect.observed(parts.data, graph, data)
        graph, data = self.collect.apply(kind.steps, graph, data, seed)
        self.pooling.note(kind.steps, data)
        noise = next((step.code for step in kind.steps[:1]), "N")
        case = Case(
            graph,
            data,
            seed,
            labels.graph,
            labels.parameters,
            labels.data,
            noise,
            transform_label(kind.steps[1:]),
            origin=kind.origin,
        )
        return case, next(iter(model), None)

    def _place(self, kind: _Kind, case: Case, model: int | None) -> Place:
        """Return positions of what scores on a data set are computed from."""
        wishes = [score.inputs for score in kind.agreed.run_scores]
        wishes += [score.inputs for score in kind.agreed.data_scores]
        fresh = None
        if any("test_data" in inputs for inputs in wishes):
            seed, given = fresh_seed(case.seed), () if model is None else (model,)
            fresh = self.collect.drawn(TaskKind.DATA, kind.parts.data, seed, given)
            alike = [step for step in kind.cases.steps if step.for_fresh_data]
            _, fresh = self.collect.apply(alike, None, fresh, seed)
        return Place(case.graph, case.data, model, fresh)

    def _add_runs(self, number: int, kind: _Kind, case: int, place: Place) -> None:
        scores = [(one, self._before(one, kind, case, place)) for one in kind.scores]
        for name in kind.cases.ids:
            for i, learn, estimate in self._learned(name, kind, case):
                standard: int | None = None
                others: list[int] = []
                for score, before in scores:
                    position = self._score(score, name, i, of_run(before, learn, estimate))
                    if score.name == STANDARD:
                        standard = position
                    else:
                        others.append(position)
                run = Run(number, case, name, i, learn, estimate, standard, tuple(others))
                self.plan.runs.append(run)

    def _score(self, score: ScoreCall, name: str, setting: int, inputs: tuple[int, ...]) -> int:
        """Return the position of the score of one run."""
        call = (
            score.call
            if score.by_learner is None
            else self._by_learner(score.by_learner, name, setting)
        )
        return self.collect.add(call, 0, inputs)

    def _by_learner(
        self, module: LearnerPriorScore | StandardMetrics, name: str, setting: int
    ) -> Call:
        """Return the call of a score that depends on the learner whose graph it scores."""
        place = (module, name, setting)
        if place not in self._by_learner_calls:
            entry = self.algorithms[name]
            values = self.inputs.values(entry.settings[setting], entry.where)
            learner = cast(Learner, self.inputs.resolved(entry.settings[setting], values))
            call = self.collect.module_call(TaskKind.SCORE, module.for_learner(learner))
            self._by_learner_calls[place] = call
        return self._by_learner_calls[place]

    def _before(self, score: ScoreCall, kind: _Kind, case: int, place: Place) -> tuple[int, ...]:
        """Return the inputs of a score that all runs on a data set share; others stay open."""
        inputs = place.inputs(score.inputs)
        if "reference" not in score.inputs:
            return inputs
        entry = self.algorithms[score.reference]
        return beside(inputs, self._learn(entry, entry.settings[0], case, kind.setup))

    def _add_further(
        self, number: int, kind: _Kind, place: Place, case: int, learning: Learning
    ) -> None:
        before = self.plan.cases[case]
        graph, data = self.collect.apply(learning.steps, before.graph, before.data, before.seed)
        self.pooling.inherit(before.data, data)
        added = before._replace(graph=graph, data=data, transform=learning.label)
        self.plan.cases.append(added)
        numbered = len(self.plan.cases) - 1
        if learning.tried:
            _, tried = self.collect.apply(learning.tried, None, before.data, before.seed)
            place = place._replace(fresh=tried)
        place = place._replace(truth=graph, data=data)
        standard = next((one for one in kind.scores if one.name == STANDARD), None)
        scores = [ScoreCall.of(one) for one in learning.scores]
        if scores:
            names = tuple(one.name for one in scores)
            self.plan.further_scores[kind.origin, learning.label] = names
        for name in learning.ids:
            for i, learn, estimate in self._learned(name, kind, numbered):
                score = None
                if learning.scored and graph is not None and standard is not None:
                    score = self._score(standard, name, i, (graph, estimate))
                others = [
                    self._score(one, name, i, of_run(place.inputs(one.inputs), learn, estimate))
                    for one in scores
                ]
                run = Run(number, numbered, name, i, learn, estimate, score, tuple(others))
                self.plan.further.append(run)

    def _learned(self, name: str, kind: _Kind, case: int) -> Iterator[tuple[int, int, int]]:
        """Yield the settings of an algorithm on a data set: number, result, graph."""
        entry = self.algorithms[name]
        for i, setting in enumerate(entry.settings):
            learn = self._learn(entry, setting, case, kind.setup)
            yield i, learn, self._estimate(setting, learn, self.plan.cases[case].data)

    def _learn(self, entry: ModuleEntry, setting: Setting, case: int, setup: Setup) -> int:
        planned = self.plan.cases[case]
        module = cast(Learner, setting.module)
        inputs: tuple[int, ...] = (planned.data,)
        for other in self.inputs.of(setting):
            start = self._learn(other, other.settings[0], case, setup)
            inputs = (*inputs, self._estimate(other.settings[0], start, planned.data))

        def make() -> Call:
            values = self.inputs.values(setting, entry.where)
            behind = raised(lineage(self.inputs.resolved(setting, values)))
            return Call.of(TaskKind.LEARN, module.name, module.version, values, raised=behind)

        call = self.pooling.call(setting, planned.data, make)
        position = self.collect.add(call, started_seed(planned.seed, setting.start), inputs)
        self._limit(position, module, setup)
        resources = resources_of(module, entry.resources, setup.resources)
        if resources != _ORDINARY or says_threads(entry.resources, setup.resources):
            self.plan.resources[position] = resources
        return position

    def _limit(self, position: int, module: Learner, setup: Setup) -> None:
        limit = getattr(module, "timeout", None) if module.timeout_is_limit else None
        time = next((t for t in (limit, self.limits.time, setup.time_limit) if t is not None), None)
        memory = setup.memory_limit if self.limits.memory is None else self.limits.memory
        cpu = setup.cpu_limit if self.limits.cpu is None else self.limits.cpu
        limits = Limits(time, memory, cpu)
        if limits != Limits():
            self.plan.limits[position] = limits

    def _estimate(self, setting: Setting, learn: int, data: int) -> int:
        """Return the position of the graph of a result; a chain gets an estimator task."""
        module = cast(Learner, setting.module)
        if not module.samples or self.pooling.pools(data):
            return learn
        values = {name: getattr(module, name) for name in module.ESTIMATOR_FIELDS}
        call = Call.of(TaskKind.ESTIMATE, McmcEstimator.name, McmcEstimator.version, values)
        return self.collect.add(call, 0, (learn,))


def _combinations(entry: DataEntry) -> Iterator[_Parts]:
    for graph in entry.graphs or (None,):
        for parameters in entry.parameters or (None,):
            for data in entry.data:
                yield _Parts(graph, parameters, data)


def _origin(number: int, entry: DataEntry, parts: _Parts, place: int) -> Origin:
    alternatives = (entry.graphs or (None,), entry.parameters or (None,), entry.data)
    return Origin(
        number,
        entry.where,
        plain_id(entry.graph_id),
        plain_id(entry.parameters_id),
        plain_id(entry.data_id) or "",
        place,
        prod(map(len, alternatives)),
        (entry.seeds.start, entry.seeds.stop - 1),
        isinstance(parts.graph, FixedFile),
        len(entry.steps) > 1,
    )


def label_of(part: Part | None) -> str:
    """``module/key=value/…`` of a setting, the label of a file, the word None for nothing."""
    if part is None:
        return "None"
    if isinstance(part, FixedFile):
        return part.label
    keys = [key for key in part.values if key != _LAST]
    keys += [key for key in part.values if key == _LAST]
    return "/".join([part.module.name, *(f"{key}={part.values[key]}" for key in keys)])
