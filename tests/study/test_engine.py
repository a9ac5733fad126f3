"""The local engine: order, reuse, limits, and learners that misbehave in every known way."""

from __future__ import annotations

import os
import signal
from collections import Counter
from pathlib import Path

import pytest
from plans import FAKES, FakePlan, add_data, call, learner, plan_of

from dagathlon.errors import StudyError
from dagathlon.modules import add_files, find
from dagathlon.study.engine.local import LocalEngine
from dagathlon.study.engine.parts import quick_look
from dagathlon.study.engine.protocol import Began, Finished, Note, Options, Running, Summary
from dagathlon.study.plan.task import Call, Limits, Outcome, Status, TaskKind
from dagathlon.study.store.store import Store


@pytest.fixture
def store(tmp_path):
    with Store(tmp_path / "store") as opened:
        yield opened


def run(plan: FakePlan, store: Store, jobs: int = 1, **options) -> tuple[Summary, list]:
    events: list = []
    engine = LocalEngine(jobs)
    summary = engine.run(plan, store, on_event=events.append, options=Options(**options))
    return summary, events


def statuses(summary: Summary) -> dict[str, int]:
    found: Counter[str] = Counter()
    for (status, _, _), n in summary.ran.items():
        found[status] += n
    return dict(found)


def outcome(store: Store, plan: FakePlan, position: int = -1) -> Outcome:
    entry = store.get(plan.tasks[position].key)
    assert entry is not None
    return entry.outcome


def processes_with(text: str) -> list[int]:
    """Living processes whose command line holds a text."""
    found = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            if text.encode() in path.read_bytes():
                found.append(int(path.parent.name))
        except OSError:
            continue
    return found


@pytest.mark.slow
def test_results_do_not_depend_on_jobs_or_order(tmp_path):
    plan = plan_of(*(learner(number=i) for i in range(6)), seeds=5)
    digests = []
    for number, (jobs, shuffle) in enumerate([(1, None), (4, None), (2, 7)]):
        with Store(tmp_path / str(number)) as store:
            summary, _ = run(plan, store, jobs, shuffle=shuffle)
            assert statuses(summary) == {"ok": len(plan.tasks)}
            digests.append(store.digests(plan.keys()))
    assert digests[0] == digests[1] == digests[2]
    assert len(digests[0]) == len(plan.tasks)


def test_nothing_is_done_twice(store):
    plan = plan_of(learner(), seeds=3)
    first, events = run(plan, store)
    assert statuses(first) == {"ok": 12}
    finished = [event.position for event in events if isinstance(event, Finished)]
    assert sorted(finished) == list(range(12))
    second, events = run(plan, store)
    assert not second.ran
    assert second.stored.total() == 12
    assert not any(isinstance(event, Finished) for event in events)
    more = plan_of(learner(), learner(number=1), seeds=3)
    third, _ = run(more, store)
    assert third.ran == {("ok", "learn", "fake_learner"): 3}


def test_large_data_are_shared_through_files(store):
    plan = plan_of(learner(), learner(number=1), n=2000)
    summary, _ = run(plan, store, jobs=2)
    assert statuses(summary) == {"ok": 5}
    assert len(list(store.objects.files())) == 1
    data = store.load(plan.tasks[2].key)
    assert store.load(plan.tasks[3].key).stats["score"] == float(data.values[:100].sum())


def test_start_graph_comes_from_another_learner(store):
    plan = FakePlan()
    data = add_data(plan, 1)
    first = plan.add(learner(), 1, [data])
    second = plan.add(learner(number=1), 1, [data, first])
    run(plan, store)
    assert store.load(plan.tasks[first].key).stats["started"] is False
    assert store.load(plan.tasks[second].key).stats["started"] is True


# What a learner does, the status, and what the reason says.
MISDEEDS = [
    ("abort", "error", "SIGABRT"),
    ("segfault", "error", "SIGSEGV"),
    ("disk", "error", "File too large"),
    ("none", "error", "returned nothing in place of an Estimate"),
    ("names", "error", "not over the variables of the data"),
    ("nan", "error", "'score' is not a number"),
    ("exit", "error", "tried to end the program"),
    ("hard exit", "error", "exit code 4"),
    ("raise", "error", "RuntimeError: it went wrong in detail"),
    ("print", "ok", ""),
    ("ok", "ok", ""),
]


def test_misbehaving_learners_cost_one_run_each(store):
    plan = plan_of(*(learner(mode) for mode, _, _ in MISDEEDS))
    summary, _ = run(plan, store, jobs=2)
    for position, (mode, status, reason) in enumerate(MISDEEDS, start=3):
        found = outcome(store, plan, position)
        assert (mode, found.status.value) == (mode, status)
        assert reason in found.reason
    assert statuses(summary) == {"ok": 5, "error": 9}
    raised = outcome(store, plan, 11)
    assert "Traceback" in raised.detail
    assert "about to fail" in raised.detail
    assert "Segmentation fault" in outcome(store, plan, 4).detail


def test_time_limits_are_hard(store):
    """Sleeping, spinning in native code without end, waiting for a program."""
    modes = ["sleep", "spin", "children"]
    plan = plan_of(*(learner(mode) for mode in modes), limits=Limits(time=0.5))
    summary, _ = run(plan, store, jobs=3)
    assert statuses(summary) == {"ok": 3, "timeout": 3}
    for position in (3, 4, 5):
        found = outcome(store, plan, position)
        assert found.reason == "stopped after 0.5 s"
        assert found.wall >= 0.5
        assert found.limits == Limits(time=0.5)
    assert processes_with(str(store.folder)) == []


def test_cpu_and_wall_are_those_of_the_learner(store):
    plan = plan_of(learner("work"), learner(seconds=0.2))
    run(plan, store)
    worked, slept = outcome(store, plan, 3), outcome(store, plan, 4)
    measured = store.load(plan.tasks[3].key).stats
    assert measured["work"] <= worked.cpu < measured["process"]
    assert worked.wall >= worked.cpu - 0.01
    assert slept.wall >= 0.2
    assert slept.cpu < 0.1


@pytest.mark.slow
def test_failures_stand_until_there_is_a_reason_to_try_again(store):
    plan = plan_of(learner("sleep"), limits=Limits(time=0.2))
    assert statuses(run(plan, store)[0]) == {"ok": 3, "timeout": 1}
    assert not run(plan, store)[0].ran
    assert not run(plan, store, retry={Status.ERROR})[0].ran
    assert statuses(run(plan, store, retry={Status.TIME})[0]) == {"timeout": 1}
    assert statuses(run(plan, store, retry={"F1"})[0]) == {"timeout": 1}
    plan.limits[3] = Limits(time=0.3)
    assert statuses(run(plan, store)[0]) == {"timeout": 1}
    plan.limits[3] = Limits(time=0.25)
    assert not run(plan, store)[0].ran


@pytest.mark.parametrize(
    ("status", "earlier", "now", "stands"),
    [
        (Status.OK, Limits(1.0), Limits(9.0), True),
        (Status.SKIPPED, Limits(), Limits(), False),
        (Status.ERROR, Limits(1.0), Limits(), True),
        (Status.TIME, Limits(1.0), Limits(1.0), True),
        (Status.TIME, Limits(1.0), Limits(2.0), False),
        (Status.TIME, Limits(1.0), Limits(), False),
        (Status.TIME, Limits(1.0, 5), Limits(1.0, 9), True),
        (Status.MEMORY, Limits(1.0, 5), Limits(1.0, 9), False),
        (Status.MEMORY, Limits(1.0, 5), Limits(2.0, 5), True),
        (Status.MEMORY, Limits(), Limits(), True),
    ],
)
def test_which_outcomes_stand(status, earlier, now, stands):
    assert Outcome(status, limits=earlier).settles(now) is stands


def test_dependents_of_a_failure_are_skipped(store):
    plan = plan_of(learner(), learner(number=1), wrong=True)
    summary, events = run(plan, store)
    assert statuses(summary) == {"ok": 2, "error": 1, "skipped": 2}
    found = outcome(store, plan, 3)
    assert found.status is Status.SKIPPED
    assert found.reason == "data fake_data ended in error: ValueError: no data today second line"
    assert len([event for event in events if isinstance(event, Finished)]) == 5
    again, _ = run(plan, store)
    assert statuses(again) == {"skipped": 2}
    assert summary.failures() == {("error", "fake_data"): 1, ("skipped", "fake_learner"): 2}


def test_modules_that_cannot_run_here_are_skipped(store):
    plan = plan_of(call(TaskKind.LEARN, "absent_learner"))
    summary, _ = run(plan, store)
    assert statuses(summary) == {"ok": 3, "skipped": 1}
    assert outcome(store, plan).reason == "its program is not installed"


@pytest.mark.slow
def test_a_quick_look_runs_a_part(store):
    plan = plan_of(learner(), learner(number=1), seeds=4)
    summary, _ = run(plan, store, limit=3)
    assert summary.partial
    assert summary.ran == {
        ("ok", "graph", "fake_graph"): 2,
        ("ok", "parameters", "fake_parameters"): 2,
        ("ok", "data", "fake_data"): 2,
        ("ok", "learn", "fake_learner"): 3,
    }
    rest, _ = run(plan, store)
    assert rest.ran.total() == len(plan.tasks) - 9


def test_a_quick_look_makes_what_scores_compare_with():
    plan = plan_of(learner(), learner(number=1))
    truth = plan.add(Call.of(TaskKind.TRUTH, "observed_truth", 1, {}), 0, [0, 2])
    for position in (3, 4):
        plan.add(Call.of(TaskKind.SCORE, "metrics", 1, {}), 0, [truth, position])
    assert quick_look(plan.tasks, 1) == [0, 1, 2, 3, truth, truth + 1]


def test_events(store):
    plan = plan_of(learner(seconds=0.4))
    _, events = run(plan, store)
    assert isinstance(events[0], Began)
    assert events[0].to_do["learn", "fake_learner"] == 1
    under_way = [event for event in events if isinstance(event, Running) and event.positions]
    assert under_way[-1].positions == (3,)
    assert under_way[-1].memory > 2**20


@pytest.mark.parametrize("change", [lambda data: data[:-9], lambda data: b"x" * len(data)])
def test_damaged_inputs_are_computed_again(store, change):
    plan = plan_of(learner(), n=3000)
    run(plan, store)
    before = store.digests(plan.keys())
    ((_, path),) = store.objects.files()
    path.write_bytes(change(path.read_bytes()))
    more = plan_of(learner(), learner(number=1), n=3000)
    summary, events = run(more, store)
    assert summary.ran == {("ok", "data", "fake_data"): 1, ("ok", "learn", "fake_learner"): 1}
    assert any(isinstance(event, Note) and "computed again" in event.text for event in events)
    assert store.digests(plan.keys()) == before


def test_a_file_of_modules_can_be_wrong(tmp_path):
    broken = tmp_path / "broken.py"
    broken.write_text("import nothing_of_that_name")
    add_files([FAKES])
    before = os.environ["DAGATHLON_MODULES"]
    with pytest.raises(StudyError, match=r"broken\.py: ModuleNotFoundError"):
        add_files([broken])
    assert os.environ["DAGATHLON_MODULES"] == before
    assert find("algorithm", "fake_learner").name == "fake_learner"


FAKE_NAMES = (
    "fake_graph",
    "fake_parameters",
    "fake_data",
    "absent_learner",
    "batch_learner",
    "card_learner",
    "perhaps_learner",
)


def test_modules_in_files_have_their_content_as_version(tmp_path):
    copy = tmp_path / "copied.py"
    text = FAKES.read_text().replace('"fake_learner"', '"copied_learner"')
    for name in FAKE_NAMES:
        text = text.replace(f'"{name}"', f'"copied_{name}"')
    copy.write_text(text)
    add_files([FAKES])
    before = os.environ["DAGATHLON_MODULES"]
    try:
        add_files([copy])
        copied = find("algorithm", "copied_learner").version
        assert copied != find("algorithm", "fake_learner").version
        assert copied > 1000
    finally:
        os.environ["DAGATHLON_MODULES"] = before
        add_files([])


def test_ctrl_c_stops_at_once(store):
    plan = plan_of(*(learner("spin", number=i) for i in range(3)))
    stopped = False
    before = signal.getsignal(signal.SIGINT)

    def interrupt(event):
        nonlocal stopped
        if isinstance(event, Running) and event.positions and not stopped:
            stopped = True
            os.kill(os.getpid(), signal.SIGINT)

    summary = LocalEngine(2).run(plan, store, on_event=interrupt)
    # The learners have no end.
    assert summary.interrupted
    assert processes_with(str(store.folder)) == []
    assert signal.getsignal(signal.SIGINT) is before
    assert not list(store.folder.glob("scratch/*"))


@pytest.mark.slow
def test_a_result_that_the_disk_has_no_room_for_is_no_failure_of_its_task(store):
    plan = plan_of(learner(), n=3000)
    blocked = store.folder / "objects"
    blocked.write_text("no folder can be made here")
    with pytest.raises(StudyError, match=r"cannot be written .* run the same command again"):
        run(plan, store)
    blocked.unlink()
    summary, _ = run(plan, store)
    assert set(statuses(summary)) == {"ok"}
