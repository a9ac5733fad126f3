"""A learner of one's own in one file: the tree of strongest correlations (Chow and Liu, 1968).

dagathlon modules spanning_tree --modules examples/spanning_tree_learner.py --check
dagathlon learn data.csv --modules examples/spanning_tree_learner.py --with spanning_tree
dagathlon run examples/own_parts.json
"""

from dataclasses import dataclass

import numpy as np

from dagathlon import Dataset, Estimate, Graph, Learner
from dagathlon.modules import Probability
from dagathlon.pulse import beat


@dataclass(frozen=True, kw_only=True)
class SpanningTree(Learner):
    """Join all variables by the tree whose correlations are strongest.

    Parameters
    ----------
    least
        Correlations below this join nothing, so that the tree may fall apart.
    """

    name = "spanning_tree"
    takes = frozenset({"continuous"})
    gives = "undirected"
    order_independent = True
    references = ("Chow and Liu 1968, Approximating discrete distributions with dependence trees",)
    least: Probability = 0.1

    def learn(self, data: Dataset, rng: np.random.Generator) -> Estimate:
        """Take the strongest pair that closes no circle, again and again."""
        with np.errstate(invalid="ignore", divide="ignore"):
            found = np.atleast_2d(np.corrcoef(data.values, rowvar=False))
        strength = np.nan_to_num(np.abs(found))
        part = list(range(len(data.names)))
        joined = np.zeros(strength.shape, dtype=bool)
        rows, columns = np.triu_indices(len(part), 1)
        order = np.argsort(-strength[rows, columns], kind="stable")
        for done, pair in enumerate(order):
            beat(done, len(order))  # lets Ctrl-C and time limits in, and shows progress
            a, b = rows[pair], columns[pair]
            if strength[a, b] < self.least or part[a] == part[b]:
                continue
            joined[a, b] = joined[b, a] = True
            part = [part[a] if one == part[b] else one for one in part]
        return Estimate(Graph.from_adjacency(data.names, joined), {"pairs": len(order)})
