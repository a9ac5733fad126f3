"""Measurement model files: ``.json`` with everything, ``.csv`` with one loading per line."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from dagathlon.errors import GraphError, no_such_file, not_written
from dagathlon.graphs.formats import read_graph
from dagathlon.graphs.formats.csvtext import quoted
from dagathlon.graphs.graph import Graph
from dagathlon.graphs.measurement import MeasurementModel

SUFFIXES = (".json", ".csv")
_KEYS = {"observed", "latents", "structure", "observed_edges"}
_MOST_BYTES = 1 << 28


def write_measurement(model: MeasurementModel, file: str | Path) -> None:
    """Write a measurement model.

    Parameters
    ----------
    model
        The model.
    file
        ``.json``: an object with ``observed``, ``latents`` (the indicators of each), ``structure``
        (edges among the latent variables, null where unknown) and ``observed_edges``. ``.csv``: a
        table with the columns latent and indicator, for reading elsewhere.
    """
    place = Path(file)
    check_measurement_suffix(place)
    text = _table(model) if place.suffix == ".csv" else json.dumps(to_json(model), indent=2) + "\n"
    try:
        place.write_text(text)
    except OSError as error:
        raise GraphError(not_written(place, error)) from None


def read_measurement(file: str | Path) -> MeasurementModel:
    """Read a measurement model from a ``.json`` file written by `write_measurement`."""
    place = Path(file)
    if not place.is_file():
        raise GraphError(no_such_file(place))
    if place.stat().st_size > _MOST_BYTES:
        raise GraphError(f"{place}: too large for a measurement model")
    try:
        return from_json(json.loads(place.read_text()))
    except (ValueError, KeyError, TypeError, AttributeError, GraphError, RecursionError) as error:
        raise GraphError(f"{place}: not a measurement model ({error})") from None


def measurement_of(file: str | Path, observed: tuple[str, ...]) -> MeasurementModel:
    """Read a model from its own file, or from a graph, whose unobserved nodes are latent."""
    if is_measurement_file(Path(file)):
        return read_measurement(file)
    graph = read_graph(file)
    absent = [name for name in observed if name not in graph]
    if absent:
        raise GraphError(f"{file}: the graph does not have the observed variable {absent[0]!r}")
    return MeasurementModel.from_graph(graph, observed)


def is_measurement_file(file: Path) -> bool:
    """Whether a file is a measurement model's ``.json``; graphs are never written as JSON."""
    return file.suffix == ".json"


def check_measurement_suffix(file: Path) -> None:
    """Refuse a file whose ending is not one of measurement models."""
    if file.suffix not in SUFFIXES:
        raise GraphError(
            f"{file}: measurement models are written as .json or .csv, not "
            f"{file.suffix or 'without an ending'}"
        )


def to_json(model: MeasurementModel) -> dict[str, Any]:
    """Return a model as JSON values."""
    structure = model.structure
    between = model.graph.subgraph(model.names).edges()
    return {
        "observed": list(model.names),
        "latents": {latent: list(shown) for latent, shown in model.indicators.items()},
        "structure": None if structure is None else [str(edge) for edge in structure.edges()],
        "observed_edges": [str(edge) for edge in between],
    }


def from_json(content: Any) -> MeasurementModel:
    """Return a model from the JSON values of `to_json`."""
    if not isinstance(content, dict) or set(content) - _KEYS:
        raise ValueError(f"it has other keys than {', '.join(sorted(_KEYS))}")
    edges = content.get("structure")
    latents = {str(name): tuple(map(str, shown)) for name, shown in content["latents"].items()}
    structure = None if edges is None else Graph.from_edges(map(str, edges), latents)
    between = tuple(map(str, content.get("observed_edges", ())))
    return MeasurementModel(map(str, content["observed"]), latents, structure, between)


def _table(model: MeasurementModel) -> str:
    lines = ["latent,indicator"]
    for latent, shown in model.indicators.items():
        lines += [f"{quoted(latent)},{quoted(indicator)}" for indicator in shown]
    return "\n".join(lines) + "\n"
