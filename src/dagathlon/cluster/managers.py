"""Table of cluster managers: their names, options and constructors."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

_SCALED = ("workers", "cores", "minimum")
_LISTENS = ("interface", "host", "dashboard")
_JOBS = (
    *_SCALED,
    "memory",
    "walltime",
    "partition",
    "account",
    *_LISTENS,
    "tls",
    "log_folder",
    "job_extra",
    "prologue",
    "options",
)


@dataclass(frozen=True, kw_only=True)
class Manager:
    """A cluster manager.

    Parameters
    ----------
    module, cls
        Python module that it needs, and its class of clusters, where we use one.
    extra
        What to install for it.
    takes
        Settings that apply to it.
    words
        Its names of settings, where they differ from ours.
    programs
        Commands that this machine must have.
    living
        A command that lists the user's waiting and running jobs, a job number first on each line;
        empty where there are no jobs.
    walltime
        Its format of hours, minutes and seconds.
    needs_hosts
        Whether it logs in to machines that the user must name.
    """

    module: str
    cls: str = ""
    extra: str = "dagathlon[dask]"
    takes: tuple[str, ...] = _JOBS
    words: Mapping[str, str] = field(default_factory=dict)
    programs: tuple[str, ...] = ()
    living: tuple[str, ...] = ()
    walltime: str = "{hours:02d}:{minutes:02d}:{seconds:02d}"
    needs_hosts: bool = False

    @property
    def has_jobs(self) -> bool:
        """Whether workers are jobs of a queue."""
        return bool(self.living)

    def written_walltime(self, seconds: int) -> str:
        """Format a wall time as the manager expects it."""
        minutes, rest = divmod(seconds, 60)
        hours, minutes = divmod(minutes, 60)
        return self.walltime.format(hours=hours, minutes=minutes, seconds=rest)


MANAGERS: Mapping[str, Manager] = {
    "dask": Manager(
        module="distributed",
        takes=("scheduler", *_SCALED, "host", "dashboard", "tls", "options"),
    ),
    "slurm": Manager(
        module="dask_jobqueue",
        cls="SLURMCluster",
        words={"partition": "queue"},
        programs=("sbatch", "scancel", "squeue"),
        living=("squeue", "--me", "--noheader", "--format=%A"),
    ),
    "pbs": Manager(
        module="dask_jobqueue",
        cls="PBSCluster",
        words={"partition": "queue"},
        programs=("qsub", "qdel", "qselect"),
        living=("sh", "-c", 'qselect -u "$(id -un)"'),
    ),
    "lsf": Manager(
        module="dask_jobqueue",
        cls="LSFCluster",
        words={"partition": "queue", "account": "project"},
        programs=("bsub", "bkill", "bjobs"),
        living=("bjobs", "-noheader", "-o", "jobid"),
        walltime="{hours:02d}:{minutes:02d}",
    ),
    "sge": Manager(
        module="dask_jobqueue",
        cls="SGECluster",
        words={"partition": "queue", "account": "project"},
        programs=("qsub", "qdel", "qstat"),
        living=("qstat",),
    ),
    "kubernetes": Manager(
        module="dask_kubernetes.operator",
        cls="KubeCluster",
        extra="dask-kubernetes",
        takes=("workers", "cores", "memory", "options"),
    ),
    "ssh": Manager(
        module="distributed",
        takes=("hosts", "cores", *_LISTENS, "options"),
        needs_hosts=True,
    ),
}
