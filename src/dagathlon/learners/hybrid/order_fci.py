"""PAGs from searches over orders: BOSS-FCI, GRaSP-FCI and LV-Lite."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from dagathlon import _core
from dagathlon.graphs import Graph, extension
from dagathlon.learners.constraint.test_counter import TestCounter
from dagathlon.learners.hybrid.gfci import Gfci
from dagathlon.learners.hybrid.scored_pag import ScoredPag
from dagathlon.learners.order.order_search import Boss, Grasp, OrderSearch, Tucks
from dagathlon.modules import Count, Delegate, Natural

if TYPE_CHECKING:
    from dagathlon.data import Dataset
    from dagathlon.learners.base import Estimate
    from dagathlon.learners.independence import IndependenceTest

_GFCI = (
    "Ogarrio, Spirtes and Ramsey 2016, A hybrid causal search algorithm for latent variable "
    "models, PGM (PMLR 52)"
)
_TARGETED = (
    "Ramsey, Andrews and Spirtes 2025, Efficient latent variable causal discovery: combining "
    "score search and targeted testing, arXiv 2510.04263"
)


@dataclass(frozen=True, kw_only=True)
class OrderFci(ScoredPag):
    """Base class of learners of a PAG from the class of DAGs that an order search finds.

    Parameters
    ----------
    starts
        Number of starts of the search: the first with the order of the columns, the others with
        random orders. Null is as in `boss` and `grasp`.
    all_edges
        Whether all edges of the class are tested, as in Tetrad since 7.6.7; otherwise those inside
        triangles, which given true separations are the only superfluous ones.
    keep_arrows
        Whether two arrows of the class into one variable are kept even if their tails are joined,
        as in Tetrad; otherwise only if the tails are not joined, as published.
    """

    starts: Natural | None = None
    all_edges: bool = False
    keep_arrows: bool = False

    def delegates(self) -> tuple[Delegate, ...]:
        """Return the order search, the tests, and the version of GFCI's second half."""
        return (*super().delegates(), Gfci(score=self.score, test=self.test))

    def score_use(self) -> _core.ScoreUse:
        """Return the part of the scored class that is used, as published or as in Tetrad."""
        return _core.ScoreUse(keep_arrows=self.keep_arrows, all_edges=self.all_edges)


@dataclass(frozen=True, kw_only=True)
class BossFci(OrderFci):
    """BOSS-FCI: `gfci` with the order search `boss` in place of `fges`.

    Edges of its class inside triangles are tested, given neighbours. Where the class has no
    edge between the ends of a triple it decides whether the middle is a collider; tests decide
    the others.

    Parameters
    ----------
    backward
        Whether the backward phase of GES is part of the search.
    """

    name = "boss_fci"
    references = (
        _GFCI,
        "Andrews, Ramsey, Sanchez Romero, Camchong and Kummerfeld 2023, NeurIPS",
        _TARGETED,
    )
    backward: bool = False

    def search(self, data: Dataset | None = None) -> Boss:
        """Return the inner search: BOSS with the same score."""
        return Boss(**self.for_search(data), starts=self.starts, backward=self.backward)


@dataclass(frozen=True, kw_only=True)
class GraspFci(OrderFci):
    """GRaSP-FCI: `gfci` with the order search `grasp` in place of `fges`.

    Parameters
    ----------
    depth
        Largest number of consecutive tucks that leave the score unchanged.
    uncovered_depth
        Number of first tucks that may be of uncovered edges.
    nonsingular_depth
        Number of first tucks that may change more than one edge.
    """

    name = "grasp_fci"
    references = (_GFCI, "Lam, Andrews and Ramsey 2022, UAI", _TARGETED)
    depth: Tucks = 3
    uncovered_depth: Count = 1
    nonsingular_depth: Count = 1

    def search(self, data: Dataset | None = None) -> Grasp:
        """Return the inner search: GRaSP with the same score."""
        return Grasp(
            **self.for_search(data),
            starts=self.starts,
            depth=self.depth,
            uncovered_depth=self.uncovered_depth,
            nonsingular_depth=self.nonsingular_depth,
        )


@dataclass(frozen=True, kw_only=True)
class LvLite(ScoredPag):
    """LV-Lite, called FCIT since Tetrad 7.6.7: a PAG by score and few, targeted tests.

    The DAG of an order search has a PAG. For each edge inside a triangle of that PAG, the
    variables that block all other paths between its ends are known, and only these sets are
    tested: with and without the variables whose collider status the edge hides. An edge is
    removed if the rest is a PAG again, so that the result is always a PAG, even if tests
    contradict each other (except for background knowledge, which directs further edges).

    Parameters
    ----------
    order
        The search over orders: `boss` or `grasp`.
    starts
        Number of starts of the search; null is as in `boss` and `grasp`.
    tested
        Whether edges are tested; otherwise the result is the PAG of the DAG (BOSS-POD, in earlier
        versions of Tetrad LV-Dumb).
    """

    name = "lv_lite"
    anytime = True
    references = (_TARGETED,)
    order: Literal["boss", "grasp"] = "boss"
    starts: Natural | None = None
    tested: bool = True

    def search(self, data: Dataset | None = None) -> OrderSearch:
        """Return the order search with the same score."""
        kind = Boss if self.order == "boss" else Grasp
        return kind(**self.for_search(data), starts=self.starts)

    def learn_with(self, test: IndependenceTest, scored: Graph) -> Estimate:
        """Remove edges from the PAG of this class of DAGs by any test."""
        questions = TestCounter(test)
        options = self.tester().options(test.names)
        dag = extension(scored).native
        graph, _, refused = _core.lv_lite(test.native, dag, options, self.tested)
        return questions.estimate(Graph._of(test.names, graph), {"refused_removals": refused})
