"""Workers and guardians of the quickstart are killed: the tables are those of a calm run."""

from __future__ import annotations

import csv
import os
import random
import signal
from pathlib import Path

import pytest

from dagathlon.processes.usage import descendants
from dagathlon.study.engine.local import LocalEngine
from dagathlon.study.engine.protocol import Event, Finished
from dagathlon.study.records.runs import MEASURED
from dagathlon.workflow import Study

QUICKSTART = Path(__file__).parents[2] / "studies" / "quickstart.json"
KILLS = 8


class Killer:
    """Kills a process of the run at some of the moments when a task has finished.

    Parameters
    ----------
    seed
        Chooses moments, signals and victims: workers, and the guardian now and then.
    total
        How many tasks there are.
    """

    def __init__(self, seed: int, total: int) -> None:
        self._rng = random.Random(seed)
        self._moments = set(self._rng.sample(range(total), KILLS))
        self._finished = 0
        self.killed = 0

    def __call__(self, event: Event) -> None:
        if isinstance(event, Finished):
            self._finished += 1
            if self._finished in self._moments:
                self._kill()

    def _kill(self) -> None:
        victims = [pid for pid in descendants(os.getpid()) if self._is_ours(pid)]
        if victims:
            os.kill(self._rng.choice(victims), self._rng.choice([signal.SIGKILL, signal.SIGTERM]))
            self.killed += 1

    @staticmethod
    def _is_ours(pid: int) -> bool:
        try:
            command = Path(f"/proc/{pid}/cmdline").read_bytes()
        except OSError:
            return False
        return b"engine.worker" in command or b"guardian.py" in command


def tables(out: Path) -> dict[str, list[list[str]]]:
    """All tables without what is measured."""
    found = {}
    for path in sorted(out.rglob("*.csv")):
        with path.open(newline="") as stream:
            rows = list(csv.reader(stream))
        kept = [i for i, name in enumerate(rows[0]) if not name.startswith(MEASURED)]
        found[str(path.relative_to(out))] = [[row[i] for i in kept] for row in rows]
    return found


@pytest.fixture(scope="module")
def calm(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("calm")
    Study.load(QUICKSTART).run(out, engine=LocalEngine(2), figures="none")
    return out


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(6))
def test_tables_do_not_hang_on_workers_that_are_killed(calm, tmp_path, seed):
    study = Study.load(QUICKSTART)
    killer = Killer(seed, len(study.plan.tasks))
    summary = study.run(tmp_path, engine=LocalEngine(2), figures="none", on_event=killer)
    assert killer.killed >= KILLS // 2
    assert not any(status == "error" for status, _, _ in summary.ran)
    assert tables(tmp_path) == tables(calm)
