"""Results of external programs: reading and validation of their output files."""

from __future__ import annotations

import csv
import json
import math
import os
import re
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from dagathlon.data import Dataset
from dagathlon.errors import DagathlonError, GraphError, KilledError, listing
from dagathlon.external.contract import INPUTS
from dagathlon.external.program import ProgramExit
from dagathlon.graphs import Graph, read_graph
from dagathlon.learners.base import Estimate, Output, Statistic
from dagathlon.posteriors.files import read_posterior
from dagathlon.posteriors.posterior import Posterior
from dagathlon.processes.usage import KILLS, MEMORY

GRAPH = "adjmat.csv"
TRAJECTORY = "trajectory.csv"
POSTERIOR = "posterior.jsonl"
WEIGHTS = "weights.csv"
STATISTICS = "stats.json"
NOTES = "notes"
"""Key of the statistics whose value is a list of notes shown to the user."""

_FROM_SHELL = 128
"""Offset added to a signal's number in the exit code of a shell."""
# In a container, the kernel sends SIGKILL at the memory limit.
_KILLED_INSIDE = _FROM_SHELL + 9
_MAX_STATISTICS = 1 << 20
_SAYS_NOTHING = re.compile(r"|Execution halted|Calls: .*")  # R's words after an error
_OUT_OF_MEMORY = re.compile(
    r"bad_alloc|MemoryError|annot allocate (memory|vector)|ut of memory|memory exhausted"
)


class ProgramError(DagathlonError):
    """Error of an external program that failed or left an invalid result."""


class ProgramKilledError(ProgramError, KilledError):
    """Error of an external program that was killed, perhaps from outside."""


def check_end(name: str, ended: ProgramExit) -> None:
    """Raise `ProgramError` if a program failed, quoting its last output."""
    if ended.code == 0:
        return
    if _OUT_OF_MEMORY.search(ended.output):
        raise MemoryError(f"{name}: {last_line(ended.output)}")
    if ended.code == _KILLED_INSIDE and MEMORY in os.environ:
        raise MemoryError(f"{name} was killed in its container, as happens at the memory limit")
    last = last_line(ended.output) or "it printed nothing"
    killed = -ended.code in KILLS or ended.code - _FROM_SHELL in KILLS
    kind = ProgramKilledError if killed else ProgramError
    error = kind(f"{name} {ended.cause()}: {last}")
    if ended.output:
        error.add_note(f"--- its last output ---\n{ended.output}")
    raise error


def read_outputs(
    name: str, folder: Path, data: Dataset, gives: Output, *, posterior: bool = False
) -> Estimate:
    """Read and validate a learner's output files.

    Parameters
    ----------
    name
        The module, for messages.
    folder
        Where it ran.
    data
        The data it was given.
    gives
        The kind of its graph.
    posterior
        Whether it gives a weighted list of graphs; a graph of its own is then optional.
    """
    expected = TRAJECTORY if gives == "chain" else POSTERIOR if posterior else GRAPH
    if not (folder / expected).is_file():
        written = sorted(path.name for path in folder.iterdir())
        others = [file for file in written if file not in INPUTS]
        raise ProgramError(f"{name} wrote no {expected}; it wrote {listing(others)}")
    try:
        return _estimate(folder, data, gives, posterior=posterior)
    except DagathlonError as error:
        text = str(error).replace(f"{folder}/", "")
        raise ProgramError(f"{name} wrote an invalid result: {text}") from None


def _estimate(folder: Path, data: Dataset, gives: Output, *, posterior: bool) -> Estimate:
    statistics, notes = _read_statistics(folder / STATISTICS)
    found: Posterior | None = None
    if gives == "chain":
        found = read_posterior(folder / TRAJECTORY, data.names)
    elif posterior:
        found = _read_graphs(folder / POSTERIOR, data, gives)
    has_graph = gives != "chain" and (folder / GRAPH).is_file()
    graph = _read_graph(folder / GRAPH, data, gives) if has_graph or found is None else found.map()
    weights = _read_weights(folder / WEIGHTS, data)
    return Estimate(graph, statistics, found, notes, weights=weights)


def last_line(text: str) -> str:
    """Return the last nonblank line."""
    lines = (line.strip() for line in reversed(text.splitlines()))
    return next((line for line in lines if not _SAYS_NOTHING.fullmatch(line)), "")


def _read_graph(path: Path, data: Dataset, gives: Output) -> Graph:
    graph = read_graph(path)
    if set(graph.names) != set(data.names):
        odd = sorted(set(graph.names) ^ set(data.names))
        raise ProgramError(f"{path}: its names are not those of the data: {listing(odd)}")
    _check_kind(graph, gives, str(path))
    return graph.subgraph(data.names)


def _check_kind(graph: Graph, gives: Output, where: str) -> None:
    if gives == "undirected" and not graph.is_undirected:
        raise ProgramError(f"{where}: the module gives undirected graphs, this one is {graph.kind}")
    if gives == "dag" and not graph.is_dag:
        raise ProgramError(f"{where}: the module gives DAGs, this graph is {graph.kind}")


def _read_graphs(path: Path, data: Dataset, gives: Output) -> Posterior:
    """Read a posterior from a file with a graph and its weight in each line."""
    graphs, weights = [], []
    with path.open(encoding="utf-8", errors="replace") as file:
        for number, line in enumerate(file, 1):
            if line.strip():
                graph, weight = _weighed(line, data, gives, f"{path}: line {number}")
                graphs.append(graph)
                weights.append(weight)
    if not graphs:
        raise ProgramError(f"{path}: has no graph")
    shares = np.asarray(weights)
    if not shares.sum() > 0:
        raise ProgramError(f"{path}: the weights sum to {shares.sum():g}")
    return Posterior.of(graphs, weights=shares / shares.sum(), names=data.names)


def _weighed(line: str, data: Dataset, gives: Output, where: str) -> tuple[Graph, float]:
    try:
        content = json.loads(line)
        edges, weight = content["edges"], content.get("weight", 1)
        written = [edge if isinstance(edge, str) else tuple(edge) for edge in edges]
    except (ValueError, RecursionError, TypeError, KeyError, AttributeError) as error:
        form = '{"edges": [["a", "->", "b"]], "weight": 0.5}'
        raise ProgramError(f"{where}: not of the form {form} ({error})") from None
    if not _is_weight(weight):
        raise ProgramError(f"{where}: the weight is {weight!r}, expected a number of at least 0")
    joined = "--" if gives == "undirected" else "->"
    pairs = [(e[0], joined, e[1]) if isinstance(e, tuple) and len(e) == 2 else e for e in written]
    try:
        graph = Graph.from_edges(pairs, data.names)
    except (GraphError, ValueError, TypeError) as error:
        raise ProgramError(f"{where}: {error}") from None
    _check_kind(graph, gives, where)
    return graph, float(weight)


def _is_weight(value: Any) -> bool:
    number = isinstance(value, int | float) and not isinstance(value, bool)
    return number and math.isfinite(value) and value >= 0


def _read_weights(path: Path, data: Dataset) -> npt.NDArray[np.float64] | None:
    """Read a matrix from row to column, whose header names the columns in any order."""
    if not path.is_file():
        return None
    try:
        with path.open(newline="", encoding="utf-8") as file:
            names, *rows = [row for row in csv.reader(file) if row]
        matrix = np.array(rows, dtype=np.float64)
    except (ValueError, csv.Error) as error:
        raise ProgramError(f"{path}: not a matrix of numbers under names ({error})") from None
    if sorted(names) != sorted(data.names) or matrix.shape != (len(names), len(names)):
        raise ProgramError(f"{path}: not a square matrix over the columns of the data")
    if not np.all(np.isfinite(matrix)):
        raise ProgramError(f"{path}: has numbers that are not finite")
    order = [names.index(name) for name in data.names]
    return matrix[np.ix_(order, order)]


def _read_statistics(path: Path) -> tuple[dict[str, Statistic], tuple[str, ...]]:
    if not path.is_file():
        return {}, ()
    if path.stat().st_size > _MAX_STATISTICS:
        raise ProgramError(f"{path}: larger than a megabyte")
    try:
        content = json.loads(path.read_text("utf-8"))
    except (ValueError, RecursionError) as error:
        raise ProgramError(f"{path}: not valid JSON: {error}") from None
    if not isinstance(content, dict):
        raise ProgramError(f"{path}: expected an object of numbers and texts")
    notes = content.pop(NOTES, [])
    if not isinstance(notes, list) or not all(isinstance(note, str) for note in notes):
        raise ProgramError(f"{path}: {NOTES!r} is {notes!r}, expected a list of sentences")
    for key, value in content.items():
        if not isinstance(value, float | int | str | bool):
            raise ProgramError(f"{path}: {key!r} is {value!r}, expected a number or a text")
        if isinstance(value, float) and not math.isfinite(value):
            raise ProgramError(f"{path}: {key!r} is not a finite number")
    return content, tuple(notes)
