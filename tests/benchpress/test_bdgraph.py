"""bdgraph runs natively: the edge probabilities of BDgraph 2.72, where R has it."""

from __future__ import annotations

import shutil
import subprocess
from collections import defaultdict
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest

from dagathlon.data import Dataset, Variable
from dagathlon.data.spec import facts_of
from dagathlon.learners import learn
from dagathlon.modules import find
from dagathlon.posteriors import Chain

Matrix = npt.NDArray[np.float64]
SCRIPT = Path(__file__).with_name("bdgraph_results.R")
EVERY = [f"{m}:{a}" for m in ("ggm", "gcgm") for a in ("bdmcmc", "rjmcmc", "bd-dmh", "rj-dmh")]
# BDgraph 2.72 itself crashes with gcgm and rj-dmh.
IN_R = EVERY[:-1]


def sample(p: int, n: int, seed: int) -> Matrix:
    """Rows of mean zero; BDgraph does not centre its data."""
    rng = np.random.default_rng(seed)
    weights = np.diag(np.full(p - 1, 0.45), 1)
    values = rng.normal(size=(n, p)) @ np.linalg.inv(np.eye(p) - weights)
    return np.asarray(values - values.mean(axis=0))


def dataset(values: Matrix) -> Dataset:
    """Whole numbers are levels."""
    names = [f"v{j}" for j in range(values.shape[1])]
    if np.array_equal(values, np.round(values)):
        levels = tuple(str(k) for k in range(int(values.max()) + 1))
        return Dataset([Variable(name, levels) for name in names], codes=values.astype(np.uint8))
    return Dataset([Variable(name) for name in names], values=values)


def pairs(p: int) -> tuple[npt.NDArray[np.intp], npt.NDArray[np.intp]]:
    """Column by column of the upper triangle, as R has it."""
    rows, columns = np.triu_indices(p, 1)
    order = np.lexsort((rows, columns))
    return rows[order], columns[order]


def ours(values: Matrix, which: str, iterations: int, chains: int) -> Matrix:
    method, algo = which.split(":")
    found = []
    for seed in range(chains):
        given = {"method": method, "algo": algo, "iter": iterations, "gprior": 0.3}
        posterior = learn(dataset(values), "bdgraph", seed=seed, **given).posterior
        assert posterior is not None
        found.append(posterior.after(0.1).edge_probabilities[pairs(values.shape[1])])
    return np.array(found)


def originals(
    values: Matrix, which: list[str], iterations: int, chains: int, folder: Path
) -> dict[str, Matrix]:
    names = ",".join(f"v{j}" for j in range(values.shape[1]))
    np.savetxt(folder / "data.csv", values, delimiter=",", header=names, comments="")
    command = ["Rscript", "--vanilla", str(SCRIPT), str(folder / "data.csv")]
    numbers = [str(iterations), str(chains), "0.3", "3"]
    done = subprocess.run([*command, *numbers, *which], capture_output=True, text=True, check=False)
    if "there is no package called" in done.stderr:
        pytest.skip("R has no BDgraph here")
    assert done.returncode == 0, done.stderr
    lines = defaultdict(list)
    for line in done.stdout.splitlines():
        kind, *numbers = line.split()
        lines[kind].append([float(number) for number in numbers])
    return {kind: np.array(rows) for kind, rows in lines.items()}


@pytest.mark.slow
@pytest.mark.skipif(not shutil.which("Rscript"), reason="there is no R here")
@pytest.mark.parametrize(
    ("case", "which"), [("gaussian", IN_R), ("ordinal", IN_R[4:]), ("several", ["ggm:bdmcmc"])]
)
def test_edge_probabilities_of_bdgraph(case: str, which: list[str], tmp_path: Path):
    # With 20 variables births and deaths turn two edges at a time.
    values = sample(20, 60, 5) if case == "several" else sample(5, 40, 3)
    if case == "ordinal":
        values = np.digitize(values, [-0.6, 0.5]).astype(float)
    iterations, chains = 2000 if case == "several" else 8000, 4
    expected = originals(values, which, iterations, chains, tmp_path)
    assert set(expected) == set(which)
    for kind, theirs in expected.items():
        found = ours(values, kind, iterations, chains)
        assert np.any((theirs > 0.1) & (theirs < 0.9))
        error = np.sqrt((theirs.var(axis=0, ddof=1) + found.var(axis=0, ddof=1)) / chains)
        difference = np.abs(found.mean(axis=0) - theirs.mean(axis=0))
        # Errors of four chains are known badly; no edge is further off than Monte Carlo explains.
        assert np.all(difference < 0.015 + 4 * error), kind
        assert difference.mean() < 0.025, kind


@pytest.mark.slow
def test_all_kinds_are_near_the_posterior():
    values = sample(5, 80, 3)
    models = {
        "ggm": {"scale": 1, "zero_mean": True},
        "gcgm": {"model": "copula", "normal_scores": True},
    }
    for method, model in models.items():
        exact = learn(dataset(values), "rj_mcmc", edge_probability=0.3, **model).posterior
        assert exact is not None
        for which in (kind for kind in EVERY if kind.startswith(method)):
            found = ours(values, which, 8000, 1)[0]
            difference = np.abs(found - exact.edge_probabilities[pairs(5)])
            assert difference.max() < 0.15, which
            assert difference.mean() < 0.05, which


@pytest.mark.parametrize("which", EVERY)
def test_a_chain_of_every_kind(which: str):
    values = sample(4, 25, 1)
    method, algo = which.split(":")
    given = {"method": method, "algo": algo, "iter": 60, "gstart": "full"}
    first, again, other = (
        learn(dataset(values), "bdgraph", seed=seed, **given).posterior for seed in (1, 1, 2)
    )
    assert first == again
    assert first != other
    assert first is not None
    (chain,) = first.chains
    assert isinstance(chain, Chain)
    assert chain.end == 61
    assert chain.graph_at(0).n_edges == 6
    assert (chain.time is not None) == algo.startswith("bd")
    # The score is the logarithm of a share.
    best = int(np.argmax(chain.score))
    alike = [row for row in range(len(chain)) if chain.graph_at(row) == chain.graph_at(best)]
    share = chain.counts[alike].sum() / chain.counts.sum()
    assert chain.score[best] == pytest.approx(np.log(share))


def test_what_bdgraph_takes():
    cls = find("algorithm", "bdgraph")
    levels = dataset(np.array([[0.0, 1.0], [1.0, 0.0]]))
    gaps = dataset(np.array([[0.5, np.nan], [1.5, 0.2]]))
    assert "set method to 'gcgm'" in cls.from_json({}).why_unsuitable(facts_of(levels))
    assert "set method to 'gcgm'" in cls.from_json({}).why_unsuitable(facts_of(gaps))
    for data in (levels, gaps):
        assert cls.from_json({"method": "gcgm"}).why_unsuitable(facts_of(data)) == ""
        assert learn(data, "bdgraph", method="gcgm", iter=20).graph.names == data.names
    assert cls.from_json({"dfprior": 3}).problem() == ""
    assert "dfprior" in cls(dfprior=2).problem()
    assert "gprior" in cls(gprior=1).problem()
