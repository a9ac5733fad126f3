"""Guarded processes beside a worker on another machine: batches, limits, deaths, shares."""

from __future__ import annotations

import gc
import os
import pickle
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from fakes import (
    FakePlan,
    add_data,
    batch_of,
    estimate,
    learner,
    made,
    until,
    worker_processes,
)

from dagathlon.cluster import guarded_worker as workers
from dagathlon.cluster import remote_host as remotes
from dagathlon.cluster.cache import Cache
from dagathlon.cluster.guarded_worker import UnwantedError
from dagathlon.cluster.messages import Batch, Reply
from dagathlon.cluster.remote_host import RemoteHost
from dagathlon.processes.usage import descendants
from dagathlon.study.engine.process import Assignment, WorkerProcess
from dagathlon.study.engine.resources import Machine
from dagathlon.study.plan.task import Call, Limits, Resources
from dagathlon.study.store.objects import Payload, UnwritableError
from processes import has_ended

# Made into calls inside tests: a module that is known while tests are collected is known to all.
MODES = ("ok", "large", "spin", "eat", "segfault", "raise", "sleep", "told", "children")


def calls() -> dict[str, Call]:
    """Learners by name."""
    plain = {mode: learner(mode) for mode in MODES}
    several = {f"ok {number}": learner(number=number) for number in range(1, 6)}
    return {**plain, "slow told": learner("told", seconds=1.0), **several}


class Known(NamedTuple):
    """A plan, where its tasks are by name, and what is known of their results."""

    plan: FakePlan
    place: dict[str, int]
    payloads: dict[bytes, Payload]

    def batch(self, *names: str, **told: Any) -> Batch:
        if "limits" in told:
            told["limits"] = {self.place[name]: each for name, each in told["limits"].items()}
        return batch_of(self.plan, self.payloads, [self.place[name] for name in names], **told)

    def digest(self, name: str) -> bytes:
        return self.payloads[self.plan.tasks[self.place[name]].key].digest


@pytest.fixture(scope="module")
def known(tmp_path_factory: pytest.TempPathFactory) -> Known:
    plan = FakePlan()
    data = add_data(plan, 1)
    place = {name: plan.add(each, 1, [data]) for name, each in calls().items()}
    good = [place[name] for name in place if name.startswith(("ok", "large"))]
    store = made(plan, tmp_path_factory.mktemp("known"), [*range(data + 1), *good])
    return Known(plan, place, store.payloads(plan.keys()))


@pytest.fixture
def remote(tmp_path: Path) -> Iterator[RemoteHost]:
    found = RemoteHost(tmp_path / "remote", Machine(1), {})
    yield found
    found.close()


def wanted() -> bool:
    return True


def statuses(known: Known, reply: Reply) -> dict[str, str]:
    names = {position: name for name, position in known.place.items()}
    return {names[each.position]: each.status for each in reply.reports}


def test_results_are_those_of_other_engines(known, remote):
    names = ["ok", "ok 1", "large", "ok 2"]
    reply = remote.carry_out(known.batch(*names), wanted)
    assert {each.position: each.digest for each in reply.reports} == {
        known.place[name]: known.digest(name) for name in names
    }
    assert (reply.lost, reply.left, reply.full) == ((), (), "")
    assert reply.memory > 0
    large = next(each for each in reply.reports if each.position == known.place["large"])
    assert large.content is None
    assert large.file == ""
    assert len(remote.cache.piece(large.digest, 0, large.size)) == large.size


def test_failures_in_the_middle_of_a_batch_cost_no_other_task(known, remote):
    limits = {"spin": Limits(0.5), "eat": Limits(None, 300 * 2**20)}
    names = ["ok", "spin", "ok 1", "eat", "ok 2", "segfault", "ok 3", "raise", "ok 4"]
    reply = remote.carry_out(known.batch(*names, limits=limits), wanted)
    failed = {"spin": "timeout", "eat": "memory", "segfault": "error", "raise": "error"}
    assert statuses(known, reply) == {name: failed.get(name, "ok") for name in names}
    assert (reply.lost, reply.left) == ((), ())
    reasons = {each.position: each.reason for each in reply.reports}
    assert reasons[known.place["spin"]] == "stopped after 0.5 s"
    assert "SIGSEGV" in reasons[known.place["segfault"]]


def test_processor_time_is_limited_beside_other_workers_too(known, remote):
    limits = {"spin": Limits(cpu=0.3)}
    (report,) = remote.carry_out(known.batch("spin", limits=limits), wanted).reports
    assert (report.status, report.reason) == ("timeout", "stopped after 0.3 s of processor time")
    assert report.outcome(Limits(9.0, cpu=0.3), "here").limits == Limits(cpu=0.3)


def test_a_process_that_others_kill_costs_no_result(known, remote):
    batch = known.batch("sleep", "ok")
    with ThreadPoolExecutor(1) as pool:
        running = pool.submit(remote.carry_out, batch, wanted)
        until(lambda: under_way() == known.place["sleep"])
        (victim,) = worker_processes()
        os.kill(victim, signal.SIGKILL)
        reply = running.result()
    (killed,) = reply.killed
    assert (killed.position, killed.status) == (known.place["sleep"], "error")
    assert "SIGKILL" in killed.reason
    assert known.place["ok"] in {*reply.left, *(each.position for each in reply.reports)}
    assert known.place["sleep"] not in {*reply.left, *(each.position for each in reply.reports)}


def under_way() -> int:
    """The task that the only process of a remote host computes; -1 while it is being made."""
    workers = [each for each in gc.get_objects() if isinstance(each, WorkerProcess)]
    try:
        found = [each.present() for each in workers if not each.has_ended()]
    except AttributeError:
        return -1
    return found[0][0] if found and found[0][1] else -1


def test_what_is_left_of_a_late_batch_is_given_back(known, remote):
    limits = {"sleep": Limits(3.0)}
    batch = known.batch("sleep", "ok", "ok 1", limits=limits, patience=0.0)
    reply = remote.carry_out(batch, wanted)
    done = [each.position for each in reply.reports]
    assert sorted([*done, *reply.left]) == sorted(each.position for each in batch.items)
    assert {known.place["ok"], known.place["ok 1"]} <= set(reply.left)


def test_results_of_many_bytes_go_in_several_replies(known, remote, monkeypatch):
    monkeypatch.setattr(workers, "MOST_BYTES", 0)
    waiting = {known.place[name] for name in known.place if name.startswith("ok")}
    replies = 0
    while waiting:
        positions = sorted(waiting)
        reply = remote.carry_out(batch_of(known.plan, known.payloads, positions), wanted)
        assert reply.reports
        assert sorted([*(r.position for r in reply.reports), *reply.left]) == positions
        waiting -= {each.position for each in reply.reports}
        replies += 1
    assert replies >= 1


def test_a_missing_input_is_lost_and_the_rest_is_done(known, remote):
    batch = known.batch("ok")
    without = batch._replace(inputs=tuple(each._replace(content=None) for each in batch.inputs))
    reply = remote.carry_out(without, wanted)
    assert [(each.position, each.place) for each in reply.lost] == [(known.place["ok"], 0)]
    assert reply.reports == ()
    assert statuses(known, remote.carry_out(batch, wanted)) == {"ok": "ok"}
    assert statuses(known, remote.carry_out(without, wanted)) == {"ok": "ok"}


def test_a_damaged_input_is_lost_and_forgotten(known, remote):
    batch = known.batch("ok")
    (sent,) = batch.inputs
    assert sent.content is not None
    damaged = batch._replace(inputs=(sent._replace(content=bytes(sent.size)),))
    reply = remote.carry_out(damaged, wanted)
    assert [(each.position, each.place) for each in reply.lost] == [(known.place["ok"], 0)]
    assert remote.cache.payload(sent.digest, sent.size) is None
    assert statuses(known, remote.carry_out(batch, wanted)) == {"ok": "ok"}


def test_a_damaged_file_is_lost_and_comes_again(tmp_path, remote):
    plan = FakePlan()
    data = add_data(plan, 1, n=5000)
    position = plan.add(learner(), 1, [data])
    store = made(plan, tmp_path / "store")
    payloads = store.payloads(plan.keys())
    payload = payloads[plan.tasks[data].key]
    content = bytes(store.objects.read(payload))
    assert payload.inline is None
    batch = batch_of(plan, payloads, [position])
    remote.cache.receive(payload.digest, payload.size, 0, content)
    remote.cache.objects.path(payload.digest).write_bytes(bytes(payload.size))
    reply = remote.carry_out(batch, wanted)
    assert [each.position for each in reply.lost] == [position]
    assert remote.cache.payload(payload.digest, payload.size) is None
    remote.cache.receive(payload.digest, payload.size, 0, content)
    reply = remote.carry_out(batch, wanted)
    assert [each.digest for each in reply.reports] == [payloads[plan.tasks[position].key].digest]


def test_a_batch_that_nobody_waits_for_ends_with_its_process(known, remote):
    found: list[int] = []

    def asked() -> bool:
        found.extend(worker_processes())
        return not found

    with pytest.raises(UnwantedError):
        remote.carry_out(known.batch("sleep"), asked)
    assert all(map(has_ended, found))
    assert statuses(known, remote.carry_out(known.batch("ok"), wanted)) == {"ok": "ok"}


def test_a_batch_that_waits_for_cores_in_vain_is_given_up(known, remote):
    over = threading.Event()
    with ThreadPoolExecutor(2) as pool:
        first = pool.submit(remote.carry_out, known.batch("sleep"), lambda: not over.is_set())
        until(lambda: bool(worker_processes()))
        second = pool.submit(remote.carry_out, known.batch("ok"), lambda: False)
        assert isinstance(second.exception(), UnwantedError)
        over.set()
        assert isinstance(first.exception(), UnwantedError)


def test_a_task_that_began_while_it_was_taken_back_holds_up_nobody(known, remote):
    remote.carry_out(known.batch("ok"), wanted)
    ((worker,),) = remote._idle.values()
    position = known.place["sleep"]
    read = (known.payloads[known.plan.tasks[2].key],)
    stray = Assignment(position, known.plan.tasks[position], read, Limits(), 0.0)
    worker._worker.assign([stray])
    reply = remote.carry_out(known.batch("ok 1", "ok 2"), wanted)
    assert statuses(known, reply) == {"ok 1": "ok", "ok 2": "ok"}


def test_a_full_disk_is_said_and_its_process_does_not_go_on(known, remote, monkeypatch):
    def full(*_: object, **__: object) -> None:
        raise UnwritableError("No space left on device")

    monkeypatch.setattr(Cache, "adopt", full)
    reply = remote.carry_out(known.batch("ok", "large", "sleep"), wanted)
    assert statuses(known, reply) == {"ok": "ok"}
    assert set(reply.left) == {known.place["large"], known.place["sleep"]}
    assert reply.full == "No space left on device"
    assert worker_processes() == []


def test_batches_share_the_cores(known, remote):
    with ThreadPoolExecutor(3) as pool:
        batches = [known.batch("told") for _ in range(3)]
        replies = list(pool.map(lambda each: remote.carry_out(each, wanted), batches))
    times = sorted(span(reply) for reply in replies)
    assert all(first[1] <= second[0] for first, second in pairwise(times))


def test_tasks_of_many_threads_are_not_overtaken_for_ever(known, tmp_path):
    both = RemoteHost(tmp_path / "both", Machine(2), {})
    try:
        with ThreadPoolExecutor(3) as pool:
            first = pool.submit(both.carry_out, known.batch("slow told"), wanted)
            until(lambda: both._busy == 1)
            large = known.batch("told", resources=Resources(2))
            second = pool.submit(both.carry_out, large, wanted)
            until(lambda: len(both._queue) == 1)
            third = pool.submit(both.carry_out, known.batch("told"), wanted)
            spans = [span(each.result()) for each in (first, second, third)]
            threads = stats(second.result())["DAGATHLON_THREADS"]
    finally:
        both.close()
    assert threads == "2"
    assert spans[0][1] <= spans[1][0]
    assert spans[1][1] <= spans[2][0]


def test_idle_processes_end_and_others_come(known, tmp_path, monkeypatch):
    monkeypatch.setattr(remotes, "_ROUND", 0.05)
    monkeypatch.setattr(remotes, "_IDLE", 0.0)
    found = RemoteHost(tmp_path / "idle", Machine(1), {})
    try:
        for _ in range(2):
            assert statuses(known, found.carry_out(known.batch("ok"), wanted)) == {"ok": "ok"}
            until(lambda: not worker_processes())
    finally:
        found.close()


def test_an_outpost_that_nobody_uses_closes_itself(tmp_path, monkeypatch):
    monkeypatch.setattr(remotes, "_ROUND", 0.05)
    monkeypatch.setattr(remotes, "_FORGOTTEN", 0.0)
    found = RemoteHost(tmp_path / "forgotten", Machine(1), {})
    until(lambda: not (tmp_path / "forgotten").exists())
    assert found.is_closed


def test_closing_ends_what_runs(known, tmp_path):
    found = RemoteHost(tmp_path / "closed", Machine(1), {})
    with ThreadPoolExecutor(2) as pool:
        running = pool.submit(found.carry_out, known.batch("children"), wanted)
        until(lambda: bool(grandchildren()))
        pids = [*worker_processes(), *grandchildren()]
        waiting = pool.submit(found.carry_out, known.batch("ok"), wanted)
        found.close()
        found.close()
        assert isinstance(running.exception(), UnwantedError)
        assert isinstance(waiting.exception(), UnwantedError)
    assert all(map(has_ended, pids))
    assert not (tmp_path / "closed").exists()


PROGRAM = """
import pickle, sys
from pathlib import Path
from dagathlon.cluster.remote_host import RemoteHost
from dagathlon.study.engine.resources import Machine

batch = pickle.loads(Path(sys.argv[1]).read_bytes())
remote = RemoteHost(Path(sys.argv[2]), Machine(1), {})
remote.carry_out(batch, lambda: True)
"""


def test_processes_die_with_a_worker_that_is_killed(known, tmp_path):
    (tmp_path / "batch").write_bytes(pickle.dumps(known.batch("children")))
    arguments = [str(tmp_path / "batch"), str(tmp_path / "remote")]
    with subprocess.Popen([sys.executable, "-c", PROGRAM, *arguments]) as program:
        until(lambda: bool(grandchildren(program.pid)))
        pids = [*descendants(program.pid)]
        os.kill(program.pid, signal.SIGKILL)
    assert len(pids) >= 3  # the worker process, its own child and the guardian
    assert all(map(has_ended, pids))


def grandchildren(parent: int | None = None) -> list[int]:
    """What worker processes have started."""
    return [child for pid in worker_processes(parent) for child in descendants(pid)]


def stats(reply: Reply) -> Any:
    (report,) = reply.reports
    return estimate(report.content)


def span(reply: Reply) -> tuple[float, float]:
    """When the only task of a reply began and ended."""
    found = stats(reply)
    return found["begin"], found["end"]
