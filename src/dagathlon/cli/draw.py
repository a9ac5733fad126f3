"""``dagathlon draw``: draw a graph."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import get_args

from dagathlon.cli._declaring import Commands, command
from dagathlon.cli._parts import check_folder
from dagathlon.data import Network, list_networks
from dagathlon.errors import listing
from dagathlon.graphs import Graph, read_graph
from dagathlon.graphs.drawing.arrange import LayoutName
from dagathlon.graphs.drawing.picture import draw
from dagathlon.graphs.measurement_files import is_measurement_file, read_measurement
from dagathlon.wording import counted


def add_parser(commands: Commands) -> None:
    """Declare the command."""
    parser = command(
        commands,
        "draw",
        "draw a graph as SVG, PNG, PDF or for Graphviz",
        "dagathlon draw graph.csv --truth truth.csv --out graph.png",
        _run,
    )
    parser.add_argument(
        "graph", help="file of a graph or of a measurement model (.json), or a bundled network"
    )
    parser.add_argument(
        "--out", type=Path, required=True, help="file to write: .svg, .png, .pdf or .dot"
    )
    parser.add_argument(
        "--truth", help="a graph to compare with: edges are coloured by whether they are right"
    )
    parser.add_argument(
        "--layout",
        choices=get_args(LayoutName),
        default="auto",
        help="layered (arrows point down), stress (by distance) or grid; default: what suits it, "
        "and bars of degrees, parts and hubs for more than 2,000 nodes",
    )
    parser.add_argument("--width", type=float, metavar="PIXELS", help="width of the picture")
    parser.add_argument(
        "--dark", action="store_true", help="on dark paper; an SVG follows the reader otherwise"
    )


def _run(arguments: argparse.Namespace) -> int:
    check_folder(arguments.out)
    graph, latents = _graph(arguments.graph), _latents(arguments.graph)
    truth = None if arguments.truth is None else _graph(arguments.truth)
    if truth is not None:
        graph, truth = _shared(graph, truth)
    draw(
        graph,
        arguments.out,
        truth=truth,
        layout=arguments.layout,
        width=arguments.width,
        dark=arguments.dark or None,
        latents=latents,
    )
    edges = counted(graph.n_edges, "edge")
    print(f"{counted(len(graph), 'node')} and {edges}: {arguments.out}")
    return 0


def _graph(name: str) -> Graph:
    on_board = {record.name for record in list_networks()}
    if name in on_board and not Path(name).is_file():
        return Network.load(name).graph
    if is_measurement_file(Path(name)):
        return read_measurement(name).graph
    return read_graph(name)


def _latents(name: str) -> tuple[str, ...]:
    """Return the latent variables of a measurement model."""
    return read_measurement(name).latents if is_measurement_file(Path(name)) else ()


def _shared(graph: Graph, truth: Graph) -> tuple[Graph, Graph]:
    """Return both graphs over their common nodes; print the nodes left out."""
    odd = sorted(set(graph.names) ^ set(truth.names))
    names = [name for name in graph.names if name in truth]
    if odd and names:
        print(
            f"drawn over the {len(names)} nodes of both; left out: {listing(odd)}", file=sys.stderr
        )
        return graph.subgraph(names), truth.subgraph(names)
    return graph, truth
