"""The graphs and parameters of Benchpress's 16 configs are drawn; every model can be stored."""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, cast

import pytest
from graph_draws import stream

from dagathlon.data import LinearSem, Network, read_sem
from dagathlon.graphs import Graph, read_graph
from dagathlon.modules import Kind, Module, find, modules
from dagathlon.simulate.base import GraphGenerator, ParameterGenerator
from dagathlon.study.engine.fixed import READERS
from dagathlon.study.plan.task import TaskKind
from dagathlon.study.store.codec import decode, encode

UNDIRECTED = "band"
DAG = "erdos_renyi"


def graph_for(generator: ParameterGenerator) -> Any:
    name = DAG if generator.needs == "dag" else UNDIRECTED
    return cast(GraphGenerator, find("graph", name).from_json({"nodes": 12})).sample(stream())


def restored(value: Any) -> Any:
    return decode(b"".join(bytes(piece) for piece in encode(value)))


@pytest.mark.parametrize("name", list(modules("graph")))
def test_every_graph_module_draws_with_its_defaults(name: str):
    generator = cast(GraphGenerator, find("graph", name).from_json({}))
    assert generator.unavailable == ""
    graph = generator.sample(stream())
    assert graph.is_dag if generator.gives == "dag" else graph.is_undirected
    assert graph == generator.sample(stream())
    assert restored(graph) == graph


@pytest.mark.parametrize("name", list(modules("parameters")))
def test_every_parameter_module_draws_and_its_models_can_be_stored(name: str):
    generator = cast(ParameterGenerator, find("parameters", name).from_json({}))
    assert generator.unavailable == ""
    model = generator.sample(graph_for(generator), stream())
    data = model.sample(20, stream(2))
    assert data.n_rows == 20
    assert data.is_discrete == (generator.gives.kind == "discrete")
    assert restored(model).sample(20, stream(2)) == data


def settings(config: dict[str, Any], section: Kind) -> Iterator[tuple[str, Module]]:
    for name, entries in config["resources"].get(section, {}).items():
        for entry in entries:
            values = {k: v if isinstance(v, list) else [v] for k, v in entry.items() if k != "id"}
            for chosen in itertools.product(*values.values()):
                module = find(section, name).from_json(dict(zip(values, chosen, strict=True)), name)
                yield entry["id"], module


def configs(shared: Path) -> list[dict[str, Any]]:
    files = sorted((shared / "benchpress" / "config").glob("*.json"))
    assert len(files) == 16
    return [json.loads(file.read_text()) for file in files]


@pytest.mark.shared
def test_all_graph_and_parameter_objects_of_the_configs_draw(shared: Path):
    graphs = models = 0
    for config in configs(shared):
        for _, module in settings(config, "graph"):
            generator = cast(GraphGenerator, module)
            graph = generator.sample(stream())
            assert graph.is_dag if generator.gives == "dag" else graph.is_undirected
            graphs += 1
        for _, module in settings(config, "parameters"):
            parameters = cast(ParameterGenerator, module)
            model = parameters.sample(graph_for(parameters), stream())
            assert model.sample(5, stream()).n_rows == 5
            models += 1
    assert (graphs, models) == (18, 18)


def graphs_of(config: dict[str, Any], identity: str, shared: Path) -> Iterator[Graph]:
    file = shared / "benchpress" / "resources" / "adjmat" / "myadjmats" / identity
    if file.is_file():
        yield READERS[TaskKind.GRAPH](str(file))
    for found, module in settings(config, "graph"):
        if found == identity:
            yield cast(GraphGenerator, module).sample(stream())


@pytest.mark.shared
def test_what_the_configs_pair_is_drawn(shared: Path):
    drawn = 0
    for config in configs(shared):
        for entry in (entry for setup in config["benchmark_setup"] for entry in setup["data"]):
            for graph in graphs_of(config, entry["graph_id"] or "", shared):
                for found, module in settings(config, "parameters"):
                    if found == entry["parameters_id"]:
                        model = cast(ParameterGenerator, module).sample(graph, stream())
                        assert model.sample(5, stream()).names == graph.names
                        drawn += 1
    assert drawn >= 15


@pytest.mark.shared
def test_fixed_parameters_are_read(shared: Path):
    folder = shared / "benchpress" / "resources"
    weights = folder / "parameters" / "myparams" / "sem_params" / "jackparams.csv"
    model = READERS[TaskKind.PARAMETERS](str(weights))
    assert isinstance(model, LinearSem)
    assert model.graph == read_graph(folder / "adjmat" / "myadjmats" / "jackdag.csv")
    assert restored(model).sample(3, stream()) == read_sem(weights).sample(3, stream())
    asia = READERS[TaskKind.PARAMETERS](
        str(folder / "parameters/myparams/bn.fit_networks/asia.rds")
    )
    assert isinstance(asia, Network)
    assert asia.graph == read_graph(folder / "adjmat" / "myadjmats" / "asia.csv")
