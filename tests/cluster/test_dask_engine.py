"""The dask engine on real clusters of this machine: the same results, whatever happens."""

from __future__ import annotations

import asyncio
import hashlib
import ipaddress
import os
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest
from fakes import FakePlan, add_data, call, learner, plan_of, until

from dagathlon.cluster import dask_client, handshake, service
from dagathlon.cluster.dask_engine import DaskEngine
from dagathlon.cluster.local_files import LocalFileWorker
from dagathlon.errors import DagathlonError, StudyError
from dagathlon.modules.registry import FILES
from dagathlon.study.engine.local import LocalEngine
from dagathlon.study.engine.protocol import Finished, Note, Summary
from dagathlon.study.plan.task import Call, Limits, Resources, Status, TaskKind
from dagathlon.study.store.store import Store

distributed = pytest.importorskip("distributed")

# Threads of dask, and of pools that it leaves to the end of the program, close some things late.
pytestmark = [
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
]

CLUSTER = """
import sys
from distributed import LocalCluster

if __name__ == "__main__":
    options = dict(n_workers=2, threads_per_worker=1, host="127.0.0.1", memory_limit=0)
    with LocalCluster(**options, dashboard_address="127.0.0.1:0", silence_logs=50) as cluster:
        print(cluster.scheduler_address, flush=True)
        sys.stdin.read()
"""


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The scheduler of a cluster in processes that know nothing of these tests."""
    folder = tmp_path_factory.mktemp("cluster")
    (folder / "cluster.py").write_text(CLUSTER)
    known = {name: value for name, value in os.environ.items() if name != FILES}
    with subprocess.Popen(
        [sys.executable, "cluster.py"],
        cwd=folder,
        env=known,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as cluster:
        assert cluster.stdin is not None
        assert cluster.stdout is not None
        yield cluster.stdout.readline().strip()
        cluster.stdin.close()


@pytest.fixture(scope="module")
def client() -> Iterator[Any]:
    """A client of a cluster in this process, in which all that is said can be heard."""
    options: dict[str, Any] = {"n_workers": 2, "threads_per_worker": 1, "host": "127.0.0.1"}
    with (
        distributed.LocalCluster(
            **options,
            processes=False,
            protocol="tcp://",
            dashboard_address="127.0.0.1:0",
            memory_limit=0,
            silence_logs=50,
        ) as cluster,
        distributed.Client(cluster, set_as_default=False) as client,
    ):
        yield client


class Heard:
    """A run, and what was said of it."""

    def __init__(self, engine: Any, plan: FakePlan, folder: Path) -> None:
        self.engine, self.plan = engine, plan
        self.store = Store(folder)
        self.notes: list[str] = []
        self.finished: list[int] = []

    def run(self) -> Summary:
        found: Summary = self.engine.run(self.plan, self.store, on_event=self.hear)
        return found

    def hear(self, event: object) -> None:
        if isinstance(event, Note):
            self.notes.append(event.text)
        elif isinstance(event, Finished):
            self.finished.append(event.position)

    def told(self) -> dict[bytes, tuple[Status, str]]:
        outcomes = self.store.outcomes(self.plan.keys())
        return {key: (each.status, each.reason) for key, each in outcomes.items()}


def assert_same(heard: Heard, tmp_path: Path) -> None:
    """The store has what the local engine gives."""
    local = Heard(LocalEngine(2), heard.plan, tmp_path / "local")
    local.run()
    assert heard.told() == local.told()
    keys = heard.plan.keys()
    assert heard.store.digests(keys) == local.store.digests(keys)


def every_failure() -> FakePlan:
    modes = (
        "ok",
        "raise",
        "none",
        "names",
        "nan",
        "exit",
        "hard exit",
        "abort",
        "segfault",
        "large",
    )
    plan = plan_of(*map(learner, modes), seeds=2)
    data = add_data(plan, 7)
    for mode, limits in (("spin", Limits(0.5)), ("eat", Limits(None, 300 * 2**20))):
        plan.limits[plan.add(learner(mode), 7, [data])] = limits
    two = plan.add(call(TaskKind.LEARN, "perhaps_learner"), 7, [data])
    plan.resources[two] = Resources(2, 1, True)
    plan.add(call(TaskKind.LEARN, "absent_learner"), 7, [data])
    wrong = add_data(plan, 8, wrong=True)
    plan.add(learner(), 8, [wrong])
    return plan


def test_outcomes_are_those_of_the_local_engine(address, tmp_path):
    """Modules lie in a file of this machine alone, and fail in every way that is known."""
    heard = Heard(DaskEngine(scheduler=address), every_failure(), tmp_path / "dask")
    summary = heard.run()
    assert not summary.interrupted
    assert sorted(heard.finished) == list(range(len(heard.plan.tasks)))
    assert_same(heard, tmp_path)
    statuses = {status for status, _ in heard.told().values()}
    assert statuses == set(Status)
    assert [host.name for host in summary.hosts] == [socket.gethostname()]


@pytest.mark.slow
def test_large_results_go_in_pieces_and_between_workers(client, tmp_path, monkeypatch):
    sizes, given = [], []
    tcp = sys.modules["distributed.comm.tcp"]
    to_frames, give_to_worker = tcp.to_frames, service._give_to_worker

    async def heard_frames(*arguments: Any, **options: Any) -> Any:
        frames = await to_frames(*arguments, **options)
        sizes.append(sum(memoryview(frame).nbytes for frame in frames))
        return frames

    def counted(of: str) -> Any:
        give = give_to_worker(of)

        async def asked(session: str, digest: bytes, offset: int) -> bytes | None:
            piece: bytes | None = await give(session, digest, offset)
            given.append(len(piece or b""))
            return piece

        return asked

    monkeypatch.setattr(tcp, "to_frames", heard_frames)
    monkeypatch.setattr(service, "_give_to_worker", counted)
    plan = plan_of(*(learner(number=number, seconds=0.3) for number in range(6)), n=400_000)
    heard = Heard(DaskEngine(client), plan, tmp_path / "dask")
    heard.run()
    assert_same(heard, tmp_path)
    (data,) = (i for i, task in enumerate(plan.tasks) if task.call.kind is TaskKind.DATA)
    payload = heard.store.payloads(plan.keys())[plan.tasks[data].key]
    assert payload.size > 10 * 2**20
    assert max(sizes) < 5 * 2**20
    assert sum(given) >= payload.size


@pytest.mark.slow
def test_many_small_results_go_in_messages_of_a_bounded_size(client, tmp_path, monkeypatch):
    sizes = []
    tcp = sys.modules["distributed.comm.tcp"]
    to_frames = tcp.to_frames

    async def heard_frames(*arguments: Any, **options: Any) -> Any:
        frames = await to_frames(*arguments, **options)
        sizes.append(sum(memoryview(frame).nbytes for frame in frames))
        return frames

    monkeypatch.setattr(tcp, "to_frames", heard_frames)
    graph = call(TaskKind.GRAPH, "fake_graph")
    parameters = call(TaskKind.PARAMETERS, "fake_parameters")
    data, learn = call(TaskKind.DATA, "fake_data", {"n": 400}), learner()
    plan = FakePlan()
    for seed in range(800):
        made = plan.add(parameters, seed, [plan.add(graph, seed)])
        plan.add(learn, seed, [plan.add(data, seed, [made])])
    heard = Heard(DaskEngine(client), plan, tmp_path / "dask")
    assert heard.run().failures() == {}
    assert max(sizes) < 8 * 2**20


def test_a_client_of_the_user_is_left_as_it_was(client, tmp_path):
    workers = set(client.scheduler_info(n_workers=-1)["workers"])
    heard = Heard(DaskEngine(client), plan_of(learner()), tmp_path / "dask")
    heard.run()
    assert_same(heard, tmp_path)
    assert client.status == "running"
    assert set(client.scheduler_info(n_workers=-1)["workers"]) == workers
    assert client.submit(sum, [1, 2]).result() == 3
    until(lambda: not service._remotes)


def test_files_are_read_where_they_lie(client, tmp_path, monkeypatch):
    path = tmp_path / "data.csv"
    path.write_text("a,b\n" + "".join(f"{i / 7},{(i * i) % 11 / 3}\n" for i in range(2000)))
    values = {"sha256": hashlib.sha256(path.read_bytes()).hexdigest()}
    plan = FakePlan()
    data = plan.add(Call.of(TaskKind.DATA, "fixed_data", 2, values, str(path)), 0)
    plan.add(learner(), 0, [data])
    sent, send = [], LocalFileWorker.send

    def seen(home: LocalFileWorker, batch: Any) -> None:
        sent.extend(item.position for item in batch.items)
        send(home, batch)

    monkeypatch.setattr(LocalFileWorker, "send", seen)
    heard = Heard(DaskEngine(client), plan, tmp_path / "dask")
    heard.run()
    assert sent == [data]
    assert_same(heard, tmp_path)
    assert [status for status, _ in heard.told().values()] == [Status.OK] * 2


def test_a_scheduler_that_was_killed_is_said_to_be_gone():
    """Dask's client closes itself after a while, and then has no scheduler to ask."""
    lost = cast(Any, object.__new__(dask_client.DaskClient))
    lost._client = SimpleNamespace(scheduler=None, status="closed")

    async def go_round() -> None:
        lost._over = asyncio.Event()
        await lost._poll_workers(SimpleNamespace(address="tcp://there:1", want=None))

    with pytest.raises(DagathlonError, match="tcp://there:1: the scheduler does not answer any"):
        asyncio.run(go_round())


def test_a_scheduler_that_is_not_there_is_named(tmp_path, monkeypatch):
    monkeypatch.setattr(dask_client, "_CONNECT", 0.5)
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        address = f"tcp://127.0.0.1:{closed.getsockname()[1]}"
        heard = Heard(DaskEngine(scheduler=address), plan_of(learner()), tmp_path)
        with pytest.raises(StudyError, match=f"{address}: no scheduler answers there"):
            heard.run()
    assert heard.told() == {}


def test_when_no_worker_can_be_used_the_run_ends_with_the_reason(client, tmp_path, monkeypatch):
    reasons = ["it has another version of dagathlon"]
    monkeypatch.setattr(handshake, "objections", lambda ours, theirs: reasons)
    monkeypatch.setattr(handshake, "_GRACE", 0.0)
    heard = Heard(DaskEngine(client), plan_of(learner()), tmp_path)
    with pytest.raises(StudyError, match=r"can be used:\nit has another version of dagathlon"):
        heard.run()
    assert client.submit(sum, [1, 2]).result() == 3


class Interrupted(Heard):
    """Somebody presses Ctrl-C when some tasks are done."""

    def hear(self, event: object) -> None:
        super().hear(event)
        if isinstance(event, Finished) and len(self.finished) == 5:
            os.kill(os.getpid(), signal.SIGINT)


def test_an_interrupted_run_goes_on_where_it_was(client, tmp_path):
    assert threading.current_thread() is threading.main_thread()
    plan = plan_of(*(learner(number=number, seconds=0.2) for number in range(5)), seeds=4)
    first = Interrupted(DaskEngine(client), plan, tmp_path / "dask")
    summary = first.run()
    assert summary.interrupted
    assert 5 <= len(first.finished) < len(plan.tasks)
    until(lambda: not service._remotes)
    second = Heard(DaskEngine(client), plan, tmp_path / "dask")
    assert not second.run().interrupted
    assert sorted([*first.finished, *second.finished]) == list(range(len(plan.tasks)))
    assert_same(second, tmp_path)


@pytest.mark.slow
def test_nothing_listens_on_other_interfaces(tmp_path):
    psutil = pytest.importorskip("psutil")
    before = {each.laddr for each in listening(psutil.Process())}
    found: list[Any] = []

    class Looked(Heard):
        def hear(self, event: object) -> None:
            super().hear(event)
            if isinstance(event, Finished):
                here = psutil.Process()
                for process in (here, *here.children(recursive=True)):
                    found.extend(listening(process))

    Looked(DaskEngine(jobs=2, workers=2), plan_of(learner()), tmp_path).run()
    ours = {each.laddr for each in found} - before
    assert ours
    assert all(ipaddress.ip_address(each.ip).is_loopback for each in ours)


def listening(process: Any) -> list[Any]:
    try:
        return [each for each in process.net_connections("inet") if each.status == "LISTEN"]
    except Exception:  # it has ended meanwhile
        return []


@pytest.fixture
def tiny_disk(tmp_path: Path) -> Iterator[Path]:
    """A disk of a few MB."""
    folder = tmp_path / "tiny"
    folder.mkdir()
    command = ["mount", "-t", "tmpfs", "-o", "size=6m", "tmpfs", str(folder)]
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    except OSError as error:
        pytest.skip(f"no disk can be mounted: {error}")
    if done.returncode:
        pytest.skip(f"no disk can be mounted: {done.stderr.strip()}")
    yield folder
    subprocess.run(["umount", "--lazy", str(folder)], check=True)


@pytest.mark.slow
def test_a_worker_without_room_is_put_aside_and_the_others_finish(address, tiny_disk, tmp_path):
    command = [sys.executable, "-m", "distributed.cli.dask_worker", address, "--nthreads", "1"]
    options = ["--local-directory", str(tiny_disk), "--no-dashboard", "--host", "127.0.0.1"]
    silent = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    # Long enough for a worker to be met on a busy machine, before the others have done it all.
    plan = plan_of(*(learner(number=i, seconds=1.5) for i in range(4)), seeds=4, n=400_000)
    with subprocess.Popen([*command, *options], **silent) as worker:  # type: ignore[call-overload]
        try:
            heard = Heard(DaskEngine(scheduler=address), plan, tmp_path / "dask")
            assert heard.run().failures() == {}
        finally:
            worker.terminate()
    assert any("gets no more work" in note and "disk" in note for note in heard.notes)
    assert_same(heard, tmp_path)
