"""Verdict on a metric: the best learners, their lead, and whether it is significant.

Verdicts are of one kind of data each: values on unlike data are not averaged. Over several kinds
the ranks decide, as in the ranking and the critical-difference diagram, whose numbers these are.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from dagathlon.evaluate.graphs.control import Baseline, Baselines, best_baseline
from dagathlon.evaluate.ranking.contest import Contest, Placed, contest
from dagathlon.evaluate.ranking.ranks import Better, Unit, score_table
from dagathlon.evaluate.ranking.summary import is_number
from dagathlon.frame import Row

Kind: TypeAlias = tuple[Any, ...]
Name: TypeAlias = tuple[str, str]
Values: TypeAlias = dict[Any, float]

_CONFIDENCE = 0.95


class Interval(NamedTuple):
    """Mean over seeds and half the width of its 95 % interval, None with one seed only."""

    mean: float
    half_width: float | None


class Contender(NamedTuple):
    """A setting of a learner with its mean of the metric or its average rank."""

    id: str
    setting: str
    result: Interval


class Incomplete(NamedTuple):
    """A setting without values on some or all data sets, which does not compete."""

    setting: str
    n: int
    of: int


class KindVerdict(NamedTuple):
    """Best settings on data of one kind.

    Parameters
    ----------
    kind
        Labels of graph, parameters and data.
    best
        All settings that share the best mean.
    second
        The best setting of an algorithm that is not among them; None when there is no other, or
        when several algorithms share the best mean.
    gap
        By how much the best is better than that, data set by data set.
    clear
        Whether the interval of the gap excludes zero; None where it cannot be computed. Gaps that
        are all the same have no spread to judge by, and need six data sets (a sign test).
    n
        Data sets that all of them have a number on.
    incomplete
        Settings that do not compete.
    means
        The mean of each setting that competes.
    baseline
        The best baseline: an empty, complete or random graph.
    below
        Settings whose mean is worse than that.
    """

    kind: Kind
    best: tuple[Contender, ...]
    second: Contender | None
    gap: Interval | None
    clear: bool | None
    n: int
    incomplete: tuple[Incomplete, ...]
    means: Mapping[str, float]
    baseline: Baseline | None
    below: tuple[str, ...]

    @property
    def first(self) -> set[str]:
        """Learners with the best mean."""
        return {contender.id for contender in self.best}


class Verdict(NamedTuple):
    """The best learners by a metric, per kind of data and overall.

    Parameters
    ----------
    metric
        The column.
    better
        Whether more or less of it is better.
    kinds
        The verdict on each kind of data.
    contest
        The ranking over all data.
    n_settings
        How many settings were compared.
    """

    metric: str
    better: Better
    kinds: tuple[KindVerdict, ...]
    contest: Contest
    n_settings: int

    @property
    def places(self) -> tuple[Placed, ...]:
        """Contenders by average rank."""
        return self.contest.places

    @property
    def ranked_first(self) -> tuple[Placed, ...]:
        """Contenders that share the first place by average rank."""
        return self.contest.first

    @property
    def first(self) -> set[str]:
        """Return the leading learners: by the mean on one kind of data, by ranks on several."""
        if len(self.kinds) == 1:
            return self.kinds[0].first
        return {contender.id for contender in self.ranked_first}

    def relative(self, setting: str) -> float | None:
        """Return a distance relative to the best baseline's, averaged over kinds of data.

        None for metrics of which more is better, and where a kind has no such number.
        """
        shares = [
            kind_verdict.means[setting] / kind_verdict.baseline.value
            for kind_verdict in self.kinds
            if setting in kind_verdict.means
            and kind_verdict.baseline is not None
            and kind_verdict.baseline.value > 0
        ]
        if self.better == "more" or len(shares) < len(self.kinds):
            return None
        return float(np.mean(shares))

    @property
    def is_contest(self) -> bool:
        """Whether at least two learners compete on some kind of data."""
        return len(self.places) > 1 or any(
            kind_verdict.second is not None or len(kind_verdict.first) > 1
            for kind_verdict in self.kinds
        )


def verdict(
    rows: Sequence[Row],
    metric: str,
    better: Better,
    baselines: Baselines | None = None,
    unit: Unit = "data_set",
    *,
    alpha: float = 0.05,
) -> Verdict | None:
    """Compare the settings of all learners on one metric.

    Parameters
    ----------
    rows
        One row per run: `id`, `setting`, `adjmat`, `parameters`, `data`, `seed`, `status`, the
        metric.
    metric
        The column.
    better
        Whether more or less of it is better.
    baselines
        Values of the baselines, by data set.
    unit
        Unit that counts once in an average rank: a data set, or a block of them.
    alpha
        Level of the critical difference of ranks.

    Returns
    -------
    Verdict or None
        None when no run has a number.
    """
    by_kind: dict[Kind, dict[Name, Values]] = {}
    for row in rows:
        found = by_kind.setdefault((row["adjmat"], row["parameters"], row["data"]), {})
        numbers = found.setdefault((row["id"], row["setting"]), {})
        if is_number(row.get(metric)):
            numbers[row["seed"]] = float(row[metric])
    by_kind = {kind: values for kind, values in by_kind.items() if any(values.values())}
    if not by_kind:
        return None
    known = _by_kind(baselines or {}, metric)
    kinds = [_of_kind(kind, of, better, known.get(kind, {})) for kind, of in by_kind.items()]
    ids = {row["setting"]: row["id"] for row in rows}
    settings = {name for values in by_kind.values() for name, of in values.items() if of}
    return Verdict(
        metric,
        better,
        tuple(kind_verdict for kind_verdict in kinds if kind_verdict is not None),
        contest(score_table(rows, metric), better, ids, unit, alpha),
        len(settings),
    )


def _by_kind(baselines: Baselines, metric: str) -> dict[Kind, dict[Any, Mapping[str, float]]]:
    """Return values of one metric by kind of data and seed."""
    result: dict[Kind, dict[Any, Mapping[str, float]]] = {}
    for case, metrics in baselines.items():
        if metric in metrics:
            result.setdefault(case[:-1], {})[case[-1]] = metrics[metric]
    return result


def _of_kind(
    kind: Kind,
    values: Mapping[Name, Values],
    better: Better,
    baselines: Mapping[Any, Mapping[str, float]],
) -> KindVerdict | None:
    """Return the best on one kind of data; None if the settings have no data set in common."""
    fair, partial = _competing(values)
    seeds = list(next(iter(fair.values())))
    if not seeds:
        return None
    sign = 1.0 if better == "more" else -1.0
    means = {
        name: sign * float(np.mean(list(values_by_seed.values())))
        for name, values_by_seed in fair.items()
    }
    top = max(means.values())
    best = [name for name, mean in means.items() if is_same(mean, top)]
    second = _runner_up(means, {name[0] for name in best})
    gap = None if second is None else _gap(fair[best[0]], fair[second], sign)
    yardstick = best_baseline([baselines[s] for s in seeds if s in baselines], better)
    return KindVerdict(
        kind,
        tuple(Contender(*name, interval(fair[name])) for name in best),
        None if second is None else Contender(*second, interval(fair[second])),
        gap,
        None if gap is None else _is_significant(gap, len(seeds)),
        len(seeds),
        partial,
        {name[1]: sign * mean for name, mean in means.items()},
        yardstick,
        () if yardstick is None else _below(means, sign * yardstick.value),
    )


def _competing(values: Mapping[Name, Values]) -> tuple[dict[Name, Values], tuple[Incomplete, ...]]:
    """Keep settings with the largest number of values, and the data sets that all of them have.

    No learner gains by failing on the hard ones.
    """
    most = max(map(len, values.values()))
    total = len(set[Any]().union(*values.values()))
    complete = {name: by_seed for name, by_seed in values.items() if len(by_seed) == most}
    common = sorted(set.intersection(*map(set, complete.values())))
    partial = [Incomplete(n[1], len(v), total) for n, v in values.items() if len(v) < most]
    return {n: {seed: v[seed] for seed in common} for n, v in complete.items()}, tuple(partial)


def _runner_up(means: Mapping[Name, float], first: set[str]) -> Name | None:
    """Return the best of the other learners; None if several share the first place."""
    others = [name for name in means if name[0] not in first]
    return max(others, key=lambda n: means[n], default=None) if len(first) == 1 else None


def _gap(left: Values, right: Values, sign: float) -> Interval:
    return interval({seed: sign * (value - right[seed]) for seed, value in left.items()})


def _is_significant(gap: Interval, n: int) -> bool | None:
    """Return whether a gap over n data sets is significant; None for a single data set."""
    if gap.half_width is None:
        return None
    if is_same(gap.mean + gap.half_width, gap.mean):
        return gap.mean > 0 and 0.5 ** (n - 1) <= 1 - _CONFIDENCE
    return gap.mean > gap.half_width


def _below(means: Mapping[Name, float], yardstick: float) -> tuple[str, ...]:
    return tuple(n[1] for n, m in means.items() if m < yardstick and not is_same(m, yardstick))


def is_same(left: float, right: float) -> bool:
    """Whether two means are equal up to rounding."""
    return math.isclose(left, right, rel_tol=1e-9, abs_tol=1e-12)


def interval(values: Mapping[Any, float]) -> Interval:
    """Return the mean over seeds with Student's 95 % interval.

    Parameters
    ----------
    values
        Numbers by seed.
    """
    numbers = list(values.values())
    mean = float(np.mean(numbers)) if numbers else float("nan")
    if len(numbers) < 2:
        return Interval(mean, None)
    deviation = float(np.std(numbers, ddof=1))
    return Interval(mean, student(len(numbers) - 1) * deviation / math.sqrt(len(numbers)))


def student(freedom: int) -> float:
    """Return the quantile of Student's distribution for a two-sided 95 % interval."""
    from scipy.special import stdtrit  # noqa: PLC0415 - only where intervals are made

    return float(stdtrit(freedom, 0.5 + _CONFIDENCE / 2))
