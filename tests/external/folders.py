"""Folders of small external modules."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import numpy as np

from dagathlon.data import Dataset, Variable
from dagathlon.external import ExternalLearner, load_folder
from dagathlon.learners.base import Estimate
from dagathlon.study.plan.task import Outcome, TaskKind
from dagathlon.study.store.store import Store
from dagathlon.workflow import Study

MANIFEST = """\
name = "mine"
summary = "A module of the tests."
command = ["sh", "{folder}/learn.sh"]
gives = "undirected"
"""
EMPTY_GRAPH = "printf 'a,b\\n0,0\\n0,0\\n' > adjmat.csv\n"
DATA = "a,b\n" + "".join(f"{i / 7},{(i * i) % 11 / 3}\n" for i in range(20))
R_MISSING = "" if shutil.which("Rscript") else "there is no R here"


def write(folder: Path, script: str = EMPTY_GRAPH, manifest: str = MANIFEST) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "module.toml").write_text(manifest)
    (folder / "learn.sh").write_text(script)
    return folder


def module(folder: Path, script: str = EMPTY_GRAPH, **keys: str) -> type[ExternalLearner]:
    """A module with another script or with other keys of the manifest, given as TOML."""
    lines = [line for line in MANIFEST.splitlines() if line.split(" = ")[0] not in keys]
    added = [f"{key} = {value}" for key, value in keys.items()]
    return load_folder(write(folder, script, "\n".join([*lines, *added])))


def data(kind: str = "continuous", n: int = 30, p: int = 2) -> Dataset:
    values = np.random.default_rng(3).normal(size=(n, p))
    names = "abcdef"[:p]
    if kind == "discrete":
        variables = [Variable(name, ("0", "1")) for name in names]
        return Dataset(variables, codes=(values > 0).astype(int))
    return Dataset([Variable(name) for name in names], values=values)


def learned(cls: type[ExternalLearner], given: Dataset | None = None, **values: Any) -> Estimate:
    rng = np.random.Generator(np.random.Philox(key=1))
    return cls.from_json(values).learn(given or data(), rng)


def study(folder: Path, script: str, setup: str = "", manifest: str = MANIFEST) -> Path:
    """A study with one external module beside it."""
    write(folder / "mine", script, manifest)
    (folder / "data.csv").write_text(DATA)
    content = {
        "modules": ["mine"],
        "benchmark_setup": [
            {
                "title": "t",
                "data": [{"graph_id": None, "parameters_id": None, "data_id": "data.csv"}],
                "evaluation": {"graph_estimation": {"ids": ["it", "corr"], "csvs": True}},
                **json.loads(setup or "{}"),
            }
        ],
        "resources": {
            "structure_learning_algorithms": {
                "mine": [{"id": "it"}],
                "corr_thresh": [{"id": "corr"}],
            }
        },
    }
    path = folder / "study.json"
    path.write_text(json.dumps(content))
    return path


def outcome(path: Path, out: Path) -> Outcome:
    """Run the study and tell how the external module ended."""
    loaded = Study.load(path)
    loaded.run(out, jobs=1)
    (task,) = [
        t for t in loaded.plan.tasks if (t.call.kind, t.call.module) == (TaskKind.LEARN, "mine")
    ]
    with Store(out / "store", readonly=True) as store:
        entry = store.get(task.key)
    assert entry is not None
    return entry.outcome
