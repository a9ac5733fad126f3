"""``dagathlon fit``: estimate a network's parameters on a graph."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import get_args

from dagathlon.cli._data import add_data_arguments, data_from
from dagathlon.cli._declaring import Commands, command
from dagathlon.cli._parts import check_folder
from dagathlon.data import About, fit, write_network
from dagathlon.data.models.fitting import DEFAULT_PRIOR, Method
from dagathlon.errors import DagathlonError
from dagathlon.graphs import Graph, read_graph
from dagathlon.wording import agreeing, counted


def add_parser(commands: Commands) -> None:
    """Declare the command."""
    parser = command(
        commands,
        "fit",
        "estimate the probabilities of a network from data, on a learned graph",
        "dagathlon fit data.csv graph.csv --out network.bif",
        _run,
    )
    add_data_arguments(parser)
    parser.add_argument("graph", type=Path, help="graph file, as dagathlon learn --out writes it")
    parser.add_argument(
        "--out",
        type=Path,
        required=True,
        help="network file: .bif (discrete) or .dagnet (any kind)",
    )
    parser.add_argument(
        "--method",
        choices=get_args(Method),
        default="bayes",
        help="probabilities as posterior means (bayes, the default) or relative frequencies (mle)",
    )
    parser.add_argument(
        "--prior",
        type=float,
        metavar="ROWS",
        help=f"imaginary rows of the uniform prior of bayes (default {DEFAULT_PRIOR:g})",
    )


def _run(arguments: argparse.Namespace) -> int:
    check_folder(arguments.out)
    if arguments.method == "mle" and arguments.prior is not None:
        raise DagathlonError("--prior belongs to --method bayes; mle has none")
    graph, data = read_graph(arguments.graph), data_from(arguments)
    if arguments.out.suffix == ".bif" and not data.select(graph.names).is_discrete:
        raise DagathlonError(
            f"{arguments.out}: BIF holds discrete networks, and these data have continuous columns;"
            f" write {arguments.out.with_suffix('.dagnet').name} instead"
        )
    prior = DEFAULT_PRIOR if arguments.prior is None else arguments.prior
    about = About(name=arguments.data.stem)
    network = fit(data, graph, method=arguments.method, prior=prior, about=about)
    write_network(network, arguments.out)
    _say_direction(graph, network.graph)
    print(f"{network!r}: {arguments.out}")
    return 0


def _say_direction(graph: Graph, dag: Graph) -> None:
    if graph.is_dag:
        return
    undirected = sum(edge.connector == "-" for edge in graph.edges())
    taken = [str(edge) for edge in dag.edges() if edge.right in graph.neighbours(edge.left)]
    print(
        f"{counted(undirected, 'edge')} of the graph {agreeing(undirected, 'has', 'have')} no "
        "direction; of the DAGs that it represents, which all fit equally well, "
        "one was taken: "
        f"{', '.join(taken[:8])}{', …' if undirected > 8 else ''}",
        file=sys.stderr,
    )
