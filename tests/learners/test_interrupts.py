"""Ctrl-C is answered within half a second by every learner, wherever it is in its work.

Time is that of the processor, so that a busy machine changes nothing: a timer of the process sends
a signal every 50 ms of it, and Python's handler notes when the learner let it run. The longest
pause between two such moments is how long an interrupt can wait. JAX cannot be interrupted while it
compiles, which it does once for a size of data: pauses that end with a compilation do not count.
"""

from __future__ import annotations

import gc
import math
import os
import signal
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from types import FrameType
from typing import Any, cast

import numpy as np
import pytest

from dagathlon.data import Dataset, facts_of
from dagathlon.data.spec import DataKind
from dagathlon.errors import DagathlonError
from dagathlon.learners.base import Learner
from dagathlon.modules import modules
from dagathlon.pulse import watch
from dagathlon.testing.samples import of_values

LONGEST_PAUSE = 0.5
EVERY = 0.05


@dataclass(frozen=True)
class Case:
    """Data of a size at which a learner takes seconds, and parameters that make it so."""

    columns: int = 300
    rows: int = 500
    parameters: Mapping[str, Any] = field(default_factory=dict)


# Where the general size would be refused, or would be done at once.
CASES = {
    "anm": Case(20, 800),
    "dibs": Case(4, 500),
    "bcd_nets": Case(4, 500),
    "notears_mlp": Case(4, 500),
    "dagma_mlp": Case(4, 500),
    "grandag": Case(4, 500),
    "mcsl": Case(4, 500),
    "exact_posterior": Case(16),
    "hc": Case(300, 500, {"restart": 1000, "perturb": 100}),
    "dual_pc": Case(500, 2000),
    "ica_lingam": Case(200, 500),
    "notears_low_rank": Case(200),
    "saiyanh": Case(60),
    "rfci_bsc": Case(20),
}
QUICK = ("xges", "order_mcmc", "exact_map", "gsp", "notears", "fci")


def runnable() -> list[str]:
    """Our own learners that can run here; those under Benchpress's names are the same."""
    own = {
        name: cast(type[Learner], cls)
        for name, cls in modules("algorithm").items()
        if cls.__module__.startswith("dagathlon.learners")
    }
    return [name for name, cls in own.items() if not cls().unavailable]


def sparse_data(kind: DataKind, columns: int, rows: int) -> Dataset:
    rng = np.random.default_rng(5)
    joined = np.triu(rng.random((columns,) * 2) < min(3 / columns, 0.5), 1)
    weights = joined * rng.uniform(0.4, 1.0, joined.shape) * rng.choice([-1, 1], joined.shape)
    values = rng.laplace(size=(rows, columns))
    for j in range(columns):
        values[:, j] += values @ weights[:, j]
    values /= values.std(axis=0)
    return of_values(values[:, rng.permutation(columns)], kind)


@contextmanager
def ticking(seconds: float) -> Iterator[list[float]]:
    """Notes processor time at each signal that Python could handle; then an interrupt."""
    begin = time.process_time()
    moments = [begin]

    def handle(number: int, frame: FrameType | None) -> None:
        moments.append(time.process_time())
        # An exception that is raised in JAX's own code may abort the process.
        if moments[-1] - begin > seconds and not inside_jax(frame):
            signal.setitimer(signal.ITIMER_PROF, 0)
            raise KeyboardInterrupt

    before = signal.signal(signal.SIGPROF, handle)
    signal.setitimer(signal.ITIMER_PROF, EVERY, EVERY)
    try:
        yield moments
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        moments.append(time.process_time())
        signal.signal(signal.SIGPROF, before)


def longest_pause(learner: Learner, data: Dataset, seconds: float) -> float:
    """In a run that is interrupted after so many seconds of processor time, if it takes so long."""
    moments: list[float] = []
    try:
        with ticking(seconds) as moments, without_compiling(moments):
            learner.learn(data, np.random.default_rng(1))
    except KeyboardInterrupt:
        pass
    return float(np.nanmax(np.diff(moments)))


def inside_jax(frame: FrameType | None) -> bool:
    """Whether code of JAX is running."""
    while frame is not None:
        if frame.f_globals.get("__name__", "").partition(".")[0] in ("jax", "jaxlib"):
            return True
        frame = frame.f_back
    return False


@contextmanager
def without_compiling(moments: list[float]) -> Iterator[None]:
    """Leave out the pauses that end with a compilation by JAX: NaN stands between two moments."""
    monitoring = sys.modules.get("jax.monitoring")

    def compiled(event: str, duration: float, **facts: object) -> None:
        if measuring and event.startswith("/jax/core/compile/"):
            moments.extend([math.nan, time.process_time()])

    measuring = True
    if monitoring:
        monitoring.register_event_duration_secs_listener(compiled)
    try:
        yield
    finally:
        measuring = False


def check(name: str, kind: DataKind, seconds: float) -> None:
    case = CASES.get(name, Case())
    learner = cast(type[Learner], modules("algorithm")[name])(**case.parameters)
    data = sparse_data(kind, case.columns, case.rows)
    if learner.why_unsuitable(facts_of(data)):
        pytest.skip(f"{name} takes no {kind} data")
    # Once with few rows, so that no import counts.
    with suppress(DagathlonError):
        learner.learn(data.select(data.names[:4]).take(np.arange(60)), np.random.default_rng(1))
    with one_thread(), only_own_garbage():
        assert longest_pause(learner, data, seconds) < LONGEST_PAUSE


@contextmanager
def one_thread() -> Iterator[None]:
    """Threads of linear algebra would count as processor time of their own."""
    threadpoolctl = pytest.importorskip("threadpoolctl")
    with threadpoolctl.threadpool_limits(limits=1):
        yield


@contextmanager
def only_own_garbage() -> Iterator[None]:
    """Looking through what a thousand tests have left takes half a second, and is no learner's."""
    gc.collect()
    gc.freeze()
    try:
        yield
    finally:
        gc.unfreeze()


@pytest.mark.parametrize("name", QUICK)
def test_an_interrupt_is_answered_soon(name: str) -> None:
    check(name, "continuous", 0.4)


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["continuous", "discrete", "mixed"])
@pytest.mark.parametrize("name", runnable())
def test_every_learner_answers_an_interrupt_soon(name: str, kind: DataKind) -> None:
    check(name, kind, 1.0)


def test_an_interrupt_ends_a_native_search() -> None:
    data = sparse_data("continuous", 1500, 500)
    learner = cast(type[Learner], modules("algorithm")["xges"])()
    with pytest.raises(KeyboardInterrupt), ticking(0.3):
        learner.learn(data, np.random.default_rng(1))
    # The same objects go on to be usable.
    small = data.select(data.names[:5])
    assert learner.learn(small, np.random.default_rng(1)).graph.names == small.names


def test_a_signal_handler_that_raises_something_else_ends_it_too() -> None:
    class StopError(Exception):
        pass

    def handle(number: int, frame: FrameType | None) -> None:
        raise StopError

    before = signal.signal(signal.SIGUSR1, handle)
    data = sparse_data("continuous", 300, 500)
    learner = cast(type[Learner], modules("algorithm")["order_mcmc"])()

    def send(done: int, total: int) -> None:
        os.kill(os.getpid(), signal.SIGUSR1)

    try:
        with pytest.raises(StopError), watch(progress=send):
            learner.learn(data, np.random.default_rng(1))
    finally:
        signal.signal(signal.SIGUSR1, before)
