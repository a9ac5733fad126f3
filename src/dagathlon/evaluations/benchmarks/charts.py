"""``charts``: charts by their names, ours and the user's."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, cast

from dagathlon.errors import StudyError
from dagathlon.modules import find
from dagathlon.modules.spec import single_values
from dagathlon.report.evaluation import OfLearners, Table, TableSet
from dagathlon.report.figures.chart import Drawing, StudyChart
from dagathlon.report.results import Results
from dagathlon.report.section import Figure, Part, Picture, Section
from dagathlon.report.tables.runs import named


@dataclass(frozen=True, kw_only=True)
class Charts(OfLearners):
    """Draw charts of the runs; ``dagathlon modules`` lists them.

    Parameters
    ----------
    charts
        Names with parameters in brackets: ``boxes[metric=F1_skel]``.
    ids
        Algorithms to include; none means all that the other evaluations name.
    """

    name = "charts"
    on_page = True
    charts: tuple[str, ...]
    ids: tuple[str, ...] = ()

    def problem(self) -> str:
        """Return an error unless all charts are known and their parameters valid."""
        try:
            _ = [chart_named(text) for text in self.charts]
        except StudyError as error:
            return str(error)
        return ""

    def tables(self, results: Results) -> Mapping[str, Table]:
        """Return the runs, and the requested charts."""
        runs = named(results.rows(self.included(results)), results.algorithms)
        return {"runs": Table(runs), "charts": Table([{"chart": text} for text in self.charts])}

    def figures(self, tables: TableSet) -> Iterator[tuple[str, Drawing]]:
        """Draw each requested chart as SVG and PNG; repeated names are numbered."""
        taken: list[str] = []
        for chart, drawing in _drawn(tables):
            taken.append(chart.name)
            number = taken.count(chart.name)
            yield chart.name if number == 1 else f"{chart.name}-{number}", drawing

    def section(self, tables: TableSet) -> Section:
        """Show the charts in the order of the request."""
        parts: list[Part] = []
        for number, (chart, drawing) in enumerate(_drawn(tables), start=1):
            labels = (f"chart-{number}", chart.question or chart.summary(), chart.caption)
            variants: list[tuple[str, Any]] = [(chart.name, drawing)]
            kind = Picture if isinstance(drawing, str) else Figure
            parts.append(kind(*labels, variants))
        return Section("charts", "Charts", parts)


def chart_named(text: str) -> StudyChart:
    """Return the chart that a text such as ``boxes[metric=time]`` names."""
    name, values = single_values(text)
    return cast(StudyChart, find("chart", name, text).from_json(values, name))


def _drawn(tables: TableSet) -> Iterator[tuple[StudyChart, Drawing]]:
    for row in tables.rows("charts"):
        chart = chart_named(str(row["chart"]))
        yield chart, chart.draw(tables.rows("runs"), tables.look)
