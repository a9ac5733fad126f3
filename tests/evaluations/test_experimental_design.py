"""Experimental design: changes by hand, and a study against what its runs returned."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from dagathlon.evaluations.experimental_design.evaluation import (
    ExperimentalDesign,
    at_the_limit,
    change_rows,
    changes_in_words,
    design_rows,
    designs_in_words,
)
from dagathlon.study.plan.task import TaskKind
from dagathlon.study.store.store import Store
from dagathlon.workflow import Study
from strategies import read_rows


def row(design: str, method: str, seed: int, rows: int, **metrics: float) -> dict[str, Any]:
    about = {"graph": design, "model": "ER1", "method": method, "seed": seed, "rows": rows}
    return about | metrics


# Two data sets; `sure` has two starts on the first one, whose mean counts.
ROWS = [
    row("drawn", "sure", 1, 0, entropy=4.0),
    row("drawn", "sure", 1, 0, entropy=6.0),
    row("drawn", "sure", 1, 10, entropy=2.0),
    row("drawn", "sure", 2, 0, entropy=5.0),
    row("drawn", "sure", 2, 10, entropy=4.0),
    row("drawn", "deaf", 1, 0, entropy=1.0),
    row("drawn", "deaf", 1, 10, entropy=0.5),
    row("drawn", "deaf", 2, 0, entropy=1.0),
    row("drawn", "deaf", 2, 10, entropy=1.5),
    row("chosen", "sure", 1, 10, entropy=1.0),
    row("chosen", "sure", 2, 10, entropy=1.0),
    row("chosen", "sure", 3, 10, entropy=9.0),
]


def test_changes_by_hand() -> None:
    sure, deaf = (one for one in change_rows(ROWS, ["entropy"], 500) if one["graph"] == "drawn")
    assert (sure["before"], sure["after"], sure["change"]) == (5.0, 3.0, -2.0)
    assert (sure["from_rows"], sure["to_rows"], sure["data_sets"]) == (0, 10, 2)
    assert (sure["low"], sure["high"]) == (-3.0, -1.0)
    assert (deaf["change"], deaf["low"], deaf["high"]) == (0.0, -0.5, 0.5)
    (text,) = changes_in_words([sure, deaf], "entropy")
    assert text == (
        "drawn, ER1: from 0 to 10 interventional rows entropy falls for sure (-2.00); it neither "
        "falls nor rises for deaf (+0.00)."
    )


def test_designs_by_hand() -> None:
    """Compared on the data sets that both have."""
    (found,) = design_rows(ROWS, ["entropy"], 500)
    assert (found["method"], found["targets"], found["instead_of"]) == ("sure", "chosen", "drawn")
    assert (found["difference"], found["low"], found["high"]) == (-2.0, -3.0, -1.0)
    assert found["data_sets"] == 2
    (text,) = designs_in_words([found], "entropy")
    assert "entropy of sure is 2.00 lower after 10 interventional rows" in text
    assert not list(designs_in_words([found | {"high": 0.1}], "entropy"))
    assert not list(design_rows([], ["entropy"], 10))


def test_draws_that_are_all_different_are_told() -> None:
    full = [row("d", "full", k, 0, entropy=math.log(100), n_draws=100) for k in range(3)]
    half = [row("d", "half", k, 0, entropy=math.log(10), n_draws=100) for k in range(3)]
    exact = [row("d", "exact", 1, 0, entropy=40.0, n_draws=100)]
    assert at_the_limit([*full, *half, *exact]) == ["full"]


def test_metrics_are_those_of_posteriors() -> None:
    assert "did you mean 'entropy'" in ExperimentalDesign(metrics=("entrop",)).problem()
    assert not ExperimentalDesign(metrics=("e_shd",)).problem()


STUDY: dict[str, Any] = {
    "benchmark_setup": [
        {
            "title": "design",
            "data": [
                {"graph_id": "er", "parameters_id": "sem", "data_id": name, "seed_range": [1, 2]}
                for name in ("drawn", "chosen", "plain")
            ],
            "evaluation": {"experimental_design": {"ids": ["true", "boot"], "resamples": 50}},
        }
    ],
    "resources": {
        "graph": {"er_sf": [{"id": "er", "nodes": 4, "family": "ER1"}]},
        "parameters": {"linear_sem": [{"id": "sem"}]},
        "data": {
            "experiments": [{"id": "drawn", "steps": [0, 2]}],
            "designed_experiments": [
                {"id": "chosen", "steps": [0, 2], "learner": "bgies[bootstraps=10]"}
            ],
            "iid": [{"id": "plain", "n": 20}],
        },
        "structure_learning_algorithms": {
            "exact_posterior": [{"id": "true", "score": "nig"}],
            "bgies": [{"id": "boot", "bootstraps": 10}],
        },
    },
}


@pytest.mark.slow
def test_a_study_of_experiments(tmp_path: Path) -> None:
    path = tmp_path / "design.json"
    path.write_text(json.dumps(STUDY))
    study = Study.load(path)
    study.run(tmp_path / "out", engine="inline", figures="all")
    folder = tmp_path / "out" / "design" / "experimental_design"
    rows = read_rows(folder / "runs.csv")
    assert len(rows) == 2 * 2 * 2 * 2  # designs, steps, data sets, methods; none of the plain data
    assert {row["rows"] for row in rows} == {"0", "10"}
    expected = []
    with Store(tmp_path / "out" / "store") as store:
        for task in study.plan.tasks:
            if task.call.kind is TaskKind.LEARN and task.call.module == "bgies":
                data = store.load(study.plan.tasks[task.inputs[0]].key)
                if data.n_rows == 20 and data.regimes is not None:
                    expected.append(store.load(task.key).posterior.entropy)
    found = [float(row["entropy"]) for row in rows if (row["id"], row["rows"]) == ("boot", "10")]
    np.testing.assert_allclose(sorted(found), sorted(expected))
    changes = read_rows(folder / "changes.csv")
    assert {(row["graph"], row["method"]) for row in changes} == {
        (design, method) for design in ("drawn", "chosen") for method in ("true", "boot")
    }
    mean = np.mean(found)
    after = [float(row["after"]) for row in changes if row["method"] == "boot"]
    assert np.mean(after[:: len(after) // 2]) == pytest.approx(mean)
    assert len(read_rows(folder / "designs.csv")) == len(changes) // 2
    page = (tmp_path / "out" / "design" / "report.html").read_text()
    assert "Do experiments make the methods surer, and right?" in page
    assert sorted(file.suffix for file in folder.glob("experiments_1*")) == [".png", ".svg"]
