"""``dagathlon draw``, driven as a user drives it."""

from __future__ import annotations

from pathlib import Path

import pytest

from dagathlon.cli import USER_ERROR, main
from dagathlon.graphs import Graph, read_graph, write_graph


def test_a_learned_graph_against_the_truth(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    graph, truth, out = (str(tmp_path / name) for name in ("g.csv", "t.csv", "d.svg"))
    write_graph(Graph.from_edges(["A -> B"], names="ABC"), graph)
    write_graph(Graph.from_edges(["B -> A", "B -> D"]), truth)
    assert main(["draw", graph, "--truth", truth, "--out", out, "--dark"]) == 0
    shown = capsys.readouterr()
    assert "2 nodes and 1 edge:" in shown.out
    assert "left out: C, D" in shown.err
    assert "direction differs: 1" in Path(out).read_text()


def test_networks_on_board_can_be_drawn(tmp_path: Path) -> None:
    assert main(["draw", "asia", "--out", str(tmp_path / "a.dot")]) == 0
    assert read_graph(tmp_path / "a.dot").n_edges == 8


def test_mistakes_have_reasons(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["draw", "asia", "--out", str(tmp_path / "a.jpeg")]) == USER_ERROR
    assert "a drawing ends in one of" in capsys.readouterr().err
    assert main(["draw", str(tmp_path / "none.csv"), "--out", "a.svg"]) == USER_ERROR
