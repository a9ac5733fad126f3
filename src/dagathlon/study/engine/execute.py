"""Execution of one task: find the module, call it, check what it returns."""

from __future__ import annotations

import contextlib
import hashlib
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias, cast

import numpy as np

from dagathlon.data import Dataset
from dagathlon.data.reading.options import Reading
from dagathlon.data.standard import BUNDLED
from dagathlon.errors import (
    DagathlonError,
    GraphError,
    NotApplicableError,
    UnavailableError,
    UnsuitedError,
    WrongResultError,
)
from dagathlon.graphs import Graph
from dagathlon.learners.background import constraints_of, unknown_names
from dagathlon.learners.base import Estimate, Learner
from dagathlon.learners.result_checks import described, with_article
from dagathlon.learners.run import run_learner, run_learner_on_many
from dagathlon.modules import Kind, Module, find
from dagathlon.modules.lineage import lineage
from dagathlon.study.engine.fixed import READERS, read_fixed_data
from dagathlon.study.plan.task import READING, Call, TaskKind
from dagathlon.study.store.codec import can_store

Inputs: TypeAlias = Sequence[Any]
_Check: TypeAlias = Callable[[Any, Inputs], str]
_MAX_MODULES = 10_000


class Handler(NamedTuple):
    """Execution of tasks of one kind: module, call and check of the result.

    Parameters
    ----------
    section
        The kind of module to look for.
    call
        Calls the module with the inputs and the random stream.
    check
        Returns what is wrong with the result; empty when nothing is.
    """

    section: Kind
    call: Callable[[Any, Inputs, np.random.Generator], Any]
    check: _Check


def execute(call: Call, rng: np.random.Generator, inputs: Inputs) -> Any:
    """Execute a task and return its result.

    Parameters
    ----------
    call
        The module and its parameters.
    rng
        The task's own random stream, `random_stream` of its `random_key`.
    inputs
        Results of the tasks it reads, in order. A learner's first input is the data; a second is
        another learner's estimate, whose graph the learner gets as ``start`` (of several, a tuple).
    """
    handler = HANDLERS[call.kind]
    if call.location:
        _check_unchanged(call)
        result = _read(call)
    else:
        result = handler.call(module_of(call), inputs, rng)
    problem = handler.check(result, inputs)
    if problem:
        raise WrongResultError(problem)
    return result


def execute_many(
    call: Call, rngs: Sequence[np.random.Generator], data: Sequence[Dataset]
) -> list[Estimate | DagathlonError]:
    """Run one learner on several data sets; return estimates or errors in the same order."""
    return run_learner_on_many(cast(Learner, module_of(call)), data, rngs)


def batches(call: Call) -> bool:
    """Whether a call's learner accepts several data sets at once and is available here."""
    if call.kind is not TaskKind.LEARN or call.location:
        return False
    try:
        return cast(Learner, module_of(call)).batches
    except DagathlonError:
        return False


def shares_tables(call: Call) -> bool:
    """Whether a call's learner shares cached tables with others on the same data."""
    if call.kind is not TaskKind.LEARN or call.location:
        return False
    try:
        return cast(type[Learner], find("algorithm", call.module)).shares_tables
    except DagathlonError:
        return False


def splits(call: Call) -> bool:
    """Whether a call's learner can use several threads."""
    if call.kind is not TaskKind.LEARN or call.location:
        return False
    try:
        return cast(type[Learner], find("algorithm", call.module)).splits
    except DagathlonError:
        return False


def gains_by_threads(call: Call) -> bool:
    """Whether a call has enough work to split; asked before any learner is prepared."""
    if not splits(call):
        return False
    try:
        cls = cast(type[Learner], find("algorithm", call.module))
        learner = cls.from_values(call.values)
        return learner.gains_by_threads() and not learner.one_thread()
    except Exception:  # of a user's module: its own run will say what is wrong
        return False


def learners_of(calls: Sequence[Call]) -> list[Learner]:
    """Return the learners of calls, leaving out those that cannot be made."""
    learners = []
    for call in calls:
        with contextlib.suppress(DagathlonError):
            learners.append(cast(Learner, module_of(call)))
    return learners


def _read(call: Call) -> Any:
    """Return the content of a fixed file, read with the options of the study."""
    options = call.values.get(READING)
    if options is None:
        return READERS[call.kind](call.location)
    return read_fixed_data(call.location, Reading.from_json(options))


def _check_unchanged(call: Call) -> None:
    """Raise when a file has changed since it was hashed into the task's key."""
    path = Path(call.location)
    if call.location.startswith(BUNDLED) or not path.is_file():
        return
    with path.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    if digest != call.values["sha256"]:
        raise DagathlonError(f"{path} has changed since the study was read; run it again")


def prepare(call: Call) -> None:
    """Load what a call needs, so that its first task is not charged for it."""
    if not call.location:
        module = module_of(call)
        if isinstance(module, Learner):
            module.warm_up()


def keeps_to_limit(call: Call) -> bool:
    """Whether a call returns its best result at the time limit (`Learner.keeps_to_limit`)."""
    if call.location:
        return False
    module = module_of(call)
    return isinstance(module, Learner) and module.keeps_to_limit()


def module_of(call: Call) -> Module:
    """Return the module of a call, cached."""
    module = _modules.get(call.digest)
    if module is None:
        cls = find(HANDLERS[call.kind].section, call.module)
        if cls.unavailable:
            raise UnavailableError(cls.unavailable)
        if cls.version != call.version:
            raise DagathlonError(
                f"{call.module} has changed since the study was read; run it again"
            )
        cls.prepare()
        if len(_modules) >= _MAX_MODULES:
            _modules.clear()
        module = _modules[call.digest] = cls.from_values(call.values)
        lineage(module)  # imports all that it hands work to, before any clock runs
    return module


_modules: dict[bytes, Module] = {}


def _sample(module: Any, inputs: Inputs, rng: np.random.Generator) -> Any:
    return module.sample(*inputs, rng)


def _apply(module: Any, inputs: Inputs, rng: np.random.Generator) -> Any:
    try:
        return module.apply(*inputs, rng)
    except NotApplicableError as error:
        raise UnavailableError(f"n/a: {error}") from None


def _learn(module: Any, inputs: Inputs, rng: np.random.Generator) -> Any:
    data, *start = inputs
    graphs = tuple(estimate.graph for estimate in start)
    given = None if not graphs else graphs[0] if len(graphs) == 1 else graphs
    try:
        notes = [
            words
            for constraints in constraints_of(module)
            for words in unknown_names(constraints, data.names)
        ]
    except GraphError as error:
        raise UnsuitedError(str(error)) from None
    found = run_learner(module, data, rng, start=given)
    return replace(found, notes=(*found.notes, *notes)) if notes else found


def _compute(module: Any, inputs: Inputs, rng: np.random.Generator) -> Any:
    return module.compute(*inputs)


def _of_type(expected: type, result: Any, inputs: Inputs) -> str:
    if isinstance(result, expected):
        return ""
    return f"it returned {described(result)} in place of {with_article(expected.__name__)}"


def _model(result: Any, inputs: Inputs) -> str:
    if can_store(result) and callable(getattr(result, "sample", None)):
        return ""
    return f"it returned {described(result)} in place of a model"


def _row(result: Any, inputs: Inputs) -> str:
    if isinstance(result, dict | list):
        return ""
    return f"it returned {described(result)} in place of a row"


HANDLERS: dict[TaskKind, Handler] = {
    TaskKind.GRAPH: Handler("graph", _sample, partial(_of_type, Graph)),
    TaskKind.PARAMETERS: Handler("parameters", _sample, _model),
    TaskKind.DATA: Handler("data", _sample, partial(_of_type, Dataset)),
    TaskKind.NOISE: Handler("transform", _apply, partial(_of_type, Dataset)),
    TaskKind.TRANSFORM: Handler("transform", _apply, partial(_of_type, Dataset)),
    TaskKind.TRUTH: Handler("truth", _compute, partial(_of_type, Graph)),
    TaskKind.LEARN: Handler("algorithm", _learn, partial(_of_type, Estimate)),
    TaskKind.ESTIMATE: Handler("estimator", _compute, partial(_of_type, Estimate)),
    TaskKind.SCORE: Handler("metric", _compute, _row),
}
