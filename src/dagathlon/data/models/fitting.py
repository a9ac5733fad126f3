"""Parameters of a network estimated from data on a given graph."""

from __future__ import annotations

import math
from typing import Any, Literal, TypeAlias, get_args

import numpy as np
import numpy.typing as npt

from dagathlon.data.dataset import Dataset
from dagathlon.data.models.distributions import Distribution, FloatArray, Gaussian, Table
from dagathlon.data.models.network import About, Network
from dagathlon.data.reading.files import read_data
from dagathlon.errors import DataError, GraphError, listing, unknown
from dagathlon.graphs import Graph, as_graph, extension, meek
from dagathlon.graphs.marks import Mark

Method: TypeAlias = Literal["bayes", "mle"]
DEFAULT_PRIOR = 1.0

_MOST_CELLS = 1_000_000
# A residual deviation below this share of the column's own is rounding: there is no noise.
_LEAST_DEVIATION = 1e-9


def fit(
    data: Any,
    graph: Any,
    *,
    method: Method = "bayes",
    prior: float = DEFAULT_PRIOR,
    about: About | None = None,
) -> Network:
    """Estimate the parameters of a network on a graph.

    A discrete node gets a table of probabilities. A continuous one gets the least-squares
    regression on its continuous parents, one for each configuration of its discrete parents
    (conditional Gaussian); a configuration with too few rows takes the slopes and the
    deviation of all rows together. The square of a deviation is the residual sum of squares divided
    by the number of rows n (maximum likelihood). The scores ``bic-g``, ``aic-g`` and ``loglik-g``
    divide by n - k - 1 for k parents, as bnlearn does, so that their likelihood is not that of the
    fitted network. A row counts for a node when the node and its parents are known
    there and the node was not intervened on.

    Parameters
    ----------
    data
        A `Dataset`, or anything `read_data` takes, with a column for each node; further columns are
        left out.
    graph
        A DAG, or anything `as_graph` takes. Of a CPDAG or another graph of directed and undirected
        edges one DAG that extends it is taken (all DAGs of a class fit equally well); PAGs and
        undirected graphs that are not chordal are refused.
    method
        ``"bayes"``: probabilities are posterior means under a uniform prior (BDeu), so that none
        is 0. ``"mle"``: relative frequencies; a configuration of the parents that was never seen
        has equal probabilities. For continuous nodes both are least squares.
    prior
        Imaginary rows of the prior of ``"bayes"``, spread evenly over the cells of each table.
    about
        Name, origin, licence and reference of the network.

    Examples
    --------
    >>> data = Network.load("asia").sample(1000, seed=1)
    >>> fit(data, Network.load("asia").graph)
    Network(discrete, 8 nodes, 8 arcs, 18 parameters)
    """
    if method not in get_args(Method):
        raise DataError(unknown("method", method, get_args(Method)))
    if not (math.isfinite(prior) and prior > 0):
        raise DataError(f"prior: found {prior:g}, expected a number of imaginary rows above 0")
    table = data if isinstance(data, Dataset) else read_data(data)
    as_given = as_graph(graph)
    table = table.select(_columns(as_given, table))
    dag = chosen_dag(as_given, table)
    rows = 0.0 if method == "mle" else prior
    return Network({name: _node(name, dag, table, rows) for name in dag.names}, about=about)


def chosen_dag(graph: Graph, data: Dataset) -> Graph:
    """Return the DAG whose parameters are estimated: the graph, or a consistent extension of it.

    An undirected edge between a discrete and a continuous node is directed from the discrete to
    the continuous one, since a table has no continuous parents.
    """
    if graph.is_dag:
        return graph
    _refuse_no_dag(graph)
    for edge in graph.edges():
        discrete = [data.variables[data.position(n)].is_discrete for n in (edge.left, edge.right)]
        if edge.right in graph.neighbours(edge.left) and discrete[0] != discrete[1]:
            pair = (edge.left, edge.right) if discrete[0] else (edge.right, edge.left)
            graph = meek(graph, required=[pair])
    return extension(graph)


def _refuse_no_dag(graph: Graph) -> None:
    """Refuse graphs that represent no DAG over their own nodes (bidirected or circle edges)."""
    reason = "learn a DAG or CPDAG, for example with hc, boss or pc"
    if graph.is_undirected and not graph.is_chordal:
        raise GraphError(
            "a network needs directions, and no DAG is equivalent to this undirected graph, which "
            f"is not chordal; {reason}"
        )
    marks = graph.marks
    both = (marks == Mark.ARROW) & (marks.T == Mark.ARROW)
    if (marks == Mark.CIRCLE).any() or both.any():
        raise GraphError(
            "a network needs a DAG, and this graph has circles or two-headed edges: it represents "
            f"models with hidden variables, whose distribution its nodes do not determine; {reason}"
        )


def _columns(graph: Graph, data: Dataset) -> list[str]:
    absent = [name for name in graph.names if name not in data.index]
    if len(absent) == 1:
        raise DataError(unknown("variable", absent[0], data.names, "the graph"))
    if absent:
        raise DataError(f"the graph has nodes that are no columns of the data: {listing(absent)}")
    return list(graph.names)


def _node(name: str, dag: Graph, data: Dataset, prior: float) -> Distribution:
    parents = tuple(sorted(dag.parents(name)))
    kinds = {parent: data.variables[data.position(parent)].is_discrete for parent in parents}
    rows = _rows(name, parents, data)
    if not data.variables[data.position(name)].is_discrete:
        discrete = tuple(parent for parent in parents if kinds[parent])
        continuous = tuple(parent for parent in parents if not kinds[parent])
        return _regressions(name, discrete, continuous, data, rows)
    for parent in parents:
        if not kinds[parent]:
            raise DataError(
                f"node {name!r} is discrete and has the continuous parent {parent!r}, for which "
                "there is no table of probabilities; turn the arc, or discretise the parent"
            )
    return _table(name, parents, data, rows, prior)


def _rows(name: str, parents: tuple[str, ...], data: Dataset) -> npt.NDArray[np.intp]:
    """Return the rows with the family complete and the variable not intervened on."""
    usable = np.ones(len(data), dtype=bool)
    places = [data.position(n) for n in (name, *parents)]
    if data.missing is not None:
        usable &= ~data.missing[:, places].any(axis=1)
    if data.intervened is not None:
        usable &= ~data.intervened[:, places[0]]
    return np.flatnonzero(usable)


def _shape(names: tuple[str, ...], child: str, data: Dataset) -> tuple[int, ...]:
    shape = tuple(data.variables[data.position(name)].arity for name in names)
    if math.prod(shape) > _MOST_CELLS:
        raise DataError(
            f"the table of {child!r} would have {math.prod(shape):,} cells, allowed are "
            f"{_MOST_CELLS:,}; learn a graph with fewer parents (max_parents)"
        )
    return shape


def _configurations(
    names: tuple[str, ...], shape: tuple[int, ...], data: Dataset, rows: npt.NDArray[np.intp]
) -> npt.NDArray[np.intp]:
    """Return the index of each row's configuration, the last variable varying fastest."""
    if not names:
        return np.zeros(len(rows), dtype=np.intp)
    return np.ravel_multi_index(
        tuple(data.column(name)[rows].astype(np.intp) for name in names), shape
    )


def _table(
    name: str, parents: tuple[str, ...], data: Dataset, rows: npt.NDArray[np.intp], prior: float
) -> Table:
    shape = _shape((*parents, name), name, data)
    places = _configurations((*parents, name), shape, data, rows)
    counts = np.bincount(places, minlength=math.prod(shape))
    levels = data.variables[data.position(name)].levels or ()
    return Table(levels, parents, table_of(counts.reshape(shape), prior))


def table_of(counts: npt.NDArray[Any], prior: float) -> FloatArray:
    """Return probabilities from counts, with `prior` pseudo-counts spread evenly over the cells."""
    cells = counts + prior / counts.size
    totals = cells.sum(axis=-1, keepdims=True)
    # A configuration without rows has equal probabilities.
    even = np.full_like(cells, 1.0 / counts.shape[-1], dtype=np.float64)
    shares: FloatArray = np.divide(cells, totals, out=even, where=totals > 0)
    return shares


def _regressions(
    name: str,
    discrete: tuple[str, ...],
    continuous: tuple[str, ...],
    data: Dataset,
    rows: npt.NDArray[np.intp],
) -> Gaussian:
    if not len(rows):
        raise DataError(
            f"variable {name!r} has no row to estimate from: in each, it or a parent is missing or "
            "it was intervened on"
        )
    shape = _shape(discrete, name, data)
    value = data.column(name)[rows].astype(np.float64)
    given = np.column_stack([np.ones(len(rows)), *(data.column(n)[rows] for n in continuous)])
    common, deviation = _least_squares(given, value)
    parameters = np.tile(np.append(common, deviation), (math.prod(shape), 1))
    places = _configurations(discrete, shape, data, rows)
    for place in np.unique(places) if discrete else ():
        chosen = places == place
        # Slopes and a deviation need a row more than there are coefficients.
        if np.count_nonzero(chosen) > given.shape[1]:
            parameters[place, :-1], parameters[place, -1] = _least_squares(
                given[chosen], value[chosen]
            )
        else:
            parameters[place, 0] += float(np.mean(value[chosen] - given[chosen] @ common))
    wide = parameters.reshape(*shape, -1)
    return Gaussian(continuous, wide[..., 0], wide[..., 1:-1], wide[..., -1], discrete)


def _least_squares(given: FloatArray, value: FloatArray) -> tuple[FloatArray, float]:
    """Return coefficients and residual deviation, which is set to 0 if it is rounding error."""
    coefficients: FloatArray = np.linalg.lstsq(given, value, rcond=None)[0].astype(np.float64)
    deviation = float(np.sqrt(np.mean((value - given @ coefficients) ** 2)))
    scale = max(float(np.std(value)), float(np.abs(value).max()), 1e-300)
    return coefficients, 0.0 if deviation <= _LEAST_DEVIATION * scale else deviation
