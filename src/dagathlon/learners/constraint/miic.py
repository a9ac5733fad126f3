"""MIIC and 3off2: structure from multivariate information."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from dagathlon import _core
from dagathlon.data.spec import DataKind
from dagathlon.errors import DataError
from dagathlon.graphs import Graph
from dagathlon.learners.assumptions import FAITHFUL, NO_HIDDEN
from dagathlon.learners.background import ConstraintFile, knowledge_of, refuse_required_cycle
from dagathlon.learners.base import Estimate, Learner, Output
from dagathlon.modules import Natural, NonNegative, Probability
from dagathlon.pulse import beat

if TYPE_CHECKING:
    from dagathlon.data import Dataset

ComplexityName: TypeAlias = Literal["nml", "mdl", "none"]
TripleOrder: TypeAlias = Literal["colliders-first", "by-information", "by-probability"]
Codes: TypeAlias = npt.NDArray[Any]


@dataclass(frozen=True, kw_only=True)
class Miic(Learner):
    """Multivariate information-based inductive causation (MIIC), for discrete data.

    Two variables stay joined as long as their mutual information, given the variables that
    explain part of it, exceeds its complexity, the amount due to chance. The explaining
    variables are collected one by one, the most credible contributor of all pairs first, so
    that no separating sets are searched and no significance level is needed. The information
    shared by the three variables of an unshielded triple decides whether its middle is a
    collider (below zero) or not (above).

    Parameters
    ----------
    complexity
        Complexity subtracted from the information: the regret of normalised maximum likelihood
        (nml), half the logarithm of the rows for each free parameter (mdl), which is larger and
        gives fewer edges, or nothing (none), which keeps almost every edge.
    contributors
        The variables that may explain a pair: all of them (all), or the neighbours of either
        variable (neighbours), as in 3off2.
    orientation
        The order in which unshielded triples direct edges. All colliders before what follows from
        them, each by its information (colliders-first, as pyAgrum does). Colliders and what follows
        from them together, by information (by-information, MIIC) or by the probability of the
        arrowheads (by-probability, 3off2).
    latent
        Whether arrowheads at both ends of an edge (a hidden common cause) are kept. Otherwise the
        first one found is kept, unless it is part of a directed cycle.
    directed
        Whether undirected edges are directed by the order of the columns, so that the result is a
        DAG.
    confidence
        The largest confidence ratio of an edge, checked before edges are directed: the probability
        that its information is due to chance, over the mean of that probability in shuffled data.
        Small numbers such as 0.01 keep the edges of highest confidence; null keeps all.
    shuffles
        Number of shuffled copies of the data for the confidence.
    constraints
        File of required and forbidden edges; null is none.
    timeout
        Seconds after which the run is stopped; null for no limit.
    """

    name = "miic"
    reentrant = True
    takes: ClassVar[frozenset[DataKind]] = frozenset({"discrete"})
    gives = "cpdag"
    assumes = (FAITHFUL, NO_HIDDEN)
    references = (
        "Affeldt and Isambert 2015, Robust reconstruction of causal graphical models based on "
        "conditional 2-point and 3-point information, UAI",
        "Verny, Sella, Affeldt, Singh and Isambert 2017, Learning causal networks with latent "
        "variables from multivariate information in genomic data, PLoS Computational Biology 13",
    )

    complexity: ComplexityName = "nml"
    contributors: Literal["all", "neighbours"] = "all"
    orientation: TripleOrder = "colliders-first"
    latent: bool = False
    directed: bool = False
    confidence: Probability | None = None
    shuffles: Natural = 100
    constraints: ConstraintFile | None = None
    timeout: NonNegative | None = None

    def problem(self) -> str:
        """Return a message if options exclude each other; empty otherwise."""
        if self.latent and self.directed:
            return "latent and directed exclude each other: a DAG has no edge with two arrowheads"
        return ""

    def output(self) -> Output:
        """Return "mixed" where edges with two arrowheads are possible."""
        return "mixed" if self.latent else "dag" if self.directed else "cpdag"

    def assumptions(self, kind: DataKind) -> tuple[str, ...]:
        """Return the assumptions; hidden common causes are allowed if they are looked for."""
        return (FAITHFUL,) if self.latent else self.assumes

    def learn(self, data: Dataset, rng: np.random.Generator) -> Estimate:
        """Learn a CPDAG, a DAG, or a graph with edges of two arrowheads."""
        if not len(data):
            raise DataError(f"{self.name} needs at least 1 row, found none")
        codes, arities = _seen_levels(data.codes)
        known = self._knowledge(data.names)
        information = self._information(codes, arities)
        pairs = _core.explained_pairs(information, known, self.contributors == "neighbours")
        if self.confidence is not None:
            pairs = self._confident(pairs, codes, arities, rng)
        directed = _core.directed_by_information(
            information, pairs, known, self.orientation, self.latent, self.directed
        )
        stats = {"tables": information.evaluations, "two_headed_edges": len(directed.latent)}
        graph = Graph._of(data.names, directed.graph)
        return Estimate(graph, stats, notes=_on_latent(directed.latent, data.names, self.latent))

    def _information(self, codes: Codes, arities: list[int]) -> _core.CorrectedInformation:
        return _core.CorrectedInformation(codes, arities, self.complexity)

    def _knowledge(self, names: tuple[str, ...]) -> _core.KnownEdges:
        background = knowledge_of(self.constraints, names)
        if not background:
            return _core.KnownEdges()
        refuse_required_cycle(background, names)
        return _core.KnownEdges(*background.matrices(names))

    def _confident(
        self,
        pairs: list[_core.Explained],
        codes: Codes,
        arities: list[int],
        rng: np.random.Generator,
    ) -> list[_core.Explained]:
        """Remove the edges whose confidence ratio is too large.

        Such a pair does not count as separated: the triples that its edge shielded direct
        nothing.
        """
        edges = [pair for pair in pairs if pair.edge]
        log_chance = np.empty((self.shuffles, len(edges)))
        for k in range(self.shuffles):
            beat()
            shuffled = self._information(rng.permuted(codes, axis=0), arities)
            log_chance[k] = [-shuffled(pair.x, pair.y, pair.contributors) for pair in edges]
        largest = log_chance.max(axis=0, initial=0)
        mean = np.log(np.mean(np.exp(log_chance - largest), axis=0)) + largest
        ratio = np.array([-pair.information for pair in edges]) - mean
        assert self.confidence is not None
        with np.errstate(divide="ignore"):
            limit = np.log(self.confidence)
        weak = {(e.x, e.y) for e, value in zip(edges, ratio, strict=True) if value > limit}
        return [_without_edge(pair) if (pair.x, pair.y) in weak else pair for pair in pairs]


def _without_edge(pair: _core.Explained) -> _core.Explained:
    return _core.Explained(pair.x, pair.y, pair.contributors, pair.information, False)


def _seen_levels(codes: Codes) -> tuple[Codes, list[int]]:
    """Renumber the codes by the levels that occur; return them and the numbers of levels."""
    result = np.empty_like(codes, order="F")
    arities = []
    for j in range(codes.shape[1]):
        levels, result[:, j] = np.unique(codes[:, j], return_inverse=True)
        arities.append(len(levels))
    return result, arities


def _on_latent(
    latent: list[tuple[int, int]], names: tuple[str, ...], kept: bool
) -> tuple[str, ...]:
    if not latent:
        return ()
    pairs = ", ".join(f"{names[a]} and {names[b]}" for a, b in latent)
    treated = "" if kept else ", and one of them was taken away"
    return (
        f"Arrowheads were found at both ends of the edges between {pairs}{treated}: "
        "a hidden common cause is possible.",
    )
