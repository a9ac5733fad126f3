"""Networks and data sets bundled with the package, with their origin and licence."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from dagathlon.data.models.network import Network
from dagathlon.data.networks import compact
from dagathlon.data.standard.sachs import (
    BUNDLED,
    SACHS_CONDITIONS,
    list_data,
    load_data,
    load_sachs,
    sachs_graph,
)
from dagathlon.errors import DataError, unknown

__all__ = [
    "BUNDLED",
    "SACHS_CONDITIONS",
    "NetworkRecord",
    "list_data",
    "list_networks",
    "load_data",
    "load_network",
    "load_sachs",
    "sachs_graph",
]


@dataclass(frozen=True)
class NetworkRecord:
    """Facts about a bundled network."""

    name: str
    kind: str
    n_nodes: int
    n_arcs: int
    n_parameters: int
    max_in_degree: int
    min_levels: int | None
    max_levels: int | None
    origin: str
    licence: str
    reference: str


def list_networks() -> tuple[NetworkRecord, ...]:
    """Return facts about the bundled networks, by name, without decoding any network."""
    return tuple(_index().values())


def load_network(name: str) -> Network:
    """Load a bundled network by its name, which ``bundled:`` may precede.

    `Network.load` also takes files.
    """
    name = name.removeprefix(BUNDLED)
    if name not in _index():
        raise DataError(unknown("standard network", name, _index()))
    return compact.read(files(__name__).joinpath(f"{name}.dagnet").read_bytes())


@cache
def _index() -> dict[str, NetworkRecord]:
    listed = json.loads(files(__name__).joinpath("index.json").read_text(encoding="utf-8"))
    return {entry["name"]: NetworkRecord(**entry) for entry in listed}
