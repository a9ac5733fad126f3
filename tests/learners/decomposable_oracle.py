"""All decomposable graphs of few nodes, counted and weighed by other means than the samplers'."""

from __future__ import annotations

from itertools import combinations, product

import numpy as np

from dagathlon import _core
from dagathlon.data import Dataset
from dagathlon.graphs import Graph, junction_tree
from dagathlon.learners.undirected.decomposable_score import DecomposablePosterior
from dagathlon.learners.undirected.undirected_sampler import undirected_chain
from dagathlon.posteriors.posterior import Posterior


def continuous(p: int) -> Dataset:
    """A chain of correlated columns, short enough that many graphs are probable."""
    rng = np.random.default_rng(5)
    values = rng.normal(size=(25, p))
    for j in range(1, p):
        values[:, j] += 0.5 * values[:, j - 1] + 0.3 * values[:, max(j - 2, 0)]
    return Dataset.from_numpy(values)


def discrete(p: int) -> Dataset:
    """Columns of two or three levels that follow one another."""
    rng = np.random.default_rng(6)
    codes = rng.integers(2, size=(60, p))
    codes[:, 0] = rng.integers(3, size=60)
    for j in range(1, p):
        codes[:, j] = np.where(rng.random(60) < 0.4, codes[:, j - 1] > 0, codes[:, j])
    return Dataset.from_numpy(codes.astype(str))


def decomposable(p: int) -> list[Graph]:
    """All chordal graphs: those from which nodes with complete neighbourhoods can be taken away."""
    names = tuple(f"V{k + 1}" for k in range(p))
    found = []
    for bits in product((False, True), repeat=p * (p - 1) // 2):
        edges = [pair for pair, there in zip(combinations(range(p), 2), bits, strict=True) if there]
        if _is_chordal(p, edges):
            written = [(names[i], "-", names[j]) for i, j in edges]
            found.append(Graph.from_edges([" ".join(edge) for edge in written], names=names))
    return found


def _is_chordal(p: int, edges: list[tuple[int, int]]) -> bool:
    joined = {frozenset(edge) for edge in edges}
    left = set(range(p))
    while left:
        for node in left:
            near = [other for other in left if frozenset((node, other)) in joined]
            if all(frozenset(pair) in joined for pair in combinations(near, 2)):
                left.remove(node)
                break
        else:
            return False
    return True


def junction_trees(graph: Graph) -> int:
    """How many trees over the cliques have each node in a connected part, one after another."""
    cliques = [frozenset(clique) for clique in junction_tree(graph).cliques]
    links = list(combinations(range(len(cliques)), 2))
    return sum(
        _has_running_intersections(cliques, tree) for tree in combinations(links, len(cliques) - 1)
    )


def _has_running_intersections(
    cliques: list[frozenset[str]], tree: tuple[tuple[int, int], ...]
) -> bool:
    if not _connected(set(range(len(cliques))), tree):
        return False
    for node in frozenset().union(*cliques):
        holders = {k for k, clique in enumerate(cliques) if node in clique}
        if not _connected(holders, [link for link in tree if set(link) <= holders]):
            return False
    return True


def _connected(
    places: set[int], links: list[tuple[int, int]] | tuple[tuple[int, int], ...]
) -> bool:
    reached, fresh = set(), {min(places)}
    while fresh:
        reached |= fresh
        fresh = {b for a, b in (*links, *((b, a) for a, b in links)) if a in reached} - reached
    return reached == places


def total_variation(
    log: _core.UndirectedLog, learner: DecomposablePosterior, data: Dataset
) -> float:
    """Between the visits of a chain and the weights of all decomposable graphs."""
    edges, weights, _ = _core.decomposable_graphs(learner.target(data))
    shares = np.exp(weights.ravel() - weights.max())
    expected = dict(zip(edges.ravel().tolist(), (shares / shares.sum()).tolist(), strict=True))
    found = Posterior([undirected_chain(log, data.names)])._distinct
    seen = dict(zip(found.rows.ravel().tolist(), found.weights.tolist(), strict=True))
    total = sum(seen.values())
    graphs = expected.keys() | seen.keys()
    return sum(abs(expected.get(g, 0.0) - seen.get(g, 0.0) / total) for g in graphs) / 2
