"""``dagathlon report``: rewrite tables and report from stored results."""

from __future__ import annotations

import argparse
from pathlib import Path

from dagathlon.cli._declaring import Commands, command
from dagathlon.cli._parts import add_figures_arguments, add_modules_argument, load_modules
from dagathlon.errors import terminal_text
from dagathlon.evaluate.ranking.ranks import UNITS
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
    parser.add_argument(
        "--rank-unit",
        choices=UNITS,
        help="what counts once in average ranks: data_set or block (a true graph with a seed); "
        "default: what the study says, else data_set",
    )
    add_figures_arguments(parser)
    add_modules_argument(parser)


def _run(arguments: argparse.Namespace) -> int:
    load_modules(arguments)
    for report, notes in rewrite(arguments.folder, arguments.figures, arguments.rank_unit):
        for note in notes:
            print(terminal_text(f"{report.parent.name}: {note}"))
        print(terminal_text(f"report: {report}"))
    return 0
