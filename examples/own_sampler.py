"""A sampler of one's own in one file: all it does is return a list of graphs.

dagathlon run examples/own_sampler.json
python examples/own_sampler.py
"""

from dataclasses import dataclass

import numpy as np

from dagathlon import Dataset, Estimate, Graph, Learner, compare_posterior, learn
from dagathlon.data import LinearSem
from dagathlon.modules import Natural
from dagathlon.posteriors import Posterior
from dagathlon.pulse import beat


@dataclass(frozen=True, kw_only=True)
class ResampledSearch(Learner):
    """Draw rows again and again, and climb to a DAG each time.

    Parameters
    ----------
    draws
        Number of graphs.
    """

    name = "resampled_search"
    takes = frozenset({"continuous"})
    gives = "dag"
    gives_posterior = True
    draws: Natural = 50

    def learn(self, data: Dataset, rng: np.random.Generator) -> Estimate:
        """As many graphs as asked for; the one that was found most often is the estimate."""
        graphs: list[Graph] = []
        for done in range(self.draws):
            beat(done, self.draws)  # lets Ctrl-C and time limits in, and shows progress
            rows = rng.integers(len(data), size=len(data))
            graphs.append(learn(data.take(rows), "hc").graph)
        posterior = Posterior.of(graphs)
        return Estimate(posterior.map(), {"graphs": self.draws}, posterior)


if __name__ == "__main__":
    weights = np.array([[0, 1.5, 0, 0], [0, 0, -1, 0.5], [0, 0, 0, 2], [0, 0, 0, 0]])
    model = LinearSem("abcd", weights)
    data = model.sample(50, np.random.default_rng(1))
    exact = learn(data, "exact_posterior", draws=1000, seed=1)
    mine = ResampledSearch().learn(data, np.random.default_rng(2))
    for name, found in (("own", mine), ("exact", exact)):
        scores = compare_posterior(found, model=model, data=data, reference=exact)
        shown = ("e_shd", "edge_auprc", "graph_mmd", "edge_brier", "tv_exact")
        print(name, {column: round(scores[column], 4) for column in shown})
