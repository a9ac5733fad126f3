"""Robustness to noise: accuracy by rate, and how much of the clean accuracy a learner keeps."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np

from dagathlon.evaluate.ranking.verdict import Interval, interval, student
from dagathlon.evaluations.noise.curves import Curve, Floats, Trial, curves_of, n_kinds
from dagathlon.frame import Cells, grouped

OVERALL = "overall"
EVERYWHERE = "all networks"


def rate_curves(trials: Iterable[Trial]) -> list[Cells]:
    """Mean accuracy of each learner at each rate of each kind of noise.

    Parameters
    ----------
    trials
        All runs, clean ones included.

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
    found = curves_of(trials)
    several = len({curve.case[0] for curves in found.values() for curve in curves}) > 1
    for kind, curves in found.items():
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
        mean = interval({seed: float(np.mean(found)) for seed, found in by_seed.items()})
        failures = sum(rate in curve.failed for curve in curves)
        ends = dict(zip(("mean", "mean_low", "mean_high"), _ends(mean), strict=True))
        yield {"rate": rate, **ends, "seeds": len(by_seed), "failures": failures}


def _ends(found: Interval) -> tuple[float, float | None, float | None]:
    half = found.half_width
    return found.mean, *((None, None) if half is None else (found.mean - half, found.mean + half))


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
    """How much of its clean accuracy each learner keeps: the normalised area under its curve.

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
    found = {kind: _kept(curves) for kind, curves in by_kind.items()}
    names = list(dict.fromkeys(c.name for curves in by_kind.values() for c in curves))
    single = [kind for kind in found if n_kinds(kind) == 1] or list(found)
    shared = [kind for kind in single if 2 * len(found[kind]) >= len(names)]
    rows: list[Cells] = []
    for name in names:
        mine = {kind: kept[name] for kind, kept in found.items() if name in kept}
        if shared and all(kind in mine for kind in shared):
            rows.append(_row(name, OVERALL, [mine[kind] for kind in shared], None))
        rows += [_row(name, k, [kept], float(by_kind[k][0].rates[-1])) for k, kept in mine.items()]
    return rows


def _kept(curves: Sequence[Curve]) -> dict[str, _Kept]:
    sums: dict[str, dict[Any, list[float]]] = {}
    cases: dict[str, int] = {}
    for curve in curves:
        total = sums.setdefault(curve.name, {}).setdefault(curve.seed, [0.0, 0.0])
        total[0] += curve.area
        total[1] += float(curve.scores[0])
        cases[curve.name] = cases.get(curve.name, 0) + 1
    kept = {}
    for name, found in sums.items():
        areas, clean = np.array(list(found.values())).T
        kept[name] = _Kept(tuple(found), areas, clean, cases[name])
    return kept


def _row(name: str, kind: str, parts: Sequence[_Kept], up_to: float | None) -> Cells:
    cases = sum(part.cases for part in parts)
    clean = sum(float(part.clean.sum()) for part in parts) / cases
    seeds = list(dict.fromkeys(seed for part in parts for seed in part.seeds))
    ends = zip(("index", "index_low", "index_high"), _ends(_jackknife(parts, seeds)), strict=True)
    known = {key: None if end is None or math.isnan(end) else end for key, end in ends}
    about = {"up_to": up_to, "clean": clean, "seeds": len(seeds), "cases": cases}
    return {"algorithm": name, "kind": kind, **known, **about}


def _jackknife(parts: Sequence[_Kept], seeds: Sequence[Any]) -> Interval:
    """Mean of the indices with its interval, by leaving out one seed after the other."""
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
