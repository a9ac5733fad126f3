"""``mcmc_autocorr_plots``: autocorrelation of the score or the size along each chain."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from dagathlon.evaluate.chains import autocorrelation
from dagathlon.report.chains import Series, grouped, series_of
from dagathlon.report.charts.parts import headed
from dagathlon.report.charts.trajectories import autocorrelations, stems
from dagathlon.report.context import Context
from dagathlon.report.files import write_columns
from dagathlon.report.render import save
from dagathlon.report.writers.mcmc_traj_plots import heading_lines
from dagathlon.study.grammar.evaluation import McmcAutocorrPlots

EVALUATION = McmcAutocorrPlots

_DEFAULT_LAGS = 50
# Benchpress spells the folder of single chains so.
_INDIVIDUAL = "induvidual"
_WHITE_NOISE = 1.96


class _Correlated(NamedTuple):
    """A series with its autocorrelations at lags 1, 2, …, in states of the chain."""

    series: Series
    lag: npt.NDArray[np.int64]
    value: npt.NDArray[np.float64]


def write(context: Context, evaluations: Sequence[McmcAutocorrPlots]) -> None:
    """One table, figures by sampler and by setting, and one figure for each chain."""
    folder = context.folder / "mcmc_autocorr_plots"
    found = [_correlated(*one) for one in series_of(context, evaluations)]
    if not found:
        return
    columns = [({"lag": one.lag, "autocorr": one.value}, one.series.labels()) for one in found]
    write_columns(columns, folder / "joined_autocorr.csv")
    _write_figures(found, folder / "multi_param_settings", single=False)
    _write_figures(found, folder / "single_param_settings", single=True)
    for number, one in enumerate(found, 1):
        labels = one.series.labels()
        chart = stems(_points(one, 0), _WHITE_NOISE / max(len(one.series.sample), 1) ** 0.5)
        lines = [*heading_lines(labels, single=True), f"chain {labels['mcmc_seed']}"]
        path = folder / _INDIVIDUAL / f"mcmc_autocorr_{number}.png"
        save(headed(chart, str(labels["id"]), lines), path)


def _correlated(evaluation: Any, series: Series) -> _Correlated:
    lags = evaluation.lags or _DEFAULT_LAGS
    value = autocorrelation(series.value, lags)
    lag = np.arange(1, len(value) + 1, dtype=np.int64) * (evaluation.thinning or 1)
    return _Correlated(series, lag, value)


def _write_figures(found: Sequence[_Correlated], folder: Path, single: bool) -> None:
    by_series = {id(one.series): one for one in found}
    for number, group in enumerate(grouped((one.series for one in found), single), 1):
        labels = group[0].labels()
        colour = "mcmc_seed" if single else "param_val"
        heading = "chain" if single else str(labels["param"])
        rows = [p for i, one in enumerate(group) for p in _points(by_series[id(one)], i)]
        chart = autocorrelations(rows, colour, heading)
        path = folder / f"{number}.png"
        save(headed(chart, str(labels["id"]), heading_lines(labels, single)), path)


def _points(one: _Correlated, chain: int) -> list[dict[str, Any]]:
    labels = one.series.labels()
    shown = {"mcmc_seed": str(labels["mcmc_seed"]), "param_val": labels["param_val"]}
    return [
        {"lag": int(lag), "value": float(value), "chain": chain, **shown}
        for lag, value in zip(one.lag, one.value, strict=True)
        if np.isfinite(value)
    ]
