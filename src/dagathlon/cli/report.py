"""``dagathlon report``: write tables and report again from stored results."""

from __future__ import annotations

import argparse
from pathlib import Path

from dagathlon.cli._parts import (
    Commands,
    add_figures_arguments,
    add_modules_argument,
    command,
    load_modules,
)
from dagathlon.workflow import rewrite


def add_parser(commands: Commands) -> None:
    """Declare the command."""
    parser = command(
        commands,
        "report",
        "write tables, figures and report of a study again; nothing is learned",
        "dagathlon report results",
        _run,
    )
    parser.add_argument("folder", type=Path, help="folder of results")
    add_figures_arguments(parser)
    add_modules_argument(parser)


def _run(arguments: argparse.Namespace) -> int:
    load_modules(arguments)
    for report, notes in rewrite(arguments.folder, arguments.figures):
        for note in notes:
            print(f"{report.parent.name}: {note}")
        print(f"report: {report}")
    return 0
