"""Signals do not reach JAX's threads, whose matrix products they would corrupt."""

from __future__ import annotations

import signal
import subprocess
import sys

import pytest

PROGRAM = """
from pathlib import Path
from dagathlon.learners.jax.backend import jax, require_jax

def masks():
    texts = [(task / "status").read_text() for task in Path("/proc/self/task").iterdir()]
    return [text.split("SigBlk:")[1].split()[0] for text in texts]

before = masks()
require_jax()
jax.block_until_ready(jax.jit(lambda x: x @ x)(jax.numpy.ones((64, 64))))
print(*before, "then", *masks())
"""


def open_to_signals(masks: str) -> int:
    return sum(not int(mask, 16) >> (signal.SIGPROF - 1) & 1 for mask in masks.split())


@pytest.mark.slow
def test_threads_of_jax_block_signals() -> None:
    pytest.importorskip("jax")
    ran = subprocess.run(
        [sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=True
    )
    before, after = ran.stdout.split("then")
    assert len(after.split()) > len(before.split())
    assert open_to_signals(after) == open_to_signals(before)
