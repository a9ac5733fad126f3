"""`IntervalResult`: all that intersection-validation found, as a value that can be stored."""

from __future__ import annotations

import html
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from functools import cached_property
from typing import Any, NamedTuple

from dagathlon.evaluate.ranking.significance import Friedman, Nemenyi
from dagathlon.evaluations.intersection_validation.forecast import (
    Duplicate,
    Forecast,
    LeftOut,
    percent,
)
from dagathlon.evaluations.intersection_validation.pairs import Comparison
from dagathlon.evaluations.intersection_validation.ranks import (
    Mean,
    Place,
    RankTest,
    ranking,
    summarise,
)
from dagathlon.evaluations.intersection_validation.scores import DISTANCES, IntervalScore
from dagathlon.frame import Row
from dagathlon.graphs import Edge


class Disputed(NamedTuple):
    """A pair on which the learners do not agree.

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
        """The distances that there are, of those in `DISTANCES`, the partial Hamming first."""
        return [
            name
            for name in DISTANCES
            if any(getattr(row, name) is not None for row in self.distances)
        ]

    def means_by(self, measure: str) -> list[Mean]:
        """Means, standard errors and ranks by another of the distances."""
        return summarise(self.distances, measure)

    def first_by(self, measure: str) -> list[str]:
        """Who is first by another of the distances; nobody where it tells no two learners apart."""
        places = [place for place in ranking(self.distances, measure) if place.place is not None]
        first = [place.learner for place in places if place.place == 1]
        return first if len(first) < len(places) else []

    def summary(self) -> str:
        """What a command prints: whether to believe the ranking, the ranking, what to know."""
        from dagathlon.evaluations.intersection_validation.text import summary  # noqa: PLC0415 - it needs this class

        return summary(self)

    def __str__(self) -> str:
        return self.summary()

    def __repr__(self) -> str:
        told = self.forecast
        return (
            f"<IntervalResult of {len(self.learners)} learners on {len(self.nodes)} variables: "
            f"{told.n_connected} connected pairs, {percent(told.relative_size)} of all pairs "
            f"agreed on, {told.verdict}>"
        )

    def _repr_html_(self) -> str:
        return f"<pre>{html.escape(self.summary())}</pre>"

    def to_dict(self) -> dict[str, Any]:
        """Lists, dictionaries, texts and numbers alone, for a JSON file."""
        return {field.name: _plain(getattr(self, field.name)) for field in fields(self)}

    @classmethod
    def from_dict(cls, found: Mapping[str, Any]) -> IntervalResult:
        """The result that `to_dict` wrote."""
        known = {field.name: found[field.name] for field in fields(cls)}
        return cls(**{name: _READERS.get(name, _listed)(value) for name, value in known.items()})

    def to_json(self) -> str:
        """All of it as text; `from_json` reads it."""
        return json.dumps(self.to_dict(), ensure_ascii=False, allow_nan=False)

    @classmethod
    def from_json(cls, text: str) -> IntervalResult:
        """The result that `to_json` wrote."""
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
    """Lists become tuples, at any depth."""
    return tuple(map(_listed, value)) if isinstance(value, list) else value


def _record(kind: Callable[..., Any]) -> Callable[[Mapping[str, Any]], Any]:
    def read(found: Mapping[str, Any]) -> Any:
        return kind(**{name: _listed(value) for name, value in found.items()})

    return read


def _records(kind: Callable[..., Any]) -> Callable[[list[Row]], Any]:
    read = _record(kind)
    return lambda found: tuple(map(read, found))


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
