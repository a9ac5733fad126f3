"""Reading fixed graphs, models and data: what a task with a location does."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from dagathlon.data import Network, read_data
from dagathlon.graphs import Graph, read_graph
from dagathlon.study.task import TaskKind


def _graph(location: str) -> Graph:
    """A graph file, or the graph of a network on board."""
    return read_graph(location) if Path(location).is_file() else Network.load(location).graph


READERS: Mapping[TaskKind, Callable[[str], Any]] = {
    TaskKind.GRAPH: _graph,
    TaskKind.PARAMETERS: Network.load,
    TaskKind.DATA: read_data,
}
