"""``dagathlon networks``: the Bayesian networks on board."""

from __future__ import annotations

import argparse

from dagathlon.cli._parts import Commands, command, table
from dagathlon.data import list_networks


def add_parser(commands: Commands) -> None:
    """Declare the command."""
    command(
        commands,
        "networks",
        "list the Bayesian networks on board",
        "dagathlon networks",
        _run,
    )


def _run(arguments: argparse.Namespace) -> int:
    header = ("name", "kind", "nodes", "arcs", "parameters", "origin", "licence")
    rows = [
        (r.name, r.kind, r.n_nodes, r.n_arcs, r.n_parameters, r.origin, r.licence)
        for r in list_networks()
    ]
    print(table(header, rows))
    return 0
