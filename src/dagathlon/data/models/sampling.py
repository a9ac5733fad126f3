"""Sampling from a network, in native code."""

from __future__ import annotations

import operator
from typing import TYPE_CHECKING

import numpy as np

from dagathlon import _core
from dagathlon.data.dataset import Dataset
from dagathlon.data.models.distributions import Table
from dagathlon.data.storage import aligned_empty, code_type
from dagathlon.errors import DataError

if TYPE_CHECKING:
    from dagathlon.data.models.network import Network

_MAX_ROWS = 1 << 40
_SEEDS = 1 << 64


def sample(network: Network, n: int, seed: int | np.random.Generator) -> Dataset:
    """Draw `n` rows of a network; see `Network.sample`."""
    if isinstance(seed, np.random.Generator):
        seed = int(seed.integers(0, _SEEDS, dtype=np.uint64))
    n_rows = _whole(n, "the number of rows", _MAX_ROWS)
    start = _whole(seed, "a seed", _SEEDS)
    levels = [variable.arity for variable in network.variables if variable.is_discrete]
    continuous = len(network) - len(levels)
    native = _native(network, levels, continuous)
    try:
        codes = aligned_empty(n_rows, len(levels), code_type(levels))
        values = aligned_empty(n_rows, continuous, np.float64)
    except (MemoryError, ValueError):
        raise DataError(f"{n_rows} rows of {len(network)} nodes do not fit into memory") from None
    native.sample(start, codes, values)
    return Dataset(network.variables, codes, values)


def _native(network: Network, levels: list[int], continuous: int) -> _core.NetworkSampler:
    """Return the native sampler of a network, with one random stream per node."""
    native = _core.NetworkSampler(levels, continuous)
    streams = {name: i for i, name in enumerate(network.names)}
    columns = _columns(network)
    for name in network.graph.topological_order():
        given = network.distribution(name)
        if isinstance(given, Table):
            parents = [columns[parent] for parent in given.parents]
            rows = given.probabilities.reshape(-1, len(given.levels))
            native.add_discrete(streams[name], columns[name], parents, rows)
        else:
            chosen = [columns[parent] for parent in given.discrete_parents]
            linear = [columns[parent] for parent in given.continuous_parents]
            native.add_gaussian(streams[name], columns[name], chosen, linear, given.rows)
    return native


def _columns(network: Network) -> dict[str, int]:
    """Return, for each node, its position among the nodes of its kind."""
    counts = {True: 0, False: 0}
    columns = {}
    for variable in network.variables:
        columns[variable.name] = counts[variable.is_discrete]
        counts[variable.is_discrete] += 1
    return columns


def _whole(value: int, what: str, bound: int) -> int:
    try:
        number = operator.index(value)
    except TypeError:
        raise DataError(f"{what} is a whole number, found {value!r}") from None
    if not 0 <= number < bound:
        raise DataError(f"{what} lies between 0 and {bound - 1}, found {number}")
    return number
