"""Which tasks go to which worker, and what becomes of what comes back or does not."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from fakes import FakePlan, add_data, answer_of, call, learner, made, objections_told, remarks_told

from dagathlon.cluster import batches, handshake
from dagathlon.cluster import worker_record as worker
from dagathlon.cluster.batches import Packer
from dagathlon.cluster.dispatch import Dispatch
from dagathlon.cluster.events import (
    Broken,
    Failed,
    Gone,
    Joined,
    Opened,
    Refused,
    Returned,
)
from dagathlon.cluster.local_files import with_local_files
from dagathlon.cluster.messages import Batch, Reply
from dagathlon.cluster.scheduling import TaskSelector
from dagathlon.cluster.worker_record import WorkerRecord
from dagathlon.errors import StudyError
from dagathlon.study.engine.coordinator import Coordinator
from dagathlon.study.engine.messages import Lost, Report
from dagathlon.study.engine.protocol import Note, Options
from dagathlon.study.engine.resources import Machine
from dagathlon.study.plan.task import Outcome, Resources, Status, TaskKind
from dagathlon.study.store.store import Store


def graphs(n: int) -> FakePlan:
    plan = FakePlan()
    for seed in range(n):
        plan.add(call(TaskKind.GRAPH, "fake_graph"), seed)
    return plan


class DaskClient:
    """Workers that do nothing but remember what they were sent."""

    def __init__(self) -> None:
        self.sent: list[tuple[str, Batch, Sequence[Any]]] = []
        self.met: list[str] = []

    def send(self, address: str, batch: Batch, large: Sequence[Any]) -> None:
        self.sent.append((address, batch, large))

    def put(self, event: Any) -> None:
        raise AssertionError(event)

    def meet_again(self, address: str) -> None:
        self.met.append(address)

    def demand(self, cores: int, idle: object) -> None:
        self.cores = cores


class Run:
    """A run whose workers are played by the test."""

    def __init__(self, plan: FakePlan, store: Store) -> None:
        self.plan = plan
        self.store = store
        self.notes: list[str] = []
        self.work = Coordinator(with_local_files(plan), store, self._hear, Options())
        self.dask_client = DaskClient()

    def _hear(self, event: object) -> None:
        if isinstance(event, Note):
            self.notes.append(event.text)

    def start(self, *addresses: str, expected: int = 1, **answer: Any) -> None:
        self.dispatch = Dispatch(self.work, self.dask_client, self.store)  # type: ignore[arg-type]
        self.dispatch.take(Opened("tcp://s:1", "", expected))
        for address in addresses:
            self.join(address, **answer)

    def join(self, address: str, **answer: Any) -> None:
        self.dispatch.take(Joined(address, answer_of(address, **answer)))
        self.dispatch.hand_out()

    def tell(self, event: Any) -> list[tuple[str, Batch, Sequence[Any]]]:
        """What is sent for it."""
        before = len(self.dask_client.sent)
        self.dispatch.take(event)
        self.dispatch.hand_out()
        return self.dask_client.sent[before:]

    def outcome(self, position: int) -> Outcome | None:
        self.work.commit()
        key = self.plan.tasks[position].key
        return self.store.outcomes([key]).get(key)


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """Makes a run of a plan, whose store may have something already."""
    monkeypatch.setattr(handshake, "objections", objections_told)
    monkeypatch.setattr(handshake, "remarks", remarks_told)
    running: list[Run] = []

    def begin(plan: FakePlan, store: Store | None = None) -> Run:
        found = Run(plan, store or Store(tmp_path / "store"))
        found.work.__enter__()
        running.append(found)
        return found

    yield begin
    for each in running:
        each.work.__exit__(None, None, None)
        each.dispatch.__exit__()


def ok(position: int, content: bytes = b"x") -> Report:
    digest = hashlib.sha256(content).digest()
    return Report(position, "ok", "", "", 0.001, 0.0, 0, digest, len(content), content)


# TaskSelector


@pytest.fixture
def selector(tmp_path: Path) -> Iterator[Any]:
    def begin(plan: FakePlan) -> TaskSelector:
        return TaskSelector(
            Coordinator(with_local_files(plan), Store(tmp_path), lambda _: None, Options())
        )

    return begin


def sent(selector: TaskSelector, *workers: WorkerRecord) -> list[tuple[str, list[int], bool]]:
    found = []
    for number, each in enumerate(selector.selections(workers)):
        each.worker.send(number, each.positions, Resources(), exclusive=each.exclusive)
        found.append((each.worker.address, each.positions, each.exclusive))
    return found


def test_quick_tasks_go_together(selector):
    found = selector(graphs(10))
    found.note_time("fake_graph", 0.001)
    assert sent(found, WorkerRecord("a", "a", Machine(1))) == [("a", list(range(10)), False)]


def test_quick_tasks_are_shared_by_all_cores(selector):
    found = selector(graphs(8))
    found.note_time("fake_graph", 0.001)
    workers = [WorkerRecord("a", "a", Machine(1)), WorkerRecord("b", "b", Machine(1))]
    sizes = [(address, len(positions)) for address, positions, _ in sent(found, *workers)]
    assert sizes[:2] == [("a", 4), ("b", 2)]


@pytest.mark.parametrize("seconds", [1.0, None])
def test_slow_and_unknown_tasks_go_alone(selector, seconds):
    found = selector(graphs(6))
    if seconds:
        found.note_time("fake_graph", seconds)
    batches = sent(found, WorkerRecord("a", "a", Machine(2)))
    assert [positions for _, positions, _ in batches][:2] == [[0], [1]]
    # One more for every core where it will not take long; what is unknown may.
    assert len(batches) == (4 if seconds else 2)


def test_tasks_that_were_lost_twice_go_alone_and_after_three_times_with_a_worker(selector):
    found = selector(graphs(6))
    found.note_time("fake_graph", 0.001)
    found.losses.count.update({0: 2, 3: 3})
    wide = WorkerRecord("a", "a", Machine(2))
    batches = sent(found, wide)
    assert ("a", [0], False) in batches
    assert not any(3 in positions for _, positions, _ in batches)
    wide.out.clear()
    assert sent(found, wide) == [("a", [3], True)]
    assert wide.is_held_back


def test_tasks_of_a_lacking_module_go_elsewhere(selector):
    plan = FakePlan()
    add_data(plan, 1)
    found = selector(plan)
    without = WorkerRecord("a", "a", Machine(1), {"graph fake_graph": "it is not there"})
    assert sent(found, without) == []
    assert sent(found, without, WorkerRecord("b", "b", Machine(1))) == [("b", [0], False)]


def test_a_worker_whose_way_failed_waits_and_comes_again(monkeypatch):
    now = [100.0]
    monkeypatch.setattr(worker.time, "monotonic", lambda: now[0])
    found = WorkerRecord("a", "a", Machine(1))
    assert [found.fail(), found.fail()] == [1, 1]
    assert not found.has_room(Resources(), 1)
    now[0] += 1.0
    assert found.has_room(Resources(), 1)
    assert found.fail() == 2
    found.recover()
    assert found.has_room(Resources(), 1)


# Packing


def test_a_batch_has_each_input_and_call_once_and_only_what_is_not_known(tmp_path):
    plan = FakePlan()
    data = add_data(plan, 1)
    first, second = (plan.add(learner(number=number), 1, [data]) for number in (1, 2))
    again = plan.add(learner(number=1), 2, [data])
    store = made(plan, tmp_path)
    work = Coordinator(with_local_files(plan), store, lambda _: None, Options())
    packer = Packer(work)
    there = WorkerRecord("a", "a", Machine(1))
    told = (there, 1, 0, [first, second, again], store.payloads(plan.keys()))
    batch, large, left = packer.pack(*told, patience=1.0)
    assert [each.position for each in batch.items] == [first, second, again]
    assert [each.call for each in batch.items] == [0, 1, 0]
    assert len(batch.inputs) == 1
    assert batch.inputs[0].content is not None
    assert (large, left) == ((), ())
    batch, _, _ = packer.pack(*told, patience=1.0)
    assert batch.inputs[0].content is None


def test_large_inputs_go_first_and_from_those_who_have_them(tmp_path):
    plan = FakePlan()
    data = add_data(plan, 1, n=5000)
    position = plan.add(learner(), 1, [data])
    store = made(plan, tmp_path)
    packer = Packer(Coordinator(with_local_files(plan), store, lambda _: None, Options()))
    payloads = store.payloads(plan.keys())
    payload = payloads[plan.tasks[data].key]
    first, second = (WorkerRecord(name, name, Machine(1)) for name in "ab")
    packer.note_holder(first, payload.digest, payload.size)
    told = (1, 0, [position], payloads)
    assert packer.pack(first, *told, patience=1.0).large == ()
    (large,) = packer.pack(second, *told, patience=1.0).large
    assert (large.sent.digest, large.holders) == (payload.digest, ("a",))
    packer.forget_worker("a")
    (large,) = packer.pack(WorkerRecord("c", "c", Machine(1)), *told, patience=1.0).large
    assert large.holders == ("b",)


def test_a_batch_of_many_bytes_leaves_tasks_for_the_next(tmp_path, monkeypatch):
    monkeypatch.setattr(batches, "MOST_BYTES", 1)
    plan = FakePlan()
    positions = [plan.add(learner(), seed, [add_data(plan, seed)]) for seed in range(3)]
    store = made(plan, tmp_path)
    packer = Packer(Coordinator(with_local_files(plan), store, lambda _: None, Options()))
    told = (WorkerRecord("a", "a", Machine(1)), 1, 0, positions, store.payloads(plan.keys()))
    load = packer.pack(*told, patience=1.0)
    assert [each.position for each in load.batch.items] == positions[:1]
    assert load.left == tuple(positions[1:])


# What comes back


def test_results_are_recorded_and_what_was_left_is_sent_again(run):
    here = run(graphs(2))
    here.start("a")
    ((_, batch, _),) = here.dask_client.sent
    (first,) = (each.position for each in batch.items)
    sent = here.tell(Returned("a", batch.number, Reply((ok(first),)), {}))
    assert here.outcome(first).status is Status.OK
    assert here.outcome(first).host == "host-a"
    ((_, second, _),) = sent
    ((_, third, _),) = here.tell(Returned("a", second.number, Reply((), left=(1,)), {}))
    assert third.items == second.items


def test_a_batch_that_comes_after_all_is_not_taken_twice(run, tmp_path):
    here = run(graphs(1))
    here.start("a", "b", expected=2)
    ((_, batch, _),) = here.dask_client.sent
    here.tell(Gone("a", "it has left the cluster"))
    assert [address for address, _, _ in here.dask_client.sent] == ["a", "b"]
    file = tmp_path / "fetched"
    file.write_bytes(b"x")
    here.tell(Returned("a", batch.number, Reply((ok(0),)), {b"d": file}))
    assert here.outcome(0) is None
    assert not file.exists()


def test_a_worker_that_joins_again_loses_nothing(run):
    here = run(graphs(1))
    here.start("a")
    here.join("a")
    assert [batch.items[0].position for _, batch, _ in here.dask_client.sent] == [0, 0]


def test_a_task_that_takes_its_workers_with_it_is_given_up(run):
    here = run(graphs(3))
    here.start("a", expected=0)
    for _ in range(20):
        batches = list(here.dispatch._workers["a"].out.items())
        if any(0 in each.positions for _, each in batches):
            here.tell(Gone("a", "it has left the cluster"))
            here.join("a")
        for number, each in batches:
            reports = tuple(ok(position) for position in each.positions)
            here.tell(Returned("a", number, Reply(reports), {}))
    assert here.outcome(0).status is Status.SKIPPED  # of our own kinds none fails: tried again
    assert "5 times: its worker was lost" in here.outcome(0).reason
    assert [here.outcome(i).status for i in (1, 2)] == [Status.OK] * 2


def test_a_task_whose_process_was_killed_begins_again_and_not_for_ever(run):
    here = run(graphs(2))
    here.start("a", expected=0)
    for _ in range(10):
        for number, each in list(here.dispatch._workers["a"].out.items()):
            said = tuple(ok(position) for position in each.positions if position)
            killed = tuple(died(position) for position in each.positions if not position)
            here.tell(Returned("a", number, Reply(said, killed=killed), {}))
    found = here.outcome(0)
    assert (found.status, found.reason) == (Status.SKIPPED, "5 times: killed by SIGKILL")
    assert here.outcome(1).status is Status.OK


def died(position: int) -> Report:
    return Report(position, "error", "killed by SIGKILL", "", 0.0, 0.0, 0)


def test_a_worker_that_has_forgotten_the_run_is_met_again(run):
    here = run(graphs(1))
    here.start("a")
    number = here.dask_client.sent[0][1].number
    assert here.tell(Failed("a", number, "it knows nothing of it", stranger=True)) == []
    assert here.dask_client.met == ["a"]
    here.join("a")
    assert len(here.dask_client.sent) == 2


@pytest.mark.parametrize("event", ["failed", "full reply"])
def test_a_worker_with_a_full_disk_is_put_aside_and_others_go_on(run, event):
    here = run(graphs(1))
    here.start("a", "b", expected=2)
    number = here.dask_client.sent[0][1].number
    if event == "failed":
        sent = here.tell(Failed("a", number, "No space left on device", full=True))
    else:
        reply = Reply((), left=(0,), full="No space left on device")
        sent = here.tell(Returned("a", number, reply, {}))
    assert [address for address, _, _ in sent] == ["b"]
    assert any("a on host-a gets no more work" in note for note in here.notes)


def test_no_room_in_the_store_ends_the_run(run):
    here = run(graphs(1))
    here.start("a")
    number = here.dask_client.sent[0][1].number
    with pytest.raises(StudyError, match="the store cannot be written"):
        here.tell(Failed("a", number, "No space left on device", full=True, here=True))


def test_the_way_to_a_worker_may_fail_a_few_times_and_not_for_ever(run, monkeypatch):
    now = [100.0]
    monkeypatch.setattr(worker.time, "monotonic", lambda: now[0])
    here = run(graphs(1))
    here.start("a", expected=1)
    for _ in range(6):
        number = here.dask_client.sent[-1][1].number
        assert here.tell(Failed("a", number, "ConnectionError", again=True)) == []
        now[0] += 100.0
        here.dispatch.hand_out()
    assert len(here.dask_client.sent) == 7
    with pytest.raises(StudyError, match=r"no worker of the cluster can be used:\nConnectionError"):
        here.tell(Failed("a", here.dask_client.sent[-1][1].number, "ConnectionError", again=True))


@pytest.fixture
def half_done(tmp_path: Path) -> tuple[FakePlan, Store, int, int]:
    """A plan of which only a learner is left to do, on a large data set."""
    plan = FakePlan()
    data = add_data(plan, 1, n=5000)
    store = made(plan, tmp_path / "half")
    return plan, store, data, plan.add(learner(), 1, [data])


def test_an_input_that_did_not_come_is_sent_again(run, half_done):
    plan, store, _, position = half_done
    here = run(plan, store)
    here.start("a")
    ((_, batch, large),) = here.dask_client.sent
    lost = Lost(position, 0, "an input is not here")
    ((_, again, sent),) = here.tell(Returned("a", batch.number, Reply((), lost=(lost,)), {}))
    assert [each.sent for each in sent] == [each.sent for each in large]
    assert again.items == batch.items


def test_an_input_that_never_comes_fails_the_task_alone(run, half_done):
    plan, store, _, position = half_done
    here = run(plan, store)
    here.start("a")
    lost = Lost(position, 0, "an input is not here")
    for _ in range(5):
        here.tell(Returned("a", here.dask_client.sent[-1][1].number, Reply((), lost=(lost,)), {}))
    assert here.outcome(position).status is Status.ERROR
    assert "an input cannot be read on host-a" in here.outcome(position).reason


@pytest.mark.parametrize("event", ["lost", "damaged"])
def test_an_input_that_is_damaged_in_the_store_is_made_again(run, half_done, event):
    plan, store, data, position = half_done
    payload = store.payloads(plan.keys())[plan.tasks[data].key]
    store.objects.path(payload.digest).write_bytes(bytes(payload.size))
    here = run(plan, store)
    here.start("a")
    number = here.dask_client.sent[0][1].number
    if event == "lost":
        lost = Lost(position, 0, "it is damaged")
        ((_, batch, _),) = here.tell(Returned("a", number, Reply((), lost=(lost,)), {}))
    else:
        failed = Failed("a", number, "it is damaged", damaged=payload.digest)
        ((_, batch, _),) = here.tell(failed)
    assert [each.position for each in batch.items] == [data]
    assert "it is damaged; it is computed again" in here.notes


def test_an_input_that_the_store_lost_is_made_again(run, half_done):
    plan, store, data, _ = half_done
    here = run(plan, store)
    store.drop([plan.tasks[data].key])
    here.start("a")
    ((_, batch, _),) = here.dask_client.sent
    assert [each.position for each in batch.items] == [data]


# Who cannot


def test_tasks_that_nobody_can_do_are_skipped_with_the_reason(run):
    here = run(graphs(2))
    here.start("a", lacking={"graph fake_graph": "its program is not there"})
    assert here.dask_client.sent == []
    here.dispatch.look()
    reasons = {here.outcome(i).reason for i in range(2)}
    assert reasons == {"its program is not there"}
    assert {here.outcome(i).status for i in range(2)} == {Status.SKIPPED}


def test_tasks_wait_for_workers_that_are_still_to_come(run):
    here = run(graphs(1))
    here.start("a", expected=2, lacking={"graph fake_graph": "its program is not there"})
    here.dispatch.look()
    assert here.outcome(0) is None
    here.join("b")
    assert [address for address, _, _ in here.dask_client.sent] == ["b"]


def test_a_refused_worker_is_no_reason_to_wait_for_ever(run):
    here = run(graphs(1))
    here.start("a", expected=2, lacking={"graph fake_graph": "its program is not there"})
    here.join("b", identity={"refusals": ["it has another version"]})
    here.dispatch.look()
    assert here.outcome(0).status is Status.SKIPPED


def test_all_workers_refused_ends_the_run_with_their_reasons(run):
    here = run(graphs(1))
    here.start(expected=2)
    here.tell(Joined("a", answer_of("a", identity={"refusals": ["it has version 1"]})))
    here.dispatch.look()
    with pytest.raises(StudyError, match=r"(?s)can be used:\nit has version 1\n.*No module named"):
        here.tell(Refused("b", "ModuleNotFoundError: No module named 'dagathlon'"))


def test_refused_workers_are_noticed_when_the_time_of_grace_is_over(run, monkeypatch):
    here = run(graphs(1))
    here.start(expected=0)
    here.tell(Refused("tcp://10.0.0.1:4", "no"))
    here.dispatch.look()
    monkeypatch.setattr(handshake, "_GRACE", 0.0)
    with pytest.raises(StudyError, match="no worker of the cluster can be used"):
        here.dispatch.look()


def test_a_broken_cluster_ends_the_run(run):
    here = run(graphs(1))
    here.start("a")
    with pytest.raises(StudyError, match="the scheduler is gone"):
        here.tell(Broken("the scheduler is gone"))
