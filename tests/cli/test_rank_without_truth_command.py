"""``dagathlon rank-without-truth``: what is refused and why; runs from a file to a ranking."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from dagathlon import learn, read_data
from dagathlon.cli import USER_ERROR, main
from dagathlon.graphs import cpdag
from dagathlon.modules.registry import FILES

GOOD = ("--with", "hc", "--with", "pc")


def write(name: str, columns: Sequence[str], values: np.ndarray) -> None:
    lines = [",".join(columns), *(",".join(f"{cell:.4f}" for cell in row) for row in values)]
    Path(name).write_text("\n".join([*lines, ""]).replace("nan", ""))


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A chain of four variables, some of its rows, and files that are worse."""
    monkeypatch.chdir(tmp_path)
    noise = np.random.default_rng(3).normal(size=(300, 4))
    values = noise @ np.linalg.inv(np.eye(4) - np.diag([1.0, 1.0, 1.0], 1))
    names = ["a", "b", "c", "d"]
    write("d.csv", names, values)
    write("few.csv", names, values[:30])
    write("one.csv", names, values[:1])
    write("column.csv", ["a"], values[:, :1])
    Path("none.csv").write_text("a,b,c,d\n")
    values[:, 2] = 1.5
    write("constant.csv", names, values)
    values[:, 2] = np.where(np.arange(300) % 7, noise[:, 2], np.nan)
    write("gaps.csv", names, values)
    return tmp_path


@pytest.mark.filterwarnings("ignore::dagathlon.errors.DataWarning")
@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("nothing.csv", *GOOD), "there is no such file"),
        (("none.csv", *GOOD), "none.csv"),
        (("one.csv", *GOOD), "nothing to learn from 1 row of 4 columns"),
        (("column.csv", *GOOD), "nothing to learn from 300 rows of 1 column"),
        (("few.csv", *GOOD), "30 rows are too few to be divided"),
        (("constant.csv", *GOOD), "constant: c."),
        (("d.csv", "--with", "hc"), "two learners or more are compared, and there is hc"),
        (("d.csv", "--with", "hc", "--with", "pcc"), "did you mean 'pc'"),
        (("d.csv", "--with", "hc", "--with", "pc[alpha=7]"), "alpha"),
        (("d.csv", "--with", "hc", "--with", "pc[alpha=]"), "alpha"),
        (("d.csv", "--with", "hc", "--with", "hc"), "hc is given twice"),
        (("d.csv", "--with", "pc", "--with", "pc[alpha=0.05]"), "pc is given twice"),
        (("d.csv", *GOOD, "--sizes", "100,300"), "found 300; subsamples have 2 rows or more"),
        (("d.csv", *GOOD, "--sizes", "1"), "found 1;"),
        (("d.csv", *GOOD, "--sizes", "many"), "write numbers of rows such as 100,200,400"),
        (("d.csv", *GOOD, "--sizes", ""), "write numbers of rows"),
        (("d.csv", *GOOD, "--subsamples", "0"), "subsamples"),
        (("d.csv", *GOOD, "--copies=-1"), "copies"),
        (("d.csv", *GOOD, "--seed=-1"), "seed"),
        (("d.csv", *GOOD, "--jobs=-2"), "--jobs is a number of cores"),
        (("d.csv", *GOOD, "--engine", "loca"), "did you mean 'local'"),
        (("d.csv", *GOOD, "--time-limit", "soon"), "--time-limit"),
        (("d.csv", *GOOD, "--memory-limit", "much"), "--memory-limit"),
        (("d.csv", *GOOD, "--out", "d.csv"), "d.csv"),
        (("gaps.csv", *GOOD), "add --missing drop or --missing impute=5"),
        (("gaps.csv", *GOOD, "--missing", "drop", "--sizes", "257"), "found 257"),
    ],
    ids=lambda one: " ".join(one) if isinstance(one, tuple) else "",
)
def test_wrong_input_is_answered_with_its_reason(
    folder: Path, arguments: tuple[str, ...], words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["rank-without-truth", *arguments]) == USER_ERROR
    shown = capsys.readouterr()
    assert words in shown.err
    assert "Traceback" not in shown.err
    assert not shown.out
    assert not Path("results").exists()


def said(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    code = main(["rank-without-truth", *arguments])
    shown = capsys.readouterr()
    return code, shown.out, shown.err


OWN = '''
import os
import time
from dataclasses import dataclass

from dagathlon import Estimate, Graph, Learner


@dataclass(frozen=True, kw_only=True)
class Fails(Learner):
    """Never has a graph."""

    name = "fails"

    def learn(self, data, rng):
        raise ValueError("there is no way")


@dataclass(frozen=True, kw_only=True)
class Blind(Learner):
    """Finds nothing, slowly, and keeps a diary."""

    name = "blind"
    gives = "dag"
    diary: str = ""

    def learn(self, data, rng):
        if self.diary:
            time.sleep(0.2)
            with open(self.diary, "a") as lines:
                lines.write(f"{len(data)}\\\\n")
        return Estimate(Graph(data.names))
'''


@pytest.mark.slow
def test_from_a_file_to_a_ranking(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    flags = ("--with", "hc", "--with", "pc[alpha=0.01,0.2]", "--sizes", "50,100", "--jobs", "1")
    code, out, err = said(capsys, "d.csv", *flags, "--subsamples", "4")
    assert code == 0
    assert out.startswith("Agreement of 3 learners: ")
    assert "Forecast: not reliable." in out
    assert "report: results/d-interval/report.html" in out
    assert Path("results/d-interval/report.html").is_file()
    assert "0 came from the store" in err
    # By hand: pairs that have the same edge in the classes of all three, on all rows.
    data = read_data("d.csv")
    specs = ("hc", "pc[alpha=0.01]", "pc[alpha=0.2]")
    matrices = [cpdag(learn(data, one).graph).adjacency for one in specs]
    same = [
        (a, b)
        for a in range(4)
        for b in range(a)
        if all(
            one[a, b] == matrices[0][a, b] and one[b, a] == matrices[0][b, a] for one in matrices
        )
    ]
    code, out, err = said(capsys, "d.csv", *flags, "--subsamples", "4", "--json")
    (found,) = json.loads(out)
    assert json.loads(Path("results/d-interval/intersection_validation/interval.json").read_text())
    assert found["forecast"]["n_pairs"] == len(same)
    assert len(found["edges"]) == sum(int(matrices[0][a, b] | matrices[0][b, a]) for a, b in same)
    assert len(found["distances"]) == 3 * 2 * 4
    assert found["sizes"] == [50, 100]
    # More of the same costs what is new alone.
    code, out, err = said(capsys, "d.csv", *flags, "--subsamples", "5")
    assert "8 tasks ran" in err


@pytest.mark.slow
def test_learners_that_fail_and_that_find_nothing(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(FILES, "")
    Path("own.py").write_text(OWN)
    few = ("--modules", "own.py", "--sizes", "100", "--subsamples", "2", "--engine", "inline")
    code, out, _ = said(capsys, "d.csv", *GOOD, "--with", "fails", *few)
    assert code == 0
    assert "Agreement of 2 learners" in out
    assert "fails has no graph of all rows and takes no part: ValueError: there is no way" in out
    code, out, err = said(capsys, "d.csv", "--with", "hc", "--with", "fails", *few)
    assert (code, out) == (USER_ERROR, "")
    assert "fewer than two learners have a graph of all rows" in err
    assert "fails: error, ValueError: there is no way" in err
    code, out, _ = said(capsys, "d.csv", *GOOD, "--with", "blind", *few)
    assert code == 0
    assert "the emptier a graph is the better it" in out
    assert "Forecast: not reliable." in out


@pytest.mark.slow
def test_gaps_leave_learners_out_or_are_filled(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    few = ("--sizes", "100", "--subsamples", "2", "--engine", "inline")
    specs = ("--with", "hc", "--with", "structural_em", "--with", "pc[test=cor.td]")
    code, out, _ = said(capsys, "gaps.csv", *specs, *few)
    assert code == 0
    assert "Agreement of 2 learners" in out
    assert "hc has no graph of all rows and takes no part: hc cannot handle missing" in out
    code, out, err = said(capsys, "gaps.csv", "--missing", "impute=2", *few)
    assert code == 0
    assert "no --with: boss (by a score), pc (by tests), mmhc (by tests and a score)" in err
    assert "Agreement of 3 learners" in out


@pytest.mark.slow
def test_what_was_done_before_a_kill_is_not_done_again(folder: Path) -> None:
    Path("own.py").write_text(OWN)
    diary = folder / "diary.txt"
    given = [*GOOD, "--with", f"blind[diary={diary}]", "--modules", "own.py", "--jobs", "1"]
    command = [
        sys.executable,
        "-m",
        "dagathlon",
        "rank-without-truth",
        "d.csv",
        *given,
        "--sizes",
        "100",
    ]
    with subprocess.Popen(command, stderr=subprocess.DEVNULL) as process:
        while process.poll() is None and not (diary.exists() and len(diary.read_text()) > 20):
            time.sleep(0.01)
        process.kill()
    before = diary.read_text()
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=300)
    assert done.returncode == 0, done.stderr
    # The learner runs eleven times in all; what was stored before is not among the new lines.
    lines = diary.read_text().removeprefix(before).splitlines()
    assert len(lines) < 11
    again = subprocess.run(command, capture_output=True, text=True, check=True, timeout=300)
    assert "\n0 tasks ran" in again.stderr
    assert again.stdout == done.stdout


def test_the_former_name_of_the_command_works_with_a_note(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["interval", "absent.csv"]) == USER_ERROR
    noted, *rest = capsys.readouterr().err.splitlines()
    assert noted == "dagathlon: interval is rank-without-truth now; the old name goes with 1.0"
    assert "absent.csv" in "".join(rest)
