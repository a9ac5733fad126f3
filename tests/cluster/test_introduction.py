"""The process in which a machine says who it is."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from dagathlon.cluster.handshake import MARK, answer_of
from dagathlon.cluster.identity import identity
from dagathlon.study.store.machine import free_disk, machine_facts, memory

NOISY = """
import os, sys, threading, time
from dataclasses import dataclass
from dagathlon import Learner, Estimate
print("loaded")
print("dagathlon-introduces-itself {}")
os.write(1, b"and from below")
os.system("echo from a child")
threading.Thread(target=time.sleep, args=(600,)).start()

@dataclass(frozen=True)
class Noisy(Learner):
    name = "noisy"
    def learn(self, data, rng):
        return Estimate(None)
"""


def introduced(question: str, modules: Path | None = None) -> subprocess.CompletedProcess[str]:
    variables = {**os.environ, "DAGATHLON_MODULES": str(modules or "")}
    command = [sys.executable, "-m", "dagathlon.cluster.handshake"]
    return subprocess.run(
        command,
        check=False,
        input=question,
        capture_output=True,
        text=True,
        timeout=120,
        env=variables,
    )


def answer(question: dict[str, Any], modules: Path | None = None) -> dict[str, Any]:
    done = introduced(json.dumps(question), modules)
    assert done.returncode == 0, done.stderr
    found = answer_of(done.stdout)
    assert found is not None, done.stdout
    return found


def test_who_this_machine_is(tmp_path):
    before = time.time()
    found = answer({"folder": str(tmp_path / "not" / "there")})
    assert found["identity"] == identity()
    assert found["lacking"] == {}
    assert before - 1 <= found["clock"] <= time.time() + 1
    assert found["host"] == socket.gethostname()
    assert found["facts"] == machine_facts()
    assert found["free_disk"] > 0
    assert answer({})["free_disk"] is None


def test_what_modules_print_does_not_spoil_the_answer(tmp_path):
    (tmp_path / "noisy.py").write_text(NOISY)
    question = json.dumps({"modules": [["algorithm", "noisy", 1]]})
    done = introduced(question, tmp_path / "noisy.py")
    assert done.stdout.split() == f"{MARK}{done.stdout.partition(MARK)[2]}".split()
    found = answer_of(done.stdout)
    assert "of noisy is here" in found["lacking"]["algorithm noisy"]
    for text in ("loaded", "and from below", "from a child"):
        assert text in done.stderr


@pytest.mark.parametrize(
    ("code", "said"),
    [("import no_such_package_xyz", "no_such_package_xyz"), ("raise SystemExit(3)", "3")],
)
def test_a_module_that_cannot_be_loaded_is_lacking(tmp_path, code, said):
    (tmp_path / "broken.py").write_text(code)
    found = answer({"modules": [["algorithm", "mine", 1]]}, tmp_path / "broken.py")
    assert said in found["lacking"]["algorithm mine"]


@pytest.mark.parametrize("question", ["[1]", "{", '{"modules": 3}', '{"modules": [[1]]}', "\x00"])
def test_a_question_that_cannot_be_understood(question):
    done = introduced(question)
    assert done.returncode == 2
    assert "cannot be understood" in answer_of(done.stdout)["error"]


@pytest.mark.parametrize("text", ["", "hello\n", f"{MARK}[1]\n", f"{MARK}{{\n", f" {MARK}{{}}\n"])
def test_what_is_no_answer(text):
    assert answer_of(text) is None


def test_memory_of_a_container(tmp_path):
    whole = memory(tmp_path)
    (tmp_path / "memory.max").write_text("max\n")
    assert memory(tmp_path) == whole
    (tmp_path / "memory.max").write_text("1048576\n")
    assert memory(tmp_path) == 2**20


def test_free_disk_of_a_folder_that_is_not_there():
    assert free_disk("/no/such/folder") is not None
