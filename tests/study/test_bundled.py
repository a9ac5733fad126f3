"""Bundled networks cannot be replaced by files, and graphs belong to their parameters."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from dagathlon.cli import main
from dagathlon.data import Network, load_data
from dagathlon.errors import StudyError
from dagathlon.graphs import Graph, cpdag, moral, skeleton, write_graph
from dagathlon.study.config.new_study import picked_study
from dagathlon.study.records.provenance import Provenance
from dagathlon.workflow import Study

ASIA = Network.load("asia").graph
OTHER = Graph.from_edges(["smoke -> lung"], ASIA.names)


def _study(folder: Path, graph: str | None, parameters: str | None, data: str = "rows") -> Study:
    entry = {"graph_id": graph, "parameters_id": parameters, "data_id": data}
    setup = {"title": "t", "data": [entry], "evaluation": {"graph_estimation": {"ids": ["hc"]}}}
    content = {
        "benchmark_setup": [setup],
        "resources": {
            "graph": {"pcalg_randdag": [{"id": "random", "n": 8, "d": 2, "max_parents": 3}]},
            "data": {"iid": [{"id": "rows", "n": 20}]},
            "structure_learning_algorithms": {"hc": [{"id": "hc"}]},
        },
    }
    path = folder / "study.json"
    path.write_text(json.dumps(content), "utf-8")
    return Study.load(path)


def _files_of_that_name(folder: Path) -> None:
    """Files that would shadow the bundled network, whatever a name is taken for."""
    for name in ("asia", "asia.csv", "bundled:asia"):
        write_graph(OTHER, folder / "graph.csv")
        (folder / "graph.csv").rename(folder / name)


def test_no_file_takes_the_place_of_a_bundled_network(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    _files_of_that_name(tmp_path)
    study = Study.build("mine", "hc", "asia[n=30,seeds=1]")
    (entry,) = json.loads(study.config.text)["benchmark_setup"][0]["data"]
    assert (entry["graph_id"], entry["parameters_id"]) == ("bundled:asia", "bundled:asia")
    run = study.run(tmp_path / "out", engine="inline").runs()[0]
    assert run.truth == ASIA
    (rows,) = picked_study("t", ["hc"], ["bundled:sachs_pma"])["benchmark_setup"][0]["data"]
    Path("sachs_pma.csv").write_text("a,b\n1,2\n")
    found = _study(tmp_path, None, None, rows["data_id"]).run(tmp_path / "rows", engine="inline")
    assert found.runs()[0].data == load_data("sachs_pma")


def test_tasks_and_labels_are_those_of_the_file_names_of_before(tmp_path: Path) -> None:
    before = _study(tmp_path, "asia.csv", "asia.rds").plan
    now = _study(tmp_path, "bundled:asia", "bundled:asia").plan
    assert [task.key for task in now.tasks] == [task.key for task in before.tasks]
    assert [case[:6] for case in now.cases] == [case[:6] for case in before.cases]


@pytest.mark.parametrize(
    "graph",
    [
        OTHER,
        Graph(ASIA.names),
        Graph.from_edges(["smoke - lung"], ASIA.names),
        Graph.from_edges([str(edge) for edge in ASIA.edges()][:-1], ASIA.names),
        Graph.from_edges(["smoke -> lung"], ["smoke", "lung", "else"]),
    ],
)
def test_a_graph_that_is_not_that_of_the_parameters_is_refused(
    tmp_path: Path, graph: Graph
) -> None:
    write_graph(graph, tmp_path / "asia.csv")
    with pytest.raises(
        StudyError, match="does not belong to the parameters of the bundled asia"
    ) as e:
        _ = _study(tmp_path, "asia.csv", "asia.rds").plan
    assert '"bundled:asia" in a study' in str(e.value)


@pytest.mark.parametrize("form", [lambda dag: dag, cpdag, skeleton, moral])
def test_graphs_that_are_true_of_the_parameters_are_taken(tmp_path: Path, form: Any) -> None:
    write_graph(form(ASIA).subgraph(ASIA.names[::-1]), tmp_path / "truth.csv")
    assert _study(tmp_path, "truth.csv", "bundled:asia").plan.runs


@pytest.mark.parametrize("name", ["bundled:", "bundled:alrm"])
def test_an_unknown_bundled_name_gets_the_nearest_one(tmp_path: Path, name: str) -> None:
    short = name.removeprefix("bundled:")
    near = r" \(did you mean 'alarm'\?\)" if short else ""
    for graph, parameters in ((name, "bundled:alarm"), ("bundled:alarm", name)):
        with pytest.raises(StudyError, match=f"unknown bundled network '{short}'{near}; known: "):
            _ = _study(tmp_path, graph, parameters).plan
    with pytest.raises(StudyError, match=f"unknown bundled data set '{short}'.*sachs_pma"):
        _ = _study(tmp_path, None, None, name).plan


def test_a_random_graph_has_no_fixed_parameters(tmp_path: Path) -> None:
    with pytest.raises(StudyError, match="graph_id draws graphs at random, and parameters_id is"):
        _ = _study(tmp_path, "random", "bundled:asia").plan
    with pytest.raises(
        StudyError, match="draws graphs at random, and data_id is the bundled sachs"
    ):
        _ = _study(tmp_path, "random", None, "bundled:sachs_pma").plan


def test_rows_that_have_the_name_of_a_network_are_no_graph_and_it_says_why(tmp_path: Path) -> None:
    (tmp_path / "asia.csv").write_text("asia,tub\n1,0\n0,1\n1,1\n")
    with pytest.raises(StudyError, match=r"line 4.*asia.csv is read rather than the bundled"):
        _ = _study(tmp_path, "asia.csv", "asia.rds").plan


def test_it_is_said_where_graph_and_parameters_come_from(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write_graph(ASIA, tmp_path / "truth.csv")
    _study(tmp_path, "truth.csv", "bundled:asia")
    said = "graph from the file truth.csv; parameters from the bundled network asia"
    path = str(tmp_path / "study.json")
    assert main(["check", path]) == 0
    assert f"  data[0]: {said}" in capsys.readouterr().out
    assert main(["run", path, "--out", str(tmp_path / "out"), "--engine", "inline"]) == 0
    assert f"t: data[0]: {said}" in capsys.readouterr().err
    assert said in (tmp_path / "out" / "t" / "report.html").read_text("utf-8")
    kept = json.loads((tmp_path / "out" / "t" / "provenance.json").read_text("utf-8"))["sources"]
    assert [(one["part"], one["kind"], one["name"]) for one in kept] == [
        ("graph", "file", "truth.csv"),
        ("parameters", "bundled", "asia"),
        ("data", "drawn", "iid"),
    ]
    assert len(kept[0]["sha256"]) == 64


def test_provenance_of_before_has_no_sources(tmp_path: Path) -> None:
    Provenance("study.json").save(tmp_path)
    file = tmp_path / "provenance.json"
    facts = json.loads(file.read_text("utf-8"))
    del facts["sources"]
    file.write_text(json.dumps(facts), "utf-8")
    assert Provenance.load(tmp_path).sources == ()
    file.write_text(json.dumps(facts | {"sources": [1, {"where": 2}, {"part": "graph"}]}), "utf-8")
    assert [one.part for one in Provenance.load(tmp_path).sources] == ["graph"]
