"""A folder from which a study is run in shards, anywhere: a copy, scripts and what to expect."""

from __future__ import annotations

import csv
import io
import shlex
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from dagathlon.study.engine.parts import shares, sizes
from dagathlon.study.plan.forecast import expected_seconds
from dagathlon.study.plan.plan import Plan

TABLE = "shards.csv"
STUDY_FOLDER = "study"


class Queue(NamedTuple):
    """Commands and options of a queueing system for job arrays.

    Parameters
    ----------
    file
        Name of the script.
    submit
        The command that submits it.
    header
        Its first lines; ``{count}`` is the number of shards.
    number, cores
        What the system calls the number of a job and its cores, in the language of the shell.
    """

    file: str
    submit: str
    header: Sequence[str]
    number: str
    cores: str


QUEUES = (
    Queue(
        "array.slurm",
        "sbatch array.slurm",
        (
            "#SBATCH --job-name=dagathlon",
            "#SBATCH --array=1-{count}",
            "#SBATCH --cpus-per-task=1",
            "#SBATCH --output=shard-%a.log",
        ),
        "$SLURM_ARRAY_TASK_ID",
        "${SLURM_CPUS_PER_TASK:-1}",
    ),
    Queue(
        "array.pbs",
        "qsub array.pbs",
        (
            "#PBS -N dagathlon",
            "#PBS -J 1-{count}",
            "#PBS -l select=1:ncpus=1",
            "#PBS -j oe",
            'cd "$PBS_O_WORKDIR" || exit',
        ),
        "$PBS_ARRAY_INDEX",
        "${NCPUS:-1}",
    ),
    Queue(
        "array.sge",
        "qsub array.sge",
        ("#$ -S /bin/bash", "#$ -N dagathlon", "#$ -t 1-{count}", "#$ -cwd", "#$ -j y"),
        "$SGE_TASK_ID",
        "${NSLOTS:-1}",
    ),
    Queue(
        "array.lsf",
        "bsub < array.lsf",
        ('#BSUB -J "dagathlon[1-{count}]"', "#BSUB -n 1", "#BSUB -o shard-%I.log"),
        "$LSB_JOBINDEX",
        "${LSB_DJOB_NUMPROC:-1}",
    ),
)

ALL = "run-all.sh"


def shard_table(plan: Plan, count: int) -> str:
    """Return the work of each shard as CSV; expected seconds only where costs are known."""
    seconds = expected_seconds(plan)
    text = io.StringIO()
    table = csv.writer(text, lineterminator="\n")
    table.writerow(["shard", "learning_runs", "other_tasks", "expected_seconds"])
    both = zip(shares(plan.tasks, count), sizes(plan.tasks, count), strict=True)
    for number, (share, size) in enumerate(both, 1):
        learning = [i for i in share if i in seconds]
        known = [second for second in (seconds[i] for i in learning) if second is not None]
        expected = f"{sum(known):.3g}" if len(known) == len(learning) else ""
        table.writerow([number, len(learning), size - len(learning), expected])
    return text.getvalue()


def scripts(study: str, options: Sequence[str], count: int) -> Iterator[tuple[str, str]]:
    """Yield names and contents of the job scripts.

    Parameters
    ----------
    study
        Name of the study's file.
    options
        Further options of the command that runs it.
    count
        Number of shards.
    """
    run = " ".join(["dagathlon run", _study(study), *map(shlex.quote, options)])
    for queue in QUEUES:
        number = queue.number.strip("$")
        header = "\n".join(line.format(count=count) for line in queue.header)
        command = _command(run, number, count, f' --jobs "{queue.cores}"')
        yield queue.file, f"#!/bin/bash\n{header}\nexec {command}\n"
    loop = _command(run, "shard", count, "")
    yield (
        ALL,
        "#!/bin/sh\n# All shards one after another; what is done is not done again.\n"
        f'cd "$(dirname "$0")" || exit\nshard=1\nwhile [ "$shard" -le {count} ]; do\n'
        f"  {loop} || exit\n  shard=$((shard + 1))\ndone\n",
    )


def _command(run: str, number: str, count: int, cores: str) -> str:
    return f'{run} --shard "${number}/{count}" --out "shards/shard-${number}"{cores}'


def _study(name: str) -> str:
    return shlex.quote(f"{STUDY_FOLDER}/{name}")


def readme(study: str, options: Sequence[str], count: int, version: str) -> str:
    """Return the README of the folder: its purpose, in three commands."""
    submits = "\n".join(f"       {queue.submit}" for queue in QUEUES)
    run = " ".join(["dagathlon run", _study(study), *map(shlex.quote, options)])
    return f"""\
A study in {count} shards, for array jobs. Made by dagathlon {version}; the machines that run it
need the same version, and the packages and programs that its algorithms use. All files of the
study are in the folder {STUDY_FOLDER}: this folder can be copied anywhere. {TABLE} says how much
each shard has to do.

1. Submit, from this folder (or run sh {ALL}, which does one shard after another):
{submits}
   A shard that was interrupted goes on where it stopped when it is submitted again.

2. Merge, when they have ended:
       dagathlon merge shards/shard-* --out results

3. Report, with what needs the results of several shards:
       {run} --out results
"""
