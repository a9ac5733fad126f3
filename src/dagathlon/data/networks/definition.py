"""Definitions of nodes as parsed from a file, before they are validated and become a network."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from dagathlon.data.models.distributions import Distribution, FloatArray, Gaussian, Table
from dagathlon.data.models.network import About, Network
from dagathlon.data.networks.limits import MAX_CELLS, MAX_NODES
from dagathlon.data.variable import MAX_LEVELS, first_repeated
from dagathlon.errors import DataError, unknown


@dataclass(frozen=True)
class Definition:
    """One node as parsed: name, levels (``None`` if continuous), parents and numbers.

    The numbers are one row per configuration of the discrete parents, the last parent varying
    fastest. A row holds the probabilities of the levels, or intercept, one coefficient per
    continuous parent, and sd.
    """

    name: str
    levels: tuple[str, ...] | None
    parents: tuple[str, ...]
    values: FloatArray
    line: int | None = None


def place(line: int | None, name: str | None = None) -> str:
    """Return the known parts of a place in a file, such as ``line 3: node 'X'``."""
    parts = [] if line is None else [f"line {line}"]
    if name is not None:
        parts.append(f"node {name!r}")
    return ": ".join(parts)


@contextmanager
def at(line: int | None, name: str | None = None) -> Iterator[None]:
    """Prefix the message of any `DataError` raised inside with the place."""
    try:
        yield
    except DataError as error:
        before = place(line, name)
        raise DataError(f"{before}: {error}" if before else str(error)) from None


class Draft:
    """Collector of the variables and tables of a file, in any order."""

    def __init__(self) -> None:
        self._levels: dict[str, tuple[str, ...] | None] = {}
        self._lines: dict[str, int | None] = {}
        self._tables: dict[str, Definition] = {}

    def variable(self, name: str, levels: Sequence[str] | None, line: int | None) -> None:
        """Add a variable and its levels (``None`` if continuous)."""
        with at(line, name):
            if name in self._levels:
                raise DataError(f"defined a second time (first in line {self._lines[name]})")
            if len(self._levels) >= MAX_NODES:
                raise DataError(f"more than {MAX_NODES} nodes")
            if levels is not None and len(levels) > MAX_LEVELS:
                raise DataError(f"{len(levels)} levels, allowed are {MAX_LEVELS}")
        self._levels[name] = None if levels is None else tuple(levels)
        self._lines[name] = line

    def levels(self, name: str, line: int | None = None) -> tuple[str, ...] | None:
        """Return the levels of a declared variable."""
        if name not in self._levels:
            raise DataError(unknown("node", name, self._levels, place(line)))
        return self._levels[name]

    def configurations(
        self, name: str, parents: Sequence[str], line: int | None
    ) -> tuple[int, ...]:
        """Return numbers of levels of the discrete parents; refuse a table that is too large."""
        own_levels = self.levels(name, line)
        shape = []
        with at(line, name):
            for parent in parents:
                levels = self.levels(parent)
                if levels is not None:
                    shape.append(len(levels))
            width = len(own_levels) if own_levels is not None else len(parents) - len(shape) + 2
            check_size(shape, width)
        return tuple(shape)

    def table(
        self, name: str, parents: Sequence[str], values: npt.ArrayLike, line: int | None
    ) -> None:
        """Add a node's numbers, in the order described by `Definition`."""
        rows = int(np.prod(self.configurations(name, parents, line), dtype=np.int64))
        own_levels = self.levels(name)
        continuous = sum(self.levels(parent) is None for parent in parents)
        width = len(own_levels) if own_levels is not None else continuous + 2
        with at(line, name):
            if name in self._tables:
                raise DataError("has a second table")
            if own_levels is not None and continuous:
                raise DataError("a discrete node has no continuous parents")
            numbers = np.asarray(values, dtype=np.float64)
            if numbers.size != rows * width:
                raise DataError(
                    f"found {numbers.size} numbers, needed are {rows * width} "
                    f"({rows} parent configurations × {width})"
                )
        numbers = numbers.reshape(rows, width)
        self._tables[name] = Definition(name, own_levels, tuple(parents), numbers, line)

    def definitions(self) -> list[Definition]:
        """Return all nodes, in the order in which the variables were declared."""
        for name in self._levels:
            if name not in self._tables:
                raise DataError(f"{place(self._lines[name], name)}: has no probabilities")
        return [self._tables[name] for name in self._levels]


def check_size(shape: Sequence[int], width: int) -> None:
    """Refuse a table with too many cells before it is allocated."""
    cells = width
    for count in shape:
        cells *= count
        if cells > MAX_CELLS:
            raise DataError(f"the table has more than the allowed {MAX_CELLS} cells")


def build(definitions: Sequence[Definition], about: About | None = None) -> Network:
    """Make the network; report errors with line and node."""
    levels = {definition.name: definition.levels for definition in definitions}
    twice = first_repeated(definition.name for definition in definitions)
    if twice is not None:
        raise DataError(f"node {twice!r} is defined twice")
    distributions: dict[str, Distribution] = {}
    for definition in definitions:
        with at(definition.line, definition.name):
            distributions[definition.name] = _distribution(definition, levels)
    return Network(distributions, about=about)


def _distribution(
    definition: Definition, levels: dict[str, tuple[str, ...] | None]
) -> Distribution:
    discrete, continuous, shape = [], [], []
    for parent in definition.parents:
        if parent not in levels:
            raise DataError(unknown("parent", parent, levels))
        parent_levels = levels[parent]
        if parent_levels is None:
            continuous.append(parent)
        else:
            discrete.append(parent)
            shape.append(len(parent_levels))
    width = len(continuous) + 2 if definition.levels is None else len(definition.levels)
    check_size(shape, width)
    if definition.values.size != int(np.prod(shape, dtype=np.int64)) * width:
        raise DataError(f"found {definition.values.size} numbers for a table of {shape} × {width}")
    values = definition.values.reshape(*shape, width)
    if definition.levels is not None:
        if continuous:
            raise DataError(f"a discrete node has no continuous parents, found {continuous[0]!r}")
        return Table(definition.levels, definition.parents, values)
    return Gaussian(
        tuple(continuous), values[..., 0], values[..., 1:-1], values[..., -1], tuple(discrete)
    )


def definitions_of(network: Network) -> list[Definition]:
    """Return the nodes of a network as definitions, for writing."""
    result = []
    for name in network.names:
        given = network.distribution(name)
        if isinstance(given, Table):
            rows = given.probabilities.reshape(-1, len(given.levels))
            result.append(Definition(name, given.levels, given.parents, rows))
        else:
            result.append(Definition(name, None, given.parents, given.rows))
    return result
