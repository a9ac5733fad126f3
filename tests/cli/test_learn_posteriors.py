"""``dagathlon learn`` with learners that give a distribution over graphs."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from dagathlon.cli import main
from dagathlon.cli._posterior import strength_table
from dagathlon.data import Network, write_data
from dagathlon.learners import learn
from dagathlon.posteriors import read_posterior
from dagathlon.posteriors.edge_strength import EdgeStrengths

Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """Run a command beside 200 rows of asia; gives its exit code, output and errors."""
    monkeypatch.chdir(tmp_path)
    write_data(Network.load("asia").sample(200, seed=4), tmp_path / "d.csv")

    def run(*arguments: str) -> tuple[int, str, str]:
        code = main(["learn", "d.csv", *arguments])
        shown = capsys.readouterr()
        return code, shown.out, shown.err

    return run


def test_edges_are_printed_with_their_probabilities(run: Run) -> None:
    code, out, err = run("--with", "exact_posterior")
    assert code == 0
    found = learn("d.csv", "exact_posterior")
    assert found.posterior is not None
    lines = [line.rsplit(maxsplit=2) for line in out.splitlines()]
    assert [edge.rstrip() for edge, *_ in lines] == [str(edge) for edge in found.graph.edges()]
    place = {name: i for i, name in enumerate(found.posterior.names)}
    for edge, (_, share, joined) in zip(found.graph.edges(), lines, strict=True):
        i, j = place[edge.left], place[edge.right]
        edges = found.posterior.edge_probabilities
        assert float(share) == pytest.approx(edges[i, j], abs=6e-4)
        assert float(joined) == pytest.approx(edges[i, j] + edges[j, i], abs=6e-4)
    assert "P(edge)" in err


def test_a_learner_without_a_posterior_prints_edges_alone(run: Run) -> None:
    _, out, _ = run("--with", "hc")
    assert all(len(line.split()) == 3 for line in out.splitlines())
    assert out


def test_files_and_statistics(run: Run, tmp_path: Path) -> None:
    spec = "partition_mcmc[iterations=2000,chains=2,burnin_frac=0.25]"
    files = ("--posterior", "p.npz", "--strengths", "s.csv", "--stats", "s.json")
    code, _, _ = run("--with", spec, *files)
    assert code == 0
    kept = read_posterior("p.npz")
    found = learn("d.csv", "partition_mcmc", iterations=2000, chains=2)
    assert kept == found.posterior
    late = kept.after(0.25)
    rows = list(csv.DictReader((tmp_path / "s.csv").read_text().splitlines()))
    place = {name: i for i, name in enumerate(kept.names)}
    table = np.zeros((8, 8))
    for row in rows:
        table[place[row["from"]], place[row["to"]]] = float(row["probability"]) * float(
            row["direction"]
        )
    np.testing.assert_allclose(table, late.edge_probabilities, atol=1e-5)
    stats = json.loads((tmp_path / "s.json").read_text())
    assert stats["posterior_draws"] == late.n_draws
    assert stats["posterior_chains"] == 2
    assert stats["posterior_distinct_graphs"] == len(late.graphs())
    assert stats["posterior_entropy"] == pytest.approx(late.entropy)


def test_a_trajectory_of_one_chain(run: Run) -> None:
    assert (
        run("--with", "order_mcmc[iterations=500,mean_edges=false]", "--posterior", "t.csv")[0] == 0
    )
    plain = learn("d.csv", "order_mcmc", iterations=500, mean_edges=False).posterior
    assert plain is not None
    assert read_posterior("t.csv").chains == plain.chains


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--with", "hc", "--strengths", "s.csv"), "--strengths: hc gives one graph"),
        (("--with", "hc", "--posterior", "p.npz"), "--posterior: hc gives one graph"),
        (("--with", "hc", "--posterior", "p.txt"), "posteriors are written as .npz"),
        (("--with", "hc", "--strengths", "no/s.csv"), "there is no folder no"),
        (("--with", "exact_posterior", "--posterior", "p.csv"), "there are none; write an .npz"),
    ],
)
def test_what_cannot_be_written(run: Run, arguments: tuple[str, ...], message: str) -> None:
    code, _, err = run(*arguments)
    assert code != 0
    assert message in err


def test_a_trajectory_of_several_chains_is_refused_before_they_run(run: Run) -> None:
    spec = "order_mcmc[chains=2,iterations=500]"
    code, out, err = run("--with", spec, "--posterior", "t.csv", "--out", "g.csv")
    assert code != 0
    assert "holds one chain, and there are 2" in err
    assert not out
    assert not Path("g.csv").exists()


def test_names_in_tables_of_strengths_are_no_formulas():
    numbers = np.array([[0.0, 0.5], [0.5, 0.0]])
    table = strength_table(EdgeStrengths(("=HYPERLINK(1)", "b"), numbers, numbers))
    assert table.splitlines()[1:] == ["'=HYPERLINK(1),b,0.5,0.5", "b,'=HYPERLINK(1),0.5,0.5"]
