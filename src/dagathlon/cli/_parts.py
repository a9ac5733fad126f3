"""What several commands share."""

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
    """Write a file; a place that cannot be written is a mistake of the user's."""
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise DagathlonError(not_written(path, error)) from None


def check_folder(path: Path | None) -> None:
    """Refuse a file to be written, if there is one, before long work that it would end."""
    if path is None:
        return
    if not path.parent.is_dir():
        raise DagathlonError(not_written(path, FileNotFoundError()))
    if path.is_dir():
        raise DagathlonError(not_written(path, IsADirectoryError("it is a folder")))


def table(header: Sequence[str], rows: Sequence[Sequence[Any]]) -> str:
    """Rows as text in aligned columns, numbers to the right."""
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
    """The argument that makes the user's own modules known."""
    parser.add_argument(
        "--modules",
        type=Path,
        action="append",
        default=[],
        metavar="PATH",
        help="your own modules: a Python file, or a folder with a module.toml",
    )


def add_figures_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments that say which figures become files."""
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
    """Make the user's own modules known."""
    for path in arguments.modules:
        if not path.exists():
            raise DagathlonError(f"--modules: there is no file or folder {path}")
    add_files(arguments.modules)


def add_study_arguments(parser: argparse.ArgumentParser, out: str = "") -> None:
    """The arguments of commands that read a study; `out` is said of a folder not of results."""
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
    """Read the study that the arguments name; unless `quiet`, say whose code that runs."""
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
    """The argument of commands that limit runs by their processor time."""
    parser.add_argument(
        "--cpu-limit",
        metavar="S",
        help="limit of processor time of each learning run, all threads and programs together, "
        "e.g. 90s: on a busy machine it is the same work",
    )


def cpu_limit_of(arguments: argparse.Namespace) -> float | None:
    """Seconds of processor time that a run may have."""
    asked = arguments.cpu_limit
    return None if asked is None else seconds_of(asked, "--cpu-limit")


def warn_of_plan(study: Study) -> None:
    """Print what the study says and no run will do."""
    for words in study.plan.warnings:
        print(f"dagathlon: warning: {words}", file=sys.stderr)


def unasked(study: Study, number: int) -> Iterator[str]:
    """What of the further learning of a setup nobody asked for, and how to leave it out."""
    runs = sum(run.setup == number for run in study.plan.further)
    for one in study.config.setups[number].shown if runs else ():
        if one.learns:
            yield (
                f"{one.name} is part of a report without truth that was not asked for; "
                f'"{one.name}": false leaves it out'
            )


def stored_outcomes(plan: Plan, out: Path) -> dict[bytes, Outcome]:
    """How those tasks of a plan ended that a folder of results has, by key."""
    folder = out / STORE_FOLDER
    if not folder.is_dir():
        return {}
    with Store(folder, readonly=True) as store:
        return store.outcomes(task.key for task in plan.tasks)


def _name_code(arguments: argparse.Namespace) -> None:
    """Say which files of code are executed, before they are."""
    known = [path for path in os.environ.get(FILES, "").split(os.pathsep) if path]
    named = [*known, *arguments.modules, *code_of(arguments.study)]
    paths = {Path(path).resolve(): str(path) for path in named}
    for path in paths.values():
        for file in _with_imports(Path(path)):
            print(f"executes the code in {file}", file=sys.stderr)


def _with_imports(path: Path) -> list[str]:
    """A file or folder of code as it was named, and the files beside it that it imports."""
    place = path.resolve()
    if not place.is_file():
        return [str(path)]
    imported = [file.relative_to(place.parent) for file in sources(place)[1:]]
    return [str(path), *sorted(str(path.parent / file) for file in imported)]
