"""GFCI: edges by a score, corrected and directed by tests and the rules of FCI."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from dagathlon import _core
from dagathlon.learners.hybrid.scored_pag import ScoredPag
from dagathlon.learners.score.equivalence_search import Fges
from dagathlon.modules import Natural

if TYPE_CHECKING:
    from dagathlon.data import Dataset


@dataclass(frozen=True, kw_only=True)
class Gfci(ScoredPag):
    """Greedy fast causal inference (GFCI): a PAG from a greedy equivalence search and few tests.

    The equivalence class of highest score has all edges of the graph with latent variables, and
    more: those inside triangles are tested, given neighbours. Where the class has no edge
    between the ends of a triple it decides whether the middle is a collider; tests decide the
    others.

    Parameters
    ----------
    faithfulness
        Whether the search never joins two marginally independent variables.
    max_degree
        Largest number of edges at a node in the search; null is no limit.
    like
        Program whose search this is: tetrad-6 (r-causal 1.1) has its fges, tries sets of neighbours
        in the scored graph regardless of edges removed since, and keeps two arrows of that graph
        into one node even if their tails are joined. Null is ours.
    """

    name = "gfci"
    references = (
        "Ogarrio, Spirtes and Ramsey 2016, A hybrid causal search algorithm for latent variable "
        "models, PGM (PMLR 52)",
    )

    faithfulness: bool = True
    max_degree: Natural | None = None
    like: Literal["tetrad-6"] | None = None

    def _other_limit(self) -> str:
        return "set max_degree"

    def score_use(self) -> _core.ScoreUse:
        """Return the part of the scored class that is used, ours or that of Tetrad 6."""
        older = self.like is not None
        return _core.ScoreUse(scored_neighbours=older, keep_arrows=older)

    def search(self, data: Dataset | None = None) -> Fges:
        """Return the inner search: FGES as published."""
        return Fges(
            **self.for_search(data),
            faithfulness=self.faithfulness,
            max_degree=self.max_degree,
            like=self.like,
        )
