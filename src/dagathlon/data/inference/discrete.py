"""Exact inference in discrete networks, by a junction tree."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from dagathlon.data.inference.answer import Assignment, TableAnswer
from dagathlon.data.inference.evidence import Evidence
from dagathlon.data.inference.factor import Factor, product
from dagathlon.data.inference.triangulation import MOST_CELLS, CliqueTree, clique_tree
from dagathlon.data.models.distributions import FloatArray, Table
from dagathlon.errors import DataError
from dagathlon.pulse import beat

if TYPE_CHECKING:
    from dagathlon.data.models.network import Network


class Problem:
    """Factors of the variables relevant to a query, restricted to the known levels.

    Only targets, observed variables and their ancestors are kept: every other variable sums to
    1.

    Parameters
    ----------
    network, evidence
        The network, and the evidence.
    names
        Variables of the query.
    """

    def __init__(self, network: Network, evidence: Evidence, names: Iterable[str]) -> None:
        self.network = network
        self.evidence = evidence
        relevant = network.graph.ancestors([*names, *evidence.levels, *evidence.likelihoods])
        self.names = [name for name in relevant if isinstance(network.distribution(name), Table)]
        self.number = {name: k for k, name in enumerate(self.names)}
        self.sizes = [len(self._table(name).levels) for name in self.names]
        known = {self.number[name]: value for name, value in evidence.levels.items()}
        self.factors = [self._family(name).given(known) for name in self.names]
        for name, numbers in evidence.likelihoods.items():
            self.factors.append(Factor((self.number[name],), numbers))
        self.open = [name for name in self.names if name not in evidence.levels]

    def _table(self, name: str) -> Table:
        table = self.network.distribution(name)
        assert isinstance(table, Table)
        return table

    def _family(self, name: str) -> Factor:
        table = self._table(name)
        return Factor.of([self.number[n] for n in (*table.parents, name)], table.probabilities)

    def answer(self, names: Sequence[str], table: Factor, log_evidence: float) -> TableAnswer:
        """Marginalise a clique table onto the named variables and normalise it."""
        wanted = [self.number[name] for name in names]
        part = table.summed_onto(wanted)
        order = [part.variables.index(variable) for variable in wanted]
        return TableAnswer(
            tuple(names),
            tuple(self._table(name).levels for name in names),
            normalised(np.transpose(part.table, order)),
            log_evidence,
        )

    def levels_of(self, chosen: dict[int, int]) -> dict[str, str]:
        """Return the labels of the chosen level numbers together with those of the evidence."""
        known = self.evidence.levels
        return {
            name: self._table(name).levels[chosen.get(self.number[name], known.get(name, 0))]
            for name in self.names
        }


def joint_distribution(
    network: Network, targets: Sequence[str], evidence: Evidence, most: int = MOST_CELLS
) -> TableAnswer:
    """Return the joint distribution of the targets; raise if the tables exceed `most` cells."""
    problem = Problem(network, evidence, targets)
    together = [problem.number[name] for name in targets]
    scopes = [factor.variables for factor in problem.factors]
    tree = clique_tree([*scopes, together], problem.sizes, most)
    rooted = tree.rooted_at(tree.holder(together))
    collected = collect(rooted, problem.factors, problem.sizes)
    if collected.log_total == -math.inf:
        raise impossible_evidence(network, evidence)
    return problem.answer(targets, collected.tables[0], collected.log_total)


def marginal_distributions(
    network: Network, targets: Sequence[str], evidence: Evidence
) -> dict[str, TableAnswer]:
    """Return the marginal distribution of each target, all from one junction tree."""
    problem = Problem(network, evidence, targets)
    tree = clique_tree([factor.variables for factor in problem.factors], problem.sizes)
    collected = collect(tree, problem.factors, problem.sizes)
    if collected.log_total == -math.inf:
        raise impossible_evidence(network, evidence)
    tables = distribute(collected)
    return {
        name: problem.answer(
            [name], tables[tree.holder([problem.number[name]])], collected.log_total
        )
        for name in targets
    }


def most_probable(network: Network, evidence: Evidence) -> Assignment:
    """Return the jointly most probable levels of all variables."""
    problem = Problem(network, evidence, network.names)
    tree = clique_tree([factor.variables for factor in problem.factors], problem.sizes)
    best = collect(tree, problem.factors, problem.sizes, largest=True)
    if best.log_total == -math.inf:
        raise impossible_evidence(network, evidence)
    total = log_probability(network, evidence)
    return Assignment(
        problem.levels_of(most_probable_levels(best)), math.exp(min(best.log_total - total, 0.0))
    )


def log_probability(network: Network, evidence: Evidence) -> float:
    """Return the natural logarithm of the probability of the evidence."""
    problem = Problem(network, evidence, ())
    tree = clique_tree([factor.variables for factor in problem.factors], problem.sizes)
    return collect(tree, problem.factors, problem.sizes).log_total


def impossible_evidence(network: Network, evidence: Evidence) -> DataError:
    """Return an error that names the first evidence impossible given that before it."""
    seen = Evidence()
    earlier: list[str] = []
    for name in (*evidence.levels, *evidence.likelihoods):
        if name in evidence.levels:
            seen.levels[name] = evidence.levels[name]
            table = network.distribution(name)
            shown = table.levels[evidence.levels[name]] if isinstance(table, Table) else ""
            written = f"{name}={shown}"
        else:
            seen.likelihoods[name] = evidence.likelihoods[name]
            written = f"the likelihood of {name}"
        if log_probability(network, seen) == -math.inf:
            beside = f" together with {', '.join(earlier)}" if earlier else ""
            return DataError(
                f"the evidence has probability zero under the network: {written}{beside}"
            )
        earlier.append(written)
    return DataError("the evidence has probability zero under the network")


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
