"""Validation of a learner's result: its type, nodes, kind of graph and numbers."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from dagathlon import _core
from dagathlon.errors import GraphError
from dagathlon.graphs import Graph, Mark
from dagathlon.graphs.checks import require_dag, require_pdag, require_undirected
from dagathlon.graphs.measurement import MeasurementModel
from dagathlon.graphs.path import GraphPath
from dagathlon.learners.base import Estimate, Output

_NAMED = 5
# Chunk size of the checks, in numbers.
_CHUNK = 1 << 22


def problems_with(result: object, names: Sequence[str], gives: Output) -> Iterator[str]:
    """Yield every problem of a learner's result; no items if it is valid.

    Parameters
    ----------
    result
        Return value of `learn`.
    names
        The variables of the data.
    gives
        The kind of graph that the learner declares.
    """
    if not isinstance(result, Estimate):
        yield f"it returned {described(result)} in place of an Estimate"
        return
    if not isinstance(result.graph, Graph):
        yield f"its estimate holds {described(result.graph)} in place of a Graph"
        return
    if set(result.graph.names) != set(names):
        odd = sorted(set(result.graph.names) ^ set(names))
        yield f"its graph is not over the variables of the data: {', '.join(odd[:_NAMED])}"
    if result.posterior is None and gives == "chain":
        yield "gives is 'chain', and it returned no posterior"
    if result.posterior is not None and set(result.posterior.names) != set(names):
        yield "its posterior is not over the variables of the data"
    if result.precision is not None:
        yield from _wrong_precision(result, names)
    if result.weights is not None:
        yield from _wrong_matrix("weights", result.weights, result, names)
    if result.path is not None:
        yield from _wrong_path(result.path, names)
    if result.measurement is not None:
        yield from _wrong_measurement(result.measurement, names)
    problem = wrong_kind(result.graph, gives)
    if problem:
        yield f"gives is {gives!r}: {problem}"
    yield from _wrong_statistics(result.stats)
    if not isinstance(result.notes, tuple) or not all(isinstance(n, str) for n in result.notes):
        yield f"its notes are {described(result.notes)} in place of a tuple of texts"


def _wrong_precision(result: Estimate, names: Sequence[str]) -> Iterator[str]:
    wrong = list(_wrong_matrix("precision", result.precision, result, names))
    yield from wrong
    if not wrong and result.precision is not None and not _symmetric(result.precision):
        yield "its precision matrix is not symmetric"


def _wrong_matrix(what: str, matrix: Any, result: Estimate, names: Sequence[str]) -> Iterator[str]:
    p = len(names)
    if not isinstance(matrix, np.ndarray) or matrix.dtype != np.float64:
        yield f"its {what} matrix is {described(matrix)} in place of an array of float64"
    elif matrix.shape != (p, p):
        shape = "×".join(map(str, matrix.shape))
        yield f"its {what} matrix has {shape} numbers, and the data have {p} columns"
    elif not np.all(np.isfinite(matrix)):
        yield f"its {what} matrix has numbers that are not finite"
    elif {result.graph.names, (result.posterior or result.graph).names} != {tuple(names)}:
        yield f"its {what} matrix is in the order of the data, and its graph or posterior is not"


def _symmetric(matrix: npt.NDArray[np.float64]) -> bool:
    rounding = 1e-8 * max(matrix.max(initial=0.0), -matrix.min(initial=0.0))
    # In chunks of rows: with many variables two more matrices would not fit into memory.
    step = max(1, _CHUNK // max(len(matrix), 1))
    return all(
        np.all(np.abs(matrix[k : k + step] - matrix[:, k : k + step].T) <= rounding)
        for k in range(0, len(matrix), step)
    )


def _wrong_path(path: Any, names: Sequence[str]) -> Iterator[str]:
    if not isinstance(path, GraphPath):
        yield f"its path is {described(path)} in place of a GraphPath"
    elif set(path.names) != set(names):
        yield "its path is not over the variables of the data"


def _wrong_measurement(model: Any, names: Sequence[str]) -> Iterator[str]:
    if not isinstance(model, MeasurementModel):
        yield f"its measurement is {described(model)} in place of a MeasurementModel"
    elif set(model.names) != set(names):
        yield "its measurement model is not over the variables of the data"


def wrong_kind(graph: Graph, gives: Output) -> str:
    """Return why a graph cannot come from a learner with this output; empty if it can.

    A CPDAG is checked for its marks alone and a PAG may have any marks: contradicting test
    results give graphs that represent no class of DAGs or MAGs, which a learner cannot avoid.
    Mixed graphs and samplers' graphs are not restricted.
    """
    try:
        if gives == "dag":
            require_dag(graph, "its result")
        elif gives == "undirected":
            require_undirected(graph, "its result")
        elif gives == "cpdag":
            require_pdag(graph, "its result")
        elif gives == "mag":
            return _no_mag(graph)
    except GraphError as error:
        return str(error)
    return ""


def _no_mag(graph: Graph) -> str:
    if np.any(graph.marks == Mark.CIRCLE):
        return "its result needs a MAG, found an edge with a circle"
    if _core.is_mag(graph.native):
        return ""
    return "its result needs a MAG, found a graph that is not ancestral or not maximal"


def _wrong_statistics(stats: Any) -> Iterator[str]:
    if not isinstance(stats, Mapping):
        yield f"its statistics are {described(stats)} in place of a mapping"
        return
    for name, given in stats.items():
        value = python_value(given)
        if not isinstance(name, str):
            yield f"a statistic has the name {name!r}; names are texts"
        elif not isinstance(value, float | int | str | bool):
            yield f"statistic {name!r} is {described(given)} in place of a number or text"
        elif isinstance(value, float) and not math.isfinite(value):
            yield f"statistic {name!r} is {_unusable(value)}"


def python_value(value: Any) -> Any:
    """Convert a NumPy scalar to the Python value; return any other value unchanged."""
    if isinstance(value, np.floating):
        return float(value)  # .item() leaves long doubles as NumPy scalars
    return value.item() if isinstance(value, np.generic) else value


def _unusable(value: float) -> str:
    return "not a number (NaN)" if math.isnan(value) else f"infinite ({value})"


def described(value: object) -> str:
    """Describe a value by its type, for a message."""
    return "nothing" if value is None else with_article(type(value).__name__)


def with_article(name: str) -> str:
    """Return the name of a type with its article (a or an)."""
    return f"{'an' if name[0].lower() in 'aeiou' else 'a'} {name}"
