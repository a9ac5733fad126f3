"""The states of a GFlowNet over DAGs: graphs that grow by one arc at a time.

Functions take one graph; `vmap` extends them to many.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from dagathlon.learners.jax.backend import jnp


class Reward(NamedTuple):
    """The rewards of DAGs on a data set.

    Parameters
    ----------
    table
        Log weight of each family minus that of the same node in a good DAG, of shape (p, 2^(p-1));
        minus infinity is forbidden. Bits of a column are the nodes except the child.
    start
        Arcs that every graph has, from row to column.
    """

    table: Any
    start: Any


class Graphs(NamedTuple):
    """A DAG: its arcs, from row to column, and their reflexive transitive closure."""

    arcs: Any
    leads: Any


class Moves(NamedTuple):
    """Moves from a graph: for each arc whether it may be added, and its log reward gain.

    Parameters
    ----------
    legal
        Whether the arc, from row to column, is new and closes no cycle.
    gain
        Difference of the log rewards; 0 for an illegal arc.
    level
        Log reward of the graph itself.
    """

    legal: Any
    gain: Any
    level: Any


def family_bits(p: int) -> Any:
    """Return the table offset of each parent (row) in the families of each child (column)."""
    node = jnp.arange(p)
    place = node[:, None] - (node[:, None] > node[None, :])
    return jnp.where(node[:, None] == node[None, :], 0, 2**place).astype(jnp.int32)


def with_arc(graph: Graphs, move: Any) -> Graphs:
    """Return the graph with one more arc, given as a flat index of the matrix."""
    p = graph.arcs.shape[-1]
    parent, child = move // p, move % p
    leads = graph.leads | (graph.leads[:, parent][:, None] & graph.leads[child, :][None, :])
    return Graphs(graph.arcs.at[parent, child].set(True), leads)


def moves(graph: Graphs, reward: Reward, depth: float) -> Moves:
    """Return the possible moves from a graph.

    Parameters
    ----------
    graph
        The DAG.
    reward
        The data set.
    depth
        See `compressed`.
    """
    p = graph.arcs.shape[-1]
    bits, child = family_bits(p), jnp.arange(p)
    family = jnp.sum(graph.arcs * bits, axis=0)
    now = reward.table[child, family]
    # Existing arcs would index beyond the table.
    wider = jnp.minimum(family[None, :] + bits, reward.table.shape[1] - 1)
    then = reward.table[child[None, :], wider]
    legal = ~graph.arcs & ~graph.leads.T & (then > -jnp.inf)
    total = jnp.sum(now)
    level = compressed(total, depth)
    after = compressed(total + jnp.where(legal, then - now[None, :], 0.0), depth)
    return Moves(legal, jnp.where(legal, after - level, 0.0), level)


def compressed(log_reward: Any, depth: float) -> Any:
    """Compress log rewards far below that of a good DAG.

    Below `-depth` they fall logarithmically. All DAGs there together have almost no
    probability, before as after, but a network learns numbers up to a few hundred more easily
    than thousands.
    """
    below = jnp.maximum(-log_reward - depth, 0.0)
    return jnp.maximum(log_reward, -depth) - depth * jnp.log1p(below / depth)
