"""Further output of ``dagathlon learn``: precision matrix, path, measurement model."""

from __future__ import annotations

import argparse
from pathlib import Path

from dagathlon.cli._parts import check_folder
from dagathlon.data.writing.precision_file import write_precision
from dagathlon.errors import DagathlonError
from dagathlon.graphs.measurement_files import check_measurement_suffix, write_measurement
from dagathlon.graphs.path_files import check_path_suffix, write_path
from dagathlon.learners import Estimate


def add_selection_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the output files for a precision matrix or graphs along a path of penalties."""
    parser.add_argument(
        "--precision",
        type=Path,
        metavar="FILE.csv",
        help="table of the estimated precision matrix, of learners of Gaussian models",
    )
    parser.add_argument(
        "--path",
        type=Path,
        metavar="FILE",
        help="file for the graphs along the penalties: .npz, or .csv with an edge in each line",
    )
    parser.add_argument(
        "--measurement",
        type=Path,
        metavar="FILE",
        help="file for the latent variables with their indicators: .json, or .csv with a pair in "
        "each line",
    )


def check_selection_places(arguments: argparse.Namespace) -> None:
    """Raise when an output file cannot be written, before learning."""
    check_folder(arguments.precision)
    check_folder(arguments.path)
    if arguments.path:
        check_path_suffix(arguments.path)
    check_folder(arguments.measurement)
    if arguments.measurement:
        check_measurement_suffix(arguments.measurement)


def write_selection_files(arguments: argparse.Namespace, estimate: Estimate, name: str) -> None:
    """Write the requested files; raise when the learner does not return their content."""
    if arguments.precision:
        if estimate.precision is None:
            raise DagathlonError(
                f"--precision: {name} gave no precision matrix for these data; learners of "
                "Gaussian graphical models do, such as glasso, with two columns or more"
            )
        write_precision(estimate.graph.names, estimate.precision, arguments.precision)
    if arguments.path:
        if estimate.path is None:
            raise DagathlonError(
                f"--path: {name} gave one graph and no path of penalties for these data; learners "
                "that select among penalties do, such as glasso, with two columns or more"
            )
        write_path(estimate.path, arguments.path)
    if arguments.measurement:
        if estimate.measurement is None:
            raise DagathlonError(
                f"--measurement: {name} gave a graph and no measurement model; learners of latent "
                "clusters do, such as fofc"
            )
        write_measurement(estimate.measurement, arguments.measurement)
