"""The index says what the sources define, and spares importing what nobody names."""

from __future__ import annotations

import dataclasses
import importlib.util
import json
import os
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

from dagathlon.modules import index as indexing
from dagathlon.modules import modules, registry

TOOL = Path(__file__).parents[2] / "tools" / "make_index.py"


@pytest.fixture(scope="module")
def tool() -> ModuleType:
    spec = importlib.util.spec_from_file_location("make_index", TOOL)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def modules_imported_by(code: str) -> list[str]:
    asking = f"{code}\nimport json, sys\nprint(json.dumps(sorted(sys.modules)))"
    env = os.environ | {"DAGATHLON_MODULES": ""}  # earlier tests may have loaded files of a user
    done = subprocess.run(
        [sys.executable, "-c", asking], capture_output=True, text=True, check=True, env=env
    )
    found: list[str] = json.loads(done.stdout.splitlines()[-1])
    return found


def test_the_index_is_that_of_the_sources(tool: ModuleType) -> None:
    assert json.loads(indexing.FILE.read_text(encoding="utf-8")) == tool.index()


def test_learning_by_name_imports_one_learner() -> None:
    found = modules_imported_by(
        "import numpy as np, dagathlon\n"
        "dagathlon.learn(np.random.default_rng(1).normal(size=(50, 3)), 'hc')"
    )
    own = [name for name in found if name.partition(".")[0] == "dagathlon"]
    assert len(own) <= 170
    assert "dagathlon.learners.score.hill_climbing" in own
    assert not [name for name in own if name.startswith("dagathlon.learners.constraint")]
    assert not {"pandas", "scipy", "polars"} & set(found)


def test_classes_of_learners_tests_and_scores_are_imported_from_one_place() -> None:
    found = modules_imported_by(
        "from dagathlon.learners import Bge, FisherZ, Pc\n"
        "assert (Bge.name, FisherZ.name, Pc.name) == ('bge', 'zf', 'pc')"
    )
    assert "dagathlon.learners.score.hill_climbing" not in found
    with pytest.raises(ImportError, match="PcX"):
        from dagathlon.learners import PcX  # noqa: F401
    names = set(dir(importlib.import_module("dagathlon.learners")))
    assert {"HillClimbing", "StructureLearner", "learn"} <= names


def test_a_worker_imports_no_learner_before_its_first_task() -> None:
    found = modules_imported_by("import dagathlon.study.engine.worker")
    rooms = {".".join(name.split(".")[:2]) for name in found if name.startswith("dagathlon.")}
    assert rooms.isdisjoint({f"dagathlon.{room}" for room in ("benchpress", "cli", "external")})
    assert "dagathlon.learners.score.hill_climbing" not in found
    assert len([name for name in found if name.startswith("dagathlon")]) <= 170


def test_help_imports_no_command() -> None:
    found = modules_imported_by(
        "import contextlib, io, dagathlon.cli\n"
        "with contextlib.suppress(SystemExit), contextlib.redirect_stdout(io.StringIO()) as out:\n"
        "    dagathlon.cli.main(['--help'])\n"
        "assert 'rank-without-truth' in out.getvalue()"
    )
    assert "numpy" not in found
    assert "dagathlon.cli.learn" not in found


def test_a_file_that_the_index_does_not_know_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """A learner that was just written works before the index is made again."""
    whole = indexing.index()
    places = dict(whole.modules["algorithm"])
    home = places.pop("hc")
    known = {name for name, place in places.items() if place == home}
    for name in known:
        del places[name]
    without = dataclasses.replace(
        whole, modules={**whole.modules, "algorithm": places}, sources=whole.sources - {home}
    )
    monkeypatch.setattr(registry, "index", lambda: without)
    monkeypatch.setattr(indexing, "index", lambda: without)
    modules.cache_clear()
    registry._others.cache_clear()
    try:
        assert modules("algorithm")["hc"].name == "hc"
        assert "hc" in list(modules("algorithm"))
    finally:
        modules.cache_clear()
        registry._others.cache_clear()


def test_former_names_are_understood_and_not_listed() -> None:
    former = indexing.index().former["algorithm"]
    for old, new in former.items():
        assert modules("algorithm")[old].name == new
        assert old in modules("algorithm")
        assert old not in list(modules("algorithm"))
