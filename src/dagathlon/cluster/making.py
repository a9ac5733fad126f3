"""Construction of dask clusters from settings: constructors, job options, credentials."""

from __future__ import annotations

import logging
import os
import shutil
import sys
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

from dagathlon.cluster.dask_parts import configured, needed
from dagathlon.cluster.listening import (
    LOCAL,
    address_of,
    dashboard_address,
    interface_of,
    listening_host,
)
from dagathlon.cluster.settings import ClusterSettings, walltime_seconds
from dagathlon.errors import DagathlonError

JOB_NAME = "dagathlon"
_CORES_PER_WORKER = 8
# Workers leave one to three margins before their wall time, not all at once.
_MARGIN, _MARGIN_SHARE = 120, 6
_DEATH_TIMEOUT = 60
_LOGIN_SECONDS = 30
_QUIET = logging.ERROR
# Run on a node, they print the address on which its worker should listen: that of an interface, or
# that by which the node reaches the scheduler.
_OF_INTERFACE = "from distributed.utils import get_ip_interface as ip; print(ip({name!r}))"
_TOWARDS_SCHEDULER = (
    "import socket; s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM); "
    "s.connect(({host!r}, 9)); print(s.getsockname()[0])"
)


class NewCluster(NamedTuple):
    """A cluster that has not been started.

    Parameters
    ----------
    cluster
        An object of one of dask's classes.
    workers
        Number of workers.
    cores
        Cores of each; 0 leaves it to the machine.
    first
        Workers to request by name, where they differ.
    """

    cluster: Any
    workers: int
    cores: int
    first: Mapping[str, Any] = MappingProxyType({})


def check_ready(settings: ClusterSettings) -> None:
    """Reject settings that cannot be started from this machine, before anything is."""
    manager = settings.manager
    needed("distributed")
    needed(manager.module, manager.extra)
    if settings.scheduler:
        return
    for program in manager.programs:
        if shutil.which(program) is None:
            raise DagathlonError(
                f"the engine {settings.kind} needs the command {program}, which this machine does "
                f"not have; run it where jobs are submitted"
            )
    if manager.has_jobs or manager.needs_hosts:
        listening_host(settings)
    if settings.tls:
        needed("cryptography")
    if manager.has_jobs:
        _job_size(settings)
    if manager.needs_hosts:
        needed("asyncssh")


def security_of(settings: ClusterSettings) -> Any:
    """Return credentials: dask's configured ones, new ones where requested, or None."""
    distributed = needed("distributed")
    configured = distributed.Security()
    if configured.tls_ca_file:
        return distributed.Security(require_encryption=True)
    return distributed.Security.temporary() if settings.tls else None


def make_cluster(settings: ClusterSettings, security: Any) -> NewCluster:
    """Return the cluster, not started yet; call it inside the event loop it will live in."""
    if settings.manager.has_jobs:
        return _jobs(settings, security)
    make: Mapping[str, Callable[[ClusterSettings, Any], NewCluster]] = {
        "dask": _local,
        "ssh": _ssh,
        "kubernetes": _kubernetes,
    }
    return make[settings.kind](settings, security)


def job_words(settings: ClusterSettings) -> dict[str, Any]:
    """Return the options of a queue's job in the manager's own terms."""
    manager = settings.manager
    words: dict[str, Any] = {
        manager.words.get(word, word): getattr(settings, word)
        for word in ("partition", "account")
        if getattr(settings, word)
    }
    if (seconds := settings.walltime_seconds()) is not None:
        words["walltime"] = manager.written_walltime(seconds)
    if settings.log_folder:
        words["log_directory"] = folder = os.path.abspath(settings.log_folder)
        if len(folder.split()) > 1:
            raise DagathlonError(
                f"log_folder: {folder!r} has a space, which the header of a job cannot hold; name "
                f"another folder with --log-folder"
            )
    if settings.job_extra:
        words["job_extra_directives"] = list(settings.job_extra)
    return words


def _local(settings: ClusterSettings, security: Any) -> NewCluster:
    all_cores = len(os.sched_getaffinity(0))
    workers = settings.workers or max(1, all_cores // (settings.cores or _CORES_PER_WORKER))
    cores = settings.cores or max(1, all_cores // workers)
    cluster = needed("distributed").LocalCluster(
        n_workers=settings.minimum or workers,
        threads_per_worker=cores,
        processes=True,
        host=listening_host(settings) if settings.host else LOCAL,
        dashboard_address=dashboard_address(settings),
        memory_limit=0,
        security=security,
        silence_logs=_QUIET,
        asynchronous=True,
        **settings.options,
    )
    return NewCluster(cluster, workers, cores)


def _jobs(settings: ClusterSettings, security: Any) -> NewCluster:
    manager = settings.manager
    host = listening_host(settings)
    cores, memory = _job_size(settings)
    words = job_words(settings)
    arguments = ["--no-dashboard", "--memory-limit", "0", *_lifetime(settings)]
    # Even without a dashboard a worker serves pages, on all interfaces unless told otherwise.
    arguments += ["--host", "$DAGATHLON_HOST", "--dashboard-address", "$DAGATHLON_HOST:0"]
    code = (
        _OF_INTERFACE.format(name=interface)
        if (interface := interface_of(settings))
        else _TOWARDS_SCHEDULER.format(host=host)
    )
    prologue = [*settings.prologue, f'DAGATHLON_HOST=$("{sys.executable}" -c "{code}")']
    words |= {
        "job_name": JOB_NAME,
        "cores": cores,
        "memory": memory,
        "processes": 1,
        "interface": "",  # workers are told an address, and so is the scheduler
        "death_timeout": _DEATH_TIMEOUT,
        "local_directory": "${TMPDIR:-/tmp}",
        "worker_extra_args": [*(configured(settings, "worker-extra-args") or []), *arguments],
        "job_script_prologue": [*(configured(settings, "job-script-prologue") or []), *prologue],
        "shared_temp_directory": words.get("log_directory"),
        "scheduler_options": _scheduler(settings, host, security),
        "security": security,
    }
    cls = getattr(needed(manager.module, manager.extra), manager.cls)
    cluster = cls(asynchronous=True, **{**words, **settings.options})
    return NewCluster(cluster, settings.workers or 1, cores)


def _ssh(settings: ClusterSettings, security: Any) -> NewCluster:
    distributed = needed("distributed")
    options = dict(settings.options)
    machines = settings.machines()
    logins = {
        "connect_options": {"connect_timeout": _LOGIN_SECONDS} | options.pop("connect_options", {}),
        "remote_python": options.pop("remote_python", None),
    }
    worker_options = options.pop("worker_options", {})
    first = {
        f"{machine}-{number}": _login(
            settings, f"{machine}-{number}", machine, worker_options, logins
        )
        for number, machine in enumerate(machines)
    }
    scheduler = _scheduler(settings, listening_host(settings), security)
    cluster = distributed.SpecCluster(
        {},
        {"cls": distributed.Scheduler, "options": scheduler},
        security=security,
        silence_logs=_QUIET,
        asynchronous=True,
        **options,
    )
    return NewCluster(cluster, len(machines), settings.cores, first)


def _login(
    settings: ClusterSettings,
    name: str,
    machine: str,
    own: Mapping[str, Any],
    logins: Mapping[str, Any],
) -> dict[str, Any]:
    """Return the options by which asyncssh starts a worker on another machine."""
    # Scheduler and workers know it by the same name, so that one that has gone is missed.
    worker: dict[str, Any] = {"name": name, "memory_limit": 0, "dashboard": False}
    if settings.cores:
        worker["nthreads"] = settings.cores
    address = address_of(machine, f"it is one of the machines of {settings.hosts}")
    worker |= {"host": address, "dashboard_address": f"{address}:0"}
    return {
        "cls": needed("distributed.deploy.ssh").Worker,
        "options": {
            "address": machine,
            "kwargs": {**worker, **own},
            "worker_class": "distributed.Nanny",
            **logins,
        },
    }


def _kubernetes(settings: ClusterSettings, _: Any) -> NewCluster:
    manager = settings.manager
    size = {"cpu": str(settings.cores or 1)}
    if (memory := settings.memory_bytes()) is not None:
        size["memory"] = str(memory)
    workers = settings.workers or 1
    words: dict[str, Any] = {
        "name": f"{JOB_NAME}-{os.getpid()}",
        "n_workers": workers,
        "resources": {"requests": size, "limits": size},
        "worker_command": ["dask-worker", "--nthreads", size["cpu"], "--memory-limit", "0"],
        "asynchronous": True,
    }
    cls = getattr(needed(manager.module, manager.extra), manager.cls)
    return NewCluster(cls(**{**words, **settings.options}), workers, settings.cores or 1)


def _scheduler(settings: ClusterSettings, host: str, security: Any) -> dict[str, Any]:
    return {
        "host": host,
        "port": 0,
        "protocol": "tcp://" if security is None else "tls://",
        "security": security,
        "dashboard": True,
        "dashboard_address": dashboard_address(settings),
    }


def _job_size(settings: ClusterSettings) -> tuple[int, Any]:
    """Return cores and memory per job, requested or of dask-jobqueue's configuration."""
    memory = settings.memory_bytes() or configured(settings, "memory")
    if not memory:
        raise DagathlonError(
            f"the engine {settings.kind} needs the memory of each job, such as 16G"
        )
    return settings.cores or configured(settings, "cores") or 1, memory


def _lifetime(settings: ClusterSettings) -> list[str]:
    """Return worker options to retire before the wall time, not all at once."""
    seconds = settings.walltime_seconds()
    if seconds is None and (text := configured(settings, "walltime")):
        try:
            seconds = walltime_seconds(str(text))
        except DagathlonError:
            return []
    if seconds is None:
        return []
    margin = min(_MARGIN, seconds // _MARGIN_SHARE)
    return ["--lifetime", f"{seconds - 2 * margin}s", "--lifetime-stagger", f"{margin}s"]
