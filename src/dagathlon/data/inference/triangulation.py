"""Junction trees: an elimination order of the variables, and the cliques it produces."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations

from dagathlon.errors import DataError
from dagathlon.pulse import beat

MOST_CELLS = 50_000_000
"""Most cells of all tables of a junction tree together (400 MB)."""


@dataclass(frozen=True)
class CliqueTree:
    """Junction tree: the cliques that contain a variable form a connected subtree.

    Parameters
    ----------
    cliques
        Variables of each clique, increasing; a parent comes before its children.
    parents
        Place of each clique's parent, its own place for the root of a connected part.
    """

    cliques: tuple[tuple[int, ...], ...]
    parents: tuple[int, ...]

    def separator(self, clique: int) -> tuple[int, ...]:
        """Return the variables that a clique shares with its parent; empty for a root."""
        if self.parents[clique] == clique:
            return ()
        above = set(self.cliques[self.parents[clique]])
        return tuple(variable for variable in self.cliques[clique] if variable in above)

    def holder(self, variables: Iterable[int]) -> int:
        """Return the index of the smallest clique that contains all these variables."""
        wanted = set(variables)
        holders = [k for k, clique in enumerate(self.cliques) if wanted <= set(clique)]
        return min(holders, key=lambda k: len(self.cliques[k]))

    def rooted_at(self, clique: int) -> CliqueTree:
        """Return the tree with its component of `clique` re-rooted at that clique."""
        joined: list[list[int]] = [[] for _ in self.cliques]
        for child, parent in enumerate(self.parents):
            if child != parent:
                joined[child].append(parent)
                joined[parent].append(child)
        roots = [clique, *(k for k, parent in enumerate(self.parents) if k == parent)]
        order: list[int] = []
        above: dict[int, int] = {}
        for root in roots:
            if root not in above:
                above[root] = root
                reached = [root]
                for place in reached:
                    fresh = [other for other in joined[place] if other not in above]
                    above.update((other, place) for other in fresh)
                    reached += fresh
                order += reached
        number = {old: new for new, old in enumerate(order)}
        parents = tuple(number[above[old]] for old in order)
        return CliqueTree(tuple(self.cliques[old] for old in order), parents)


def clique_tree(
    scopes: Iterable[Sequence[int]], sizes: Sequence[int], most: int = MOST_CELLS
) -> CliqueTree:
    """Return a junction tree in which each scope is contained in some clique.

    Parameters
    ----------
    scopes
        Sets of variables that must be together: families, and targets of a joint query.
    sizes
        Number of levels of each variable; variables in no scope are left out.
    most
        Most cells of all tables together; a tree that has more is refused.
    """
    adjacent: dict[int, set[int]] = {}
    for scope in scopes:
        for variable in scope:
            adjacent.setdefault(variable, set()).update(scope)
    for variable, others in adjacent.items():
        others.discard(variable)
    tree = _tree(_elimination_steps(adjacent, sizes, most))
    _refuse_large(sum(math.prod(sizes[v] for v in clique) for clique in tree.cliques), most)
    return tree


def _elimination_steps(
    adjacent: dict[int, set[int]], sizes: Sequence[int], most: int
) -> list[tuple[int, frozenset[int]]]:
    """Eliminate variables by least weighted fill-in; return each with its neighbours at that step.

    Ties go to the variable whose clique has the smallest table.
    """
    costs = {variable: _cost(variable, adjacent, sizes) for variable in adjacent}
    steps = []
    while adjacent:
        beat()
        chosen = min(costs, key=lambda variable: (costs[variable], variable))
        _refuse_large(math.prod(sizes[v] for v in (chosen, *adjacent[chosen])), most)
        around = adjacent.pop(chosen)
        del costs[chosen]
        touched = set(around)
        for a, b in combinations(sorted(around), 2):
            if b not in adjacent[a]:
                # A new edge changes the fill of all that both its ends are joined to.
                touched |= adjacent[a] & adjacent[b]
                adjacent[a].add(b)
                adjacent[b].add(a)
        for variable in around:
            adjacent[variable].discard(chosen)
        touched.discard(chosen)
        for variable in touched:
            costs[variable] = _cost(variable, adjacent, sizes)
        steps.append((chosen, frozenset(around)))
    return steps


def _cost(variable: int, adjacent: dict[int, set[int]], sizes: Sequence[int]) -> tuple[int, float]:
    """Return the weighted fill-in of eliminating a variable, and the size of its clique table."""
    around = sorted(adjacent[variable])
    fill = sum(sizes[a] * sizes[b] for a, b in combinations(around, 2) if b not in adjacent[a])
    return fill, sum(math.log(sizes[other]) for other in (variable, *around))


def _refuse_large(cells: int, most: int) -> None:
    if cells > most:
        raise DataError(
            f"an exact answer needs tables of {cells:.2g} cells, allowed are {most:,}: "
            "variables depend on too many others at once. More evidence, or fewer targets in one "
            "query, make them smaller; so does a graph learned with fewer parents (max_parents)"
        )


def _tree(steps: list[tuple[int, frozenset[int]]]) -> CliqueTree:
    """Build the tree of the maximal cliques, from the last eliminated variable to the first."""
    when = {variable: k for k, (variable, _) in enumerate(steps)}
    cliques: list[set[int]] = []
    parents: list[int] = []
    home: dict[int, int] = {}
    for variable, later in reversed(steps):
        above = home[min(later, key=when.__getitem__)] if later else len(cliques)
        if later and cliques[above] == later:
            cliques[above].add(variable)
            home[variable] = above
            continue
        home[variable] = len(cliques)
        parents.append(above)
        cliques.append({variable, *later})
    return CliqueTree(tuple(tuple(sorted(clique)) for clique in cliques), tuple(parents))
