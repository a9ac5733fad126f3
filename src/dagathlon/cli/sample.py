"""``dagathlon sample``: draw data from a network."""

from __future__ import annotations

import argparse
from pathlib import Path

from dagathlon.cli._declaring import Commands, command
from dagathlon.data import Network, write_data
from dagathlon.errors import DagathlonError
from dagathlon.graphs import write_graph
from dagathlon.learners.api import seed_of
from dagathlon.wording import counted


def add_parser(commands: Commands) -> None:
    """Declare the command."""
    parser = command(
        commands,
        "sample",
        "draw data from a Bayesian network",
        "dagathlon sample --network alarm --n 1000 --seed 1 --out alarm.csv",
        _run,
    )
    parser.add_argument(
        "--network", required=True, help="name of a bundled network, or a network file"
    )
    parser.add_argument("--n", type=int, required=True, help="number of rows")
    parser.add_argument("--seed", type=int, default=1, help="random seed (default 1)")
    parser.add_argument("--out", type=Path, required=True, help="file to write")
    parser.add_argument("--truth", type=Path, help="file for the network's own graph")


def _run(arguments: argparse.Namespace) -> int:
    if arguments.n < 1:
        raise DagathlonError(f"--n is at least 1, found {arguments.n}")
    seed = seed_of(arguments.seed, "--seed")
    network = Network.load(arguments.network)
    data = network.sample(arguments.n, seed)
    write_data(data, arguments.out)
    if arguments.truth is not None:
        write_graph(network.graph, arguments.truth)
    size = f"{counted(len(data), 'row')} of {counted(len(data.variables), 'variable')}"
    print(f"{size}: {arguments.out}")
    return 0
