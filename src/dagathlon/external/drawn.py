"""Results of external generators: reading and validation of their output files."""

from __future__ import annotations

import contextlib
import stat
import warnings
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

from dagathlon.data import Dataset, LinearSem, Network, Variable, read_data, spec_of
from dagathlon.data.reading.unpacking import most_unpacked
from dagathlon.errors import DagathlonError, DataWarning, listing
from dagathlon.external.contract import PARAMETERS
from dagathlon.external.model_files import (
    GRAPH,
    NETWORKS,
    NOISE,
    WEIGHTS,
    in_order_of,
    read_model,
)
from dagathlon.external.results import GRAPH as LEARNED
from dagathlon.external.results import ProgramError
from dagathlon.graphs import Graph, read_graph
from dagathlon.simulate.base import Model
from dagathlon.wording import counted

DATA = "data.csv"
_MOST_NODES = 20_000
_GIVEN = {PARAMETERS, GRAPH}
_KINDS = {"discrete": "discrete", "gaussian": "continuous", "conditional gaussian": "mixed"}


def read_drawn_graph(name: str, folder: Path, gives: str) -> Graph:
    """Read the graph drawn by a program: a DAG, or an undirected graph."""
    path = _output_file(name, folder, (LEARNED,))
    with _naming_program(name, folder):
        graph = read_graph(path)
        if len(graph) > _MOST_NODES:
            raise ProgramError(f"{path}: has {len(graph)} nodes, at most {_MOST_NODES} are allowed")
        if gives == "undirected" and not graph.is_undirected:
            raise ProgramError(f"{path}: the module gives undirected graphs, this is {graph.kind}")
        if gives == "dag" and not graph.is_dag:
            raise ProgramError(f"{path}: the module gives DAGs, this graph is {graph.kind}")
    return graph


def read_drawn_model(name: str, folder: Path, graph: Graph, gives: str) -> LinearSem | Network:
    """Read the model drawn by a program; its graph must be the given one."""
    path = _output_file(name, folder, (WEIGHTS, *NETWORKS), beside=(NOISE,))
    with _naming_program(name, folder):
        model = read_model(path)
        _check_graph(path, model.graph, graph)
        kind = "continuous" if isinstance(model, LinearSem) else _KINDS[model.kind]
        if kind != gives:
            raise ProgramError(f"{path}: the module gives {gives} models, this one is {kind}")
        return in_order_of(graph, model) if isinstance(model, LinearSem) else model


def read_drawn_data(
    name: str, folder: Path, model: Model, gives: str, *, missing: bool, n_rows: int | None
) -> Dataset:
    """Read the data drawn by a program.

    Parameters
    ----------
    name
        The module, for messages.
    folder
        Where it ran.
    model
        The model of the data, which gives their columns and the levels of discrete ones.
    gives
        The kind of data; ``same`` is that of the model.
    missing
        Whether values may be missing.
    n_rows
        The number of rows there must be; None is any.
    """
    path = _output_file(name, folder, (DATA,))
    variables = _variables(model)
    kind = gives if gives != "same" else "discrete" if variables[0].is_discrete else "continuous"
    with _naming_program(name, folder), warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)  # warnings for users' own files
        data = read_data(path) if kind == "mixed" else read_data(path, kinds=kind)  # type: ignore[arg-type]
        _check_data(path, data, model, kind, missing=missing, n_rows=n_rows)
        data = data.select(model.names)
        return _with_levels(path, data, variables) if gives == "same" else data


def _output_file(
    name: str, folder: Path, expected: Sequence[str], beside: Sequence[str] = ()
) -> Path:
    """Return the output file, one of the expected names: a regular file of bounded size."""
    left = {path.name for path in folder.iterdir()}
    written = [file for file in expected if file in left]
    if len(written) != 1:
        others = sorted(left - _GIVEN)
        wanted = listing(expected)
        number = "no" if not written else "more than one of"
        raise ProgramError(f"{name} wrote {number} {wanted}; it wrote {listing(others)}")
    for file in (*written, *(file for file in beside if file in left)):
        about = (folder / file).lstat()
        if not stat.S_ISREG(about.st_mode):
            raise ProgramError(f"{name} wrote an invalid result: {file} is no plain file")
        if about.st_size > most_unpacked():
            raise ProgramError(
                f"{name} wrote an invalid result: {file} has {about.st_size:,} bytes, at "
                f"most {most_unpacked():,} are allowed"
            )
    return folder / written[0]


@contextlib.contextmanager
def _naming_program(name: str, folder: Path) -> Iterator[None]:
    """Convert errors in a program's output file to a `ProgramError` that names program and file."""
    try:
        yield
    except DagathlonError as error:
        text = str(error).replace(f"{folder}/", "")
        raise ProgramError(f"{name} wrote an invalid result: {text}") from None


def _check_graph(path: Path, drawn: Graph, given: Graph) -> None:
    odd = sorted(set(drawn.names) ^ set(given.names))
    if odd:
        raise ProgramError(f"{path}: its variables are not the graph's: {listing(odd)}")
    ordered = drawn.subgraph(given.names)
    if ordered == given:
        return
    edges = {str(edge) for edge in ordered.edges()}, {str(edge) for edge in given.edges()}
    alone = [
        f"{listing(sorted(mine - others))} in {where} alone"
        for mine, others, where in (
            (edges[0], edges[1], "the model"),
            (edges[1], edges[0], "the graph"),
        )
        if mine - others
    ]
    raise ProgramError(f"{path}: its edges are not the graph's: {'; '.join(alone)}")


def _check_data(
    path: Path, data: Dataset, model: Model, kind: str, *, missing: bool, n_rows: int | None
) -> None:
    odd = sorted(set(data.names) ^ set(model.names))
    if odd:
        raise ProgramError(f"{path}: its columns are not the model's variables: {listing(odd)}")
    facts = spec_of(data)
    if not data.n_rows:
        raise ProgramError(f"{path}: has no rows that can be kept")
    if n_rows is not None and data.n_rows != n_rows:
        raise ProgramError(f"{path}: has {counted(data.n_rows, 'row')}, and n is {n_rows}")
    if facts.kind != kind:
        raise ProgramError(f"{path}: the module gives {kind} data, these are {facts.kind}")
    if facts.missing and not missing:
        raise ProgramError(
            f"{path}: has missing values, which the manifest does not allow (missing = true does)"
        )
    if facts.interventions:
        raise ProgramError(f"{path}: marks rows as intervened on, which generated data cannot be")


def _variables(model: Model) -> tuple[Variable, ...]:
    if isinstance(model, Network):
        return model.variables
    return tuple(Variable(name) for name in model.names)


def _with_levels(path: Path, data: Dataset, variables: Sequence[Variable]) -> Dataset:
    """Return discrete data with the levels of their model, matched by text or by code."""
    if not data.is_discrete:
        return data
    codes = np.empty(data.codes.shape, dtype=np.int64)
    for j, (variable, wanted) in enumerate(zip(data.variables, variables, strict=True)):
        levels, known = variable.levels or (), wanted.levels or ()
        if not set(levels) <= set(known):
            known = tuple(str(code) for code in range(len(known)))
        if not set(levels) <= set(known):
            odd = sorted(set(levels) - set(known))
            raise ProgramError(
                f"{path}: {variable.name} has the levels {listing(wanted.levels or ())} (or codes "
                f"from 0), found {listing(odd)}"
            )
        places = np.array([*(known.index(level) for level in levels), -1])
        codes[:, j] = places[data.codes[:, j].astype(np.int64)]
    return Dataset(variables, codes=codes)
