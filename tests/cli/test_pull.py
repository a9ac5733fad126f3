"""``dagathlon pull``: results from elsewhere, fetched and merged."""

from __future__ import annotations

import contextlib
import functools
import getpass
import os
import shutil
import socket
import sqlite3
import subprocess
import time

import pytest
from plans import FakePlan, learner, plan_of

from dagathlon.cli import main
from dagathlon.errors import DagathlonError
from dagathlon.study.plan.task import Outcome, Status
from dagathlon.study.store import pulling
from dagathlon.study.store.index_tables import INDEX
from dagathlon.study.store.results_folder import LinkError
from dagathlon.study.store.store import Store

RSYNC = shutil.which("rsync")
SSHD = shutil.which("sshd") or shutil.which("sshd", path="/usr/sbin:/usr/local/sbin")
needs_rsync = pytest.mark.skipif(RSYNC is None, reason="rsync is not installed")


@functools.cache
def a_plan() -> FakePlan:
    """Made when asked for: a module that is known while tests are collected is known to all."""
    return plan_of(learner(), learner(number=1), seeds=4)


def fill(folder, positions):
    """Results, each second one in a file."""
    with Store(folder / "store") as store:
        for i in positions:
            payload = store.objects.keep([bytes([i]) * (40_000 if i % 2 else 10)])
            store.put(a_plan().tasks[i], Outcome(Status.OK, host="far"), payload)
    return folder


def stored(folder):
    with Store(folder / "store", readonly=True) as store:
        found = [task.key for task in a_plan().tasks if store.get(task.key)]
        return {key: bytes(store.stored(key)) for key in found}


@needs_rsync
def test_a_second_pull_brings_what_is_new(tmp_path, capsys):
    far, out = fill(tmp_path / "far", range(6)), tmp_path / "out"
    assert main(["pull", str(far), "--out", str(out)]) == 0
    assert "6 results added" in capsys.readouterr().out
    assert stored(out) == stored(far)
    (cache,) = (out / ".pulled").iterdir()
    files = {path: path.stat().st_ino for path in (cache / "store" / "objects").rglob("*")}
    fill(far, range(6, 12))
    assert main(["pull", str(far), "--out", str(out)]) == 0
    assert "6 results added, 6 were there already" in capsys.readouterr().out
    assert stored(out) == stored(far)
    assert {path: path.stat().st_ino for path in files} == files


@needs_rsync
def test_files_of_the_copy_and_of_the_results_are_the_same(tmp_path):
    main(["pull", str(fill(tmp_path / "far", [1])), "--out", str(tmp_path / "out")])
    found = list((tmp_path / "out").rglob("objects/??/*"))
    assert len(found) == 2
    assert found[0].samefile(found[1])


@needs_rsync
def test_a_store_that_is_written_to(tmp_path, capsys):
    far = fill(tmp_path / "far", range(4))
    with Store(far / "store") as store:  # what is not yet in the index itself is beside it
        store.put(a_plan().tasks[5], Outcome(Status.OK), store.objects.keep([b"new"]))
        assert (far / "store" / f"{INDEX}-wal").stat().st_size
        assert main(["pull", str(far), "--out", str(tmp_path / "out")]) == 0
    assert "5 results added" in capsys.readouterr().out


def in_place_of_rsync(folder, monkeypatch, body):
    folder.mkdir()
    script = folder / "rsync"
    script.write_text(f"#!/bin/sh\n{body}\n")
    script.chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder}:{os.environ['PATH']}")
    monkeypatch.setattr(pulling, "_PAUSE", 0.0)


@needs_rsync
@pytest.mark.parametrize(("torn", "code"), [(2, 0), (99, 2)])
def test_a_copy_of_an_index_that_changed_meanwhile_is_made_again(
    tmp_path, monkeypatch, capsys, torn, code
):
    far, out = fill(tmp_path / "far", range(6)), tmp_path / "out"
    cut = f'truncate -s 9000 "$(find {out} -name {INDEX})"'
    body = f'{RSYNC} "$@" || exit\necho >> {tmp_path}/calls\n'
    body += f'[ "$(wc -l < {tmp_path}/calls)" -gt {torn} ] || {cut}'
    in_place_of_rsync(tmp_path / "bin", monkeypatch, body)
    assert main(["pull", str(far), "--out", str(out)]) == code
    said = capsys.readouterr()
    assert said.out.count("copying it again") == min(torn, 4)
    if code:
        assert "5 copies of the index were unusable" in said.err
    else:
        assert stored(out) == stored(far)


@needs_rsync
def test_places_that_are_none(tmp_path, capsys):
    far, out = fill(tmp_path / "far", [1]), str(tmp_path / "out")
    (tmp_path / "empty").mkdir()
    for address, words in (
        (str(tmp_path / "nowhere"), "there is no such folder"),
        (str(tmp_path / "empty"), "no results of a study here"),
        (str(far), "is the folder that results are merged into"),
    ):
        assert main(["pull", address, "--out", str(far) if address == str(far) else out]) == 2
        assert words in capsys.readouterr().err


def test_programs_that_are_missing(tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("PATH", str(tmp_path))
    assert main(["pull", str(tmp_path), "--out", str(tmp_path / "out")]) == 2
    assert "needs the program rsync" in capsys.readouterr().err
    (tmp_path / "rsync").write_text("#!/bin/sh\n")
    (tmp_path / "rsync").chmod(0o755)
    assert main(["pull", "host:results", "--out", str(tmp_path / "out")]) == 2
    assert "needs the program ssh" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("code", "said", "words"),
    [
        (255, "ssh: connect to host far port 22: Connection refused", "there is no connection"),
        (127, "bash: line 1: rsync: command not found", "rsync is not installed there"),
        (23, 'change_dir "/x" failed: No such file or directory (2)', "there is no such folder"),
        (11, "", "rsync ended with 11"),
    ],
)
def test_what_rsync_says_is_said(tmp_path, monkeypatch, capsys, code, said, words):
    in_place_of_rsync(tmp_path / "bin", monkeypatch, f"echo '{said}' >&2\nexit {code}")
    assert main(["pull", "far:results", "--out", str(tmp_path), "--ssh", "sh"]) == 2
    assert words in capsys.readouterr().err


@pytest.fixture
def connection(tmp_path):
    """How to connect to a server of ours on this machine, with keys that nothing else has."""
    if SSHD is None or shutil.which("ssh-keygen") is None:
        pytest.skip("sshd is not installed")
    for name in ("host", "user"):
        made = ["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(tmp_path / name)]
        subprocess.run(made, check=True)
    shutil.copy(tmp_path / "user.pub", tmp_path / "authorized")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    (tmp_path / "sshd_config").write_text(
        f"ListenAddress 127.0.0.1\nPort {port}\nHostKey {tmp_path}/host\nStrictModes no\n"
        f"AuthorizedKeysFile {tmp_path}/authorized\nPidFile none\nUsePAM no\n"
    )
    started = [str(SSHD), "-D", "-e", "-f", str(tmp_path / "sshd_config")]
    server = subprocess.Popen(started, stderr=subprocess.PIPE, text=True)
    try:
        for _ in range(1200):
            with socket.socket() as client:
                if not client.connect_ex(("127.0.0.1", port)):
                    break
            if server.poll() is not None:
                pytest.skip(f"sshd does not start here: {server.communicate()[1]}")
            time.sleep(0.05)
        yield (
            f"ssh -p {port} -i {tmp_path}/user -o StrictHostKeyChecking=no -o BatchMode=yes "
            f"-o UserKnownHostsFile={tmp_path}/known -o IdentitiesOnly=yes -F none"
        )
    finally:
        server.terminate()
        server.communicate()


@needs_rsync
@pytest.mark.slow
def test_over_ssh(tmp_path, connection, capsys):
    far = fill(tmp_path / "far away", range(6))
    address, out = f"{getpass.getuser()}@127.0.0.1:{far}", tmp_path / "out"
    assert main(["pull", address, "--out", str(out), "--ssh", connection]) == 0
    assert "6 results added" in capsys.readouterr().out
    fill(far, range(6, 9))
    assert main(["pull", address, "--out", str(out), "--ssh", connection]) == 0
    assert "3 results added" in capsys.readouterr().out
    assert stored(out) == stored(far)
    assert main(["pull", f"{address}-not", "--out", str(out), "--ssh", connection]) == 2
    assert "there is no such folder" in capsys.readouterr().err
    assert main(["pull", address, "--out", str(out), "--ssh", "ssh -p 1 -o BatchMode=yes"]) == 2
    assert "there is no connection" in capsys.readouterr().err


def test_a_copy_is_opened_as_every_folder_that_may_be_a_strangers(tmp_path, monkeypatch):
    far = fill(tmp_path / "far", range(2))
    cache = pulling.cache_of(str(far), tmp_path / "out")
    shutil.copytree(far, cache)
    monkeypatch.setattr(shutil, "which", lambda program: program)
    monkeypatch.setattr(pulling.Pull, "_copy", lambda *rules: None)
    monkeypatch.setattr(pulling, "_PAUSE", 0.0)
    pull = pulling.Pull(str(far), cache)
    pull.fetch(print)
    with contextlib.closing(sqlite3.connect(cache / "store" / INDEX)) as index:
        index.execute("CREATE TRIGGER t AFTER INSERT ON results BEGIN DELETE FROM results; END")
    with pytest.raises(DagathlonError, match="its tables are not those of a store"):
        pull.fetch(print)
    journal = cache / "store" / f"{INDEX}-journal"
    journal.write_bytes(b"/home/me/thesis" + bytes(8) + bytes.fromhex("d9d505f920a163d7"))
    with pytest.raises(LinkError, match="names another file"):
        pull.fetch(print)
