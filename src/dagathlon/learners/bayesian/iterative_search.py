"""Iterative search: order MCMC in a search space that is extended by the edges found."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from dagathlon import _core
from dagathlon.data import Dataset
from dagathlon.errors import OutOfTimeError
from dagathlon.graphs import Graph
from dagathlon.learners.base import Estimate
from dagathlon.learners.bayesian.dag_sampling import (
    RunLength,
    closed_chain,
    squared_log,
    thousands,
)
from dagathlon.learners.bayesian.order_mcmc import (
    ANNEALED_SEARCH,
    FEW_VARIABLES,
    KUIPERS_2022,
    OrderMcmc,
)
from dagathlon.learners.bayesian.search_space import ArcMatrix, first_order
from dagathlon.learners.bayesian.space_based import SearchSpace, SpaceBased
from dagathlon.modules import Count, Delegate, Natural, Probability
from dagathlon.posteriors.chain import Chain
from dagathlon.posteriors.posterior import Posterior
from dagathlon.pulse import best_so_far

_SAVED_STATES = 1000
_BURNIN = 0.2


@dataclass(frozen=True, kw_only=True)
class IterativeSearch(SpaceBased):
    """Iterative order search: the search space of PC, extended where a chain leaves it.

    Each round runs order MCMC with one extra parent for each node. Edges outside the search
    space that the round finds join it, and the next round starts at the best order so far,
    until a round finds no such edge.

    Parameters
    ----------
    estimate
        What to return: the best DAG (map), or the final search space (endspace).
    maximise
        Whether each chain searches for the best DAG, whose edges join the search space; otherwise
        it samples, and frequent edges join.
    rounds
        Largest number of rounds; null runs until no edge joins.
    posterior
        Frequency above which a sampled edge joins the search space.
    soft_limit
        A node with more candidate parents than this after a round gets only those new ones that
        were its parents, not its children.
    iterations
        Number of steps of a round; null is 25000, or 3.5p² log p from 26 variables on.
    alpha
        Significance level of PC, which finds the search space where no start graph is given.
    plus_one
        Must be true: the search space is extended by the extra parent.
    """

    name = "itsearch"
    gives = "mixed"
    anytime = True
    references = (KUIPERS_2022,)

    estimate: Literal["map", "endspace"] = "map"
    maximise: bool = True
    rounds: Natural | None = None
    posterior: Probability = 0.5
    soft_limit: Natural = 9
    iterations: Count | None = None
    alpha: Probability = 0.05

    def level(self) -> float:
        """Return the parameter `alpha`: the significance level of PC."""
        return self.alpha

    def problem(self) -> str:
        """Return a message if `plus_one` is false, which the search needs; empty otherwise."""
        if not self.plus_one:
            return (
                "itsearch grows its search space by the extra parent: plus_one has to be true; "
                "order_mcmc searches a fixed space"
            )
        return super().problem()

    def keeps_to_limit(self) -> bool:
        """Return whether a run stopped at its time limit still has a result, as its chains do."""
        return True

    def learn(
        self, data: Dataset, rng: np.random.Generator, start: Graph | None = None
    ) -> Estimate:
        """Search from the space of `start`, or from that of PC."""
        score = self.native_score(data)
        space = self.space(data, rng, start)
        seed = int(rng.integers(2**63))
        summary = _core.Summary.best if self.maximise else _core.Summary.sum
        tables = _core.ParentTables(self.power, summary)
        order = first_order(space.required, range(len(data.names)))
        best = _Best()
        heating = ANNEALED_SEARCH if self.maximise else _core.Heating(cycles=1, share=_BURNIN)
        steps = self._length(len(data.names))
        number = made = 0
        while self.rounds is None or number < self.rounds:
            try:
                self.fill(tables, score, space)
            except OutOfTimeError:
                if number and best_so_far():
                    break
                raise
            chain_log = _core.order_chain(tables, order, steps.options(seed, number), heating)
            chain = closed_chain(chain_log.log, data.names)
            number += 1
            made += steps.made(len(chain_log.log))
            order = chain_log.best
            best.consider(chain)
            candidates = self._extended(space, self._new_arcs(chain, best))
            if np.array_equal(candidates, space.candidates) or best_so_far():
                break
            space = self.checked(space._replace(candidates=candidates), data)
        stats = {
            "score": best.score,
            "rounds": number,
            "iterations": made,
            "space": int(space.candidates.sum()),
        }
        matrix = best.dag if self.estimate == "map" else space.candidates
        return Estimate(Graph.from_adjacency(data.names, matrix), stats, notes=space.notes)

    def delegates(self) -> tuple[Delegate, ...]:
        """Return the score, PC, and the order chain of each round."""
        chain = OrderMcmc(score=self.score, test=self.test, alpha=self.alpha)
        return (*super().delegates(), chain)

    def _length(self, p: int) -> RunLength:
        few = 25_000 if p < FEW_VARIABLES else thousands(3.5 * squared_log(p))
        steps = few if self.iterations is None else self.iterations
        return RunLength(steps, max(steps // _SAVED_STATES, 1))

    def _new_arcs(self, chain: Chain, best: _Best) -> ArcMatrix:
        """Return the arcs of the best DAG so far, or those sampled often after a burn-in."""
        if self.maximise:
            return best.dag
        late = Posterior([chain]).after(_BURNIN)
        frequent: ArcMatrix = late.edge_probabilities > self.posterior
        return frequent

    def _extended(self, space: SearchSpace, found: ArcMatrix) -> ArcMatrix:
        """Return the space extended by new edges, within its limits."""
        possible = space.extras | space.candidates
        merged = (space.candidates | found | found.T) & possible
        with_parents = (space.candidates | found) & possible
        merged = np.where(merged.sum(axis=0) > self.soft_limit, with_parents, merged)
        return np.where(merged.sum(axis=0) > self.limit(), space.candidates, merged)


class _Best:
    """The best DAG of all rounds."""

    def __init__(self) -> None:
        self.score = -np.inf
        self.dag: ArcMatrix = np.zeros((0, 0), dtype=np.bool_)

    def consider(self, chain: Chain) -> None:
        row = int(np.argmax(chain.score))
        if chain.score[row] > self.score:
            self.score = float(chain.score[row])
            self.dag = chain.graph_at(row).adjacency.astype(np.bool_)
