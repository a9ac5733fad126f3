"""``dagathlon fit`` and ``dagathlon query``, driven as a user drives them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from dagathlon import Network, fit, read_data, read_graph, read_network
from dagathlon.cli import USER_ERROR, main


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    lines = ['"wet, grass",rain=hail', *("yes,no" for _ in range(3)), "no,no", "yes,yes", ""]
    (tmp_path / "d.csv").write_text("\n".join(lines))
    (tmp_path / "g.txt").write_text("")
    return tmp_path


def test_fit_writes_what_python_fits(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    data, graph, out = (str(tmp_path / name) for name in ("d.csv", "g.csv", "n.bif"))
    sampled = ["sample", "--network", "survey", "--n", "300", "--out", data, "--truth", graph]
    assert main(sampled) == 0
    assert main(["fit", data, graph, "--out", out, "--prior", "2"]) == 0
    assert "6 nodes, 6 arcs" in capsys.readouterr().out
    assert read_network(out) == fit(read_data(data), read_graph(graph), prior=2)
    assert main(["fit", data, graph, "--out", out, "--method", "mle"]) == 0
    assert read_network(out) == fit(read_data(data), read_graph(graph), method="mle")


def test_fit_says_which_dag_it_took_and_refuses_bif_for_numbers(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    data, graph = str(tmp_path / "d.csv"), tmp_path / "g.txt"
    rows = [f"{i + 0.5},{2 * i + i % 3 + 0.5}" for i in range(20)]
    Path(data).write_text("\n".join(["A,B", *rows, ""]))
    graph.write_text("A - B\n")
    assert main(["fit", data, str(graph), "--out", str(tmp_path / "n.bif")]) == USER_ERROR
    assert "write n.dagnet instead" in capsys.readouterr().err
    assert main(["fit", data, str(graph), "--out", str(tmp_path / "n.dagnet")]) == 0
    said = capsys.readouterr().err
    assert said.startswith("1 edge of the graph has no direction; ")
    assert "one was taken: A -> B\n" in said or "one was taken: B -> A\n" in said
    assert main(["query", str(tmp_path / "n.dagnet"), "--target", "B", "--evidence", "A=3"]) == 0
    assert capsys.readouterr().out.split()[:3] == ["variable", "mean", "sd"]


def test_fit_reads_data_as_other_commands_do(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    data, graph, out = (str(tmp_path / name) for name in ("d.csv", "g.txt", "n.bif"))
    Path(data).write_text("id,A,B\n" + "".join(f"p{i},{i / 7},{i % 3}\n" for i in range(30)))
    Path(graph).write_text("A -> B\n")
    flags = ["--kinds=id=id,B=ordinal", "--discretize=equal_frequency[levels=2]"]
    assert main(["fit", data, graph, "--out", out, *flags]) == 0
    assert "discrete, 2 nodes, 1 arc" in capsys.readouterr().out


def test_query_prints_a_table_or_json(capsys: pytest.CaptureFixture[str]) -> None:
    asked = ["query", "asia", "--target", "bronc", "--evidence", "dysp=yes, xray=no"]
    assert main(asked) == 0
    assert "yes    0.863392" in capsys.readouterr().out
    assert main([*asked, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    wanted = Network.load("asia").query("bronc", {"dysp": "yes", "xray": "no"})
    assert found["evidence"] == {"dysp": "yes", "xray": "no"}
    assert found["log_evidence"] == pytest.approx(wanted.log_evidence)
    assert found["answers"][0]["table"][0] == {"levels": ["yes"], "probability": wanted["yes"]}


def test_query_sets_variables_and_finds_the_most_probable(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["query", "asia", "--target", "smoke", "--do", "bronc=yes", "--json"]) == 0
    answer = json.loads(capsys.readouterr().out)["answers"][0]
    assert answer["table"][0]["probability"] == pytest.approx(0.5)
    assert main(["query", "asia", "--map", "--evidence", '{"dysp": "yes"}', "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["levels"]["bronc"] == "yes"
    assert len(found["levels"]) == 8


def test_without_a_target_every_variable_is_answered(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["query", "asia", "--evidence", "dysp=yes"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert sum(line.endswith("probability") for line in lines) == 7


@pytest.mark.parametrize("evidence", ['"wet, grass"=yes', '{"wet, grass": "yes"}'])
def test_odd_names_can_be_asked_for(
    folder: Path, capsys: pytest.CaptureFixture[str], evidence: str
) -> None:
    (folder / "g.csv").write_text('"wet, grass",rain=hail\n0,0\n1,0\n')
    net = str(folder / "n.bif")
    assert main(["fit", str(folder / "d.csv"), str(folder / "g.csv"), "--out", net]) == 0
    capsys.readouterr()
    assert main(["query", net, "--target", "rain=hail", "--evidence", evidence]) == 0
    assert "rain=hail  probability" in capsys.readouterr().out
    assert main(["query", net, "--target", "wet, grass", "--evidence", "rain=hail=no"]) == 0


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (["--target", "brnc"], "did you mean 'bronc'"),
        (["--evidence", "dyps=yes"], "did you mean 'dysp'"),
        (["--evidence", "dysp"], "expected NAME=VALUE"),
        (["--evidence", "{x"], "not JSON"),
        (["--evidence", "either=no,lung=yes"], "probability zero"),
    ],
)
def test_mistakes_have_reasons(
    capsys: pytest.CaptureFixture[str], arguments: list[str], reason: str
) -> None:
    assert main(["query", "asia", *arguments]) == USER_ERROR
    assert reason in capsys.readouterr().err
