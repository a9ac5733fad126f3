"""One task as a function: bytes in, an outcome and bytes out."""

from __future__ import annotations

import pytest
from plans import FakePlan, call, learner, plan_of

from dagathlon.data import Network
from dagathlon.errors import DagathlonError, OutOfTimeError, UnavailableError, UnsuitedError
from dagathlon.graphs import Graph
from dagathlon.study.engine import perform as subject
from dagathlon.study.engine.local import LocalEngine
from dagathlon.study.engine.perform import (
    LostInputError,
    Performed,
    RecentInputs,
    gathered,
    perform,
)
from dagathlon.study.plan.task import Limits, Status, TaskKind
from dagathlon.study.store.codec import decode, encode
from dagathlon.study.store.objects import fingerprint
from dagathlon.study.store.store import Store


class Recorder:
    """Notes when the work began and ended."""

    def __init__(self) -> None:
        self.heard: list[str] = []

    def start_clock(self, held: int, spent: float = 0.0) -> None:
        assert held > 2**20
        self.heard.append("start")

    def stop_clock(self) -> None:
        self.heard.append("stop")


def performed(plan: FakePlan, known: dict[bytes, bytes], position: int = -1) -> Performed:
    task = plan.tasks[position]
    inputs = [known[plan.tasks[i].key] for i in task.inputs]
    return perform(task.call, task.random_key, inputs)


def all_performed(plan: FakePlan) -> dict[bytes, bytes]:
    """Encoded results of a whole plan, from nothing but bytes."""
    known: dict[bytes, bytes] = {}
    for position, task in enumerate(plan.tasks):
        done = performed(plan, known, position)
        assert done.outcome.status is Status.OK
        assert done.stored is not None
        known[task.key] = b"".join(done.stored)
    return known


@pytest.mark.slow
def test_bytes_in_and_bytes_out_are_what_an_engine_stores(tmp_path):
    plan = plan_of(learner(), learner(number=1), seeds=2)
    known = all_performed(plan)
    with Store(tmp_path) as store:
        LocalEngine(2).run(plan, store)
        assert store.digests(plan.keys()) == {
            key: fingerprint([stored])[0] for key, stored in known.items()
        }
    assert decode(known[plan.tasks[-1].key]).graph.names == ("X0", "X1", "X2", "X3")


def test_inputs_may_be_decoded_already():
    plan = plan_of(learner())
    known = all_performed(plan)
    task = plan.tasks[-1]
    data = decode(known[plan.tasks[2].key])
    done = perform(task.call, task.random_key, [data])
    assert done.stored is not None
    assert b"".join(done.stored) == known[task.key]


@pytest.mark.parametrize(
    ("mode", "reason"),
    [
        ("raise", "RuntimeError: it went wrong in detail"),
        ("none", "it returned nothing in place of an Estimate"),
        ("exit", "it tried to end the program (exit code 3)"),
    ],
)
def test_failures_are_outcomes(mode, reason):
    good = plan_of(learner())
    known = all_performed(good)
    data = decode(known[good.tasks[2].key])
    clock, limits = Recorder(), Limits(9.0, 10**9)
    done = perform(learner(mode), b"k" * 32, [data], limits, clock)
    assert (done.outcome.status, done.outcome.reason) == (Status.ERROR, reason)
    assert done.outcome.limits == limits
    assert "Traceback" in done.outcome.detail
    assert done.stored is None
    assert done.leaves_marks is (mode == "exit")
    assert clock.heard == ["start", "stop"]


def test_what_cannot_run_here_is_skipped():
    done = perform(call(TaskKind.LEARN, "absent_learner"), b"k" * 32, [Graph(["A"])])
    assert (done.outcome.status, done.outcome.detail) == (Status.SKIPPED, "")
    assert not done.leaves_marks


@pytest.mark.parametrize("kind", [UnavailableError, UnsuitedError, DagathlonError])
def test_reasons_do_not_tell_where_the_home_folder_is(kind, monkeypatch):
    monkeypatch.setenv("HOME", "/home/somebody")

    def refuse(*_):
        raise kind("/home/somebody/tools/learn.jar: is not there")

    monkeypatch.setattr(subject, "execute", refuse)
    done = perform(learner(), b"k" * 32, [])
    assert done.outcome.reason == "~/tools/learn.jar: is not there"


def test_damaged_bytes_are_a_failure_with_a_reason():
    done = perform(learner(), b"k" * 32, [b"no result"])
    assert done.outcome.status is Status.ERROR
    assert "not a stored result" in done.outcome.reason


def test_lack_of_memory_has_its_own_status(monkeypatch):
    def hungry(*_):
        raise MemoryError

    monkeypatch.setattr(subject, "execute", hungry)
    done = perform(learner(), b"k" * 32, [], Limits(memory=2**20))
    assert (done.outcome.status, done.leaves_marks) == (Status.MEMORY, True)
    assert done.outcome.reason == "it needed more than 1 MB of memory"


def test_an_interrupt_is_the_users(monkeypatch):
    def interrupted(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(subject, "execute", interrupted)
    with pytest.raises(KeyboardInterrupt):
        perform(learner(), b"k" * 32, [])


def test_programs_are_told_the_limit():
    plan = plan_of(learner())
    data = decode(all_performed(plan)[plan.tasks[2].key])
    for memory, told in ((2**30, str(2**30)), (None, "unset")):
        done = perform(learner("told"), b"k" * 32, [data], Limits(memory=memory))
        assert done.stored is not None
        assert decode(b"".join(done.stored)).stats["DAGATHLON_MEMORY"] == told


def test_the_best_at_the_limit_can_be_the_result() -> None:
    data = Network.load("asia").sample(50, seed=1)
    # A limit that is over at once, and that nobody enforces.
    values = {"score": "bic", "at_limit": "best"}
    early = perform(call(TaskKind.LEARN, "exact_map", values), b"k" * 32, [data], Limits(time=1e-6))
    assert early.stored is not None
    found = decode(b"".join(early.stored))
    assert found.graph.is_dag
    assert found.stats["stopped_early"] is True
    nothing = subject.failure(OutOfTimeError("no graph yet"), Limits(time=1e-6))
    assert nothing.outcome.status is Status.TIME
    values = {"score": "bic"}
    whole = perform(call(TaskKind.LEARN, "exact_map", values), b"k" * 32, [data], Limits(time=1e-6))
    assert whole.stored is not None
    assert "stopped_early" not in decode(b"".join(whole.stored)).stats


def test_recent_inputs_are_read_once():
    asked = []

    def read(key: bytes) -> bytes:
        asked.append(key)
        if key == b"missing":
            raise KeyError(key)
        return b"damaged" if key == b"damaged" else b"".join(encode(Graph([key.decode()])))

    inputs = RecentInputs(read)
    assert gathered([b"a", b"b", b"a"], inputs) == [Graph(["a"]), Graph(["b"]), Graph(["a"])]
    assert asked == [b"a", b"b"]
    for key in (b"missing", b"damaged"):
        with pytest.raises(LostInputError) as caught:
            gathered([b"a", key], inputs)
        assert caught.value.place == 1
    for number in range(8):
        gathered([b"%d" % number], inputs)
    gathered([b"a"], inputs)
    assert asked.count(b"a") == 2
