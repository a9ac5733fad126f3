"""Checks at planning time that learners suit the data, with place and remedy."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import TypeAlias, cast

import numpy as np

from dagathlon.data import Dataset, LinearSem, list_networks
from dagathlon.data.spec import DataFacts, facts_of
from dagathlon.errors import DagathlonError, GraphError, Mistakes, StudyError, listing
from dagathlon.graphs import Mark
from dagathlon.learners.background import constraints_of
from dagathlon.learners.base import Learner
from dagathlon.simulate.base import DataGenerator, GraphGenerator, ParameterGenerator
from dagathlon.simulate.columns import Arrange, no_such_variables
from dagathlon.study.config.expand import ModuleEntry, Setting
from dagathlon.study.config.library import FixedFile
from dagathlon.study.config.study_file import Part, Steps
from dagathlon.study.engine.fixed import read_fixed_data
from dagathlon.study.plan.inputs import Inputs
from dagathlon.study.plan.plan import ALGORITHM, Omission
from dagathlon.study.plan.task import TaskKind
from dagathlon.study.plan.truth import check_truth, described, read_fixed
from dagathlon.wording import listed

Names: TypeAlias = Callable[[], Sequence[str] | None]
_MOST_NAMED = 5


def facts_of_case(graph: Part | None, parameters: Part | None, data: Part, where: str) -> DataFacts:
    """Return the facts of a data set before it exists; raise when its parts do not fit."""
    if isinstance(data, FixedFile):
        if graph is not None and not isinstance(graph, FixedFile):
            raise StudyError(
                f"{where}: graph_id draws graphs at random, and data_id is {described(data)}, "
                "whose truth is another graph or unknown; give its graph, or null"
            )
        _check_names(graph, data, TaskKind.DATA, where)
        return _facts_of_file(data)
    if isinstance(parameters, FixedFile):
        check_truth(graph, parameters, where)
    model = _facts_of_model(graph, parameters, where)
    generator = cast(DataGenerator, data.module)
    unsuitable = generator.why_unsuitable(model)
    if unsuitable:
        raise StudyError(f"{where}: {unsuitable}")
    return generator.facts(model)


def with_columns(facts: DataFacts, graph: Part | None) -> DataFacts:
    """Return the facts with the number of columns where the graph determines it."""
    if facts.n_columns is not None or graph is None:
        return facts
    if isinstance(graph, FixedFile):
        return replace(facts, n_columns=len(_names_of(graph, TaskKind.GRAPH)))
    native = getattr(graph.module, "native", None)
    nodes = getattr(graph.module if native is None else native(), "nodes", None)
    return replace(facts, n_columns=nodes if isinstance(nodes, int) else None)


def check_order(steps: Iterable[Steps], parts: Sequence[Part | None], where: str) -> None:
    """Raise when an order of variables names none of a fixed part's variables."""
    arranging = [step for some in steps for step in some if isinstance(step, Arrange)]
    if not arranging:
        return
    kinds = (TaskKind.GRAPH, TaskKind.PARAMETERS, TaskKind.DATA)
    fixed = [(p, kind) for p, kind in zip(parts, kinds, strict=True) if isinstance(p, FixedFile)]
    if not fixed:
        return
    known = _names_of(*fixed[-1])
    for step in arranging:
        if set(step.variables).isdisjoint(known):
            raise StudyError(f"{where}.transforms: {no_such_variables(step.variables, known)}")


def known_names(parts: Sequence[Part | None]) -> tuple[str, ...] | None:
    """Return the columns before transforms; None where unknown.

    They are those of a fixed file, or of the graphs that a generator of the package draws.
    """
    kinds = (TaskKind.GRAPH, TaskKind.PARAMETERS, TaskKind.DATA)
    fixed = [(p, kind) for p, kind in zip(parts, kinds, strict=True) if isinstance(p, FixedFile)]
    if fixed:
        return _names_of(*fixed[-1])
    graph = parts[0]
    return _drawn_names(cast(GraphGenerator, graph.module)) if isinstance(graph, Setting) else None


@functools.cache
def _drawn_names(module: GraphGenerator) -> tuple[str, ...] | None:
    """Return the nodes of one drawn graph; None for third-party code, which is not run here."""
    bundled = type(module).__module__.startswith("dagathlon.")
    if not bundled or module.runs_program:
        return None
    try:
        return module.sample(np.random.default_rng(0)).names
    except DagathlonError:
        return None


class Unsuited:
    """Collects algorithms that do not take the study's data.

    Attributes
    ----------
    omissions
        List of skipped algorithms, with data and reason.
    """

    def __init__(self, inputs: Inputs) -> None:
        self.omissions: list[Omission] = []
        self._unknown: dict[str, dict[str, str]] = {}
        self._inputs = inputs
        self._some_suit = False
        self._refused: dict[str, dict[tuple[str, str], str]] = {}

    def look(
        self,
        chain: Sequence[ModuleEntry],
        facts: DataFacts,
        names: Names,
        where: str,
        data: str,
        *,
        derived: bool = False,
    ) -> None:
        """Check an algorithm, the first of the chain, with those that it reads from.

        Parameters
        ----------
        chain
            The algorithms.
        facts
            Properties of the data.
        names
            Returns the columns of the data; None where unknown in advance.
        where
            Place of the data in the study.
        data
            Label of the data.
        derived
            Whether an evaluation derives the data from the study's, which an algorithm must
            take to count as one that suits.
        """
        entry, *others = chain
        reasons, given = [], facts
        for reader, other in zip(chain, others, strict=False):
            for setting in reader.settings:
                given = cast(Learner, setting.module).inner_facts(given)
            reasons += [reason for reason in self._objections(other, given, names) if reason]
        unsuited = [
            reasons[0] if reasons else reason for reason in self._objections(entry, facts, names)
        ]
        self._some_suit |= not derived and not (unsuited and all(unsuited))
        for reason in dict.fromkeys(filter(None, unsuited)):
            self._refused.setdefault(reason, {})[entry.id, where] = f"{entry.where} on {where}"
            n = unsuited.count(reason)
            some = "" if n == len(unsuited) else f" ({n} of {len(unsuited)} settings)"
            self.omissions.append(Omission(where, data, f"{ALGORITHM} {entry.id}{some}", reason))

    def _objections(self, entry: ModuleEntry, facts: DataFacts, names: Names) -> list[str]:
        """Return the objection of each setting of an algorithm to such data."""
        return [
            cast(Learner, setting.module).why_unsuitable(facts)
            or self._constraint_objection(setting, names, entry)
            for setting in entry.settings
        ]

    def _constraint_objection(self, setting: Setting, names: Names, entry: ModuleEntry) -> str:
        """Return why a setting's constraints do not suit these columns; empty if they do."""
        columns = names() if constraints_of(setting.module) else None
        if columns is None:
            return ""
        try:
            unknown = self._inputs.unknown_names(setting, columns, entry.where)
        except GraphError as error:
            return str(error)
        for words in unknown:
            self._unknown.setdefault(words, {})[entry.id] = entry.where
        return ""

    def warnings(self) -> Iterator[str]:
        """Yield a sentence on each constrained name that is no column, with the algorithms."""
        for words, places in self._unknown.items():
            names, (first, *_) = list(places), places.values()
            more = len(names) - _MOST_NAMED
            shown = names if more < 2 else [*names[:_MOST_NAMED], f"{more:,} more"]
            yield f"{listed(shown) if len(names) > 1 else first}: {words}"

    def refuse_if_nothing_suits(self) -> None:
        """Raise when no algorithm takes any of the data."""
        if not self._some_suit:
            mistakes = Mistakes()
            for reason, places in self._refused.items():
                first, *_ = places.values()
                _, *others = dict.fromkeys(name for name, _ in places)
                also = f" (the same for {listing(others)})" if others else ""
                mistakes.add(f"{first}: {reason}{also}")
            mistakes.refuse()


def _check_names(graph: Part | None, other: Part | None, kind: TaskKind, where: str) -> None:
    """Raise when a fixed graph has other variables than the data or model it is the truth of."""
    if not isinstance(graph, FixedFile) or not isinstance(other, FixedFile):
        return
    nodes, variables = _names_of(graph, TaskKind.GRAPH), _names_of(other, kind)
    if set(nodes).isdisjoint(variables):
        raise StudyError(
            f"{where}: the graph {graph.location} (nodes {listing(nodes)}) and {kind.value} "
            f"{other.location} (variables {listing(variables)}) have no name in common; give "
            "files over the same variables"
        )


@functools.cache
def _names_of(source: FixedFile, kind: TaskKind) -> tuple[str, ...]:
    if kind is TaskKind.DATA:
        return _data_of(source).names
    return tuple(read_fixed(kind, source).names)


def _facts_of_model(graph: Part | None, parameters: Part | None, where: str) -> DataFacts:
    if isinstance(parameters, FixedFile):
        return _facts_of_network(parameters)
    if parameters is None:
        return DataFacts()
    generator = cast(ParameterGenerator, parameters.module)
    kind = _kind_of_graph(graph)
    if kind is None:
        raise StudyError(f"{where}: {generator.name} needs a graph; graph_id must not be null")
    if kind != generator.needs:
        wanted = "a DAG" if generator.needs == "dag" else "an undirected graph"
        raise StudyError(
            f"{where}: {generator.name} needs {wanted}, and graph_id gives {_a(kind)}; choose "
            "other parameters or another graph"
        )
    return generator.gives


def _a(kind: str) -> str:
    names = {"dag": "a DAG", "undirected": "an undirected graph", "cyclic": "a graph with a cycle"}
    return names.get(kind, f"a {kind} graph")


def _kind_of_graph(graph: Part | None) -> str | None:
    if graph is None:
        return None
    if isinstance(graph, FixedFile):
        return _kind_of_file(graph)
    return cast(GraphGenerator, graph.module).gives


@functools.cache
def _kind_of_file(source: FixedFile) -> str:
    if source.bundled:
        return "dag"
    graph = read_fixed(TaskKind.GRAPH, source)
    directed = ((graph.marks == Mark.TAIL) == (graph.marks == Mark.ARROW).T).all()
    return "cyclic" if directed and not graph.is_dag else str(graph.kind)


@functools.cache
def _facts_of_file(source: FixedFile) -> DataFacts:
    return facts_of(_data_of(source))


@functools.lru_cache(maxsize=1)
def _data_of(source: FixedFile) -> Dataset:
    return read_fixed_data(source.location, source.reading)


@functools.cache
def _facts_of_network(source: FixedFile) -> DataFacts:
    names = {"discrete": "discrete", "gaussian": "continuous", "conditional gaussian": "mixed"}
    known = {record.name: record for record in list_networks()}.get(source.bundled)
    if known is not None:
        kind, columns, levels = known.kind, known.n_nodes, known.max_levels or 0
    else:
        network = read_fixed(TaskKind.PARAMETERS, source)
        if isinstance(network, LinearSem):
            return DataFacts(
                kind="continuous", binary=False, missing=False, n_columns=len(network.names)
            )
        kind, columns = network.kind, len(network)
        levels = max(len(variable.levels or ()) for variable in network.variables)
    return DataFacts(
        kind=names[kind],  # type: ignore[arg-type]
        binary=kind == "discrete" and levels <= 2,
        missing=False,
        n_columns=columns,
    )
