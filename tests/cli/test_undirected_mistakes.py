"""What is said to users who ask undirected learners and their files for what they cannot give."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from dagathlon.cli import main
from dagathlon.data import Dataset, LinearSem, Variable, write_data
from dagathlon.data.spec import DataFacts
from dagathlon.graphs import Graph, GraphPath, write_graph, write_path
from dagathlon.learners.abilities import abilities_of
from dagathlon.learners.undirected.copula import guessed_orders
from dagathlon.learners.undirected.thresholds import path_of
from dagathlon.learners.undirected.unconditional_mcmc import UnconditionalMcmc
from dagathlon.modules import find


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (["p.csv", "g.csv"], "write the path as .npz"),
        (["g.csv", "g.csv", "--precision", "one.csv", "zero.csv"], "zero.csv: a precision matrix"),
    ],
)
def test_compare(
    wrong: list[str],
    message: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    write_graph(Graph.from_edges(["a - b"]), "g.csv")
    write_path(GraphPath("ab", [0.5], [[[0, 1], [1, 0]]]), "p.csv")
    Path("one.csv").write_text("a,b\n1,0\n0,1\n")
    Path("zero.csv").write_text("a,b\n0,0\n0,0\n")
    assert main(["compare", *wrong]) == 2
    assert message in capsys.readouterr().err


def test_one_form_at_a_time(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit, match="2"):
        main(["compare", "g.csv", "g.csv", "--moral", "--dependence"])
    assert "not allowed with argument" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("learner", "message"),
    [
        ("glasso[min_ratio=1]", "dagathlon: glasso: min_ratio must be"),
        ("psi_learner[components=1]", "dagathlon: psi_learner: components must be"),
        ("unconditional_mcmc[score=k2]", "dagathlon: unconditional_mcmc: needs a score"),
    ],
)
def test_values_of_parameters(
    learner: str, message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    data = LinearSem("ab", np.zeros((2, 2))).sample(9, np.random.default_rng(1))
    write_data(data, tmp_path / "d.csv")
    assert main(["learn", str(tmp_path / "d.csv"), "--with", learner]) == 2
    assert message in capsys.readouterr().err


@pytest.mark.parametrize("learner", ["bd_mcmc", "rj_mcmc", "bdgraph_mcmc"])
def test_levels_ask_for_a_copula(
    learner: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "d.csv").write_text("a,b\nyes,no\nno,no\nyes,yes\n")
    assert main(["learn", str(tmp_path / "d.csv"), "--with", learner]) == 2
    assert "which takes them" in capsys.readouterr().err


def test_an_undirected_edge_has_one_probability(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    data = LinearSem("ab", np.array([[0.0, 2.0], [0.0, 0.0]])).sample(99, np.random.default_rng(1))
    write_data(data, tmp_path / "d.csv")
    assert main(["learn", str(tmp_path / "d.csv"), "--with", "exact_decomposable"]) == 0
    assert main(["learn", str(tmp_path / "d.csv"), "--with", "giudici_green[iterations=99]"]) == 0
    said = capsys.readouterr()
    assert "its probability" in said.out + said.err
    assert said.out.splitlines()[-1].split() == ["a", "-", "b", "1.000"]


def test_orders_that_nobody_gave() -> None:
    codes = np.array([[0, 0, 0], [1, 1, 1], [2, 2, 0]])
    words, sizes = ("hi", "lo", "mid"), ("lo", "mid", "hi")
    said = Variable("said", sizes, ordered=True)
    (note,) = guessed_orders(
        Dataset([Variable("words", words), said, Variable("two", ("no", "yes"))], codes)
    )
    assert "words (hi < lo < mid)" in note
    assert "said" not in note
    assert "two" not in note
    counts = [Variable.coded(name, 3) for name in "abc"]
    assert guessed_orders(Dataset(counts, codes)) == ()


def test_path_of_thresholds_is_that_of_all_pairs() -> None:
    strength = np.abs(np.corrcoef(np.random.default_rng(1).normal(size=(5, 40))))
    strength = np.maximum(strength, strength.T)
    path = path_of(tuple("abcde"), strength[np.triu_indices(5, 1)], 0.1)
    above = strength > path.penalties[:, None, None]
    np.testing.assert_array_equal(path.adjacency, above & ~np.eye(5, dtype=np.bool_))


def test_unconditional_dependence_takes_no_constraints() -> None:
    assert "constraints" not in abilities_of(UnconditionalMcmc).takes


def test_paths_that_do_not_fit_into_memory_are_refused() -> None:
    wide = DataFacts("continuous", n_rows=50, n_columns=10_000)
    assert "fewer of them (n_penalties)" in find("algorithm", "glasso").from_json(
        {}
    ).why_unsuitable(wide)
    assert not find("algorithm", "glasso").from_json({"penalty": 0.9}).why_unsuitable(wide)


def test_a_file_of_one_chain_is_refused_before_several_run(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "d.csv"
    values = np.random.default_rng(1).normal(size=(20, 3))
    write_data(Dataset([Variable(name) for name in "abc"], values=values), file)
    asked = ["--with", "mpl_mcmc[chains=2]", "--posterior", str(tmp_path / "chains.csv")]
    assert main(["learn", str(file), *asked]) == 2
    assert "chain" in capsys.readouterr().err
