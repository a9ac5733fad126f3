"""Asking a worker's machine who it is: in a process of its own, as tasks are run there."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, TypeAlias

from dagathlon.cluster.introduce import answer_of
from dagathlon.errors import DagathlonError

Answer: TypeAlias = dict[str, Any]
_PATIENCE = 120.0
_TAIL = 2000


class CannotAnswerError(DagathlonError):
    """Processes do not start on a worker's machine, or do not know us."""


def ask(
    modules: Sequence[tuple[str, str, int]], variables: Mapping[str, str], folder: Path
) -> Answer:
    """Run `introduce` in a process like those that will run tasks.

    Parameters
    ----------
    modules
        Kind, name and version of the modules that tasks will ask for.
    variables
        The environment by which processes find the user's modules.
    folder
        Where files of the run will lie.
    """
    question = json.dumps({"modules": [list(each) for each in modules], "folder": str(folder)})
    command = [sys.executable, "-m", "dagathlon.cluster.introduce"]
    try:
        done = subprocess.run(
            command,
            input=question.encode(),
            capture_output=True,
            env={**os.environ, **variables},
            cwd=folder,
            timeout=_PATIENCE,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise CannotAnswerError(f"a process did not start within {_PATIENCE:.0f} s") from None
    answer = answer_of(done.stdout.decode("utf-8", "replace"))
    if done.returncode or answer is None:
        said = done.stderr.decode("utf-8", "replace")[-_TAIL:].strip()
        raise CannotAnswerError(f"a process that was to introduce the machine failed:\n{said}")
    return answer
