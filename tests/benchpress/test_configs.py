"""Every object of Benchpress's 16 shipped configs is read, and what they pair fits together."""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, cast

import pytest

from dagathlon.data.spec import DataFacts
from dagathlon.learners.base import Learner
from dagathlon.modules import Module, find
from dagathlon.simulate.base import DataGenerator, GraphGenerator, ParameterGenerator

KINDS = {
    "graph": "graph",
    "parameters": "parameters",
    "data": "data",
    "structure_learning_algorithms": "algorithm",
}
pytestmark = pytest.mark.shared


def configs(shared: Path) -> dict[str, Any]:
    files = sorted((shared / "benchpress" / "config").glob("*.json"))
    assert len(files) == 16
    return {file.name: json.loads(file.read_text()) for file in files}


def expansions(entry: dict[str, Any]) -> Iterator[dict[str, Any]]:
    lists = {key: value if isinstance(value, list) else [value] for key, value in entry.items()}
    for values in itertools.product(*lists.values()):
        yield dict(zip(lists, values, strict=True))


def settings(config: dict[str, Any], section: str) -> dict[str, list[Module]]:
    """All settings of a section by id."""
    found: dict[str, list[Module]] = {}
    for name, entries in config["resources"][section].items():
        for entry in entries:
            for values in expansions(entry):
                identity = values.pop("id")
                module = find(KINDS[section], name).from_json(values, name)  # type: ignore[arg-type]
                found.setdefault(identity, []).append(module)
    return found


def test_every_object_is_read_and_keeps_its_values(shared: Path):
    n = 0
    for config in configs(shared).values():
        for section, kind in KINDS.items():
            for name, entries in config["resources"][section].items():
                for entry in entries:
                    for values in expansions(entry):
                        del values["id"]
                        module = find(kind, name).from_json(values, name)  # type: ignore[arg-type]
                        written = module.to_json()
                        assert set(values) <= set(written)
                        assert type(module).from_json(json.loads(json.dumps(written))) == module
                        n += 1
    assert n > 500


def facts(config: dict[str, Any], entry: dict[str, Any]) -> Iterator[DataFacts]:
    graphs, parameters, data = (settings(config, s) for s in ("graph", "parameters", "data"))
    for model in parameters.get(entry["parameters_id"], []):
        generator = cast(ParameterGenerator, model)
        for graph in graphs.get(entry["graph_id"], []):
            assert cast(GraphGenerator, graph).gives == generator.needs
        for sample in data.get(entry["data_id"], []):
            assert cast(DataGenerator, sample).why_unsuitable(generator.gives) == ""
            yield cast(DataGenerator, sample).facts(generator.gives)
    if entry["data_id"] not in data:
        yield DataFacts("continuous", missing=False)  # the only data file they use: Sachs et al.


def test_what_the_configs_pair_fits_together(shared: Path):
    for name, config in configs(shared).items():
        algorithms = settings(config, "structure_learning_algorithms")
        for setup in config["benchmark_setup"]:
            evaluation = setup["evaluation"]
            ids = {
                *evaluation.get("benchmarks", {}).get("ids", []),
                *evaluation.get("graph_estimation", {}).get("ids", []),
            }
            for entry, identity in itertools.product(setup["data"], ids):
                for known, learner in itertools.product(facts(config, entry), algorithms[identity]):
                    assert cast(Learner, learner).why_unsuitable(known) == "", (name, identity)
