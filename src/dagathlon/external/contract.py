"""Contract with external programs: the input files of a run."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal, NamedTuple, TypeAlias

from dagathlon.data import Dataset, spec_of, write_data
from dagathlon.graphs import Graph, write_graph
from dagathlon.learners.background import content_of, knowledge_of
from dagathlon.processes.usage import memory_limit_given

DataFormat: TypeAlias = Literal["csv", "arrow"]
DATA: dict[DataFormat, str] = {"csv": "data.csv", "arrow": "data.arrow"}
PARAMETERS = "parameters.json"
CONSTRAINTS = "constraints.json"
START = "start.csv"
INPUTS = frozenset({*DATA.values(), PARAMETERS, CONSTRAINTS, START})
"""Names of the input files, which are not results."""


class RunInputs(NamedTuple):
    """Inputs of a run.

    Parameters
    ----------
    module
        Name of the module: several may share a program.
    data
        The data.
    parameters
        The module's parameters, without those that name other files.
    seed
        For all randomness.
    timeout
        Time limit in seconds, or None.
    constraints
        Background knowledge as `knowledge_of` takes it, or None.
    start
        Graphs to begin with, most often none or one.
    """

    module: str
    data: Dataset
    parameters: Mapping[str, Any]
    seed: int
    timeout: float | None = None
    constraints: Any = None
    start: tuple[Graph, ...] = ()


def write_inputs(folder: Path, given: RunInputs, data_format: DataFormat = "csv") -> None:
    """Write the input files of a run."""
    if data_format == "arrow":
        _write_arrow(given.data, folder / DATA["arrow"])
    else:
        write_data(given.data, folder / DATA["csv"])
    _write_json(folder / PARAMETERS, _parameters(given))
    if given.constraints is not None:
        _write_json(folder / CONSTRAINTS, _constraints(given))
    for number, graph in enumerate(given.start, 1):
        place = folder / (START if number == 1 else f"start-{number}.csv")
        write_graph(graph, place, "adjacency")  # of any size: programs know one form


def write_parameters(
    folder: Path, module: str, values: Mapping[str, Any], seed: int, timeout: float | None
) -> None:
    """Write the file of parameters, seed and time limit.

    Parameters
    ----------
    folder
        Where the program runs.
    module
        Name of the module: several may share a program.
    values
        The module's parameters.
    seed
        For all randomness.
    timeout
        Time limit in seconds, or None.
    """
    _write_json(folder / PARAMETERS, {**values, **_about(module, seed, timeout)})


def _about(module: str, seed: int, timeout: float | None) -> dict[str, Any]:
    return {
        "module": module,
        "seed": seed,
        "time_limit": timeout,
        "memory_limit": memory_limit_given(),
    }


def _parameters(given: RunInputs) -> dict[str, Any]:
    data = {"data_kind": spec_of(given.data).kind, "names": list(given.data.names)}
    return {**given.parameters, **data, **_about(given.module, given.seed, given.timeout)}


def _constraints(given: RunInputs) -> dict[str, Any]:
    """Return forbidden and required edges one by one, and the tiers."""
    knowledge = knowledge_of(given.constraints, given.data.names)
    content = content_of(given.constraints)
    tiers = content.get("tiers") if isinstance(content, Mapping) else None
    edges = {"forbidden": knowledge.forbidden, "required": knowledge.required}
    pairs = {
        f"{kind}_edges": sorted(map(list, pairs_of_names)) for kind, pairs_of_names in edges.items()
    }
    return {**pairs, "tiers": tiers or []}


def _write_json(path: Path, content: Mapping[str, Any]) -> None:
    path.write_text(json.dumps(content, indent=1, ensure_ascii=False), "utf-8")


def _write_arrow(data: Dataset, path: Path) -> None:
    """Write an Arrow IPC file, which other languages can memory-map without copying."""
    import pyarrow as pa  # noqa: PLC0415 - only where a module asks for it

    table = data.to_arrow()
    with pa.OSFile(str(path), "wb") as file, pa.ipc.new_file(file, table.schema) as writer:
        writer.write_table(table)
