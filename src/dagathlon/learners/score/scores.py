"""Scores of DAGs: `score_graph` for one graph, `native_score` for searches."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from dagathlon import _core
from dagathlon.data import Dataset, facts_of, read_data
from dagathlon.data.facts import DataKind
from dagathlon.errors import DataError, GraphError, listing, unknown
from dagathlon.graphs import Graph, as_graph
from dagathlon.graphs.checks import require_dag
from dagathlon.learners.score.graph_priors import ArcTerms, arc_terms
from dagathlon.learners.score.score_kinds import SCORES, ScoreKind, ScoreParameters


@dataclass(frozen=True)
class GraphScore:
    """The score of a DAG and its term for each node with its parents."""

    by_node: Mapping[str, float]

    @property
    def total(self) -> float:
        """The score: the sum of the terms."""
        return math.fsum(self.by_node.values()) if self._finite else -math.inf

    @property
    def _finite(self) -> bool:
        return all(math.isfinite(term) for term in self.by_node.values())

    def __float__(self) -> float:
        return self.total


def score_graph(data: Any, graph: Any, score: str, **parameters: Any) -> GraphScore:
    """Score a DAG on data; larger is better.

    Parameters
    ----------
    data
        A `Dataset`, or anything `read_data` takes.
    graph
        A DAG over the columns of the data, in any order.
    score
        Name of the score, such as ``bic``, ``bde`` or ``bge``; an unknown one is answered with the
        list of scores that fit the data.
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
    for name in parameters:
        if name not in kind.parameters:
            raise DataError(unknown("parameter", name, kind.parameters, f"score {score}"))
    native = native_score(table, score, ScoreParameters(**parameters))
    terms = native.terms(_over_columns(dag, table).native)
    return GraphScore(dict(zip(table.names, terms, strict=True)))


def scores_for(kind: DataKind) -> list[str]:
    """Names of the scores for a kind of data."""
    return [name for name, score in SCORES.items() if suits(score, kind)]


def suits(score: ScoreKind, kind: DataKind) -> bool:
    """Whether a score takes such data; one for mixed data takes all kinds."""
    return score.data in (kind, "mixed")


def fitting_score(score: str, data: Dataset) -> ScoreKind:
    """The score of that name, or a `DataError` that lists those that fit the data."""
    kind = facts_of(data).kind or "mixed"
    fitting = scores_for(kind)
    if score not in SCORES:
        raise DataError(unknown("score", score, fitting))
    if score not in fitting:
        raise DataError(
            f"score {score} needs {SCORES[score].data} data, and these are {kind}; scores for "
            f"them: {listing(fitting)}"
        )
    return SCORES[score]


def native_score(data: Dataset, score: str, parameters: ScoreParameters) -> _core.Score:
    """The score of a data set as the native searches take it.

    Singular data have a documented value everywhere: see the page on score-based learners.
    """
    kind = fitting_score(score, data)
    if data.has_missing:
        raise DataError(
            f"score {score} takes no missing values; impute them first or drop the rows"
        )
    least = 1 if data.is_discrete else kind.least_rows
    if len(data) < least:
        raise DataError(f"score {score} needs at least {least} rows, found {len(data)}")
    native = kind.build(data, _own(kind, parameters))
    terms = prior_terms(data, score, parameters)
    return native if terms is None else terms.added_to(native)


def prior_terms(data: Dataset, score: str, parameters: ScoreParameters) -> ArcTerms | None:
    """What a score has besides the data: the prior over graphs and penalties of arcs."""
    return arc_terms(data.names, score, _own(SCORES[score], parameters), len(data))


def _own(kind: ScoreKind, parameters: ScoreParameters) -> ScoreParameters:
    """The parameters that a score reads, the others at their defaults."""
    own = {name: getattr(parameters, name) for name in kind.parameters}
    return dataclasses.replace(ScoreParameters(), **own)


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
