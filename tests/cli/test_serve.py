"""``dagathlon serve``: the page, the state, the reports, and nothing else."""

from __future__ import annotations

import csv
import json
import shutil
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote

import pytest

from dagathlon.cli import main
from dagathlon.cli.serve import server_of
from dagathlon.report.live.page import LiveServer
from dagathlon.study.store.store import Store
from dagathlon.workflow import Study

TITLE = "small&odd"
BOTH = {"ids": ["<b>correlation</b>", "precision"]}
STUDY = {
    "benchmark_setup": [
        {
            "title": TITLE,
            "data": [{"graph_id": "g", "parameters_id": "p", "data_id": "d", "seed_range": [1, 2]}],
            "evaluation": {"graph_true_stats": True, "graph_plots": [], "benchmarks": BOTH},
        }
    ],
    "resources": {
        "graph": {"pcalg_randdag": [{"id": "g", "n": 4, "d": 2}]},
        "parameters": {"sem_params": [{"id": "p", "min": 0.25, "max": 1}]},
        "data": {"iid": [{"id": "d", "n": 10, "standardized": True}]},
        "structure_learning_algorithms": {
            "corr_thresh": [{"id": "<b>correlation</b>", "thresh": [0.1, 0.9]}],
            "prec_thresh": [{"id": "precision", "thresh": 0.2}],
        },
    },
}


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LiveServer]:
    folder = tmp_path_factory.mktemp("served")
    (folder / "study.json").write_text(json.dumps(STUDY), "utf-8")
    Study.load(folder / "study.json").run(folder / "out", jobs=1)
    with server_of(folder / "out") as made:
        threading.Thread(target=made.serve_forever, daemon=True).start()
        yield made
        made.shutdown()


def _get(server: LiveServer, path: str, host: str | None = None) -> str:
    request = urllib.request.Request(server.address + path)
    if host:
        request.add_header("Host", host)
    with urllib.request.urlopen(request, timeout=60) as answer:
        return str(answer.read().decode())


def test_the_page_asks_for_the_state_and_links_the_report(server: LiveServer) -> None:
    assert server.state_address in _get(server, "")
    state = json.loads(_get(server, server.state_address))
    assert state["line"].startswith("finished")
    assert state["done"] == state["total"] == 18
    kinds = ["data", "graph", "learn", "learn", "parameters", "score"]
    assert [row[0] for row in state["rows"]] == kinds
    address = state["reports"][TITLE].lstrip("/")
    assert "Dagathlon report" in _get(server, address)


def test_the_scoreboard_has_the_means_of_the_tables(server: LiveServer) -> None:
    (board,) = json.loads(_get(server, server.state_address))["boards"]
    assert (board["title"], board["there"], board["planned"]) == (TITLE, 6, 6)
    assert board["words"] == "all 6 runs are in"
    assert "came closest to the truth" in board["lead"]
    assert "<b>" not in board["lead"]
    assert board["header"][:5] == ["place", "setting", "runs", "failed", "SHD (CPDAG) ↓"]
    with (server.folder / TITLE / "benchmarks" / "joint_benchmarks.csv").open() as stream:
        rows = list(csv.DictReader(stream))
    means = {}
    for row in rows:
        name = "precision" if row["id"] == "precision" else f"{row['id']}, thresh = {row['thresh']}"
        means.setdefault(name, []).append(float(row["SHD_cpdag"]))
    expected = {name: f"{sum(found) / 2:.3g}" for name, found in means.items()}
    assert {row[1]: row[4].partition(" ")[0] for row in board["rows"]} == expected
    assert [float(row[4].partition(" ")[0]) for row in board["rows"]] == sorted(
        map(float, expected.values())
    )
    assert {row[2] for row in board["rows"]} == {"2 of 2"}
    # ▾ marks means that are worse than that of the best baseline.
    assert {row[4].partition(" ")[2] for row in board["rows"]} == {"", "▾"}
    assert [row[0] for row in board["rows"]] == ["1", "2", "3"]


def test_the_scoreboard_grows_with_the_store(server: LiveServer, tmp_path: Path) -> None:
    out = Path(shutil.copytree(server.folder, tmp_path / "out"))
    with Store(out / "store") as store:
        kept = store.connection.execute("SELECT * FROM results").fetchall()
        store.connection.execute("DELETE FROM results WHERE kind = 'score'")
        with server_of(out) as growing:
            (board,) = growing.state()["boards"]
            assert (board["there"], board["data_sets"]) == (0, 0)
            assert "0 of 6 runs are in" in board["words"]
            marks = ",".join("?" * len(kept[0]))
            store.connection.executemany(f"INSERT OR IGNORE INTO results VALUES ({marks})", kept)
            end = time.monotonic() + 60
            while board["there"] < 6 and time.monotonic() < end:
                (board,) = growing.state()["boards"]
            assert (board["there"], board["data_sets"]) == (6, 2)


def test_the_report_so_far_is_made_for_whoever_asks(server: LiveServer) -> None:
    page = _get(server, f"so-far/{quote(TITLE)}")
    assert page == (server.folder / TITLE / "report.html").read_text("utf-8")
    with pytest.raises(urllib.error.HTTPError, match="404"):
        _get(server, "so-far/none")


@pytest.mark.parametrize(
    "path",
    [
        "store/index.sqlite",
        "report/..%2fstudy.json",
        "report/none",
        "state.json",
        "state.json?key=1",
    ],
)
def test_nothing_else_is_served(server: LiveServer, path: str) -> None:
    with pytest.raises(urllib.error.HTTPError, match="404"):
        _get(server, path)


def test_other_names_for_this_machine_are_refused(server: LiveServer) -> None:
    with pytest.raises(urllib.error.HTTPError, match="403"):
        _get(server, server.state_address, host="evil.example:80")


def test_a_folder_without_results_is_a_mistake_with_a_reason(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["serve", str(tmp_path)]) == 2
    assert "there is no store here" in capsys.readouterr().err
