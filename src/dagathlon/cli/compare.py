"""``dagathlon compare``: metrics of a learned graph against the truth."""

from __future__ import annotations

import argparse
import json
import math
import sys
from pathlib import Path

import numpy as np

from dagathlon.cli._declaring import Commands, command
from dagathlon.cli._parts import add_modules_argument, load_modules, table
from dagathlon.data.writing.precision_file import read_precision
from dagathlon.errors import DataError, listing
from dagathlon.evaluate import compare, compare_path, compare_posterior, precision_losses
from dagathlon.evaluate.graphs.clusters import compare_clusters
from dagathlon.evaluate.metric import Value
from dagathlon.graphs import Graph, read_graph
from dagathlon.graphs.measurement_files import (
    is_measurement_file,
    measurement_of,
    read_measurement,
)
from dagathlon.graphs.path_files import is_path_file, refuse_path_table
from dagathlon.graphs.undirected import UndirectedForm
from dagathlon.posteriors import read_posterior


def add_parser(commands: Commands) -> None:
    """Declare the command."""
    parser = command(
        commands,
        "compare",
        "compare a learned graph, or a posterior, with the true graph",
        "dagathlon compare learned.csv truth.csv --json",
        _run,
    )
    parser.add_argument(
        "estimate",
        type=Path,
        help="file of the learned graph, of a posterior or of a path of penalties (.npz), or of a "
        "measurement model (.json)",
    )
    parser.add_argument("truth", type=Path, help="file of the true graph or measurement model")
    add_modules_argument(parser)
    parser.add_argument(
        "--burn-in",
        type=_share,
        default=0.5,
        metavar="SHARE",
        help="of a posterior: share of each Markov chain to leave out at its start (0.5)",
    )
    form = parser.add_mutually_exclusive_group()
    form.add_argument(
        "--moral",
        dest="undirected",
        action="store_const",
        const="moral",
        help="compare graphs of directed edges by their moral graphs",
    )
    form.add_argument(
        "--dependence",
        dest="undirected",
        action="store_const",
        const="dependence",
        help="compare graphs of directed edges by their graphs of unconditional dependence",
    )
    parser.add_argument(
        "--equivalent",
        action="store_true",
        help="what the equivalence class of the truth leaves open costs nothing in the metrics of "
        "Bayesys (rule 6 of Constantinou 2019)",
    )
    parser.add_argument(
        "--precision",
        nargs=2,
        type=Path,
        metavar=("LEARNED.csv", "TRUE.csv"),
        help="compare two precision matrices too: a header of names, a line for each row",
    )
    parser.add_argument("--json", action="store_true", help="print JSON instead of a table")


def _run(arguments: argparse.Namespace) -> int:
    load_modules(arguments)
    metrics = _asked(arguments)
    if arguments.precision:
        metrics |= _of_precision(*arguments.precision)
    if arguments.json:
        print(json.dumps({name: _json(value) for name, value in metrics.items()}, indent=2))
    else:
        print(table(("metric", "value"), [(k, _shown(v)) for k, v in metrics.items()]))
    return 0


def _asked(arguments: argparse.Namespace) -> dict[str, Value]:
    if is_measurement_file(arguments.estimate):
        estimate = read_measurement(arguments.estimate)
        truth = measurement_of(arguments.truth, estimate.names)
        return dict(compare_clusters(estimate, truth))
    if arguments.estimate.suffix != ".npz":
        refuse_path_table(arguments.estimate)
        return _of_graph(arguments)
    if is_path_file(arguments.estimate):
        form: UndirectedForm = arguments.undirected or "moral"
        return compare_path(arguments.estimate, read_graph(arguments.truth), form)
    return _of_posterior(arguments)


def _of_graph(arguments: argparse.Namespace) -> dict[str, Value]:
    estimate, truth = read_graph(arguments.estimate), read_graph(arguments.truth)
    metrics = compare(
        estimate,
        truth,
        causal=True,
        undirected=arguments.undirected,
        equivalent=arguments.equivalent,
    )
    _say_left_out(estimate, truth)
    return metrics


def _of_posterior(arguments: argparse.Namespace) -> dict[str, Value]:
    """Return metrics of a posterior against the truth."""
    posterior, truth = read_posterior(arguments.estimate), read_graph(arguments.truth)
    if arguments.undirected is not None:
        return compare_path(posterior.after(arguments.burn_in), truth, arguments.undirected)
    known = compare_posterior(posterior, truth, burn_in=arguments.burn_in)
    return {name: value for name, value in known.items() if value is not None}


def _of_precision(learned: Path, true: Path) -> dict[str, Value]:
    """Return losses of a precision matrix, columns matched by name."""
    (names, precision), (others, matrix) = map(read_precision, (learned, true))
    if set(names) != set(others):
        odd = sorted(set(names) ^ set(others))
        raise DataError(f"{learned} and {true} are over different variables: {listing(odd)}")
    place = [others.index(name) for name in names]
    try:
        covariance = np.asarray(np.linalg.inv(matrix), dtype=np.float64)
    except np.linalg.LinAlgError:
        raise DataError(f"{true}: a precision matrix is positive definite") from None
    return dict(precision_losses(precision, covariance[np.ix_(place, place)]))


def _share(text: str) -> float:
    try:
        share = float(text)
    except ValueError:
        share = math.nan
    if not 0 <= share < 1:
        raise argparse.ArgumentTypeError(f"a share from 0 to below 1, found {text!r}")
    return share


def _say_left_out(estimate: Graph, truth: Graph) -> None:
    """Print the variables that are left out to standard error."""
    odd = sorted(set(estimate.names) ^ set(truth.names))
    if odd:
        shared = len(set(estimate.names) & set(truth.names))
        print(
            f"compared over the {shared} nodes of both; left out: {listing(odd)}", file=sys.stderr
        )


def _json(value: Value) -> Value:
    """Return the value for JSON, with null for NaN and infinity."""
    return None if isinstance(value, float) and not math.isfinite(value) else value


def _shown(value: Value) -> str:
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return "n/a"
    return f"{value:.6g}" if isinstance(value, float) else str(value)
