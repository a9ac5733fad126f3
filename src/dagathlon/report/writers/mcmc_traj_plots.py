"""``mcmc_traj_plots``: the score or the size of the graphs along each chain."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from dagathlon.report.chains import Series, grouped, series_of
from dagathlon.report.charts.parts import headed
from dagathlon.report.charts.trajectories import trajectories
from dagathlon.report.context import Context
from dagathlon.report.files import write_columns
from dagathlon.report.render import save
from dagathlon.study.grammar.evaluation import McmcTrajPlots

EVALUATION = McmcTrajPlots

_MOST_POINTS = 800


def write(context: Context, evaluations: Sequence[McmcTrajPlots]) -> None:
    """One table of all trajectories, and figures by sampler and by setting."""
    folder = context.folder / "mcmc_traj_plots"
    series = [one for _, one in series_of(context, evaluations)]
    if not series:
        return
    write_columns(
        [({"sample": one.sample, "plotvalue": one.value}, one.labels()) for one in series],
        folder / "mcmc_filled_trajs.csv",
    )
    _write_figures(series, folder / "multi_param_settings", single=False)
    _write_figures(series, folder / "single_param_settings", single=True)


def _write_figures(series: Sequence[Series], folder: Path, single: bool) -> None:
    for number, group in enumerate(grouped(series, single), 1):
        labels = group[0].labels()
        colour = "mcmc_seed" if single else "param_val"
        heading = "chain" if single else str(labels["param"])
        rows = [point for i, one in enumerate(group) for point in _points(one, i)]
        chart = trajectories(rows, labels["functional"], colour, heading)
        save(
            headed(chart, str(labels["id"]), heading_lines(labels, single)),
            folder / f"{number}.png",
        )


def heading_lines(labels: dict[str, Any], single: bool) -> list[str]:
    """What stands under the title of a figure about chains."""
    lines = [str(labels[name]) for name in ("adjmat", "parameters") if labels[name] != "None"]
    lines.append(f"{labels['data']}, seed {labels['seed']}")
    if single and labels["param"] != "id":
        lines.append(f"{labels['param']} = {labels['param_val']}")
    return lines


def _points(series: Series, chain: int) -> Iterator[dict[str, Any]]:
    """Points of a line, thinned to what a figure can show."""
    labels = series.labels()
    shown = {"mcmc_seed": str(labels["mcmc_seed"]), "param_val": labels["param_val"]}
    count = len(series.sample)
    for i in np.linspace(0, count - 1, min(count, _MOST_POINTS)).astype(int).tolist():
        value = float(series.value[i])
        if np.isfinite(value):
            yield {"sample": int(series.sample[i]), "value": value, "chain": chain, **shown}
