"""``ggally_ggpairs``: scatter plots, densities and correlations of all pairs of variables.

Panels are made of shapes in unit coordinates of their cells and written as SVG: there are tens of
thousands of them in a figure, for which a chart of marks and scales would take seconds.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from html import escape
from typing import NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from dagathlon.data import Dataset
from dagathlon.report.evaluation import Evaluation
from dagathlon.report.figures.chart import Drawing
from dagathlon.report.results import Results

Floats: TypeAlias = npt.NDArray[np.float64]

MOST_VARIABLES = 25
# Points of a panel: fewer where panels are many, for each is small.
_MOST_ROWS, _MOST_POINTS = 250, 30_000
_BINS = 16
_SIDE = 1000
_MARGIN = 6
_LOW, _HIGH = 0.06, 0.94


def pairs(dataset: Dataset) -> str:
    """Draw a panel for each pair of variables, with the variable on the diagonal, as SVG text.

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
        return _svg(['<text x="8" y="36" class="name">the data set is empty</text>'], 320, 13)
    columns = [_Column(dataset, name) for name in names]
    step = min(170, max(28, _SIDE // len(names)))
    most = min(_MOST_ROWS, _MOST_POINTS // (len(names) * (len(names) - 1) // 2 + 1))
    parts = []
    for row, low in enumerate(columns):
        for column, across in enumerate(columns):
            shapes = list(_panel(across, low, (row, column), most))
            drawn = _dots(shapes, step) + "".join(_drawn(shape, step) for shape in shapes)
            place = f"translate({_MARGIN + column * step} {_MARGIN + row * step})"
            frame = f'<rect class="frame" width="{step}" height="{step}"/>'
            parts.append(f'<g transform="{place}">{frame}{drawn}</g>')
    return _svg(parts, step * len(names) + 2 * _MARGIN, max(7, min(13, step // 6)))


class _Shape(NamedTuple):
    """Shape in unit coordinates of its panel, y upwards; points and texts have one corner."""

    kind: str
    x: float
    y: float
    x2: float = 0.0
    y2: float = 0.0
    weight: float = 1.0
    text: str = ""


def _drawn(shape: _Shape, step: float) -> str:
    """Return the SVG element of a shape, styled by its class."""
    x, x2 = (round(value * step, 1) for value in (shape.x, shape.x2))
    y, y2 = (round((1 - value) * step, 1) for value in (shape.y, shape.y2))
    kind = shape.kind
    if kind == "point":
        return ""
    opacity = "" if shape.weight == 1.0 else f' fill-opacity="{shape.weight:.3g}"'
    if kind in ("name", "number"):
        return f'<text class="{kind}" x="{x:g}" y="{y:g}"{opacity}>{_text(shape.text)}</text>'
    if kind in ("line", "middle", "fit"):
        return f'<line class="{kind}" x1="{x:g}" y1="{y:g}" x2="{x2:g}" y2="{y2:g}"/>'
    size = f'width="{abs(x2 - x):.3g}" height="{abs(y2 - y):.3g}"'
    return f'<rect class="{kind}" x="{min(x, x2):g}" y="{min(y, y2):g}" {size}{opacity}/>'


def _dots(shapes: list[_Shape], step: float) -> str:
    """Return the points of a panel as one SVG path, faster to render than single elements."""
    dots = "".join(
        f"M{s.x * step:.1f} {(1 - s.y) * step:.1f}h.01" for s in shapes if s.kind == "point"
    )
    return f'<path class="point" d="{dots}"/>' if dots else ""


def _text(text: str) -> str:
    return escape("".join(a if a.isprintable() else "\ufffd" for a in text), quote=False)


def _svg(parts: list[str], side: float, size: int) -> str:
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{side:g}" height="{side:g}">'
        f"<style>{_STYLE.replace('SMALL', str(size)).replace('LARGE', str(size + 1))}</style>"
        f'<rect width="100%" height="100%" fill="white"/>{"".join(parts)}</svg>'
    )


_STYLE = """
.frame { fill: none; stroke: #d5d8dc }
.bar, .box { fill: #56b4e9 }
.tile { fill: #0072b2 }
.line { stroke: #1b1f24; stroke-opacity: .5 }
.middle { stroke: #1b1f24; stroke-width: 1.5 }
.point { stroke: #4c78a8; stroke-opacity: .6; stroke-width: 2.4; stroke-linecap: round; fill: none }
.fit { stroke: #d55e00; stroke-width: 1.5 }
text { font-family: Helvetica, Arial, sans-serif; fill: #1b1f24; text-anchor: middle;
  dominant-baseline: middle }
.name { font-size: SMALLpx; font-weight: bold }
.number { font-size: LARGEpx }
"""


class _Column:
    """Variable in unit coordinates: values of a continuous one, codes of a discrete one."""

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
        """Return the interval of a level along its axis."""
        width = (_HIGH - _LOW) / len(self.levels or (0,))
        return _LOW + code * width + 0.1 * width, _LOW + (code + 1) * width - 0.1 * width


def _panel(across: _Column, along: _Column, place: tuple[int, int], most: int) -> Iterator[_Shape]:
    """Yield the shapes of one panel, with at most that many points."""
    row, column = place
    if row == column:
        yield from _histogram(across)
        yield _Shape("name", 0.5, 0.93, text=across.name)
    elif across.is_discrete and along.is_discrete:
        yield from _tiles(across, along)
    elif across.is_discrete or along.is_discrete:
        yield from _boxes(across, along)
    elif row > column:
        yield from _points(across, along, most)
    else:
        yield from _correlation(across, along)


def _histogram(variable: _Column) -> Iterator[_Shape]:
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
        yield _Shape("bar", left, _LOW, right, _LOW + 0.72 * count / top)


def _points(across: _Column, along: _Column, most: int) -> Iterator[_Shape]:
    known = ~(np.isnan(across.unit) | np.isnan(along.unit))
    x, y = across.unit[known], along.unit[known]
    for i in np.linspace(0, len(x) - 1, min(len(x), most)).astype(int).tolist():
        yield _Shape("point", float(x[i]), float(y[i]))
    if len(x) > 2 and np.ptp(x):
        slope, start = np.polyfit(x, y, 1)
        ends = [float(np.clip(start + slope * at, 0, 1)) for at in (_LOW, _HIGH)]
        yield _Shape("fit", _LOW, ends[0], _HIGH, ends[1])


def _correlation(across: _Column, along: _Column) -> Iterator[_Shape]:
    known = ~(np.isnan(across.unit) | np.isnan(along.unit))
    x, y = across.unit[known], along.unit[known]
    if len(x) > 2 and np.ptp(x) and np.ptp(y):
        r = float(np.corrcoef(x, y)[0, 1])
        yield _Shape("number", 0.5, 0.5, weight=0.35 + 0.65 * abs(r), text=f"{r:.2f}")


def _tiles(across: _Column, along: _Column) -> Iterator[_Shape]:
    known = ~(np.isnan(across.values) | np.isnan(along.values))
    width, height = len(across.levels or ()), len(along.levels or ())
    codes = across.values[known].astype(int) * height + along.values[known].astype(int)
    counts = np.bincount(codes, minlength=width * height)
    for code in np.flatnonzero(counts).tolist():
        left, right = across.slot(code // height)
        low, high = along.slot(code % height)
        yield _Shape("tile", left, low, right, high, float(counts[code] / counts.max()))


def _boxes(across: _Column, along: _Column) -> Iterator[_Shape]:
    """Yield box plots of the continuous variable for each level of the discrete one."""
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
            yield _Shape(kind, a, b, c, d)


@dataclass(frozen=True, kw_only=True)
class Pairs(Evaluation):
    """Plot every pair of variables of the data."""

    name = "ggally_ggpairs"
    shape = "flag"

    def files(self, results: Results) -> Iterator[tuple[str, Drawing]]:
        """Draw one picture per data set; data sets shared by settings are drawn once."""
        cases = {case.data: case for case in reversed(results.cases)}
        for number, position in enumerate(dict.fromkeys(c.data for c in results.cases), 1):
            data = results.data(cases[position])
            if data is not None:
                yield f"pairs_{number}.png", pairs(data)
