"""``dagathlon merge``: merge results of several machines into one folder."""

from __future__ import annotations

import argparse
from pathlib import Path

from dagathlon.cli._declaring import Commands, command
from dagathlon.cli._merging import merge_into


def add_parser(commands: Commands) -> None:
    """Declare the command."""
    parser = command(
        commands,
        "merge",
        "merge results of several machines, or shards of a study, into one folder",
        "dagathlon merge shards/shard-* --out results",
        _run,
    )
    parser.add_argument(
        "sources", type=Path, nargs="+", metavar="FOLDER", help="folders of results, or stores"
    )
    parser.add_argument(
        "--out",
        type=Path,
        default=Path("results"),
        help="folder of results that they are merged into (default: results)",
    )


def _run(arguments: argparse.Namespace) -> int:
    sources: list[Path] = arguments.sources
    return merge_into(sources, arguments.out, [str(source) for source in sources])
