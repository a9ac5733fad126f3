"""Tables of the log weights of families: the rewards of a GFlowNet."""

from __future__ import annotations

import math

import numpy as np

from dagathlon import _core
from dagathlon.errors import DataError
from dagathlon.learners.jax.gflownet_states import Reward
from dagathlon.posteriors.exact_sums import DagSpace
from dagathlon.posteriors.packed import Bools, Floats, Ints
from dagathlon.pulse import beat

_BLOCK = 4096


def compression_depth(p: int) -> float:
    """Return the depth below a good DAG down to which log rewards are not compressed.

    There are fewer than 3^(p(p-1)/2) DAGs, so all deeper ones together have less than a
    thousandth of the probability of the good one.
    """
    return p * (p - 1) / 2 * math.log(3) + math.log(1000)


def parent_sets(p: int, child: int) -> Bools:
    """Return all parent sets of a node in the order of the table, one mask per row."""
    numbers = np.arange(2 ** (p - 1))
    others = [node for node in range(p) if node != child]
    sets = np.zeros((len(numbers), p), dtype=np.bool_)
    sets[:, others] = (numbers[:, None] >> np.arange(p - 1)[None, :]) & 1
    return sets


def score_table(score: _core.Score, space: DagSpace) -> Floats:
    """Return the log weights of all families within the limits; minus infinity for the others."""
    p = len(space.forbidden)
    table = np.full((p, 2 ** (p - 1)), -np.inf)
    for child in range(p):
        sets = parent_sets(p, child)
        allowed = np.flatnonzero(allowed_sets(sets, space, child))
        for first in range(0, len(allowed), _BLOCK):
            beat(child, p)
            rows = allowed[first : first + _BLOCK]
            families = [(child, np.flatnonzero(sets[row]).tolist()) for row in rows.tolist()]
            table[child, rows] = score.batch(families)
    return table


def allowed_sets(sets: Bools, space: DagSpace, child: int) -> Bools:
    """Return the mask of parent sets within the limits; required parents may be missing."""
    wrong = np.any(sets & space.forbidden[:, child], axis=1)
    allowed: Bools = np.logical_not(wrong) & (sets.sum(axis=1) <= space.max_parents)
    return allowed


def reward_of(table: Floats, required: Bools) -> Reward:
    """Return the reward of a table, relative to a greedily constructed DAG."""
    p = len(table)
    family = _columns(required)
    if not np.isfinite(table[np.arange(p), family]).all():
        raise DataError(
            "no DAG has a positive probability: the constraints and the limit on parents leave "
            "none, or there are too few rows for the score"
        )
    best = table[np.arange(p), _columns(_greedy(table, required))]
    return Reward((table - best[:, None]).astype(np.float32), required)


def _columns(arcs: Bools) -> Ints:
    """Return the table column of each node's family."""
    p = len(arcs)
    node = np.arange(p)
    place = node[:, None] - (node[:, None] > node[None, :])
    columns: Ints = (arcs * np.where(np.eye(p, dtype=bool), 0, 2 ** np.maximum(place, 0))).sum(
        axis=0
    )
    return columns


def _greedy(table: Floats, start: Bools) -> Bools:
    """Add arcs greedily until none raises the log weight; return the DAG."""
    p = len(table)
    arcs, leads = start.copy(), closure(start)
    while True:
        gains = np.full((p, p), -np.inf)
        family = _columns(arcs)
        for parent, child in np.argwhere(~arcs & ~leads.T).tolist():
            bit = 1 << (parent - (parent > child))
            gains[parent, child] = table[child, family[child] + bit] - table[child, family[child]]
        parent, child = divmod(int(np.argmax(gains)), p)
        if not gains[parent, child] > 0:
            return arcs
        arcs[parent, child] = True
        leads |= leads[:, parent][:, None] & leads[child][None, :]


def closure(arcs: Bools) -> Bools:
    """Return the reflexive transitive closure of arcs."""
    leads = arcs | np.eye(len(arcs), dtype=np.bool_)
    for middle in range(len(arcs)):
        leads |= leads[:, middle][:, None] & leads[middle][None, :]
    return leads
