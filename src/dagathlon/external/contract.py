"""The contract with an external program: the files it finds and the files it leaves."""

from __future__ import annotations

import json
import math
import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from dagathlon.data import Dataset, facts_of, write_data
from dagathlon.errors import DagathlonError, listing
from dagathlon.external.program import MEMORY, Ended
from dagathlon.graphs import Graph, read_graph
from dagathlon.learners.base import Estimate, Output, Statistic
from dagathlon.posteriors.files import read_posterior

DATA = "data.csv"
PARAMETERS = "parameters.json"
GRAPH = "adjmat.csv"
TRAJECTORY = "trajectory.csv"
STATISTICS = "stats.json"

_MAX_STATISTICS = 1 << 20
_SAYS_NOTHING = re.compile(r"|Execution halted|Calls: .*")  # R's words after an error
_OUT_OF_MEMORY = re.compile(
    r"bad_alloc|MemoryError|annot allocate (memory|vector)|ut of memory|memory exhausted"
)

# What a shell says of a program that SIGKILL has ended: in a container, the kernel at its limit.
_KILLED_INSIDE = 128 + 9


class ProgramError(DagathlonError):
    """An external program failed, or left something that is no result."""


def write_inputs(
    folder: Path, data: Dataset, parameters: Mapping[str, Any], seed: int, timeout: float | None
) -> None:
    """Write what a program is given."""
    write_data(data, folder / DATA)
    about = {"data_kind": facts_of(data).kind, "names": list(data.names)}
    given = {**parameters, "seed": seed, "time_limit": timeout, **about}
    (folder / PARAMETERS).write_text(json.dumps(given, indent=1, ensure_ascii=False), "utf-8")


def check_end(name: str, ended: Ended) -> None:
    """Refuse the result of a program that failed, in its own last words."""
    if ended.code == 0:
        return
    if _OUT_OF_MEMORY.search(ended.output):
        raise MemoryError(f"{name}: {last_line(ended.output)}")
    if ended.code == _KILLED_INSIDE and MEMORY in os.environ:
        raise MemoryError(f"{name} was killed in its container, as happens at the memory limit")
    last = last_line(ended.output) or "it printed nothing"
    error = ProgramError(f"{name} {ended.cause()}: {last}")
    if ended.output:
        error.add_note(f"--- its last output ---\n{ended.output}")
    raise error


def read_outputs(name: str, folder: Path, data: Dataset, gives: Output) -> Estimate:
    """Read and check what a program has left."""
    expected = TRAJECTORY if gives == "chain" else GRAPH
    if not (folder / expected).is_file():
        left = sorted(path.name for path in folder.iterdir())
        others = [found for found in left if found not in (DATA, PARAMETERS)]
        raise ProgramError(f"{name} wrote no {expected}; it wrote {listing(others)}")
    try:
        statistics = _read_statistics(folder / STATISTICS)
        if gives == "chain":
            posterior = read_posterior(folder / TRAJECTORY, data.names)
            return Estimate(posterior.map(), statistics, posterior)
        return Estimate(_read_graph(folder / GRAPH, data, gives), statistics)
    except DagathlonError as error:
        text = str(error).replace(f"{folder}/", "")
        raise ProgramError(f"{name} left something that is no result: {text}") from None


def last_line(text: str) -> str:
    """The last line that says something."""
    lines = (line.strip() for line in reversed(text.splitlines()))
    return next((line for line in lines if not _SAYS_NOTHING.fullmatch(line)), "")


def _read_graph(path: Path, data: Dataset, gives: Output) -> Graph:
    graph = read_graph(path)
    if set(graph.names) != set(data.names):
        odd = sorted(set(graph.names) ^ set(data.names))
        raise ProgramError(f"{path}: its names are not those of the data: {listing(odd)}")
    if gives == "undirected" and not graph.is_undirected:
        raise ProgramError(f"{path}: the module gives undirected graphs, this one is {graph.kind}")
    if gives == "dag" and not graph.is_dag:
        raise ProgramError(f"{path}: the module gives DAGs, this graph is {graph.kind}")
    return graph.subgraph(data.names)


def _read_statistics(path: Path) -> dict[str, Statistic]:
    if not path.is_file():
        return {}
    if path.stat().st_size > _MAX_STATISTICS:
        raise ProgramError(f"{path}: larger than a megabyte")
    try:
        content = json.loads(path.read_text("utf-8"))
    except (ValueError, RecursionError) as error:
        raise ProgramError(f"{path}: not valid JSON: {error}") from None
    if not isinstance(content, dict):
        raise ProgramError(f"{path}: expected an object of numbers and texts")
    for key, value in content.items():
        if not isinstance(value, float | int | str | bool):
            raise ProgramError(f"{path}: {key!r} is {value!r}, expected a number or a text")
        if isinstance(value, float) and not math.isfinite(value):
            raise ProgramError(f"{path}: {key!r} is not a finite number")
    return content
