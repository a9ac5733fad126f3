"""``dagathlon pull``: fetch and merge results of another machine."""

from __future__ import annotations

import argparse
from pathlib import Path

from dagathlon.cli._declaring import Commands, command
from dagathlon.cli._merging import merge_into
from dagathlon.errors import DagathlonError
from dagathlon.study.store.pulling import Pull, cache_of, is_here
from dagathlon.study.store.results_folder import STORE_FOLDER


def add_parser(commands: Commands) -> None:
    """Declare the command."""
    parser = command(
        commands,
        "pull",
        "fetch results from another machine by rsync and ssh, and merge them",
        "dagathlon pull ada@workstation:study/results --out results",
        _run,
    )
    parser.add_argument(
        "address", metavar="[USER@]HOST:DIR", help="folder of results there, or one of this machine"
    )
    parser.add_argument(
        "--out",
        type=Path,
        default=Path("results"),
        help="folder of results that they are merged into (default: results)",
    )
    parser.add_argument(
        "--ssh",
        default="ssh",
        metavar="COMMAND",
        help="how to connect, e.g. 'ssh -p 2222' (default: ssh)",
    )


def _run(arguments: argparse.Namespace) -> int:
    address, out = arguments.address, arguments.out
    if is_here(address) and Path(address).resolve() == out.resolve():
        raise DagathlonError(f"{address}: is the folder that results are merged into")
    cache = cache_of(address, out)
    Pull(address, cache, arguments.ssh, STORE_FOLDER).fetch(print)
    return merge_into([cache], out, [address])
