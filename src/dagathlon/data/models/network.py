"""`Network`: a Bayesian network with its parameters."""

from __future__ import annotations

import html
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np

from dagathlon.data.dataset import Dataset
from dagathlon.data.models import likelihood, sampling
from dagathlon.data.models.distributions import Distribution, FloatArray, Gaussian, Table
from dagathlon.data.variable import Variable
from dagathlon.errors import DataError, unknown
from dagathlon.graphs import Graph
from dagathlon.graphs.checks import cycle_text, directed_cycle
from dagathlon.immutable import Immutable
from dagathlon.wording import counted

if TYPE_CHECKING:
    from dagathlon.data.inference.answer import Assignment, NormalAnswer, TableAnswer


@dataclass(frozen=True)
class About:
    """Origin of a network: name, source, licence, reference; any of them may be empty."""

    name: str = ""
    origin: str = ""
    licence: str = ""
    reference: str = ""


class Network(Immutable):
    """Immutable Bayesian network: a DAG with the distribution of each node given its parents.

    Two networks are equal when they have the same nodes with the same levels, parents and
    numbers, whatever the order of nodes and parents; names of networks are not compared.

    Parameters
    ----------
    distributions
        For each node, in order, its `Table` (discrete) or `Gaussian` (continuous). Discrete nodes
        have discrete parents; a continuous node with discrete parents is conditional Gaussian.
    about
        Name, origin, licence and reference of the network.

    Examples
    --------
    >>> coin = Table(("heads", "tails"), (), [0.5, 0.5])
    >>> bet = Table(("won", "lost"), ("coin",), [[0.9, 0.1], [0.0, 1.0]])
    >>> Network({"coin": coin, "bet": bet})
    Network(discrete, 2 nodes, 1 arc, 3 parameters)
    """

    __slots__ = ("__dict__", "_about", "_distributions")

    def __init__(
        self, distributions: Mapping[str, Distribution], *, about: About | None = None
    ) -> None:
        self._distributions = MappingProxyType(dict(distributions))
        self._about = about or About()
        if not self._distributions:
            raise DataError("a network has at least one node, found none")
        for name, distribution in self._distributions.items():
            _check_node(name, distribution, self._distributions)
        cycle = _short_cycle(self._distributions) or directed_cycle(self.graph)
        if cycle:
            raise DataError(f"the arcs form a cycle: {cycle}")

    @classmethod
    def load(cls, name_or_path: str | Path) -> Network:
        """Load a standard network by its name, or any network from a file.

        The name of a standard network, such as ``"alarm"`` or ``"bundled:alarm"`` (see
        `list_networks`), means that network even where a file is called the same; anything else
        that can be a file is read (see `read_network`).
        """
        # Here and not above: the readers build on this class.
        from dagathlon.data.networks import is_network_path, read_network  # noqa: PLC0415
        from dagathlon.data.standard import BUNDLED, list_networks, load_network  # noqa: PLC0415

        standard = {record.name for record in list_networks()}
        bundled = str(name_or_path).startswith(BUNDLED)
        if name_or_path not in standard and not bundled and is_network_path(name_or_path):
            return read_network(name_or_path)
        return load_network(str(name_or_path))

    @property
    def about(self) -> About:
        """Name, origin, licence and reference."""
        return self._about

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Names of the nodes, in order."""
        return tuple(self._distributions)

    @cached_property
    def variables(self) -> tuple[Variable, ...]:
        """The nodes as variables of a data set."""
        return tuple(
            Variable(name, given.levels if isinstance(given, Table) else None)
            for name, given in self._distributions.items()
        )

    @cached_property
    def graph(self) -> Graph:
        """The DAG."""
        arcs = [
            (parent, name)
            for name, given in self._distributions.items()
            for parent in given.parents
        ]
        return Graph.from_edges(arcs, names=self.names)

    @property
    def kind(self) -> str:
        """``discrete``, ``gaussian`` or ``conditional gaussian`` (nodes of both kinds)."""
        discrete = sum(isinstance(given, Table) for given in self._distributions.values())
        if discrete == len(self._distributions):
            return "discrete"
        return "conditional gaussian" if discrete else "gaussian"

    @property
    def n_parameters(self) -> int:
        """Number of free parameters.

        A discrete node has one less than its levels for each configuration of its parents; a
        continuous one intercept, coefficients and sd for each configuration of the discrete ones.
        """
        return sum(given.n_parameters for given in self._distributions.values())

    @property
    def distributions(self) -> Mapping[str, Distribution]:
        """The distribution of each node, in order."""
        return self._distributions

    def distribution(self, name: str) -> Distribution:
        """Return the distribution of one node; unknown names raise with the nearest match."""
        try:
            return self._distributions[name]
        except (KeyError, TypeError):
            raise DataError(unknown("node", name, self.names)) from None

    def sample(self, n: int, seed: int | np.random.Generator) -> Dataset:
        """Draw `n` independent rows.

        The rows depend on the seed alone: the first rows of a longer sample are the shorter
        sample, and every machine gives the same digits.

        Parameters
        ----------
        n
            Number of rows.
        seed
            Whole number from 0 to 2⁶⁴ − 1, or a random stream to draw it from.
        """
        return sampling.sample(self, n, seed)

    def log_likelihood(self, data: Dataset) -> float:
        """Return the log-likelihood of the data: the sum of the rows' log densities."""
        return float(self.row_log_likelihoods(data).sum())

    def row_log_likelihoods(self, data: Dataset) -> FloatArray:
        """Return the natural logarithm of the probability (density) of each row.

        Levels are matched by their labels. Columns that are no nodes are ignored, and so
        are variables in rows where they were intervened on. Missing values are an error.
        """
        return likelihood.row_log_likelihoods(self, data)

    def query(
        self,
        targets: str | Iterable[str],
        evidence: Mapping[str, Any] | None = None,
        *,
        do: Mapping[str, Any] | None = None,
    ) -> TableAnswer | NormalAnswer:
        """Return the exact joint distribution of some variables, given others.

        Parameters
        ----------
        targets
            One variable or several, all discrete or all continuous.
        evidence
            For each known variable its level, its value if it is continuous, or, for uncertain
            evidence, the likelihood of each level (a list, or a mapping from levels).
        do
            Variables that are set from outside: their arcs from parents are cut first.

        Returns
        -------
        TableAnswer or NormalAnswer
            ``.probabilities`` with an axis for each target, or ``.mean`` and ``.covariance``.

        Examples
        --------
        >>> asia = Network.load("asia")
        >>> asia.query("bronc", {"dysp": "yes", "xray": "no"})
        P(bronc): yes: 0.8634; no: 0.1366
        """
        from dagathlon.data.inference.query import query  # noqa: PLC0415 - builds on this class

        return query(self.intervened(do) if do else self, targets, _with(evidence, do))

    def marginals(
        self,
        evidence: Mapping[str, Any] | None = None,
        *,
        targets: Iterable[str] | None = None,
        do: Mapping[str, Any] | None = None,
    ) -> dict[str, TableAnswer | NormalAnswer]:
        """Return the exact marginal distribution of each variable, given evidence.

        Parameters
        ----------
        evidence, do
            As for `query`.
        targets
            The variables; by default all that are not given.
        """
        from dagathlon.data.inference.query import marginals  # noqa: PLC0415

        return marginals(self.intervened(do) if do else self, targets, _with(evidence, do))

    def most_probable(
        self,
        evidence: Mapping[str, Any] | None = None,
        *,
        targets: Iterable[str] | None = None,
        do: Mapping[str, Any] | None = None,
    ) -> Assignment:
        """Return the jointly most probable levels of all, or some, variables of a discrete network.

        Parameters
        ----------
        evidence, do
            As for `query`.
        targets
            Variables whose most probable levels are computed, summing over the rest; by default
            all, the most probable explanation of the evidence.
        """
        from dagathlon.data.inference.query import most_probable  # noqa: PLC0415

        return most_probable(self.intervened(do) if do else self, targets, _with(evidence, do))

    def intervened(self, do: Mapping[str, Any]) -> Network:
        """Return the network after an intervention that sets variables to a level or value."""
        from dagathlon.data.inference.evidence import intervened  # noqa: PLC0415

        return Network(intervened(self, do), about=self._about)

    def __len__(self) -> int:
        return len(self._distributions)

    def __contains__(self, name: object) -> bool:
        return name in self._distributions

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Network):
            return NotImplemented
        return dict(self._distributions) == dict(other._distributions)

    def __hash__(self) -> int:
        return hash(frozenset(self._distributions.items()))

    def __reduce__(self) -> tuple[object, ...]:
        return (_restored, (dict(self._distributions), self._about))

    def __repr__(self) -> str:
        name = f"{self._about.name!r}, " if self._about.name else ""
        return f"Network({name}{', '.join(self._facts())})"

    def _repr_html_(self) -> str:
        title = html.escape(self._about.name or "Network")
        facts = html.escape(", ".join(self._facts()))
        origin = html.escape(self._about.origin)
        head = f"<p><strong>{title}</strong>: {facts}</p>" + (f"<p>{origin}</p>" if origin else "")
        return head + self.graph._repr_html_()

    def _facts(self) -> list[str]:
        arcs = sum(len(given.parents) for given in self._distributions.values())
        counts = {"node": len(self), "arc": arcs, "parameter": self.n_parameters}
        return [self.kind, *(counted(n, word) for word, n in counts.items())]


def _with(
    evidence: Mapping[str, Any] | None, do: Mapping[str, Any] | None
) -> Mapping[str, Any] | None:
    """Return the evidence together with the values that were set."""
    both = sorted(set(evidence or ()) & set(do or ()))
    if both:
        raise DataError(f"{both[0]!r} is set and given as evidence: a variable is one of the two")
    return {**(evidence or {}), **do} if do else evidence


def _restored(distributions: dict[str, Distribution], about: About) -> Network:
    return Network(distributions, about=about)


def _check_node(name: str, given: Distribution, nodes: Mapping[str, Distribution]) -> None:
    if not isinstance(name, str) or not name:
        raise DataError(f"a node's name is a non-empty text, found {name!r}")
    if not isinstance(given, Table | Gaussian):
        raise DataError(f"node {name!r}: expected a Table or a Gaussian, found {given!r:.60}")
    for parent in given.parents:
        if parent not in nodes:
            raise DataError(unknown("parent", parent, nodes, f"node {name!r}"))
    discrete = given.parents if isinstance(given, Table) else given.discrete_parents
    sizes = given.probabilities.shape if isinstance(given, Table) else given.intercept.shape
    for parent, size in zip(discrete, sizes, strict=False):
        table = nodes[parent]
        if not isinstance(table, Table):
            raise DataError(
                f"node {name!r}: parent {parent!r} is continuous, needed is a discrete one"
            )
        if len(table.levels) != size:
            raise DataError(
                f"node {name!r}: its table has {size} rows for parent {parent!r}, "
                f"which has {len(table.levels)} levels"
            )
    for parent in () if isinstance(given, Table) else given.continuous_parents:
        if isinstance(nodes[parent], Table):
            raise DataError(
                f"node {name!r}: parent {parent!r} is discrete, needed is a continuous one"
            )


def _short_cycle(nodes: Mapping[str, Distribution]) -> str:
    """Return a cycle of one or two nodes, which a `Graph` cannot hold, as text; else empty."""
    for name, given in nodes.items():
        for parent in given.parents:
            if name in nodes[parent].parents:
                return cycle_text(list(dict.fromkeys((name, parent))), "->")
    return ""
