"""gCastle's trained learners: gCastle itself runs, so that its results are gCastle's."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from dagathlon.data import Dataset, Variable
from dagathlon.errors import StudyError, UnavailableError
from dagathlon.external import servers
from dagathlon.graphs import Graph
from dagathlon.learners.base import Estimate
from dagathlon.modules import find
from strategies import stream

NAMES = ("a", "b", "c", "d")
# Benchpress's names and a few steps of each; the same in gCastle's own words.
CASES = {
    "gcastle_notears_nonlinear": ("NotearsNonlinear", {"max_iter": 2, "rho_max": 10.0}, {}),
    "gcastle_notears_nonlinear sob": (
        "NotearsNonlinear", {"max_iter": 2, "rho_max": 100.0, "model_type": "sob"}, {},
    ),
    "gcastle_grandag": (
        "GraNDAG", {"iterations": 30, "h_threshold": 1e-3}, {"input_dim": 4, "random_seed": None},
    ),
    "gcastle_mcsl": ("MCSL", {"max_iter": 2, "iter_step": 20}, {"random_seed": None}),
    "gcastle_gae": ("GAE", {"epochs": 2, "update_freq": 20}, {"seed": None}),
    "gcastle_rl": ("RL", {"nb_epoch": 2, "num_stacks": 1}, {"seed": None}),
    "gcastle_corl": ("CORL", {"iteration": 2, "embed_dim": 32}, {"random_seed": None}),
}  # fmt: skip
DIRECT = """
import json, random, sys
import numpy as np, torch
import castle.algorithms as found
X = np.array(json.load(open("data.json")))
results = {}
for case, (cls, values, seed) in json.load(open("cases.json")).items():
    torch.set_default_dtype(torch.float64)
    random.seed(seed), np.random.seed(seed), torch.manual_seed(seed)
    learner = getattr(found, cls)(**values)
    learner.learn(X)
    weights = getattr(learner, "weight_causal_matrix", None)
    weights = getattr(learner, "causal_matrix_weight", None) if weights is None else weights
    results[case] = [np.asarray(learner.causal_matrix).tolist(),
                     None if weights is None else np.asarray(weights).tolist()]
json.dump(results, open("results.json", "w"))
"""


def data() -> Dataset:
    rng = np.random.default_rng(5)
    values = rng.normal(size=(80, 4))
    values[:, 1] += 2 * np.sin(2 * values[:, 0])
    values[:, 2] += values[:, 1] ** 2
    values[:, 3] += values[:, 2]
    return Dataset([Variable(name) for name in NAMES], values=values)


def learned(case: str, key: int) -> Estimate:
    learner: Any = find("algorithm", case.partition(" ")[0]).from_json(CASES[case][1])
    found: Estimate = learner.learn(data(), stream(key))
    return found


@pytest.fixture(scope="module")
def direct(tmp_path_factory) -> dict[str, list[list[list[float]]]]:
    """What gCastle gives when it is called directly, in the same environment."""
    cls: Any = find("algorithm", "gcastle_gae")
    if cls.unavailable:
        pytest.skip(cls.unavailable)
    try:
        cls.prepare()
    except UnavailableError as error:
        pytest.skip(str(error))
    folder = tmp_path_factory.mktemp("direct")
    seed = int(stream(1).integers(1, 2**31 - 1))
    cases = {
        case: (name, {**values, **{k: seed if v is None else v for k, v in own.items()}}, seed)
        for case, (name, values, own) in CASES.items()
    }
    (folder / "cases.json").write_text(json.dumps(cases))
    (folder / "data.json").write_text(json.dumps(data().values.tolist()))
    environment = cls.manifest.environment
    command = environment.command(["{python}", "-c", DIRECT], {}, Path())
    variables = environment.variables()
    done = subprocess.run(command, cwd=folder, env=variables, capture_output=True, check=False)
    assert done.returncode == 0, done.stderr.decode()[-2000:]
    found: dict[str, list[list[list[float]]]] = json.loads((folder / "results.json").read_text())
    return found


@pytest.mark.slow
def test_results_are_those_of_gcastle(direct):
    try:
        # Backwards: what one learner does to torch must not reach the next.
        for case in reversed(CASES):
            found = learned(case, 1)
            matrix, weights = direct[case]
            assert found.graph == Graph.from_adjacency(NAMES, matrix), case
            assert (found.weights is None) == (weights is None)
            if weights is not None:
                assert np.array_equal(found.weights, weights), case
            assert found.stats["gcastle"] == "1.0.4"
        assert len(servers.server_processes()) == 1
        first, other = learned("gcastle_gae", 1).weights, learned("gcastle_gae", 2).weights
        assert np.array_equal(first, direct["gcastle_gae"][1])
        assert not np.array_equal(first, other)
    finally:
        servers.close_servers()


def test_original_is_named_and_missing_uv_is_explained(monkeypatch):
    from dagathlon.external import uv

    monkeypatch.setattr(uv, "find_uv", lambda: None)
    for case in CASES:
        cls = find("algorithm", case.partition(" ")[0])
        assert cls.implementation == "gCastle 1.0.4"
        assert cls.unavailable == "needs uv (pip install 'dagathlon[external]')"
        with pytest.raises(StudyError, match="cannot honour edge constraints"):
            cls.from_json({"edgeConstraints": "x.json"})


def test_every_dependency_of_the_environment_is_pinned():
    from dagathlon.external.uv import dependencies

    cls: Any = find("algorithm", "gcastle_gae")
    packages = dependencies(cls.manifest.folder / "learn.py").split(", ")
    assert {"gcastle==1.0.4", "torch==2.15.0", "numpy==2.4.6"} <= set(packages)
    assert [package for package in packages if "==" not in package] == []
