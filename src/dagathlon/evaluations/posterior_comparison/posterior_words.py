"""What a study of posteriors says in words: which metrics to believe where, computed from it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from dagathlon.evaluate.metric import measure_of
from dagathlon.frame import Rows, grouped
from dagathlon.report.charts.correlations import short
from dagathlon.report.tables.metrics import ALL_GRAPHS

STRONG = 0.5
"""Least rank correlation of metrics that are said to agree."""
# Entropies below this part of the true posterior's are said to be too low.
_LOW = 0.5
_ENTROPY = "entropy"


class Trust(NamedTuple):
    """How metrics go with a distance to the true posterior on one kind of data.

    Parameters
    ----------
    model, rows
        The kind of data, over all graphs.
    agree, against, between
        Correlations of metrics that order methods as the distance does, the other way round, or
        neither way.
    """

    model: str
    rows: int
    agree: Rows
    against: Rows
    between: Rows

    @property
    def mean(self) -> float:
        """The mean correlation of all metrics with the distance."""
        return float(np.mean([row["mean"] for row in (*self.agree, *self.against, *self.between)]))


def trusted(correlations: Rows, distance: str, besides: Sequence[str]) -> list[Trust]:
    """Which metrics agree with a distance to the true posterior, for each kind of data.

    Parameters
    ----------
    correlations
        `graph`, `model`, `rows`, `left`, `right`, `mean`, `low`, `high`.
    distance
        The metric that compares with the true posterior.
    besides
        Further such metrics, about which nothing is said.
    """
    joint = [row for row in correlations if row["graph"] == ALL_GRAPHS] or correlations
    groups = grouped(
        ((row["model"], row["rows"]), row)
        for row in joint
        if row["left"] == distance and row["right"] not in besides
    )

    found = []
    for (model, size), members in sorted(groups.items()):
        members.sort(key=lambda row: -row["mean"])
        agree = [row for row in members if row["low"] > 0 and row["mean"] >= STRONG]
        against = [row for row in members if row["high"] < 0 and row["mean"] <= -STRONG]
        rest = [row for row in members if row not in agree and row not in against]
        found.append(Trust(model, size, agree, against, rest))
    return found


def metrics_in_words(rows: Rows) -> str:
    """``E-SHD .61, AUROC .55``, one after the other."""
    said = [f"{measure_of(row['right']).label} {short(row['mean'])}" for row in rows]
    return ", ".join(said) or "none"


def in_short(found: Sequence[Trust], distance: str) -> str:
    """A sentence for each model: how trust changes with the number of rows."""
    title = measure_of(distance).label
    said = []
    for model in dict.fromkeys(one.model for one in found):
        own = [one for one in found if one.model == model]
        course = ", ".join(f"{short(one.mean)} with {one.rows:,} rows" for one in own)
        sure = [f"{one.rows:,}" for one in own if len(one.agree) > len(one.between)]
        most = (
            f"most metrics agree with it at {', '.join(sure)} rows"
            if sure
            else ("at no number of rows do most metrics agree with it")
        )
        said.append(f"{model}: the mean rank correlation with {title} is {course}; {most}.")
    return " ".join(said)


class Yardstick(NamedTuple):
    """The true posterior's own mean of a metric, and the methods that have a better one."""

    model: str
    rows: int
    metric: str
    value: float
    better: Mapping[str, float]
    others: int


def yardsticks(
    means: Rows, metrics: Sequence[str], references: Mapping[str, str]
) -> Iterator[Yardstick]:
    """How the true posterior does by each metric, on the mean over graphs.

    Parameters
    ----------
    means
        `graph`, `model`, `rows`, `method`, `metric`, `mean`.
    metrics
        Those with a direction that do not compare with the true posterior.
    references
        The method that is the true posterior, by model.
    """
    for (model, size, metric), values in over_graphs(means).items():
        reference = references.get(model, "")
        if metric not in metrics or reference not in values:
            continue
        sign = 1 if measure_of(metric).better == "more" else -1
        own = values[reference]
        others = {k: v for k, v in values.items() if k != reference}
        better = {k: v for k, v in others.items() if sign * v > sign * own}
        yield Yardstick(model, size, metric, own, better, len(others))


def over_graphs(means: Rows) -> dict[tuple[str, int, str], dict[str, float]]:
    """Means over the graphs that all methods have, by model, rows and metric."""
    found: dict[tuple[str, int, str], dict[str, dict[str, float]]] = {}
    for row in means:
        key = (row["model"], row["rows"], row["metric"])
        found.setdefault(key, {}).setdefault(row["method"], {})[row["graph"]] = row["mean"]
    joint = {}
    for key, methods in found.items():
        shared = set.intersection(*(set(graphs) for graphs in methods.values()))
        if shared:
            joint[key] = {
                name: float(np.mean([graphs[one] for one in sorted(shared)]))
                for name, graphs in methods.items()
            }
    return joint


def beaten(found: Sequence[Yardstick]) -> str:
    """At how many kinds of data the true posterior is behind most of what approximates it."""
    said = []
    for model in dict.fromkeys(one.model for one in found):
        own = [one for one in found if one.model == model]
        worse = []
        for size in sorted({one.rows for one in own}):
            here = [one for one in own if one.rows == size]
            behind = sum(len(one.better) > one.others / 2 for one in here)
            worse.append(f"{behind} of {len(here)} with {size:,} rows")
        said.append(f"{model}: by {', '.join(worse)}.")
    return " ".join(said)


def entropies(means: Rows, references: Mapping[str, str]) -> Iterator[str]:
    """How uncertain the true posterior is, and who is far too sure, for each model."""
    joint = over_graphs([row for row in means if row["metric"] == _ENTROPY])
    for model, reference in references.items():
        own = {size: v for (m, size, _), v in sorted(joint.items()) if m == model}
        course = [f"{v[reference]:.2f} with {n:,}" for n, v in own.items() if reference in v]
        if not course:
            continue
        said = [f"{model}: the entropy of {reference} is {', '.join(course)} rows."]
        low = {n: _too_sure(values, reference) for n, values in own.items()}
        for name in dict.fromkeys(name for found in low.values() for name in found):
            sizes = [f"{n:,}" for n, found in low.items() if name in found]
            said.append(f"{name} has less than half of it with {', '.join(sizes)} rows.")
        yield " ".join(said)


def _too_sure(values: Mapping[str, float], reference: str) -> list[str]:
    if reference not in values:
        return []
    others = {k: v for k, v in values.items() if k != reference}
    return [name for name, value in others.items() if value < _LOW * values[reference]]
