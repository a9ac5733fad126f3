"""Message passing in a junction tree: collect to the roots, distribute to the leaves."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from dagathlon.data.inference.factor import Factor, product
from dagathlon.data.inference.triangulation import CliqueTree
from dagathlon.data.models.distributions import FloatArray
from dagathlon.pulse import beat


@dataclass(frozen=True)
class Collected:
    """Clique tables and messages after the collect pass, and the log of the total sum.

    Tables are known up to a constant factor. A total of zero (minus infinity) comes without
    tables.
    """

    tree: CliqueTree
    tables: list[Factor]
    messages: list[Factor]
    log_total: float


def collect(
    tree: CliqueTree, factors: Sequence[Factor], sizes: Sequence[int], *, largest: bool = False
) -> Collected:
    """Multiply the factors into the cliques and pass messages to the roots.

    Parameters
    ----------
    tree
        The tree; each factor lies within some clique.
    factors, sizes
        The factors to multiply, and the number of levels of each variable.
    largest
        Whether messages hold the largest numbers instead of sums, for the most probable levels.
    """
    inside: list[list[Factor]] = [[] for _ in tree.cliques]
    log_total = 0.0
    homes = _clique_of_scopes(tree, [factor.variables for factor in factors])
    for factor, home in zip(factors, homes, strict=True):
        if home is None:
            constant = float(factor.table)
            log_total += math.log(constant) if constant > 0 else -math.inf
        else:
            inside[home].append(factor)
    tables: list[Factor] = [Factor((), np.ones(()))] * len(tree.cliques)
    messages = list(tables)
    for place in reversed(range(len(tree.cliques))):
        beat()
        tables[place], scale = product(inside[place], tree.cliques[place], sizes)
        log_total += scale
        if log_total == -math.inf:
            return Collected(tree, [], [], -math.inf)
        separator = tree.separator(place)
        onto = tables[place].largest_onto if largest else tables[place].summed_onto
        messages[place] = onto(separator)
        if tree.parents[place] != place:
            inside[tree.parents[place]].append(messages[place])
        else:
            log_total += math.log(float(messages[place].table))
        inside[place].clear()
    return Collected(tree, tables, messages, log_total)


def _clique_of_scopes(tree: CliqueTree, scopes: Sequence[tuple[int, ...]]) -> list[int | None]:
    """Return, for each scope, the index of a clique that contains it; None for the empty scope."""
    holding: dict[int, set[int]] = {}
    for place, clique in enumerate(tree.cliques):
        for variable in clique:
            holding.setdefault(variable, set()).add(place)
    return [
        min(set.intersection(*(holding[variable] for variable in scope))) if scope else None
        for scope in scopes
    ]


def distribute(collected: Collected) -> list[Factor]:
    """Run the distribute pass: return clique tables proportional to their probabilities."""
    tree, tables = collected.tree, list(collected.tables)
    for place in range(len(tree.cliques)):
        beat()
        parent = tree.parents[place]
        if parent == place:
            continue
        separator = tree.separator(place)
        from_above = tables[parent].summed_onto(separator).table
        sent = collected.messages[place].table
        # Where the child's message is zero, the parent's message cannot change it.
        ratio = np.divide(from_above, sent, out=np.zeros_like(sent), where=sent > 0)
        spread = Factor(separator, ratio).spread(tree.cliques[place])
        table = tables[place].table * spread
        tables[place] = Factor(tree.cliques[place], table / table.max())
    return tables


def most_probable_levels(collected: Collected) -> dict[int, int]:
    """Return the most probable level of every variable, after `collect` with `largest`."""
    chosen: dict[int, int] = {}
    for clique, table in zip(collected.tree.cliques, collected.tables, strict=True):
        rest = table.given(
            {variable: chosen[variable] for variable in clique if variable in chosen}
        )
        if rest.variables:
            place = np.unravel_index(int(np.argmax(rest.table)), rest.table.shape)
            chosen.update(zip(rest.variables, map(int, place), strict=True))
    return chosen


def normalised(table: FloatArray) -> FloatArray:
    """Divide a table by its sum."""
    result: FloatArray = table / table.sum()
    return result
