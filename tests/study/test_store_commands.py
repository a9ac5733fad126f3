"""The commands ``store`` and ``status`` on a store of a real run."""

from __future__ import annotations

import sqlite3

import pytest
from plans import learner, plan_of

from dagathlon.cli import main
from dagathlon.study.engine.local import LocalEngine
from dagathlon.study.store import index_tables as store_schema
from dagathlon.study.store.claims import Registration
from dagathlon.study.store.store import Store


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    folder = tmp_path_factory.mktemp("results")
    with Store(folder / "store") as store:
        LocalEngine(1).run(plan_of(learner(), learner("raise"), n=3000), store)
    return folder


def test_status(results, capsys):
    assert main(["status", str(results)]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("finished")
    assert "5 tasks ran, 0 came from the store" in lines[0]
    row = next(line.split() for line in lines if "fake_learner" in line)
    assert row[:7] == ["learn", "fake_learner", "1", "0", "1", "0", "0"]


def test_status_of_a_running_study(results, capsys):
    with Store(results / "store") as store:
        registration = Registration(store)
        registration.exchange(
            [], progress={"ran": [["ok", "learn", "pc", 3]], "left": 7, "jobs": 2}
        )
        assert main(["status", str(results / "store")]) == 0
        registration.end({"ran": [], "left": 7})
    assert main(["status", str(results)]) == 0
    first, second = capsys.readouterr().out.split("running for")[1].split("stopped before the end")
    assert "2 workers): 3 tasks ran, 0 came from the store, 7 are left" in first
    assert "run the same command to go on" in second


def test_size_and_verify(results, capsys):
    assert main(["store", "size", str(results)]) == 0
    assert "5 results" in capsys.readouterr().out
    assert main(["store", "verify", str(results)]) == 0
    assert "5 results, all sound" in capsys.readouterr().out


def test_verify_finds_and_repairs_damage(results, capsys):
    with Store(results / "store", readonly=True) as store:
        ((_, path),) = store.objects.files()
    path.write_bytes(path.read_bytes()[:-1])
    assert main(["store", "verify", str(results)]) == 1
    assert "data fake_data" in capsys.readouterr().out
    assert main(["store", "verify", "--repair", str(results)]) == 1
    assert "they were removed" in capsys.readouterr().out
    assert main(["store", "verify", str(results)]) == 0


def test_gc(results, capsys):
    assert main(["store", "gc", str(results)]) == 0
    assert "removed 0 results" in capsys.readouterr().out


def test_a_folder_without_a_store(tmp_path, capsys):
    for command in (["status"], ["store", "size"]):
        assert main([*command, str(tmp_path)]) == 2
        assert "no store here" in capsys.readouterr().err


class _Unreadable:
    """The index of a folder in which SQLite cannot make its files."""

    def execute(self, _statement):
        raise sqlite3.OperationalError("unable to open database file")

    def close(self):
        pass


def test_a_store_is_read_where_nothing_can_be_written(results, monkeypatch, capsys):
    opened = store_schema._opened

    def on_a_read_only_disk(address):
        return opened(address) if "immutable=1" in address else _Unreadable()

    monkeypatch.setattr(store_schema, "_opened", on_a_read_only_disk)
    assert main(["store", "size", str(results)]) == 0
    assert "results: index" in capsys.readouterr().out
