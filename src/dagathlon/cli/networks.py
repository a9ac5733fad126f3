"""``dagathlon networks``: list the bundled Bayesian networks."""

from __future__ import annotations

import argparse

from dagathlon.cli._declaring import Commands, command
from dagathlon.cli._parts import table
from dagathlon.data import list_networks


def add_parser(commands: Commands) -> None:
    """Declare the command."""
    command(
        commands,
        "networks",
        "list the bundled Bayesian networks",
        "dagathlon networks",
        _run,
    )


def _run(arguments: argparse.Namespace) -> int:
    records = list_networks()
    header = ("name", "kind", "nodes", "arcs", "parameters")
    print(table(header, [(r.name, r.kind, r.n_nodes, r.n_arcs, r.n_parameters) for r in records]))
    for word, texts in (
        ("origin", dict.fromkeys(record.origin for record in records)),
        ("licence", dict.fromkeys(record.licence for record in records)),
    ):
        for text in texts:
            print(f"\n{word}: {text}")
    return 0
