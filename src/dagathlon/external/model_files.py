"""Files of a model and its graph, as exchanged with programs."""

from __future__ import annotations

import csv
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from dagathlon.data import Gaussian, LinearSem, Network, read_network, read_sem, write_network
from dagathlon.errors import DagathlonError, DataError
from dagathlon.graphs import Graph, write_graph
from dagathlon.graphs.formats.csvtext import records
from dagathlon.graphs.formats.source import TextSource
from dagathlon.simulate.base import Model

Numbers: TypeAlias = npt.NDArray[np.float64]

GRAPH = "graph.csv"
WEIGHTS = "model.csv"
NOISE = "noise.csv"
INTERCEPTS = "intercepts.csv"
NETWORK = "model.bif"
NETWORKS = tuple(f"model.{ending}" for ending in ("bif", "dsc", "net", "rds", "xdsl", "xmlbif"))


def write_model(name: str, model: Model, folder: Path) -> None:
    """Write a model and its graph, for a program that draws data from it.

    Parameters
    ----------
    name
        The module, for messages.
    model
        A linear model, or a network of one kind of variables.
    folder
        Where the program runs.
    """
    if isinstance(model, LinearSem):
        _write_linear(model.names, model.weights, model.variances, folder)
    elif isinstance(model, Network) and model.kind == "discrete":
        write_network(model, folder / NETWORK)
    elif isinstance(model, Network) and model.kind == "gaussian":
        _write_gaussian(model, folder)
    else:
        raise DagathlonError(
            f"{name} draws from linear models and from networks of one kind of variables, and "
            f"there are no files of {type(model).__name__} for it"
        )
    write_graph(model.graph, folder / GRAPH, "adjacency")


def read_linear(folder: Path) -> LinearSem:
    """Read a linear model: weights, and noise variances if present."""
    sem = read_sem(folder / WEIGHTS)
    path = folder / NOISE
    if not path.is_file():
        return sem
    header, *rows = records(TextSource.open(path))
    if sorted(header.fields) != sorted(sem.names) or len(rows) != 1:
        raise DataError(f"{path}: not a header of the variables and one line of variances")
    try:
        variances = dict(zip(header.fields, map(float, rows[0].fields), strict=True))
    except ValueError as error:
        raise DataError(f"{path}: not one number for each variable ({error})") from None
    return LinearSem(sem.names, sem.weights, [variances[name] for name in sem.names])


def read_model(path: Path) -> LinearSem | Network:
    """Read a model written by a program."""
    return read_linear(path.parent) if path.name == WEIGHTS else read_network(path)


def in_order_of(graph: Graph, model: LinearSem) -> LinearSem:
    """Return the linear model with its variables in the order of the graph's nodes."""
    order = [model.names.index(name) for name in graph.names]
    return LinearSem(graph.names, model.weights[np.ix_(order, order)], model.variances[order])


def _write_gaussian(network: Network, folder: Path) -> None:
    """Write a Gaussian network as a linear model with intercepts."""
    place = {name: i for i, name in enumerate(network.names)}
    weights = np.zeros((len(place), len(place)))
    variances, intercepts = np.zeros(len(place)), np.zeros(len(place))
    for name, given in network.distributions.items():
        assert isinstance(given, Gaussian)
        j = place[name]
        weights[[place[parent] for parent in given.parents], j] = given.coefficients
        variances[j], intercepts[j] = float(given.sd) ** 2, float(given.intercept)
    _write_linear(network.names, weights, variances, folder)
    _write_rows(folder / INTERCEPTS, network.names, [intercepts])


def _write_linear(names: Sequence[str], weights: Numbers, variances: Numbers, folder: Path) -> None:
    _write_rows(folder / WEIGHTS, names, weights)
    _write_rows(folder / NOISE, names, [variances])


def _write_rows(path: Path, names: Sequence[str], rows: Sequence[Numbers] | Numbers) -> None:
    """Write a header and rows of numbers in full precision."""
    shown: Callable[[float], str] = repr
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(names)
        writer.writerows([shown(float(x)) for x in row] for row in rows)
