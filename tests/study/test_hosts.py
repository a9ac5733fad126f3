"""Where results were made: kept in the store, told in the report, never in a table."""

from __future__ import annotations

import sqlite3
from dataclasses import replace

import pytest
from plans import learner, plan_of

from dagathlon.errors import StudyError
from dagathlon.report.page.provenance import machines
from dagathlon.study.engine.inline import InlineEngine
from dagathlon.study.plan.task import Outcome, Status
from dagathlon.study.records.provenance import Provenance
from dagathlon.study.store import index_tables
from dagathlon.study.store.index_tables import MIGRATIONS
from dagathlon.study.store.machine import described, machine_facts
from dagathlon.study.store.results_folder import INDEX
from dagathlon.study.store.store import Store

DONE = Outcome(Status.OK, wall=1.5, host="alpha")


def test_a_result_says_where_it_was_made(tmp_path):
    plan = plan_of(learner())
    with Store(tmp_path) as store:
        store.put(plan.tasks[0], DONE)
        assert store.get(plan.tasks[0].key).outcome == DONE
        assert store.outcomes(plan.keys()) == {plan.tasks[0].key: DONE}


def test_facts_of_machines_are_kept(tmp_path):
    with Store(tmp_path) as store:
        for facts in ({"processor": "A"}, {"processor": "A"}, {"processor": "B"}):
            store.note_host("alpha", facts)
        assert store.hosts() == [("alpha", {"processor": "A"}), ("alpha", {"processor": "B"})]
        store.connection.execute("UPDATE hosts SET facts = '[1' WHERE facts LIKE '%B%'")
        assert ("alpha", {}) in store.hosts()


def test_a_run_notes_its_own_machine(tmp_path):
    plan = plan_of(learner())
    with Store(tmp_path) as store:
        InlineEngine().run(plan, store)
        ((name, facts),) = store.hosts()
        assert {one.host for one in store.outcomes(plan.keys()).values()} == {name}
    assert facts == machine_facts()
    assert set(facts["versions"]) == {"python", "dagathlon", "numpy", "scipy"}
    assert described(facts) == Provenance("study.json").machine


BEFORE_HOSTS = 2


@pytest.fixture
def older(tmp_path, monkeypatch):
    """A store from before machines were recorded, with one result."""
    plan = plan_of(learner())
    with Store(tmp_path) as store:
        store.put(plan.tasks[0], DONE)
    with sqlite3.connect(tmp_path / INDEX) as index:
        index.execute("ALTER TABLE results DROP COLUMN cpu_limit")
        index.execute("ALTER TABLE results DROP COLUMN host")
        index.execute("DROP TABLE hosts")
        index.execute(f"PRAGMA user_version = {BEFORE_HOSTS}")
    index.close()
    return tmp_path, plan.tasks[0].key


def test_an_older_store_is_read_as_it_is(older):
    folder, key = older
    with Store(folder, readonly=True) as store:
        assert store.get(key).outcome == replace(DONE, host="")
        assert store.outcomes([key]) == {key: replace(DONE, host="")}
        assert store.hosts() == []
        assert index_tables.version_of(store.connection) == BEFORE_HOSTS


def test_an_older_store_is_migrated_when_it_is_written(older):
    folder, key = older
    with Store(folder) as store:
        store.note_host("beta", {})
        assert store.get(key).outcome == replace(DONE, host="")
        assert store.hosts() == [("beta", {})]
    with Store(folder, readonly=True) as store:
        assert index_tables.has_hosts(store.connection)


def test_a_newer_store_is_refused(tmp_path):
    with Store(tmp_path) as store:
        store.connection.execute(f"PRAGMA user_version = {len(MIGRATIONS) + 1}")
    with pytest.raises(StudyError, match="use a newer dagathlon"):
        Store(tmp_path, readonly=True)


class _Results:
    """What a report asks of the results of a setup when it speaks of machines."""

    def __init__(self, made_on, hosts, machine):
        self.made_on = made_on
        self.store = self
        self.hosts = lambda: [(name, {"processor": cpu}) for name, cpu in hosts]
        self.provenance = Provenance("study.json", machine=machine)


@pytest.mark.parametrize(
    ("made_on", "hosts", "machine", "words", "times"),
    [
        ({"alpha": 3}, [("alpha", "A")], "A", "", False),
        ({"": 3}, [], "A", "", False),
        ({"alpha": 1}, [("alpha", "A")], "B", "alpha (A): 1 learning run", False),
        (
            {"beta": 2, "alpha": 1200},
            [("alpha", "A"), ("beta", "A"), ("gamma", "C")],
            "A",
            "alpha (A): 1,200 learning runs; beta (A): 2 learning runs",
            False,
        ),
        (
            {"beta": 2, "": 1},
            [("beta", "A"), ("beta", "B")],
            "A",
            "machines that were not recorded: 1 learning run; beta (A or B): 2 learning runs",
            True,
        ),
    ],
)
def test_a_report_names_machines_and_whether_times_compare(made_on, hosts, machine, words, times):
    found = machines(_Results(made_on, hosts, machine))
    assert found.get("machines", "") == words
    assert ("different processors (A, B)" in found.get("times", "")) == times
