"""Interface of engines: options, events, summary."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, ClassVar, Protocol, TypeAlias

from dagathlon.study.plan.task import Outcome, Status, Task, TaskKind, Workload
from dagathlon.study.store.store import Store

OBJECT = "object"
"""Metadata key of engine fields that take objects, which no command line can name."""


@dataclass(frozen=True)
class Options:
    """Options of a run.

    Parameters
    ----------
    retry
        Statuses of stored outcomes that are run again.
    shuffle
        Seed of a random order of the tasks that could run; None keeps the order of the plan.
    limit
        Run only so many learning tasks, with what they need: a quick look.
    shard
        Run only one part of the plan: its number, from 1, and the number of parts.
    """

    retry: Collection[Status] = ()
    shuffle: int | None = None
    limit: int | None = None
    shard: tuple[int, int] | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "retry", frozenset(map(Status, self.retry)))  # also former codes

    @property
    def partial(self) -> bool:
        """Whether only a part of the plan is asked for."""
        return self.limit is not None or self.shard is not None


@dataclass(frozen=True, slots=True)
class Began:
    """Event: the store was consulted; tasks to do and stored, by kind and module."""

    to_do: Mapping[tuple[str, str], int]
    stored: Mapping[tuple[str, str], int]


@dataclass(frozen=True, slots=True)
class Finished:
    """Event: a task's outcome is in the store."""

    position: int
    task: Task
    outcome: Outcome


@dataclass(frozen=True, slots=True)
class Host:
    """The workers of one machine, for displays of a run.

    Parameters
    ----------
    name
        Name of the machine.
    workers
        Number of tasks it can run at the same time.
    given
        Tasks sent and not reported: running, or waiting there.
    done, failed
        Tasks finished in this run, and how many of them failed.
    remark
        Why it gets no tasks, or another remark; empty when all is well.
    """

    name: str
    workers: int
    given: int = 0
    done: int = 0
    failed: int = 0
    remark: str = ""


@dataclass(frozen=True, slots=True)
class Running:
    """Event, several times a second: what is running.

    Parameters
    ----------
    positions
        Known running tasks.
    memory
        Memory of all workers, in bytes.
    hosts
        The machines at work.
    queued
        Number of ready tasks.
    rate
        Recent tasks per second.
    seconds_left
        Estimated remaining seconds; None without an estimate.
    """

    positions: tuple[int, ...]
    memory: int
    hosts: tuple[Host, ...] = ()
    queued: int = 0
    rate: float = 0.0
    seconds_left: float | None = None

    @property
    def at_once(self) -> int:
        """Number of running tasks, also where only their number is known."""
        busy = sum(min(host.workers, host.given) for host in self.hosts)
        if len(self.hosts) == 1 and self.positions:
            return len(self.positions)
        return max(len(self.positions), busy)


@dataclass(frozen=True, slots=True)
class Note:
    """Event: a remark, such as a damaged result or a replaced worker."""

    text: str


@dataclass(frozen=True, slots=True)
class Writing:
    """Event: all tasks are done; tables, figures and the report are being written.

    Emitted at the beginning, then with the number of figures done so far.
    """

    figures: int = 0
    asked: int = 0


Event: TypeAlias = Began | Finished | Running | Note | Writing
"""Events of a run: `Began` once, then `Finished` for every task (its outcome is in the
store by then) with `Running` a few times a second and `Note` between them; `Writing` at the end.
"""

OnEvent: TypeAlias = Callable[[Event], None]
"""Event listener, called in the engine's own loop: slow listeners delay the run."""


def silent(event: Event) -> None:
    """Ignore an event."""


@dataclass
class Summary:
    """Result of a run: counts of tasks by status, hosts, interruption.

    Parameters
    ----------
    ran
        Tasks that ran now, by status, kind and module.
    stored
        Tasks whose outcome was in the store already, by status, kind and module.
    seconds
        Wall-clock time of the whole run.
    interrupted
        Whether it was stopped before the end; the same command goes on from there.
    partial
        Whether it was limited to a part of the plan.
    hosts
        The machines that worked, with counts of their tasks.
    """

    ran: Counter[tuple[str, str, str]] = field(default_factory=Counter)
    stored: Counter[tuple[str, str, str]] = field(default_factory=Counter)
    seconds: float = 0.0
    interrupted: bool = False
    partial: bool = False
    hosts: tuple[Host, ...] = field(default_factory=tuple)

    def count(self, counted: Counter[tuple[str, str, str]], task: Task, status: Status) -> None:
        """Add one task to `ran` or `stored`."""
        counted[status.value, task.call.kind.value, task.call.module] += 1

    def failures(self) -> Counter[tuple[str, str]]:
        """Return numbers of failed tasks, now or earlier, by status and module.

        Mere consequences of a failure, such as the score of a graph that was not learned,
        do not count.
        """
        failures: Counter[tuple[str, str]] = Counter()
        for (status, kind, module), n in (self.ran + self.stored).items():
            follows = status == Status.SKIPPED and kind in (TaskKind.ESTIMATE, TaskKind.SCORE)
            if status != Status.OK and not follows:
                failures[status, module] += n
        return failures

    def to_json(self) -> dict[str, Any]:
        """Return plain data for logs and `status`."""
        return {
            "ran": [[*key, n] for key, n in sorted(self.ran.items())],
            "stored": [[*key, n] for key, n in sorted(self.stored.items())],
            "seconds": self.seconds,
            "interrupted": self.interrupted,
            "partial": self.partial,
            "hosts": [asdict(host) for host in self.hosts],
        }


class Engine(Protocol):
    """Runs a plan; every finished task is stored before it is announced.

    An engine is a frozen dataclass, whose fields are its settings. It decides where tasks are
    performed (`perform`) and how their limits are enforced; scheduling, storage and events are
    the same for all (`Coordinator`).

    Attributes
    ----------
    name
        Its name for ``--engine`` and `Study.run`.
    """

    name: ClassVar[str]

    def __init__(self, *args: Any, **settings: Any) -> None: ...

    def run(
        self, plan: Workload, store: Store, *, on_event: OnEvent = ..., options: Options = ...
    ) -> Summary:
        """Run all tasks that have no outcome in the store yet.

        Parameters
        ----------
        plan
            The tasks.
        store
            The store of outcomes.
        on_event
            Called with every event.
        options
            Order, retries, quick look.
        """
