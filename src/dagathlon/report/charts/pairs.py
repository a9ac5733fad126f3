"""Every pair of variables of a data set, in one matrix of small panels.

Each panel is drawn in unit coordinates of its cell, so that the whole matrix is one chart of a few
layers however many variables there are.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from dagathlon.data import Dataset
from dagathlon.report.charts.parts import Chart, nothing

Shape: TypeAlias = dict[str, Any]
Floats: TypeAlias = npt.NDArray[np.float64]

MOST_VARIABLES = 25
_MOST_ROWS = 250
_BINS = 16
_SIDE = 1000
_LOW, _HIGH = 0.06, 0.94


def pairs(dataset: Dataset) -> Chart:
    """A panel for each pair of variables, the variable itself on the diagonal.

    Two continuous variables: points with a fitted line below the diagonal, the correlation above.
    Two discrete ones: a tile for each pair of levels, darker where it is frequent. One of each:
    a box for each level. The first `MOST_VARIABLES` variables are shown.

    Parameters
    ----------
    dataset
        The data; rows with a missing value in one of two variables are left out of their panel.
    """
    names = dataset.names[:MOST_VARIABLES]
    if not names or not len(dataset):
        return nothing("the data set is empty")
    columns = [_Column(dataset, name) for name in names]
    shapes = [
        dict(zip(_FIELDS, shape, strict=True))
        for row, low in enumerate(columns)
        for column, across in enumerate(columns)
        for shape in _placed(_panel(across, low, row, column), row, column)
    ]
    step = min(170, max(28, _SIDE // len(names)))
    side = step * len(names)
    return {
        "width": side,
        "height": side,
        "data": {"values": shapes},
        "encoding": {"x": _position(names), "y": _position(names, reverse=True)},
        "layer": _layers(step),
    }


_FIELDS = ("kind", "x", "y", "x2", "y2", "weight", "text")


class _Column:
    """A variable in unit coordinates: values of a continuous one, codes of a discrete one."""

    def __init__(self, dataset: Dataset, name: str) -> None:
        self.name = name
        variable = dataset.variables[dataset.position(name)]
        self.levels = variable.levels
        raw = np.asarray(dataset.column(name), dtype=float)
        if self.levels is not None:
            raw = np.where(raw >= len(self.levels), np.nan, raw)
        self.values: Floats = raw
        low, high = (np.nanmin(raw), np.nanmax(raw)) if not np.all(np.isnan(raw)) else (0.0, 1.0)
        self.unit: Floats = _LOW + (_HIGH - _LOW) * (raw - low) / (high - low or 1.0)

    @property
    def is_discrete(self) -> bool:
        return self.levels is not None

    def slot(self, code: int) -> tuple[float, float]:
        """The room of a level along its axis."""
        width = (_HIGH - _LOW) / len(self.levels or (0,))
        return _LOW + code * width + 0.1 * width, _LOW + (code + 1) * width - 0.1 * width


def _panel(across: _Column, along: _Column, row: int, column: int) -> Iterator[tuple[Any, ...]]:
    """Shapes of one panel, in unit coordinates, y upwards."""
    if row == column:
        yield from _histogram(across)
        yield "name", 0.5, 0.93, None, None, 1.0, across.name
    elif across.is_discrete and along.is_discrete:
        yield from _tiles(across, along)
    elif across.is_discrete or along.is_discrete:
        yield from _boxes(across, along)
    elif row > column:
        yield from _points(across, along)
    else:
        yield from _correlation(across, along)


def _histogram(variable: _Column) -> Iterator[tuple[Any, ...]]:
    known = variable.values[~np.isnan(variable.values)]
    if variable.levels is not None:
        counts = np.bincount(known.astype(int), minlength=len(variable.levels))
        edges = [variable.slot(code) for code in range(len(counts))]
    else:
        unit = variable.unit[~np.isnan(variable.unit)]
        counts, bounds = np.histogram(unit, bins=_BINS, range=(_LOW, _HIGH))
        edges = list(zip(bounds[:-1].tolist(), bounds[1:].tolist(), strict=True))
    top = max(int(counts.max(initial=1)), 1)
    for (left, right), count in zip(edges, counts.tolist(), strict=True):
        yield "bar", left, _LOW, right, _LOW + 0.72 * count / top, 1.0, ""


def _points(across: _Column, along: _Column) -> Iterator[tuple[Any, ...]]:
    known = ~(np.isnan(across.unit) | np.isnan(along.unit))
    x, y = across.unit[known], along.unit[known]
    for i in np.linspace(0, len(x) - 1, min(len(x), _MOST_ROWS)).astype(int).tolist():
        yield "point", float(x[i]), float(y[i]), None, None, 1.0, ""
    if len(x) > 2 and np.ptp(x):
        slope, start = np.polyfit(x, y, 1)
        ends = [float(np.clip(start + slope * at, 0, 1)) for at in (_LOW, _HIGH)]
        yield "fit", _LOW, ends[0], _HIGH, ends[1], 1.0, ""


def _correlation(across: _Column, along: _Column) -> Iterator[tuple[Any, ...]]:
    known = ~(np.isnan(across.unit) | np.isnan(along.unit))
    x, y = across.unit[known], along.unit[known]
    if len(x) > 2 and np.ptp(x) and np.ptp(y):
        r = float(np.corrcoef(x, y)[0, 1])
        yield "number", 0.5, 0.5, None, None, 0.35 + 0.65 * abs(r), f"{r:.2f}"


def _tiles(across: _Column, along: _Column) -> Iterator[tuple[Any, ...]]:
    known = ~(np.isnan(across.values) | np.isnan(along.values))
    width, height = len(across.levels or ()), len(along.levels or ())
    codes = across.values[known].astype(int) * height + along.values[known].astype(int)
    counts = np.bincount(codes, minlength=width * height)
    for code in np.flatnonzero(counts).tolist():
        left, right = across.slot(code // height)
        low, high = along.slot(code % height)
        yield "tile", left, low, right, high, float(counts[code] / counts.max()), ""


def _boxes(across: _Column, along: _Column) -> Iterator[tuple[Any, ...]]:
    """Quartiles and range of the continuous variable for each level of the discrete one."""
    upright = across.is_discrete
    by, of = (across, along) if upright else (along, across)
    for code in range(len(by.levels or ())):
        values = of.unit[(by.values == code) & ~np.isnan(of.unit)]
        if not len(values):
            continue
        least, low, middle, high, most = np.quantile(values, (0, 0.25, 0.5, 0.75, 1)).tolist()
        left, right = by.slot(code)
        centre = (left + right) / 2
        for kind, ends in (
            ("line", (centre, least, centre, most)),
            ("box", (left, low, right, high)),
            ("middle", (left, middle, right, middle)),
        ):
            a, b, c, d = ends if upright else (ends[1], ends[0], ends[3], ends[2])
            yield kind, a, b, c, d, 1.0, ""


def _placed(shapes: Iterator[tuple[Any, ...]], row: int, column: int) -> Iterator[tuple[Any, ...]]:
    """Shapes of a panel moved to its cell; rows go down."""
    for kind, x, y, x2, y2, weight, text in shapes:
        moved = [None if v is None else round(v + column, 4) for v in (x, x2)]
        down = [None if v is None else round(row + 1 - v, 4) for v in (y, y2)]
        yield kind, moved[0], down[0], moved[1], down[1], round(weight, 3), text


def _position(names: tuple[str, ...], reverse: bool = False) -> dict[str, Any]:
    ticks = list(range(len(names) + 1))
    return {
        "field": "y" if reverse else "x",
        "type": "quantitative",
        "title": None,
        "scale": {"domain": [0, len(names)], "nice": False, "reverse": reverse},
        "axis": {"values": ticks, "labels": False, "ticks": False, "gridOpacity": 0.35},
    }


def _layers(step: int) -> list[Chart]:
    size = max(7, min(13, step // 6))
    ends = {"x2": {"field": "x2"}, "y2": {"field": "y2"}}
    weight = {"field": "weight", "type": "quantitative", "scale": None, "legend": None}
    text = {"text": {"field": "text"}}
    return [
        _layer("bar", {"type": "rect", "color": "#56b4e9"}, ends),
        _layer("tile", {"type": "rect", "color": "#0072b2"}, ends | {"fillOpacity": weight}),
        _layer("line", {"type": "rule", "opacity": 1, "strokeOpacity": 0.5}, ends),
        _layer("box", {"type": "rect", "color": "#56b4e9"}, ends),
        _layer("middle", {"type": "rule", "strokeWidth": 1.5}, ends),
        _layer(
            "point",
            {"type": "point", "filled": True, "size": 5, "opacity": 1, "fillOpacity": 0.5},
            {},
        ),
        _layer("fit", {"type": "rule", "color": "#d55e00", "strokeWidth": 1.5}, ends),
        _layer("number", {"type": "text", "fontSize": size + 1}, text | {"fillOpacity": weight}),
        _layer("name", {"type": "text", "fontSize": size, "fontWeight": "bold"}, text),
    ]


def _layer(kind: str, mark: dict[str, Any], encoding: dict[str, Any]) -> Chart:
    only = {"filter": f"datum.kind == '{kind}'"}
    return {"transform": [only], "mark": mark, "encoding": encoding}
