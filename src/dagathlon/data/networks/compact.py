"""The compact format ``.dagnet``: any kind of network, full precision, small, fast to load."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from dagathlon.data.models.distributions import FloatArray
from dagathlon.data.models.network import About, Network
from dagathlon.data.networks.container import pack, unpack
from dagathlon.data.networks.definition import (
    Definition,
    at,
    build,
    check_size,
    definitions_of,
)
from dagathlon.data.networks.limits import MAX_NODES
from dagathlon.errors import DataError, unknown


def read(content: bytes) -> Network:
    """Read a compact file."""
    header, numbers = unpack(content)
    about = About(*(str(header.get(key, "")) for key in ("name", "origin", "licence", "reference")))
    return build(_definitions(header.get("nodes"), numbers), about)


def write(network: Network) -> bytes:
    """Serialise a network as a compact file."""
    return encode(definitions_of(network), network.about)


def encode(definitions: Sequence[Definition], about: About) -> bytes:
    """Serialise node definitions as a compact file, with their numbers unchanged."""
    header = {
        "name": about.name,
        "origin": about.origin,
        "licence": about.licence,
        "reference": about.reference,
        "nodes": [[node.name, node.levels, node.parents] for node in definitions],
    }
    return pack(header, np.concatenate([node.values.ravel() for node in definitions]))


def _definitions(nodes: Any, numbers: FloatArray) -> list[Definition]:
    if not isinstance(nodes, list) or len(nodes) > MAX_NODES:
        raise DataError(f"the header lists no nodes, or more than {MAX_NODES}")
    parsed = [_node(node) for node in nodes]
    counts = {name: None if levels is None else len(levels) for name, levels, _ in parsed}
    result = []
    position = 0
    for name, levels, parents in parsed:
        with at(None, name):
            rows, width = _size(levels, parents, counts)
        cells = numbers[position : position + rows * width]
        if len(cells) != rows * width:
            raise DataError(f"node {name!r}: the numbers end too early")
        result.append(Definition(name, levels, parents, cells.reshape(rows, width)))
        position += rows * width
    if position != len(numbers):
        raise DataError(f"{len(numbers)} numbers, the nodes need {position}")
    return result


def _node(node: Any) -> tuple[str, tuple[str, ...] | None, tuple[str, ...]]:
    match node:
        case [str(name), None, [*parents]] if all(isinstance(p, str) for p in parents):
            return name, None, tuple(parents)
        case [str(name), [*levels], [*parents]] if all(
            isinstance(word, str) for word in (*levels, *parents)
        ):
            return name, tuple(levels), tuple(parents)
    raise DataError(f"a node is [name, levels, parents], found {node!r:.60}")


def _size(
    levels: tuple[str, ...] | None, parents: tuple[str, ...], counts: dict[str, int | None]
) -> tuple[int, int]:
    shape = []
    continuous = 0
    for parent in parents:
        if parent not in counts:
            raise DataError(unknown("parent", parent, counts))
        count = counts[parent]
        if count is None:
            continuous += 1
        else:
            shape.append(count)
    width = continuous + 2 if levels is None else len(levels)
    check_size(shape, width)
    return int(np.prod(shape, dtype=np.int64)), width
