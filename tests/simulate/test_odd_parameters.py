"""Whatever parameters a study gives: a graph or model comes out, or a message that says why not."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, cast

import pytest
from graph_draws import stream
from hypothesis import given, settings
from hypothesis import strategies as st

from dagathlon.errors import DagathlonError, GraphError
from dagathlon.graphs import Graph
from dagathlon.modules import Kind, Module, find, modules
from dagathlon.modules.module import Parameter
from dagathlon.simulate import pairs
from dagathlon.simulate.base import GraphGenerator, ParameterGenerator

ODD = [0, 1, 2, 3, 7, -1, 0.5, 0.3, 2.5, 12.0, 1e300, "inf", "nan", None, True, "er", [], {}]


def values(parameters: dict[str, Parameter]) -> st.SearchStrategy[dict[str, Any]]:
    """Some parameters with odd values, sizes small enough to be drawn."""
    choices = {}
    for name, parameter in parameters.items():
        allowed = parameter.type.schema.get("enum", [])
        choices[name] = st.sampled_from([*ODD, *allowed, *allowed])
    return st.fixed_dictionaries({}, optional=choices)


def ours(kind: Kind) -> list[str]:
    """Modules of the package; other tests in this process may have declared further ones."""
    return [name for name, cls in modules(kind).items() if cls.__module__.startswith("dagathlon.")]


def made(kind: Kind, name: str, data: st.DataObject) -> Module | None:
    cls = find(kind, name)
    try:
        return cls.from_json(data.draw(values(dict(cls.parameters()))), name)
    except DagathlonError as error:
        messages = getattr(error, "problems", ()) or (str(error),)
    assert all(message.startswith(name) for message in messages)
    return None


@pytest.fixture(scope="module", autouse=True)
def few_draws() -> Iterator[None]:
    """Give up early on limits that cannot be met."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pairs, "MAX_DRAWS", 20)
        yield


@pytest.mark.parametrize("name", ours("graph"))
@given(data=st.data())
@settings(max_examples=40)
def test_graph_modules(name: str, data: st.DataObject):
    generator = cast(GraphGenerator | None, made("graph", name, data))
    if generator is None:
        return
    message = "max_parents"
    try:
        graph = generator.sample(stream())
        assert graph.is_dag if generator.gives == "dag" else graph.is_undirected
    except GraphError as error:
        message = str(error)
    assert "max_parents" in message or "draws of degrees" in message


@pytest.mark.parametrize("name", ours("parameters"))
@given(data=st.data())
@settings(max_examples=30)
def test_parameter_modules(name: str, data: st.DataObject):
    generator = cast(ParameterGenerator | None, made("parameters", name, data))
    if generator is None:
        return
    link = "->" if generator.needs == "dag" else "-"
    graph = Graph.from_edges([f"a {link} b", f"a {link} c", f"b {link} c", f"c {link} d"])
    assert generator.sample(graph, stream()).sample(3, stream()).names == graph.names
