"""The sixteen configs that Benchpress ships: all are read, with the numbers of runs they have."""

from __future__ import annotations

import pytest

from dagathlon.workflow import Study

# config: (data sets, settings, learning runs, rows of joint_benchmarks.csv), all setups together
EXPECTED = {
    "chordal_algos": (1, 6, 6, 18),
    "config": (3, 15, 45, 45),
    "configdocs": (3, 17, 51, 21),
    "gcastle": (5, 22, 110, 110),
    "gcastle_nonlinear": (10, 21, 210, 210),
    "minimal": (2, 6, 6, 2),
    "paper_er_bin": (100, 28, 2800, 2700),
    "paper_er_sem": (200, 37, 7400, 7200),
    "paper_er_sem_small": (3, 41, 123, 126),
    "paper_hepar2_bin": (100, 28, 2800, 2700),
    "paper_hepar2_sem": (100, 38, 3800, 3700),
    "paper_pc_vs_dualpc": (2, 6, 12, 12),
    "paper_sachs": (1, 35, 35, 34),
    "realistic_study": (1, 12, 12, 0),
    "sandbox": (2, 12, 24, 48),
    "tetrad": (3, 20, 60, 60),
}


@pytest.mark.shared
@pytest.mark.parametrize("name", EXPECTED)
def test_numbers_of_runs(name, shared) -> None:
    folder = shared / "benchpress"
    study = Study.load(folder / "config" / f"{name}.json", folder / "resources")
    plan = study.plan
    cases = settings = learned = rows = 0
    for number, setup in enumerate(study.config.setups):
        runs = [run for run in plan.runs if run.setup == number]
        tasks = {run.learn for run in runs} | plan.inputs_of(runs)
        of_setup = {run.case for run in runs}
        cases += len(of_setup)
        learned += len(tasks)
        settings += len(tasks) // len(of_setup)
        rows += sum(run.entry in setup.benchmarked() for run in runs)
    assert (cases, settings, learned, rows) == EXPECTED[name]


@pytest.mark.shared
def test_two_equal_setups_share_their_tasks(shared) -> None:
    folder = shared / "benchpress"
    plan = Study.load(folder / "config" / "minimal.json", folder / "resources").plan
    counts = {kind.value: n for kind, n in plan.counts().items()}
    assert counts["learn"] == 3
    assert counts["data"] == 1


@pytest.mark.shared
def test_networks_on_board_stand_in_for_the_resources_folder(shared, tmp_path) -> None:
    source = shared / "benchpress" / "config" / "paper_hepar2_sem.json"
    study = tmp_path / "study.json"
    study.write_bytes(source.read_bytes())
    assert len(Study.load(study).plan.cases) == 100
