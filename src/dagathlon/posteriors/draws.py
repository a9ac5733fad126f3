"""`Draws`: base class of sequences of drawn graphs, whatever their storage."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from functools import cached_property
from typing import ClassVar, NamedTuple, Self

import numpy as np

from dagathlon import _core
from dagathlon.errors import GraphError
from dagathlon.graphs import Graph
from dagathlon.posteriors.packed import Floats, Form, Ints, Packing, Words

BLOCK_BYTES = 1 << 25


class Parameters(NamedTuple):
    """Parameters of linear models on the drawn DAGs.

    Parameters
    ----------
    coefficients
        Weights of the arcs of each draw, by row and then by column of the arc, draw after draw.
    starts
        For each draw the place of its first coefficient, and at last their number.
    variances
        Variances of the noise, one row for each draw.
    """

    coefficients: Floats
    starts: Ints
    variances: Floats


class Draws(ABC):
    """Sequence of graphs over the same nodes, row by row, of one chain.

    Attributes
    ----------
    names
        The nodes.
    form
        Packed form of the graphs, see `Packing`.
    index
        Place of the first state of each row: states are counted from 0 to `end`.
    score
        A number for each row, for a Markov chain its log posterior up to a constant; or None.
    markov
        Whether a state depends on the one before.
    """

    names: tuple[str, ...]
    form: Form
    index: Ints
    score: Floats | None
    log_weights: Floats | None = None
    parameters: Parameters | None = None
    markov: bool = True
    kind: ClassVar[str]

    @cached_property
    def packing(self) -> Packing:
        """Packed form of the graphs."""
        return Packing(len(self.names), self.form)

    def __len__(self) -> int:
        return len(self.index)

    @property
    @abstractmethod
    def end(self) -> int:
        """Number of states, of which successive equal ones may share a row."""

    @property
    @abstractmethod
    def counts(self) -> Floats:
        """Number (or duration) of the states of each row, without their weight."""

    @property
    @abstractmethod
    def sizes(self) -> Ints:
        """Number of edges in each row."""

    @abstractmethod
    def blocks(self) -> Iterator[tuple[int, Words]]:
        """Yield packed graphs block by block, with the number of the first row of each block."""

    @abstractmethod
    def graph_at(self, row: int) -> Graph:
        """Return the graph of a row."""

    @abstractmethod
    def after(self, burnin: float) -> Self:
        """Return the draws without the share `burnin` of states at the start."""

    @abstractmethod
    def thinned(self, every: int) -> Self:
        """Return only every `every`-th state, beginning with the first."""

    def edge_sums(self, weights: Floats) -> Floats:
        """Return, for each edge from row to column, the total weight of the rows that have it."""
        p = len(self.names)
        total = np.zeros(p * p)
        cells = Packing(p, "arcs").cells
        for first, rows in self.blocks():
            sums = weighted_bits(self.packing.arcs(rows), weights[first : first + len(rows)])
            total[cells] += sums[: len(cells)]
        return total.reshape(p, p)

    def expected_sums(self, weights: Floats) -> Floats:
        """Return edge sums, by the sampler's own estimates of them where there are any."""
        return self.edge_sums(weights)

    def values(self, measure: Callable[[Graph], float]) -> Floats:
        """Return a function's value for each row; equal graphs in a block are evaluated once."""
        result = np.empty(len(self))
        for first, rows in self.blocks():
            number = _core.graph_numbers(rows)[0]
            _, where = np.unique(number, return_index=True)
            graphs = (self.packing.graph(self.names, rows[k]) for k in where)
            known = np.array([float(measure(graph)) for graph in graphs])
            result[first : first + len(rows)] = known[number]
        return result

    def first_non_dag(self) -> int | None:
        """Return the first row that is no DAG, or None."""
        for first, rows in self.blocks():
            bad = _core.first_non_dag(self.packing.arcs(rows), len(self.names))
            if bad < len(rows):
                return first + bad
        return None

    def require_dags(self, chain: int = 0) -> None:
        """Raise if any draw is no DAG, naming the first."""
        bad = self.first_non_dag()
        if bad is not None:
            others = {edge.connector for edge in self.graph_at(bad).edges()} - {"->"}
            what = "undirected edges" if others == {"-"} else "edges with circles or two arrows"
            what = what if others else "a cycle"
            raise GraphError(f"draw {bad} of chain {chain} is no DAG: it has {what}")


def weighted_bits(rows: Words, weights: Floats) -> Floats:
    """Return, for each bit, the total weight of the rows that have it."""
    if len(weights) and np.all(weights == weights[0]):
        return np.asarray(_core.bit_counts(rows)[0] * float(weights[0]), dtype=np.float64)
    return np.asarray(_core.bit_sums(rows, np.ascontiguousarray(weights))[0])
