"""Arguments and output helpers shared by several commands."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from dagathlon.errors import DagathlonError, not_written
from dagathlon.modules import add_files
from dagathlon.modules.registry import FILES
from dagathlon.modules.sources import sources
from dagathlon.study.config.study_file import code_of
from dagathlon.study.config.units import seconds_of, size_of
from dagathlon.study.plan.plan import Plan
from dagathlon.study.plan.task import Outcome
from dagathlon.study.store.results_folder import STORE_FOLDER
from dagathlon.study.store.store import Store
from dagathlon.workflow import Study

NOTHING_LEARNED = "nothing is learned, since no evaluation names an algorithm in its ids"


def write_text(path: Path, text: str) -> None:
    """Write a file; raise a user error when that fails."""
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise DagathlonError(not_written(path, error)) from None


def check_folder(path: Path | None) -> None:
    """Raise when a file cannot be written to `path`, before long work."""
    if path is None:
        return
    if not path.parent.is_dir():
        raise DagathlonError(not_written(path, FileNotFoundError()))
    if path.is_dir():
        raise DagathlonError(not_written(path, IsADirectoryError("it is a folder")))


def table(header: Sequence[str], rows: Sequence[Sequence[Any]]) -> str:
    """Format rows as text in aligned columns, numbers to the right."""
    texts = [[str(cell) for cell in row] for row in rows]
    widths = [max(map(len, column)) for column in zip(header, *texts, strict=True)]
    right = [all(isinstance(row[i], int | float) for row in rows) for i in range(len(header))]

    def line(cells: Sequence[str]) -> str:
        parts = (
            cell.rjust(width) if to_right else cell.ljust(width)
            for cell, width, to_right in zip(cells, widths, right, strict=True)
        )
        return "  ".join(parts).rstrip()

    return "\n".join([line(header), line(["-" * width for width in widths]), *map(line, texts)])


def add_modules_argument(parser: argparse.ArgumentParser) -> None:
    """Add the argument that loads user modules."""
    parser.add_argument(
        "--modules",
        type=Path,
        action="append",
        default=[],
        metavar="PATH",
        help="your own modules: a Python file, or a folder with a module.toml",
    )


def add_figures_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments that select which figures become files."""
    parser.add_argument(
        "--figures",
        choices=("asked", "all", "none"),
        default="asked",
        help="files of figures: those that the report does not show (default), all, or none",
    )
    parser.add_argument(
        "--no-figures",
        dest="figures",
        action="store_const",
        const="none",
        help="the same as --figures none: tables and report alone",
    )


def load_modules(arguments: argparse.Namespace) -> None:
    """Load the user modules that the arguments name."""
    for path in arguments.modules:
        if not path.exists():
            raise DagathlonError(f"--modules: there is no file or folder {path}")
    add_files(arguments.modules)


def add_study_arguments(parser: argparse.ArgumentParser, out: str = "") -> None:
    """Add the arguments of commands that read a study; `out` describes another output folder."""
    parser.add_argument("study", type=Path, help="the study's JSON file")
    default, results = Path("results"), "folder of results (default: results)"
    parser.add_argument("--out", type=Path, default=None if out else default, help=out or results)
    parser.add_argument(
        "--resources", type=Path, help="a Benchpress resources folder, or one of networks"
    )
    parser.add_argument(
        "--time-limit", metavar="S", help="limit of each learning run, not the study's, e.g. 90s"
    )
    add_cpu_limit(parser)
    parser.add_argument("--seed", type=int, default=0, help="added to every seed of the study")
    add_modules_argument(parser)
    parser.add_argument("--memory-limit", metavar="SIZE", help="limit of each run, e.g. 2G")


def load_study(arguments: argparse.Namespace, *, quiet: bool = False) -> Study:
    """Read the study that the arguments name; unless `quiet`, list the user code it runs."""
    if not quiet:
        _name_code(arguments)
    load_modules(arguments)
    time, memory = arguments.time_limit, arguments.memory_limit
    return Study.load(
        arguments.study,
        arguments.resources,
        None if time is None else seconds_of(time, "--time-limit"),
        None if memory is None else size_of(memory, "--memory-limit"),
        arguments.seed,
        cpu_limit=cpu_limit_of(arguments),
    )


def add_cpu_limit(parser: argparse.ArgumentParser) -> None:
    """Add the argument that limits the CPU time of runs."""
    parser.add_argument(
        "--cpu-limit",
        metavar="S",
        help="limit of processor time of each learning run, all threads and programs together, "
        "e.g. 90s: on a busy machine it is the same work",
    )


def cpu_limit_of(arguments: argparse.Namespace) -> float | None:
    """Return the CPU time limit of a run in seconds; None for none."""
    asked = arguments.cpu_limit
    return None if asked is None else seconds_of(asked, "--cpu-limit")


def warn_of_plan(study: Study) -> None:
    """Print warnings about parts of the study that no run will use."""
    for words in study.plan.warnings:
        print(f"dagathlon: warning: {words}", file=sys.stderr)


def unasked(study: Study, number: int) -> Iterator[str]:
    """Yield descriptions of additional runs that are made by default, and how to disable them."""
    runs = sum(run.setup == number for run in study.plan.further)
    for evaluation in study.config.setups[number].shown if runs else ():
        if evaluation.learns:
            yield (
                f"{evaluation.name} is part of a report without truth that was not asked for; "
                f'"{evaluation.name}": false leaves it out'
            )


def stored_outcomes(plan: Plan, out: Path) -> dict[bytes, Outcome]:
    """Return outcomes by key of those tasks of a plan that a folder of results has."""
    folder = out / STORE_FOLDER
    if not folder.is_dir():
        return {}
    with Store(folder, readonly=True) as store:
        return store.outcomes(task.key for task in plan.tasks)


def _name_code(arguments: argparse.Namespace) -> None:
    """Print which files of user code will be executed."""
    known = [path for path in os.environ.get(FILES, "").split(os.pathsep) if path]
    named = [*known, *arguments.modules, *code_of(arguments.study)]
    paths = {Path(path).resolve(): str(path) for path in named}
    for path in paths.values():
        for file in _with_imports(Path(path)):
            print(f"executes the code in {file}", file=sys.stderr)


def _with_imports(path: Path) -> list[str]:
    """Return a file or folder of code with the local files that it imports."""
    place = path.resolve()
    if not place.is_file():
        return [str(path)]
    imported = [file.relative_to(place.parent) for file in sources(place)[1:]]
    return [str(path), *sorted(str(path.parent / file) for file in imported)]
