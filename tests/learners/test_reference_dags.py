"""The DAGs of bnlearn's hc and tabu, arc by arc."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from dagathlon.data import read_data
from dagathlon.graphs import read_graph
from dagathlon.learners import learn

pytestmark = [
    pytest.mark.shared,
    pytest.mark.filterwarnings("ignore::dagathlon.errors.DataWarning"),
]
RENAMED = {"maxp": "max_parents", "iss.mu": "iss_mu"}


@pytest.mark.parametrize("learner", ["hc", "tabu"])
def test_all_reference_dags(shared: Path, learner: str) -> None:
    compared = 0
    for path in sorted((shared / "reference").glob(f"*/algs/bnlearn_{learner}_*.json")):
        case = json.loads(path.read_text())
        data = read_data(path.parent.parent / "data.csv")
        arguments = {RENAMED.get(name, name): value for name, value in case["args"].items()}
        found = learn(data, learner, **arguments).graph
        assert found == read_graph(path.with_suffix(".csv")), f"{case['case']} {path.stem}"
        compared += 1
    assert compared == {"hc": 25, "tabu": 10}[learner]
