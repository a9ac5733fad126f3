"""A graph format of one's own, as `examples/own_format.py` is, works wherever graphs are files."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from dagathlon import Graph, read_graph, write_graph
from dagathlon.cli import main
from dagathlon.errors import GraphError
from dagathlon.modules import add_files, modules
from dagathlon.testing.formats import GRAPHS, format_problems

EXAMPLE = Path(__file__).parents[2] / "examples" / "own_format.py"
DAG = Graph.from_edges(["a -> b", "c -> b"], ["a", "b", "c", "d e"])


@pytest.fixture
def tgf() -> Iterator[None]:
    add_files([EXAMPLE])
    yield
    modules.cache_clear()


@pytest.mark.usefixtures("tgf")
def test_files_are_read_and_written_by_their_suffix(tmp_path: Path) -> None:
    file = tmp_path / "Graph.TGF"
    write_graph(DAG, file)
    assert file.read_text() == "1 a\n2 b\n3 c\n4 d e\n#\n1 2\n3 2\n"
    assert read_graph(file) == DAG
    assert read_graph(file, names=["x", *DAG.names]).names == ("x", *DAG.names)
    with pytest.raises(GraphError, match=r"unknown node 'c'"):
        read_graph(file, names=["a", "b"])


@pytest.mark.usefixtures("tgf")
def test_what_the_format_cannot_say_is_refused(tmp_path: Path) -> None:
    with pytest.raises(GraphError, match="format 'tgf' would lose the marks of edges"):
        write_graph(GRAPHS["a CPDAG"], tmp_path / "g.tgf")


def test_commands_take_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rng = np.random.default_rng(1)
    x, z = rng.normal(size=(2, 200))
    rows = np.stack([x, z, x + z + 0.1 * rng.normal(size=200)], axis=1)
    data, out = tmp_path / "d.csv", tmp_path / "g.tgf"
    np.savetxt(data, rows, delimiter=",", header="x,z,y", comments="")
    own = ["--modules", str(EXAMPLE)]
    assert main(["learn", str(data), "--with", "hc", "--out", str(out), *own]) == 0
    assert out.read_text().startswith("1 x\n2 z\n3 y\n#\n")
    assert main(["compare", str(out), str(out), *own]) == 0
    assert "SHD" in capsys.readouterr().out
    assert (
        main(["learn", str(data), "--with", "hc", "--out", str(out), "--format", "tfg", *own]) == 2
    )
    assert "did you mean 'tgf'" in capsys.readouterr().err


@pytest.mark.usefixtures("tgf")
@pytest.mark.parametrize(
    "name", ["tgf", "adjacency", "marks", "bayesys", "edges", "table", "parquet", "dot", "graphml"]
)
def test_formats_pass_their_check(name: str) -> None:
    assert format_problems(name) == []


def test_the_check_finds_formats_that_lie(tmp_path: Path) -> None:
    file = tmp_path / "liar.py"
    file.write_text(
        EXAMPLE.read_text().replace('"tgf"', '"liar"').replace("if not graph.is_dag", "if False")
    )
    add_files([file])
    problems = format_problems("liar")
    assert any(problem.startswith("a CPDAG: it is read back as") for problem in problems)
    assert any(problem.startswith("a PAG: it is read back as") for problem in problems)
    assert not any(problem.startswith("a DAG:") for problem in problems)
