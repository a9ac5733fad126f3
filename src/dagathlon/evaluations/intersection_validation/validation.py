"""Intersection-validation of learners without a true graph, and its result, which can be stored.

References
----------
Viinikka, Eggeling and Koivisto 2018, Intersection-validation: a method for evaluating structure
learning without ground truth, AISTATS.
"""

from __future__ import annotations

import html
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import Any, NamedTuple

from dagathlon.errors import DagathlonError, listing
from dagathlon.evaluate.ranking.significance import Friedman, Nemenyi
from dagathlon.evaluations.intersection_validation.effects import agreed_effects, effect_distances
from dagathlon.evaluations.intersection_validation.forecast import (
    Duplicate,
    Forecast,
    LeftOut,
    forecast,
    groups_of,
    leave_one_out,
    near_duplicates,
    percent,
)
from dagathlon.evaluations.intersection_validation.notes import notes_on
from dagathlon.evaluations.intersection_validation.ranks import (
    OVERLAP,
    Comparison,
    Mean,
    Place,
    RankTest,
    pairwise,
    rank_tests,
    ranking,
    summarise,
)
from dagathlon.evaluations.intersection_validation.scores import (
    DISTANCES,
    Combine,
    IntervalScore,
    confidence_weights,
    interval_scores,
)
from dagathlon.evaluations.intersection_validation.types import Estimates, Learned, written
from dagathlon.frame import Row
from dagathlon.graphs import Edge, Graph


class Disputed(NamedTuple):
    """Pair on which the learners disagree.

    Parameters
    ----------
    left, right
        The pair.
    said
        The edge that each learner has there, as it is written, empty for none; in their order.
    """

    left: str
    right: str
    said: tuple[str, ...]


@dataclass(frozen=True, kw_only=True, repr=False)
class IntervalResult:
    """The outcome of intersection-validation on one data set.

    Parameters
    ----------
    learners
        Those that take part, in the order given.
    nodes
        The variables.
    language
        How edges were compared: ``classes``, ``marks``, ``arrowheads`` or ``skeletons``.
    rows
        Rows of the whole data, where known.
    sizes, subsamples
        Numbers of rows of the subsamples, and how many there are of each.
    edges
        What all learners agree on.
    disputed
        Pairs on which they do not agree, and what each says.
    forecast
        Whether to believe the ranking.
    sensitivity
        The forecast without each of the learners.
    duplicates
        Learners that are almost equal.
    notes
        Sentences on what to know: who was left out, who breaks or stacks the agreement.
    distances
        One row per learner, size and subsample.
    means
        Mean partial Hamming distances, standard errors and ranks by learner and size.
    ranking
        Learners by their mean rank over all subsamples, the best first.
    tests
        Friedman's and Nemenyi's tests, by size and over all.
    pairwise
        Every two learners by what just these two agree on.
    n_effects
        Ordered pairs whose effect all learners agree on; None where effects were not compared.
    """

    learners: tuple[str, ...]
    nodes: tuple[str, ...]
    language: str
    rows: int | None
    sizes: tuple[int, ...]
    subsamples: int
    edges: tuple[Edge, ...]
    disputed: tuple[Disputed, ...]
    forecast: Forecast
    sensitivity: tuple[LeftOut, ...]
    duplicates: tuple[Duplicate, ...]
    notes: tuple[str, ...]
    distances: tuple[IntervalScore, ...]
    means: tuple[Mean, ...]
    ranking: tuple[Place, ...]
    tests: tuple[RankTest, ...]
    pairwise: tuple[Comparison, ...]
    n_effects: int | None

    @cached_property
    def measures(self) -> list[str]:
        """Return the known distances among `DISTANCES`, the partial Hamming distance first."""
        return [
            name
            for name in DISTANCES
            if any(getattr(row, name) is not None for row in self.distances)
        ]

    def means_by(self, measure: str) -> list[Mean]:
        """Return means, standard errors and ranks by another distance."""
        return summarise(self.distances, measure)

    def first_by(self, measure: str) -> list[str]:
        """Return the first learners by another distance; empty where all are equal."""
        places = [place for place in ranking(self.distances, measure) if place.place is not None]
        first = [place.learner for place in places if place.place == 1]
        return first if len(first) < len(places) else []

    def summary(self) -> str:
        """Return the result as text: reliability, ranking, notes."""
        from dagathlon.evaluations.intersection_validation.text import summary  # noqa: PLC0415 - it needs this class

        return summary(self)

    def __str__(self) -> str:
        return self.summary()

    def __repr__(self) -> str:
        outlook = self.forecast
        return (
            f"<IntervalResult of {len(self.learners)} learners on {len(self.nodes)} variables: "
            f"{outlook.n_connected} connected pairs, {percent(outlook.relative_size)} of all pairs "
            f"agreed on, {outlook.verdict}>"
        )

    def _repr_html_(self) -> str:
        return f"<pre>{html.escape(self.summary())}</pre>"

    def to_dict(self) -> dict[str, Any]:
        """Return the result as lists, dictionaries, texts and numbers, for JSON."""
        return {field.name: _plain(getattr(self, field.name)) for field in fields(self)}

    @classmethod
    def from_dict(cls, content: Mapping[str, Any]) -> IntervalResult:
        """Rebuild the result from the output of `to_dict`."""
        known = {field.name: content[field.name] for field in fields(cls)}
        return cls(**{name: _READERS.get(name, _listed)(value) for name, value in known.items()})

    def to_json(self) -> str:
        """Return the result as JSON text, read by `from_json`."""
        return json.dumps(self.to_dict(), ensure_ascii=False, allow_nan=False)

    @classmethod
    def from_json(cls, text: str) -> IntervalResult:
        """Rebuild the result from the output of `to_json`."""
        return cls.from_dict(json.loads(text))


def _plain(value: Any) -> Any:
    if isinstance(value, tuple) and hasattr(value, "_asdict"):
        return {name: _plain(part) for name, part in value._asdict().items()}
    if isinstance(value, tuple):
        return [_plain(part) for part in value]
    if isinstance(value, float) and value in (float("inf"), float("-inf")):
        return str(value)
    return value


def _listed(value: Any) -> Any:
    """Convert lists to tuples, at any depth."""
    return tuple(map(_listed, value)) if isinstance(value, list) else value


def _record(kind: Callable[..., Any]) -> Callable[[Mapping[str, Any]], Any]:
    def read(result: Mapping[str, Any]) -> Any:
        return kind(**{name: _listed(value) for name, value in result.items()})

    return read


def _records(kind: Callable[..., Any]) -> Callable[[list[Row]], Any]:
    read = _record(kind)
    return lambda result: tuple(map(read, result))


def _test(size: int | None, friedman: Mapping[str, Any], nemenyi: Mapping[str, Any]) -> RankTest:
    # An infinite F, of ranks that are the same on all subsamples, is no number in JSON.
    f_statistic = float(friedman["f_statistic"])
    first = Friedman(**{**friedman, "f_statistic": f_statistic})
    return RankTest(size, first, _record(Nemenyi)(nemenyi))


_READERS: Mapping[str, Callable[[Any], Any]] = {
    "edges": _records(Edge),
    "disputed": _records(Disputed),
    "forecast": _record(Forecast),
    "sensitivity": _records(LeftOut),
    "duplicates": _records(Duplicate),
    "distances": _records(IntervalScore),
    "means": _records(Mean),
    "ranking": _records(Place),
    "tests": _records(_test),
    "pairwise": _records(Comparison),
}


__all__ = [
    "DISTANCES",
    "OVERLAP",
    "Comparison",
    "Disputed",
    "Duplicate",
    "Forecast",
    "IntervalResult",
    "IntervalScore",
    "Learned",
    "LeftOut",
    "Mean",
    "Place",
    "RankTest",
    "agreed_effects",
    "confidence_weights",
    "forecast",
    "interval_scores",
    "interval_validation",
    "leave_one_out",
    "near_duplicates",
    "pairwise",
    "rank_tests",
    "ranking",
    "summarise",
]
FEWEST_LEARNERS = 2


def interval_validation(
    graphs: Mapping[str, Graph | None],
    estimates: Estimates,
    *,
    outputs: Mapping[str, str] | None = None,
    algorithms: Mapping[str, str] | None = None,
    bootstraps: Mapping[str, Sequence[Graph]] | None = None,
    combine: Combine = "min",
    rows: int | None = None,
    compare_pairs: bool = True,
    compare_effects: bool = True,
    notes: Iterable[str] = (),
) -> IntervalResult:
    """Rank learners by the distance of their graphs on subsamples to their agreement on all rows.

    Parameters
    ----------
    graphs
        The graph of each learner on all rows. A learner whose run failed (None) is left out, and a
        note says so; two must remain.
    estimates
        For each learner and number of rows the graphs on the subsamples, None where a run failed;
        the same subsamples for all learners, in the same order.
    outputs, algorithms
        Kind of graph (``dag``, ``cpdag``, ``pag``, ``undirected`` …) and algorithm of each learner,
        where known: a ranking of different algorithms is not reliable (`forecast`).
    bootstraps, combine
        Graphs of learners on bootstrap samples of all rows, to weight pairs by confidence, and how
        confidences of several learners are combined, as in `confidence_weights`.
    rows, notes
        Number of rows of the whole data, and sentences to put before the notes of the result.
    compare_pairs, compare_effects
        Whether to compare every two learners by what just these two agree on, and whether to count
        wrong effects, for DAGs and CPDAGs of up to 100 nodes.
    """
    present = {name: graph for name, graph in graphs.items() if graph is not None}
    missing = [name for name in graphs if name not in present]
    _require_learners(present, missing)
    retained = {name: estimates[name] for name in present if name in estimates}
    learned = Learned.of(present, retained, outputs=outputs, algorithms=algorithms)
    weights = None if bootstraps is None else confidence_weights(learned, bootstraps, combine)
    # Lines of an undirected graph look like a CPDAG, and say nothing of effects.
    causal = compare_effects and learned.by == "classes"
    effects = agreed_effects(present.values()) if causal else None
    wrong = None if effects is None else effect_distances(effects, learned)
    result = _result(learned, missing, tuple(interval_scores(learned, weights, wrong)))
    return replace(
        result,
        rows=rows,
        notes=(*notes, *result.notes),
        pairwise=tuple(pairwise(learned)) if compare_pairs else (),
        n_effects=None if effects is None else effects.n,
    )


def _result(
    learned: Learned, missing: Sequence[str], distances: tuple[IntervalScore, ...]
) -> IntervalResult:
    """Return forecast, ranking and tests of distances, without comparisons of pairs."""
    duplicates = near_duplicates(learned)
    sensitivity = leave_one_out(learned, groups_of(duplicates))
    means = summarise(distances)
    agreement = learned.agreement
    return IntervalResult(
        learners=learned.learners,
        nodes=learned.names,
        language=learned.by,
        rows=None,
        sizes=learned.sizes,
        subsamples=max((present.shape[1] for present in learned.there.values()), default=0),
        edges=tuple(agreement.edges()),
        disputed=tuple(_disputed(learned)),
        forecast=forecast(agreement, learned.algorithms),
        sensitivity=tuple(sensitivity),
        duplicates=tuple(duplicates),
        notes=tuple(notes_on(learned, missing, sensitivity, duplicates, means)),
        distances=distances,
        means=tuple(means),
        ranking=tuple(ranking(distances)),
        tests=tuple(rank_tests(distances)),
        pairwise=(),
        n_effects=None,
    )


def _require_learners(present: Mapping[str, Graph], missing: Sequence[str]) -> None:
    if len(present) < FEWEST_LEARNERS:
        raise DagathlonError(
            "intersection-validation needs the graphs of two learners or more on all rows; "
            f"found {listing(present)}, and none of {listing(missing)}"
        )


def _disputed(learned: Learned) -> list[Disputed]:
    away = ~learned.agreed(range(len(learned.learners)))
    return [
        Disputed(learned.names[i], learned.names[j], tuple(map(written, types.tolist())))
        for (i, j), types in zip(
            learned.pairs[away].tolist(), learned.whole[:, away].T, strict=True
        )
    ]
