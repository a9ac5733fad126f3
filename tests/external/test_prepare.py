"""``dagathlon prepare``: what a study needs is made ready before any clock runs."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from folders import DATA, EMPTY_GRAPH, MANIFEST, write

from dagathlon.cli import main
from dagathlon.external import servers

SERVER = (
    MANIFEST
    + """server = true
implementation = "somebody's 1.2"
[environment]
commands = ["sh"]
"""
)
READY = "echo x >> {count}; echo '@dagathlon ready'; while read folder; do :; done"


def study(folder: Path, **algorithms: list[dict[str, object]]) -> str:
    (folder / "data.csv").write_text(DATA)
    ids = [entry["id"] for entries in algorithms.values() for entry in entries]
    data = {"graph_id": None, "parameters_id": None, "data_id": "data.csv"}
    content = {
        "modules": ["mine"] if "mine" in algorithms or "bootstrap" in algorithms else [],
        "benchmark_setup": [
            {"title": "t", "data": [data], "evaluation": {"graph_estimation": {"ids": ids}}}
        ],
        "resources": {"structure_learning_algorithms": algorithms},
    }
    (folder / "study.json").write_text(json.dumps(content))
    return str(folder / "study.json")


@pytest.fixture(autouse=True)
def _no_servers():
    yield
    servers.close_servers()


def test_server_is_started_once_and_named(tmp_path, capsys):
    count = tmp_path / "count"
    write(tmp_path / "mine", READY.format(count=count), SERVER)
    inside = [{"id": "b", "learner": "mine"}]  # a learner that runs it is enough
    assert main(["prepare", study(tmp_path, mine=[{"id": "m"}], bootstrap=inside)]) == 0
    assert capsys.readouterr().out == "mine: ready (somebody's 1.2)\n"
    assert count.read_text() == "x\n"


def test_what_cannot_run_is_told_and_is_no_success(tmp_path, capsys):
    write(tmp_path / "mine", "echo no licence; exit 3", SERVER)
    path = study(tmp_path, mine=[{"id": "m"}], corr_thresh=[{"id": "c"}])
    assert main(["prepare", path]) == 1
    shown = capsys.readouterr().out
    assert "mine: cannot run here: its server ended with exit code 3 before it was" in shown
    assert "no licence" in shown
    write(tmp_path / "mine", EMPTY_GRAPH, MANIFEST + '[environment]\ncommands = ["no-such"]\n')
    assert main(["prepare", path]) == 1
    assert "mine: cannot run here: needs no-such on the PATH" in capsys.readouterr().out


def test_nothing_to_prepare_and_no_study(tmp_path, capsys):
    assert main(["prepare", study(tmp_path, corr_thresh=[{"id": "c"}])]) == 0
    assert "there is nothing to prepare" in capsys.readouterr().out
    assert main(["prepare", str(tmp_path / "none.json")]) == 2
    assert "none.json: there is no such file" in capsys.readouterr().err


def test_offline_is_respected(tmp_path, capsys, monkeypatch):
    monkeypatch.setenv("DAGATHLON_OFFLINE", "1")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "xdg"))
    folder = write(
        tmp_path / "mine", manifest=MANIFEST + '[environment]\nkind = "uv"\nscript = "learn.py"\n'
    )
    (folder / "learn.py").write_text("# no packages\n")
    monkeypatch.setattr("dagathlon.external.uv._ask_uv", lambda *_: None)
    monkeypatch.setattr("dagathlon.external.uv.find_uv", lambda: "uv")
    assert main(["prepare", study(tmp_path, mine=[{"id": "m"}])]) == 1
    assert "DAGATHLON_OFFLINE forbids to install them" in capsys.readouterr().out
