"""``dagathlon run``: run a study and write its report."""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Iterator
from pathlib import Path

from dagathlon.cli._declaring import Commands, command
from dagathlon.cli._exit_codes import INTERRUPTED
from dagathlon.cli._parts import (
    NOTHING_LEARNED,
    add_figures_arguments,
    add_study_arguments,
    load_study,
    unasked,
    warn_of_plan,
)
from dagathlon.cluster.detach import add_detach_arguments, detach, refuse_coordinator
from dagathlon.cluster.flags import add_cluster_arguments, chosen_engine
from dagathlon.errors import DagathlonError, unknown
from dagathlon.study.engine.engines import make_engine
from dagathlon.study.engine.inline import InlineEngine
from dagathlon.study.engine.parts import MOST_SHARDS
from dagathlon.study.engine.protocol import Options
from dagathlon.study.plan.task import FORMER_STATUSES, Status
from dagathlon.study.records.display import make_display
from dagathlon.study.records.provenance import source_lines
from dagathlon.wording import counted
from dagathlon.workflow import Study


def add_parser(commands: Commands) -> None:
    """Declare the command."""
    parser = command(
        commands,
        "run",
        "run a study and write its tables, figures and report",
        "dagathlon run studies/quickstart.json --jobs 2",
        _run,
    )
    add_study_arguments(parser)
    parser.add_argument(
        "--jobs", type=int, default=0, help="cores to use (default: all of this machine)"
    )
    parser.add_argument(
        "--engine",
        metavar="NAME",
        help="local (default): guarded processes; inline: one process, for a debugger; batched: "
        "one process, data sets of a learner together where it can take them; dask, slurm, pbs, "
        "lsf, sge, ssh, kubernetes: on a cluster",
    )
    parser.add_argument(
        "--raise",
        dest="raises",
        action="store_true",
        help="with --engine inline or batched: end with the exception of the first failure",
    )
    parser.add_argument(
        "--retry",
        default="",
        metavar="timeout,error",
        help="run tasks again that failed in these ways",
    )
    parser.add_argument("--limit", type=int, metavar="N", help="a quick look: only N learning runs")
    add_shard_argument(parser)
    parser.add_argument("--shuffle", type=int, nargs="?", const=1, help="random order of the runs")
    add_figures_arguments(parser)
    parser.add_argument("--quiet", action="store_true", help="print only what went wrong")
    parser.add_argument("--json-log", type=Path, metavar="FILE", help="one JSON object per event")
    add_detach_arguments(parser)
    add_cluster_arguments(parser)


def _run(arguments: argparse.Namespace) -> int:
    if arguments.jobs < 0:
        raise DagathlonError(f"--jobs is a number of cores, found {arguments.jobs}")
    if arguments.limit is not None and arguments.limit < 1:
        raise DagathlonError(f"--limit is at least 1, found {arguments.limit}")
    shard = shard_of(arguments)
    chosen = chosen_engine(arguments)
    refuse_coordinator(arguments, chosen)
    engine = make_engine(
        chosen.engine, jobs=arguments.jobs, raises=arguments.raises, **chosen.settings
    )
    study = load_study(arguments, quiet=arguments.quiet)
    warn_of_plan(study)
    for number, setup in enumerate(study.config.setups):
        if not setup.algorithm_ids():
            print(f"dagathlon: warning: {setup.title}: {NOTHING_LEARNED}", file=sys.stderr)
        for words in () if arguments.quiet else _announced(study, number):
            print(f"{setup.title}: {words}", file=sys.stderr)
    options = Options(_statuses(arguments.retry), arguments.shuffle, arguments.limit, shard)
    if arguments.detach:
        return detach(arguments, chosen)
    moving = engine.name != InlineEngine.name  # a debugger wants the terminal to itself
    with make_display(study.plan, arguments.quiet, arguments.json_log, moving) as display:
        summary = study.run(
            arguments.out,
            options=options,
            on_event=display.on_event,
            engine=engine,
            figures=arguments.figures,
        )
        display.finish(summary)
    if summary.interrupted:
        print(f"dagathlon report {arguments.out} shows what is there")
        return INTERRUPTED
    if shard is not None:
        if not arguments.quiet:
            print(what_next(shard, arguments.study, arguments.out))
        return 0
    if not arguments.quiet:
        if statuses := {status for status, _ in summary.failures()}:
            ended = "were skipped" if statuses == {Status.SKIPPED} else "failed"
            print(f"the report says why runs {ended}")
        for title, folder in summary.folders.items():
            print(f"\n{summary.board(title)}\n\nreport: {folder / 'report.html'}".lstrip("\n"))
    return 0


def _announced(study: Study, number: int) -> Iterator[str]:
    """Yield where the data of a setup come from, and additional runs made by default."""
    yield from source_lines(study.sources(number))
    further = sum(run.setup == number for run in study.plan.further)
    for words in unasked(study, number):
        yield f"with {counted(further, 'further learning run')}: {words}"


def _statuses(text: str) -> frozenset[Status]:
    words = [word.strip() for word in text.split(",") if word.strip()]
    allowed = [Status.TIME, Status.ERROR, Status.MEMORY]
    for word in words:
        if word in FORMER_STATUSES:
            now = FORMER_STATUSES[word].value
            note = f"note: --retry {word} is --retry {now} now; the code goes with 1.0"
            print(note, file=sys.stderr)
        elif word not in [status.value for status in allowed]:
            raise DagathlonError(unknown("status", word, allowed, "--retry"))
    return frozenset(Status(word) for word in words)


def add_shard_argument(parser: argparse.ArgumentParser) -> None:
    """Add the argument that selects a shard."""
    parser.add_argument(
        "--shard", metavar="N/COUNT", help="only one of COUNT parts of the study, for array jobs"
    )


def shard_of(arguments: argparse.Namespace) -> tuple[int, int] | None:
    """Return number and count of the requested shard; None for the whole study."""
    text = arguments.shard
    if text is None:
        return None
    if arguments.limit is not None:
        raise DagathlonError("--shard and --limit both choose a part of the study; give one")
    found = re.fullmatch(r"([0-9]{1,9})/([0-9]{1,9})", text)
    number, count = (int(found[1]), int(found[2])) if found else (0, 0)
    if not 1 <= number <= count:
        raise DagathlonError(
            "--shard is the number of a part and how many there are, from 1/100 to 100/100 for a "
            f"hundred of them; found {text!r}"
        )
    if count > MOST_SHARDS:
        raise DagathlonError(
            f"--shard divides a study into {MOST_SHARDS:,} parts at most; found {text!r}"
        )
    return number, count


def what_next(shard: tuple[int, int], study: Path, out: Path) -> str:
    """Describe how to continue after a shard is done."""
    number, count = shard
    return (
        f"shard {number}/{count} is done. When all are:\n"
        f"  dagathlon merge FOLDERS… --out DIR   unless all shards wrote to {out}\n"
        f"  dagathlon run {study} --out DIR   the rest and the report, without --shard"
    )
