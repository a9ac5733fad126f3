"""DAG-GFlowNet: a network that samples DAGs by adding one arc at a time."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from dagathlon.data import Dataset
from dagathlon.data.spec import DataKind
from dagathlon.learners.background import starting_dag
from dagathlon.learners.jax.gflownet import GflownetLearner
from dagathlon.learners.jax.gflownet_rewards import reward_of, score_table
from dagathlon.learners.jax.gflownet_states import Reward
from dagathlon.learners.score.score_based import ScoreBased
from dagathlon.learners.score.score_kinds import MARGINAL
from dagathlon.posteriors.exact_sums import DagSpace


@dataclass(frozen=True, kw_only=True)
class DagGflownet(GflownetLearner, ScoreBased):
    """Independent draws from the posterior over DAGs by a trained GFlowNet.

    The network starts at the empty graph, and adds arcs that close no cycle until it stops. It
    is trained until detailed balance holds at every move, so that it stops at a DAG with the
    posterior probability of that DAG. `graph` is the DAG that was drawn most often.

    Parameters
    ----------
    score
        Log weight of a DAG; null is bde, bge or bic-dg as the data are discrete, continuous
        or mixed.
    """

    name = "dag_gflownet"
    takes: ClassVar[frozenset[DataKind]] = frozenset({"continuous", "discrete", "mixed"})
    references = ("Deleu, Góis, Emezue, Rankawat, Lacoste-Julien, Bauer and Bengio 2022, UAI",)
    default_scores = MARGINAL
    extends_default = False

    def reward(self, data: Dataset) -> Reward:
        """Return the table of the score, with the constraints."""
        starting_dag(None, self.knowledge(data), data.names)  # required edges without a cycle
        forbidden, required = self.arc_matrices(data)
        most = len(data.names) if self.max_parents is None else self.max_parents
        space = DagSpace(forbidden, required, most)
        return reward_of(score_table(self.native_score(data), space), required)

    def space(self) -> str:
        """Describe the DAGs covered: all, or those within the limits."""
        limits = []
        if self.max_parents is not None:
            limits.append(f"with at most {self.max_parents} parents each")
        if self.constraints is not None:
            limits.append("that keep to the constraints")
        return f"DAGs {' '.join(limits)}" if limits else super().space()
