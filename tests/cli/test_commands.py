from __future__ import annotations

import csv
import json
import sqlite3
import subprocess
import sys

import pytest

from dagathlon.cli import main
from dagathlon.graphs import Graph
from dagathlon.posteriors import Posterior, write_posterior
from dagathlon.study.store.results_folder import INDEX


@pytest.fixture
def run(tmp_path, monkeypatch, capsys):
    """Run a command in a folder of its own; gives its exit code, output and errors."""
    monkeypatch.chdir(tmp_path)

    def run(*arguments: str) -> tuple[int, str, str]:
        code = main([str(argument) for argument in arguments])
        shown = capsys.readouterr()
        return code, shown.out, shown.err

    return run


def test_no_arguments_is_friendly(run) -> None:
    code, out, _ = run()
    assert code == 0
    assert "dagathlon run studies/quickstart.json" in out


def test_learn_and_compare(run, tmp_path) -> None:
    assert (
        run("sample", "--network", "ecoli70", "--n", "200", "--seed", "3", "--out", "d.csv")[0] == 0
    )
    spec = "corr_thresh[thresh=0.4]"
    code, out, _ = run("learn", "d.csv", "--with", spec, "--out", "g.csv", "--stats", "s.json")
    assert code == 0
    assert "between 46 nodes: g.csv" in out
    stats = json.loads((tmp_path / "s.json").read_text())
    assert stats["learner"] == "corr_thresh"
    assert stats["n_edges"] > 0
    code, out, _ = run("compare", "g.csv", "g.csv", "--json")
    metrics = json.loads(out)
    assert code == 0
    assert metrics["SHD"] == 0
    assert metrics["TP_skel"] == stats["n_edges"]


def test_compare_says_which_nodes_are_left_out(run, tmp_path) -> None:
    (tmp_path / "e.csv").write_text("A,B,Z\n0,1,0\n0,0,0\n0,0,0\n")
    (tmp_path / "t.csv").write_text("A,B,C\n0,1,0\n0,0,1\n0,0,0\n")
    code, out, err = run("compare", "e.csv", "t.csv", "--json")
    metrics = json.loads(out)
    assert code == 0
    assert metrics["n_nodes"] == 2
    assert metrics["n_nodes_left_out"] == 2
    assert metrics["SID"] == metrics["SHD_half"] == 0
    assert metrics["v_structure_F1"] is None
    assert "compared over the 2 nodes of both; left out: C, Z" in err
    assert "parent_AID" in run("compare", "e.csv", "t.csv")[1]


def test_the_same_seed_draws_the_same_data(run, tmp_path) -> None:
    for name in ("a.csv", "b.csv"):
        run("sample", "--network", "asia", "--n", "50", "--seed", "9", "--out", name)
    assert (tmp_path / "a.csv").read_bytes() == (tmp_path / "b.csv").read_bytes()
    assert (tmp_path / "a.csv").read_text().splitlines()[1] == "2,2,2,2,2,2,2,2"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("run", "nothing.json"), "nothing.json: there is no such file"),
        (("check", "no/thing.json"), "no/thing.json: there is no such file, and no folder no"),
        (("sample", "--network", "asia", "--n", "5", "--out", "no/d.csv"), "there is no folder no"),
        (("learn", "no.csv", "--with", "corr_thresh", "--out", "g.csv"), "no.csv"),
        (
            ("learn", "d.csv", "--with", "pc", "--out", "no/g.csv"),
            "no/g.csv: cannot be written (there is no folder no)",
        ),
        (
            ("learn", "d.csv", "--with", "pc", "--out", "g.csv", "--stats", "no/s.json"),
            "no/s.json: cannot be written (there is no folder no)",
        ),
        (("learn", "d.csv", "--with", "pc", "--out", "."), ".: cannot be written (it is a folder)"),
        (("learn", "d.csv", "--with", "pc", "--out", "g.png"), "g.png: which format?"),
        (("modules", "corr_tresh"), "did you mean 'corr_thresh'"),
        # Names as the Benchpress paper prints them.
        (("modules", "gues"), "did you mean 'grues'"),
        (("modules", "tetrad_lingam"), "did you mean 'tetrad_ica-lingam'"),
        (("modules", "tetrad_pc-all"), "did you mean 'tetrad_pc'"),
        (("modules", "binary_bn"), "did you mean 'bin_bn'"),
        (("modules", "fixed_data"), "is not a module: name the file in 'data_id' of a data entry"),
        (("sample", "--network", "alrm", "--n", "5", "--out", "d.csv"), "did you mean 'alarm'"),
        (("sample", "--network", "alarm", "--n", "0", "--out", "d.csv"), "--n is at least 1"),
        (("compare", "a.csv", "b.csv"), "a.csv"),
        (("report", "."), "there are no results of a study here"),
        (("new", "study", "s.json", "--pick", "pq"), "unknown algorithm module 'pq'"),
        (("new", "study", "s.json", "--data", "alarm"), "need at least one --pick"),
        (("new", "learner", "a b.py"), "a learner is a Python file"),
    ],
)
def test_mistakes_have_exit_code_2_and_a_reason(run, arguments, message) -> None:
    code, _, err = run(*arguments)
    assert code == 2
    assert message in err
    assert "Traceback" not in err


def test_a_learner_refuses_data_it_cannot_use(run) -> None:
    run("sample", "--network", "asia", "--n", "50", "--out", "d.csv")
    code, _, err = run("learn", "d.csv", "--with", "corr_thresh", "--out", "g.csv")
    assert code == 2
    assert "needs continuous data, not discrete" in err


def test_an_own_learner_from_one_file(run) -> None:
    assert run("new", "learner", "mine.py")[0] == 0
    code, out, _ = run("modules", "mine", "--modules", "mine.py", "--check")
    assert code == 0
    assert "thresh" in out
    assert "All checks passed" in out
    run("sample", "--network", "ecoli70", "--n", "100", "--out", "d.csv")
    spec = ("--with", "mine[thresh=0.5]", "--modules", "mine.py")
    assert run("learn", "d.csv", *spec, "--out", "g.csv")[0] == 0


@pytest.mark.slow
def test_a_picked_study_runs_and_reports(run, tmp_path) -> None:
    pick = ("--pick", "corr_thresh[thresh=0.2,0.4]", "--pick", "prec_thresh")
    assert run("new", "study", "s.json", *pick, "--data", "ecoli70[n=100,seeds=2]")[0] == 0
    code, out, _ = run("check", "s.json")
    assert code == 0
    assert "s: 2 data sets, 6 learning runs, 6 benchmark rows" in out
    assert run("run", "s.json", "--jobs", "1", "--quiet")[0] == 0
    table = (tmp_path / "results/s/benchmarks/joint_benchmarks.csv").read_text().splitlines()
    assert len(table) == 7
    assert table[0].startswith(",TP_pattern,FP_pattern")
    report = (tmp_path / "results/s/report.html").read_text()
    assert "corr_thresh" in report
    assert "the folder above: give results\n" in run("status", "results/s")[2]
    (tmp_path / "results/s/report.html").unlink()
    assert run("report", "results")[0] == 0
    assert (tmp_path / "results/s/report.html").read_text() == report
    code, out, _ = run("check", "s.json")
    assert "computing left" not in out
    assert out.splitlines()[2].split() == ["graph", "1", "1"]


def test_codes_of_failures_are_still_retried(run, tmp_path) -> None:
    """A store of an earlier version has F2 where it says error now; so do scripts."""
    pick = ("--pick", "corr_thresh", "--data", "ecoli70[n=50]")
    assert run("new", "study", "s.json", *pick)[0] == 0
    again = ("run", "s.json", "--engine", "inline", "--quiet", "--figures", "none")
    assert run(*again)[0] == 0
    index = sqlite3.connect(tmp_path / "results/store" / INDEX)
    with index:
        index.execute("DELETE FROM results WHERE kind IN ('estimate', 'score')")
        lost = "status = 'F2', reason = 'x', digest = NULL, size = NULL, inline = NULL"
        index.execute(f"UPDATE results SET {lost} WHERE kind = 'learn'")
    assert "error  corr_thresh: " in run(*again, "--retry", "timeout")[2]
    code, _, err = run(*again, "--retry", "F1,F2")
    assert (code, "error  corr_thresh" in err) == (0, False)
    assert "note: --retry F2 is --retry error now" in err
    code, _, err = run(*again, "--retry", "late")
    assert (code, "'late'" in err) == (2, True)


@pytest.mark.slow
def test_tables_say_how_far_a_result_is_to_be_trusted(run, tmp_path) -> None:
    pick = ("--pick", "order_mcmc[iterations=2000]", "--pick", "exact_map[max_parents=2]")
    assert run("new", "study", "s.json", *pick, "--data", "asia[n=200,seeds=1]")[0] == 0
    assert run("run", "s.json", "--jobs", "1", "--quiet")[0] == 0
    with (tmp_path / "results/s/benchmarks/joint_benchmarks.csv").open() as file:
        chain, best = csv.DictReader(file)
    assert float(chain["rhat_score"]) < 1.2
    assert float(chain["ess_size"]) > 10
    assert (float(best["gap"]), best["proven"], best["ess_size"]) == (0, "TRUE", "NA")


def test_a_starting_study_checks(run) -> None:
    assert run("new", "study", "mine.json")[0] == 0
    assert run("check", "mine.json")[0] == 0
    code, _, err = run("new", "study", "mine.json")
    assert code == 2
    assert "exists already" in err


def test_schema_accepts_what_check_accepts(run) -> None:
    code, out, _ = run("schema")
    schema = json.loads(out)
    assert code == 0
    sections = schema["properties"]["resources"]["properties"]
    assert "corr_thresh" in sections["structure_learning_algorithms"]["properties"]


def test_the_module_is_a_program(tmp_path) -> None:
    command = [sys.executable, "-m", "dagathlon", "--version"]
    done = subprocess.run(command, capture_output=True, text=True, check=True, cwd=tmp_path)
    assert done.stdout.startswith("dagathlon ")


def test_compare_scores_a_posterior(run, tmp_path) -> None:
    truth = Graph.from_edges([("A", "B")], names="AB")
    turned = Graph.from_edges([("B", "A")], names="AB")
    write_posterior(Posterior.of([truth, turned, truth, truth]), tmp_path / "p.npz")
    (tmp_path / "t.csv").write_text("A,B\n0,1\n0,0\n")
    code, out, _ = run("compare", "p.npz", "t.csv", "--json")
    metrics = json.loads(out)
    assert code == 0
    assert metrics["e_shd"] == 0.25
    assert metrics["edge_auroc"] == 1
    assert "nll" not in metrics
    assert "e_cpdag_shd" in run("compare", "p.npz", "t.csv")[1]
    with pytest.raises(SystemExit):
        run("compare", "p.npz", "t.csv", "--burn-in", "2")
