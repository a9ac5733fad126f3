"""The store: what goes in comes out, damage is found, upkeep removes nothing that is needed."""

from __future__ import annotations

import hashlib
import shutil
import sqlite3
import warnings

import numpy as np
import pytest

from dagathlon.data import Dataset, Variable
from dagathlon.errors import StudyError
from dagathlon.graphs import Graph
from dagathlon.study.plan.task import Call, Limits, Outcome, Status, Task, TaskKind, task_key
from dagathlon.study.store.claims import Registration, run_records
from dagathlon.study.store.codec import encode
from dagathlon.study.store.index_tables import MIGRATIONS
from dagathlon.study.store.leases import process_start
from dagathlon.study.store.objects import DamagedError
from dagathlon.study.store.results_folder import INDEX
from dagathlon.study.store.rows import damaged_rows, remove_damaged_rows
from dagathlon.study.store.store import Result, Store, StoreWarning
from dagathlon.study.store.upkeep import counts, gc, size, verify

CALL = Call.of(TaskKind.DATA, "some_module", 1, {"n": 3})
OK = Outcome(Status.OK, wall=0.25, cpu=0.125, memory=1000)


def task(seed: int) -> Task:
    return Task(task_key(CALL, seed, ()), CALL, seed)


def large_data(seed: int = 0) -> Dataset:
    values = np.random.default_rng(seed).normal(size=(5000, 2))
    return Dataset([Variable("x"), Variable("y")], values=values)


@pytest.fixture
def store(tmp_path):
    with Store(tmp_path / "store") as opened:
        yield opened


def keep(store: Store, seed: int, value: object) -> bytes:
    store.put(task(seed), OK, store.objects.keep(encode(value)))
    return task(seed).key


def test_small_and_large_results(store):
    graph, data = Graph.from_edges(["A -> B"]), large_data()
    small, large = keep(store, 1, graph), keep(store, 2, data)
    assert store.load(small) == graph
    assert store.load(large) == data
    assert len(list(store.objects.files())) == 1
    assert store.get(small).outcome == OK
    assert store.get(small).module == "some_module"
    assert store.get(task(3).key) is None
    assert store.load(task(3).key) is None
    assert dict(store.load_many([small, large])) == {small: graph, large: data}


def test_large_results_are_mapped(store):
    key = keep(store, 1, large_data())
    values = store.load(key).values
    assert not values.flags.owndata
    assert not values.flags.writeable


def test_failures_keep_their_story(store):
    limits = Limits(2.5, 10**9)
    failed = Outcome(Status.TIME, "stopped after 2.5 s", "last words", 2.5, 0.0, 5, limits)
    store.put(task(1), failed)
    assert store.get(task(1).key).outcome == failed
    assert store.outcomes([task(1).key]) == {task(1).key: failed}
    assert store.load(task(1).key) is None


def test_a_later_outcome_replaces_an_earlier_one(store):
    store.put(task(1), Outcome(Status.ERROR, "bad luck"))
    key = keep(store, 1, Graph(["A"]))
    assert store.get(key).outcome.status is Status.OK
    assert size(store).results == 1


def test_results_survive_closing(tmp_path):
    with Store(tmp_path) as store:
        key = keep(store, 1, Graph(["A"]))
    with Store(tmp_path, readonly=True) as store:
        assert store.load(key) == Graph(["A"])
        with pytest.raises(StudyError, match="cannot be written"):
            store.put(task(2), OK)


def test_many_keys_at_once(store):
    tasks = [task(seed) for seed in range(40_000)]  # SQLite by default: 32,766 in one statement
    with store.transaction():
        store.insert(Result(each, OK) for each in tasks)
    keys = [each.key for each in tasks] + [b"unknown"]
    found = store.outcomes(keys)
    assert len(found) == len(tasks)
    assert found[tasks[77].key] == OK


def damage_file(store: Store, change) -> None:
    ((_, path),) = store.objects.files()
    path.write_bytes(change(path.read_bytes()))


@pytest.mark.parametrize(
    "change",
    [
        lambda data: data[:-100],
        lambda data: b"",
        lambda data: data[:5000] + b"!" + data[5001:],
        lambda data: data + b"more",
    ],
    ids=["truncated", "empty", "changed", "extended"],
)
def test_damaged_files_are_found_and_made_again(store, change):
    key = keep(store, 1, large_data())
    damage_file(store, change)
    assert [damage.key for damage in verify(store)] == [key]
    with pytest.raises(DamagedError):
        store.read(key)
    with pytest.warns(StoreWarning, match="computed again"):
        assert store.load(key) is None
    assert store.get(key) is None
    assert keep(store, 1, large_data()) == key
    assert store.load(key) == large_data()
    assert verify(store) == []


def test_missing_file(store):
    key = keep(store, 1, large_data())
    ((_, path),) = store.objects.files()
    path.unlink()
    with pytest.warns(StoreWarning, match="cannot be read"):
        assert store.load(key) is None


def test_damaged_rows_are_found(store):
    key = keep(store, 1, Graph(["A", "B"]))
    store.connection.execute("UPDATE results SET inline = ?", (b"garbage",))
    with pytest.warns(StoreWarning, match="the index"):
        assert store.load(key) is None
    assert store.get(key) is None


def test_verify_can_repair(store):
    keep(store, 1, Graph(["A"]))
    key = keep(store, 2, large_data())
    damage_file(store, lambda data: data[:-1])
    assert [damage.key for damage in verify(store, repair=True)] == [key]
    assert verify(store) == []
    assert size(store).results == 1


def test_gc_keeps_what_is_asked_for(store):
    first, second = keep(store, 1, large_data(1)), keep(store, 2, large_data(2))
    keep(store, 3, Graph(["A"]))
    before = size(store)
    freed = gc(store, keep=[first])
    assert freed.results == 2
    assert freed.files == 1
    assert freed.file_bytes == before.file_bytes // 2
    assert store.load(first) == large_data(1)
    assert store.get(second) is None


def test_gc_without_keys_removes_only_what_belongs_to_nobody(store):
    key = keep(store, 1, large_data(1))
    store.objects.keep(encode(large_data(2)))
    unfinished = store.objects.folder / "unfinished" / "999999999-0"
    unfinished.write_bytes(b"half")
    freed = gc(store)
    assert (freed.results, freed.files) == (0, 1)
    assert not unfinished.exists()
    assert store.load(key) == large_data(1)


def test_gc_waits_for_runs_to_end(store):
    registration = Registration(store)
    with pytest.raises(StudyError, match="is using the store"):
        gc(store)
    registration.end({})
    assert gc(store).results == 0


def test_equal_results_share_a_file(store):
    first, second = keep(store, 1, large_data()), keep(store, 2, large_data())
    assert store.digests([first, second])[first] == store.digests([first, second])[second]
    assert size(store).files == 1


def test_counts(store):
    keep(store, 1, Graph(["A"]))
    keep(store, 2, Graph(["A"]))
    store.put(task(3), Outcome(Status.MEMORY, "too much"))
    found = [(count.module, count.status, count.number) for count in counts(store)]
    assert found == [("some_module", "memory", 1), ("some_module", "ok", 2)]


def test_codes_of_failures_are_read_as_words(store):
    """Stores of earlier versions have F1, F2 and F3."""
    for number, code in enumerate(("F1", "F2", "F3", "F4")):
        store.put(task(number), Outcome(Status.ERROR, "why"))
        update = "UPDATE results SET status = ? WHERE key = ?"
        store.connection.execute(update, (code, task(number).key))
    assert damaged_rows(store.connection) == {"results": 1}
    remove_damaged_rows(store.connection)
    found = [store.get(task(number).key) for number in range(3)]
    assert [one.outcome.status for one in found] == [Status.TIME, Status.ERROR, Status.MEMORY]
    assert [count.status for count in counts(store)] == ["error", "memory", "timeout"]


def test_newer_stores_are_refused(tmp_path):
    with Store(tmp_path) as store:
        store.connection.execute(f"PRAGMA user_version = {len(MIGRATIONS) + 1}")
    with pytest.raises(StudyError, match="newer dagathlon"):
        Store(tmp_path)


def test_older_stores_are_migrated(tmp_path, monkeypatch):
    with Store(tmp_path) as store:
        key = keep(store, 1, Graph(["A"]))
    added = (*MIGRATIONS, ("ALTER TABLE runs ADD COLUMN colour TEXT",))
    monkeypatch.setattr("dagathlon.study.store.index_tables.MIGRATIONS", added)
    with Store(tmp_path) as store:
        assert store.load(key) == Graph(["A"])
        store.connection.execute("SELECT colour FROM runs")
        assert store.connection.execute("PRAGMA user_version").fetchone() == (len(added),)


def test_what_is_no_store_is_refused(tmp_path):
    (tmp_path / INDEX).write_bytes(b"this is not a database at all" * 100)
    with pytest.raises(StudyError, match="not a store"):
        Store(tmp_path)
    with pytest.raises(StudyError, match="no store here"):
        Store(tmp_path / "elsewhere", readonly=True)


def test_a_full_disk_is_reported(store):
    (pages,) = store.connection.execute("PRAGMA page_count").fetchone()
    store.connection.execute(f"PRAGMA max_page_count = {pages}")
    long_story = Outcome(Status.ERROR, "no", "x" * 100_000)
    with pytest.raises(StudyError, match=r"full.*run the same command again"):
        store.put(task(1), long_story)
    assert not store.connection.in_transaction
    assert store.get(task(1).key) is None


def test_claims_of_living_runs_are_respected(tmp_path):
    with Store(tmp_path) as mine, Store(tmp_path) as other:
        first, second = Registration(mine), Registration(other)
        key, done = task(1).key, task(2)
        assert not first.exchange([], [key]).busy
        assert set(second.exchange([], [key]).busy) == {key}
        first.exchange([Result(done, OK)])
        assert second.exchange([], [done.key]).known == {done.key: OK}
        first.exchange([], [key])
        first.end({})
        assert set(second.exchange([], [key]).busy) == set()


def test_claims_of_the_dead_are_void(store):
    registration = Registration(store)
    registration.exchange([], [task(1).key])
    store.connection.execute("UPDATE runs SET started = 'long ago'")
    registration.scratch.joinpath("left").write_text("behind")
    later = Registration(store)
    assert set(later.exchange([], [task(1).key]).busy) == set()
    assert not registration.scratch.exists()
    assert [record.alive for record in run_records(store)] == [True, False]


def test_process_start():
    assert process_start(1) != ""
    assert process_start(2**22 + 1) == ""


def test_content_addresses_are_sha256(store):
    payload = store.objects.keep(encode(large_data()))
    path = store.objects.path(payload.digest)
    assert hashlib.sha256(path.read_bytes()).digest() == payload.digest
    assert path.stat().st_size == payload.size


def test_index_is_in_wal_mode(store):
    assert store.connection.execute("PRAGMA journal_mode").fetchone() == ("wal",)
    with warnings.catch_warnings():
        other = sqlite3.connect(store.folder / INDEX)
        assert other.execute("SELECT count(*) FROM results").fetchone() == (0,)
        other.close()


def test_the_tables_of_a_new_store_are_in_its_file_from_the_beginning(tmp_path):
    """Not in the log beside it, which something may spoil before anything is written back."""
    with Store(tmp_path / "new"):
        (tmp_path / "copy").mkdir()
        shutil.copy(tmp_path / "new" / INDEX, tmp_path / "copy" / INDEX)
    with Store(tmp_path / "copy", readonly=True) as copy:
        assert copy.outcomes([b"k" * 32]) == {}
