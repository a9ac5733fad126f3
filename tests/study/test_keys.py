"""What the keys of tasks hold: versions of all that runs behind a module, and nothing else."""

from __future__ import annotations

import dataclasses
import json
import os
from pathlib import Path
from typing import Any

import pytest
from small_study import STUDY

from dagathlon.evaluate.steps import StandardMetrics
from dagathlon.learners.constraint.pc import Pc
from dagathlon.learners.score.hill_climbing import HillClimbing
from dagathlon.modules import Kind, add_files, find, modules
from dagathlon.modules.lineage import lineage
from dagathlon.simulate.linear_sem import RandomLinearSem
from dagathlon.simulate.noise import Noise
from dagathlon.study.engine.protocol import Event, Note
from dagathlon.study.plan.plan import Plan
from dagathlon.study.plan.scoring import call_of
from dagathlon.study.plan.task import Task, TaskKind
from dagathlon.study.store.results_folder import STORE_FOLDER
from dagathlon.study.store.store import Result, Store
from dagathlon.workflow import Study

ALGORITHMS: dict[str, list[dict[str, Any]]] = {
    "pc": [{"id": "pc"}],
    "pcalg_pc": [{"id": "pcalg"}],
    "bnlearn_pcstable": [{"id": "pcstable"}],
    "gcastle_pc": [{"id": "gcastle"}],
    "tetrad_pc": [{"id": "tetrad"}],
    "bips_tpc": [{"id": "tiers"}],
    "pc_missing": [{"id": "missing"}],
    "mvpc": [{"id": "mvpc"}],
    "order_mcmc": [{"id": "orders", "iterations": 10, "alpha": 0.05}],
    "bidag_order_mcmc": [{"id": "bidag", "iterations": 10}],
    "itsearch": [{"id": "itsearch"}],
    "hc": [{"id": "hc"}],
    "rsmax2": [{"id": "rsmax2", "restrict": "gs"}],
    "boss": [{"id": "boss"}],
    "bootstrap": [
        {"id": "boot_id", "learner": "pcalg", "replicates": 2},
        {"id": "boot_text", "learner": "bnlearn_pcstable", "replicates": 2},
        {"id": "boot_hc", "learner": "hc", "replicates": 2},
    ],
}
RUNS_PC = {
    "pc", "pcalg", "pcstable", "gcastle", "tetrad", "tiers", "missing", "mvpc", "orders", "bidag",
    "itsearch", "boot_id", "boot_text",
}  # fmt: skip


MINE = '''
from dataclasses import dataclass
from dagathlon import Estimate, Graph, Learner
from helper import number


@dataclass(frozen=True, kw_only=True)
class Mine(Learner):
    """No edges."""

    name = "helped"

    def learn(self, data, rng):
        return Estimate(Graph(data.names), {"said": number()})
'''


@pytest.fixture
def file(tmp_path: Path) -> Path:
    study = json.loads(json.dumps(STUDY))
    setup = study["benchmark_setup"][0]
    setup["data"][0]["seed_range"] = [1, 1]
    setup["evaluation"]["benchmarks"]["ids"] = [
        entry["id"] for entries in ALGORITHMS.values() for entry in entries
    ]
    study["resources"]["graph"]["pcalg_randdag"][0]["n"] = 4
    study["resources"]["data"]["iid"][0]["n"] = 40
    study["resources"]["structure_learning_algorithms"] = ALGORITHMS
    path = tmp_path / "study.json"
    path.write_text(json.dumps(study))
    return path


def planned(file: Path) -> Plan:
    return Study.load(file).plan


def learned(plan: Plan) -> dict[str, Task]:
    return {run.entry: plan.tasks[run.learn] for run in plan.runs}


def changed(file: Path, before: Plan) -> set[str]:
    """The algorithms whose keys are others now; random numbers must never be."""
    old, new = learned(before), learned(planned(file))
    assert [task.random_key for task in old.values()] == [t.random_key for t in new.values()]
    return {name for name in old if old[name].key != new[name].key}


def test_raising_pc_changes_the_key_of_all_that_run_it(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = planned(file)
    own = learned(before)["pc"], learned(before)["missing"]
    monkeypatch.setattr(Pc, "version", Pc.version + 1)
    after = learned(planned(file))
    names = {name for name, task in learned(before).items() if task.key != after[name].key}
    assert names == RUNS_PC
    # A module's own version has always been part of its random stream; that of others is not.
    same = [name for name in RUNS_PC if after[name].random_key == learned(before)[name].random_key]
    assert {*same, "pc", "missing"} == RUNS_PC
    assert own[0].random_key != after["pc"].random_key


@pytest.mark.parametrize(
    ("table", "name", "expected"),
    [
        ("test", "gaussCItest", {"pcalg", "tiers", "missing", "mvpc", "bidag", "boot_id"}),
        ("score", "bge", {"orders", "itsearch", "bidag"}),
    ],
)
def test_raising_a_test_or_a_score_changes_keys(
    file: Path,
    monkeypatch: pytest.MonkeyPatch,
    table: Kind,
    name: str,
    expected: set[str],
) -> None:
    before = planned(file)
    monkeypatch.setattr(find(table, name), "version", 2)
    assert changed(file, before) == expected


def test_raising_a_search_changes_what_climbs_with_it(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = learned(planned(file))
    monkeypatch.setattr(HillClimbing, "version", 2)
    after = learned(planned(file))
    assert {name for name in before if before[name].key != after[name].key} == {
        "hc", "rsmax2", "boot_hc"
    }  # fmt: skip


def test_raising_a_generator_changes_all_that_follows_and_no_random_number(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = planned(file)
    monkeypatch.setattr(RandomLinearSem, "version", RandomLinearSem.version + 1)
    assert changed(file, before) == set(learned(before))


def test_raising_metrics_and_noise_changes_their_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    for kind, module in ((TaskKind.SCORE, StandardMetrics()), (TaskKind.NOISE, Noise())):
        before = call_of(kind, module).digest
        monkeypatch.setattr(type(module), "version", type(module).version + 1)
        assert call_of(kind, module).digest != before


def test_every_name_of_benchpress_holds_the_version_of_what_it_runs() -> None:
    for name, cls in modules("algorithm").items():
        if cls.__module__.startswith("dagathlon.benchpress.") and hasattr(cls, "native"):
            native = "" if cls.unavailable else cls().native().name
            assert not native or ("algorithm", native) in lineage(cls()), name


def test_first_versions_leave_keys_as_older_versions_of_dagathlon_had_them(file: Path) -> None:
    call = call_of(TaskKind.LEARN, modules("algorithm")["bnlearn_iamb"].from_json({"test": "mi"}))
    assert call.digest == call.plain
    tasks = planned(file).tasks
    drawn = [task for task in tasks if task.call.kind is TaskKind.GRAPH]
    # erdos_renyi has had a second version, which older keys of pcalg_randdag do not tell.
    assert all(task.plain_key != task.key for task in drawn)


@pytest.mark.slow
def test_an_old_store_is_used_where_its_results_are_right_and_says_so_otherwise(
    file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    study = json.loads(file.read_text())
    study["benchmark_setup"][0]["evaluation"]["benchmarks"]["ids"] = ["hc", "pcalg"]
    study["resources"]["graph"] = {"uniform_dag": [{"id": "dag", "nodes": 4}]}
    study["resources"]["parameters"] = {"dirichlet_network": [{"id": "sem", "max_levels": 2}]}
    study["resources"]["data"]["iid"][0]["standardized"] = False
    study["resources"]["structure_learning_algorithms"]["pcalg_pc"][0]["indepTest"] = "binCItest"
    study["resources"]["structure_learning_algorithms"]["hc"][0]["score"] = "bic"
    file.write_text(json.dumps(study))
    out = tmp_path / "results"
    events: list[Event] = []
    monkeypatch.setattr("dagathlon.workflow.write_outputs", lambda *_: [])
    monkeypatch.setattr(Pc, "version", 1)

    def run() -> Any:
        events.clear()
        return Study.load(file).run(out, 1, on_event=events.append)

    def notes() -> list[str]:
        return [event.text for event in events if isinstance(event, Note)]

    first = run()
    assert first.ran.total()
    assert notes() == []
    monkeypatch.setattr(Pc, "version", 2)
    _as_older_versions_had_it(Study.load(file).plan, out / STORE_FOLDER)
    second = run()
    redone = {(kind, module) for _, kind, module in second.ran}
    assert redone == {("learn", "pcalg_pc"), ("score", "metrics")}
    (note,) = notes()
    assert note.startswith("2 stored results are not used: they are of an older Dagathlon")
    assert run().ran.total() == 0
    assert notes() == []


def _as_older_versions_had_it(plan: Plan, folder: Path) -> None:
    """Keep every result under the key without lineage, as stores did before there was one."""
    with Store(folder) as store:
        older = [dataclasses.replace(task, key=task.plain_key) for task in plan.tasks]
        found = [(task, store.get(task.key)) for task in older]
        results = [Result(t, r.outcome, r.payload) for t, r in found if r is not None]
        store.drop([task.key for task in plan.tasks if task.plain])
        with store.transaction():
            store.insert(results)


@pytest.mark.slow
def test_an_edited_helper_of_a_users_learner_is_run_again(
    file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("dagathlon.workflow.write_outputs", lambda *_: [])
    (tmp_path / "mine.py").write_text(MINE)
    helper = tmp_path / "helper.py"
    study = json.loads(file.read_text())
    study["modules"] = ["mine.py"]
    study["benchmark_setup"][0]["evaluation"]["benchmarks"]["ids"] = ["mine"]
    study["resources"]["structure_learning_algorithms"] = {"helped": [{"id": "mine"}]}
    file.write_text(json.dumps(study))
    out = tmp_path / "results"
    before = os.environ.get("DAGATHLON_MODULES", "")
    try:
        for number in (1, 2):
            helper.write_text(f"def number():\n    return {number}\n")
            study_now = Study.load(file)
            summary = study_now.run(out, 2)
            assert [name for _, kind, name in summary.ran if kind == "learn"] == ["helped"]
            with Store(out / STORE_FOLDER, readonly=True) as store:
                learned_now = store.read(learned(study_now.plan)["mine"].key)
            assert learned_now.stats["said"] == number
            assert find("algorithm", "helped").implementation == "mine.py"
    finally:
        os.environ["DAGATHLON_MODULES"] = before
        add_files([])
