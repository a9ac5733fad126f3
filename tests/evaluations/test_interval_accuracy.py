"""The study of intersection-validation in miniature, against a direct computation."""

from __future__ import annotations

import csv
import json
import re
import runpy
from collections.abc import Iterator
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from dagathlon.errors import StudyError
from dagathlon.evaluations.forecast_accuracy.evaluation import IntervalAccuracy
from dagathlon.graphs import Graph, Mark, cpdag
from dagathlon.report.results import Results
from dagathlon.study.store.store import Store
from dagathlon.workflow import Study

SMALL = Path(__file__).parents[2] / "studies" / "interval_small.json"
IDS = ("bdeu_0.1", "bdeu_10", "bic", "fnml")
CELLS = ((200, 100), (400, 100), (400, 200))
Types = dict[tuple[str, str], str]


def table(folder: Path, name: str) -> list[dict[str, str]]:
    with (folder / "interval_accuracy" / f"{name}.csv").open(encoding="utf-8") as stream:
        return list(csv.DictReader(stream))


@pytest.fixture(scope="module")
def out(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("small")
    Study.load(SMALL).run(folder, jobs=1)
    return folder


@pytest.fixture(scope="module")
def folder(out: Path) -> Path:
    return out / "interval_small"


def types(graph: Graph) -> Types:
    """The type of every pair, as the paper has them."""
    marks, names = cpdag(graph).marks, graph.names
    found = {}
    for i, j in combinations(range(len(names)), 2):
        to_j, to_i = marks[i, j] == Mark.ARROW, marks[j, i] == Mark.ARROW
        joined = marks[i, j] != Mark.NONE
        kind = "forward" if to_j else "backward" if to_i else "both" if joined else "none"
        found[names[i], names[j]] = kind
    return found


def differing(left: Types, right: Types) -> int:
    return sum(left[pair] != kind for pair, kind in right.items())


class Direct:
    """Distances of the study by loops over pairs."""

    def __init__(self, results: Results) -> None:
        self.rows: dict[tuple[int, int], int] = {}
        self.whole: dict[tuple[int, str], Types] = {}
        self.parts: dict[tuple[int, int, str], list[Types]] = {}
        self.truth: Types = {}
        for run, graph in results.estimates(results.runs):
            case = results.case(run)
            self.truth = types(results.truth(case) or graph)
            self.whole[case.seed, run.entry] = types(graph)
        further = list(results.plan.further)
        for run, graph in results.estimates(further):
            case = results.case(run)
            match = re.fullmatch(r"subsample=(\d+),\d+", case.transform)
            if match:
                key = (case.seed, int(match[1]), run.entry)
                self.parts.setdefault(key, []).append(types(graph))

    def agreement(self, seed: int) -> Types:
        found = dict(self.whole[seed, IDS[0]])
        for name in IDS[1:]:
            other = self.whole[seed, name]
            found = {pair: kind for pair, kind in found.items() if other[pair] == kind}
        return found

    def phd(self, seed: int, size: int, learner: str) -> float:
        agreed = self.agreement(seed)
        return float(np.mean([differing(one, agreed) for one in self.parts[seed, size, learner]]))

    def shd(self, seed: int, learner: str) -> int:
        return differing(self.whole[seed, learner], self.truth)


# The seeds of the data sets of each size.
SEEDS = {100: (1, 2), 200: (11, 12), 400: (21, 22)}


@pytest.fixture(scope="module")
def direct(out: Path, folder: Path) -> Iterator[Direct]:
    with Store(out / "store", readonly=True) as store:
        yield Direct(Results.of(folder, store))


@pytest.mark.slow
def test_means_and_correlations_are_those_of_the_paper(folder: Path, direct: Direct) -> None:
    rows = {(int(r["point"]), int(r["rows"])): r for r in table(folder, "accuracy")}
    assert tuple(rows) == CELLS
    for (point, size), row in rows.items():
        phd = [np.mean([direct.phd(s, size, name) for s in SEEDS[point]]) for name in IDS]
        shd = [np.mean([direct.shd(s, name) for s in SEEDS[size]]) for name in IDS]
        assert float(row["pearson"]) == pytest.approx(np.corrcoef(phd, shd)[0, 1])
        graphs = [direct.agreement(seed) for seed in SEEDS[point]]
        assert float(row["relative_size"]) == pytest.approx(np.mean([len(g) for g in graphs]) / 55)
        joined = [sum(kind != "none" for kind in g.values()) for g in graphs]
        assert float(row["connected"]) == pytest.approx(np.mean(joined))


@pytest.mark.slow
def test_each_data_set_has_its_own_agreement(folder: Path, direct: Direct) -> None:
    rows = table(folder, "data_sets")
    assert len(rows) == 2 * len(CELLS)
    for row in rows:
        seed, size = int(row["seed"]), int(row["rows"])
        phd = [direct.phd(seed, size, name) for name in IDS]
        shd = [np.mean([direct.shd(s, name) for s in SEEDS[size]]) for name in IDS]
        assert float(row["pearson"]) == pytest.approx(np.corrcoef(phd, shd)[0, 1])
        assert float(row["relative_size"]) == pytest.approx(len(direct.agreement(seed)) / 55)


@pytest.mark.slow
def test_learning_curves_have_the_tables_of_other_evaluations(folder: Path) -> None:
    curves = table(folder, "curves")
    with (folder / "benchmarks" / "joint_benchmarks.csv").open(encoding="utf-8") as stream:
        joint = list(csv.DictReader(stream))
    for row in (row for row in curves if row["method"] == "SHD"):
        size = f"n={row['rows']}/"
        own = [r for r in joint if r["id"] == row["learner"] and size in r["data"]]
        assert len(own) == 2
        expected = np.mean([float(r["SHD_cpdag"]) for r in own])
        assert float(row["mean"]) == pytest.approx(expected)
    assert {row["method"] for row in curves} == {"SHD", "CE", "CV"}


@pytest.mark.slow
def test_every_two_learners_have_their_own_agreement(folder: Path, direct: Direct) -> None:
    rows = table(folder, "pairwise")
    assert len(rows) == len(CELLS) * 6
    for row in rows:
        point, size = int(row["point"]), int(row["rows"])
        differences = []
        for seed in SEEDS[point]:
            left, right = (direct.whole[seed, row[side]] for side in ("left", "right"))
            agreed = {pair: kind for pair, kind in left.items() if right[pair] == kind}
            means = [
                np.mean([differing(one, agreed) for one in direct.parts[seed, size, row[side]]])
                for side in ("left", "right")
            ]
            differences.append(means[0] - means[1])
        assert float(row["phd_difference"]) == pytest.approx(np.mean(differences))


@pytest.mark.slow
def test_its_page_has_the_section(folder: Path) -> None:
    page = (folder / "report.html").read_text("utf-8")
    assert '<section id="interval-accuracy"' in page
    names = ("correlation", "forecast", "agreement", "curves", "methods", "point")
    assert all(f'data-figure="interval-{name}"' in page for name in names)
    assert "What is the forecast worth?" in page
    assert "sachs, the true class" in page


def asked(**values: Any) -> IntervalAccuracy:
    found = IntervalAccuracy.from_json(values, "here")
    assert isinstance(found, IntervalAccuracy)
    return found


def test_subsamples_have_fewer_rows_than_the_data() -> None:
    one = asked(sizes=[400, 100, 200], subsamples=2)
    assert one.draws(400) == [(100, 1), (100, 2), (200, 1), (200, 2)]
    assert [size for size, _ in asked(subsamples=1).draws(1000)] == [100, 200, 400, 800]


def test_two_learners_have_no_correlation() -> None:
    with pytest.raises(StudyError, match="3 learners or more"):
        asked(ids=["a", "b"])
    with pytest.raises(StudyError, match="folds is 0, or 2 or more"):
        asked(folds=1)


def test_the_whole_study_is_that_of_the_paper() -> None:
    study = json.loads(SMALL.with_name("interval_2017.json").read_text("utf-8"))
    data = study["benchmark_setup"][0]["data"]
    sizes = {entry["id"]: entry["n"] for entry in study["resources"]["data"]["iid"]}
    assert sorted(sizes.values()) == [100 * 2**k for k in range(9)]
    assert [entry["graph_id"] for entry in data[::9]] == [
        f"bundled:{name}" for name in ("sachs", "insurance", "alarm")
    ]
    assert len(data) == 27
    for first in range(0, 27, 9):
        seeds = [range(e["seed_range"][0], e["seed_range"][1] + 1) for e in data[first : first + 9]]
        # Data of one seed would be beginnings of each other.
        assert sorted(seed for found in seeds for seed in found) == list(range(1, 91))
    learners = study["resources"]["structure_learning_algorithms"]["exact_map"]
    assert [one["max_parents"] for one in learners] == [4] * 6
    scores = [(one["score"], one.get("iss")) for one in learners]
    assert scores == [*(("bdeu", e) for e in (0.01, 0.1, 1, 10)), ("bic", None), ("fnml", None)]


def test_a_part_of_the_study_keeps_seeds_and_titles() -> None:
    study = json.loads(SMALL.with_name("interval_2017.json").read_text("utf-8"))
    tool = runpy.run_path(str(Path(__file__).parents[2] / "tools" / "part_of_study.py"))
    limits = [tool["Limit"].of(text) for text in ("3", "alarm=1")]
    part = tool["part_of"](study, limits, ["sachs", "alarm.csv"], [tool["Limit"](200)])
    (setup,) = part["benchmark_setup"]
    assert setup["title"] == "interval_2017"
    seeds = [(entry["graph_id"], *entry["seed_range"]) for entry in setup["data"]]
    assert seeds == [
        ("bundled:sachs", 1, 3),
        ("bundled:sachs", 11, 13),
        ("bundled:alarm", 1, 1),
        ("bundled:alarm", 11, 11),
    ]
