"""Studies that are run once for all tests of reports."""

from __future__ import annotations

import fcntl
import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from dagathlon.workflow import Study

HOSTILE = "<script>alert(1)</script>"
CHAIN = {
    "id": "chain",
    "cutoff": 0.8,
    "n_iterations": 200,
    "mcmc_seed": [1, 2],
    "mcmc_estimator": "threshold",
    "threshold": 0.5,
    "burnin_frac": 0.5,
    "timeout": None,
}
RESOURCES: dict[str, Any] = {
    "graph": {
        "pcalg_randdag": [{"id": "g", "n": 6, "d": 2, "method": "er", "max_parents": 5}],
    },
    "parameters": {"sem_params": [{"id": "p", "min": 0.25, "max": 1}]},
    "data": {
        "iid": [
            {"id": "d", "n": [50, 100], "standardized": True},
            {"id": "few", "n": 50, "standardized": True},
        ]
    },
    "structure_learning_algorithms": {
        "corr_thresh": [{"id": HOSTILE, "method": "corr", "thresh": [0.2, 0.4]}],
        "prec_thresh": [{"id": "precision", "thresh": [0.2, 0.4]}],
        "new_mcmcalg": [CHAIN],
        "failing_learner": [{"id": "failing"}],
    },
}
BENCHMARKS = {
    "ids": [HOSTILE, "precision"],
    "filename_prefix": "sub/",
    "show_seed": True,
    "errorbar": True,
    "errorbarh": True,
    "scatter": True,
    "path": True,
    "text": False,
    "xlim": [0, 2],
    "ylim": None,
}
EVALUATION = {
    "benchmarks": BENCHMARKS,
    "graph_estimation": {
        "ids": ["precision"],
        "convert_to": ["cpdag", "skeleton"],
        "graphs": True,
        "adjmats": True,
        "diffplots": True,
        "csvs": True,
        "graphvizcompare": True,
    },
    "metrics": {"held_out": True, "control": 3},
    "ranking": {"ids": [HOSTILE, "precision"], "metrics": ["SHD_pattern", "SHD_half"]},
    "graph_plots": ["precision"],
    "graph_true_plots": True,
    "graph_true_stats": True,
    "ggally_ggpairs": True,
    "mcmc_heatmaps": [{"id": "chain", "burn_in": 0.5, "active": True}],
    "mcmc_traj_plots": [
        {
            "id": "chain",
            "burn_in": 0.5,
            "thinning": 2,
            "functional": ["score", "size"],
            "active": True,
        }
    ],
    "mcmc_autocorr_plots": [
        {
            "id": "chain",
            "burn_in": 0,
            "thinning": 1,
            "lags": 10,
            "functional": "size",
            "active": True,
        }
    ],
}


def _write_study(path: Path, evaluation: dict[str, Any], **entry: Any) -> Path:
    """A study of one setup called "study"."""
    data = {"graph_id": "g", "parameters_id": "p", "data_id": "d", "seed_range": [1, 2]} | entry
    setup = {"title": "study", "data": [data], "evaluation": evaluation}
    modules = [str(Path(__file__).parent / "report_modules.py")]
    content = {"benchmark_setup": [setup], "resources": RESOURCES, "modules": modules}
    path.write_text(json.dumps(content), "utf-8")
    return path


def _made_once(factory: pytest.TempPathFactory, name: str, make: Callable[[Path], None]) -> Path:
    """A folder that the first of the processes that run tests fills for all of them."""
    base = factory.getbasetemp()
    folder = (base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / f"{name}-for-all"
    with (folder.parent / f"{name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (folder / "out" / "study").is_dir():
            folder.mkdir(exist_ok=True)
            make(folder)
    return folder / "out" / "study"


def _run(path: Path) -> None:
    Study.load(path).run(path.parent / "out", jobs=1, figures="all")


@pytest.fixture(scope="session")
def write_study() -> Callable[..., Path]:
    """Writes a study of one setup: path, evaluation, changes of its data entry."""
    return _write_study


@pytest.fixture(scope="session")
def everything(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a setup with every evaluation, on two data sets."""

    def make(folder: Path) -> None:
        _run(_write_study(folder / "study.json", EVALUATION, data_id="few"))

    return _made_once(tmp_path_factory, "everything", make)


@pytest.fixture(scope="session")
def benchmarked(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a setup with benchmarks alone, on two kinds of data."""

    def make(folder: Path) -> None:
        _run(_write_study(folder / "study.json", {"benchmarks": BENCHMARKS}))

    return _made_once(tmp_path_factory, "benchmarked", make)


@pytest.fixture(scope="session")
def ranked(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a setup that ranks three algorithms, one failing, on twelve data sets."""
    benchmarks = BENCHMARKS | {"ids": [HOSTILE, "precision", "failing"], "filename_prefix": ""}
    evaluation = {"benchmarks": benchmarks, "metrics": {"control": 3}, "ranking": {}}

    def make(folder: Path) -> None:
        _run(_write_study(folder / "study.json", evaluation, seed_range=[1, 6]))

    return _made_once(tmp_path_factory, "ranked", make)


@pytest.fixture(scope="session")
def without_truth(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a setup on a data file alone, with an algorithm that fails."""
    lines = [
        "rain,crop,price",
        *(f"{i % 7}.5,{(3 * i) % 11 + i % 7}.5,{-(i % 7)}.25" for i in range(60)),
    ]
    evaluation = {
        "graph_estimation": {
            "ids": [HOSTILE, "precision", "failing"],
            "convert_to": None,
            "graphs": False,
            "adjmats": False,
            "diffplots": False,
            "csvs": True,
            "graphvizcompare": False,
        }
    }
    entry = {"graph_id": None, "parameters_id": None, "data_id": "market.csv", "seed_range": None}

    def make(folder: Path) -> None:
        (folder / "market.csv").write_text("\n".join(lines) + "\n", "utf-8")
        _run(_write_study(folder / "study.json", evaluation, **entry))

    return _made_once(tmp_path_factory, "without_truth", make)
