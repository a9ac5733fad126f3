"""A graph that is one of a network brings its parameters."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from dagathlon.data import Network, write_network
from dagathlon.errors import StudyError
from dagathlon.study.config.new_study import picked_study
from dagathlon.study.config.study_file import Config, read_config


def _config(folder: Path, graph: str | None, parameters: str | None = None) -> Config:
    entry = {"graph_id": graph, "parameters_id": parameters, "data_id": "rows"}
    setup = {"title": "t", "data": [entry], "evaluation": {"benchmarks": {"ids": ["hc"]}}}
    study = {
        "benchmark_setup": [setup],
        "resources": {
            "data": {"iid": [{"id": "rows", "n": 10}]},
            "structure_learning_algorithms": {"hc": [{"id": "hc"}]},
        },
    }
    path = folder / "study.json"
    path.write_text(json.dumps(study), "utf-8")
    return read_config(path)


def test_a_network_file_is_a_graph_with_parameters(tmp_path: Path) -> None:
    write_network(Network.load("asia"), tmp_path / "mine.bif")
    (entry,) = _config(tmp_path, "mine.bif").setups[0].data
    assert [part.location for part in (*entry.graphs, *entry.parameters)] == [
        str(tmp_path / "mine.bif")
    ] * 2


@pytest.mark.parametrize("name", ["asia", "asia.csv", "bundled:asia"])
def test_a_bundled_network_needs_no_second_name(tmp_path: Path, name: str) -> None:
    (entry,) = _config(tmp_path, name).setups[0].data
    assert [part.location for part in entry.parameters] == ["bundled:asia"]


def test_a_graph_alone_has_no_parameters(tmp_path: Path) -> None:
    (tmp_path / "g.csv").write_text("A,B\n0,1\n0,0\n", "utf-8")
    with pytest.raises(StudyError, match="data are drawn from parameters"):
        _config(tmp_path, "g.csv")
    with pytest.raises(StudyError, match="data are drawn from parameters"):
        _config(tmp_path, None)


def test_a_missing_study_of_a_known_name_says_how_to_get_it(tmp_path: Path) -> None:
    with pytest.raises(StudyError, match="--example quickstart"):
        read_config(tmp_path / "quickstart.json")


def test_a_new_study_draws_from_a_network_file(tmp_path: Path) -> None:
    file = tmp_path / "mine.bif"
    write_network(Network.load("asia"), file)
    study = picked_study("t", ["hc"], [f"{file}[n=50,seeds=2]"], home=tmp_path)
    (entry,) = study["benchmark_setup"][0]["data"]
    assert (entry["graph_id"], entry["parameters_id"]) == ("mine.bif", "mine.bif")
    assert study["resources"]["data"]["iid"][0]["n"] == 50
    (tmp_path / "rows.csv").write_text("a,b\n1.5,2.5\n")
    with pytest.raises(StudyError, match="has its own rows"):
        picked_study("t", ["hc"], [f"{tmp_path / 'rows.csv'}[n=50]"])
