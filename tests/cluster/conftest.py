"""A real SLURM for tests; where it cannot be started, they are skipped with the reason."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

_NOT_HERE = 77
TOOLS = Path(__file__).parents[2] / "tools"


@pytest.fixture(scope="session")
def slurm() -> Iterator[Path]:
    """The folder of a running SLURM of two nodes, n1 and n2, of two cores each."""
    # Not pytest's own folder: the path of a socket must be short.
    folder = Path(tempfile.mkdtemp(prefix="slurm-"))
    started = subprocess.run(
        [TOOLS / "slurm-start", folder], capture_output=True, text=True, check=False
    )
    if started.returncode:
        shutil.rmtree(folder, ignore_errors=True)
        (pytest.skip if started.returncode == _NOT_HERE else pytest.fail)(started.stderr.strip())
    before = os.environ.get("SLURM_CONF")
    os.environ["SLURM_CONF"] = str(folder / "slurm.conf")
    yield folder
    subprocess.run([TOOLS / "slurm-stop", folder], check=True)
    if before is None:
        del os.environ["SLURM_CONF"]
    else:
        os.environ["SLURM_CONF"] = before
