"""The commands that read data, networks and graphs, driven as a user drives them."""

from __future__ import annotations

import json
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from dagathlon import Network, read_data, read_graph
from dagathlon.cli import INTERRUPTED, USER_ERROR, main


def test_networks_are_listed_with_their_sizes_and_origin(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["networks"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].split() == ["name", "kind", "nodes", "arcs", "parameters"]
    assert ["alarm", "discrete", "37", "46", "509"] in [line.split() for line in lines]
    assert ["ecoli70", "gaussian", "46", "70", "162"] in [line.split() for line in lines]
    assert any(line.startswith("origin: ") for line in lines)
    assert any(line.startswith("licence: ") for line in lines)


def test_sample_writes_what_the_network_draws(tmp_path: Path) -> None:
    out = tmp_path / "asia.csv"
    assert (
        main(["sample", "--network", "asia", "--n", "500", "--seed", "3", "--out", str(out)]) == 0
    )
    drawn = Network.load("asia").sample(500, 3)
    assert (read_data(out).codes == drawn.codes).all()


def test_sample_writes_the_truth_too(tmp_path: Path) -> None:
    rows, truth = str(tmp_path / "asia.csv"), tmp_path / "truth.csv"
    asked = ["sample", "--network", "asia", "--n", "5", "--out", rows, "--truth", str(truth)]
    assert main(asked) == 0
    assert read_graph(truth) == Network.load("asia").graph


@pytest.mark.skipif(shutil.which("bash") is None, reason="needs bash")
def test_the_shell_finishes_commands(capfd: pytest.CaptureFixture[str]) -> None:
    assert main(["completion", "bash"]) == 0
    script = capfd.readouterr().out
    asking = 'COMP_WORDS=(dagathlon comp); COMP_CWORD=1; _shtab_dagathlon; echo "${COMPREPLY[@]}"'
    asked = ["bash", "-c", f"{script}\n{asking}"]
    answer = subprocess.run(asked, capture_output=True, text=True, check=True).stdout
    assert answer.split() == ["compare", "completion"]


def test_learn_and_compare(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    data, graph, stats = (str(tmp_path / name) for name in ("d.csv", "g.csv", "s.json"))
    rows = [f"{i},{2 * i + i % 3},{(7 * i) % 11 + 0.5}" for i in range(40)]
    Path(data).write_text("\n".join(["A,B,C", *rows, ""]))
    spec = "corr_thresh[thresh=0.5]"
    assert main(["learn", data, "--with", spec, "--out", graph, "--stats", stats]) == 0
    assert [str(edge) for edge in read_graph(graph).edges()] == ["A - B"]
    assert json.loads(Path(stats).read_text())["n_edges"] == 1
    capsys.readouterr()
    assert main(["compare", graph, graph, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["SHD_pattern"] == 0


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("A,B\n1.5,2\n3\n", "line 3: found 1 field where the header has 2"),
        ("A,B,A,A\n1,2,0,1\n1,2,0,1\n", "line 1: the name 'A' stands more than twice"),
        ("A,B\n1.5,2.5\nlow,3.5\n2.5,1\n", "line 3, column 'A': found 'low'"),
        ("A,B\n1.5,2.5\ninf,3.5\n", "line 3, column 'A': found an infinite"),
        ("A,B\n", "no rows"),
        ("", "the file is empty"),
    ],
)
def test_bad_data_give_one_line(
    text: str, message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file, out = tmp_path / "data.csv", tmp_path / "graph.csv"
    file.write_text(text)
    command = ["learn", str(file), "--with", "corr_thresh", "--out", str(out)]
    assert main(command) == USER_ERROR
    printed = capsys.readouterr()
    assert printed.out == ""
    assert printed.err.startswith(f"dagathlon: {file}")
    assert message in printed.err
    assert printed.err.count("\n") == 1
    assert not out.exists()


def test_a_warning_shows_no_line_of_code(tmp_path: Path) -> None:
    file = tmp_path / "data.csv"
    file.write_text("A,B\n1.5,2\n1.5,4.5\n1.5,3\n")
    command = ["learn", str(file), "--with", "corr_thresh", "--out", str(tmp_path / "g.csv")]
    done = subprocess.run(
        [sys.executable, "-m", "dagathlon", *command], capture_output=True, text=True, check=True
    )
    lines = done.stderr.splitlines()
    assert f"dagathlon: warning: {file}: column 'A' with one value only" in lines[0]
    assert lines[1:] == [f"{file}: 3 rows × 2 columns: continuous"]


@pytest.mark.slow
def test_an_interrupt_ends_a_learner_inside_native_code(tmp_path: Path) -> None:
    data = tmp_path / "data.csv"
    assert main(["sample", "--network", "asia", "--n", "50", "--out", str(data)]) == 0
    spec = "order_mcmc[iterations=100000000000]"
    command = [sys.executable, "-m", "dagathlon", "learn", str(data), "--with", spec]
    learning = subprocess.Popen(
        [*command, "--out", str(tmp_path / "graph.csv")], stderr=subprocess.PIPE, text=True
    )
    try:
        assert learning.stderr is not None
        assert "50 rows" in learning.stderr.readline()  # from here on it learns
        with pytest.raises(subprocess.TimeoutExpired):
            learning.wait(1)
        learning.send_signal(signal.SIGINT)
        _, errors = learning.communicate(timeout=30)
    finally:
        learning.kill()  # it would go on for ages after a failure
    assert learning.returncode == INTERRUPTED
    assert "Traceback" not in errors


def test_bundled_data_are_read_by_their_names(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["learn", "sachs_cd3cd28.csv", "--with", "corr_thresh[thresh=0.9]"]) == 0
    assert capsys.readouterr().err.startswith("sachs_cd3cd28.csv: 853 rows × 11 columns")
    assert main(["learn", "sachs_cd3cd28", "--with", "pc", "--drop", "Raf"]) == USER_ERROR
    assert "bundled data are read as they are" in capsys.readouterr().err
    # A file of that name is what is meant where there is one.
    Path("sachs_cd3cd28.csv").write_text("a,b\n0.5,1.5\n1.5,0.5\n2.5,3.5\n")
    assert main(["learn", "sachs_cd3cd28.csv", "--with", "corr_thresh"]) == 0
    assert "3 rows × 2 columns" in capsys.readouterr().err
