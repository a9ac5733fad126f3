"""What Tetrad 6 does in PC, FCI and RFCI-BSC: by hand, by brute force, beside its own results."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from scipy.special import gammaln

from dagathlon import _core
from dagathlon.data import Dataset, Network, Variable
from dagathlon.errors import DagathlonError
from dagathlon.evaluate.graphs.bayesys import bayesys_counts
from dagathlon.graphs import Graph, Mark, latent_projection, read_graph
from dagathlon.learners.constraint.fci import Fci
from dagathlon.learners.constraint.pc import Pc
from dagathlon.learners.constraint.rfci_bsc import RfciBsc
from dagathlon.learners.independence import independence_test, separation_test
from dagathlon.learners.run import run_learner

FCI = Fci(
    alpha=0.01, test="x2-seen", stable=False, neighbours="by-name",
    second_pass="none", paths="tests", rules="original",
)  # fmt: skip
PC = Pc(alpha=0.01, test="x2-seen", stable=False, neighbours="by-name", conflicts="last")
BSC = RfciBsc(form="tetrad", graphs=10, scoring="dependent", bootstraps=50)


def random_data(seed: int, rows: int = 60, names: str = "dbaec") -> Dataset:
    """Variables of three levels, one of which is rare, each following the one before it."""
    rng = np.random.default_rng(seed)
    codes = rng.choice(3, size=(rows, len(names)), p=[0.5, 0.45, 0.05])
    for j in range(1, len(names)):
        same = rng.random(rows) < 0.5
        codes[same, j] = codes[same, j - 1]
    levels = ("0", "1", "2")
    return Dataset([Variable(name, levels) for name in names], codes=codes.astype(np.uint8))


def slices(data: Dataset, x: int, y: int, given: list[int]) -> list[np.ndarray]:
    found: dict[tuple[int, ...], np.ndarray] = {}
    for row in data.codes:
        found.setdefault(tuple(row[given]), np.zeros((3, 3)))[row[x], row[y]] += 1
    return list(found.values())


@pytest.mark.parametrize("given", [[], [2], [2, 3, 4]])
def test_degrees_of_freedom_of_the_levels_seen(given: list[int]) -> None:
    data = random_data(1)
    statistic = dict.fromkeys(("x2-seen", "mi-seen"), 0.0)
    df = 0
    for whole in slices(data, 0, 1, given):
        table = whole[whole.any(axis=1)][:, whole.any(axis=0)]
        if 1 in table.shape:
            continue
        for name, power in (("x2-seen", "pearson"), ("mi-seen", "log-likelihood")):
            found = stats.chi2_contingency(table, correction=False, lambda_=power)
            statistic[name] += found.statistic
        df += found.dof
    for name, value in statistic.items():
        result = independence_test(data, name).native.test(0, 1, given)
        assert result[:2] == pytest.approx((value, df))
        assert result[2] == pytest.approx(stats.chi2.sf(value, df))


def test_what_no_slice_can_answer_is_independence() -> None:
    data = random_data(1, rows=2)
    test = independence_test(data, "x2-seen").native
    assert test.independent(0, 1, [2, 3, 4], 0.01)


def original_skeleton(data: Dataset) -> set[frozenset[str]]:
    """The search for a skeleton, by the plainest means, with neighbours in the order of names."""
    test = independence_test(data, "x2-seen").native
    near = {a: set(data.names) - {a} for a in data.names}
    place = {name: k for k, name in enumerate(data.names)}
    for size in range(len(near)):
        for x in data.names:
            for y in sorted(near[x]):
                for given in combinations(sorted(near[x] - {y}), size):
                    if test.independent(place[x], place[y], [place[z] for z in given], 0.1):
                        near[x].discard(y)
                        near[y].discard(x)
                        break
    return {frozenset((x, y)) for x in near for y in near[x]}


def test_neighbours_by_name() -> None:
    differs = False
    for seed in range(12):
        data = random_data(seed, rows=40)
        by_name = Pc(alpha=0.1, test="x2-seen", stable=False, neighbours="by-name")
        found = by_name.learn(data, np.random.default_rng(0)).graph
        edges = {frozenset((e.left, e.right)) for e in found.edges()}
        assert edges == original_skeleton(data)
        by_column = Pc(alpha=0.1, test="x2-seen", stable=False)
        differs |= by_column.learn(data, np.random.default_rng(0)).graph != found
    assert differs


def test_the_first_four_rules_leave_tails_open() -> None:
    rng = np.random.default_rng(2)
    changes = 0
    for _ in range(30):
        arcs = [f"v{i} -> v{j}" for i, j in combinations(range(7), 2) if rng.random() < 0.45]
        dag = Graph.from_edges(arcs, names=[f"v{i}" for i in range(7)])
        truth = separation_test(latent_projection(dag, ["v0"]))
        complete = Fci().learn_with(truth).graph.marks
        found = Fci(rules="original").learn_with(truth).graph.marks
        changed = found != complete
        changes += int(changed.sum())
        assert (found[changed] == Mark.CIRCLE).all()
        assert (complete[changed] == Mark.TAIL).all()
    assert changes


def test_probability_of_independence_in_every_slice() -> None:
    data = random_data(3)
    prior, iss, x, y, given = 0.3, 2.0, 0, 1, [2, 4]
    tables = slices(data, x, y, given)
    total = iss / 9

    def evidence(counts: np.ndarray) -> float:
        each = total / counts.size
        inner = gammaln(counts + each).sum() - counts.size * gammaln(each)
        return float(gammaln(total) - gammaln(counts.sum() + total) + inner)

    share = prior ** (1 / len(tables))
    log_probability = 0.0
    for table in tables:
        independent = np.log(share) + evidence(table.sum(0)) + evidence(table.sum(1))
        dependent = np.log1p(-share) + evidence(table)
        log_probability += independent - np.logaddexp(independent, dependent)
    test = _core.redrawn_test(data.codes, list(data.arities), prior, iss)
    odds, probability = _core.evaluate_tests(test, [(x, y, given)])
    assert probability[0] == pytest.approx(np.exp(log_probability))
    assert odds[0] == pytest.approx(log_probability - np.log(-np.expm1(log_probability)))


def test_answers_are_drawn_anew_each_time() -> None:
    data = random_data(3)
    test = _core.redrawn_test(data.codes, list(data.arities), 0.5, 1.0)
    probability = _core.evaluate_tests(test, [(0, 2, [])])[1][0]
    assert 0.1 < probability < 0.9
    test.restart(5)
    answers = [test.independent(0, 2, [], 0.0) for _ in range(2000)]
    assert abs(np.mean(answers) - probability) < 5 * np.sqrt(0.25 / 2000)
    test.restart(5)
    assert [test.independent(2, 0, [], 0.0) for _ in range(2000)] == answers
    assert len(test.asked) == 1


@pytest.mark.parametrize(
    ("edges", "given", "separated"),
    [
        (["a o-> c", "b o-> c"], [], True),
        (["a o-> c", "b o-> c"], ["c"], False),
        (["a o-> c", "b o-> c", "c -> d"], ["d"], False),
        (["a o-> c", "b o-> c", "c o-> d"], ["d"], True),
        (["a o-o c", "b o-> c"], [], False),
        (["a o-o c", "b o-> c"], ["c"], True),
        (["a -> c", "c -> d", "d -> a", "b -> d"], ["c"], False),
    ],
)
def test_graphs_as_they_stand(edges: list[str], given: list[str], separated: bool) -> None:
    graph = Graph.from_edges(edges)
    question = (graph.position("a"), graph.position("b"), graph.positions(given))
    assert _core.standing_claims(graph.native, [question]) == [separated]


def test_parents_of_answers() -> None:
    rng = np.random.default_rng(1)
    draws = rng.random((64, 4)) < 0.5
    either = draws[:, 0] ^ draws[:, 1]
    draws = np.column_stack([draws, draws[:, 2], ~draws[:, 3], either])
    found = _core.answer_parents(draws, 3, 1.0)
    assert found[4:6] == [[2], [3]]
    assert all(parent < child for child, each in enumerate(found) for parent in each)


def test_tetrads_form_is_for_tables() -> None:
    values = np.random.default_rng(1).normal(size=(50, 3))
    continuous = Dataset([Variable(name) for name in "abc"], values=values)
    with pytest.raises(DagathlonError, match="discrete"):
        run_learner(BSC, continuous, np.random.default_rng(1))
    assert "lower" in replace(BSC, lower=0.8).problem()


def public(shared: Path, sample: str, rows: int) -> tuple[Dataset, Graph]:
    folder = shared / "bayesys"
    table = pd.read_csv(
        folder / f"trainingData_{sample}.csv", dtype=str, keep_default_na=False, nrows=rows
    )
    truth = read_graph(folder / f"DAGtrue_{sample.split('_', maxsplit=1)[0]}.csv")
    return Dataset.from_pandas(table.astype("category")), truth


# Constantinou et al. 2021, Tables D1, D2 and D3; their SHD is rounded.
PUBLISHED = [
    ("ASIA_N_1k", 100, FCI, 0.27, 7, 0.19),
    ("ASIA_N_1k", 1000, FCI, 0.43, 5, 0.38),
    ("ASIA_N_10k", 10000, FCI, 0.57, 4, 0.50),
    ("ALARM_N_1k", 100, FCI, 0.45, 32, 0.32),
    ("ALARM_N_1k", 1000, FCI, 0.78, 15, 0.69),
    ("ASIA_N_1k", 100, PC, 0.27, 7, 0.19),
    ("ASIA_N_1k", 1000, PC, 0.43, 5, 0.38),
    ("ASIA_N_10k", 10000, PC, 0.64, 4, 0.56),
]


@pytest.mark.shared
@pytest.mark.parametrize(("sample", "rows", "learner", "f1", "shd", "bsf"), PUBLISHED)
def test_published_scores(
    shared: Path, sample: str, rows: int, learner: Fci | Pc, f1: float, shd: int, bsf: float
) -> None:
    data, truth = public(shared, sample, rows)
    counts = bayesys_counts(learner.learn(data, np.random.default_rng(0)).graph, truth)
    assert counts.f1() == pytest.approx(f1, abs=0.005)
    assert abs(counts.shd - shd) <= 0.5
    assert counts.bsf == pytest.approx(bsf, abs=0.006)


@pytest.mark.slow
@pytest.mark.shared
@pytest.mark.parametrize(
    ("sample", "rows", "f1"),
    [("ASIA_N_1k", 1000, 0.58), ("ASIA_N_10k", 10000, 0.71), ("ALARM_N_1k", 1000, 0.69)],
)
def test_published_mean_of_ten_runs(shared: Path, sample: str, rows: int, f1: float) -> None:
    data, truth = public(shared, sample, rows)
    runs = [BSC.learn(data, np.random.default_rng(seed)).graph for seed in range(10)]
    found = [bayesys_counts(graph, truth).f1() for graph in runs]
    assert np.mean([value or 0.0 for value in found]) == pytest.approx(f1, abs=0.1)


@pytest.mark.shared
def test_discriminating_paths_by_tests(shared: Path) -> None:
    """The graph is what the Java sources of r-causal 1.1.1 gave for these rows."""
    sample = Network.load(shared / "networks" / "sports.dsc").sample(10_000, 1)
    data = sample.take(np.arange(1000))
    tetrad = Graph.from_edges(
        ["ATgoals o-o ATshotsOnTarget", "ATgoals o-> HDA", "ATshots o-o ATshotsOnTarget",
         "ATshots o-> possession", "HTgoals o-> HDA", "HTgoals o-> HTshotOnTarget",
         "HTshots o-> HTshotOnTarget", "HTshots -> RDlevel", "HTshots o-> possession",
         "possession -> RDlevel"],
        names=data.names,
    )  # fmt: skip
    assert FCI.learn(data, np.random.default_rng(0)).graph == tetrad
