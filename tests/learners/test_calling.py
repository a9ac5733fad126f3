"""`learn`: time limits and progress for somebody who waits in Python."""

from __future__ import annotations

import io
import itertools
import time
from dataclasses import dataclass

import numpy as np
import pytest
from rich.console import Console

from dagathlon import learn, read_data
from dagathlon.data import Dataset
from dagathlon.errors import OutOfTimeError, StudyError, WrongResultError
from dagathlon.graphs import Graph
from dagathlon.learners.api import time_limit
from dagathlon.learners.base import Estimate, Learner
from dagathlon.learners.progress import Bar
from dagathlon.learners.spec import LearnerSpec
from dagathlon.modules import NonNegative
from dagathlon.pulse import beat, until_deadline

DATA = read_data(np.random.default_rng(1).normal(size=(50, 3)))


@dataclass(frozen=True, kw_only=True)
class Endless(Learner):
    """Beats until its time is up."""

    name = "endless"

    def learn(self, data: Dataset, rng: np.random.Generator) -> Estimate:
        for step in itertools.count(1):
            beat(step, 100)
        raise AssertionError


@dataclass(frozen=True, kw_only=True)
class Patient(Endless):
    """Returns its best so far."""

    name = "patient"
    anytime = True

    def learn(self, data: Dataset, rng: np.random.Generator) -> Estimate:
        with until_deadline():
            super().learn(data, rng)
        return Estimate(Graph(data.names))


@dataclass(frozen=True, kw_only=True)
class Limited(Patient):
    """Has a time limit of its own.

    Parameters
    ----------
    timeout
        Seconds.
    """

    name = "limited"
    timeout: NonNegative | None = None


@dataclass(frozen=True, kw_only=True)
class Punctual(Learner):
    """Keeps to its time by itself."""

    name = "punctual"
    timeout_is_limit = False
    timeout: NonNegative = 60.0

    def learn(self, data: Dataset, rng: np.random.Generator) -> Estimate:
        return Estimate(Graph(data.names), {"told": self.timeout})


@dataclass(frozen=True, kw_only=True)
class Cyclic(Learner):
    """Goes round."""

    name = "cyclic"

    def learn(self, data: Dataset, rng: np.random.Generator) -> Estimate:
        a, b, c = data.names
        return Estimate(Graph.from_edges([(a, b), (b, c), (c, a)], data.names))


def test_at_the_limit_there_is_the_best_so_far_or_nothing() -> None:
    assert learn(DATA, Patient, timeout=0.01).stats["stopped_early"] is True
    with pytest.raises(OutOfTimeError, match="endless was stopped at the time limit of"):
        learn(DATA, Endless, timeout=0.01)


def test_a_limit_of_the_learners_own_counts() -> None:
    assert learn(DATA, Limited, timeout=0.01).stats["stopped_early"] is True
    assert LearnerSpec.of(Limited).learner(3.0) == Limited(timeout=3.0)
    assert time_limit(Limited(timeout=3.0)) == 3.0
    assert time_limit(Limited(), None) is None
    assert time_limit(Patient(), 5.0) == 5.0


def test_a_learner_that_keeps_to_its_time_is_told_and_left_alone() -> None:
    assert learn(DATA, Punctual, timeout=0.0).stats == {"told": 0.0}
    assert learn(DATA, Punctual).stats == {"told": 60.0}
    assert time_limit(Punctual(timeout=1.0), 1.0) is None


@pytest.mark.parametrize("timeout", [-1, float("nan"), "soon"])
def test_a_limit_is_a_number_of_seconds(timeout: object) -> None:
    with pytest.raises(StudyError, match="timeout: found"):
        learn(DATA, "hc", timeout=timeout)  # type: ignore[arg-type]


def test_wrong_results_name_the_learner() -> None:
    with pytest.raises(WrongResultError, match="cyclic: gives is 'dag': its result needs a DAG"):
        learn(DATA, Cyclic)


def test_a_function_is_told_of_progress() -> None:
    class EnoughError(Exception):
        pass

    heard = []

    def listener(done: int, total: int) -> None:
        heard.append((done, total))
        if len(heard) == 3:
            raise EnoughError

    with pytest.raises(EnoughError):
        learn(DATA, Endless, progress=listener)
    steps = [done for done, _ in heard]
    assert steps == sorted(steps)
    assert {total for _, total in heard} == {100}


def terminal() -> Console:
    return Console(file=io.StringIO(), force_terminal=True, width=100)


@pytest.mark.parametrize(("total", "text"), [(1000, "10 of 1,000"), (0, "10 steps")])
def test_a_bar_or_a_count(total: int, text: str) -> None:
    console = terminal()
    with Bar("pc", console, patience=0.0) as bar:
        bar(3, total)
        bar(10, total)
    assert text in console.file.getvalue()  # type: ignore[attr-defined]
    assert "pc" in console.file.getvalue()  # type: ignore[attr-defined]


def test_a_bar_where_nothing_is_counted() -> None:
    console = terminal()
    with Bar("glasso", console, patience=0.0) as bar:
        bar(0, 0)
    assert "glasso" in console.file.getvalue()  # type: ignore[attr-defined]
    assert "steps" not in console.file.getvalue()  # type: ignore[attr-defined]


def test_a_bar_counts_from_the_beginning(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [1000.0]
    monkeypatch.setattr(time, "monotonic", lambda: now[0])
    console = terminal()
    with Bar("pc", console, patience=2.0) as bar:
        now[0] += 3600
        bar(10, 100)
    assert "1:00:" in console.file.getvalue()  # type: ignore[attr-defined]


def test_short_runs_and_files_see_no_bar() -> None:
    for console, patience in (
        (terminal(), 1e9),
        (Console(file=io.StringIO(), force_terminal=False), 0.0),
    ):
        with Bar("pc", console, patience=patience) as bar:
            bar(10, 100)
        assert not console.file.getvalue()  # type: ignore[attr-defined]


def test_progress_may_be_asked_for_where_nobody_looks(capsys: pytest.CaptureFixture[str]) -> None:
    assert learn(DATA, Patient, progress=True, timeout=0.01).graph == Graph(DATA.names)
    assert capsys.readouterr() == ("", "")
