"""`perform`: one task from its inputs to its result, without processes, stores or terminals.

Every engine calls it: the workers of the local engine, the inline engine, the guarded child of a
worker on another machine.
"""

from __future__ import annotations

import contextlib
import errno
import functools
import os
import traceback
from collections import OrderedDict
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple, Protocol

from dagathlon.errors import (
    DagathlonError,
    OutOfTimeError,
    UnavailableError,
    UnsuitedError,
    storable_text,
    terminal_text,
)
from dagathlon.learners.coscheduled import coscheduled_learners
from dagathlon.modules.registry import load_users
from dagathlon.processes.usage import memory_limit, tree_time
from dagathlon.pulse import watch
from dagathlon.study.engine.clocks import monotonic, restore_clocks
from dagathlon.study.engine.execute import (
    execute,
    execute_many,
    keeps_to_limit,
    learners_of,
    prepare,
    splits,
)
from dagathlon.study.engine.limits import Meter, Usage
from dagathlon.study.engine.private_paths import without_private_paths
from dagathlon.study.engine.process_state import ProcessState
from dagathlon.study.plan.task import Call, Limits, Outcome, Status, TaskKind, random_stream
from dagathlon.study.store.codec import (
    Bytes,
    CodecError,
    UndeclaredTypeError,
    decode,
    encode,
)
from dagathlon.threads import several_threads

_TRACEBACK = 8192
_REASON = 300
_CACHED = 8
_FULL = {errno.ENOSPC, errno.EDQUOT}
_EXHAUSTED = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EMFILE, errno.ENFILE, errno.ENOMEM}
_NOTHING = Usage(0.0, 0.0, 0)
# What is left of a time limit for the end of a search: a share of it, and at most so many seconds.
_SPARE_SHARE, _MOST_SPARE = 0.15, 60.0
NO_LIMITS = Limits()
_UNLIMITED = contextlib.nullcontext()
_SEVERAL = "learned by {} threads"
_TOGETHER = "learned together from {} data sets: the times are equal shares, the memory is of all"


class Clock(Protocol):
    """Callbacks at start and end of the work itself, for enforcing limits."""

    def start_clock(self, held: int, spent: float = 0.0) -> None:
        """The work begins; the process holds `held` bytes and has used `spent` CPU seconds."""

    def stop_clock(self) -> None:
        """The work has ended, with or without success."""


class NoClock:
    """Clock that ignores all events."""

    def start_clock(self, held: int, spent: float = 0.0) -> None:
        """No-op."""

    def stop_clock(self) -> None:
        """No-op."""


class Performed(NamedTuple):
    """Outcome and encoded result of a task.

    Parameters
    ----------
    outcome
        How it ended and what it cost.
    stored
        The encoded result in pieces to be joined; None unless the status is ok.
    error
        The exception, if any.
    tampered
        Whether the task replaced the clocks of the process, changed its limits or left threads.
    """

    outcome: Outcome
    stored: Sequence[Bytes] | None = None
    error: BaseException | None = None
    tampered: bool = False

    @property
    def leaves_marks(self) -> bool:
        """Whether the process should not run another task after this one."""
        return self.tampered or (self.error is not None and _leaves_marks(self.error))


def perform(
    call: Call,
    random_key: bytes,
    inputs: Sequence[Any],
    limits: Limits = NO_LIMITS,
    clock: Clock = NoClock(),  # noqa: B008 - it has no state
    *,
    company: Sequence[Call] = (),
    threads: int = 1,
) -> Performed:
    """Run one task.

    Parameters
    ----------
    call
        The module and its parameters.
    random_key
        Key of the random stream (`Task.random_key`).
    inputs
        Results of the tasks that it reads, in order: encoded, or decoded already.
    limits
        Limits to record and to pass to programs that the module starts; enforcing them takes
        another process, which `clock` informs.
    clock
        Called when the work itself begins and ends.
    company
        Calls of other learners that will run on the same data in this process.
    threads
        Number of threads it may use; recorded in the outcome of a learner that can use several.

    Returns
    -------
    Performed
        Failures are outcomes, too. Only `KeyboardInterrupt` is raised.
    """
    process = os.getpid()
    meter = _meter_of(process)
    usage = _NOTHING
    tampered = False
    try:
        decoded = [_decoded(each) for each in inputs]
        rng = random_stream(random_key)
        prepare(call)
        others = learners_of(company)
        state = ProcessState.now()
        with _UNLIMITED if limits.memory is None else memory_limit(limits.memory):
            spent = 0.0 if limits.cpu is None else tree_time(process)
            clock.start_clock(meter.start(), spent)
            try:
                with (
                    coscheduled_learners(others) as present,
                    several_threads(threads),
                    _kept_to(limits, call),
                ):
                    result = execute(call, rng, decoded)
            finally:
                _leave_if_forked(process)
                clock.stop_clock()
                usage = meter.stop()
                tampered = restore_clocks() or state.has_changed()
        stored = encode(result)
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        _leave_if_forked(process)
        return failure(error, limits, usage)._replace(tampered=tampered)
    notes = [*present.notes, *([_SEVERAL.format(threads)] if threads > 1 and splits(call) else ())]
    outcome = Outcome(Status.OK, "", "; ".join(notes), *usage, limits)
    return Performed(outcome, stored, tampered=tampered)


def _leave_if_forked(process: int) -> None:
    """Exit in a process that a module forked and that returned from the module as well.

    It would go on with the work of its parent: read its orders, write its results.
    """
    if os.getpid() != process:
        os._exit(0)


def perform_many(
    call: Call, random_keys: Sequence[bytes], data: Sequence[Any], limits: Limits = NO_LIMITS
) -> list[Performed]:
    """Run the tasks of one learner on several data sets together.

    Each has an equal share of the time that the batch took, and the batch's peak of memory; its
    outcome says so.

    Parameters
    ----------
    call, limits
        As `perform` takes them, the same for all tasks.
    random_keys
        Key of each task's random stream.
    data
        The data set of each task.

    Raises
    ------
    Exception
        The error of the batch, from which no single task's outcome follows.
    """
    meter = _meter_of(os.getpid())
    rngs = [random_stream(key) for key in random_keys]
    prepare(call)
    meter.start()
    process = os.getpid()
    try:
        results = execute_many(call, rngs, data)
    finally:
        _leave_if_forked(process)
        usage = meter.stop()
        restore_clocks()
    learned = sum(not isinstance(result, BaseException) for result in results)
    share = Usage(usage.wall / max(learned, 1), usage.cpu / max(learned, 1), usage.memory)
    note = _TOGETHER.format(learned) if learned > 1 else ""
    return [
        failure(result, limits, share)
        if isinstance(result, BaseException)
        else Performed(Outcome(Status.OK, "", note, *share, limits), encode(result))
        for result in results
    ]


@contextlib.contextmanager
def _kept_to(limits: Limits, call: Call) -> Iterator[None]:
    """Context manager: a deadline ahead of the time limits, for learners with a result by then."""
    if limits.time is limits.cpu is None or not keeps_to_limit(call):
        yield
        return
    deadline = None if limits.time is None else monotonic() + _but_spare(limits.time)
    with watch(deadline=deadline, cpu=None if limits.cpu is None else _but_spare(limits.cpu)):
        yield


def _but_spare(limit: float) -> float:
    return limit - min(_SPARE_SHARE * limit, _MOST_SPARE)


@functools.cache
def _meter_of(process: int) -> Meter:
    """Return the meter of this process, cached; a forked process gets its own."""
    return Meter()


def failure(error: BaseException, limits: Limits, usage: Usage = _NOTHING) -> Performed:
    """Return the outcome of an exception: status, one-line reason, traceback."""
    status, reason = _judged(error, limits)
    reason = terminal_text(storable_text(without_private_paths(reason)))
    if status is Status.SKIPPED:
        return Performed(Outcome(status, reason, limits=limits), None, error)
    written = without_private_paths("".join(traceback.format_exception(error)))[-_TRACEBACK:]
    return Performed(Outcome(status, reason, written, *usage, limits), None, error)


def no_room(call: Call, error: BaseException | None) -> str:
    """Return why a task failed for lack of disk space alone; empty otherwise.

    A learner may fill a disk by its own doing, and that is its result. For other tasks a full
    disk says nothing of the task.
    """
    if call.kind is TaskKind.LEARN or not isinstance(error, OSError) or error.errno not in _FULL:
        return ""
    return error.strerror or str(error)


def _decoded(stored: Any) -> Any:
    """Decode an input of a task, loading the user's modules where they declare its type."""
    if not isinstance(stored, bytes | memoryview):
        return stored
    try:
        return decode(stored)
    except UndeclaredTypeError:
        load_users()
        return decode(stored)


class RecentInputs:
    """Cache of decoded results, the last few by key.

    Parameters
    ----------
    read
        Returns the encoded result of a key, from a store or a cache.
    """

    def __init__(self, read: Callable[[bytes], Bytes]) -> None:
        self._read = read
        self._recent: OrderedDict[bytes, Any] = OrderedDict()

    def __getitem__(self, key: bytes) -> Any:
        if key in self._recent:
            self._recent.move_to_end(key)
        else:
            self._recent[key] = _decoded(self._read(key))
            if len(self._recent) > _CACHED:
                self._recent.popitem(last=False)
        return self._recent[key]


class LostInputError(DagathlonError):
    """Input number `place` of a task is missing or damaged."""

    def __init__(self, place: int, reason: str) -> None:
        super().__init__(reason)
        self.place = place


def gathered(keys: Sequence[bytes], inputs: RecentInputs) -> list[Any]:
    """Return the inputs of a task; raise `LostInputError` for the first that is unusable."""
    results: list[Any] = []
    try:
        for key in keys:
            results.append(inputs[key])
    except KeyError:
        raise LostInputError(len(results), "an input is not in the store") from None
    except DagathlonError as error:
        raise LostInputError(len(results), str(error)) from error
    return results


def _judged(error: BaseException, limits: Limits) -> tuple[Status, str]:
    message = _said(error)
    if isinstance(error, UnavailableError | UnsuitedError):
        return Status.SKIPPED, message
    if isinstance(error, MemoryError):
        return Status.MEMORY, memory_reason(limits.memory)
    if isinstance(error, OutOfTimeError):
        return Status.TIME, message
    if isinstance(error, SystemExit):
        return Status.ERROR, f"it tried to end the program (exit code {message})"[:_REASON]
    text = " ".join(message.split())
    known = isinstance(error, DagathlonError) and not isinstance(error, CodecError)
    if known and text:
        return Status.ERROR, text[:_REASON]
    return Status.ERROR, f"{type(error).__name__}: {text}"[:_REASON]


def _said(error: BaseException) -> str:
    """Return the text of an exception, which may be empty."""
    try:
        return str(error)
    except Exception:
        return "its text cannot be made"


def memory_reason(memory: int | None) -> str:
    """Return the reason text of a task that exceeded its memory limit."""
    if memory is None:
        return "there was not enough memory"
    return f"it needed more than {memory / 2**20:,.0f} MB of memory"


def _leaves_marks(error: BaseException) -> bool:
    if isinstance(error, OSError):
        return error.errno in _EXHAUSTED
    return not isinstance(error, Exception) or isinstance(error, MemoryError)
