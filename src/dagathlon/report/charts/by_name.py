"""Charts that a study asks for by name, of any metric."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from dagathlon.evaluate.ranking.summary import roc_summary
from dagathlon.frame import Rows
from dagathlon.report.charts.boxes import boxes
from dagathlon.report.charts.cost import accuracy_against_cost
from dagathlon.report.charts.parts import Chart
from dagathlon.report.charts.roc import RocOptions, roc
from dagathlon.report.figures.chart import Drawing, StudyChart
from dagathlon.report.figures.palette import Look
from dagathlon.report.tables.runs import curve_name

Runs = Rows


@dataclass(frozen=True, kw_only=True)
class BoxChart(StudyChart):
    """Box per setting, or single runs where they are few.

    Parameters
    ----------
    metric
        The column to show.
    log
        Whether the axis is logarithmic.
    """

    name = "boxes"
    question = "How good is each setting?"
    caption = "Quartiles over runs, whiskers to 1.5 times their distance; a handful are points."
    metric: str = "SHD_cpdag"
    log: bool = False

    def draw(self, runs: Runs, look: Look) -> Drawing:
        """Draw the boxes."""
        return boxes(runs, self.metric, look, log=self.log)


@dataclass(frozen=True, kw_only=True)
class RocChart(StudyChart):
    """Two metrics against each other: a point per setting, a line per algorithm.

    Parameters
    ----------
    x, y
        The columns on the axes.
    """

    name = "roc"
    question = "How do two metrics trade off?"
    caption = "Medians over runs; a line joins the settings of one algorithm."
    x: str = "FPRn_pattern"
    y: str = "TPR_pattern"

    def draw(self, runs: Runs, look: Look) -> Drawing:
        """Draw the points and lines."""
        return roc(runs, _settings(runs), (self.x, self.y), look, RocOptions())


@dataclass(frozen=True, kw_only=True)
class CostChart(StudyChart):
    """Metric against cost for each setting, with the Pareto front.

    Parameters
    ----------
    metric
        What is achieved.
    cost
        What it costs.
    """

    name = "cost"
    question = "What does accuracy cost?"
    caption = "Medians over runs; the line joins settings that no cheaper one equals."
    metric: str = "SHD_cpdag"
    cost: Literal["time", "memory"] = "time"

    def draw(self, runs: Runs, look: Look) -> Drawing:
        """Draw the points and the front."""
        return accuracy_against_cost(_settings(runs), self.metric, self.cost, look)


def _settings(runs: Runs) -> list[Chart]:
    return [row | {"setting": curve_name(row)} for row in roc_summary(runs)]
