"""Settings of clusters, the same for all managers, validated before anything starts."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from dagathlon.cluster.managers import MANAGERS, Manager
from dagathlon.errors import DagathlonError, no_such_file, unknown
from dagathlon.study.config.units import seconds_of, size_of

_WALLTIME = re.compile(r"(?:(\d+)-)?(\d+):([0-5]\d):([0-5]\d)")
_ADDRESS = re.compile(r"\w+://\S+:\d+")
_DASHBOARD = re.compile(r"\S*:\d+")


@dataclass(frozen=True, kw_only=True)
class ClusterSettings:
    """Settings of a cluster; empty, 0 and false mean not requested.

    Parameters
    ----------
    kind
        One of `MANAGERS`.
    scheduler
        Address of a dask scheduler that runs already, such as ``tcp://node7:8786``.
    workers
        Number of workers; with a manager of jobs, one per job.
    cores
        Cores of each worker.
    memory
        Memory of each job, such as ``16G``.
    walltime
        How long a job may last, such as ``12:00:00`` or ``2-00:00:00``.
    partition
        Partition or queue of the jobs.
    account
        Account or project that the jobs are charged to.
    hosts
        File with the machines to log in to, one in a line.
    interface
        Network interface that scheduler and workers listen on, such as ``ib0``.
    host
        Name or address of this machine that the scheduler listens on.
    dashboard
        Address of dask's dashboard, such as ``:8787`` for all to see; this machine alone otherwise.
    minimum
        Keep at least so many workers, and up to `workers` as there is work for them.
    tls
        Encrypt what goes between the machines, with credentials made for this run.
    log_folder
        Folder for the logs of jobs, visible to all machines.
    job_extra
        Further directives of a job, such as ``--gres=gpu:1``.
    prologue
        Lines of the job's script before the worker starts, such as ``module load python``.
    options
        Anything else, as the cluster's constructor takes it.
    """

    kind: str
    scheduler: str = ""
    workers: int = 0
    cores: int = 0
    memory: str = ""
    walltime: str = ""
    partition: str = ""
    account: str = ""
    hosts: str = ""
    interface: str = ""
    host: str = ""
    dashboard: str = ""
    minimum: int = 0
    tls: bool = False
    log_folder: str = ""
    job_extra: tuple[str, ...] = ()
    prologue: tuple[str, ...] = ()
    options: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.kind not in MANAGERS:
            raise DagathlonError(unknown("engine", self.kind, MANAGERS))
        self._check_words()
        self._check_numbers()
        self._check_texts()
        if self.manager.needs_hosts:
            self.machines()

    @property
    def manager(self) -> Manager:
        """The manager of the cluster."""
        return MANAGERS[self.kind]

    @property
    def asked(self) -> tuple[str, ...]:
        """Names of the settings that were given."""
        names = (each.name for each in dataclasses.fields(self) if each.name != "kind")
        return tuple(name for name in names if getattr(self, name))

    def memory_bytes(self) -> int | None:
        """Memory per job in bytes; None when not given."""
        return size_of(self.memory, "memory") if self.memory else None

    def walltime_seconds(self) -> int | None:
        """Wall time of a job in seconds; None when not given."""
        return walltime_seconds(self.walltime) if self.walltime else None

    def machines(self) -> list[str]:
        """The machines to log in to."""
        if not self.hosts:
            raise DagathlonError(f"the engine {self.kind} needs hosts: a file of machines")
        path = Path(self.hosts)
        try:
            lines = path.read_text(encoding="utf-8").splitlines()
        except FileNotFoundError:
            raise DagathlonError(f"hosts: {no_such_file(path)}") from None
        except (OSError, UnicodeDecodeError) as error:
            raise DagathlonError(f"hosts: {path}: cannot be read ({error})") from None
        names = [line.partition("#")[0].strip() for line in lines]
        if wrong := [name for name in names if len(name.split()) > 1]:
            raise DagathlonError(f"hosts: {path}: {wrong[0]!r} is no machine; write one in a line")
        if not any(names):
            raise DagathlonError(f"hosts: {path}: it names no machine")
        return [name for name in names if name]

    def _check_words(self) -> None:
        takes = ("scheduler",) if self.scheduler and self.kind == "dask" else self.manager.takes
        for word in self.asked:
            if word not in takes:
                addition = " with a scheduler that runs already" if takes == ("scheduler",) else ""
                known = ", ".join(takes)
                raise DagathlonError(
                    f"the engine {self.kind}{addition} has no {word}; it takes {known}"
                )

    def _check_numbers(self) -> None:
        for word in ("workers", "cores", "minimum"):
            value = getattr(self, word)
            if isinstance(value, bool) or not isinstance(value, int) or value < 0:
                raise DagathlonError(f"{word} is a number from 1 on, found {value!r}")
        if self.minimum > self.workers:
            raise DagathlonError(
                f"minimum is {self.minimum}, more than the {self.workers} workers there may be"
            )

    def _check_texts(self) -> None:
        self.memory_bytes()
        self.walltime_seconds()
        if self.scheduler and not _ADDRESS.fullmatch(self.scheduler):
            raise DagathlonError(
                f"scheduler is an address such as tcp://node7:8786, found {self.scheduler!r}"
            )
        if self.dashboard and not _DASHBOARD.fullmatch(self.dashboard):
            raise DagathlonError(
                f"dashboard is an address such as :8787 or node7:8787, found {self.dashboard!r}"
            )
        if self.interface and self.host:
            raise DagathlonError("interface and host both say where to listen; give one of them")


def walltime_seconds(text: str) -> int:
    """Parse a wall time such as ``12:00:00``, ``2-00:00:00`` or ``"90min"`` into seconds."""
    match = _WALLTIME.fullmatch(text.strip())
    if match is not None:
        days, hours, minutes, seconds = (int(part or 0) for part in match.groups())
        found = ((days * 24 + hours) * 60 + minutes) * 60 + seconds
    elif ":" in text or text.strip().isdigit():
        # 90 and 12:00 are minutes to one manager, seconds or hours to another.
        found = 0
    else:
        found = int(seconds_of(text, "walltime"))
    if found < 60:
        raise DagathlonError(
            f"walltime is at least a minute, such as 12:00:00, 2-00:00:00 or 90min, found {text!r}"
        )
    return found
