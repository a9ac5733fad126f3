"""Junction trees that grow by a node at a time: probabilities of steps, and what they add up to."""

from __future__ import annotations

import math
from collections import defaultdict
from typing import TypeAlias

import numpy as np
import pytest

from dagathlon import _core
from dagathlon.data import Dataset
from dagathlon.learners.undirected.decomposable_count import GraphCount, count_decomposable_graphs
from dagathlon.learners.undirected.particle_gibbs import ParticleGibbs

Clique: TypeAlias = frozenset[int]
Tree: TypeAlias = tuple[frozenset[Clique], frozenset[frozenset[Clique]]]

NUMBERS = (1, 2, 8, 61, 822, 18154, 617675, 30888596)
START: Tree = (frozenset({frozenset({0})}), frozenset())


class Growth:
    """Steps from trees to trees, with their probabilities both ways."""

    def __init__(self, proposal: str) -> None:
        rng = np.random.default_rng(4)
        values = rng.normal(size=(12, 4))
        values[:, 1:] += values[:, :3]
        learner = ParticleGibbs(proposal=proposal, alpha=0.3, beta=0.6)
        self.target = learner.target(Dataset.from_numpy(values))
        self.options = learner.growth(4)

    def step(self, tree: Tree, node: int, seed: int) -> tuple[Tree, float, float]:
        cliques = sorted(tree[0], key=sorted)
        links = [tuple(cliques.index(end) for end in link) for link in tree[1]]
        members = [sorted(clique) for clique in cliques]
        grown, joined, forward, backward = _core.christmas_tree_step(
            self.target, self.options, members, links, node, seed
        )
        sets = [frozenset(clique) for clique in grown]
        after = (frozenset(sets), frozenset(frozenset((sets[a], sets[b])) for a, b in joined))
        if frozenset({node}) in after[0]:
            forward -= math.log(ways(after))
            backward -= math.log(ways(tree))
        return after, math.exp(forward), math.exp(backward)

    def steps(self, trees: list[Tree], node: int, draws: int) -> dict[Tree, dict[Tree, tuple]]:
        """From each tree the trees that came of it."""
        found: dict[Tree, dict[Tree, tuple]] = {}
        for tree in trees:
            made = (self.step(tree, node, seed) for seed in range(draws))
            found[tree] = {after: (forward, backward) for after, forward, backward in made}
        return found


def ways(tree: Tree) -> int:
    """In how many ways links of nothing can join the parts of a tree."""
    parts = [{clique} for clique in tree[0]]
    for link in tree[1]:
        one, other = link
        if one & other:
            first, second = (next(p for p in parts if end in p) for end in (one, other))
            parts.remove(second)
            first |= second
    sizes = [len(part) for part in parts]
    return round(math.prod(sizes) * float(sum(sizes)) ** (len(sizes) - 2))


@pytest.mark.parametrize(
    ("nodes", "draws"),
    [(3, 1000), pytest.param(4, 6000, marks=pytest.mark.slow)],
)
@pytest.mark.parametrize("proposal", ["christmas_tree", "informed"])
def test_probabilities_both_ways_add_up_to_one(proposal: str, nodes: int, draws: int) -> None:
    growth = Growth(proposal)
    trees = [START]
    for node in range(1, nodes):
        steps = growth.steps(trees, node, draws)
        back: dict[Tree, float] = defaultdict(float)
        for grown in steps.values():
            # Every tree that can come was drawn, or the sum would be less.
            assert sum(forward for forward, _ in grown.values()) == pytest.approx(1, abs=1e-9)
            for after, (_, backward) in grown.items():
                back[after] += backward
        assert list(back.values()) == pytest.approx([1.0] * len(back), abs=1e-9)
        trees = sorted(back, key=repr)


def test_the_number_of_decomposable_graphs() -> None:
    for nodes, expected in enumerate(NUMBERS[:6], start=1):
        found = count_decomposable_graphs(nodes, n_particles=200, estimates=10)
        assert abs(found.count - expected) <= 4 * found.relative_error * expected + 1e-9


@pytest.mark.slow
def test_the_number_of_decomposable_graphs_of_many_particles() -> None:
    for nodes, expected in enumerate(NUMBERS[3:], start=4):
        found = count_decomposable_graphs(nodes, n_particles=5000, estimates=20)
        assert found.relative_error < 0.02
        assert abs(found.count / expected - 1) < 4 * found.relative_error


def test_errors_of_estimates() -> None:
    count = GraphCount(3, (math.log(6.0), math.log(10.0)))
    assert count.count == pytest.approx(8)
    assert count.relative_error == pytest.approx(2 / 8)
    assert math.isnan(GraphCount(3, (0.0,)).relative_error)
    assert GraphCount(300, (1e4,)).count == math.inf
    with pytest.raises(ValueError, match="nodes: found 0"):
        count_decomposable_graphs(0)
    with pytest.raises(ValueError, match="alpha: found 1"):
        count_decomposable_graphs(3, alpha=1)
