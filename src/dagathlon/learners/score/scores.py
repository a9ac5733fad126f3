"""Scores of DAGs: `score_graph` for one graph, `native_score` for searches."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

from dagathlon import _core
from dagathlon.data import Dataset, facts_of, read_data
from dagathlon.data.spec import DataKind
from dagathlon.errors import DataError, GraphError, listing, unknown
from dagathlon.graphs import Graph, as_graph
from dagathlon.graphs.checks import require_dag
from dagathlon.learners.run import make_ready
from dagathlon.learners.score.graph_priors import ArcTerms, arc_terms
from dagathlon.learners.score.score_kinds import (
    PRIOR_PARAMETERS,
    ScoreModule,
    ScoreParameters,
    known_scores,
    make_score,
    parameters_of,
    score_class,
)

_SHARED = tuple(field.name for field in fields(ScoreParameters))


@dataclass(frozen=True)
class GraphScore:
    """The score of a DAG and its term for each node with its parents."""

    by_node: Mapping[str, float]

    @property
    def total(self) -> float:
        """Total score: the sum of the terms."""
        return math.fsum(self.by_node.values()) if self._finite else -math.inf

    @property
    def _finite(self) -> bool:
        return all(math.isfinite(term) for term in self.by_node.values())

    def __float__(self) -> float:
        return self.total


def score_graph(data: Any, graph: Any, score: str | ScoreModule, **parameters: Any) -> GraphScore:
    """Score a DAG on data; larger is better.

    Parameters
    ----------
    data
        A `Dataset`, or anything `read_data` takes.
    graph
        A DAG over the columns of the data, in any order.
    score
        Name of the score, such as ``bic``, ``bde`` or ``bge``, with parameters of its own where it
        has some (``mine[weight=2]``), or the score itself; the error for an unknown name lists the
        scores that fit the data.
    **parameters
        Parameters of the score and of the prior over graphs; see `ScoreParameters`.

    Returns
    -------
    GraphScore
        ``.total``, the sum over the nodes, and ``.by_node``, the term of each node by its name.

    Examples
    --------
    >>> from dagathlon import Network
    >>> asia = Network.load("asia")
    >>> data = asia.sample(1000, seed=1)
    >>> round(score_graph(data, asia.graph, "bde", iss=10).by_node["smoke"], 3)
    -694.034
    """
    table = data if isinstance(data, Dataset) else read_data(data)
    dag = as_graph(graph)
    kind = fitting_score(score, table)
    known = [name for name in (*kind.parameters(), *PRIOR_PARAMETERS) if name in _SHARED]
    for name in parameters:
        if name not in known:
            raise DataError(unknown("parameter", name, known, f"score {kind.name}"))
    native = native_score(table, score, ScoreParameters(**parameters))
    terms = native.terms(_over_columns(dag, table).native)
    return GraphScore(dict(zip(table.names, terms, strict=True)))


def scores_for(kind: DataKind) -> list[str]:
    """Return the names of the scores for a kind of data, those for this kind alone first."""
    names = [name for name, score in known_scores().items() if kind in score.takes]
    return sorted(names, key=lambda name: len(known_scores()[name].takes))


def fitting_score(score: str | ScoreModule, data: Dataset) -> type[ScoreModule]:
    """Return the class of a score; raise a `DataError` if it does not fit the data."""
    kind = facts_of(data).kind or "mixed"
    fitting = scores_for(kind)
    score_type = type(score) if isinstance(score, ScoreModule) else _known(score, fitting)
    if kind not in score_type.takes:
        raise DataError(
            f"score {score_type.name} needs {kinds_in_words(score_type)} data, and these are "
            f"{kind}; scores for them: {listing(fitting)}"
        )
    return score_type


def kinds_in_words(score: type[ScoreModule]) -> str:
    """Name the kinds of data that a score takes, for a message."""
    return " or ".join(sorted(score.takes))


def native_score(
    data: Dataset, score: str | ScoreModule, parameters: ScoreParameters
) -> _core.Score:
    """Return the native score of a data set, as searches take it.

    Singular data have a documented value everywhere: see the page on score-based learners.
    """
    kind = fitting_score(score, data)
    make_ready(kind)
    if data.has_missing:
        raise DataError(
            f"score {kind.name} takes no missing values; impute them first or drop the rows"
        )
    least = 1 if data.is_discrete else kind.least_rows
    if len(data) < least:
        raise DataError(f"score {kind.name} needs at least {least} rows, found {len(data)}")
    module = score if isinstance(score, ScoreModule) else make_score(score, parameters)
    native = module.build(data)
    terms = prior_terms(data, module, parameters)
    return native if terms is None else terms.added_to(native)


def prior_terms(
    data: Dataset, score: str | ScoreModule, parameters: ScoreParameters
) -> ArcTerms | None:
    """Return the log prior over graphs and the arc penalties of a score; None without any."""
    module = score if isinstance(score, ScoreModule) else make_score(score, parameters)
    return arc_terms(data.names, module, parameters_of(module, parameters), len(data))


def _known(score: str, fitting: list[str]) -> type[ScoreModule]:
    try:
        return score_class(score)
    except DataError:
        raise DataError(unknown("score", score, fitting)) from None


def _over_columns(graph: Graph, data: Dataset) -> Graph:
    if set(graph.names) != set(data.names):
        missing = [name for name in data.names if name not in graph]
        extra = [name for name in graph.names if name not in data.index]
        raise GraphError(
            "the graph and the data have different variables: only in the data: "
            f"{listing(missing)}; only in the graph: {listing(extra)}"
        )
    require_dag(graph, "a score")
    return graph.subgraph(data.names)
