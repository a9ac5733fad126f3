"""Cells of a table of means with the best of each column in bold."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from dagathlon.evaluate.metric import measure_of
from dagathlon.frame import Rows
from dagathlon.report.section import Html


def best_cells(
    rows: Rows, metrics: Sequence[str], format_as: str = ".4g"
) -> list[list[str | None]]:
    """For each row the cells of some metrics; the best of those rows is bold.

    Parameters
    ----------
    rows
        Means by name, all on one kind of data; a standard error as ``<metric>_se`` stands behind. A
        mean of fewer data sets (``<metric>_n``) than others says so and does not compete.
    metrics
        The columns, which say whether more or less is better.
    format_as
        How numbers are written.
    """
    columns = [_column(rows, metric, format_as) for metric in metrics]
    return [list(cells) for cells in zip(*columns, strict=True)] if columns else [[] for _ in rows]


def _column(rows: Rows, metric: str, format_as: str) -> list[str | None]:
    most = max((row.get(f"{metric}_n", 0) for row in rows), default=0)
    best = _best([row for row in rows if row.get(f"{metric}_n", most) == most], metric)
    return [_cell(row, metric, best, format_as, most) for row in rows]


def _best(rows: Rows, metric: str) -> float | None:
    values = [float(row[metric]) for row in rows if row.get(metric) is not None]
    if len(values) < 2:
        return None
    return max(values) if measure_of(metric).better == "more" else min(values)


def _cell(
    row: Mapping[str, Any], metric: str, best: float | None, format_as: str, most: int
) -> str | None:
    value, error = row.get(metric), row.get(f"{metric}_se")
    if value is None:
        return None
    text = f"{value:{format_as}}" if error is None else f"{value:{format_as}} ± {error:{format_as}}"
    n = row.get(f"{metric}_n", most)
    if n != most:
        return f"{text} ({n} of {most})"
    return Html(f"<b>{text}</b>") if value == best else text
