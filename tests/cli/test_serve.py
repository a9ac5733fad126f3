"""``dagathlon serve``: the page, the state, the reports, and nothing else."""

from __future__ import annotations

import json
import threading
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest

from dagathlon.cli import main
from dagathlon.cli.serve import state_of
from dagathlon.report.live import LiveServer
from dagathlon.workflow import Study

TITLE = "small&odd"
STUDY = {
    "benchmark_setup": [
        {
            "title": TITLE,
            "data": [{"graph_id": "g", "parameters_id": "p", "data_id": "d", "seed_range": [1, 2]}],
            "evaluation": {"graph_true_stats": True, "graph_plots": []},
        }
    ],
    "resources": {
        "graph": {"pcalg_randdag": [{"id": "g", "n": 4, "d": 2}]},
        "parameters": {"sem_params": [{"id": "p", "min": 0.25, "max": 1}]},
        "data": {"iid": [{"id": "d", "n": 10, "standardized": True}]},
        "structure_learning_algorithms": {},
    },
}


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LiveServer]:
    folder = tmp_path_factory.mktemp("served")
    (folder / "study.json").write_text(json.dumps(STUDY), "utf-8")
    Study.load(folder / "study.json").run(folder / "out", jobs=1)
    with LiveServer(folder / "out", lambda: state_of(folder / "out")) as made:
        threading.Thread(target=made.serve_forever, daemon=True).start()
        yield made
        made.shutdown()


def _get(server: LiveServer, path: str, host: str | None = None) -> str:
    request = urllib.request.Request(server.address + path)
    if host:
        request.add_header("Host", host)
    with urllib.request.urlopen(request, timeout=10) as answer:
        return str(answer.read().decode())


def test_the_page_asks_for_the_state_and_links_the_report(server: LiveServer) -> None:
    assert "state.json" in _get(server, "")
    state = json.loads(_get(server, "state.json"))
    assert state["line"].startswith("finished")
    assert state["done"] == state["total"] == 6
    assert [row[0] for row in state["rows"]] == ["data", "graph", "parameters"]
    address = state["reports"][TITLE].lstrip("/")
    assert "Dagathlon report" in _get(server, address)


@pytest.mark.parametrize("path", ["store/index.sqlite", "report/..%2fstudy.json", "report/none"])
def test_nothing_else_is_served(server: LiveServer, path: str) -> None:
    with pytest.raises(urllib.error.HTTPError, match="404"):
        _get(server, path)


def test_other_names_for_this_machine_are_refused(server: LiveServer) -> None:
    with pytest.raises(urllib.error.HTTPError, match="403"):
        _get(server, "state.json", host="evil.example:80")


def test_a_folder_without_results_is_a_mistake_with_a_reason(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["serve", str(tmp_path)]) == 2
    assert "there is no store here" in capsys.readouterr().err
