"""The policy of a GFlowNet over DAGs: which arc to add, or to stop.

Functions take one graph; `vmap` extends them to many.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from dagathlon.learners.jax.backend import jax, jnp
from dagathlon.learners.jax.gflownet_states import Graphs, Reward, moves, with_arc
from dagathlon.learners.jax.perceptron import layers, outputs

# Scale of the network's outputs in nats: the size of the flows to be learned.
_UNIT = 5.0


class Policy(NamedTuple):
    """Compile-time constants: number of nodes, network size, compression depth of rewards."""

    p: int
    hidden: int
    depth: float


def network(policy: Policy, key: Any) -> Any:
    """Return a network of two hidden layers with random weights."""
    cells = policy.p**2
    return layers(key, (3 * cells + 1, policy.hidden, policy.hidden, cells))


def log_odds(policy: Policy, weights: Any, graph: Graphs, reward: Reward) -> tuple[Any, Any]:
    """Return the log odds of each move against stopping, and the log reward gain of each.

    Without the network the odds would be the gain of the arc over the number of arcs that may
    have been added last. The network learns the rest: the log of all reward reachable from
    there, relative to the reward there. Illegal arcs have minus infinity.
    """
    next_moves = moves(graph, reward, policy.depth)
    gain, legal = next_moves.gain.reshape(-1), next_moves.legal.reshape(-1)
    seen = (graph.arcs.reshape(-1), graph.leads.reshape(-1), jnp.arcsinh(gain))
    inputs = jnp.concatenate([*seen, jnp.arcsinh(next_moves.level)[None]])
    learned = _UNIT * outputs(weights, inputs) - jnp.log(_added(graph, reward) + 1.0)
    return jnp.where(legal, gain + learned, -jnp.inf), gain


def imbalance(policy: Policy, weights: Any, graph: Graphs, move: Any, reward: Reward) -> Any:
    """Return the violation of detailed balance at one move, in nats.

    With rewards R, backward probabilities 1/(number of added arcs) and a stop that is possible
    everywhere, balance is R(G') P(G | G') P(stop | G) = R(G) P(G' | G) P(stop | G').
    """
    odds, gain = log_odds(policy, weights, graph, reward)
    after = with_arc(graph, move)
    odds_after, _ = log_odds(policy, weights, after, reward)
    log_stop_after = -jax.nn.logsumexp(jnp.append(odds_after, 0.0))
    # Before the buffer is filled a move may be illegal: it has weight 0 but must be finite.
    chosen = jnp.where(odds[move] > -jnp.inf, odds[move], 0.0)
    return gain[move] - jnp.log(_added(after, reward)) - chosen - log_stop_after


def _added(graph: Graphs, reward: Reward) -> Any:
    """Return the number of arcs added since the start."""
    return jnp.sum(graph.arcs & ~reward.start).astype(jnp.float32)
