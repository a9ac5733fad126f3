"""NOTEARS and additive noise models against graphs that gCastle 1.0.4 gave."""

from __future__ import annotations

import importlib.util
import json
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from dagathlon.data import Dataset, Variable
from dagathlon.learners import learn
from dagathlon.learners.notears_losses import LOSSES

TOOL = Path(__file__).parents[2] / "tools" / "gcastle_graphs.py"
# The searches that take longest, three of them with cycles up to the largest penalty.
LONG = {770002, 770009, 770015, 770018}
# See docs/learners-continuous.md.
DIFFERENT = {770016, 770018}
CASES = json.loads(Path(__file__).with_name("gcastle_graphs.json").read_text())


@pytest.fixture(scope="module")
def tool() -> ModuleType:
    spec = importlib.util.spec_from_file_location("gcastle_graphs", TOOL)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def call(case: dict[str, Any]) -> tuple[str, dict[str, Any]]:
    if case["kind"] == "anm":
        return "gcastle_anm", {}
    # What gcastle_notears asks for.
    return "notears", {"lambda1": case["lambda1"], "loss_type": case["kind"], "cycles": "keep"}


def marked(case: dict[str, Any]) -> Any:
    marks = [pytest.mark.slow] if case["seed"] in LONG else []
    if case["seed"] in DIFFERENT:
        marks.append(pytest.mark.xfail(reason="another graph than gCastle's", strict=True))
    return pytest.param(case, marks=marks, id=f"{case['kind']}-{case['seed']}")


@pytest.mark.parametrize("case", [marked(case) for case in CASES])
def test_graph_is_that_of_gcastle(tool: ModuleType, case: dict[str, Any]) -> None:
    values = tool.drawn(case)
    assert np.abs(values).sum() == pytest.approx(case["checksum"], rel=1e-12)
    data = Dataset([Variable(f"V{i}") for i in range(case["columns"])], values=values)
    name, arguments = call(case)
    found = learn(data, name, **arguments)
    marks = found.graph.marks
    arcs = (marks == 2) | ((marks == 3) & (marks.T == 3))

    assert np.argwhere(arcs).tolist() == case["arcs"]


def test_a_cycle_is_cut_unless_it_shall_stay() -> None:
    rng = np.random.default_rng(1)
    values = rng.normal(size=(60, 5))
    data = Dataset([Variable(f"V{i}") for i in range(5)], values=values)
    few = {"max_iter": 1, "rho_max": 2.0, "lambda1": 0.0, "w_threshold": 0.0}
    assert not learn(data, "notears", cycles="keep", **few).graph.is_dag
    assert learn(data, "notears", cycles="cut", **few).graph.is_dag


@pytest.mark.parametrize("loss_type", ["l2", "logistic", "poisson"])
def test_gradients_of_losses(loss_type: str) -> None:
    rng = np.random.default_rng(11)
    values = rng.integers(0, 2, (40, 4)).astype(float)
    loss, weights = LOSSES[loss_type](values), 0.5 * rng.normal(size=(4, 4))
    gradient = loss(weights)[1]
    for place in np.ndindex(4, 4):
        step = np.zeros((4, 4))
        step[place] = 1e-5
        slope = (loss(weights + step)[0] - loss(weights - step)[0]) / 2e-5
        assert gradient[place] == pytest.approx(slope, rel=1e-7, abs=1e-9)
