"""What a person sees: counts, rate, time left, the end, and the log."""

from __future__ import annotations

import io
import json
from dataclasses import replace

import pytest
from plans import learner, plan_of
from rich.console import Console

from dagathlon.errors import StudyError
from dagathlon.study.engine.protocol import Began, Finished, Host, Note, Running, Summary
from dagathlon.study.plan.task import Outcome, Status
from dagathlon.study.records.causes import Skipped, causes
from dagathlon.study.records.completeness import Tally
from dagathlon.study.records.display import (
    Display,
    Lines,
    Silence,
    drawn,
    duration,
    failure_lines,
    headline,
    make_display,
)
from dagathlon.study.records.hosts import failures_by_host

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


def test_nothing_is_known_at_the_start():
    tally = tally_of(BEGAN)
    assert tally.seconds_left is None
    assert tally.rate == 0.0
    assert headline(tally) == "6 of 10 tasks, 0 running, 0 MB"


def test_headline():
    here = (Host("here", 2, given=1),)
    running = Running((4,), 5 * 2**20, here, queued=3, rate=0.52, seconds_left=6.2)
    tally = tally_of(BEGAN, finished(3, Status.ERROR), running)
    counts = "7 of 10 tasks, 1 failed, 1 running"
    assert headline(tally) == f"{counts}, 0.5 per second, about 6 s left, 5 MB"


def hosts(n: int, failed: int = 0) -> tuple[Host, ...]:
    return tuple(Host(f"node{i}", 4, 4, done=100, failed=failed * (i == 2)) for i in range(n))


def test_skipped_runs_are_skipped_in_every_counter():
    events = [finished(3, Status.SKIPPED), finished(4, Status.ERROR)]
    tally = tally_of(BEGAN, *events)
    line = tally.lines["fake_learner"]
    assert (line.done, line.failed, line.skipped, line.left) == (0, 1, 1, 2)
    assert headline(tally) == "8 of 10 tasks, 1 failed, 1 skipped, 0 running, 0 MB"
    assert "1 skipped" in "".join(lines_of(drawn(tally)))


def lines_of(shown) -> list[str]:
    text = io.StringIO()
    Console(file=text, width=120).print(shown)
    return text.getvalue().splitlines()


def test_one_cause_is_one_line():
    gaps = "cannot handle missing values; impute them first or drop the rows"
    reasons = {
        ("hc", f"hc {gaps}; structural_em takes them (54 of 200 rows have missing values)"): 2,
        ("hc", f"hc {gaps}; structural_em takes them (3 of 100 rows have missing values)"): 1,
        ("lingam", f"lingam {gaps} (3 of 100 rows have missing values)"): 1,
        ("notears", "notears needs continuous data (discrete: sex)"): 1,
    }
    result = Summary()
    for (module, _), n in reasons.items():
        result.ran["skipped", "learn", module] += n
    result.stored["skipped", "learn", "hc"] = 4
    assert failure_lines(result, reasons) == [
        f"skipped  hc and lingam, 4 runs: {gaps}",
        "skipped  notears, 1 run: notears needs continuous data (discrete: sex)",
        "skipped  4 other runs, as the report says",
    ]
    assert causes([Skipped("x", "x", "needs uv", 3)])[0] == (("x",), {"needs uv"}, "needs uv", 3, 3)


def test_the_verb_of_a_cause_agrees_with_its_names():
    plain, with_parameters = "needs uv", "with these parameters needs continuous data"
    for reason, shared in ((plain, "need uv"), (with_parameters, "with these parameters need co")):
        found = causes([Skipped(name, name, f"{name} {reason}") for name in ("x", "y")])
        assert [str(one).startswith(f"x and y: {shared}") for one in found] == [True]
        (alone,) = causes([Skipped("x", "x", f"x {reason}", 2)])
        assert alone.words == f"x {reason}"


def test_copies_of_one_cause_are_one_line():
    rows = {k: f"n/a: subsample=200,{k}: there are 197 rows to take 200 from" for k in range(1, 11)}
    reasons = {("subsample", reason): 1 for reason in rows.values()}
    for name in ("hc", "pc"):
        followed = (f"transform subsample ended in skipped: {reason}" for reason in rows.values())
        reasons |= {(name, reason): 1 for reason in followed}
    result = Summary()
    for (module, _), n in reasons.items():
        result.ran["skipped", "learn", module] += n
    assert failure_lines(result, reasons) == [
        f"skipped  hc and pc, 20 runs: {rows[1]} (the first of 10 like it)"
    ]


def test_headline_of_several_hosts():
    tally = tally_of(BEGAN, Running((4,), 0, hosts(3), queued=40))
    assert headline(tally) == "6 of 10 tasks, 12 running, 12 workers on 3 hosts, 40 queued, 0 MB"
    gone = (*hosts(1), Host("left", 0, done=9))
    tally = tally_of(BEGAN, Running((), 0, gone))
    assert "4 workers on 1 host, 0 queued" in headline(tally)


def drawn_lines(*found: Host) -> list[str]:
    text = io.StringIO()
    Console(file=text, width=150).print(drawn(tally_of(BEGAN, Running((), 0, found))))
    return [" ".join(line.split()) for line in text.getvalue().splitlines()]


def test_few_hosts_have_a_row_each_many_a_line():
    alone = drawn_lines(*hosts(1))
    assert not any("node0" in line for line in alone)
    odd = Host("[red]odd", 1, remark="has another version")
    lines = drawn_lines(*hosts(3, failed=7), odd)
    assert "node2 4 workers 4 given 100 done 7 failed" in lines
    assert "[red]odd 1 worker 0 given 0 done has another version" in lines
    many = drawn_lines(*hosts(9, failed=7))
    assert "9 hosts: 900 done, 7 failed, most on node2 (7 of 100)" in many
    assert not any(line.startswith("node") for line in many)


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
    result.ran["timeout", "learn", "pc"] = 2
    result.ran["ok", "learn", "pc"] = 5
    result.stored["error", "learn", "ges"] = 1
    result.stored["skipped", "score", "metrics"] = 3
    return result


def shown(*, quiet: bool, result: Summary, log: io.StringIO | None = None) -> str:
    text = io.StringIO()
    console = Console(file=text, width=200)
    with Display(PLAN, Silence(console), console, log, quiet=quiet) as display:
        running = Running((4,), 9, hosts(2), 5, rate=1.5, seconds_left=60.0)
        for event in (BEGAN, finished(3), running, Note("a line")):
            display.on_event(event)
        display.finish(result)
        logged = log.getvalue() if log else ""
    return text.getvalue() + logged


def test_the_end():
    text = shown(quiet=False, result=summary())
    assert "7 tasks ran in 1.5 s, 4 came from the store" in text
    assert "timeout  pc: 2 over the time limit" in text
    assert "error  ges: 1 ended in an error" in text
    assert "note: a line" in text


def test_failures_of_one_host_are_named():
    bad = Summary(hosts=hosts(3, failed=60))
    told = "all 60 failures were on node2 (100 tasks), none among 200 elsewhere"
    assert told in shown(quiet=True, result=bad)
    worse = tuple(replace(host, failed=host.failed + 5) for host in hosts(3, failed=60))
    text = shown(quiet=True, result=Summary(hosts=worse))
    assert "node2: 65 of 100 tasks failed, elsewhere 10 of 200: it may lack something" in text


@pytest.mark.parametrize(
    "found",
    [
        hosts(3),
        hosts(1, failed=0),
        hosts(3, failed=1),  # one failure is always on one host
        (Host("a", 4, done=100, failed=30), Host("b", 4, done=100, failed=31)),
        (Host("a", 4, done=100, failed=100),),
        (Host("a", 4, done=100, failed=100), Host("b", 4)),
        (Host("a", 1, done=10**6, failed=5000), Host("b", 1, done=10**6, failed=5100)),
    ],
)
def test_failures_that_say_nothing_of_hosts_are_not_named(found):
    assert failures_by_host(found) == []


def test_quiet_says_only_what_went_wrong():
    assert shown(quiet=True, result=summary()).splitlines() == [
        "note: a line",
        "error  ges: 1 ended in an error",
        "timeout  pc: 2 over the time limit",
    ]


def test_a_stopped_run_says_how_to_go_on():
    stopped = Summary(interrupted=True, partial=True)
    text = shown(quiet=True, result=stopped)
    assert "the same command goes on from here" in text
    assert "this was a part of the study (--limit, --shard)" in text


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
    told = {name: records[2][name] for name in ("queued", "rate", "seconds_left")}
    assert told == {"queued": 5, "rate": 1.5, "seconds_left": 60.0}
    assert [host["name"] for host in records[2]["hosts"]] == ["node0", "node1"]


def test_lines_come_now_and_then(monkeypatch):
    clock = [100.0]
    monkeypatch.setattr("dagathlon.study.records.display.time.monotonic", lambda: clock[0])
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
