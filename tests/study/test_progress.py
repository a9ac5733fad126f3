"""What ``status`` and the live page make of the progress that a run left in the store."""

from __future__ import annotations

import json
import time

import pytest
from plans import learner, plan_of

from dagathlon.cli import main
from dagathlon.cli import status as status_command
from dagathlon.cli.serve import server_of
from dagathlon.cli.status import described
from dagathlon.study.engine.coordinator import Coordinator
from dagathlon.study.engine.local import LocalEngine
from dagathlon.study.engine.protocol import Host, Options, Running, silent
from dagathlon.study.plan.task import Outcome, Status
from dagathlon.study.records.progress import Progress, moment, plain
from dagathlon.study.store.claims import Registration, RunRecord, run_records
from dagathlon.study.store.store import Store

NODES = [
    {"name": "node1", "workers": 8, "given": 9, "done": 100, "failed": 0, "remark": ""},
    {"name": "<b>node2</b>", "workers": 4, "given": 0, "done": 50, "failed": 7, "remark": "no R"},
]
TOLD = {
    "ran": [["ok", "learn", "pc", 143], ["error", "learn", "pc", 7]],
    "stored": [["ok", "graph", "g", 5]],
    "left": 45,
    "queued": 40,
    "jobs": 12,
    "rate": 3.25,
    "hosts": NODES,
    "told": {"dashboard": "http://node1:8787/status"},
}


@pytest.fixture
def living(tmp_path):
    """A folder of results on which a run goes on."""
    with Store(tmp_path / "store") as store:
        registration = Registration(store)
        ends = {"expected_end": time.time() + 4000.0}
        registration.exchange([], progress=TOLD | ends)
        yield tmp_path
        registration.end(TOLD | {"left": 0, "seconds": 60.0})


def test_status_shows_who_works(living, capsys):
    assert main(["status", str(living)]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert "12 workers on 2 hosts): 150 tasks ran, 5 came from the store, 45 are left" in lines[0]
    assert lines[1] == "dashboard: http://node1:8787/status"
    assert lines[2].startswith("40 queued, 3.2 tasks per second, expected to end at ")
    assert lines[2].endswith("(in about 1 h 7 min)")
    rows = [line.split() for line in lines[4:8]]
    assert rows[0] == ["host", "workers", "given", "done", "failed", "remark"]
    assert rows[2] == ["node1", "8", "9", "100", "0"]
    assert rows[3] == ["<b>node2</b>", "4", "0", "50", "7", "no", "R"]


def test_status_for_scripts(living, capsys):
    assert main(["status", "--json", str(living)]) == 0
    (run,) = json.loads(capsys.readouterr().out)["runs"]
    assert (run["alive"], run["ran"], run["left"], run["queued"]) == (True, 150, 45, 40)
    assert run["rate"] == 3.25
    assert 3900 < run["seconds_left"] <= 4000
    assert run["hosts"] == NODES
    assert run["told"] == TOLD["told"]


def test_status_of_an_ended_run_says_what_came_of_it_where(tmp_path, capsys):
    with Store(tmp_path / "store") as store:
        Registration(store).end(TOLD | {"left": 0, "seconds": 60.0})
    assert main(["status", str(tmp_path)]) == 0
    text = capsys.readouterr().out
    assert text.startswith("finished")
    assert "queued" not in text
    assert "dashboard" not in text
    assert ["<b>node2</b>", "50", "7"] in [line.split() for line in text.splitlines()]


def test_watch_looks_until_the_run_ends(tmp_path, capsys, monkeypatch):
    looks = []
    with Store(tmp_path / "store") as store:
        registration = Registration(store)
        registration.exchange([], progress=TOLD)

        def pause(seconds):
            looks.append(seconds)
            if len(looks) == 3:
                registration.end(TOLD | {"left": 0})

        monkeypatch.setattr(status_command.time, "sleep", pause)
        assert main(["status", "--json", "--watch", "0.5", str(tmp_path)]) == 0
    assert looks == [0.5] * 3
    seen = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [look["runs"][0]["alive"] for look in seen] == [True, True, True, False]


@pytest.mark.parametrize("seconds", ["0", "-1", "nan", "inf"])
def test_watch_refuses_what_is_no_time(tmp_path, capsys, seconds):
    assert main(["status", f"--watch={seconds}", str(tmp_path)]) == 2
    assert "above 0" in capsys.readouterr().err


def test_the_page_has_the_same(living):
    with server_of(living) as server:
        state = server.state()
    assert state["told"] == TOLD["told"]
    assert state["facts"].startswith("40 queued, 3.2 tasks per second")
    assert state["hosts"]["rows"][1] == ("<b>node2</b>", 4, 0, 50, 7, "no R")
    assert (state["done"], state["total"]) == (155, 200)


ODD = [
    {},
    [],
    "text",
    {"ran": 3, "stored": [[]], "left": "many", "jobs": None},
    {"ran": [["ok", "x", -5], ["ok", "x", 10**400], 7, [True]], "left": -1, "queued": 1.5},
    {"hosts": {"name": "a"}, "told": ["x"], "rate": "fast", "expected_end": []},
    {"hosts": [3, {}, {"name": 5, "workers": "8", "failed": None, "remark": 7}], "rate": 1e400},
    {"expected_end": 1e15, "left": 5, "hosts": [{"name": "\x1b[2Jevil\n"}], "seconds": "long"},
    {"told": {"dashboard": {"a": 1}, "\x1b]0;x": "javascript:alert(1)"}, "hosts": [{}]},
    {"hosts": [{"name": "h" * 10_000, "remark": "r" * 10_000}] * 5000},
]


@pytest.mark.parametrize("found", ODD)
def test_odd_progress_breaks_nothing(tmp_path, capsys, found):
    with Store(tmp_path / "store") as store:
        registration = Registration(store)
        registration.exchange([], progress=found)
        for arguments in (["status"], ["status", "--json"]):
            assert main([*arguments, str(tmp_path)]) == 0
        with server_of(tmp_path) as server:
            json.dumps(server.state())
        registration.end(found)
        assert main(["status", str(tmp_path)]) == 0
    text = capsys.readouterr().out
    assert "\x1b" not in text


def test_odd_entries_are_unknown():
    found = Progress.of(ODD[6])
    assert found.hosts == (Host("?", 0), Host("?", 0))
    assert (found.rate, found.ran) == (0.0, 0)
    assert Progress.of(ODD[4]).ran == 0
    assert len(Progress.of(ODD[9]).hosts) == 1000
    assert Progress.of(None) == Progress()


def test_odd_times():
    record = RunRecord(1, 2, "yesterday", None, {}, True)  # type: ignore[arg-type]
    assert described(record).startswith("running for an unknown time")
    assert moment("x") == moment(10**30) == "at an unknown time"
    assert plain("a\x1b\nb") == "a  b"
    assert len(plain("x" * 1000)) == 300


def test_a_run_stores_its_machines_rate_and_end(tmp_path):
    plan = plan_of(learner(), seeds=3)
    seen = []
    with Store(tmp_path) as store:
        with Coordinator(plan, store, seen.append, Options()) as work:
            first = work.schedule.pop(0)
            work.claim([first])
            work.record(first, Outcome(Status.OK, wall=2.0, host="gone"))
            second = work.schedule.pop(0)
            work.record(second, Outcome(Status.ERROR, "why", wall=2.0, host="here"))
            work.look([], 0, [Host("here", 2, given=1)])
            (living,) = run_records(store)
            found = Progress.of(living.progress)
            assert found.hosts == (Host("here", 2, 1, 1, 1), Host("gone", 0, 0, 1, 0))
            assert found.expected_end > time.time()
            (told,) = (event for event in seen if isinstance(event, Running))
            assert told.hosts == found.hosts
            third = work.schedule.pop(0)
            work.record(third, Outcome(Status.OK, wall=2.0, host="here"))
            work.interrupted = True
        (ended,) = run_records(store)
    # What came in after the last look is counted too.
    assert Progress.of(ended.progress).hosts[0] == Host("here", 2, 1, 2, 1)
    assert work.summary.hosts[0].done == 2


def test_engines_of_one_machine_say_so(tmp_path):
    with Store(tmp_path) as store:
        summary = LocalEngine(1).run(plan_of(learner()), store, on_event=silent)
        (record,) = run_records(store)
    (host,) = Progress.of(record.progress).hosts
    assert (host.done, host.failed) == (4, 0)
    assert summary.hosts[0].done == 4
