"""What a person sees: counts, rate, time left, the end, and the log."""

from __future__ import annotations

import io
import json

import pytest
from plans import learner, plan_of
from rich.console import Console

from dagathlon.errors import StudyError
from dagathlon.study.engine.protocol import Began, Finished, Note, Running, Summary
from dagathlon.study.plan.task import Outcome, Status
from dagathlon.study.view.display import (
    Display,
    Lines,
    Silence,
    drawn,
    duration,
    headline,
    make_display,
)
from dagathlon.study.view.tally import Tally

PLAN = plan_of(learner(), learner(number=1), seeds=2)
SIMULATED = {("graph", "g"): 2, ("parameters", "p"): 2, ("data", "d"): 2}
BEGAN = Began({("learn", "fake_learner"): 4}, SIMULATED)


def finished(position: int, status: Status = Status.OK) -> Finished:
    return Finished(position, PLAN.tasks[position], Outcome(status, "why", wall=2.0))


def tally_of(*events) -> Tally:
    tally = Tally(PLAN.tasks)
    for event in events:
        tally.add(event)
    return tally


def test_tally():
    events = [BEGAN, finished(3), finished(4, Status.TIME), Running((8,), 3 * 2**20)]
    tally = tally_of(*events)
    line = tally.lines["fake_learner"]
    assert (line.total, line.done, line.failed, line.running, line.left) == (4, 1, 1, 1, 2)
    assert tally.lines["simulation"].done == 6
    assert tally.total.total == 10
    # Two tasks of two seconds each, one at a time.
    assert tally.seconds_left() == pytest.approx(4.0)


def test_nothing_is_known_at_the_start():
    tally = tally_of(BEGAN)
    assert tally.seconds_left() is None
    assert tally.rate == 0.0
    assert headline(tally) == "6 of 10 tasks, 0 running, 0 MB"


def test_headline():
    tally = tally_of(BEGAN, finished(3, Status.ERROR), Running((4,), 5 * 2**20))
    assert headline(tally) == "7 of 10 tasks, 1 failed, 1 running, about 6 s left, 5 MB"


def test_bars_name_every_algorithm():
    text = io.StringIO()
    tally = tally_of(BEGAN, finished(3, Status.ERROR), Running((4,), 0))
    Console(file=text, width=100).print(drawn(tally))
    lines = text.getvalue().splitlines()
    assert lines[0].split()[0] == "simulation"
    assert "6/6" in lines[0]
    assert lines[1].split()[0] == "fake_learner"
    assert "1/4 1 failed 1 running" in " ".join(lines[1].split())


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (3.2, "3 s"),
        (119.7, "2 min 0 s"),
        (95, "1 min 35 s"),
        (1500, "25 min"),
        (3600, "1 h 0 min"),
        (9000, "2 h 30 min"),
    ],
)
def test_duration(seconds, text):
    assert duration(seconds) == text


def summary() -> Summary:
    result = Summary(seconds=1.5)
    result.ran["F1", "learn", "pc"] = 2
    result.ran["ok", "learn", "pc"] = 5
    result.stored["F2", "learn", "ges"] = 1
    result.stored["skipped", "score", "metrics"] = 3
    return result


def shown(*, quiet: bool, result: Summary, log: io.StringIO | None = None) -> str:
    text = io.StringIO()
    console = Console(file=text, width=200)
    with Display(PLAN, Silence(console), console, log, quiet=quiet) as display:
        for event in (BEGAN, finished(3), Running((4,), 9), Note("a line")):
            display.on_event(event)
        display.finish(result)
        logged = log.getvalue() if log else ""
    return text.getvalue() + logged


def test_the_end():
    text = shown(quiet=False, result=summary())
    assert "7 tasks ran in 1.5 s, 4 came from the store" in text
    assert "F1  pc: 2 over the time limit" in text
    assert "F2  ges: 1 ended in an error" in text
    assert "note: a line" in text


def test_quiet_says_only_what_went_wrong():
    assert shown(quiet=True, result=summary()).splitlines() == [
        "note: a line",
        "F1  pc: 2 over the time limit",
        "F2  ges: 1 ended in an error",
    ]


def test_a_stopped_run_says_how_to_go_on():
    stopped = Summary(interrupted=True, partial=True)
    text = shown(quiet=True, result=stopped)
    assert "the same command goes on from here" in text
    assert "quick look" in text


def test_log_has_one_object_per_event():
    log = io.StringIO()
    text = shown(quiet=True, result=Summary(), log=log)
    records = [json.loads(line) for line in text.splitlines() if line.startswith("{")]
    assert [record["event"] for record in records] == [
        "began",
        "finished",
        "running",
        "note",
        "end",
    ]
    assert records[1]["module"] == "fake_learner"
    assert records[1]["status"] == "ok"
    assert records[1]["key"] == PLAN.tasks[3].key.hex()


def test_lines_come_now_and_then(monkeypatch):
    clock = [100.0]
    monkeypatch.setattr("dagathlon.study.view.display.time.monotonic", lambda: clock[0])
    text = io.StringIO()
    view = Lines(Console(file=text, width=200))
    tally = tally_of(BEGAN)
    for clock[0] in (101.0, 109.9, 110.1, 111.0, 121.0):
        view.show(tally)
    assert text.getvalue().splitlines() == [headline(tally)] * 2


def test_make_display_outside_a_terminal(tmp_path, capsys):
    with make_display(PLAN, json_log=tmp_path / "log") as display:
        display.on_event(BEGAN)
        display.finish(Summary())
    assert json.loads((tmp_path / "log").read_text().splitlines()[0])["event"] == "began"
    assert "0 tasks ran" in capsys.readouterr().err
    with pytest.raises(StudyError, match="cannot be written"):
        make_display(PLAN, json_log=tmp_path / "no" / "log")
