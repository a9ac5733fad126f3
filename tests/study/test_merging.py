"""Merging stores: rows and files arrive whole, once, and no disagreement goes unsaid."""

from __future__ import annotations

import functools
import json
import os
import signal
import sqlite3

import pytest
from plans import FakePlan, learner, plan_of

from dagathlon.errors import StudyError
from dagathlon.study.plan.task import FORMER_STATUSES, Limits, Outcome, Status
from dagathlon.study.store import merging
from dagathlon.study.store.claims import Registration
from dagathlon.study.store.conflicts import CONFLICTS, note_conflicts
from dagathlon.study.store.index_tables import MIGRATIONS
from dagathlon.study.store.merging import merge
from dagathlon.study.store.objects import INLINE, Objects
from dagathlon.study.store.results_folder import INDEX
from dagathlon.study.store.store import Store
from dagathlon.study.store.upkeep import counts

OK = Outcome(Status.OK, wall=1.0, host="alpha")
LARGE = 2 * INLINE


@functools.cache
def a_plan() -> FakePlan:
    """Made when asked for: a module that is known while tests are collected is known to all."""
    return plan_of(learner(), learner(number=1), seeds=4)


def put(store, position, outcome=OK, content: bytes | None = b"x"):
    payload = None if content is None else store.objects.keep([content])
    store.put(a_plan().tasks[position], outcome, payload)


def fill(folder, positions=range(20), size=LARGE):
    """A store in which every second result is a file."""
    with Store(folder) as store:
        store.note_host("alpha", {"processor": "A"})
        for i in positions:
            put(store, i, content=bytes([i]) * (size if i % 2 else 10))
    return folder


def rows(folder):
    with Store(folder, readonly=True) as store:
        columns = "key, kind, module, status, host, wall, created, digest, size, inline"
        return store.connection.execute(f"SELECT {columns} FROM results ORDER BY key").fetchall()


def contents(folder):
    """All results as bytes; one that is damaged raises."""
    with Store(folder, readonly=True) as store:
        return {
            task.key: bytes(store.stored(task.key))
            for task in a_plan().tasks
            if store.get(task.key) is not None
        }


def merged(source, into, told=None):
    with Store(into) as store:
        return merge(source, store, told)


def test_rows_files_and_hosts_arrive(tmp_path):
    first = fill(tmp_path / "a", range(12))
    second = fill(tmp_path / "b", range(8, 20))
    seen = []
    found = merged(first, tmp_path / "all", lambda done, total: seen.append((done, total)))
    assert (found.added, found.replaced, found.there, found.files) == (12, 0, 0, 6)
    assert seen == [(12, 12)]
    found = merged(second, tmp_path / "all")
    assert (found.added, found.replaced, found.there, found.files) == (8, 0, 4, 4)
    assert contents(tmp_path / "all") == contents(first) | contents(second)
    assert [row[4] for row in rows(tmp_path / "all")] == ["alpha"] * 20
    with Store(tmp_path / "all", readonly=True) as store:
        assert store.hosts() == [("alpha", {"processor": "A"})]


def test_merging_again_changes_nothing(tmp_path):
    source = fill(tmp_path / "a")
    merged(source, tmp_path / "all")
    before = rows(tmp_path / "all")
    assert before == rows(source)
    found = merged(source, tmp_path / "all")
    assert (found.added, found.replaced, found.there, found.files) == (0, 0, 20, 0)
    assert rows(tmp_path / "all") == before


def test_files_are_linked_or_else_copied(tmp_path, monkeypatch):
    source = fill(tmp_path / "a", [1])
    assert merged(source, tmp_path / "linked").copied == 0
    with Store(tmp_path / "linked", readonly=True) as store:
        ((digest, path),) = store.objects.files()
    assert path.samefile(Objects(source / "objects").path(digest))

    def on_another_disk(*_):
        raise OSError("Invalid cross-device link")

    monkeypatch.setattr("os.link", on_another_disk)
    assert merged(source, tmp_path / "copied").copied == 1
    assert contents(tmp_path / "copied") == contents(source)


def failed(status, time=None, memory=None, cpu=None):
    return Outcome(status, "for a reason", limits=Limits(time, memory, cpu))


F1, F2, F3, SKIPPED = Status.TIME, Status.ERROR, Status.MEMORY, Status.SKIPPED


@pytest.mark.parametrize(
    ("ours", "theirs", "replaces"),
    [
        (failed(F1, 10), OK, True),
        (failed(F3, memory=10), OK, True),
        (failed(SKIPPED), OK, True),
        (OK, failed(F1, 10), False),
        (OK, failed(SKIPPED), False),
        (failed(F1, 10), failed(F1, 20), True),
        (failed(F1, 10), failed(F1), True),
        (failed(F1, 20), failed(F1, 10), False),
        (failed(F1), failed(F1, 10), False),
        (failed(F1, cpu=10), failed(F1, cpu=20), True),
        (failed(F1, cpu=10), failed(F1), True),
        (failed(F1, cpu=20), failed(F1, cpu=10), False),
        (failed(F1, 10), failed(F1, cpu=20), False),
        (failed(F1, cpu=10), failed(F1, 20), False),
        (failed(F3, memory=10), failed(F3, memory=20), True),
        (failed(F3, 10, memory=20), failed(F3, 20, memory=10), False),
        (failed(F1, 10), failed(F3, 20, 5), True),
        (failed(F1, 10), failed(F2, 10), False),
        (failed(F1, 10), failed(F2, 20), True),
        (failed(F2, 10), failed(F1, 20), False),
        (failed(F2), failed(F2), False),
        (failed(SKIPPED), failed(F2), True),
        (failed(F2), failed(SKIPPED), False),
        (failed(SKIPPED), failed(SKIPPED), False),
    ],
)
def test_the_better_outcome_stays(tmp_path, ours, theirs, replaces):
    for name, outcome in (("ours", ours), ("theirs", theirs)):
        with Store(tmp_path / name) as store:
            put(store, 0, outcome, b"x" if outcome is OK else None)
    found = merged(tmp_path / "theirs", tmp_path / "ours")
    assert (found.replaced, found.there, found.conflicts) == (replaces, not replaces, [])
    with Store(tmp_path / "ours", readonly=True) as store:
        assert store.get(a_plan().tasks[0].key).outcome == (theirs if replaces else ours)
    # A failure has the one limit of the two that it reached; what the other was is not known.
    if OK not in (ours, theirs) and ours.limits.cpu is theirs.limits.cpu:
        assert replaces == (not ours.settles(theirs.limits) and theirs.status is not SKIPPED)


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [((OK, b"x"), (OK, b"y")), ((OK, b"x"), (failed(F2), None)), ((failed(F2), None), (OK, b"x"))],
)
def test_what_disagrees_is_told_and_stays_as_it_is(tmp_path, ours, theirs):
    for name, one in (("ours", ours), ("theirs", theirs)):
        with Store(tmp_path / name) as store:
            put(store, 5, *one)
            put(store, 7)
    before = rows(tmp_path / "ours")
    found = merged(tmp_path / "theirs", tmp_path / "ours")
    assert rows(tmp_path / "ours") == before
    assert (found.added, found.replaced, found.there) == (0, 0, 1)
    (conflict,) = found.conflicts
    assert conflict.key == a_plan().tasks[5].key
    assert (conflict.kind, conflict.module) == ("graph", "fake_graph")
    assert conflict.kept.status == ours[0].status
    assert conflict.other.status == theirs[0].status
    assert conflict.kept.digest != conflict.other.digest
    assert "kept:  " in conflict.words()


def test_conflicts_are_noted_once(tmp_path):
    for name, content in (("ours", b"x"), ("theirs", b"y")):
        with Store(tmp_path / name) as store:
            put(store, 0, content=content)
    for _ in range(2):
        found = merged(tmp_path / "theirs", tmp_path / "ours")
        path = note_conflicts(tmp_path, found.conflicts)
    (noted,) = json.loads(path.read_text())["conflicts"]
    assert noted["key"] == a_plan().tasks[0].key.hex()
    assert noted["kept"]["host"] == noted["other"]["host"] == "alpha"
    (tmp_path / CONFLICTS).write_text("[1")
    with pytest.raises(StudyError, match="move it away"):
        note_conflicts(tmp_path, found.conflicts)


def test_a_store_of_an_older_format_is_taken_in(tmp_path):
    source = fill(tmp_path / "a")
    index = sqlite3.connect(source / INDEX)
    with index:
        index.execute("ALTER TABLE results DROP COLUMN cpu_limit")
        index.execute("ALTER TABLE results DROP COLUMN host")
        index.execute("DROP TABLE hosts")
        index.execute("DROP TABLE leases")
        index.execute("PRAGMA user_version = 1")
    index.close()
    assert merged(source, tmp_path / "all").added == 20
    assert {row[4] for row in rows(tmp_path / "all")} == {""}


def coded(folder):
    """A store as it was when failures had codes for statuses."""
    index = sqlite3.connect(folder / INDEX)
    with index:
        for code, now in FORMER_STATUSES.items():
            index.execute("UPDATE results SET status = ? WHERE status = ?", (code, now.value))
        index.execute(f"PRAGMA user_version = {len(MIGRATIONS) - 1}")
    index.close()


@pytest.mark.parametrize("older", [("ours",), ("theirs",), ("ours", "theirs")])
def test_codes_of_failures_are_compared_as_words(tmp_path, older):
    """A limit that grew, an error that went away, and one that stayed, in stores of two ages."""
    outcomes = {
        "ours": (failed(F1, 10), failed(F3, memory=10), failed(F2), failed(SKIPPED)),
        "theirs": (failed(F1, 20), OK, OK, failed(F2)),
    }
    for name, found in outcomes.items():
        with Store(tmp_path / name) as store:
            for i, outcome in enumerate(found):
                put(store, i, outcome, b"x" if outcome is OK else None)
    for name in older:
        coded(tmp_path / name)
    result = merged(tmp_path / "theirs", tmp_path / "ours")
    assert (result.replaced, result.damaged) == (3, [])
    (conflict,) = result.conflicts
    assert (conflict.kept.status, conflict.other.status) == ("error", "ok")
    with Store(tmp_path / "ours", readonly=True) as store:
        found = [store.get(a_plan().tasks[i].key).outcome for i in range(4)]
        assert {count.status for count in counts(store)} == {"ok", "error", "timeout"}
    assert found == [failed(F1, 20), OK, failed(F2), failed(F2)]


def test_stores_that_cannot_be_merged_are_refused(tmp_path):
    source = fill(tmp_path / "a")
    with pytest.raises(StudyError, match="into itself"):
        merged(source, source)
    with pytest.raises(StudyError, match="there is no store here"):
        merged(tmp_path / "b", tmp_path / "all")
    with Store(source) as store:
        store.connection.execute(f"PRAGMA user_version = {len(MIGRATIONS) + 1}")
    with pytest.raises(StudyError, match="use a newer dagathlon"):
        merged(source, tmp_path / "all")
    assert rows(tmp_path / "all") == []


def test_a_damaged_index_is_refused(tmp_path):
    source = fill(tmp_path / "a", size=INLINE)
    with Store(source) as store:
        store.connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    path = source / INDEX
    content = bytearray(path.read_bytes())
    content[4096 * 3 :] = b"\xa5" * (len(content) - 4096 * 3)
    path.write_bytes(content)
    with pytest.raises(StudyError, match="the index is damaged"):
        merged(source, tmp_path / "all")
    assert rows(tmp_path / "all") == []


def test_what_ends_a_merge_is_told_and_the_store_can_be_used_again(tmp_path, monkeypatch):
    source = fill(tmp_path / "a", range(6))
    with Store(tmp_path / "all") as store:
        for i in range(6):
            put(store, i, content=b"another")
        with monkeypatch.context() as broken:
            broken.setattr(merging, "Conflict", lambda *_: 1 // 0)
            with pytest.raises(ZeroDivisionError):
                merge(source, store)
        store.connection.execute("CREATE TEMP TABLE coming (id)")
        with pytest.raises(StudyError, match=r"cannot be merged .table coming already exists"):
            merge(source, store)
        assert len(merge(source, store).conflicts) == 6


def test_damaged_results_are_left_out(tmp_path):
    source = fill(tmp_path / "a", range(6))
    with Store(source) as store:
        files = [path for _, path in store.objects.files()]
        store.connection.execute(
            "UPDATE results SET inline = x'00' WHERE key = ?", (a_plan().tasks[0].key,)
        )
    files[0].write_bytes(b"y" * LARGE)
    files[1].unlink()
    found = merged(source, tmp_path / "all")
    assert (found.added, len(found.damaged)) == (3, 3)
    assert len(contents(tmp_path / "all")) == len(rows(tmp_path / "all")) == 3


def test_a_store_that_is_written_to_is_merged_as_far_as_it_is(tmp_path):
    source = fill(tmp_path / "a", range(6))
    with Store(source) as store:
        registration = Registration(store)
        found = merged(source, tmp_path / "all")
        assert (found.running, found.added) == (True, 6)
        put(store, 7)
        registration.end({})
    found = merged(source, tmp_path / "all")
    assert (found.running, found.added, found.there) == (False, 1, 6)


def merged_in_a_process(source, into, cls, name, method):
    """Merge in a process of its own, in which a method is another one; how it ended."""
    child = os.fork()
    if not child:
        try:
            with pytest.MonkeyPatch.context() as monkeypatch:
                monkeypatch.setattr(cls, name, method)
                merged(source, into)
            os._exit(0)
        except BaseException:
            os._exit(1)
    return os.waitpid(child, 0)[1]


def dying(method, number, *, after):
    """The method, whose call of that number is the last thing that its process does."""
    calls = []

    def called(*arguments):
        calls.append(arguments)
        if len(calls) == number and not after:
            os.kill(os.getpid(), signal.SIGKILL)
        result = method(*arguments)
        if len(calls) == number and after:
            os.kill(os.getpid(), signal.SIGKILL)
        return result

    return called


@pytest.mark.parametrize("linked", [True, False])
def test_a_merge_killed_at_any_moment_is_taken_up_again(tmp_path, monkeypatch, linked):
    monkeypatch.setattr(merging, "RANGE", 4)
    if not linked:
        monkeypatch.setattr("dagathlon.study.store.objects._linked", lambda *_: False)
    source, into = fill(tmp_path / "a"), tmp_path / "all"
    places = [(Objects, "receive"), (Objects, "_move"), (merging._Merge, "_take_rows")]
    moments = [
        (cls, name, number, after)
        for number in range(1, 6)
        for cls, name in (places if not linked else [places[0], places[2]])
        for after in (False, True)
    ]
    kills = 0
    for cls, name, number, after in moments:
        method = dying(getattr(cls, name), number, after=after)
        ended = merged_in_a_process(source, into, cls, name, method)
        kills += ended == signal.SIGKILL
        assert ended in (0, signal.SIGKILL)
        assert len(contents(into)) == len(rows(into))
    assert kills >= 8
    merged(source, into)
    assert rows(into) == rows(source)
    assert contents(into) == contents(source)


def test_ids_of_rows_may_lie_any_distance_apart(tmp_path):
    """A folder of a stranger's does not keep a merge busy for ever."""
    far = fill(tmp_path / "far", range(4))
    with Store(far) as store:
        for old, new in ((1, -(2**63)), (2, 0), (3, 10**18), (4, 2**63 - 1)):
            store.connection.execute("UPDATE results SET id = ? WHERE id = ?", (new, old))
    told = []
    with Store(tmp_path / "here") as store:
        merged = merge(far, store, lambda done, total: told.append((done, total)))
    assert (merged.added, merged.there, merged.damaged) == (4, 0, [])
    assert told == [(1, 4), (2, 4), (3, 4), (4, 4)]
    assert rows(tmp_path / "here") == rows(far)
