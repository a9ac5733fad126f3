"""`generator_problems`: the conformance suite of generators of graphs, models and data."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import Any, TypeAlias, cast

import numpy as np

from dagathlon.data import DataFacts, Dataset, LinearSem, Network, Table, facts_of
from dagathlon.errors import DagathlonError, UnavailableError, listing
from dagathlon.graphs import Graph
from dagathlon.modules import Kind, Module, find
from dagathlon.simulate.base import DataGenerator, GraphGenerator, ParameterGenerator
from dagathlon.testing.samples import NAMES

_Inputs: TypeAlias = tuple[Any, ...]
_EDGES = ((0, 1), (0, 2), (1, 3), (2, 3), (3, 4))


def generator_problems(
    kind: Kind,
    name: str,
    *,
    seconds: float = 60.0,
    on_check: Callable[[str], None] = lambda _: None,
) -> list[str]:
    """Return the problems of a graph, parameter or data generator; empty if it conforms.

    It must be fully documented, give the same result for the same random stream, and return
    what its section of a study promises: a graph of its kind, a model on the given graph, data
    over the model's variables.

    Parameters
    ----------
    kind
        graph, parameters or data.
    name
        Its name.
    seconds
        Time limit of a single draw.
    on_check
        Called with the name of each check, before any code of the generator runs.
    """
    on_check("its description")
    cls = find(kind, name)
    problems = list(description_problems(cls))
    try:
        module = cls.from_json({})
    except DagathlonError as error:
        return [*problems, f"its defaults are not valid: {error}"]
    on_check("that it can run here")
    if cls.unavailable:
        raise UnavailableError(f"{cls.name} cannot run here: {cls.unavailable}")
    cls.prepare()
    tried = 0
    for what, inputs, facts in _inputs(module):
        tried += 1
        on_check(what)
        problems += [f"{what}: {each}" for each in _drawn(module, inputs, facts, seconds)]
    return problems if tried else [*problems, "no kind of model suits its parameters"]


def description_problems(cls: type[Module]) -> Iterator[str]:
    """Yield what is missing from the documentation of a module."""
    if not cls.summary().endswith("."):
        yield "its documentation does not begin with a sentence"
    for parameter in cls.parameters().values():
        if not parameter.description:
            yield f"the parameter {parameter.name!r} is not documented"


def _inputs(module: Module) -> Iterator[tuple[str, _Inputs, DataFacts]]:
    """Yield inputs for a generator, with their properties."""
    if isinstance(module, GraphGenerator):
        yield "a graph", (), DataFacts()
    elif isinstance(module, ParameterGenerator):
        for what, graph in _graphs(undirected=module.needs == "undirected"):
            yield what, (graph,), module.gives
    elif isinstance(module, DataGenerator):
        for what, model, facts in _models():
            if not module.why_unsuitable(facts):
                yield what, (model,), module.facts(facts)


def _graphs(*, undirected: bool = False) -> Iterator[tuple[str, Graph]]:
    mark = "--" if undirected else "->"
    edges = [(NAMES[a], mark, NAMES[b]) for a, b in _EDGES]
    yield "a graph of five nodes", Graph.from_edges(edges, NAMES)
    yield "a graph without edges", Graph.from_edges([], NAMES)
    yield "a graph of one node", Graph.from_edges([], NAMES[:1])


def _models() -> Iterator[tuple[str, LinearSem | Network, DataFacts]]:
    for what, graph in _graphs():
        weights = 0.7 * np.asarray(graph.adjacency, dtype=np.float64)
        facts = DataFacts("continuous", binary=False, missing=False, n_columns=len(graph))
        sem = LinearSem(graph.names, weights, np.linspace(0.5, 1.5, len(graph)))
        yield f"a linear model on {what}", sem, facts
        discrete = replace(facts, kind="discrete", binary=True)
        yield f"a binary network on {what}", _binary(graph), discrete


def _binary(graph: Graph) -> Network:
    nodes = {}
    for j, name in enumerate(graph.names):
        parents = tuple(graph.names[i] for i in np.flatnonzero(graph.adjacency[:, j]))
        high = np.linspace(0.2, 0.8, 2 ** len(parents)).reshape((2,) * len(parents))
        nodes[name] = Table(("no", "yes"), parents, np.stack((1 - high, high), axis=-1))
    return Network(nodes)


def _drawn(module: Any, inputs: _Inputs, facts: DataFacts, seconds: float) -> Iterator[str]:
    begin = time.perf_counter()
    try:
        first, again = _sample(module, inputs), _sample(module, inputs)
    except Exception as error:
        yield f"it fails: {type(error).__name__}: {error}"
        return
    taken = (time.perf_counter() - begin) / 2
    if taken > seconds:
        yield f"a draw took {taken:.1f} s, more than {seconds:g} s"
    wrong = list(_CHECKS[module.kind](module, first, inputs, facts))
    yield from wrong
    if not wrong and not _same(first, again):
        yield "the same random stream gives another result"


def _sample(module: Any, inputs: _Inputs) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return module.sample(*inputs, np.random.Generator(np.random.Philox(key=1)))


def _graph_problems(module: Any, found: Any, inputs: _Inputs, facts: DataFacts) -> Iterator[str]:
    if not isinstance(found, Graph):
        yield f"it returned {type(found).__name__} in place of a Graph"
    elif not (found.is_dag if module.gives == "dag" else found.is_undirected):
        yield f"it gives {module.gives} graphs by its description, and this one is {found.kind}"


def _model_problems(module: Any, found: Any, inputs: _Inputs, facts: DataFacts) -> Iterator[str]:
    (graph,) = inputs
    if not callable(getattr(found, "sample", None)):
        yield f"it returned {type(found).__name__} in place of a model"
        return
    if sorted(found.names) != sorted(graph.names):
        yield f"its variables are not the graph's: {listing(found.names)}"
        return
    data = found.sample(5, np.random.default_rng(1))
    yield from _kind_problems(data, facts)


def _data_problems(module: Any, found: Any, inputs: _Inputs, facts: DataFacts) -> Iterator[str]:
    if not isinstance(found, Dataset):
        yield f"it returned {type(found).__name__} in place of a Dataset"
        return
    if facts.n_columns is not None and len(found.names) != facts.n_columns:
        yield f"the data have {len(found.names)} columns, {facts.n_columns} were expected"
    if facts.n_rows is not None and found.n_rows != facts.n_rows:
        yield f"the data have {found.n_rows} rows, {facts.n_rows} were expected"
    if facts.missing is False and found.has_missing:
        yield "the data have missing values, which its description does not say"
    yield from _kind_problems(found, facts)


def _kind_problems(data: Dataset, facts: DataFacts) -> Iterator[str]:
    kind = facts_of(data).kind
    if facts.kind is not None and kind != facts.kind:
        yield f"its data are {facts.kind} by its description, and these are {kind}"


_CHECKS: Mapping[str, Callable[[Any, Any, _Inputs, DataFacts], Iterator[str]]] = {
    "graph": _graph_problems,
    "parameters": _model_problems,
    "data": _data_problems,
}


def _same(one: Any, other: Any) -> bool:
    if isinstance(one, Graph):
        return bool(one == other)
    if isinstance(one, Dataset):
        return one.fingerprint == cast(Dataset, other).fingerprint
    rngs = np.random.default_rng(1), np.random.default_rng(1)
    return _same(one.sample(20, rngs[0]), other.sample(20, rngs[1]))
