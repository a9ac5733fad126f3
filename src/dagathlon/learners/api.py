"""`learn`: run any learner on any data."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from typing import Any

import numpy as np

from dagathlon.data import Dataset, read_data
from dagathlon.errors import DataError, WrongResultError
from dagathlon.graphs import Graph
from dagathlon.learners.base import Estimate, Learner
from dagathlon.learners.progress import Bar, Progress
from dagathlon.learners.run import make_ready, run_learner
from dagathlon.learners.spec import LearnerLike, LearnerSpec
from dagathlon.modules import Natural, NonNegative, parameter_type

_LAST_SEED = 2**63 - 1
_THREADS, _SECONDS = parameter_type(Natural), parameter_type(NonNegative)


def learn(
    data: Any = None,
    learner: LearnerLike | None = None,
    /,
    *,
    seed: int = 1,
    start: Graph | None = None,
    timeout: float | None = None,
    progress: bool | Callable[[int, int], None] = False,
    threads: int = 1,
    cpu_limit: float | None = None,
    **parameters: Any,
) -> Estimate:
    """Learn a graph from data.

    Parameters
    ----------
    data
        A `Dataset`, or anything `read_data` takes: a file, a data frame, an array.
    learner
        A name (``dagathlon modules`` lists them), a text such as ``"pc[alpha=0.01]"``, a pair such
        as ``("pc", {"alpha": 0.01})``, a `Learner` such as ``Pc(alpha=0.01)``, or its class.
        Classes come from ``dagathlon.learners``.
    seed
        Seed of the learner's random numbers.
    start
        A graph to start from, or the search space of a learner that has one; for learners with the
        parameter ``input_algorithm_id``, by which a study names it.
    timeout
        Time limit in seconds. Searches and samplers that support it (``anytime``) return their best
        result so far, with the statistic ``stopped_early``; any other run raises an
        `OutOfTimeError`. A learner with its own parameter ``timeout`` gets it too. Learners poll
        the clock while they compute; a loop of your own has to call `dagathlon.pulse.beat` for
        that. `dagathlon learn` can end any learner.
    progress
        Whether to show a bar or a count if the run takes more than two seconds, on a terminal or in
        a notebook; or a function of the number of steps done and their total (0 if unknown).
    threads
        How many threads to use. Learners whose work splits (``splits``, e.g. pc and boss) take less
        time with more; the others use one. The result is the same for any number.
    cpu_limit
        Limit in seconds of processor time of this process, with the meaning of `timeout`: unlike
        that it allows the same work on a busy machine.
    **parameters
        Parameters of the learner; the others have their defaults.

    Returns
    -------
    Estimate
        The graph (``.graph``) and what was counted on the way (``.stats``).

    Examples
    --------
    >>> learn("measurements.csv", "corr_thresh", thresh=0.2).graph  # doctest: +SKIP
    """
    data, learner = _data_and_learner(data, learner, parameters)
    spec = LearnerSpec.of(learner, parameters)
    table = data if isinstance(data, Dataset) else read_data(data)
    chosen = spec.learner(timeout)
    make_ready(type(chosen))
    if start is None:
        _refuse_unknown_start(chosen)
    rng = np.random.Generator(np.random.Philox(key=seed_of(seed)))
    limit = time_limit(chosen, timeout)
    threads = _THREADS.read(threads, "threads")
    cpu_limit = None if cpu_limit is None else _SECONDS.read(cpu_limit, "cpu_limit")
    with _shown(spec.name, progress) as report_progress:
        try:
            return run_learner(
                chosen,
                table,
                rng,
                start=start,
                timeout=limit,
                cpu_limit=cpu_limit,
                progress=report_progress,
                threads=threads,
            )
        except WrongResultError as error:
            problems = (f"{spec.name}: {problem}" for problem in error.problems)
            raise WrongResultError(*problems) from error


def seed_of(given: object, name: str = "seed") -> int:
    """Return a random seed as an int; refuse what is no whole number from 0 to 2^63 - 1."""
    if isinstance(given, bool) or not isinstance(given, int | np.integer):
        raise DataError(f"{name}: expected a whole number, found {given!r}")
    if not 0 <= given <= _LAST_SEED:
        raise DataError(f"{name}: expected a whole number from 0 to 2^63 - 1, found {given}")
    return int(given)


def _data_and_learner(
    data: Any, learner: LearnerLike | None, parameters: dict[str, Any]
) -> tuple[Any, LearnerLike]:
    """Return the data and the learner, given by position or by name.

    The arguments of `learn` are positional only, since meta-learners have a parameter
    ``learner``.
    """
    if data is None:
        data = parameters.pop("data", None)
    if learner is None and "name" in parameters:
        warnings.warn("name is called learner now", DeprecationWarning, stacklevel=3)
        learner = parameters.pop("name")
    elif learner is None:
        learner = parameters.pop("learner", None)
    if data is None or learner is None:
        raise TypeError("learn takes data and a learner: learn(data, 'hc')")
    return data, learner


def time_limit(learner: Learner, timeout: float | None = None) -> float | None:
    """Return the time limit of a run in seconds; None if the learner enforces its own timeout."""
    learners_limit: float | None = getattr(learner, "timeout", None)
    if learners_limit is not None:
        return learners_limit if learner.timeout_is_limit else None
    return timeout


def _shown(
    name: str, progress: bool | Callable[[int, int], None]
) -> AbstractContextManager[Progress | None]:
    if progress is True:
        return Bar(name)
    return nullcontext(progress or None)


def _refuse_unknown_start(learner: Learner) -> None:
    for parameter, spec in type(learner).parameters().items():
        refers = spec.type.reference is not None and spec.type.reference.to == "algorithm"
        if refers and getattr(learner, spec.attribute) is not None:
            raise DataError(
                f"{learner.name}: {parameter} names an algorithm of a study, and there is none "
                "here; give the graph itself (start=... in Python)"
            )
