"""Random Bayesian networks of discrete variables."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Annotated, Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from dagathlon.data import Network, Table
from dagathlon.data.spec import DataFacts
from dagathlon.errors import DataError
from dagathlon.graphs import Graph
from dagathlon.graphs.checks import require_dag
from dagathlon.modules import NonNegative, Probability, Range
from dagathlon.simulate.base import ParameterGenerator, check, not_positive

Levels: TypeAlias = Annotated[int, Range(1, 65_535)]
Numbers: TypeAlias = npt.NDArray[np.float64]

MAX_CELLS = 2**24
"""Largest allowed number of cells of a table, for the sake of memory."""

# Constants of the code that Benchpress ships.
_STRENGTH = (0.4, 0.9)
_BACKGROUND = (0.01, 0.1)
_ISOLATED = 0.03
_CAP = 0.95


@dataclass(frozen=True, kw_only=True)
class BinaryNetwork(ParameterGenerator):
    """Binary variables with random conditional probability tables.

    Parameters
    ----------
    min
        Smallest probability.
    max
        Largest probability.
    form
        paper: the probability of 0, for every configuration of the parents, is uniform between
        min and max. code: the probability of 1 is uniform between min and max where there are no
        parents; each parent that is 1 adds its own strength from 0.4 to 0.9, up to 0.95 in all;
        it is between 0.01 and 0.1 where all parents are 0, and 0.03 at nodes without any edge.
    """

    name = "binary_network"
    gives = DataFacts(kind="discrete", binary=True, missing=False)
    references = ("Rios, Moffa and Kuipers 2024, Benchpress, JSS (form: paper)",)

    min: Probability = 0.1
    max: Probability = 0.9
    form: Literal["paper", "code"] = "paper"

    def problem(self) -> str:
        """Return a message if the interval is empty; empty otherwise."""
        if self.min > self.max:
            return f"min {self.min:g} is above max {self.max:g}"
        return ""

    def sample(self, graph: Graph, rng: np.random.Generator) -> Network:
        """Draw the tables of the nodes, in order."""
        check(self)
        arities = [2] * len(graph)
        if self.form == "paper":
            return network_of(graph, arities, lambda shape, _: self._uniform(shape, rng))
        return network_of(graph, arities, lambda shape, node: self._additive(graph, node, rng))

    def _uniform(self, shape: tuple[int, ...], rng: np.random.Generator) -> Numbers:
        zero = rng.uniform(self.min, self.max, shape[:-1])
        return np.stack((zero, 1 - zero), axis=-1)

    def _additive(self, graph: Graph, node: str, rng: np.random.Generator) -> Numbers:
        parents = len(graph.parents(node))
        if parents:
            one = _sums(rng.uniform(*_BACKGROUND), rng.uniform(*_STRENGTH, parents))
        elif graph.adjacencies(node):
            one = np.asarray(rng.uniform(self.min, self.max))
        else:
            one = np.asarray(_ISOLATED)
        return np.stack((1 - one, one), axis=-1)


@dataclass(frozen=True, kw_only=True)
class DirichletNetwork(ParameterGenerator):
    """Discrete variables with any number of levels; each table row is a Dirichlet draw.

    Parameters
    ----------
    min_levels, max_levels
        Bounds of the number of levels of a variable, which is drawn uniformly.
    concentration
        Dirichlet parameter of every cell: 1 is uniform over all distributions, smaller values make
        them more skewed.
    """

    name = "dirichlet_network"
    gives = DataFacts(kind="discrete", missing=False)

    min_levels: Levels = 2
    max_levels: Levels = 4
    concentration: NonNegative = 1.0

    def problem(self) -> str:
        """Return a message if the interval is empty; empty otherwise."""
        if self.min_levels > self.max_levels:
            return f"min_levels {self.min_levels} is above max_levels {self.max_levels}"
        return not_positive(self, "concentration")

    def sample(self, graph: Graph, rng: np.random.Generator) -> Network:
        """Draw the numbers of levels, then the tables of the nodes, in order."""
        check(self)
        arities = rng.integers(self.min_levels, self.max_levels, len(graph), endpoint=True).tolist()
        return network_of(
            graph, arities, lambda shape, _: dirichlet_rows(shape, self.concentration, rng)
        )


def network_of(
    graph: Graph, arities: Sequence[int], table: Callable[[tuple[int, ...], str], Numbers]
) -> Network:
    """Return a network on a DAG with levels 0, 1, ….

    Parameters
    ----------
    graph
        The DAG.
    arities
        Number of levels of each node.
    table
        Function that makes the table of a node from its shape (one axis per parent, in order, and
        the node's own last) and its name.
    """
    require_dag(graph, "a Bayesian network")
    levels = dict(zip(graph.names, arities, strict=True))
    tables = {}
    for node in graph.names:
        parents = graph.parents(node)
        shape = (*(levels[parent] for parent in parents), levels[node])
        if math.prod(shape) > MAX_CELLS:
            raise DataError(
                f"the table of node {node}, with {len(parents)} parents, has {math.prod(shape)} "
                f"cells, more than {MAX_CELLS}; limit the number of parents (max_parents) or levels"
            )
        tables[node] = Table(tuple(map(str, range(levels[node]))), parents, table(shape, node))
    return Network(tables)


def dirichlet_rows(
    shape: tuple[int, ...], concentration: float, rng: np.random.Generator
) -> Numbers:
    """Draw independent Dirichlet distributions along the last axis."""
    rows = rng.dirichlet(np.full(shape[-1], concentration), shape[:-1])
    return np.asarray(rows, dtype=np.float64)


def _sums(background: float, strengths: Numbers) -> Numbers:
    """Return the background plus the strengths of active parents, with one axis per parent."""
    total = np.zeros((2,) * len(strengths))
    for axis, strength in enumerate(strengths.tolist()):
        shape = [1] * len(strengths)
        shape[axis] = 2
        total = total + np.reshape([0.0, strength], shape)
    capped = np.minimum(total, _CAP)
    capped[(0,) * len(strengths)] = background
    return capped
