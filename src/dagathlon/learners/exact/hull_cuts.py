"""Cuts of the convex hull of the DAGs on a few nodes, found by small linear programs.

Let the nodes of S come one after the other, and let a height be given for each subset of S.
Whatever the order, the steps of height add up to that of S. A node with parents T stands above some
set with T in it, so it may count the least step that it can make above such a set: no DAG counts
more than the height of S. The heights that a solution violates most are a linear program.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from dagathlon import _core
from dagathlon.learners.exact.relaxation import Floats, Integers, silent_model
from dagathlon.pulse import beat

_SIZE = 6
# How many of each node's closest neighbours a group is grown from.
_PARTNERS = 4
_LEAST_SHARE, _LEAST_VIOLATION = 1e-7, 1e-3

Shares = list[list[tuple[list[int], float]]]


def hull_cuts(program: _core.FamilyProgram, nodes: int, values: Floats, most: int) -> list[int]:
    """Add violated cuts to the pool, the most violated ones; their places there."""
    shares: Shares = [[] for _ in range(nodes)]
    children = program.children()
    for k in np.flatnonzero(values > _LEAST_SHARE):
        shares[children[k]].append((program.parents(int(k)), float(values[k])))
    found: list[tuple[float, tuple[int, ...], Floats]] = []
    for group in _groups(shares):
        beat()
        terms = _terms(group, shares)
        if len({place for place, _ in terms}) < len(group):
            continue
        above, heights = _most_violated(len(group), terms)
        if above > _LEAST_VIOLATION:
            found.append((above, group, heights))
    found.sort(key=lambda entry: -entry[0])
    return [program.add_heights(list(group), heights) for _, group, heights in found[:most]]


def _groups(shares: Shares) -> list[tuple[int, ...]]:
    """Nodes that are linked by much that is undecided, around each undecided node."""
    links = np.zeros((len(shares), len(shares)))
    for child, own in enumerate(shares):
        for parents, value in own:
            links[parents, child] += min(value, 1 - value) + 0.01
    links += links.T
    found: dict[tuple[int, ...] | None, None] = {}
    for node, own in enumerate(shares):
        if len(own) < 2:
            continue
        closest = np.argsort(-links[node], kind="stable")[:_PARTNERS]
        starts = [[node], *([node, int(x)] for x in closest if links[node, x] > 0)]
        for start in starts:
            found[_grown(start, links)] = None
    return [group for group in found if group is not None]


def _grown(start: list[int], links: Floats) -> tuple[int, ...] | None:
    """With the node that is linked most, until there are enough; none if there are too few."""
    group = list(start)
    while len(group) < _SIZE:
        weights = links[group].sum(axis=0)
        weights[group] = 0
        closest = int(np.argmax(weights))
        if weights[closest] <= 0:
            return None
        group.append(closest)
    return tuple(sorted(group))


def _terms(group: Sequence[int], shares: Shares) -> dict[tuple[int, int], float]:
    """How much each node of a group, by its place, has of each set within it, by bits."""
    place = {node: k for k, node in enumerate(group)}
    terms: dict[tuple[int, int], float] = {}
    for node in group:
        for parents, value in shares[node]:
            inside = sum(1 << place[x] for x in parents if x in place)
            if inside:
                key = place[node], inside
                terms[key] = terms.get(key, 0.0) + value
    return terms


class _Steps(NamedTuple):
    """All steps from a set to the same with one node more."""

    below: Integers
    node: Integers


@functools.cache
def _steps(size: int) -> _Steps:
    steps = [(s, v) for v in range(size) for s in range(1 << size) if not s >> v & 1]
    below, node = np.array(steps, dtype=np.int32).T
    return _Steps(below, node)


def _most_violated(size: int, terms: dict[tuple[int, int], float]) -> tuple[float, Floats]:
    """By how much the best heights are exceeded, the whole group's being 1; and those heights."""
    below, node = _steps(size)
    rows = [np.arange(len(below))]
    counted = [np.full(len(below), -1, dtype=np.int32)]
    for k, (place, inside) in enumerate(terms):
        own = np.flatnonzero((node == place) & (below & inside == inside))
        rows.append(own)
        counted.append(np.full(len(own), k, dtype=np.int32))
    every, term = np.concatenate(rows), np.concatenate(counted)
    model = _height_model(1 << size, list(terms.values()))
    _add_steps(model, 1 << size, below[every], node[every], term)
    model.run()
    heights = np.asarray(model.getSolution().col_value)[: 1 << size].round(9)
    return -float(model.getInfo().objective_function_value) - 1, heights


def _height_model(sets: int, values: Sequence[float]) -> Any:
    """Columns for the heights of all sets, then for what each term counts."""
    model = silent_model()
    count = sets + len(values)
    least, most = np.zeros(count), np.ones(count)
    most[0], least[sets - 1] = 0.0, 1.0
    model.addVars(count, least, most)
    cost = np.concatenate([np.zeros(sets), -np.array(values)])
    model.changeColsCost(count, np.arange(count, dtype=np.int32), cost)
    return model


def _add_steps(model: Any, sets: int, below: Integers, node: Integers, term: Integers) -> None:
    """Rows: no step is downwards, and a term counts no more than any step that it can be."""
    has_term = term >= 0
    lengths = 2 + has_term
    ends = np.cumsum(lengths)
    starts = (ends - lengths).astype(np.int32)
    columns = np.zeros(ends[-1], dtype=np.int32)
    entries = np.full(ends[-1], -1.0)
    columns[starts], entries[starts] = below | (1 << node), 1.0
    columns[starts + 1] = below
    columns[starts[has_term] + 2] = sets + term[has_term]
    count = len(below)
    least, most = np.zeros(count), np.full(count, np.inf)
    model.addRows(count, least, most, len(columns), starts, columns, entries)
