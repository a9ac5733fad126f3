"""`run_learner`: the one function through which all learners run, with checks before and after.

`learn`, the tasks of a study and the conformance suite all call learners here, so that they refuse
the same data and accept the same results.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from functools import cache
from inspect import signature
from threading import Lock
from time import monotonic, process_time
from typing import TYPE_CHECKING, Any, TypeAlias, cast
from weakref import WeakSet

import numpy as np

from dagathlon.errors import (
    DagathlonError,
    DataError,
    OutOfTimeError,
    UnavailableError,
    WrongResultError,
)
from dagathlon.graphs import Graph
from dagathlon.learners.base import Estimate, Learner
from dagathlon.learners.result_checks import problems_with, python_value
from dagathlon.learners.suitability import refuse_unsuited
from dagathlon.pulse import watch
from dagathlon.threads import allowed_threads, several_threads

if TYPE_CHECKING:
    from collections.abc import Callable

    from threadpoolctl import ThreadpoolController

    from dagathlon.data import Dataset
    from dagathlon.modules import Module

Start: TypeAlias = Graph | tuple[Graph, ...]
STOPPED_EARLY = "stopped_early"
"""Name of the statistic that marks a best-so-far result after the time was up."""


def run_learner(
    learner: Learner,
    data: Dataset,
    rng: np.random.Generator,
    *,
    start: Start | None = None,
    timeout: float | None = None,
    cpu_limit: float | None = None,
    progress: Callable[[int, int], None] | None = None,
    threads: int | None = None,
) -> Estimate:
    """Run a learner on data that suit it, and check what it returns.

    Parameters
    ----------
    learner
        The learner with its parameters.
    data
        The data.
    rng
        The only source of randomness.
    start
        A graph to start from, or several, for learners that take one.
    timeout
        Seconds after which an ``anytime`` learner returns its best result so far, with the
        statistic ``stopped_early``, and any other is stopped with an error; None is no limit. Loops
        that neither poll nor return are not ended: for that, a learner needs a separate process.
    cpu_limit
        Seconds of processor time of this process, from now on, with the same meaning.
    progress
        Called from time to time with the number of steps done and their total (0 if unknown).
    threads
        Number of threads of a learner whose work splits; None is the number allowed to the caller
        (`dagathlon.threads`). The result is the same for any number.

    Raises
    ------
    UnavailableError
        If the learner cannot run on this machine.
    DataError
        If the data do not suit it.
    OutOfTimeError
        If the time was up before there was a result.
    WrongResultError
        If the result is not valid.
    """
    refuse_unsuited(learner, data)
    began = monotonic(), process_time()
    deadline = None if timeout is None else began[0] + timeout
    try:
        with (
            several_threads(1 if learner.one_thread() else threads or allowed_threads()),
            watch(deadline=deadline, cpu=cpu_limit, progress=progress) as watched,
        ):
            estimate = run_inner_learner(learner, data, rng, start=start)
    except OutOfTimeError as error:
        spent = monotonic() - began[0], process_time() - began[1]
        limit = limit_words(timeout, cpu_limit)
        raise _out_of_time(learner, limit, error.stage, *spent) from error
    return _stopped_early(estimate, learner) if watched.stopped_early else estimate


def _stopped_early(estimate: Estimate, learner: Learner) -> Estimate:
    """Return the estimate marked as stopped early, by a statistic and a note."""
    notes = (*estimate.notes, _STOPPED if estimate.stats.get("iterations") else _NO_CHAIN)
    return replace(
        estimate,
        stats={**estimate.stats, STOPPED_EARLY: True},
        notes=notes if learner.samples else estimate.notes,
    )


def run_inner_learner(
    learner: Learner, data: Dataset, rng: np.random.Generator, *, start: Start | None = None
) -> Estimate:
    """Run a learner that another learner calls.

    The data have been checked by `run_learner` already, or derive from such data, and are not
    checked again; the outer learner's time limit and progress apply.
    """
    make_ready(type(learner))
    call = cast(Any, learner.learn)
    with _one_blas_thread(learner):
        if start is None:
            result = call(data, rng)
        elif "start" in signature(call).parameters:
            result = call(data, rng, start=start)
        else:
            raise DataError(f"{learner.name} cannot start from a graph")
    problems = tuple(problems_with(result, data.names, learner.output()))
    if problems:
        raise WrongResultError(*problems)
    return _with_environment(learner, cast(Estimate, result))


def run_learner_on_many(
    learner: Learner, data: Sequence[Dataset], rngs: Sequence[np.random.Generator]
) -> list[Estimate | DagathlonError]:
    """Run a learner on several data sets in one batch, by its `learn_many`.

    Parameters
    ----------
    learner
        The learner with its parameters.
    data
        The data sets. Unsuitable ones are skipped.
    rngs
        The only source of randomness, one for each data set.

    Returns
    -------
    list
        For each data set the estimate, or the error that refused the data or the result.

    Raises
    ------
    Exception
        Any error that ends the batch. The data set that caused it is then unknown: run them one by
        one, each with its random numbers from the beginning.
    """
    results: list[Estimate | DagathlonError | None] = [_refusal(learner, each) for each in data]
    suited = [k for k, refused in enumerate(results) if refused is None]
    make_ready(type(learner))
    with _one_blas_thread(learner), watch():
        chosen = [data[k] for k in suited], [rngs[k] for k in suited]
        learned: Any = learner.learn_many(*chosen) if suited else []
    if not isinstance(learned, Sequence) or len(learned) != len(suited):
        raise WrongResultError(f"it did not return {len(suited)} estimates for as many data sets")
    for k, result in zip(suited, learned, strict=True):
        problems = tuple(problems_with(result, data[k].names, learner.output()))
        results[k] = WrongResultError(*problems) if problems else _with_environment(learner, result)
    return cast("list[Estimate | DagathlonError]", results)


def _refusal(learner: Learner, data: Dataset) -> DagathlonError | None:
    try:
        refuse_unsuited(learner, data)
    except DagathlonError as error:
        return error
    return None


def make_ready(cls: type[Module]) -> None:
    """Load what a module needs, once per process; raise an error if it cannot run here."""
    if cls in _ready:
        return
    if cls.unavailable:
        raise UnavailableError(f"{cls.name} cannot run here: {cls.unavailable}")
    cls.prepare()
    _ready.add(cls)


# Cached: checking whether a program is installed may take longer than learning.
_ready: WeakSet[type[Module]] = WeakSet()


def limit_words(timeout: float | None, cpu_limit: float | None) -> str:
    """Describe the limits of a run, to follow the words "stopped at"."""
    if timeout is None and cpu_limit is None:
        return "its time limit"
    wall = [] if timeout is None else [f"the time limit of {timeout:g} s"]
    cpu = [] if cpu_limit is None else [f"the limit of {cpu_limit:g} s of processor time"]
    return " or ".join(wall + cpu)


def _out_of_time(
    learner: Learner, limit: str, stage: str, wall: float, cpu: float
) -> OutOfTimeError:
    said = f"{learner.name} was stopped at {limit}, before it had a result"
    still = f": it was still {stage}" if stage else ""
    # On a busy machine the processor time shows what the learner itself needs.
    busy = f"; in {wall:.1f} s it had the processor for {cpu:.1f} s" if 2 * cpu < wall else ""
    return OutOfTimeError(said + still + busy)


_STOPPED = "It was stopped early by its time limit: the chain is as long as it was by then."
_NO_CHAIN = (
    "It was stopped by its time limit before its warm-up was over: there is one state and no chain."
)


def _with_environment(learner: Learner, estimate: Estimate) -> Estimate:
    """Return the estimate with JSON-compatible statistics, including the learner's environment."""
    about = learner.environment_stats()
    if not about and not any(isinstance(value, np.generic) for value in estimate.stats.values()):
        return estimate
    stats = {k: python_value(v) for k, v in {**estimate.stats, **about}.items()}
    return replace(estimate, stats=stats)


def _one_blas_thread(learner: Learner) -> AbstractContextManager[object]:
    """Return a context with one BLAS thread, so that last digits do not depend on the number."""
    return _blas_limit if learner.uses_blas else nullcontext()


class _BlasLimit:
    """Reference-counted limit of one BLAS thread for this process.

    Learners in several threads enter and leave at different times; the previous limits are
    restored when the last one leaves.
    """

    def __init__(self) -> None:
        self._turn = Lock()
        self._inside = 0
        self._limits: dict[bool, Any] = {}

    def __enter__(self) -> None:
        with self._turn:
            with_scipy = "scipy.linalg" in sys.modules
            if with_scipy not in self._limits:
                controller = _blas(with_scipy)
                self._limits[with_scipy] = controller.limit(limits=1, user_api="blas")
            # Last, since a thread that is interrupted before it never calls __exit__.
            self._inside += 1

    def __exit__(self, *_: object) -> None:
        with self._turn:
            self._inside -= 1
            while not self._inside and self._limits:
                self._limits.popitem()[1].restore_original_limits()


_blas_limit = _BlasLimit()


@cache
def _blas(with_scipy: bool) -> ThreadpoolController:
    """Return the controller of the loaded BLAS libraries; cached, since finding them takes long.

    SciPy brings a BLAS library of its own, so the answer differs once it is loaded.
    """
    # Imported here: few learners need it.
    from threadpoolctl import ThreadpoolController  # noqa: PLC0415

    return ThreadpoolController()
