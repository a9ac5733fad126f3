"""Folders of small external modules."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import numpy as np

from dagathlon.data import Dataset, Variable
from dagathlon.external import ExternalLearner, load_folder
from dagathlon.learners.base import Estimate

MANIFEST = """\
name = "mine"
summary = "A module of the tests."
command = ["sh", "{folder}/learn.sh"]
gives = "undirected"
"""
EMPTY_GRAPH = "printf 'a,b\\n0,0\\n0,0\\n' > adjmat.csv\n"
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
