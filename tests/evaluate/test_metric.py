"""A metric is one declaration, found by location or in a file, and read everywhere."""

from __future__ import annotations

import csv
import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from dagathlon.errors import DagathlonError, StudyError
from dagathlon.evaluate import compare
from dagathlon.evaluate.metric import (
    Measure,
    columns,
    families,
    headlines,
    known_measures,
    measure_of,
    measures,
    metric,
    metric_family,
    rankable,
)
from dagathlon.evaluate.ranking.ranks import direction
from dagathlon.evaluate.ranking.summary import is_number
from dagathlon.evaluate.steps import OwnMetrics
from dagathlon.graphs import Graph
from dagathlon.learners.base import Estimate
from dagathlon.modules import add_files, modules, registry
from dagathlon.study.records.json import read_measures
from dagathlon.workflow import Study

EXAMPLE = Path(__file__).parents[2] / "examples" / "degree_metric.py"
TRUTH = Graph.from_adjacency(["a", "b", "c"], [[0, 1, 0], [0, 0, 1], [0, 0, 0]])
EMPTY = Graph.from_adjacency(["c", "b", "a"], [[0, 0, 0]] * 3)


@pytest.fixture
def own_files(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Whatever a test loads is forgotten after it."""
    monkeypatch.setenv(registry.FILES, "")
    yield
    monkeypatch.undo()
    modules.cache_clear()


def test_every_column_of_a_comparison_is_declared() -> None:
    found = compare(TRUTH, TRUTH)
    declared = measures()
    assert set(found) <= set(declared)
    assert all(one.title and one.better in ("more", "less", "") for one in declared.values())
    assert set(columns("benchpress", "beside")) <= {*found, "compared_as", "open_directions"}


def test_directions_follow_from_values() -> None:
    """The truth itself is at least as good as the empty graph on whatever has a direction."""
    best, worst = compare(TRUTH, TRUTH), compare(EMPTY, TRUTH)
    checked = 0
    for name in rankable():
        one, other = best.get(name), worst.get(name)
        if is_number(one) and is_number(other) and one != other:
            assert (one > other) == (direction(name) == "more"), name
            checked += 1
    assert checked > 20


def test_headlines_are_declared_in_order() -> None:
    places = [measure_of(name).headline for name in headlines()]
    assert headlines()[0] == "SHD_cpdag"
    assert places == sorted(place for place in places if place is not None)


def test_a_column_that_nobody_declared_stands_for_itself() -> None:
    assert measure_of("unheard_of") == Measure("unheard_of", "unheard of", truth=False)


def test_words_of_a_verdict_are_declared_and_not_guessed_from_names() -> None:
    assert measures()["SHD_cpdag"].meaning.endswith("(0 is perfect)")
    assert measures()["F1_skel"].meaning == " (1 is perfect)"
    assert not measure_of("SHD_of_mine").meaning
    own = Measure("SHD_of_mine", "weighted distance", "less", meaning=" (2 is perfect)")
    saved = json.loads(json.dumps(own.to_json()))
    assert read_measures([saved]) == [own]
    older = {key: value for key, value in saved.items() if key != "meaning"}
    assert not read_measures([older])[0].meaning


def test_inputs_are_asked_for_by_name() -> None:
    with pytest.raises(DagathlonError, match=r"truht.*truth"):
        metric("m", title="t", better="less")(lambda estimate, truht: 0.0)
    one = metric("m", title="t", better="less")(lambda truth, estimate: estimate.n_edges)
    assert one.module.needs == ("estimate", "truth")
    assert one.module().compute(TRUTH, EMPTY) == {"m": 2}
    assert one(EMPTY, TRUTH) == 2


def test_a_kind_of_graph_that_is_not_taken_has_no_value() -> None:
    one = metric("m", title="t", better="less", takes=["undirected"])(lambda estimate: 1.0)
    assert one.module().compute(TRUTH) == {"m": None}
    assert one.module().compute(EMPTY) == {"m": 1.0}
    assert not one.module.measures[0].truth


def test_a_family_gives_what_it_declares() -> None:
    two = metric_family("f", Measure("x", "x"), Measure("y", "y"))(lambda estimate: {"x": 1})
    assert two.module().compute(TRUTH) == {"x": 1, "y": None}
    wrong = metric_family("f", Measure("x", "x"))(lambda estimate: {"z": 1})
    with pytest.raises(DagathlonError, match="column of f"):
        wrong.module().compute(TRUTH)
    with pytest.raises(DagathlonError, match="twice"):
        metric_family("f", Measure("x", "x"), Measure("x", "x"))(lambda estimate: {})


def test_measures_survive_as_plain_data() -> None:
    for one in measures().values():
        assert Measure.from_json(json.loads(json.dumps(one.to_json()))) == one


def test_kept_declarations_need_no_code() -> None:
    kept = Measure("theirs", "what they measure", "more")
    with known_measures([kept]):
        assert measure_of("theirs") == kept
        assert "theirs" in rankable()
    assert "theirs" not in measures()


@pytest.mark.usefixtures("own_files")
def test_a_metric_of_ones_own_file_is_a_metric_like_all_others() -> None:
    add_files([EXAMPLE])
    assert measure_of("degree_error").title == "mean error of a node's degree"
    assert compare(EMPTY, TRUTH)["degree_error"] == pytest.approx(4 / 3)
    assert compare(TRUTH, TRUTH)["degree_error"] == 0
    assert "degree_error" in rankable()
    assert [one.name for one in families(("estimate", "truth"))][-1] == "degree_error"


@pytest.mark.usefixtures("own_files")
def test_a_metric_that_fails_leaves_its_reason(tmp_path: Path) -> None:
    file = tmp_path / "odd.py"
    file.write_text(
        "from dagathlon.evaluate.metric import metric\n"
        "@metric('odd', title='odd', better='less')\n"
        "def odd(estimate):\n"
        "    raise RuntimeError('no idea')\n"
    )
    add_files([file])
    row = OwnMetrics(metrics=("odd",), inputs=("estimate",)).compute(Estimate(TRUTH))
    assert row == {"odd": None, "odd_note": "RuntimeError: no idea"}


def _study(folder: Path, evaluation: dict[str, Any]) -> Path:
    study = {
        "modules": [str(EXAMPLE)],
        "benchmark_setup": [
            {
                "title": "own",
                "data": [
                    {
                        "graph_id": "dag",
                        "parameters_id": "sem",
                        "data_id": "rows",
                        "seed_range": [1, 2],
                    }
                ],
                "evaluation": evaluation,
            }
        ],
        "resources": {
            "graph": {"pcalg_randdag": [{"id": "dag", "n": 5, "d": 2, "max_parents": 5}]},
            "parameters": {"sem_params": [{"id": "sem", "min": 0.25, "max": 1}]},
            "data": {"iid": [{"id": "rows", "n": 50, "standardized": True}]},
            "structure_learning_algorithms": {"hc": [{"id": "hc"}], "pc": [{"id": "pc"}]},
        },
    }
    path = folder / "own.json"
    path.write_text(json.dumps(study))
    return path


@pytest.mark.slow
@pytest.mark.usefixtures("own_files")
def test_a_study_computes_ranks_and_shows_it(tmp_path: Path) -> None:
    evaluation = {
        "benchmarks": {"ids": ["hc", "pc"]},
        "metrics": {},
        "ranking": {"metrics": ["degree_error"]},
    }
    Study.load(_study(tmp_path, evaluation)).run(tmp_path / "out", jobs=1)
    with (tmp_path / "out/own/metrics/metrics.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 4
    assert all(float(row["degree_error"]) >= 0 for row in rows)
    page = (tmp_path / "out/own/report.html").read_text()
    assert "degree error" in page


@pytest.mark.usefixtures("own_files")
def test_ranking_names_the_nearest_metric(tmp_path: Path) -> None:
    path = _study(tmp_path, {"ranking": {"ids": ["hc"], "metrics": ["degree_eror"]}})
    with pytest.raises(StudyError, match="degree_error"):
        Study.load(path)


@pytest.mark.slow
def test_the_command_lists_and_describes() -> None:
    def said(*words: str) -> str:
        command = [sys.executable, "-m", "dagathlon", "metrics", *words]
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout

    assert "balanced scoring function" in said()
    one = said("degree_error", "--modules", str(EXAMPLE))
    assert "Better: lower" in one
    assert "Unit: edges" in one
    found = json.loads(said("bsf", "--json"))
    assert found[0]["better"] == "more"
