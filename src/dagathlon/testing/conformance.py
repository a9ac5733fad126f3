"""`check_learner`: whether a learner, native or external, does what studies rely on."""

from __future__ import annotations

import contextlib
import itertools
import json
import math
import random
import time
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from typing import cast

import numpy as np

from dagathlon.data import Dataset, facts_of
from dagathlon.data.facts import DataKind
from dagathlon.errors import DagathlonError, UnavailableError
from dagathlon.graphs import Graph, Mark
from dagathlon.graphs.marks import connector
from dagathlon.learners.base import Estimate, Learner, Output
from dagathlon.modules import find
from dagathlon.testing.samples import Sample, awkward, intervened, ordinary, with_missing

_KINDS: tuple[DataKind, ...] = ("continuous", "discrete", "mixed")
_VOLATILE = ("seconds", "time")
_PARTLY_DIRECTED = {connector(Mark.TAIL, Mark.ARROW), connector(Mark.TAIL, Mark.TAIL)}


class ConformanceError(AssertionError):
    """A learner does not do what studies rely on; the message lists every problem."""


def check_learner(learner: Learner | type[Learner] | str, *, seconds: float = 60.0) -> None:
    """Check that a learner can be used in studies.

    It must be described in full, give the same result for the same random stream, leave the data
    alone, return a graph of the declared kind over the columns, and answer awkward data with a
    graph or with a `DagathlonError`.

    Parameters
    ----------
    learner
        The learner, its class (used with its defaults), or its name.
    seconds
        How long a single run on a hundred rows of five columns may take.

    Raises
    ------
    ConformanceError
        Listing all problems.
    UnavailableError
        When the learner cannot run on this machine.
    """
    problems = problems_of(learner, seconds=seconds)
    if problems:
        lines = "\n".join(f"- {problem}" for problem in problems)
        raise ConformanceError(f"{len(problems)} problems:\n{lines}")


def problems_of(learner: Learner | type[Learner] | str, *, seconds: float = 60.0) -> list[str]:
    """What `check_learner` would object to."""
    cls = _class_of(learner)
    problems = list(_description(cls))
    try:
        made = learner if isinstance(learner, Learner) else cls.from_json({})
    except DagathlonError as error:
        return [*problems, f"its defaults are not valid: {error}"]
    if cls.unavailable:
        raise UnavailableError(f"{cls.name} cannot run here: {cls.unavailable}")
    cls.prepare()
    return [*problems, *_Trial(made, seconds).problems()]


@contextlib.contextmanager
def _other_global_randomness() -> Iterator[None]:
    """Put generators that no learner should draw from into a state they have not been in."""
    kept = random.getstate(), np.random.get_state()  # noqa: NPY002
    number = next(_NUMBERS)
    random.seed(number)
    np.random.seed(number)  # noqa: NPY002
    try:
        yield
    finally:
        random.setstate(kept[0])
        np.random.set_state(kept[1])  # noqa: NPY002


_NUMBERS = itertools.count(1)


def _class_of(learner: Learner | type[Learner] | str) -> type[Learner]:
    if isinstance(learner, str):
        return cast(type[Learner], find("algorithm", learner))
    return learner if isinstance(learner, type) else type(learner)


def _description(cls: type[Learner]) -> Iterator[str]:
    if not cls.name:
        yield "it has no name"
    if not cls.summary().endswith("."):
        yield "its documentation does not begin with a sentence"
    for parameter in cls.parameters().values():
        if not parameter.description:
            yield f"the parameter {parameter.name!r} is not documented"
    if not cls.takes:
        yield "it takes no kind of data"


@dataclass(frozen=True)
class _Trial:
    """The checks that run the learner."""

    learner: Learner
    seconds: float

    def problems(self) -> list[str]:
        """All problems, those of one kind of data after the other."""
        found = list(self._round_trip())
        tried = 0
        for kind in _KINDS:
            levels = self._levels(kind)
            if levels:
                tried += 1
                found += [f"{kind} data: {problem}" for problem in self._on(kind, levels)]
        return found if tried else [*found, "no kind of data suits its parameters"]

    def _levels(self, kind: DataKind) -> int:
        """Number of levels of discrete variables that the learner accepts; 0 for no such data."""
        if kind not in self.learner.accepted():
            return 0
        suited = (n for n in (3, 2) if not self._objection(self._suited(ordinary(kind, levels=n))))
        return next(suited, 0)

    def _suited(self, data: Dataset) -> Dataset:
        """The data, with intervention targets for a learner that reads them."""
        return intervened(data) if self.learner.handles_interventions else data

    def _objection(self, data: Dataset) -> str:
        return self.learner.objection(facts_of(data))

    def _round_trip(self) -> Iterator[str]:
        written = json.loads(json.dumps(self.learner.to_json()))
        if type(self.learner).from_json(written) != self.learner:
            yield "its parameters change when they are written as JSON and read again"

    def _on(self, kind: DataKind, levels: int) -> Iterator[str]:
        data = self._suited(ordinary(kind, levels=levels))
        begin = time.perf_counter()
        try:
            first = self._run(data, 1)
        except Exception as error:
            yield f"it fails on ordinary data: {type(error).__name__}: {error}"
            return
        taken = time.perf_counter() - begin
        if taken > self.seconds:
            yield f"120 rows took {taken:.1f} s, more than {self.seconds:g} s"
            return
        yield from _invalid(first, data, self.learner.gives)
        if not isinstance(first, Estimate):
            return
        yield from self._same_again(data, first)
        if self.learner.order_independent:
            yield from self._any_order(data, first)
        for sample in awkward(kind, levels):
            yield from self._survives(Sample(sample.what, self._suited(sample.data)))
        for sample in with_missing(kind, levels):
            if self.learner.handles_missing:
                yield from self._survives(sample)
            elif not self._objection(sample.data):
                yield f"{sample.what}: it does not handle them and does not object either"

    def _run(self, data: Dataset, seed: int) -> Estimate:
        with warnings.catch_warnings(), _other_global_randomness():
            warnings.simplefilter("ignore")
            return self.learner.learn(data, np.random.Generator(np.random.Philox(key=seed)))

    def _same_again(self, data: Dataset, first: Estimate) -> Iterator[str]:
        before = data.fingerprint
        again = self._run(data, 1)
        copies = np.array(data.codes), np.array(data.values)
        if Dataset(data.variables, *copies, data.regimes).fingerprint != before:
            yield "it changes the data"
        if again.graph != first.graph or again.posterior != first.posterior:
            yield "the same random stream gives another result"
        elif _lasting(again) != _lasting(first):
            yield "the same random stream gives other statistics"

    def _any_order(self, data: Dataset, first: Estimate) -> Iterator[str]:
        turned = data.select(tuple(reversed(data.names)))
        graph = self._run(turned, 1).graph
        if graph.subgraph(data.names) != first.graph:
            yield "it claims to be order_independent, and other orders of columns change the graph"

    def _survives(self, sample: Sample) -> Iterator[str]:
        if self._objection(sample.data):
            return
        try:
            estimate = self._run(sample.data, 1)
        except (DagathlonError, MemoryError) as error:
            if not str(error):
                yield f"{sample.what}: it refuses without a reason"
        except Exception as error:
            yield f"{sample.what}: {type(error).__name__}: {error}"
        else:
            for problem in _invalid(estimate, sample.data, self.learner.gives):
                yield f"{sample.what}: {problem}"


def _lasting(estimate: Estimate) -> dict[str, object]:
    """Statistics without those that measure time."""
    return {k: v for k, v in estimate.stats.items() if not k.endswith(_VOLATILE)}


def _invalid(estimate: Estimate, data: Dataset, gives: Output) -> Iterator[str]:
    """What is wrong with a result."""
    if not isinstance(estimate, Estimate) or not isinstance(estimate.graph, Graph):
        yield f"it returns {type(estimate).__name__}, not an Estimate with a Graph"
        return
    graph = estimate.graph
    if set(graph.names) != set(data.names):
        yield f"the names {graph.names} of the graph are not the columns {data.names}"
    if estimate.posterior is None and gives == "chain":
        yield "gives is 'chain', and it returned no posterior"
    if estimate.posterior is not None and set(estimate.posterior.names) != set(data.names):
        yield f"the names {estimate.posterior.names} of the posterior are not the columns"
    if not _fits(graph, gives):
        yield f"gives is {gives!r}, and the graph is {graph.kind}"
    for name, value in estimate.stats.items():
        if isinstance(value, float) and math.isnan(value):
            yield f"the statistic {name!r} is not a number (NaN)"


def _fits(graph: Graph, gives: Output) -> bool:
    """Whether a graph may come out of a learner that gives such graphs.

    A CPDAG only has to look like one: tests that contradict each other give graphs that are the
    CPDAG of no DAG.
    """
    if gives == "dag":
        return graph.is_dag
    if gives == "undirected":
        return graph.is_undirected
    return gives != "cpdag" or {edge.connector for edge in graph.edges()} <= _PARTLY_DIRECTED
