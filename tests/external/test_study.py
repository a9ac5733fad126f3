"""External modules in a study: limits hold for their programs, absent ones are skipped."""

from __future__ import annotations

import csv
import json
import os
import time
from pathlib import Path

import pytest
from folders import DATA, EMPTY_GRAPH, MANIFEST, outcome, study, write

from dagathlon.cli import main
from dagathlon.errors import UnavailableError
from dagathlon.modules import add_files, find
from dagathlon.study.plan.task import Limits
from dagathlon.testing import check_learner
from dagathlon.workflow import Study

# A child of a child, so that it is not enough to end the program itself.
SLEEP = "sleep 987 & sh -c 'sleep 986'\n"
EAT = "awk 'BEGIN { while (1) x[n++] = \"a text of some length that takes room \" n }'\n"


def running(text: str) -> list[str]:
    found = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            words = path.read_bytes().split(b"\0")
        except OSError:
            continue
        if words[:2] == [b"sleep", text.encode()]:
            found.append(path.parent.name)
    return found


@pytest.mark.slow
def test_module_runs_and_is_measured(tmp_path):
    work = "awk 'BEGIN { while (n < 3000000) n++ }'\n"
    found = outcome(study(tmp_path, work + EMPTY_GRAPH), tmp_path / "out")
    assert (found.status, found.reason) == ("ok", "")
    assert found.cpu > 0.02
    assert 0.5e6 < found.memory < 60e6


@pytest.mark.slow
def test_time_limit_ends_the_program_and_what_it_started(tmp_path):
    before = set(running("986") + running("987"))
    begin = time.perf_counter()
    found = outcome(study(tmp_path, SLEEP, '{"time_limit": 1}'), tmp_path / "out")
    assert (found.status, found.reason) == ("timeout", "stopped after 1 s")
    assert time.perf_counter() - begin < 30
    assert set(running("986") + running("987")) <= before


def test_a_program_that_somebody_kills_runs_again(tmp_path):
    mark = tmp_path / "mark"
    once = f"if [ ! -e '{mark}' ]; then touch '{mark}'; kill -9 $$; fi\n"
    found = outcome(study(tmp_path, once + EMPTY_GRAPH), tmp_path / "out")
    assert (found.status, found.reason) == ("ok", "")


def test_a_program_that_somebody_kills_behind_a_shell_runs_again(tmp_path):
    mark = tmp_path / "mark"
    once = f"if [ ! -e '{mark}' ]; then touch '{mark}'; sh -c 'kill -9 $$'; exit $?; fi\n"
    found = outcome(study(tmp_path, once + EMPTY_GRAPH), tmp_path / "out")
    assert (found.status, found.reason) == ("ok", "")


def test_a_program_that_is_always_killed_fails(tmp_path):
    found = outcome(study(tmp_path, "kill -9 $$\n"), tmp_path / "out")
    assert found.status == "error"
    assert found.reason == "5 times: mine was killed by SIGKILL: it printed nothing"


def test_a_program_that_is_stopped_leaves_no_copy_of_the_data(tmp_path, monkeypatch):
    """It works below the folder of results, also where that is named from the present folder."""
    monkeypatch.chdir(tmp_path)
    script = f"pwd > '{tmp_path}/place'; sleep 987\n"
    found = outcome(study(tmp_path, script, '{"time_limit": 1}'), Path("out"))
    assert (found.status, found.reason) == ("timeout", "stopped after 1 s")
    place = Path((tmp_path / "place").read_text().strip())
    assert place.is_relative_to(tmp_path / "out" / "store" / "scratch")
    assert not place.exists()
    assert not list((tmp_path / "out" / "store" / "scratch").glob("*"))


@pytest.mark.slow
def test_memory_limit_holds_for_the_program(tmp_path):
    path = study(tmp_path, EAT, '{"memory_limit": "300M", "time_limit": 60}')
    found = outcome(path, tmp_path / "out")
    assert (found.status, found.reason) == ("memory", "it needed more than 300 MB of memory")


@pytest.mark.slow
def test_failure_keeps_the_last_output(tmp_path):
    found = outcome(study(tmp_path, "echo first; echo second; exit 5"), tmp_path / "out")
    assert (found.status, found.reason) == ("error", "mine ended with exit code 5: second")
    assert "first\nsecond" in found.detail


def test_absent_runtime_is_skipped_and_told_by_check(tmp_path, capsys):
    manifest = MANIFEST + '[environment]\ncommands = ["no-such-program"]\n'
    path = study(tmp_path, EMPTY_GRAPH, manifest=manifest)
    found = outcome(path, tmp_path / "out")
    assert (found.status, found.reason) == ("skipped", "needs no-such-program on the PATH")
    assert main(["check", str(path), "--out", str(tmp_path / "new")]) == 0
    shown = capsys.readouterr().out
    assert "will be skipped: mine\n  needs no-such-program on the PATH" in shown


@pytest.mark.slow
def test_changed_script_runs_again_and_an_unchanged_one_does_not(tmp_path):
    count = f"echo x >> {tmp_path}/count\n"
    path = study(tmp_path, count + EMPTY_GRAPH)
    for _ in range(2):
        outcome(path, tmp_path / "out")
    assert (tmp_path / "count").read_text() == "x\n"
    (tmp_path / "mine" / "learn.sh").write_text(f"# changed\n{count}{EMPTY_GRAPH}")
    outcome(path, tmp_path / "out")
    assert (tmp_path / "count").read_text() == "x\nx\n"


@pytest.mark.slow
def test_preparation_is_no_part_of_the_time(tmp_path, monkeypatch):
    """A container program that takes long to fetch its image and is quick to run."""
    folder = tmp_path / "bin"
    folder.mkdir()
    (folder / "docker").write_text(
        "#!/bin/sh\n"
        'case "$1" in\n'
        f"  image) test -e {tmp_path}/image;;\n"
        f"  pull) sleep 2; echo x >> {tmp_path}/image;;\n"
        '  run) while [ "$1" != --entrypoint=sh ]; do\n'
        '    case "$1" in --volume=*:/work) w=${1#--volume=}; cd "${w%:/work}";; esac; shift\n'
        '    done; shift 2; exec sh "$@";;\n'
        "esac\n"
    )
    (folder / "docker").chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "xdg"))
    manifest = MANIFEST.replace(
        '"{folder}/learn.sh"', "\"-c\", '''printf 'a,b\\n0,0\\n0,0\\n' > adjmat.csv'''"
    )
    manifest += '[environment]\nkind = "docker"\nimage = "x"\n'
    found = outcome(study(tmp_path, "", manifest=manifest), tmp_path / "out")
    assert (found.status, found.reason) == ("ok", "")
    assert found.wall < 1.5
    assert (tmp_path / "image").read_text() == "x\n"


@pytest.mark.slow
@pytest.mark.parametrize("language", ["shell", "r", "python"])
def test_skeleton_runs(tmp_path, language, capsys):
    folder = tmp_path / "my_module"
    assert main(["new", "module", str(folder), "--language", language]) == 0
    if language == "shell":
        arguments = ["modules", "my_module", "--modules", str(folder)]
        assert main([*arguments, "--check"]) == 0
        assert "All checks passed." in capsys.readouterr().out
    assert main(["modules", "--modules", str(folder)]) == 0
    assert "my_module" in capsys.readouterr().out


@pytest.mark.slow
@pytest.mark.parametrize("language", ["r", "python"])
def test_skeleton_conforms(tmp_path, language):
    folder = tmp_path / f"my_{language}"
    assert main(["new", "module", str(folder), "--language", language]) == 0
    add_files([folder])
    try:
        check_learner(folder.name)
    except UnavailableError as error:
        pytest.skip(str(error))
    assert find("algorithm", folder.name).gives == "undirected"  # type: ignore[attr-defined]


def test_new_module_keeps_its_hands_off_what_is_there(tmp_path, capsys):
    assert main(["new", "module", str(tmp_path)]) == 2
    assert "exists already" in capsys.readouterr().err
    assert main(["new", "module", str(tmp_path / "no-name")]) == 2
    assert "the folder gives the module its name" in capsys.readouterr().err


def test_learn_measures_the_program(tmp_path, capsys):
    write(tmp_path / "mine", "awk 'BEGIN { while (n < 3000000) n++ }'\n" + EMPTY_GRAPH)
    (tmp_path / "data.csv").write_text(DATA)
    out, stats = tmp_path / "graph.csv", tmp_path / "stats.json"
    arguments = ["learn", str(tmp_path / "data.csv"), "--with", "mine", "--out", str(out)]
    assert main([*arguments, "--stats", str(stats), "--modules", str(tmp_path / "mine")]) == 0
    with out.open() as file:
        assert list(csv.reader(file)) == [["a", "b"], ["0", "0"], ["0", "0"]]
    measured = json.loads(stats.read_text())
    assert measured["cpu_seconds"] > 0.02
    assert measured["peak_bytes"] > 0
    (tmp_path / "mine" / "learn.sh").write_text("echo one; echo two; exit 1")
    assert main([*arguments, "--modules", str(tmp_path / "mine")]) == 2
    assert "exit code 1: two\n--- its last output ---\none\ntwo" in capsys.readouterr().err


def test_limits_are_those_of_the_plan(tmp_path):
    path = study(tmp_path, EMPTY_GRAPH)
    content = json.loads(path.read_text())
    content["resources"]["structure_learning_algorithms"]["mine"][0]["timeout"] = 3
    path.write_text(json.dumps(content))
    assert Limits(3.0, None) in Study.load(path).plan.limits.values()
