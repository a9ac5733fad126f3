"""`Sample`: drawn graphs as packed bits, with weights and parameters."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property

import numpy as np
import numpy.typing as npt

from dagathlon.errors import DataError, GraphError
from dagathlon.graphs import Graph
from dagathlon.posteriors.draws import BLOCK_BYTES, Draws, Parameters
from dagathlon.posteriors.packed import FORMS, Floats, Form, Ints, Words, packed_graphs

_BITS = np.array([number.bit_count() for number in range(256)], dtype=np.uint8)


class Sample(Draws):
    """Sequence of drawn graphs of any kind, each a row of bits.

    Parameters
    ----------
    names
        The nodes.
    form
        Packed form of the graphs, see `dagathlon.posteriors.packed.Packing`.
    bits
        One row of 64-bit words for each graph.
    score
        A number for each draw.
    log_weights
        Logarithms of the weights up to a common constant; by default all count the same. Minus
        infinity is a weight of zero.
    parameters
        Parameters of linear models, one for each draw.
    markov
        Whether a draw depends on the one before, so that fewer are worth as many independent ones.
    """

    kind = "sample"

    def __init__(
        self,
        names: Iterable[str],
        form: Form,
        bits: Words,
        *,
        score: npt.ArrayLike | None = None,
        log_weights: npt.ArrayLike | None = None,
        parameters: Parameters | None = None,
        markov: bool = False,
    ) -> None:
        self.names = tuple(names)
        self.form = form
        self.markov = markov
        if form not in FORMS:
            raise DataError(f"graphs are packed as {', '.join(FORMS)}, found {form!r}")
        self.bits = np.ascontiguousarray(bits, dtype="<u8")
        self._check_bits()
        self.score = self._numbers(score, "scores")
        self.log_weights = self._numbers(log_weights, "log weights")
        self._check_weights()
        self.parameters = None if parameters is None else self._checked_parameters(parameters)
        arrays = (self.bits, self.score, self.log_weights, *(self.parameters or ()))
        for array in arrays:
            if array is not None:
                array.flags.writeable = False

    @classmethod
    def of(
        cls,
        graphs: Sequence[Graph],
        *,
        names: Sequence[str] | None = None,
        score: npt.ArrayLike | None = None,
        log_weights: npt.ArrayLike | None = None,
        coefficients: npt.ArrayLike | None = None,
        variances: npt.ArrayLike | None = None,
        markov: bool = False,
    ) -> Sample:
        """Make a sample from graphs of any kind over the same nodes.

        Parameters
        ----------
        graphs
            The draws.
        names
            Order of the nodes; by default that of the first graph.
        score, log_weights, markov
            See the class.
        coefficients
            Weights of the arcs, from row to column: an array of shape (draws, p, p).
        variances
            Variances of the noise: an array of shape (draws, p).
        """
        if not len(graphs):
            raise DataError("there are no draws: a posterior has at least one graph")
        nodes = tuple(names) if names is not None else graphs[0].names
        form, bits = packed_graphs(graphs, nodes)
        sample = cls(nodes, form, bits, score=score, log_weights=log_weights, markov=markov)
        if coefficients is None:
            if variances is not None:
                raise DataError("variances of the noise come with coefficients of the arcs")
            return sample
        return sample.with_parameters(coefficients, variances)

    def with_parameters(
        self, coefficients: npt.ArrayLike, variances: npt.ArrayLike | None = None
    ) -> Sample:
        """Return the draws with parameters of linear models; see `of`."""
        p, n = len(self.names), len(self)
        dense = np.asarray(coefficients, dtype=np.float64)
        noise = np.ones((n, p)) if variances is None else np.asarray(variances, dtype=np.float64)
        if dense.shape != (n, p, p) or noise.shape != (n, p):
            raise DataError(
                f"{n} draws over {p} nodes have coefficients of shape {(n, p, p)} and variances of "
                f"shape {(n, p)}, found {dense.shape} and {noise.shape}"
            )
        self.require_dags(0)
        arcs = self.packing.adjacency(self.bits)
        stray = (dense != 0) & ~arcs
        if np.any(stray):
            k, i, j = np.argwhere(stray)[0]
            raise DataError(
                f"draw {k} has a coefficient but no arc from {self.names[i]} to {self.names[j]}"
            )
        starts = np.concatenate([[0], np.cumsum(arcs.sum(axis=(1, 2)))]).astype(np.int64)
        bits = self.packing.arcs(self.bits)
        given = Parameters(dense[arcs], starts, noise)
        return self._replaced(form="arcs", bits=bits, parameters=given)

    def _check_bits(self) -> None:
        words = self.packing.words
        if self.bits.ndim != 2 or self.bits.shape[1] != words:
            raise DataError(f"draws over {len(self.names)} nodes have {words} words each")
        if not len(self.bits):
            raise DataError("there are no draws: a posterior has at least one graph")
        over = words * 64 - self.packing.bits
        if over and np.any(self.bits[:, -1] >> np.uint64(64 - over)):
            raise DataError("draws have bits beyond the last pair of nodes")

    def _numbers(self, given: npt.ArrayLike | None, what: str) -> Floats | None:
        if given is None:
            return None
        numbers = np.array(given, dtype=np.float64)
        if numbers.shape != (len(self.bits),):
            raise DataError(f"{len(self.bits)} draws have as many {what}, found {numbers.shape}")
        return numbers

    def _check_weights(self) -> None:
        logs = self.log_weights
        if logs is None:
            return
        if np.any(np.isnan(logs) | (logs == np.inf)):
            bad = int(np.flatnonzero(np.isnan(logs) | (logs == np.inf))[0])
            raise DataError(f"the log weight of draw {bad} is {logs[bad]}")

    def _checked_parameters(self, parameters: Parameters) -> Parameters:
        if self.form != "arcs":
            raise DataError("only draws of DAGs have coefficients and variances")
        coefficients, starts, variances = parameters
        sizes = np.concatenate([[0], np.cumsum(self._set_bits())])
        if not np.array_equal(starts, sizes) or coefficients.shape != (sizes[-1],):
            raise DataError("there is one coefficient for each arc of each draw")
        if variances.shape != (len(self), len(self.names)):
            raise DataError("there is one variance for each node of each draw")
        if not np.all(np.isfinite(coefficients)) or not np.all(np.isfinite(variances)):
            raise DataError("coefficients and variances are finite numbers")
        if np.any(variances < 0):
            raise DataError("variances of the noise are at least 0")
        return Parameters(np.array(coefficients), np.array(starts), np.array(variances))

    def _set_bits(self) -> Ints:
        """Number of set bits in each draw."""
        octets = self.bits.view(np.uint8).reshape(len(self.bits), -1)
        counts = np.empty(len(octets), dtype=np.int64)
        for first, rows in self.blocks():
            last = first + len(rows)
            counts[first:last] = _BITS[octets[first:last]].sum(axis=1, dtype=np.int64)
        return counts

    @cached_property
    def index(self) -> Ints:  # type: ignore[override]
        """Index of each draw: 0, 1, …."""
        return np.arange(len(self.bits), dtype=np.int64)

    def __len__(self) -> int:
        return len(self.bits)

    @property
    def end(self) -> int:
        """Number of draws."""
        return len(self.bits)

    @cached_property
    def counts(self) -> Floats:
        """Number of states of each draw: 1."""
        return np.ones(len(self.bits))

    @cached_property
    def are_dags(self) -> bool:
        """Whether all draws are DAGs."""
        return self.first_non_dag() is None

    @cached_property
    def sizes(self) -> Ints:
        """Number of edges of each draw."""
        if self.form == "undirected" or self.are_dags:
            return self._set_bits()
        sizes = np.empty(len(self), dtype=np.int64)
        for first, rows in self.blocks():
            edges = self.packing.adjacency(rows)
            joined = np.triu(edges | edges.transpose(0, 2, 1))
            sizes[first : first + len(rows)] = joined.sum(axis=(1, 2))
        return sizes

    def blocks(self) -> Iterator[tuple[int, Words]]:
        """Yield packed draws in blocks whose matrices are small enough to work with."""
        step = max(BLOCK_BYTES // max(len(self.names) ** 2, 1), 1)
        for first in range(0, len(self.bits), step):
            yield first, self.bits[first : first + step]

    def graph_at(self, row: int) -> Graph:
        """Return the graph of a draw."""
        return self.packing.graph(self.names, self.bits[row])

    def parameters_at(self, row: int) -> tuple[Floats, Floats]:
        """Return the arc weights of a draw as a matrix from row to column, and noise variances."""
        if self.parameters is None:
            raise GraphError("these draws have no parameters")
        coefficients, starts, variances = self.parameters
        matrix = np.zeros((len(self.names),) * 2)
        arcs = self.packing.adjacency(self.bits[row : row + 1])[0]
        matrix[arcs] = coefficients[starts[row] : starts[row + 1]]
        return matrix, variances[row]

    def after(self, burnin: float) -> Sample:
        """Return the draws without the share `burnin` at the start; at least one remains."""
        first = min(int(len(self) * burnin), len(self) - 1)
        return self.at(np.arange(first, len(self))) if first else self

    def thinned(self, every: int) -> Sample:
        """Return only every `every`-th draw, beginning with the first."""
        return self.at(np.arange(0, len(self), every))

    def at(self, rows: Ints) -> Sample:
        """Return the draws at some positions."""
        parameters = None
        if self.parameters is not None:
            coefficients, starts, variances = self.parameters
            pieces = [coefficients[starts[k] : starts[k + 1]] for k in rows.tolist()]
            ends = np.concatenate([[0], np.cumsum([len(piece) for piece in pieces])])
            flat = np.concatenate([np.empty(0), *pieces])
            parameters = Parameters(flat, ends.astype(np.int64), variances[rows])
        return self._replaced(
            bits=self.bits[rows],
            score=None if self.score is None else self.score[rows],
            log_weights=None if self.log_weights is None else self.log_weights[rows],
            parameters=parameters,
        )

    def recast(self, form: Form) -> Sample:
        """Return the draws converted to a more general form."""
        return self._replaced(form=form, bits=self.packing.recast(self.bits, form))

    def _replaced(self, **changes: object) -> Sample:
        fields = ("score", "log_weights", "parameters", "markov")
        given = {name: getattr(self, name) for name in fields} | changes
        form, bits = (given.pop(name, getattr(self, name)) for name in ("form", "bits"))
        return Sample(self.names, form, bits, **given)
