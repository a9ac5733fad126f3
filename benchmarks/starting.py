"""Start-up cost of commands, the first learner, a worker, and a run with nothing to do.

The note of each counts our Python modules and all of them when the process ends and, where valgrind
is installed, the instructions, which do not depend on the machine's load.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tempfile
from functools import partial
from pathlib import Path

from benchmarks.timing import Row, best_of, pick, print_table, row

REPEATS = pick(5, 1)
QUICKSTART = Path(__file__).parents[1] / "studies" / "quickstart.json"
COMMAND = "import sys; from dagathlon.cli import main; main({!r})"
STARTS = {
    "Python and NumPy": "import numpy",
    "dagathlon --help": "import sys; sys.argv[1:] = ['--help']\nimport dagathlon.__main__",
    "the script that completes commands": COMMAND.format(["completion", "bash"]),
    "the first learn(frame, 'hc')": (
        "import numpy as np, dagathlon\n"
        "dagathlon.learn(np.random.default_rng(1).normal(size=(200, 6)), 'hc')"
    ),
    "a worker that is ready": "import dagathlon.study.engine.worker",
}
_AT_THE_END = (
    "import atexit, sys\n"
    "def counted():\n"
    "    ours = [name for name in sys.modules if name.partition('.')[0] == 'dagathlon']\n"
    "    print(len(ours), len(sys.modules), file=sys.stderr)\n"
    "atexit.register(counted)\n"
)


def start(code: str) -> None:
    """Run a program in a process of its own."""
    subprocess.run([sys.executable, "-c", code], check=True, capture_output=True)


def counts(code: str) -> str:
    """Numbers of modules and of instructions."""
    done = subprocess.run(
        [sys.executable, "-c", _AT_THE_END + code], check=True, capture_output=True, text=True
    )
    ours, every = done.stderr.split()[-2:]
    return f"{ours} of our modules of {every}{_instructions(code)}"


def _instructions(code: str) -> str:
    tool = shutil.which("valgrind")
    if tool is None or REPEATS == 1:
        return ""
    options = ("--tool=cachegrind", "--cache-sim=no", "--cachegrind-out-file=/dev/null")
    done = subprocess.run(
        [tool, *options, sys.executable, "-c", code], check=True, capture_output=True, text=True
    )
    (number,) = re.findall(r"I\s+refs:\s+([\d,]+)", done.stderr)
    return f", {int(number.replace(',', '')) / 1e9:.2f} thousand million instructions"


def nothing_to_do(folder: Path) -> list[Row]:
    """The quickstart, and the same command again."""
    command = ["run", str(QUICKSTART), "--out", str(folder), "--jobs", "2"]
    code = COMMAND.format(command)
    first = best_of(partial(start, code), 1)
    again = best_of(partial(start, code), REPEATS)
    return [row("the quickstart", first), row("the quickstart again", again, note=counts(code))]


def run() -> list[Row]:
    rows = [
        row(what, best_of(partial(start, code), REPEATS), note=counts(code))
        for what, code in STARTS.items()
    ]
    with tempfile.TemporaryDirectory() as name:
        return [*rows, *nothing_to_do(Path(name) / "out")]


if __name__ == "__main__":
    print_table(run())
