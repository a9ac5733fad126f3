"""What is wrong with the settings of a cluster is said before anything starts."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from dagathlon.cluster.managers import MANAGERS
from dagathlon.cluster.settings import ClusterSettings, walltime_seconds
from dagathlon.errors import DagathlonError


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("12:00:00", 43200),
        ("2-01:00:30", 176430),
        ("48:00:00", 172800),
        ("90min", 5400),
        ("2h", 7200),
    ],
)
def test_wall_times(text: str, seconds: int) -> None:
    assert walltime_seconds(text) == seconds


@pytest.mark.parametrize("text", ["12:00", "90", "0:00:30", "1:60:00", "soon", "-1:00:00", ""])
def test_wall_times_that_managers_read_differently_are_refused(text: str) -> None:
    with pytest.raises(DagathlonError, match="walltime"):
        walltime_seconds(text)


def test_managers_write_wall_times_their_own_way() -> None:
    assert MANAGERS["slurm"].written_walltime(90061) == "25:01:01"
    assert MANAGERS["lsf"].written_walltime(90061) == "25:01"


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"kind": "slrum"}, "unknown engine 'slrum' .did you mean 'slurm'"),
        ({"kind": "slurm", "memory": "16X"}, "memory: found '16X'"),
        ({"kind": "slurm", "workers": -1}, "workers is a number from 1 on, found -1"),
        ({"kind": "slurm", "cores": "4"}, "cores is a number from 1 on, found '4'"),
        ({"kind": "slurm", "workers": 1, "minimum": 2}, "minimum is 2, more than the 1 workers"),
        (
            {"kind": "slurm", "scheduler": "tcp://a:1"},
            "the engine slurm has no scheduler; it takes",
        ),
        ({"kind": "ssh", "walltime": "1:00:00"}, "the engine ssh has no walltime; it takes hosts"),
        ({"kind": "kubernetes", "workers": 2, "minimum": 1}, "kubernetes has no minimum; it takes"),
        ({"kind": "dask", "scheduler": "node7"}, "such as tcp://node7:8786, found 'node7'"),
        ({"kind": "dask", "scheduler": "tcp://a:1", "workers": 2}, "runs already has no workers"),
        ({"kind": "slurm", "interface": "ib0", "host": "n1"}, "give one of them"),
        ({"kind": "slurm", "dashboard": "yes"}, "dashboard is an address such as"),
        ({"kind": "ssh"}, "needs hosts"),
        ({"kind": "ssh", "hosts": "/no/such/file"}, "hosts: /no/such/file: there is no such file"),
    ],
)
def test_mistakes_are_named(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(DagathlonError, match=message):
        ClusterSettings(**settings)


def test_machines_are_read_from_a_file(tmp_path: Path) -> None:
    path = tmp_path / "hosts"
    path.write_text("node1\n\n# those below are slow\nnode2  # with two cards\n")
    assert ClusterSettings(kind="ssh", hosts=str(path)).machines() == ["node1", "node2"]
    path.write_text("# none\n")
    with pytest.raises(DagathlonError, match="names no machine"):
        ClusterSettings(kind="ssh", hosts=str(path))
    path.write_text("node1 slots=4\n")
    with pytest.raises(DagathlonError, match="'node1 slots=4' is no machine"):
        ClusterSettings(kind="ssh", hosts=str(path))
