"""`MeasurementModel`: latent variables and their observed indicators."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cached_property
from types import MappingProxyType

from dagathlon.errors import GraphError, listing
from dagathlon.graphs.ancestral import latent_projection
from dagathlon.graphs.checks import require_dag
from dagathlon.graphs.graph import Graph
from dagathlon.immutable import Immutable


class MeasurementModel(Immutable):
    """Measurement model: which observed variables are indicators of which latent ones.

    Parameters
    ----------
    names
        All observed variables, in order; those without a latent cause too.
    indicators
        For each latent variable its indicators: ``{"L1": ["X1", "X2", "X3"]}``. A variable may
        have several latent causes.
    structure
        The graph among the latent variables; None where it is not known.
    observed_edges
        Edges between observed variables (impurities of the model), such as ``"X1 -> X2"``.
    """

    __slots__ = ("__dict__", "_graph", "_indicators", "_known", "_names")

    def __init__(
        self,
        names: Iterable[str],
        indicators: Mapping[str, Iterable[str]],
        structure: Graph | None = None,
        observed_edges: Iterable[str] = (),
    ) -> None:
        self._names = Graph(names).names
        self._indicators = {latent: tuple(shown) for latent, shown in indicators.items()}
        _check(self._names, self._indicators)
        self._known = structure is not None
        among: list[str] = []
        if structure is not None:
            if set(structure.names) != set(self._indicators):
                odd = sorted(set(structure.names) ^ set(self._indicators))
                raise GraphError(f"the structure is over other latent variables: {listing(odd)}")
            among = [str(edge) for edge in structure.edges()]
        edges: list[str | tuple[str, str]] = [*among, *observed_edges]
        edges += [
            (latent, indicator) for latent, shown in self._indicators.items() for indicator in shown
        ]
        self._graph = Graph.from_edges(edges, [*self._indicators, *self._names])

    @classmethod
    def from_graph(cls, graph: Graph, observed: Iterable[str]) -> MeasurementModel:
        """Return the measurement model of a graph over latent and observed variables.

        Parameters
        ----------
        graph
            The graph; directed edges from latent to observed variables are the loadings.
        observed
            The observed variables; all other nodes are latent.
        """
        names = tuple(observed)
        seen = set(names)
        latents = [name for name in graph.names if name not in seen]
        indicators = {
            latent: [name for name in graph.children(latent) if name in seen] for latent in latents
        }
        structure = graph.subgraph(latents) if latents else None
        between = [str(e) for e in graph.edges() if e.left in seen and e.right in seen]
        return cls(names, indicators, structure, between)

    @property
    def names(self) -> tuple[str, ...]:
        """The observed variables, in order."""
        return self._names

    @property
    def latents(self) -> tuple[str, ...]:
        """The latent variables, in order."""
        return tuple(self._indicators)

    @property
    def indicators(self) -> Mapping[str, tuple[str, ...]]:
        """The indicators of each latent variable."""
        return MappingProxyType(self._indicators)

    @property
    def graph(self) -> Graph:
        """Graph over the latent variables, which come first, and the observed ones."""
        return self._graph

    @property
    def structure(self) -> Graph | None:
        """Graph among the latent variables; None where it is not known."""
        return self._graph.subgraph(self.latents) if self._known else None

    @cached_property
    def clusters(self) -> tuple[tuple[str, ...], ...]:
        """Groups of two or more observed variables with the same latent causes.

        Indicators of one latent variable are a cluster, and so are those of the same two. A
        variable that has latent causes of two clusters is in neither: it is impure.
        """
        groups: dict[frozenset[str], list[str]] = {}
        for name in self._names:
            causes = frozenset(l_ for l_, shown in self._indicators.items() if name in shown)
            if causes:
                groups.setdefault(causes, []).append(name)
        return tuple(tuple(group) for group in groups.values() if len(group) > 1)

    @cached_property
    def marginal(self) -> Graph:
        """Graph over the observed variables: the MAG of the model.

        Latent variables whose structure is not known count as unconnected: each cluster is
        a clique of bidirected edges.
        """
        require_dag(self._graph, "the marginal of a measurement model")
        return latent_projection(self._graph, self.latents) if self.latents else self._graph

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, MeasurementModel):
            return NotImplemented
        mine, theirs = (self._names, self._known), (other._names, other._known)
        return mine == theirs and self.latents == other.latents and self._graph == other._graph

    def __hash__(self) -> int:
        return hash((self._names, self.latents, self._known, self._graph))

    def __repr__(self) -> str:
        shown = "; ".join(f"{a}: {', '.join(b)}" for a, b in self._indicators.items())
        return f"MeasurementModel({len(self._names)} observed; {shown or 'no latent variable'})"

    def _repr_html_(self) -> str:
        from dagathlon.graphs.drawing.svg import to_svg  # noqa: PLC0415 - drawing needs Graph

        return to_svg(self._graph, latents=self.latents)

    def __reduce__(self) -> tuple[object, ...]:
        known = self.structure
        between = [str(edge) for edge in self._graph.subgraph(self._names).edges()]
        return (MeasurementModel, (self._names, dict(self._indicators), known, between))


def _check(names: tuple[str, ...], indicators: Mapping[str, tuple[str, ...]]) -> None:
    """Check that latent names differ from observed ones, and that indicators are observed."""
    seen = set(names)
    for latent, shown in indicators.items():
        if latent in seen:
            raise GraphError(f"{latent!r} is latent and observed")
        odd = [name for name in shown if name not in seen]
        if odd:
            raise GraphError(f"indicators of {latent} are not among the observed: {listing(odd)}")


def of_clusters(
    names: Iterable[str], clusters: Iterable[Iterable[str]], factors: int = 1
) -> MeasurementModel:
    """Return the model of clusters with `factors` latent causes each, called L1, L2 and so on.

    Parameters
    ----------
    names
        The observed variables.
    clusters
        Groups of them.
    factors
        Latent variables of each group.
    """
    observed = tuple(names)
    taken, number = set(observed), 0
    indicators: dict[str, tuple[str, ...]] = {}
    for cluster in clusters:
        members = set(cluster)
        for _ in range(factors):
            number += 1
            while f"L{number}" in taken:
                number += 1
            indicators[f"L{number}"] = tuple(name for name in observed if name in members)
    return MeasurementModel(observed, indicators)
