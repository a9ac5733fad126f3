"""How much memory a piece of work holds beside the pages of files, in a process of its own."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from dagathlon.data.reading.unpacking import MOST_UNPACKED

_MEASURED = """
import sys, threading, time
from dagathlon import learn
from dagathlon.data import read_data
def anonymous():
    lines = open("/proc/self/status").read().splitlines()
    return next(int(line.split()[1]) * 1024 for line in lines if line.startswith("RssAnon"))
def watch():
    while True:
        seen.append(anonymous())
        time.sleep(0.005)
def work(file):
    data = read_data(file)
    {work}
    return data
work(sys.argv[2])
seen = [anonymous()]
before = seen[0]
threading.Thread(target=watch, daemon=True).start()
data = work(sys.argv[1])
assert {holds}
print(max(seen) - before)
"""
# What is given back is given back at once: pyarrow's own allocator keeps as much as it likes.
_AT_ONCE = {"ARROW_DEFAULT_MEMORY_POOL": "system", "MALLOC_MMAP_THRESHOLD_": "65536"}


def held(large: Path, small: Path, work: str, holds: str, limit: int) -> int:
    """Bytes that reading the large file takes more than the small one took, at most.

    Parameters
    ----------
    large, small
        The files; what the small one loads is not counted.
    work
        A line of Python on ``data`` that is done with each.
    holds
        What must be true of ``data`` of the large one.
    limit
        Bytes that may be unpacked.
    """
    command = [sys.executable, "-c", _MEASURED.format(work=work, holds=holds), large, small]
    environment = os.environ | _AT_ONCE | {MOST_UNPACKED: str(limit)}
    done = subprocess.run(command, capture_output=True, text=True, check=True, env=environment)
    return int(done.stdout)
