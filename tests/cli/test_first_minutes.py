"""What a person meets in the first minutes: slips, own modules, limits, plain answers."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from dagathlon.cli import USER_ERROR, main
from processes import has_ended

Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("DAGATHLON_MODULES", "")

    def run(*arguments: str) -> tuple[int, str, str]:
        try:
            code = main(arguments)
        except SystemExit as ended:
            code = int(ended.code or 0)
        shown = capsys.readouterr()
        return code, shown.out, shown.err

    return run


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("rnu", "s.json"), "dagathlon: there is no command 'rnu' (did you mean 'run'?)"),
        (("run", "s.json", "--job", "x", "--limt", "3"), "dagathlon run:"),
        (
            ("run", "s.json", "--limt", "3"),
            "unrecognised option '--limt' (did you mean '--limit'?)",
        ),
        (("learn", "d.csv", "--with", "pc", "again"), "dagathlon learn: unrecognised argument 'ag"),
        (("run",), "required: study"),
        (
            ("new", "stdy", "s.json"),
            "new: argument what: 'stdy' (did you mean 'study'?) is none of",
        ),
        (("new", "it's", "s.json"), '"it\'s" is none of study, module, learner'),
        (("store", "sizee", "results"), "'sizee' (did you mean 'size'?) is none of gc, verify, si"),
        (("new", "module", "m", "--language", "pyton"), "argument --language: 'pyton' (did you me"),
    ],
)
def test_slips_are_answered_in_two_lines(
    run: Run, arguments: tuple[str, ...], message: str
) -> None:
    code, _, err = run(*arguments)
    assert code == USER_ERROR
    assert message in err
    assert err.splitlines()[-1].startswith("help: dagathlon")
    assert len(err.splitlines()) == 2


def test_edges_are_printed_where_no_file_is_named(run: Run) -> None:
    run("sample", "--network", "asia", "--n", "2000", "--out", "d.csv")
    code, out, err = run("learn", "d.csv", "--with", "hc")
    assert code == 0
    assert "smoke -> lung" in out or "lung -> smoke" in out
    assert err.startswith("d.csv: 2,000 rows × 8 columns: discrete, 2 levels\n")
    assert f"{len(out.splitlines())} edges between 8 nodes" in err


SPINNER = """
import re
from dataclasses import dataclass
from dagathlon import Learner

@dataclass(frozen=True, kw_only=True)
class Spinner(Learner):
    \"\"\"Stays in native code for ever.\"\"\"

    name = "spinner"

    def learn(self, data, rng):
        re.match(r"(a+)+$", "a" * 64 + "b")
"""


@pytest.mark.slow
def test_a_timeout_ends_native_code_and_programs(run: Run, tmp_path: Path) -> None:
    run("sample", "--network", "ecoli70", "--n", "500", "--out", "d.csv")
    run("new", "module", "sleeper", "--language", "shell")
    (tmp_path / "sleeper" / "learn.sh").write_text(f"sleep 60 & echo $! > {tmp_path}/pid; wait\n")
    sleeper = ["--with", "sleeper[timeout=5]", "--modules", "sleeper"]
    Path("spinner.py").write_text(SPINNER)
    endless = ["--with", "spinner", "--modules", "spinner.py", "--time-limit", "5s"]
    for learner in (sleeper, endless):
        command = [sys.executable, "-m", "dagathlon", "learn", "d.csv", *learner]
        done = subprocess.run(
            [*command, "--out", "g.csv"], capture_output=True, text=True, timeout=50, check=False
        )
        assert done.returncode == USER_ERROR
        assert "stopped at the time limit of 5 s" in done.stderr
        assert "Traceback" not in done.stderr
        assert not Path("g.csv").exists()
    assert has_ended(Path("pid").read_text().strip())


def test_forgotten_ids_are_pointed_out(run: Run) -> None:
    run("new", "study", "s.json", "--pick", "hc", "--pick", "pc")
    study = json.loads(Path("s.json").read_text())
    assert "not run" not in run("check", "s.json")[1]
    study["resources"]["structure_learning_algorithms"]["tabu"] = [{"id": "tabu-mine"}]
    Path("s.json").write_text(json.dumps(study))
    assert "not run: tabu-mine\n" in run("check", "s.json")[1]
    many = [{"id": f"tabu-{i}"} for i in range(9)]
    study["resources"]["structure_learning_algorithms"]["tabu"] = many
    Path("s.json").write_text(json.dumps(study))
    assert "not run: 9 algorithms, in no list of ids" in run("check", "s.json")[1]


def test_a_study_that_learns_nothing_says_so(run: Run) -> None:
    run("new", "study", "s.json", "--pick", "hc")
    study = json.loads(Path("s.json").read_text())
    study["benchmark_setup"][0]["evaluation"] = {}
    Path("s.json").write_text(json.dumps(study))
    assert "nothing is learned, since no evaluation names an algorithm" in run("check", "s.json")[1]
    code, _, err = run("run", "s.json", "--jobs", "1")
    assert code == 0
    assert "warning: s: nothing is learned" in err
    page = Path("results/s/report.html").read_text()
    assert "Nothing was learned" in page
    assert "0 algorithms" not in page


def test_mistakes_in_an_own_learner_are_named(run: Run) -> None:
    Path("empty.py").write_text("x = 1\n")
    code, _, err = run("modules", "empty", "--modules", "empty.py")
    assert code == USER_ERROR
    assert "empty.py: no module is defined here; a learner is a frozen dataclass" in err
    run("new", "learner", "nameless.py")
    text = Path("nameless.py").read_text().replace('    name = "nameless"\n', "")
    Path("nameless.py").write_text(
        "from dagathlon.learners.order.order_search import Boss\n" + text
    )
    code, _, err = run("modules", "nameless", "--modules", "nameless.py")
    assert code == USER_ERROR
    assert "nameless.py: no module is defined here" in err


def test_a_learner_that_returns_something_else(run: Run) -> None:
    run("new", "learner", "wrong_return.py")
    text = Path("wrong_return.py").read_text()
    Path("wrong_return.py").write_text(text.replace("return Estimate(", "return str("))
    out = run("modules", "wrong_return", "--modules", "wrong_return.py", "--check")[1]
    assert "it returned a str in place of an Estimate" in out
    run("sample", "--network", "ecoli70", "--n", "50", "--out", "d.csv")
    code, _, err = run("learn", "d.csv", "--with", "wrong_return", "--modules", "wrong_return.py")
    assert code == USER_ERROR
    assert "wrong_return: it returned a str in place of an Estimate" in err


def test_a_study_with_an_own_learner_and_an_own_file_elsewhere(run: Run) -> None:
    Path("studies").mkdir()
    run("new", "learner", "own.py")
    run("sample", "--network", "ecoli70", "--n", "50", "--out", "my data.csv")
    made = run(
        *("new", "study", os.path.join("studies", "s.json"), "--modules", "own.py"),
        *("--pick", "own", "--pick", "pc", "--data", "my data.csv"),
    )
    assert made[0] == 0
    study = json.loads(Path("studies/s.json").read_text())
    assert study["modules"] == ["../own.py"]
    assert study["benchmark_setup"][0]["data"][0]["data_id"] == "../my data.csv"
    code, out, err = run("check", "studies/s.json")
    assert code == 0
    assert all(line.startswith("executes the code in ") for line in err.splitlines())
    assert "own: 1" in out


def test_data_and_truths_are_found_from_where_the_study_is(run: Run) -> None:
    Path("studies").mkdir()
    run("sample", "--network", "ecoli70", "--n", "50", "--out", "my [new] data.csv")
    run("learn", "my [new] data.csv", "--with", "corr_thresh", "--out", "my graph.csv")
    specs = [
        "my [new] data.csv[truth=my graph.csv]",
        "my [new] data.csv[truth=ecoli70.csv]",
        "sachs_pma[truth=sachs]",
    ]
    given = [word for spec in specs for word in ("--data", spec)]
    assert run("new", "study", "studies/s.json", "--pick", "pc", *given)[0] == 0
    entries = json.loads(Path("studies/s.json").read_text())["benchmark_setup"][0]["data"]
    assert [(entry["data_id"], entry["graph_id"]) for entry in entries] == [
        ("../my [new] data.csv", "../my graph.csv"),
        ("../my [new] data.csv", "bundled:ecoli70"),
        ("bundled:sachs_pma", "bundled:sachs"),
    ]
    code, _, err = run("check", "studies/s.json")
    assert (code, err) == (0, "")
    err = run("new", "study", "t.json", "--pick", "pc", "--data", "my dta.csv[truth=g.csv]")[2]
    assert "unknown bundled network or data file 'my dta.csv'" in err
    assert "names no data" in run("new", "study", "t.json", "--pick", "pc", "--data", " ")[2]


@pytest.mark.parametrize("name", ["my study.json", "store.json", " .json"])
def test_a_study_of_any_file_name_can_be_checked(run: Run, name: str) -> None:
    code, out, _ = run("new", "study", name)
    assert code == 0
    command = shlex.split(out.splitlines()[-1])
    assert command == ["next:", "dagathlon", "check", name]
    code, _, err = run("check", name)
    assert (code, err) == (0, "")


@pytest.mark.slow
def test_reports_of_several_studies_are_written_again(run: Run) -> None:
    for name in ("one", "two"):
        run("new", "study", f"{name}.json", "--pick", "corr_thresh", "--data", "ecoli70[seeds=1]")
        assert run("run", f"{name}.json", "--jobs", "1", "--quiet")[0] == 0
    code, out, _ = run("report", "results")
    assert code == 0
    assert out.split() == [
        *("report:", "results/one/report.html", "report:", "results/two/report.html")
    ]


@pytest.mark.parametrize(
    ("error", "message"),
    [
        (OSError(30, "Read-only file system", "some/file"), "some/file: Read-only file system"),
        (MemoryError(), "there is not enough memory"),
    ],
)
def test_what_the_machine_lacks_is_said_without_a_traceback(
    run: Run, monkeypatch: pytest.MonkeyPatch, error: Exception, message: str
) -> None:
    def fail(*_: object) -> None:
        raise error

    monkeypatch.setattr("dagathlon.cli.networks.list_networks", fail)
    code, _, err = run("networks")
    assert code == USER_ERROR
    assert err == f"dagathlon: {message}{' for this' if not error.args else ''}\n"


def test_results_cannot_go_where_a_file_is(run: Run) -> None:
    run("new", "study", "s.json", "--pick", "corr_thresh")
    Path("taken").write_text("")
    code, _, err = run("run", "s.json", "--out", "taken")
    assert code == USER_ERROR
    assert "taken: cannot be the folder of results, since it is a file" in err
    Path("s.json").write_text(" \n")
    assert "s.json: the file is empty" in run("check", "s.json")[2]
    assert "did you mean 's.json'" in run("check", "ss.json")[2]
