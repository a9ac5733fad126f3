"""Meek's rules as PC applies them: against all DAGs of a class, and conflicts by definition."""

from __future__ import annotations

from itertools import chain, combinations, product

import hypothesis
import numpy as np
import pytest
from hypothesis import strategies as st

from dagathlon.data import Dataset, Variable
from dagathlon.graphs import Graph, cpdag
from dagathlon.graphs.knowledge import Knowledge
from dagathlon.learners import learn
from dagathlon.learners.constraint.pc import Pc
from dagathlon.learners.independence import IndependenceTest, independence_test, separation_test
from strategies import random_dag

CONFLICTS = ("last", "first", "confirmed", "mark", "lowest-p", "highest-p")
RNG = np.random.default_rng(1)
Arc = tuple[str, str]


def dags(p: int) -> list[Graph]:
    """All DAGs of p nodes."""
    names = [f"V{i}" for i in range(p)]
    pairs = list(combinations(names, 2))
    found = []
    for directions in product((0, 1, -1), repeat=len(pairs)):
        arcs = [pair[::step] for pair, step in zip(pairs, directions, strict=True) if step]
        graph = Graph.from_edges(arcs, names=names)
        if graph.is_dag:
            found.append(graph)
    return found


def class_of(dag: Graph) -> list[set[Arc]]:
    """The arcs of each DAG with the same CPDAG."""
    essential = cpdag(dag)
    fixed = [(e.left, e.right) for e in essential.edges() if e.connector == "->"]
    free = [(e.left, e.right) for e in essential.edges() if e.connector == "-"]
    members = []
    for turned in product((1, -1), repeat=len(free)):
        arcs = fixed + [pair[::step] for pair, step in zip(free, turned, strict=True)]
        candidate = Graph.from_edges(arcs, names=dag.names)
        if candidate.is_dag and cpdag(candidate) == essential:
            members.append(set(arcs))
    return members


def arcs_of(graph: Graph) -> set[Arc]:
    return {(e.left, e.right) for e in graph.edges() if e.connector == "->"}


@pytest.mark.parametrize("conflicts", CONFLICTS)
def test_every_dag_of_four_nodes_gives_its_cpdag(conflicts: str) -> None:
    learner = Pc(conflicts=conflicts)  # type: ignore[arg-type]
    every = dags(4)
    assert len(every) == 543
    for dag in every:
        assert learner.learn_with(separation_test(dag), RNG).graph == cpdag(dag)


def wrong_with_knowledge(dag: Graph, conflicts: str, rng: np.random.Generator) -> int:
    """Whether some arcs of a DAG, known, lead to other arcs than its class with them has."""
    arcs = sorted(arcs_of(dag))
    known = [arc for arc in arcs if rng.random() < 0.4]
    members = [member for member in class_of(dag) if member.issuperset(known)]
    expected = set.intersection(*members)
    knowledge = Knowledge(frozenset(), frozenset(known))
    learner = Pc(conflicts=conflicts, constraints=knowledge)  # type: ignore[arg-type]
    found = learner.learn_with(separation_test(dag), rng).graph
    return int(arcs_of(found) != expected or found.n_edges != len(arcs))


@pytest.mark.parametrize("conflicts", CONFLICTS)
def test_known_arcs_lead_to_all_that_follows(conflicts: str) -> None:
    rng = np.random.default_rng(3)
    graphs = chain(dags(3), (random_dag(5, rng, 0.6) for _ in range(120)))
    assert sum(wrong_with_knowledge(dag, conflicts, rng) for dag in graphs) == 0


@pytest.mark.slow
@pytest.mark.parametrize("conflicts", CONFLICTS)
def test_known_arcs_of_all_small_dags(conflicts: str) -> None:
    rng = np.random.default_rng(4)
    graphs = chain(dags(4), (random_dag(5, rng, 0.6) for _ in range(300)))
    assert sum(wrong_with_knowledge(dag, conflicts, rng) for dag in graphs) == 0


@pytest.mark.parametrize("conflicts", CONFLICTS)
def test_the_fourth_rule(conflicts: str) -> None:
    dag = Graph.from_edges(["d -> c", "c -> b", "a -> b", "a -> c", "a -> d"], names="abcd")
    knowledge = Knowledge(frozenset(), frozenset({("d", "c"), ("c", "b")}))
    learner = Pc(conflicts=conflicts, constraints=knowledge)  # type: ignore[arg-type]
    found = learner.learn_with(separation_test(dag), RNG).graph
    assert {str(edge) for edge in found.edges()} == {"a -> b", "a - c", "a - d", "c -> b", "d -> c"}


def noisy(seed: int, p: int = 9, n: int = 40) -> Dataset:
    """Few rows, so that tests contradict each other."""
    rng = np.random.default_rng(seed)
    weights = np.triu(rng.random((p, p)) < 3 / (p - 1), 1) * rng.uniform(0.4, 1.2, (p, p))
    values = rng.normal(size=(n, p)) @ np.linalg.inv(np.eye(p) - weights)
    order = rng.permutation(p)
    return Dataset([Variable(f"V{j}") for j in range(p)], values=values[:, order])


def subsets(nodes: set[str]) -> list[tuple[str, ...]]:
    return [s for k in range(len(nodes) + 1) for s in combinations(sorted(nodes), k)]


def verdicts(
    test: IndependenceTest, adjacent: dict[str, set[str]], alpha: float
) -> dict[tuple[str, str, str], float]:
    """For each unshielded triple, the share of the votes of both ends that have its middle."""
    found = {}
    for b, around in adjacent.items():
        for a, c in combinations(sorted(around), 2):
            if c in adjacent[a]:
                continue
            votes = [
                b in given
                for end in (a, c)
                for given in subsets(adjacent[end])
                if test.test(a, c, list(given)).p_value >= alpha
            ]
            found[a, b, c] = float(np.mean(votes)) if votes else 0.5
    return found


class Claims:
    """A graph whose edges are sets of claimed directions, settled turn by turn."""

    def __init__(self, adjacent: dict[str, set[str]], shares: dict[tuple[str, str, str], float]):
        self.adjacent = adjacent
        self.open = {key for key, share in shares.items() if share == 0.5}
        self.directions: dict[frozenset[str], set[Arc]] = {}
        self.settle({(x, b) for (a, b, c), share in shares.items() if share < 0.5 for x in (a, c)})
        while self.settle(self.first()) + self.settle(self.second()) + self.settle(self.third()):
            pass

    def settle(self, claims: set[Arc]) -> int:
        free = [arc for arc in claims if frozenset(arc) not in self.directions]
        for arc in free:
            self.directions.setdefault(frozenset(arc), set()).add(arc)
        return len(free)

    def arrow(self, a: str, b: str) -> bool:
        return self.directions.get(frozenset((a, b))) == {(a, b)}

    def line(self, a: str, b: str) -> bool:
        return b in self.adjacent[a] and frozenset((a, b)) not in self.directions

    def sure(self, a: str, b: str, c: str) -> bool:
        return a != c and c not in self.adjacent[a] and (min(a, c), b, max(a, c)) not in self.open

    def lines(self) -> list[Arc]:
        return [(a, b) for a in self.adjacent for b in self.adjacent[a] if self.line(a, b)]

    def first(self) -> set[Arc]:
        return {
            (b, c)
            for b, c in self.lines()
            if any(self.arrow(a, b) and self.sure(a, b, c) for a in self.adjacent)
        }

    def second(self) -> set[Arc]:
        return {
            (a, c)
            for a, c in self.lines()
            if any(self.arrow(a, b) and self.arrow(b, c) for b in self.adjacent)
        }

    def third(self) -> set[Arc]:
        return {
            (a, d)
            for a, d in self.lines()
            for b, c in combinations(self.adjacent[a], 2)
            if self.line(a, b)
            and self.line(a, c)
            and self.arrow(b, d)
            and self.arrow(c, d)
            and self.sure(b, a, c)
        }


@pytest.mark.parametrize("seed", range(25))
def test_marked_conflicts_by_definition(seed: int) -> None:
    data, alpha = noisy(seed), 0.1
    estimate = learn(data, "pc", test="zf", alpha=alpha, colliders="majority", conflicts="mark")
    adjacent = {name: set(estimate.graph.adjacencies(name)) for name in data.names}
    shares = verdicts(independence_test(data, "zf"), adjacent, alpha)
    assert estimate.stats["ambiguous_triples"] == sum(share == 0.5 for share in shares.values())
    expected = Claims(adjacent, shares)
    marks = {"->": {1}, "-": set(), "<->": {1, -1}}
    for edge in estimate.graph.edges():
        arcs = {(edge.left, edge.right)[::step] for step in marks[edge.connector]}
        assert arcs == expected.directions.get(frozenset((edge.left, edge.right)), set())


@hypothesis.given(st.integers(0, 2**32 - 1))
def test_marked_conflicts_do_not_depend_on_the_order_of_columns(seed: int) -> None:
    data = noisy(seed, p=14, n=50)
    shuffled = data.select(
        [str(name) for name in np.random.default_rng(seed).permutation(data.names)]
    )
    for colliders in ("majority", "conservative"):
        settings = {"test": "zf", "alpha": 0.1, "colliders": colliders, "conflicts": "mark"}
        assert learn(data, "pc", **settings).graph == learn(shuffled, "pc", **settings).graph


def has_cycle(graph: Graph) -> bool:
    arcs = arcs_of(graph)
    while arcs:
        sources = {a for a, _ in arcs} - {b for _, b in arcs}
        if not sources:
            return True
        arcs = {(a, b) for a, b in arcs if a not in sources}
    return False


@hypothesis.given(st.integers(0, 2**32 - 1))
def test_no_cycle_where_none_is_allowed(seed: int) -> None:
    data = noisy(seed, p=12)
    for learner, settings in (
        ("pc", {"conflicts": "lowest-p"}),
        ("pc", {"conflicts": "highest-p"}),
        ("gs", {}),
    ):
        assert not has_cycle(learn(data, learner, test="zf", alpha=0.2, **settings).graph)
