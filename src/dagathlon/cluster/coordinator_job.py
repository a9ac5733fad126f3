"""The coordinator of a run as a job of a queue, so that no terminal has to stay open."""

from __future__ import annotations

import asyncio
import os
import shlex
import subprocess
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from dagathlon.cluster.autoscaler import job_number, manager_error
from dagathlon.cluster.dask_parts import needed
from dagathlon.cluster.making import JOB_NAME, job_words
from dagathlon.cluster.settings import ClusterSettings
from dagathlon.errors import DagathlonError

MEMORY, WALLTIME = "2G", "24:00:00"
_ANSWER_SECONDS = 30.0


def submit_coordinator(
    settings: ClusterSettings,
    command: Sequence[str],
    log: Path,
    memory: str = MEMORY,
    walltime: str = WALLTIME,
) -> str:
    """Submit a command as a one-core job in the current folder; return the job's number.

    Parameters
    ----------
    settings
        Settings of the cluster, whose queue the job goes to.
    command
        The command and its arguments.
    log
        File for its output.
    memory, walltime
        Limits of the job.
    """
    logs = settings.log_folder or str(log.resolve().parent / "logs")
    job_settings = replace(settings, memory=memory, walltime=walltime, log_folder=logs)
    job = _job(job_settings, command, log)
    try:
        asyncio.run(_start(job))
    except Exception as error:  # whatever a queue may answer
        raise DagathlonError(
            f"{settings.kind}: the job was refused: {manager_error(error)}"
        ) from None
    return str(job.job_id)


def job_is_there(settings: ClusterSettings, job: str) -> bool:
    """Whether a job waits or runs; True as well when the queue does not answer."""
    try:
        done = subprocess.run(
            settings.manager.living,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
            timeout=_ANSWER_SECONDS,
        )
    except subprocess.TimeoutExpired:
        return True
    listed = {job_number(line) for line in done.stdout.splitlines()}
    return bool(done.returncode) or job_number(job) in listed


def _job(settings: ClusterSettings, command: Sequence[str], log: Path) -> Any:
    manager = settings.manager
    base: Any = getattr(needed(manager.module, manager.extra), manager.cls).job_cls

    class CoordinatorJob(base):  # type: ignore[misc]
        """A dask-jobqueue job with the manager's header and our command in place of a worker's."""

        def job_script(self) -> str:
            quoted = shlex.quote(str(log.resolve()))
            lines = [
                self.shebang,
                self.job_header,
                f"cd {shlex.quote(os.getcwd())} || exit 1",
                *settings.prologue,
                f"exec {shlex.join(command)} >> {quoted} 2>&1",
            ]
            return "\n".join(lines) + "\n"

    return CoordinatorJob(
        scheduler="",
        name=JOB_NAME,
        job_name=f"{JOB_NAME}-run",
        cores=1,
        processes=1,
        memory=settings.memory_bytes(),
        **job_words(settings),
    )


async def _start(job: Any) -> None:
    await job.start()
