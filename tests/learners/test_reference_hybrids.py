"""The DAGs of bnlearn's mmhc, h2pc and rsmax2, arc by arc, and the published rows of mmhc."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from dagathlon.data import Network, read_data
from dagathlon.evaluate import compare
from dagathlon.graphs import read_graph
from dagathlon.graphs.knowledge import Knowledge
from dagathlon.learners import learn
from dagathlon.learners.hybrid.hybrid import Mmhc

NAMES = {"si.hiton.pc": "si_hiton_pc"}
RENAMED = {"iss.mu": "iss_mu"}
quiet = pytest.mark.filterwarnings("ignore::dagathlon.errors.DataWarning")


@quiet
@pytest.mark.shared
@pytest.mark.parametrize(("learner", "number"), [("mmhc", 15), ("h2pc", 10), ("rsmax2", 17)])
def test_all_reference_dags(shared: Path, learner: str, number: int) -> None:
    compared = 0
    for path in sorted((shared / "reference").glob(f"*/algs/bnlearn_{learner}_*.json")):
        case = json.loads(path.read_text())
        arguments = {**case["args"]["restrict.args"], **case["args"]["maximize.args"]}
        arguments = {RENAMED.get(name, name): value for name, value in arguments.items()}
        for step in ("restrict", "maximize"):
            if step in case["args"]:
                arguments[step] = NAMES.get(case["args"][step], case["args"][step])
        data = read_data(path.parent.parent / "data.csv")
        found = learn(data, learner, **arguments).graph
        assert found == read_graph(path.with_suffix(".csv")), f"{case['case']} {path.stem}"
        compared += 1
    assert compared == number


@pytest.mark.shared
@pytest.mark.parametrize(
    ("sample", "truth", "row"),
    [
        ("ALARM_N_1k", "ALARM", (0.630, 23, 0.500, 0.852, 0.500)),
        ("ASIA_N_1k", "ASIA", (0.769, 3, 0.625, 1, 0.625)),
        ("ASIA_N_10k", "ASIA", (0.857, 2, 0.750, 1, 0.750)),
    ],
)
def test_published_rows(shared: Path, sample: str, truth: str, row) -> None:
    data = read_data(shared / "bayesys" / f"trainingData_{sample}.csv")
    found = compare(learn(data, "mmhc"), shared / "bayesys" / f"DAGtrue_{truth}.csv")
    names = ("bayesys_f1", "bayesys_shd", "bsf", "bayesys_precision", "bayesys_recall")
    assert tuple(round(float(found[name] or 0), 3) for name in names) == row


def test_required_edges_are_there_whatever_the_skeleton() -> None:
    data = Network.load("asia").sample(300, 1)
    knowledge = Knowledge(
        frozenset({("smoke", "bronc"), ("bronc", "smoke")}), frozenset({("asia", "dysp")})
    )
    learner = Mmhc(constraints=knowledge)  # type: ignore[arg-type]
    graph = learner.learn(data, np.random.default_rng(1)).graph
    assert knowledge.violations(graph) == []
    assert graph.is_dag
