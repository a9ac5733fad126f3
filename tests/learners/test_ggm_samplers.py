"""Samplers of Gaussian graphical models against exact posteriors and against BDgraph."""

from __future__ import annotations

import shutil
import subprocess
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from g_wishart_oracle import exact_posterior, mean_precision, names

from dagathlon.data import Dataset, Variable
from dagathlon.graphs import Graph
from dagathlon.learners.base import Estimate
from dagathlon.learners.undirected.bd_mcmc import BdMcmc
from dagathlon.learners.undirected.rj_mcmc import RjMcmc
from dagathlon.learners.undirected.undirected_sampler import undirected_chain
from dagathlon.posteriors.posterior import Posterior

SAMPLERS = {"bd_mcmc": BdMcmc(), "rj_mcmc": RjMcmc()}
R_MISSING = "" if shutil.which("Rscript") else "there is no R here"


def dataset(values: np.ndarray) -> Dataset:
    return Dataset([Variable(name) for name in names(values.shape[1])], values=values)


def rows_of_a_cycle(p: int, n: int, strength: float) -> np.ndarray:
    precision = np.eye(p)
    for i in range(p):
        precision[i, (i + 1) % p] = precision[(i + 1) % p, i] = -strength
    return np.random.default_rng(p).multivariate_normal(np.zeros(p), np.linalg.inv(precision), n)


def sampled(kind: str, values: np.ndarray, **parameters: object) -> Estimate:
    """With b = 3, D = I and mean zero, as the oracle has it."""
    learner = type(SAMPLERS[kind])(scale=1.0, zero_mean=True, **parameters)  # type: ignore[arg-type]
    return learner.learn(dataset(values), np.random.default_rng(4))


def prior_chain(kind: str, p: int, edge_probability: float, sweeps: int) -> Posterior:
    """A chain without data."""
    learner = type(SAMPLERS[kind])(edge_probability=edge_probability)
    options = learner.length(p)._replace(iterations=sweeps, stepsave=1, warmup=100)
    scatter = learner.scatter(dataset(np.ones((1, p))))
    run = learner.chain(learner.first_graph(names(p)), scatter, options.options(8, 0))
    return Posterior([undirected_chain(run.log, names(p))])


def shares(posterior: Posterior) -> dict[int, float]:
    """The weight of each graph that was visited, by the bits of its edges."""
    found: dict[int, float] = {}
    for chain in posterior.chains:
        counts = chain.counts / chain.counts.sum()
        for first, rows in chain.blocks():
            words, places = np.unique(rows[:, 0], return_inverse=True)
            sums = np.bincount(places.ravel(), weights=counts[first : first + len(rows)])
            for word, weight in zip(words.tolist(), sums.tolist(), strict=True):
                found[word] = found.get(word, 0.0) + weight
    return found


def distance(posterior: Posterior, graphs: list[Graph], weights: np.ndarray) -> float:
    """Total variation."""
    found, cells = shares(posterior), posterior.chains[0].packing.cells
    keys = [
        sum(1 << k for k in np.flatnonzero(g.adjacency.ravel()[cells]).tolist()) for g in graphs
    ]
    return 0.5 * sum(abs(found.get(key, 0.0) - w) for key, w in zip(keys, weights, strict=True))


@pytest.mark.parametrize("kind", SAMPLERS)
def test_three_variables_have_the_exact_posterior(kind: str) -> None:
    values = rows_of_a_cycle(3, 12, 0.3)
    scatter = values.T @ values
    graphs, weights, _ = exact_posterior(scatter, 12, 0.3)
    found = sampled(kind, values, edge_probability=0.3, iterations=20_000)
    assert found.posterior is not None
    assert found.precision is not None
    edges = sum(w * graph.adjacency for w, graph in zip(weights, graphs, strict=True))
    assert found.posterior.edge_probabilities == pytest.approx(edges, abs=0.035)
    means = [mean_precision(graph, 15, np.eye(3) + scatter) for graph in graphs]
    mean = sum(w * one for w, one in zip(weights, means, strict=True))
    assert found.precision == pytest.approx(mean, abs=0.06)
    # Scores of decomposable graphs are exact up to a constant that all share.
    best = graphs[int(np.argmax(weights))]
    assert np.array_equal(found.graph.adjacency, best.adjacency)
    assert distance(found.posterior, graphs, weights) < 0.1


@pytest.mark.parametrize("kind", SAMPLERS)
def test_without_data_there_is_the_prior(kind: str) -> None:
    posterior = prior_chain(kind, 5, 0.3, 3000)
    edges = posterior.edge_probabilities[np.triu_indices(5, 1)]
    assert edges == pytest.approx(np.full(10, 0.3), abs=0.08)
    assert edges.mean() == pytest.approx(0.3, abs=0.03)


def test_units_do_not_matter_and_the_precision_has_them() -> None:
    values = rows_of_a_cycle(4, 60, 0.3)
    units = np.array([1.0, 8.0, 0.25, 2.0])
    learner = BdMcmc(iterations=200)
    plain = learner.learn(dataset(values), np.random.default_rng(1))
    scaled = learner.learn(dataset(values * units + 5), np.random.default_rng(1))
    assert plain.posterior is not None
    assert scaled.posterior is not None
    assert plain.precision is not None
    assert np.allclose(plain.posterior.edge_probabilities, scaled.posterior.edge_probabilities)
    assert scaled.precision == pytest.approx(plain.precision / np.outer(units, units))


def test_births_and_deaths_count_by_time() -> None:
    found = BdMcmc(iterations=300, chains=2).learn(
        dataset(rows_of_a_cycle(4, 30, 0.3)), np.random.default_rng(0)
    )
    assert found.posterior is not None
    assert all(chain.time is not None for chain in found.posterior.chains)
    assert len(found.posterior.chains) == 2


@pytest.mark.parametrize("start", ["empty", "full"])
def test_chains_start_where_they_are_told(start: str) -> None:
    learner = RjMcmc(iterations=0, warmup=0, start=start)  # type: ignore[arg-type]
    found = learner.learn(dataset(rows_of_a_cycle(4, 30, 0.3)), np.random.default_rng(0))
    assert found.graph.adjacency.sum() == (12 if start == "full" else 0)


def test_improper_priors_are_refused() -> None:
    for parameters in ({"b": 0.0}, {"scale": 0.0}, {"edge_probability": 1.0}, {"jumps": 0.0}):
        assert BdMcmc(**parameters).problem()  # type: ignore[arg-type]


def cells(p: int) -> tuple[np.ndarray, np.ndarray]:
    return np.triu_indices(p, 1)


@cache
def enumerated(p: int, n: int) -> tuple[list[Graph], np.ndarray]:
    """The exact posterior of rows of a cycle."""
    values = rows_of_a_cycle(p, n, 0.4)
    graphs, weights, error = exact_posterior(values.T @ values, n, 0.5, draws=4000)
    assert error < 0.02
    return graphs, weights


@pytest.mark.slow
@pytest.mark.parametrize("kind", SAMPLERS)
def test_four_and_five_variables_have_the_exact_posterior(kind: str) -> None:
    """Cycles, so that graphs that are not decomposable have a good share."""
    for p, n, sweeps, near in ((4, 10, 100_000, 0.02), (5, 12, 200_000, 0.04)):
        values = rows_of_a_cycle(p, n, 0.4)
        graphs, weights = enumerated(p, n)
        found = sampled(kind, values, edge_probability=0.5, iterations=sweeps, stepsave=1).posterior
        assert found is not None
        edges = sum(w * graph.adjacency for w, graph in zip(weights, graphs, strict=True))
        assert found.edge_probabilities == pytest.approx(edges, abs=0.02)
        assert distance(found, graphs, weights) < near


@pytest.mark.slow
@pytest.mark.parametrize("kind", SAMPLERS)
def test_the_prior_of_graphs_that_are_not_decomposable(kind: str) -> None:
    """Every graph is as probable as any other, whatever its constant."""
    p, sweeps = 4, 200_000
    found = shares(prior_chain(kind, p, 0.5, sweeps))
    assert len(found) == 64
    assert list(found.values()) == pytest.approx([1 / 64] * 64, abs=0.002)


@pytest.mark.slow
def test_the_prior_of_many_graphs_with_large_cores() -> None:
    """Where rejection has no chance; without the exchange it would be 0.41."""
    learner = RjMcmc(edge_probability=0.4, proposals=30)
    length = learner.length(14)._replace(iterations=4000, warmup=300)
    scatter = learner.scatter(dataset(np.ones((1, 14))))
    run = learner.chain(learner.first_graph(names(14)), scatter, length.options(8, 0))
    posterior = Posterior([undirected_chain(run.log, names(14))])
    assert posterior.edge_probabilities[cells(14)].mean() == pytest.approx(0.4, abs=0.006)


@pytest.mark.slow
def test_the_approximation_is_close() -> None:
    values = rows_of_a_cycle(6, 40, 0.35)
    exact, fast = (
        sampled("rj_mcmc", values, iterations=20_000, exchange=exchange).posterior
        for exchange in (True, False)
    )
    assert exact is not None
    assert fast is not None
    assert fast.edge_probabilities == pytest.approx(exact.edge_probabilities, abs=0.03)


BDGRAPH = """
suppressMessages(library(BDgraph)); set.seed(1)
x <- as.matrix(read.csv("{folder}/x.csv", header = FALSE))
b <- bdgraph(x, algorithm = "rjmcmc", iter = 150000, burnin = 5000, g.prior = 0.2,
             df.prior = 4, verbose = FALSE, cores = 1)
write.table(plinks(b, round = 6), "{folder}/p.csv", sep = ",", col.names = FALSE, row.names = FALSE)
"""


@pytest.mark.slow
@pytest.mark.skipif(bool(R_MISSING), reason=R_MISSING)
@pytest.mark.parametrize("kind", SAMPLERS)
def test_bdgraph_has_the_same_edges(kind: str, tmp_path: Path) -> None:
    """With 4 degrees of freedom, for which BDgraph rounds nothing where there are no triangles."""
    values = rows_of_a_cycle(6, 60, 0.3)
    np.savetxt(tmp_path / "x.csv", values, delimiter=",")
    done = subprocess.run(
        ["Rscript", "-e", BDGRAPH.format(folder=tmp_path)],
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode and "no package" in done.stderr:
        pytest.skip("BDgraph is not installed")
    theirs = np.loadtxt(tmp_path / "p.csv", delimiter=",")[cells(6)]
    found = sampled(kind, values, b=4.0, edge_probability=0.2, iterations=40_000).posterior
    assert found is not None
    assert found.edge_probabilities[cells(6)] == pytest.approx(theirs, abs=0.03)
