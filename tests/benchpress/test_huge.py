"""Benchpress's names of huge give what huge 1.3.5 gives, where R is installed."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from dagathlon.benchpress.huge import HugeGlasso, HugeMb, HugeTiger
from dagathlon.benchpress.huge_tiger import HugeTigerSearch
from dagathlon.data import Dataset
from dagathlon.learners.run import run_learner
from dagathlon.learners.undirected import inputs, selection
from dagathlon.learners.undirected.penalised import PenalisedLearner

SCRIPT = Path(__file__).with_name("huge_results.R")
NODES = 20


def _band() -> Dataset:
    """A band of width two, in units of their own."""
    precision = np.eye(NODES)
    for lag, value in ((1, 0.4), (2, 0.25)):
        precision += value * (np.eye(NODES, k=lag) + np.eye(NODES, k=-lag))
    noise = np.random.RandomState(11).normal(size=(150, NODES))
    values = np.linalg.solve(np.linalg.cholesky(precision).T, noise.T).T
    return Dataset.from_numpy(0.5 + values * np.linspace(0.3, 0.9, NODES))


DATA = _band()


class Results:
    """Tables that huge wrote."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def __getitem__(self, name: str) -> np.ndarray:
        return np.loadtxt(self._folder / f"{name}.csv", delimiter=",", ndmin=2)

    def graphs(self, name: str) -> np.ndarray:
        return self[name].reshape(-1, NODES, NODES) != 0


@pytest.fixture(scope="module")
def huge(tmp_path_factory: pytest.TempPathFactory) -> Results:
    program = shutil.which("Rscript")
    if program is None:
        pytest.skip("there is no R here")
    known = [program, "-e", "quit(status = packageVersion('huge') != '1.3.5')"]
    if subprocess.run(known, capture_output=True, check=False).returncode:
        pytest.skip("R has no huge 1.3.5")
    folder = tmp_path_factory.mktemp("huge")
    np.savetxt(folder / "data.csv", DATA.values, delimiter=",", fmt="%.18e")
    subprocess.run([program, str(SCRIPT), str(folder)], check=True, capture_output=True)
    return Results(folder)


def _learned(module: Any, seed: int = 0) -> Any:
    return run_learner(module, DATA, np.random.default_rng(seed))


def _native(module: Any, **values: Any) -> PenalisedLearner:
    return type(module).runs(**{**module.translated(), **values})


def _apart(found: np.ndarray, expected: np.ndarray) -> int:
    return int(np.sum(found != expected) // 2)


class Given:
    """Random numbers that were drawn elsewhere."""

    def __init__(self, *drawn: np.ndarray) -> None:
        self._drawn = list(drawn)

    def permutation(self, _: int) -> np.ndarray:
        return self._drawn.pop(0)


@pytest.mark.slow
@pytest.mark.parametrize("module", [HugeGlasso(), HugeMb()])
def test_paths_are_those_of_huge(huge: Results, module: Any) -> None:
    short = module.name.removeprefix("huge_")
    path = _learned(module).path
    assert np.allclose(path.penalties, huge[f"{short}_lambda"].ravel())
    # huge stops at 1e-4, which decides some entries that are nearly zero.
    expected = huge.graphs(f"{short}_path")
    assert sum(_apart(one, other) for one, other in zip(path.adjacency, expected, strict=True)) <= 4
    assert expected.sum() > 1000


@pytest.mark.slow
def test_ebic_of_the_graphical_lasso_is_that_of_huge(huge: Results) -> None:
    native = _native(HugeGlasso())
    penalties = huge["glasso_lambda"].ravel()
    fit = native.fit_path(DATA, penalties)
    assert np.allclose(
        np.array(list(fit.precisions or ())).reshape(10, -1), huge["icov"], atol=5e-3
    )
    likelihoods, edges = native.log_likelihoods(DATA, fit)
    df = huge["df"].ravel()
    assert np.abs(edges - df).max() <= 1
    scores = selection.ebic(likelihoods, df, df, (150, NODES), 0.5)
    assert np.allclose(scores, huge["ebic"].ravel(), rtol=1e-4)
    assert _learned(HugeGlasso()).path.chosen == int(np.argmin(huge["ebic"].ravel()))


@pytest.mark.slow
@pytest.mark.parametrize("module", [HugeGlasso(), HugeMb()])
def test_ric_with_the_same_shifts_is_that_of_huge(huge: Results, module: Any) -> None:
    short = module.name.removeprefix("huge_")
    native = _native(module, select="ric", penalty=None)
    drawn: Any = Given(huge["shifts"].ravel().astype(int) - 1)
    penalty = native.ric_penalty(DATA, drawn)
    assert penalty == pytest.approx(huge[f"{short}_ric_lambda"].item(), rel=1e-9)
    found = native.fit_path(DATA, np.array([penalty])).graphs[0]
    assert _apart(found, huge.graphs(f"{short}_ric")[0]) <= 1


@pytest.mark.slow
@pytest.mark.parametrize("module", [HugeGlasso(), HugeMb()])
def test_stars_with_the_same_subsamples_is_that_of_huge(huge: Results, module: Any) -> None:
    short = module.name.removeprefix("huge_")
    native, penalties = _native(module, select="stars"), huge[f"{short}_lambda"].ravel()
    rows = huge["subsamples"].astype(int) - 1
    samples = [native.fit_path(DATA.take(np.sort(one)), penalties).graphs for one in rows]
    unstable = selection.instabilities(samples)
    assert selection.subsample_size(150) == rows.shape[1]
    three_entries = 3 * 0.75 / (NODES * (NODES - 1) / 2)  # that a tolerance of 1e-4 may decide
    assert np.allclose(unstable, huge[f"{short}_variability"].ravel(), atol=three_entries)
    assert native.stable(unstable) + 1 == huge[f"{short}_stars"].item()


@pytest.mark.slow
@pytest.mark.parametrize("penalty", [0.4, 0.2, 0.1, 0.05])
def test_tiger_looks_at_the_predictors_that_huge_looks_at(huge: Results, penalty: float) -> None:
    found = _learned(HugeTiger(lambda_=penalty)).graph.adjacency != 0
    assert _apart(found, huge.graphs(f"tiger_{penalty:g}")[0]) <= 1
    full = super(HugeTigerSearch, _native(HugeTiger())).fit_path(DATA, np.array([penalty])).graphs
    assert _apart(found, full[0]) > (0 if penalty > 0.3 else 5)


@pytest.mark.slow
def test_nonparanormal_columns_are_those_of_huge(huge: Results) -> None:
    for ours, theirs in (("nonparanormal", "shrinkage"), ("truncated", "truncation")):
        relation: Any = ours
        found = inputs.gaussian_columns(DATA.values, relation)
        assert np.allclose(found / found[:, 0].std(ddof=1), huge[theirs], atol=1e-7)
    skeptic = inputs.moments(DATA.values, "spearman").correlation
    assert np.allclose(skeptic, huge["skeptic"], atol=1e-9)


def test_nlambda_is_taken_for_the_penalty_and_the_result_says_so() -> None:
    found = _learned(HugeGlasso(lambda_=0.2, nlambda=1))
    assert found.path.penalties.tolist() == [1.0]
    assert found.graph.n_edges == 0
    assert "nlambda was taken for the penalty" in found.notes[-1]
    assert _learned(HugeMb(lambda_=0.2)).path.penalties.tolist() == [0.2]


def test_ric_ignores_the_penalty_and_depends_on_the_units() -> None:
    found = _learned(HugeMb(lambda_=0.2, select_criterion="ric"))
    assert len(found.path) == 11
    assert found.path.penalties[found.path.chosen] != 0.2
    moved = DATA.values.mean(0)
    raw = _native(HugeMb()).ric_penalty(DATA, np.random.default_rng(1))
    assert raw > 0.5 * np.prod(np.sort(moved)[-2:])


def test_stars_that_never_becomes_unstable_selects_the_empty_graph() -> None:
    native = _native(HugeMb())
    assert native.stable(np.array([0.0, 0.01, 0.05])) == 0
    assert native.stable(np.array([0.0, 0.05, 0.1, 0.3])) == 1


def test_huge_has_no_ebic_for_neighbourhoods() -> None:
    assert "no ebic" in HugeMb(select_criterion="ebic").problem()
    assert not HugeGlasso(select_criterion="ebic").problem()
