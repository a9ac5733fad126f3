"""Accuracy against the rate of noise, and the share of the clean accuracy that a learner keeps."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from dagathlon.evaluate.ranking.summary import is_number
from dagathlon.evaluate.ranking.verdict import Interval, interval, student
from dagathlon.evaluations.noise.grid import NoiseRun
from dagathlon.frame import Cells, Row, grouped
from dagathlon.simulate.noise_code import LETTERS, TRUE_MISSING, parse_code

Floats: TypeAlias = npt.NDArray[np.float64]

_NOISE = re.compile(r"/noise=([^/]*)")


class Trial(NamedTuple):
    """Accuracy of one run.

    Parameters
    ----------
    name
        The learner.
    case
        What the data are but for noise and seed; the network comes first.
    seed
        The replicate.
    code
        Code of the noise experiment, ``N`` for clean data.
    score
        The accuracy, 0 for nothing found and the more the better; None for a failed run, which
        counts as 0.
    """

    name: str
    case: tuple[Any, ...]
    seed: Any
    code: str
    score: float | None


class Curve(NamedTuple):
    """Accuracy of one learner on one data set against the rate of one kind of noise.

    Parameters
    ----------
    name, case, seed
        As in `Trial`.
    rates, scores
        The rates, from 0 upwards, and the accuracy at each.
    failed
        The rates at which the run failed.
    """

    name: str
    case: tuple[Any, ...]
    seed: Any
    rates: Floats
    scores: Floats
    failed: frozenset[float]

    @property
    def area(self) -> float:
        """Return the mean accuracy over rates from 0 to the last, by linear interpolation."""
        heights = (self.scores[1:] + self.scores[:-1]) / 2
        return float(heights @ np.diff(self.rates) / self.rates[-1])


def row_trials(rows: Iterable[Row], metric: str, by: str = "setting") -> Iterator[Trial]:
    """Yield the runs of a joint table that have the metric, as trials.

    Parameters
    ----------
    rows
        One row per run: `adjmat`, `parameters`, `data`, `seed`, `status`, the metric, and `by`.
    metric
        An accuracy, 0 at the least and the more the better.
    by
        The column that names the learners.
    """
    for row in rows:
        label = str(row["data"])
        failed = row["status"] not in ("ok", "skipped")
        empty = row["status"] == "ok" and row.get(metric) is None and _is_empty(row)
        if not (failed or empty or is_number(row.get(metric))):
            continue
        result = _NOISE.search(label)
        case = (row["adjmat"], row["parameters"], _NOISE.sub("", label))
        code = "N" if result is None else result[1]
        score = float(row.get(metric) or 0.0)
        yield Trial(str(row[by]), case, row["seed"], code, None if failed else score)


def _is_empty(row: Row) -> bool:
    """Return whether the learned graph has no edge, for which Bayesys's F1 is undefined."""
    return row.get("TP_skel") == 0 and row.get("FP_skel") == 0


def noise_trials(runs: Iterable[NoiseRun]) -> Iterator[Trial]:
    """Yield the runs of a noise study as trials by F1; a graph without edges has 0."""
    for run in runs:
        score = None if run.failure is not None else run.f1 or 0.0
        yield Trial(run.algorithm, (run.network, run.n), run.seed, run.code, score)


def kind_of(code: str) -> tuple[str, float] | None:
    """Return kind and rate of a noise experiment; None if several kinds have different rates.

    Parameters
    ----------
    code
        Such as ``M5`` (``M``, 0.05), ``cMI`` (``MI``, 0.05), ``M10+NA`` (``M+NA``, 0.1).
    """
    rates = parse_code(code.removesuffix(TRUE_MISSING))
    if len(set(rates.values())) != 1:
        return None
    letters = "".join(letter for letter, kind in LETTERS.items() if kind in rates)
    lost = TRUE_MISSING if code.endswith(TRUE_MISSING) and "M" in letters else ""
    return letters + lost, next(iter(rates.values()))


def curves_of(trials: Iterable[Trial]) -> dict[str, list[Curve]]:
    """Return curves by kind of noise.

    A curve begins with the clean data. Learners that failed there have none: there is no accuracy
    to keep. Curves of a kind end at the same rate, the largest that any has; data on which that
    rate has no meaning, or for which it was not asked, are left out.
    """
    clean: dict[tuple[Any, ...], float] = {}
    noisy: dict[str, dict[tuple[Any, ...], dict[float, float | None]]] = {}
    for trial in trials:
        place = (trial.name, trial.case, trial.seed)
        result = None if trial.code == "N" else kind_of(trial.code)
        if trial.code == "N" and trial.score is not None:
            clean[place] = trial.score
        elif result is not None:
            noisy.setdefault(result[0], {}).setdefault(place, {})[result[1]] = trial.score
    return {
        kind: [_curve(place, clean[place], points) for place, points in reached.items()]
        for kind, places in sorted(noisy.items(), key=lambda item: _order(item[0]))
        if (reached := _reached(places, clean))
    }


def _reached(
    places: Mapping[tuple[Any, ...], Mapping[float, float | None]], clean: Iterable[Any]
) -> dict[tuple[Any, ...], Mapping[float, float | None]]:
    top = max(rate for points in places.values() for rate in points)
    known = set(clean)
    return {
        place: members for place, members in places.items() if top in members and place in known
    }


def _curve(place: tuple[Any, ...], clean: float, points: Mapping[float, float | None]) -> Curve:
    rates = sorted(points)
    scores = [clean, *(points[rate] or 0.0 for rate in rates)]
    failed = frozenset(rate for rate, score in points.items() if score is None)
    name, case, seed = place
    result = np.array(scores, dtype=np.float64)
    return Curve(name, case, seed, np.array([0.0, *rates]), result, failed)


def _order(kind: str) -> tuple[int, list[int], str]:
    """Return the sort key of a kind of noise: single kinds first, by letter."""
    letters = kind.removesuffix(TRUE_MISSING)
    return len(letters), [list(LETTERS).index(letter) for letter in letters], kind


def n_kinds(kind: str) -> int:
    """Return the number of single kinds of noise in a combined kind."""
    return len(kind.removesuffix(TRUE_MISSING))


OVERALL = "overall"
EVERYWHERE = "all networks"


def rate_curves(trials: Iterable[Trial]) -> list[Cells]:
    """Return the mean accuracy of each learner at each rate of each kind of noise.

    Returns
    -------
    list of dict
        `kind`, `network` (each, and all of them where there are several), `algorithm`, `rate`,
        `mean` over seeds of the mean over sizes (and networks), the ends of its 95 % interval over
        seeds, `mean_low` and `mean_high` (Student's; None with one seed), `seeds` and `failures`.
        All rates of a line are of the same data: between the rates that a data set has, lines are
        straight.
    """
    rows: list[Cells] = []
    result = curves_of(trials)
    several = len({curve.case[0] for curves in result.values() for curve in curves}) > 1
    for kind, curves in result.items():
        places = (EVERYWHERE, None) if several else (None,)
        groups = grouped(
            ((place or str(curve.case[0]), curve.name), curve)
            for curve in curves
            for place in places
        )
        for (network, name), members in sorted(groups.items(), key=lambda g: g[0][0] != EVERYWHERE):
            about = {"kind": kind, "network": network, "algorithm": name}
            rows += [about | point for point in _points(members)]
    return rows


def _points(curves: Sequence[Curve]) -> Iterable[Cells]:
    rates = sorted({float(rate) for curve in curves for rate in curve.rates})
    for rate in rates:
        by_seed = grouped(
            (curve.seed, float(np.interp(rate, curve.rates, curve.scores))) for curve in curves
        )
        mean = interval({seed: float(np.mean(members)) for seed, members in by_seed.items()})
        failures = sum(rate in curve.failed for curve in curves)
        ends = dict(zip(("mean", "mean_low", "mean_high"), _ends(mean), strict=True))
        yield {"rate": rate, **ends, "seeds": len(by_seed), "failures": failures}


def _ends(interval: Interval) -> tuple[float, float | None, float | None]:
    half = interval.half_width
    return interval.mean, *(
        (None, None) if half is None else (interval.mean - half, interval.mean + half)
    )


class _Kept(NamedTuple):
    """Sums by seed of one learner's areas and clean accuracies under one kind of noise."""

    seeds: tuple[Any, ...]
    areas: Floats
    clean: Floats
    cases: int

    def share(self, without: int | None = None) -> float:
        area, clean = float(self.areas.sum()), float(self.clean.sum())
        if without is not None:
            area, clean = area - float(self.areas[without]), clean - float(self.clean[without])
        return area / clean if clean > 0 else math.nan


def robustness(trials: Iterable[Trial]) -> list[Cells]:
    """Return the share of clean accuracy each learner keeps: the normalised area under its curve.

    The index of a kind of noise is the area under the accuracy from rate 0 to the largest rate of
    the study, by straight lines between rates, divided by the area that the clean accuracy would
    have; both are summed over networks, sizes and seeds first. It is 1 for a learner that noise
    does not touch, more for one that it helps, and next to 0 for one that finds nothing once there
    is any noise. It compares learners within a study, not studies of different rates.

    Parameters
    ----------
    trials
        All runs, clean ones included. A failed noisy run counts as accuracy 0; data sets on which
        the learner failed without noise are left out.

    Returns
    -------
    list of dict
        `algorithm`, `kind` (``overall`` is the mean over single kinds that at least half of the
        learners have, for learners that have them all), `index` with the ends of its 95 %
        interval, `index_low` and `index_high` (the jackknife over seeds; None with one seed),
        `up_to` (the largest rate), `clean` (mean clean accuracy), `seeds` and `cases`, the number
        of curves.
    """
    by_kind = curves_of(trials)
    result = {kind: _kept(curves) for kind, curves in by_kind.items()}
    names = list(dict.fromkeys(c.name for curves in by_kind.values() for c in curves))
    single = [kind for kind in result if n_kinds(kind) == 1] or list(result)
    shared = [kind for kind in single if 2 * len(result[kind]) >= len(names)]
    rows: list[Cells] = []
    for name in names:
        mine = {kind: retained[name] for kind, retained in result.items() if name in retained}
        if shared and all(kind in mine for kind in shared):
            rows.append(_row(name, OVERALL, [mine[kind] for kind in shared], None))
        rows += [
            _row(name, k, [retained], float(by_kind[k][0].rates[-1]))
            for k, retained in mine.items()
        ]
    return rows


def _kept(curves: Sequence[Curve]) -> dict[str, _Kept]:
    sums: dict[str, dict[Any, list[float]]] = {}
    cases: dict[str, int] = {}
    for curve in curves:
        total = sums.setdefault(curve.name, {}).setdefault(curve.seed, [0.0, 0.0])
        total[0] += curve.area
        total[1] += float(curve.scores[0])
        cases[curve.name] = cases.get(curve.name, 0) + 1
    retained = {}
    for name, members in sums.items():
        areas, clean = np.array(list(members.values())).T
        retained[name] = _Kept(tuple(members), areas, clean, cases[name])
    return retained


def _row(name: str, kind: str, parts: Sequence[_Kept], up_to: float | None) -> Cells:
    cases = sum(part.cases for part in parts)
    clean = sum(float(part.clean.sum()) for part in parts) / cases
    seeds = list(dict.fromkeys(seed for part in parts for seed in part.seeds))
    ends = zip(("index", "index_low", "index_high"), _ends(_jackknife(parts, seeds)), strict=True)
    known = {key: None if end is None or math.isnan(end) else end for key, end in ends}
    about = {"up_to": up_to, "clean": clean, "seeds": len(seeds), "cases": cases}
    return {"algorithm": name, "kind": kind, **known, **about}


def _jackknife(parts: Sequence[_Kept], seeds: Sequence[Any]) -> Interval:
    """Return the mean index with its jackknife interval over seeds."""
    mean = float(np.mean([part.share() for part in parts]))
    k = len(seeds)
    if k < 2:
        return Interval(mean, None)
    left = [
        np.mean([p.share(p.seeds.index(seed) if seed in p.seeds else None) for p in parts])
        for seed in seeds
    ]
    error = math.sqrt((k - 1) * float(np.var(left)))
    return Interval(mean, student(k - 1) * error)
