"""`check_learner`: the conformance suite of learners, native or external."""

from __future__ import annotations

import contextlib
import itertools
import json
import random
import sys
import time
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, fields
from types import FrameType
from typing import Any, TypeAlias, cast

import numpy as np
import numpy.typing as npt

from dagathlon.data import Dataset, facts_of
from dagathlon.data.spec import DataKind
from dagathlon.errors import DagathlonError, WrongResultError, listing
from dagathlon.learners.base import Estimate, Learner
from dagathlon.learners.run import make_ready, run_learner
from dagathlon.modules import Module, find
from dagathlon.modules.lineage import lineage
from dagathlon.testing.generators import description_problems
from dagathlon.testing.reports import ConformanceError, OnCheck
from dagathlon.testing.samples import AwkwardData, awkward, intervened, ordinary, with_missing

_DESCRIBING = frozenset(
    {"delegates", "native", "native_for", "one_thread", "problem", "accepted", "why_unsuitable"}
)
_OUTSIDE_RESULTS = frozenset({"format", "chart"})

_KINDS: tuple[DataKind, ...] = ("continuous", "discrete", "mixed")
_VOLATILE = ("seconds", "time")

Floats: TypeAlias = npt.NDArray[np.float64]


def check_learner(learner: Learner | type[Learner] | str, *, seconds: float = 60.0) -> None:
    """Check that a learner can be used in studies.

    It must be fully documented, give the same result for the same random stream, not modify the
    data, return a graph of the declared kind over the columns, answer awkward data with a graph
    or with a `DagathlonError`, and declare its delegates.

    Parameters
    ----------
    learner
        The learner, its class (used with its defaults), or its name.
    seconds
        Time limit of a single run on a hundred rows of five columns.

    Raises
    ------
    ConformanceError
        If there are problems; the message lists all of them.
    UnavailableError
        If the learner cannot run on this machine.
    """
    ConformanceError.refuse(problems_of(learner, seconds=seconds))


def problems_of(
    learner: Learner | type[Learner] | str,
    *,
    seconds: float = 60.0,
    on_check: OnCheck = lambda _: None,
) -> list[str]:
    """Return the problems for which `check_learner` would raise an error.

    Parameters
    ----------
    learner, seconds
        As for `check_learner`.
    on_check
        Called with the name of each check, before any code of the learner runs.
    """
    on_check("its description")
    cls = _class_of(learner)
    problems = list(_description(cls))
    try:
        made = learner if isinstance(learner, Learner) else cls.from_json({})
    except DagathlonError as error:
        return [*problems, f"its defaults are not valid: {error}"]
    on_check("that it can run here")
    make_ready(cls)
    return [*problems, *_Trial(made, seconds, on_check).problems()]


@contextlib.contextmanager
def _other_global_randomness() -> Iterator[None]:
    """Seed the global random generators anew in each context, to detect learners that use them."""
    states = random.getstate(), np.random.get_state()  # noqa: NPY002
    number = next(_NUMBERS)
    random.seed(number)
    np.random.seed(number)  # noqa: NPY002
    try:
        yield
    finally:
        random.setstate(states[0])
        np.random.set_state(states[1])  # noqa: NPY002


_NUMBERS = itertools.count(1)


def _class_of(learner: Learner | type[Learner] | str) -> type[Learner]:
    if isinstance(learner, str):
        return cast(type[Learner], find("algorithm", learner))
    return learner if isinstance(learner, type) else type(learner)


def _description(cls: type[Learner]) -> Iterator[str]:
    if not cls.name:
        yield "it has no name"
    yield from description_problems(cls)
    for name in sorted({field.name for field in fields(cls)} & set(dir(Learner))):
        yield f"the parameter {name!r} has the name of an attribute of Learner: choose another"
    if not cls.takes:
        yield "it takes no kind of data"


@dataclass(frozen=True)
class _Trial:
    """The checks that run the learner."""

    learner: Learner
    seconds: float
    on_check: OnCheck

    def problems(self) -> list[str]:
        """Return all problems, grouped by kind of data."""
        problems = list(self._round_trip())
        tried = 0
        for kind in _KINDS:
            self.on_check(f"whether it takes {kind} data")
            levels = self._levels(kind)
            if levels:
                tried += 1
                problems += [f"{kind} data: {problem}" for problem in self._on(kind, levels)]
        return problems if tried else [*problems, "no kind of data suits its parameters"]

    def _levels(self, kind: DataKind) -> int:
        """Return the number of levels of discrete variables that the learner accepts; 0 if none."""
        if kind not in self.learner.accepted():
            return 0
        suited = (
            n for n in (3, 2) if not self._objection(self._with_targets(ordinary(kind, levels=n)))
        )
        return next(suited, 0)

    def _with_targets(self, data: Dataset) -> Dataset:
        """Return the data, with intervention targets for a learner that uses them."""
        return intervened(data) if self.learner.handles_interventions else data

    def _objection(self, data: Dataset) -> str:
        return self.learner.why_unsuitable(facts_of(data))

    def _round_trip(self) -> Iterator[str]:
        written = json.loads(json.dumps(self.learner.to_json()))
        if type(self.learner).from_json(written) != self.learner:
            yield "its parameters change when they are written as JSON and read again"

    def _on(self, kind: DataKind, levels: int) -> Iterator[str]:
        data = self._with_targets(ordinary(kind, levels=levels))
        begin = time.perf_counter()
        try:
            first = self._run(data, f"{kind} data: 120 rows")
        except WrongResultError as error:
            yield from error.problems
            return
        except Exception as error:
            yield f"it fails on ordinary data: {type(error).__name__}: {error}"
            return
        taken = time.perf_counter() - begin
        if taken > self.seconds:
            yield f"120 rows took {taken:.1f} s, more than {self.seconds:g} s"
            return
        yield from self._same_again(data, first, kind)
        if self.learner.order_independent:
            yield from self._any_order(data, first, kind)
        for sample in awkward(kind, levels):
            yield from self._survives(
                AwkwardData(sample.what, self._with_targets(sample.data)), kind
            )
        for sample in with_missing(kind, levels):
            if self.learner.handles_missing:
                yield from self._survives(sample, kind)
            elif not self._objection(sample.data):
                yield f"{sample.what}: it does not handle them and does not object either"

    def _run(self, data: Dataset, what: str) -> Estimate:
        self.on_check(what)
        with warnings.catch_warnings(), _other_global_randomness():
            warnings.simplefilter("ignore")
            return run_learner(self.learner, data, np.random.Generator(np.random.Philox(key=1)))

    def _same_again(self, data: Dataset, first: Estimate, kind: DataKind) -> Iterator[str]:
        before = data.fingerprint
        with tracing() as ran:
            again = self._run(data, f"{kind} data: the same rows again")
        copies = np.array(data.codes), np.array(data.values)
        if Dataset(data.variables, *copies, data.regimes).fingerprint != before:
            yield "it changes the data"
        if again.graph != first.graph or again.posterior != first.posterior:
            yield "the same random stream gives another result"
        elif again.path != first.path or not _same_array(again.precision, first.precision):
            yield "the same random stream gives another precision matrix or path"
        elif _untimed(again) != _untimed(first):
            yield "the same random stream gives other statistics"
        hidden = [f"the {what} {name}" for what, name in undeclared(self.learner, ran)]
        if hidden:
            yield f"it hands work to {listing(hidden)}, which delegates() does not return"

    def _any_order(self, data: Dataset, first: Estimate, kind: DataKind) -> Iterator[str]:
        turned = data.select(tuple(reversed(data.names)))
        graph = self._run(turned, f"{kind} data: another order of the columns").graph
        if graph.subgraph(data.names) != first.graph:
            yield "it claims to be order_independent, and other orders of columns change the graph"

    def _survives(self, sample: AwkwardData, kind: DataKind) -> Iterator[str]:
        if self._objection(sample.data):
            return
        try:
            self._run(sample.data, f"{kind} data: {sample.what}")
        except WrongResultError as error:
            yield from (f"{sample.what}: {problem}" for problem in error.problems)
        except (DagathlonError, MemoryError) as error:
            if not str(error):
                yield f"{sample.what}: it refuses without a reason"
        except Exception as error:
            yield f"{sample.what}: {type(error).__name__}: {error}"


def _same_array(one: Floats | None, other: Floats | None) -> bool:
    return one is other or (one is not None and other is not None and np.array_equal(one, other))


def _untimed(estimate: Estimate) -> dict[str, object]:
    """Return the statistics without those that measure time."""
    return {k: v for k, v in estimate.stats.items() if not k.endswith(_VOLATILE)}


@contextmanager
def tracing() -> Iterator[set[tuple[str, str]]]:
    """Collect kinds and names of the modules that run inside, except formats and charts.

    Calls in native code and in other threads are not seen.
    """
    running: set[tuple[str, str]] = set()

    def note(frame: FrameType, event: str, _: Any) -> None:
        if event == "call":
            running.update(_running(frame))

    before = sys.getprofile()
    sys.setprofile(note)
    try:
        yield running
    finally:
        sys.setprofile(before)


def undeclared(module: Module, found: set[tuple[str, str]]) -> list[tuple[str, str]]:
    """Return the modules that ran and are not in the lineage of the traced module."""
    return sorted(found - {(module.kind, module.name)} - lineage(module).keys())


def _running(frame: FrameType) -> Iterator[tuple[str, str]]:
    code = frame.f_code
    if code.co_varnames[:1] == ("self",) and not _describes(code.co_name):
        module = frame.f_locals.get("self")
        if isinstance(module, Module) and module.name and module.kind not in _OUTSIDE_RESULTS:
            yield module.kind, module.name


def _describes(method: str) -> bool:
    return method in _DESCRIBING or method.startswith("__")
