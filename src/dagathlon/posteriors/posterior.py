"""`Posterior`: a distribution over graphs, represented by weighted draws."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from dagathlon.data.models.sem import LinearSem
from dagathlon.errors import DataError
from dagathlon.graphs import Graph
from dagathlon.posteriors.convergence import (
    effective_sample_size,
    potential_scale_reduction,
    repeat_by_state,
)
from dagathlon.posteriors.distinct import DistinctGraphs
from dagathlon.posteriors.draws import Draws
from dagathlon.posteriors.making import log_weights_of, one_form, split_by_chain
from dagathlon.posteriors.marginals import EdgeMarginals, frozen
from dagathlon.posteriors.packed import Bools, Floats
from dagathlon.posteriors.queries import has_edge, written_edges
from dagathlon.posteriors.sample import Sample

WrittenEdge: TypeAlias = str | tuple[str, str] | tuple[str, str, str]
Edges: TypeAlias = Iterable[WrittenEdge]
GraphFunction: TypeAlias = Callable[[Graph], Any]


class Posterior(EdgeMarginals):
    """Distribution over graphs: draws of one or several chains, with weights.

    Probabilities of edges are in a matrix, from row to column. An edge without a direction (in
    an undirected graph, a CPDAG, a PAG) counts in both directions there, as in
    `Graph.adjacency`.

    Parameters
    ----------
    chains
        The draws, chain by chain, over the same nodes: a `Chain` or a `Sample` each. Chains with
        and without weights cannot be mixed.
    space
        Which graphs the posterior covers, in words ("all DAGs"); empty if unknown.

    Attributes
    ----------
    chains
        The draws; a chain is known by its place here.
    """

    space: str = ""

    def __init__(self, chains: Sequence[Draws], *, space: str = "") -> None:
        if not chains:
            raise DataError("there are no draws: a posterior has at least one graph")
        self.chains = one_form(chains)
        self.names = self.chains[0].names
        self.space = space

    @classmethod
    def of(
        cls,
        graphs: Sequence[Graph],
        *,
        weights: npt.ArrayLike | None = None,
        log_weights: npt.ArrayLike | None = None,
        score: npt.ArrayLike | None = None,
        chain: Sequence[int] | None = None,
        coefficients: npt.ArrayLike | None = None,
        variances: npt.ArrayLike | None = None,
        names: Sequence[str] | None = None,
        markov: bool = False,
        dags: bool = False,
        space: str = "",
    ) -> Posterior:
        """Make a posterior from graphs of any kind over the same nodes.

        Parameters
        ----------
        graphs
            The draws.
        weights
            Probabilities of the draws, which sum to 1; by default all are the same.
        log_weights
            In place of `weights`: logarithms of weights up to a common constant.
        score
            A number for each draw; of Markov chains the log posterior up to a constant.
        chain
            Number of the chain of each draw, from 0 on; by default they are of one chain.
        coefficients, variances
            Parameters of linear models, of shape (draws, p, p), from row to column, and
            (draws, p).
        names
            Order of the nodes; by default that of the first graph.
        markov
            Whether a draw depends on the one before.
        dags
            Whether a draw that is no DAG is an error.
        space
            Which graphs the posterior covers, in words.
        """
        sample = Sample.of(
            graphs,
            names=names,
            score=score,
            log_weights=log_weights_of(weights, log_weights),
            coefficients=coefficients,
            variances=variances,
            markov=markov,
        )
        if dags:
            sample.require_dags()
        return cls([sample] if chain is None else split_by_chain(sample, chain), space=space)

    @classmethod
    def merge(cls, posteriors: Iterable[Posterior]) -> Posterior:
        """Combine the chains of several posteriors, in that order.

        Draws without weights count the same each; weights are compared as they were given.
        Where the posteriors cover different graphs, `space` names all of them.
        """
        given = list(posteriors)
        empty = [number for number, one in enumerate(given) if not one.chains]
        if empty or not given:
            raise DataError("only posteriors with draws can be merged")
        spaces = dict.fromkeys(one.space for one in given if one.space)
        chains = [chain for posterior in given for chain in posterior.chains]
        return Posterior(chains, space="; ".join(spaces))

    # Sums are kept as counts as long as possible, so that shares of unweighted draws are exact.
    @cached_property
    def _raw_weights(self) -> tuple[Floats, ...]:
        """Unnormalised weight of each row of each chain."""
        self._require_draws("weights of draws")
        given = [chain.log_weights for chain in self.chains]
        logs = [log for log in given if log is not None]
        if not logs:
            return tuple(chain.counts for chain in self.chains)
        largest = max(float(log.max()) for log in logs)
        if largest == -np.inf:
            raise DataError("all draws have a weight of zero")
        return tuple(
            chain.counts * np.exp(log - largest)
            for chain, log in zip(self.chains, logs, strict=True)
        )

    @cached_property
    def _total_raw(self) -> float:
        """Total unnormalised weight of all draws."""
        return float(sum(raw.sum() for raw in self._raw_weights))

    @property
    def _total(self) -> float:
        return self._total_raw

    @cached_property
    def _distinct(self) -> DistinctGraphs:
        return DistinctGraphs(self.chains, self._raw_weights)

    def _require_draws(self, what: str) -> None:
        if not self.chains:
            raise DataError(f"{what} need draws, and this posterior has marginals alone")

    @property
    def n_draws(self) -> int:
        """Number of draws in all chains."""
        return sum(chain.end for chain in self.chains)

    @property
    def weights(self) -> tuple[Floats, ...]:
        """Probability of each row of each chain; all of them sum to 1."""
        return tuple(raw / self._total_raw for raw in self._raw_weights)

    def graphs(self, most: int | None = None) -> list[tuple[Graph, float]]:
        """Return the distinct graphs with their probabilities, most probable first."""
        distinct = self._distinct
        order = distinct.order[:most]
        return [(distinct.graph(k), float(distinct.weights[k]) / self._total_raw) for k in order]

    def models(self) -> Iterator[tuple[LinearSem, float]]:
        """Yield the linear models of draws with parameters, each with its probability."""
        for chain, weights in zip(self.chains, self.weights, strict=True):
            if not isinstance(chain, Sample):
                raise DataError("a chain of graphs alone has no parameters")
            for row, weight in enumerate(weights.tolist()):
                yield LinearSem(self.names, *chain.parameters_at(row)), weight

    @cached_property
    def _edge_sums(self) -> Floats:
        pairs = zip(self.chains, self._raw_weights, strict=True)
        sums: Floats = np.sum([chain.expected_sums(raw) for chain, raw in pairs], axis=0)
        return sums

    @cached_property
    def _undirected_sums(self) -> Floats:
        if all(chain.form == "undirected" for chain in self.chains):
            # Means over all steps know edges that no saved graph has.
            return self._edge_sums
        return self._distinct.undirected()

    def _mark_sums(self) -> Floats | None:
        return self._distinct.mark_pairs() if self.chains[0].form == "marks" else None

    @cached_property
    def path_probabilities(self) -> Floats:
        """Probability of a directed path from row to column; 0 on the diagonal for DAGs."""
        return frozen(np.clip(self._distinct.paths() / self._total_raw, 0.0, 1.0))

    def probability(self, present: Edges | GraphFunction = (), absent: Edges = ()) -> float:
        """Return the probability that some edges are all in the graph and others not.

        Parameters
        ----------
        present
            Edges as in `Graph.from_edges`: ``("a", "b")`` is ``a → b``, ``"a - b"`` an undirected
            edge. Or a predicate of graphs.
        absent
            Edges that are not in the graph.
        """
        if callable(present):
            return float(self.expect(lambda graph: bool(present(graph))))
        holds: Bools = np.ones(len(self._distinct), dtype=np.bool_)
        for edges, wanted in ((present, True), (absent, False)):
            for edge in written_edges(edges, self.names):
                holds &= has_edge(self._distinct, edge) == wanted
        return self._distinct.weight_of(holds) / self._total_raw

    def expect(self, measure: GraphFunction) -> Any:
        """Return the expectation of a function of graphs, which may return an array.

        The function is called once for each distinct graph.
        """
        self._require_draws("expected values of a function")
        distinct = self._distinct
        total = sum(
            weight * np.asarray(measure(distinct.graph(k)), dtype=np.float64)
            for k, weight in enumerate(distinct.weights.tolist())
        )
        mean = total / self._total_raw
        return float(mean) if np.ndim(mean) == 0 else mean

    def map(self) -> Graph:
        """Return the most probable graph, the first one if there are several.

        Of Markov chains this is the graph of highest score; of other draws that of the
        largest total weight.
        """
        self._require_draws("estimates")
        scores = [chain.score for chain in self.chains if chain.markov]
        if len(scores) < len(self.chains) or any(score is None for score in scores):
            return self._distinct.graph(self._distinct.order[0])
        best = [float(score.max()) for score in scores if score is not None]
        chain = self.chains[int(np.argmax(best))]
        return chain.graph_at(int(np.argmax(chain.score)))  # type: ignore[arg-type]

    @cached_property
    def entropy(self) -> float:
        """Return the Shannon entropy of the distribution over distinct graphs, in nats.

        With few draws from many graphs it is far too low: n draws have at most log n.
        """
        shares = self._distinct.weights / self._total_raw
        shares = shares[shares > 0]
        return max(0.0, float(-(shares * np.log(shares)).sum()))

    def effective_size(self, of: str | GraphFunction | None = None) -> float:
        """Return the effective sample size: the equivalent number of independent equal draws.

        Parameters
        ----------
        of
            ``score``, ``size`` (number of edges) or a function of graphs, whose autocorrelation
            along the chains counts. By default the smaller one of score and size for Markov
            chains, and 1/Σw² for independent or weighted draws.

        Returns
        -------
        float
            NaN for values that never change.
        """
        self._require_draws("effective sizes")
        weighted = self.chains[0].log_weights is not None
        if of is None and (weighted or not all(chain.markov for chain in self.chains)):
            raw = np.concatenate(self._raw_weights)
            return float(raw.sum() ** 2 / (raw**2).sum())
        if of is not None:
            return effective_sample_size(self._states(of))
        scored = all(chain.score is not None for chain in self.chains)
        known = [self.effective_size(what) for what in (["score", "size"] if scored else ["size"])]
        return float(np.fmin.reduce(known))

    def rhat(self, of: str | GraphFunction = "score") -> float:
        """Return the rank-normalised split R̂ of the chains: near 1 where they agree.

        Parameters
        ----------
        of
            ``score``, ``size`` (number of edges) or a function of graphs.
        """
        self._require_draws("convergence")
        return potential_scale_reduction(self._states(of))

    def _states(self, of: str | GraphFunction) -> Floats:
        """Return a value for each state, one row per chain, truncated to the shortest chain."""
        rows = []
        for chain in self.chains:
            if callable(of):
                values = chain.values(of)
            elif of == "size":
                values = chain.sizes.astype(np.float64)
            elif of == "score" and chain.score is not None:
                values = chain.score
            else:
                raise DataError(f"these draws have no {of!r}; ask for score, size or a function")
            rows.append(repeat_by_state(chain, values))
        shortest = min(map(len, rows))
        return np.array([row[:shortest] for row in rows])

    def after(self, burnin: float) -> Posterior:
        """Return the posterior without the share `burnin` at the start of each chain."""
        if not 0 <= burnin <= 1:
            raise DataError(f"a burn-in is a share from 0 to 1, found {burnin}")
        return Posterior([chain.after(burnin) for chain in self.chains], space=self.space)

    def thinned(self, every: int) -> Posterior:
        """Return only every `every`-th draw of each chain, beginning with the first."""
        if every < 1:
            raise DataError(f"chains are thinned to every first, second, … draw, found {every}")
        return Posterior([chain.thinned(every) for chain in self.chains], space=self.space)

    def sample(self, count: int, seed: int) -> list[Graph]:
        """Draw graphs by their probabilities, with replacement."""
        distinct = self._distinct
        rng = np.random.Generator(np.random.Philox(key=seed))
        shares = distinct.weights / distinct.weights.sum()
        return [distinct.graph(k) for k in rng.choice(len(distinct), size=count, p=shares).tolist()]

    def require_dags(self) -> None:
        """Raise if any draw is no DAG, naming the first."""
        for number, chain in enumerate(self.chains):
            chain.require_dags(number)

    def summary(self) -> dict[str, float | int]:
        """Return key figures: draws, distinct graphs, effective size, entropy, expected edges."""
        figures: dict[str, float | int] = {"expected_edges": self.expected_edges}
        if self.chains:
            size = self.effective_size()
            figures |= {"draws": self.n_draws, "chains": len(self.chains)}
            figures |= {"distinct_graphs": len(self._distinct)}
            figures |= {} if np.isnan(size) else {"effective_size": size}
        entropy = self.entropy
        return figures if np.isnan(entropy) else figures | {"entropy": entropy}

    def __eq__(self, other: object) -> bool:
        from dagathlon.posteriors.parts import to_parts  # noqa: PLC0415 - parts needs Posterior

        if not isinstance(other, Posterior):
            return NotImplemented
        (mine, arrays), (its, others) = to_parts(self), to_parts(other)
        if mine != its or arrays.keys() != others.keys():
            return False
        return all(np.array_equal(array, others[name]) for name, array in arrays.items())

    __hash__ = None  # type: ignore[assignment]  # as large as an array, and as unhashable

    def __reduce__(self) -> tuple[Any, ...]:
        from dagathlon.posteriors.parts import from_parts, to_parts  # noqa: PLC0415

        return from_parts, to_parts(self)

    def __repr__(self) -> str:
        from dagathlon.posteriors.drawing import summary_line  # noqa: PLC0415 - it needs Posterior

        return f"{type(self).__name__}({summary_line(self)})"

    def _repr_html_(self) -> str:
        from dagathlon.posteriors.drawing import html  # noqa: PLC0415 - it needs Posterior

        return html(self)
