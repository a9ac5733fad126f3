"""``dagathlon learn`` with learners that give a precision matrix and a path of graphs."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from dagathlon.cli import main
from dagathlon.data import LinearSem, write_data
from dagathlon.data.writing.precision_file import read_precision
from dagathlon.errors import DataError
from dagathlon.graphs import read_path
from dagathlon.modules import registry

MODULE = '''
from dataclasses import dataclass

import numpy as np

from dagathlon.graphs import GraphPath
from dagathlon.learners import Estimate, Learner


@dataclass(frozen=True, kw_only=True)
class Steps(Learner):
    """Correlations above one threshold after another."""

    name = "steps"
    gives = "undirected"

    def learn(self, data, rng):
        related = np.abs(np.corrcoef(data.values.T))
        np.fill_diagonal(related, 0)
        penalties = [0.9, 0.5, 0.1]
        path = GraphPath(data.names, penalties, [related > t for t in penalties], chosen=1)
        precision = np.linalg.inv(np.cov(data.values.T))
        return Estimate(path.graph(1), precision=(precision + precision.T) / 2, path=path)
'''


@pytest.fixture(autouse=True)
def _forget_added_modules(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv(registry.FILES, "")
    registry.modules.cache_clear()
    yield
    monkeypatch.undo()
    registry.modules.cache_clear()


def test_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    sem = LinearSem("abcd", np.diag([0.8, -0.5, 1.0], 1))
    data = sem.sample(50, np.random.default_rng(1))
    write_data(data, "d.csv")
    Path("steps.py").write_text(MODULE)
    start = ["learn", "d.csv", "--modules", "steps.py", "--with"]
    assert main([*start, "steps", "--precision", "k.csv", "--path", "p.npz"]) == 0
    names, precision = read_precision("k.csv")
    assert names == data.names
    np.testing.assert_allclose(precision @ np.cov(data.values.T), np.eye(4), atol=1e-8)
    path = read_path("p.npz")
    assert path.chosen == 1
    assert path.penalties.tolist() == [0.9, 0.5, 0.1]
    capsys.readouterr()
    for wrong, message in [
        (["hc", "--precision", "k.csv"], "--precision: hc gave no precision matrix"),
        (["hc", "--path", "p.csv"], "--path: hc gave one graph and no path"),
        (["hc", "--path", "p.txt"], "written as .npz or .csv"),
    ]:
        assert main([*start, *wrong]) != 0
        assert message in capsys.readouterr().err
    Path("k.csv").write_text("a,b\n1,2\n3,4\n")
    with pytest.raises(DataError, match="symmetric"):
        read_precision("k.csv")
