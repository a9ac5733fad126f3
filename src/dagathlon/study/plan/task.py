"""Tasks, addressed by content: calls, keys, limits, outcomes."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, NamedTuple, Protocol

import numpy as np

from dagathlon.errors import storable_text

READING = "reading"
"""Key among a data file's values: reading options given in the study."""


class TaskKind(StrEnum):
    """Kind of a task's result, in pipeline order."""

    GRAPH = "graph"
    PARAMETERS = "parameters"
    DATA = "data"
    NOISE = "noise"  # a transform; its keys and random streams are made of this word
    TRANSFORM = "transform"
    TRUTH = "truth"
    LEARN = "learn"
    ESTIMATE = "estimate"
    SCORE = "score"


class Status(StrEnum):
    """How a task ended. The set is closed; every outcome but `OK` carries a reason.

    ``Status("F1")`` is `TIME`: the codes of earlier versions are read (`FORMER_STATUSES`).
    """

    OK = "ok"
    TIME = "timeout"
    ERROR = "error"
    MEMORY = "memory"
    SKIPPED = "skipped"

    @classmethod
    def _missing_(cls, value: object) -> Status | None:
        return FORMER_STATUSES.get(value) if isinstance(value, str) else None


FORMER_STATUSES = {"F1": Status.TIME, "F2": Status.ERROR, "F3": Status.MEMORY}
"""Former codes of failures, which stores, logs and ``--retry`` may still have."""


@dataclass(frozen=True, slots=True)
class Call:
    """A module with its parameters, shared by all tasks that use it.

    Parameters
    ----------
    kind
        Kind of the result.
    module
        Name of the module.
    version
        Version of the module (results of other versions are not used).
    values
        JSON parameters, defaults filled in.
    digest
        Hash of all of the above and of the versions of the module's delegates.
    location
        Path of a fixed file. It is not hashed: the content's own hash is among the values.
    stream
        As `plain`, without the parameters that leave the random stream as it is.
    plain
        Hash without the versions of delegates: raising one of them leaves the random numbers as
        they are.
    """

    kind: TaskKind
    module: str
    version: int
    values: Mapping[str, Any]
    digest: bytes
    location: str = ""
    stream: bytes = b""
    plain: bytes = b""

    @classmethod
    def of(
        cls,
        kind: TaskKind,
        module: str,
        version: int,
        values: Mapping[str, Any],
        location: str = "",
        *,
        outside_stream: Collection[str] = (),
        raised: Sequence[tuple[str, str, int]] = (),
    ) -> Call:
        """Make a call with its digests computed once.

        `raised` are the kinds, names and versions of whom the module hands work to, as far as they
        are beyond their first version; without any the digest is `plain`.
        """
        inside = {name: value for name, value in values.items() if name not in outside_stream}
        parts = [kind, module, version]
        plain, stream = _of_json([*parts, values]), _of_json([*parts, inside])
        digest = _of_json([*parts, values, raised]) if raised else plain
        return cls(kind, module, version, values, digest, location, stream, plain)


def _of_json(content: Any) -> bytes:
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).digest()


@dataclass(frozen=True, slots=True)
class Task:
    """One unit of work.

    Parameters
    ----------
    key
        sha256 over the call, the seed and the keys of the inputs. Same key, same result.
    call
        The module and its parameters.
    seed
        The replicate's seed.
    inputs
        Positions in the plan of the tasks whose results this one reads.
    stream
        Key of the random stream, where that is not the task's key.
    plain
        The key without the versions of delegates of its module and of its inputs' modules, where
        that is not the key: it selects the random stream of most tasks, and earlier versions of
        Dagathlon stored the result under it.
    """

    key: bytes
    call: Call
    seed: int
    inputs: tuple[int, ...] = ()
    stream: bytes = b""
    plain: bytes = b""

    @property
    def plain_key(self) -> bytes:
        """The key if no module behind those of the study had a version above its first."""
        return self.plain or self.key

    @property
    def random_key(self) -> bytes:
        """Argument of `random_stream`."""
        return self.stream or self.plain_key


def task_key(call: Call, seed: int, inputs: Sequence[bytes]) -> bytes:
    """The key of a task, given the keys of its inputs."""
    return _hashed(call.digest, seed, inputs)


def plain_key(call: Call, seed: int, inputs: Sequence[bytes]) -> bytes:
    """Return the key without the versions of delegates, from the plain keys of its inputs."""
    return _hashed(call.plain, seed, inputs)


def stream_key(call: Call, seed: int, inputs: Sequence[bytes]) -> bytes:
    """Return the key of a task's random stream, from those of its inputs.

    It is the plain key of the task but for the parameters that leave the stream as it is, in the
    task itself and in those that it reads.
    """
    return _hashed(call.stream, seed, inputs)


def _hashed(digest_of_call: bytes, seed: int, inputs: Sequence[bytes]) -> bytes:
    digest = hashlib.sha256(digest_of_call)
    digest.update(b"%d;" % seed)
    for key in inputs:
        digest.update(key)
    return digest.digest()


@dataclass(frozen=True, slots=True)
class Limits:
    """Limits of one task; None is no limit.

    Parameters
    ----------
    time
        Wall-clock seconds.
    memory
        Bytes of resident memory, with that of programs it starts, on top of what the process held
        when the task began.
    cpu
        Seconds of processor time, with that of programs it starts; of several threads the sum.
    """

    time: float | None = None
    memory: int | None = None
    cpu: float | None = None


class Resources(NamedTuple):
    """Resources reserved for a task. They are no part of its key: results are the same.

    Parameters
    ----------
    threads
        Cores.
    gpus
        Graphics cards.
    optional
        Whether it also runs with fewer cards.
    """

    threads: int = 1
    gpus: int = 0
    optional: bool = False


class Workload(Protocol):
    """The part of a plan that an engine needs.

    A `Plan` is one; anything with these three attributes is. Engines read them and never change
    them.

    Attributes
    ----------
    tasks
        Every input comes before the tasks that read it. Positions in this sequence name tasks
        everywhere else: in limits, resources and events.
    limits
        Limits by position; a position that is not there has none.
    resources
        Cores and cards by position; a position that is not there has no card and one core, or
        more of those that no other run needs.
    """

    @property
    def tasks(self) -> Sequence[Task]: ...  # noqa: D102
    @property
    def limits(self) -> Mapping[int, Limits]: ...  # noqa: D102
    @property
    def resources(self) -> Mapping[int, Resources]: ...  # noqa: D102


def random_stream(key: bytes) -> np.random.Generator:
    """Return the counter-based random generator for a task's `random_key`."""
    return np.random.Generator(np.random.Philox(key=int.from_bytes(key[:16], "little")))


@dataclass(frozen=True, slots=True)
class Outcome:
    """Status and cost of a finished task.

    Parameters
    ----------
    status
        One of the closed set.
    reason
        One line for a person; empty when all went well.
    detail
        Traceback and the last lines of standard error.
    wall, cpu
        Seconds of the module alone, its inputs already in memory.
    memory
        Peak memory of the module above what the process had before, in bytes.
    limits
        The limits in force, so that a larger one lets the task run again; of the two time limits
        the one that was reached.
    host
        Name of the machine that it ran on; empty if it did not run.
    """

    status: Status
    reason: str = ""
    detail: str = ""
    wall: float = 0.0
    cpu: float = 0.0
    memory: int = 0
    limits: Limits = field(default=Limits())
    host: str = ""

    def __post_init__(self) -> None:
        for name in ("reason", "detail", "host"):
            text = getattr(self, name)
            if not text.isascii():
                object.__setattr__(self, name, storable_text(text))

    def settles(self, limits: Limits, retry: Collection[Status] = ()) -> bool:
        """Whether a stored outcome is final under today's limits, so that no run is needed.

        A success is final. A failure is final unless its status is to be retried or, for
        the time and memory limits, there is more room now. A skipped task is checked again
        every time.
        """
        if self.status is Status.OK:
            return True
        if self.status is Status.SKIPPED or self.status in retry:
            return False
        if self.status is Status.TIME:
            before = self.limits
            return not (_more(limits.time, before.time) or _more(limits.cpu, before.cpu))
        return self.status is Status.ERROR or not _more(limits.memory, self.limits.memory)


def _more(now: float | None, before: float | None) -> bool:
    return before is not None and (now is None or now > before)
