"""Accuracy against the rate of noise: one curve for each learner, data set and kind of noise."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from dagathlon.evaluate.ranking.summary import is_number
from dagathlon.evaluations.noise.grid import NoiseRun
from dagathlon.frame import Row
from dagathlon.simulate.noise_code import LETTERS, TRUE_MISSING, parse_code

Floats: TypeAlias = npt.NDArray[np.float64]

_NOISE = re.compile(r"/noise=([^/]*)")


class Trial(NamedTuple):
    """The accuracy of one run.

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
        """Mean accuracy over all rates from 0 to the last, by straight lines between them."""
        heights = (self.scores[1:] + self.scores[:-1]) / 2
        return float(heights @ np.diff(self.rates) / self.rates[-1])


def row_trials(rows: Iterable[Row], metric: str, by: str = "setting") -> Iterator[Trial]:
    """The runs of a joint table; who took no part, or has no such metric, gives none.

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
        found = _NOISE.search(label)
        case = (row["adjmat"], row["parameters"], _NOISE.sub("", label))
        code = "N" if found is None else found[1]
        score = float(row.get(metric) or 0.0)
        yield Trial(str(row[by]), case, row["seed"], code, None if failed else score)


def _is_empty(row: Row) -> bool:
    """Whether the learned graph has no edge: Bayesys's F1 of it is not defined."""
    return row.get("TP_skel") == 0 and row.get("FP_skel") == 0


def noise_trials(runs: Iterable[NoiseRun]) -> Iterator[Trial]:
    """The runs of a study of noisy data, by their F1; a graph without edges has 0."""
    for run in runs:
        score = None if run.failure is not None else run.f1 or 0.0
        yield Trial(run.algorithm, (run.network, run.n), run.seed, run.code, score)


def kind_of(code: str) -> tuple[str, float] | None:
    """Kind and rate of a noise experiment; None where several kinds have different rates.

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
    """Curves by kind of noise.

    A curve begins with the clean data. Learners that failed there have none: there is no accuracy
    to keep. Curves of a kind end at the same rate, the largest that any has; data on which that
    rate has no meaning, or for which it was not asked, are left out.
    """
    clean: dict[tuple[Any, ...], float] = {}
    noisy: dict[str, dict[tuple[Any, ...], dict[float, float | None]]] = {}
    for trial in trials:
        place = (trial.name, trial.case, trial.seed)
        found = None if trial.code == "N" else kind_of(trial.code)
        if trial.code == "N" and trial.score is not None:
            clean[place] = trial.score
        elif found is not None:
            noisy.setdefault(found[0], {}).setdefault(place, {})[found[1]] = trial.score
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
    return {place: found for place, found in places.items() if top in found and place in known}


def _curve(place: tuple[Any, ...], clean: float, points: Mapping[float, float | None]) -> Curve:
    rates = sorted(points)
    scores = [clean, *(points[rate] or 0.0 for rate in rates)]
    failed = frozenset(rate for rate, score in points.items() if score is None)
    name, case, seed = place
    found = np.array(scores, dtype=np.float64)
    return Curve(name, case, seed, np.array([0.0, *rates]), found, failed)


def _order(kind: str) -> tuple[int, list[int], str]:
    """Single kinds first, in the order of the letters."""
    letters = kind.removesuffix(TRUE_MISSING)
    return len(letters), [list(LETTERS).index(letter) for letter in letters], kind


def n_kinds(kind: str) -> int:
    """How many kinds of noise are at work together."""
    return len(kind.removesuffix(TRUE_MISSING))
