"""``paths`` and ``precision_matrices`` in a study: the numbers in their tables and on the page."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from dagathlon.evaluate import compare, compare_path, compare_precision
from dagathlon.evaluations.paths.evaluation import Paths
from dagathlon.evaluations.paths.precision_matrices import PrecisionMatrices
from dagathlon.graphs import Graph
from dagathlon.modules import registry
from dagathlon.report.evaluation import tables_of
from dagathlon.report.results import Results
from dagathlon.report.section import Figure, Grid
from dagathlon.study.store.results_folder import STORE_FOLDER
from dagathlon.study.store.store import Store
from dagathlon.workflow import Study

pytestmark = pytest.mark.slow

MODULE = '''
from dataclasses import dataclass

import numpy as np

from dagathlon.evaluate.metric import metric
from dagathlon.graphs import GraphPath
from dagathlon.learners import Estimate, Learner


@dataclass(frozen=True, kw_only=True)
class Steps(Learner):
    """Partial correlations above one threshold after another."""

    name = "steps"
    gives = "undirected"

    def learn(self, data, rng):
        precision = np.linalg.inv(np.cov(data.values.T))
        precision = (precision + precision.T) / 2
        scale = np.sqrt(np.diag(precision))
        related = np.abs(precision / np.outer(scale, scale))
        np.fill_diagonal(related, 0)
        penalties = [0.9, 0.5, 0.3, 0.1]
        path = GraphPath(data.names, penalties, [related > t for t in penalties], chosen=2)
        return Estimate(path.graph(2), precision=precision, path=path)


@metric("path_length", title="penalties", better="")
def path_length(path):
    return None if path is None else len(path)


@metric("condition", title="condition of the matrix", better="less")
def condition(precision):
    return None if precision is None else float(np.linalg.cond(precision))
'''


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("paths")
    (place / "steps.py").write_text(MODULE)
    ids = ["steps", "pc"]
    content: dict[str, Any] = {
        "modules": ["steps.py"],
        "benchmark_setup": [
            {
                "title": "s",
                "data": [
                    {"graph_id": g, "parameters_id": p, "data_id": "d", "seed_range": [1, 2]}
                    for g, p in (("band", "gw"), ("dag", "sem"))
                ],
                "evaluation": {
                    "benchmarks": {"ids": ids},
                    "metrics": {"undirected": "moral"},
                    "paths": {},
                    "precision_matrices": {"resamples": 20},
                },
            }
        ],
        "resources": {
            "graph": {
                "band": [{"id": "band", "nodes": 6}],
                "erdos_renyi": [{"id": "dag", "nodes": 6}],
            },
            "parameters": {"g_wishart": [{"id": "gw"}], "linear_sem": [{"id": "sem"}]},
            "data": {"iid": [{"id": "d", "n": 80, "standardized": True}]},
            "structure_learning_algorithms": {"steps": [{"id": "steps"}], "pc": [{"id": "pc"}]},
        },
    }
    (place / "s.json").write_text(json.dumps(content))
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(registry.FILES, "")
        registry.modules.cache_clear()
        Study.load(place / "s.json").run(place / "out", engine="inline", figures="none")
    registry.modules.cache_clear()  # the others' tests need not know the study's own modules
    return place / "out"


def rows_of(file: Path) -> list[dict[str, str]]:
    return list(csv.DictReader(file.read_text().splitlines()))


def test_tables(folder: Path) -> None:
    with Store(folder / STORE_FOLDER, readonly=True) as store:
        results = Results.of(folder / "s", store)
        areas = {(row["adjmat"], row["seed"]): row for row in rows_of(folder / "s/paths/areas.csv")}
        losses = rows_of(folder / "s/precision_matrices/losses.csv")
        assert len(areas) == 4
        assert {row["precision_how"] for row in losses if row["id"] == "steps"} == {"own"}
        for run in results.runs_of(["steps"]):
            case = results.case(run)
            learned, truth = results.learned(run), results.truth(case)
            row = areas[case.graph_label, str(case.seed)]
            for name, value in compare_path(learned, truth).items():
                shown = None if row[name] == "NA" else float(row[name])
                assert shown == pytest.approx(value)
        points = rows_of(folder / "s/paths/path_data.csv")
        assert len(points) == 4 * 4
        assert sum(int(row["chosen"]) for row in points) == 4


def test_the_choice_is_stated(folder: Path) -> None:
    with Store(folder / STORE_FOLDER, readonly=True) as store:
        results = Results.of(folder / "s", store)
        assert results.undirected == "moral"
        for run, row in zip(results.runs, results.rows(results.ids), strict=True):
            assert row["compared_as"] == "moral"
            learned, truth = results.learned(run), results.truth(results.case(run))
            expected = compare(learned, truth, undirected="moral")
            assert row["SHD_pattern"] == expected["SHD_pattern"]
            assert row["SHD_cpdag"] is None
        for truth, found in zip(
            (results.truth(case) for case in results.cases), results.baselines.values(), strict=True
        ):
            empty = compare(Graph(truth.names), truth, undirected="moral")
            assert found["SHD_pattern"]["the empty graph"] == empty["SHD_pattern"]
    page = (folder / "s/report.html").read_text()
    assert "are compared by their moral graphs" in page


def test_own_metrics_may_ask_for_path_and_matrix(folder: Path) -> None:
    rows = rows_of(folder / "s/metrics/metrics.csv")
    assert {row["path_length"] for row in rows if row["id"] == "steps"} == {"4"}
    assert all(float(row["condition"]) >= 1 for row in rows if row["id"] == "steps")
    assert {row["path_length"] for row in rows if row["id"] == "pc"} <= {"", "NA"}


def test_section_and_default(folder: Path) -> None:
    with Store(folder / STORE_FOLDER, readonly=True) as store:
        results = Results.of(folder / "s", store)
        asked = tables_of([Paths()], results)
        shown = tables_of([Paths.by_default(results.ids, True)], results)
        assert asked.rows("means") == shown.rows("means")
        section = Paths().section(asked)
        figure, grid = section.parts[-2:]
        assert isinstance(figure, Figure)
        assert isinstance(grid, Grid)
        assert len(figure.variants) == 4  # two curves of two models
        assert len(grid.rows) == 2
        losses = PrecisionMatrices().section(tables_of([PrecisionMatrices()], results))
        assert losses.parts[0].text.count("fitted to the data") == 1
        run = results.runs_of(["steps"])[0]
        learned = results.learned(run)
        again = compare_precision(learned, data=results.data(results.case(run)))
        assert again["precision_how"] == "own"
        assert np.all(np.isfinite(learned.precision))
