"""Servers: one process for many runs, and nothing of one run in the next."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import pytest
from folders import data, learned, write

from dagathlon.errors import OutOfTimeError, StudyError, UnavailableError
from dagathlon.external import load_folder, servers
from dagathlon.external.results import ProgramError
from dagathlon.learners.run import run_learner
from dagathlon.processes.held_folder import HeldFolder
from dagathlon.processes.usage import peak_memory, server_time

MANIFEST = f"""\
name = "mine"
summary = "A server of the tests."
command = ["{sys.executable}", "-S", "{{serve}}", "{{folder}}/learn.py"]
server = true
gives = "undirected"
[parameters.do]
type = "text"
default = "pass"
description = "Python to run."
"""
SCRIPT = """\
import json, os, random, signal, subprocess, sys, time
runs = []

def main():
    given = json.load(open("parameters.json"))
    runs.append(given["seed"])
    exec(given["do"])
    with open("adjmat.csv", "w") as file:
        file.write("a,b\\n0,0\\n0,0\\n")
    about = {"runs": len(runs), "server": os.getppid(), "draw": random.random()}
    json.dump({**about, "here": os.getcwd()}, open("stats.json", "w"))
"""


@pytest.fixture
def mine(tmp_path):
    folder = write(tmp_path / "mine", manifest=MANIFEST)
    (folder / "learn.py").write_text(SCRIPT)
    yield load_folder(folder)
    servers.close_servers()


def gone(pid: int) -> bool:
    """Whether a process has ended, soon."""
    end = time.monotonic() + 20
    while time.monotonic() < end:
        try:
            if Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] in "ZX":
                return True
        except OSError:
            return True
        time.sleep(0.01)
    return False


def test_one_server_for_all_runs_and_each_begins_anew(mine):
    mine().warm_up()
    (pid,) = servers.server_processes()
    first, second = learned(mine).stats, learned(mine).stats
    assert (first["server"], first["runs"], second["runs"]) == (pid, 1, 1)
    assert second["server"] == pid
    assert first["draw"] == second["draw"]  # the generator is as it was when the server was ready
    assert first["here"] != second["here"]
    assert not os.path.exists(str(first["here"]))
    servers.close_servers()
    assert gone(pid)


def test_folders_of_those_who_were_killed_are_removed(tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    held, killed = HeldFolder(), HeldFolder()
    (killed.path / "data.arrow").touch()
    os.close(killed._lock)  # as the kernel does
    other = HeldFolder()
    assert sorted(tmp_path.iterdir()) == sorted([held.path, other.path])
    for folder in (held, other, other):
        folder.remove()
    assert not list(tmp_path.iterdir())


def test_failures_are_those_of_a_program_and_harm_no_other_run(mine):
    pid = learned(mine).stats["server"]
    for code, message in {
        "print('half a line', end=''); sys.exit(3)": "mine ended with exit code 3: half a line",
        "sys.exit('no luck')": "mine ended with exit code 1: no luck",
        "1 / 0": "mine ended with exit code 1: ZeroDivisionError: division by zero",
        "os.kill(os.getpid(), signal.SIGSEGV)": "mine was killed by SIGSEGV",
    }.items():
        with pytest.raises(ProgramError, match=message):
            learned(mine, do=code)
    with pytest.raises(MemoryError):
        learned(mine, do="raise MemoryError")
    assert learned(mine).stats["server"] == pid


def test_server_that_ends_is_replaced(mine):
    pid = learned(mine).stats["server"]
    with pytest.raises(ProgramError, match="mine was killed by SIGKILL"):
        learned(mine, do="os.kill(os.getppid(), signal.SIGKILL); time.sleep(100)")
    other = learned(mine).stats["server"]
    assert isinstance(other, int)
    assert other != pid
    os.kill(other, signal.SIGKILL)
    assert gone(other)
    assert learned(mine).stats["server"] not in (pid, other)


def test_what_a_run_leaves_behind_is_ended(mine, tmp_path):
    file = tmp_path / "pid"
    start = "p = subprocess.Popen(['sleep', '975'], start_new_session=True)"
    learned(mine, do=f"{start}; open('{file}', 'w').write(str(p.pid))")
    assert gone(int(file.read_text()))


def test_deadline_ends_the_run_and_the_next_has_another_server(mine):
    pid = learned(mine).stats["server"]
    slow = mine.from_json({"do": "time.sleep(100)"})
    with pytest.raises(OutOfTimeError):
        run_learner(slow, data(), np.random.default_rng(1), timeout=0.2)
    assert isinstance(pid, int)
    assert gone(pid)
    assert learned(mine).stats["server"] != pid


@pytest.mark.slow
def test_nothing_is_left_when_the_caller_is_killed(tmp_path):
    folder = write(tmp_path / "mine", manifest=MANIFEST)
    (folder / "learn.py").write_text(SCRIPT)
    pids = tmp_path / "pids"
    code = f"open({str(pids)!r}, 'w').write(f'{{os.getpid()}} {{os.getppid()}}'); time.sleep(100)"
    (tmp_path / "caller.py").write_text(
        "import sys; sys.path.insert(0, sys.argv[1])\n"
        "from folders import learned\n"
        "from dagathlon.external import load_folder\n"
        f"learned(load_folder(sys.argv[2]), do={code!r})\n"
    )
    words = [sys.executable, str(tmp_path / "caller.py"), str(Path(__file__).parent), str(folder)]
    caller = subprocess.Popen(words)
    end = time.monotonic() + 60
    while not (pids.is_file() and pids.read_text()) and time.monotonic() < end:
        time.sleep(0.02)
    caller.kill()
    caller.wait()
    assert all(gone(int(pid)) for pid in pids.read_text().split())


def test_server_that_does_not_start_says_why(mine, tmp_path):
    (tmp_path / "mine" / "learn.py").write_text("import no_such_package\n")
    with pytest.raises(UnavailableError, match="exit code 1 before it was ready: ModuleNotFound"):
        mine().warm_up()
    (tmp_path / "mine" / "learn.py").write_text("x = 1\n")
    with pytest.raises(UnavailableError, match=r"has no function main\(\)"):
        learned(mine)


@pytest.mark.slow
def test_cost_of_a_run_is_seen(mine):
    learned(mine)
    peak_memory.reset()
    server_time.reset()
    learned(mine, do="x = bytearray(30_000_000); [i for i in range(2_000_000)]")
    assert 25e6 < peak_memory.bytes < 200e6
    assert 0.01 < server_time.seconds < 20


@pytest.mark.slow
def test_changed_script_gets_a_server_of_its_own(mine, tmp_path):
    pid = learned(mine).stats["server"]
    (tmp_path / "mine" / "learn.py").write_text(SCRIPT.replace('"runs": len', '"calls": len'))
    found = learned(load_folder(tmp_path / "mine")).stats
    assert found["server"] != pid
    assert found["calls"] == 1


def test_server_in_any_language(tmp_path):
    script = (
        "echo '@dagathlon ready'\n"
        "while read folder; do\n"
        "  (cd \"$folder\"; echo working; printf 'a,b\\n0,1\\n1,0\\n' > adjmat.csv\n"
        '   grep -q \'"do": "fail"\' parameters.json && exit 4; exit 0)\n'
        '  echo "@dagathlon ended $?"\n'
        "done\n"
    )
    manifest = MANIFEST.replace(
        f'["{sys.executable}", "-S", "{{serve}}", "{{folder}}/learn.py"]',
        '["sh", "{folder}/learn.sh"]',
    )
    cls = load_folder(write(tmp_path / "mine", script, manifest))
    try:
        assert learned(cls).graph.n_edges == 1
        with pytest.raises(ProgramError, match="mine ended with exit code 4: working"):
            learned(cls, do="fail")
        assert learned(cls).graph.n_edges == 1
    finally:
        servers.close_servers()


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('"{folder}/learn.py"', '"{seed}"', r"command: there is no placeholder \{seed\}"),
        ("[parameters", '[environment]\nkind = "docker"\nimage = "x"\n[parameters', "on this mach"),
        ("server = true", "", r"command: there is no placeholder \{serve\}"),
    ],
)
def test_manifest_of_a_server(tmp_path, old, new, message):
    with pytest.raises(StudyError, match=message):
        load_folder(write(tmp_path / "mine", manifest=MANIFEST.replace(old, new, 1)))


@pytest.mark.slow
def test_at_most_a_few_servers_wait(tmp_path, monkeypatch):
    monkeypatch.setattr(servers, "_MOST", 1)
    made = []
    for name in "xy":
        folder = write(tmp_path / name, manifest=MANIFEST)
        (folder / "learn.py").write_text(SCRIPT)
        made.append(learned(load_folder(folder)).stats["server"])
    try:
        assert servers.server_processes() == made[1:]
        assert gone(int(str(made[0])))
    finally:
        servers.close_servers()
