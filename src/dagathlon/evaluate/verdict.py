"""Who came first on a metric, by how much, and whether that is more than luck."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np

from dagathlon.evaluate.summary import is_number

Row: TypeAlias = Mapping[str, Any]
Place: TypeAlias = tuple[tuple[Any, ...], Any]
Values: TypeAlias = dict[Place, float]

_CONFIDENCE = 0.95


class Interval(NamedTuple):
    """A mean over data sets and half the width of its 95 % interval, None with one seed only."""

    mean: float
    half_width: float | None


class Contender(NamedTuple):
    """A setting of an algorithm and how it did."""

    id: str
    setting: str
    result: Interval
    n: int


class Verdict(NamedTuple):
    """The best setting on a metric, against the best one of any other algorithm.

    Parameters
    ----------
    metric
        The column.
    best, second
        The winner and the best setting of another algorithm; None when there is no other.
    gap
        By how much the winner is better, data set by data set.
    clear
        Whether the interval of the gap excludes zero; None when that cannot be told.
    n_settings
        How many settings were compared.
    """

    metric: str
    best: Contender
    second: Contender | None
    gap: Interval | None
    clear: bool | None
    n_settings: int


def verdict(rows: Sequence[Row], metric: str, better: Literal["more", "less"]) -> Verdict | None:
    """Compare the settings of all algorithms on one metric.

    Means are taken over the seeds of each data setting and then over these, so that every data
    setting counts alike; intervals are Student's, of the spread over seeds. Only settings with a
    number on as many data sets as the most successful one compete: no algorithm gains by failing.

    Parameters
    ----------
    rows
        One row per run: `id`, `setting`, `adjmat`, `parameters`, `data`, `seed`, the metric.
    metric
        The column.
    better
        Whether more or less of it is better.

    Returns
    -------
    Verdict or None
        None when no run has a number.
    """
    values: dict[tuple[str, str], Values] = {}
    for row in rows:
        if is_number(row.get(metric)):
            place = ((row["adjmat"], row["parameters"], row["data"]), row["seed"])
            values.setdefault((row["id"], row["setting"]), {})[place] = float(row[metric])
    if not values:
        return None
    most = max(map(len, values.values()))
    complete = {name: found for name, found in values.items() if len(found) == most}
    sign = 1.0 if better == "more" else -1.0
    ranked = sorted(complete, key=lambda name: -sign * interval(complete[name]).mean)
    first = ranked[0]
    other = next((name for name in ranked if name[0] != first[0]), None)
    best = Contender(*first, interval(complete[first]), most)
    if other is None:
        return Verdict(metric, best, None, None, None, len(values))
    second = Contender(*other, interval(complete[other]), most)
    gap = interval(_differences(complete[first], complete[other], sign))
    clear = None if gap.half_width is None else gap.mean > gap.half_width
    return Verdict(metric, best, second, gap, clear, len(values))


def _differences(left: Values, right: Values, sign: float) -> Values:
    """Data set by data set; those that one of the two has no number for are left out."""
    return {place: sign * (left[place] - right[place]) for place in left if place in right}


def interval(values: Values) -> Interval:
    """Mean over data settings of means over seeds, with Student's 95 % interval.

    Parameters
    ----------
    values
        Numbers by data setting and seed.
    """
    groups: dict[tuple[Any, ...], list[float]] = {}
    for (setting, _), value in values.items():
        groups.setdefault(setting, []).append(value)
    if not groups:
        return Interval(float("nan"), None)
    mean = float(np.mean([np.mean(group) for group in groups.values()]))
    freedom = len(values) - len(groups)
    if min(map(len, groups.values())) < 2:
        return Interval(mean, None)
    variance = sum(float(np.var(g, ddof=1)) / len(g) for g in groups.values()) / len(groups) ** 2
    return Interval(mean, _student(freedom) * variance**0.5)


def _student(freedom: int) -> float:
    """The quantile of Student's distribution that a two-sided interval needs."""
    from scipy.special import stdtrit  # noqa: PLC0415 - only where intervals are made

    return float(stdtrit(freedom, 0.5 + _CONFIDENCE / 2))
