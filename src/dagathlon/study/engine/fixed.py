"""Reading of fixed graphs, models and data from files or bundled ones."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from dagathlon.data import Dataset, LinearSem, Network, load_data, read_data, read_sem
from dagathlon.data.networks import has_network_ending
from dagathlon.data.reading.options import Reading
from dagathlon.data.standard import BUNDLED
from dagathlon.graphs import Graph, read_graph
from dagathlon.study.plan.task import TaskKind


def _graph(location: str) -> Graph:
    """Read a graph file, or take the graph of a network: that of a file or a bundled one."""
    if location.startswith(BUNDLED):
        return Network.load(location).graph
    if Path(location).is_file() and not has_network_ending(location):
        return read_graph(location)
    return Network.load(location).graph


def _model(location: str) -> Network | LinearSem:
    """Read a network or the weights of a linear model, or load a bundled network."""
    if location.startswith(BUNDLED):
        return Network.load(location)
    return read_sem(location) if location.lower().endswith(".csv") else Network.load(location)


def read_fixed_data(location: str, reading: Reading | None = None) -> Dataset:
    """Read a data file as the study says, or load a bundled data set."""
    if location.startswith(BUNDLED):
        return load_data(location)
    return read_data(location) if reading is None else reading.read(location)


READERS: Mapping[TaskKind, Callable[[str], Any]] = {
    TaskKind.GRAPH: _graph,
    TaskKind.PARAMETERS: _model,
    TaskKind.DATA: read_fixed_data,
}
