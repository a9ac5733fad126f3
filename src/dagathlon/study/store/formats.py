"""Conversion of the storable types to JSON and arrays, and back."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import astuple, dataclass
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from dagathlon.data.dataset import Dataset
from dagathlon.data.models.distributions import Distribution, Gaussian, Table
from dagathlon.data.models.multivariate_normal import MultivariateNormal
from dagathlon.data.models.network import About, Network
from dagathlon.data.models.sem import LinearSem
from dagathlon.data.variable import Variable
from dagathlon.graphs import Graph
from dagathlon.graphs.graph import EdgeArrays
from dagathlon.graphs.measurement import MeasurementModel
from dagathlon.graphs.measurement_files import from_json, to_json
from dagathlon.graphs.path import GraphPath
from dagathlon.learners.base import Estimate
from dagathlon.posteriors.parts import from_parts, old_chain, to_parts
from dagathlon.posteriors.posterior import Posterior

Arrays: TypeAlias = Mapping[str, npt.NDArray[Any]]


class Parts(NamedTuple):
    """An object as JSON metadata and named arrays."""

    meta: Any
    arrays: Arrays


@dataclass(frozen=True)
class StoredForm:
    """The stored form of one type.

    Parameters
    ----------
    type
        The exact type.
    take_apart, put_together
        Conversion to `Parts` and back.
    raw
        Whether it is stored uncompressed, for memory mapping.
    """

    type: type
    take_apart: Callable[[Any], Parts]
    put_together: Callable[[Parts], Any]
    raw: bool = False


# Beyond this the edges of a graph are stored, and no matrix of marks: of few edges they are quicker
# to read than to unpack, and of many not much larger.
_MOST_IN_MATRIX = 1000


def _graph_parts(graph: Graph) -> Parts:
    return Parts(graph.names, _graph_arrays(graph))


def _graph(parts: Parts) -> Graph:
    return _graph_of(parts.meta, parts.arrays)


def _graph_arrays(graph: Graph) -> dict[str, npt.NDArray[Any]]:
    if len(graph) <= _MOST_IN_MATRIX:
        return {"marks": graph.marks}
    pairs, ends = graph.edge_arrays()
    return {"edges": pairs.astype(np.uint32), "ends": ends}


def _graph_of(names: list[str], arrays: Arrays) -> Graph:
    if "edges" not in arrays:  # a small graph, or one that was stored before there were others
        return Graph(names, arrays["marks"])
    return Graph.from_edge_arrays(names, EdgeArrays(arrays["edges"], arrays["ends"]))


def _estimate_parts(estimate: Estimate) -> Parts:
    stats = {name: _plain(value) for name, value in estimate.stats.items()}
    arrays = _graph_arrays(estimate.graph)
    about = None
    if estimate.posterior is not None:
        about, posterior_parts = to_parts(estimate.posterior)
        arrays |= {f"posterior.{name}": array for name, array in posterior_parts.items()}
    meta: list[Any] = [estimate.graph.names, stats, about]
    further = _further_parts(estimate, arrays)
    if estimate.notes or further:
        meta.append(list(estimate.notes))
    return Parts([*meta, further] if further else meta, arrays)


def _further_parts(estimate: Estimate, arrays: dict[str, npt.NDArray[Any]]) -> dict[str, Any]:
    """Return metadata of optional parts of an estimate; their arrays are added to `arrays`."""
    further: dict[str, Any] = {}
    for name in ("precision", "weights"):
        if (matrix := getattr(estimate, name)) is not None:
            arrays[name] = matrix
    if estimate.path is not None:
        path = estimate.path
        arrays |= {"path.penalties": path.penalties, "path.bits": path.bits}
        further["path"] = [path.names, path.chosen]
    if estimate.measurement is not None:
        further["measurement"] = to_json(estimate.measurement)
    return further


def _plain(value: Any) -> Any:
    return value.item() if isinstance(value, np.generic) else value


def _estimate(parts: Parts) -> Estimate:
    names, stats, about, *rest = parts.meta
    notes = rest[0] if rest else ()  # results of old have none, and nothing further
    further = rest[1] if len(rest) > 1 else {}
    graph = _graph_of(names, parts.arrays)
    return Estimate(
        graph,
        dict(stats),
        _posterior(names, about, parts),
        tuple(map(str, notes)),
        _matrix("precision", parts, len(graph)),
        _path(further, parts),
        _measurement(further),
        _matrix("weights", parts, len(graph)),
    )


def _measurement(further: Mapping[str, Any]) -> MeasurementModel | None:
    return from_json(further["measurement"]) if "measurement" in further else None


def _matrix(name: str, parts: Parts, nodes: int) -> npt.NDArray[np.float64] | None:
    array = parts.arrays.get(name)
    if array is not None and (array.shape != (nodes, nodes) or array.dtype != np.float64):
        raise ValueError(f"its {name} matrix does not fit its graph")
    return array


def _path(further: Mapping[str, Any], parts: Parts) -> GraphPath | None:
    if "path" not in further:
        return None
    names, chosen = further["path"]
    penalties, bits = parts.arrays["path.penalties"], parts.arrays["path.bits"]
    return GraphPath.from_bits(names, penalties, bits, chosen)


def _posterior(names: list[str], about: Any, parts: Parts) -> Posterior | None:
    if about is None:
        return None
    if isinstance(about, bool):  # whether a chain is directed: all that stood here before
        return old_chain(names, about, parts.arrays)
    prefix = "posterior."
    arrays = {k.removeprefix(prefix): a for k, a in parts.arrays.items() if k.startswith(prefix)}
    return from_parts(about, arrays)


def _dataset_parts(data: Dataset) -> Parts:
    variables = [variable.parts for variable in data.variables]
    arrays: dict[str, npt.NDArray[Any]] = {"codes": data.codes, "values": data.values}
    targets = None
    if data.regimes is not None:
        targets = [sorted(target) for target in data.regimes.targets]
        arrays["regime"] = data.regimes.rows
    return Parts([variables, targets], arrays)


def _dataset(parts: Parts) -> Dataset:
    described, targets = parts.meta
    variables = tuple(
        Variable(name, None if levels is None else tuple(levels), *ordered)
        for name, levels, *ordered in described
    )
    regimes = None if targets is None else (targets, parts.arrays["regime"])
    # Its checks look at all values once more: native code trusts a data set, and the file may be
    # a stranger's. Arrays that fit stay where they are, mapped from the file.
    return Dataset(variables, parts.arrays["codes"], parts.arrays["values"], regimes)


def _network_parts(network: Network) -> Parts:
    nodes: list[list[Any]] = []
    arrays: dict[str, npt.NDArray[Any]] = {}
    for i, (name, given) in enumerate(network.distributions.items()):
        if isinstance(given, Table):
            nodes.append([name, given.parents, given.levels])
            arrays[f"{i}"] = given.probabilities
        else:
            nodes.append([name, given.discrete_parents, None, given.continuous_parents])
            arrays |= {f"{i}i": given.intercept, f"{i}c": given.coefficients, f"{i}s": given.sd}
    return Parts([nodes, astuple(network.about)], arrays)


def _network(parts: Parts) -> Network:
    nodes, about = parts.meta
    arrays = parts.arrays
    distributions: dict[str, Distribution] = {}
    for i, (name, parents, levels, *continuous) in enumerate(nodes):
        if levels is not None:
            distributions[name] = Table(tuple(levels), tuple(parents), arrays[f"{i}"])
        else:
            numbers = (arrays[f"{i}i"], arrays[f"{i}c"], arrays[f"{i}s"])
            distributions[name] = Gaussian(tuple(continuous[0]), *numbers, tuple(parents))
    return Network(distributions, about=About(*about))


def _sem_parts(sem: LinearSem) -> Parts:
    return Parts(sem.names, {"weights": sem.weights, "variances": sem.variances})


def _sem(parts: Parts) -> LinearSem:
    return LinearSem(parts.meta, parts.arrays["weights"], parts.arrays["variances"])


def _normal_parts(normal: MultivariateNormal) -> Parts:
    return Parts(normal.names, {"covariance": normal.covariance()})


def _normal(parts: Parts) -> MultivariateNormal:
    return MultivariateNormal(parts.meta, parts.arrays["covariance"])


def _json_parts(value: Any) -> Parts:
    return Parts(value, {})


def _json(parts: Parts) -> Any:
    return parts.meta


FORMATS: Mapping[str, StoredForm] = {
    "graph": StoredForm(Graph, _graph_parts, _graph),
    "estimate": StoredForm(Estimate, _estimate_parts, _estimate),
    "dataset": StoredForm(Dataset, _dataset_parts, _dataset, raw=True),
    "network": StoredForm(Network, _network_parts, _network),
    "linear_sem": StoredForm(LinearSem, _sem_parts, _sem),
    "multivariate_normal": StoredForm(MultivariateNormal, _normal_parts, _normal),
    "row": StoredForm(dict, _json_parts, _json),
    "rows": StoredForm(list, _json_parts, _json),
}
"""Stored forms by name; names are in stored results and are never reused."""
