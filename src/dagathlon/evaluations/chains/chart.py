"""A functional of the graphs along Markov chains, and its autocorrelation."""

from __future__ import annotations

from collections.abc import Sequence

from dagathlon.frame import Rows
from dagathlon.report.charts.parts import HEIGHT, Chart, nothing
from dagathlon.report.figures.palette import PALETTE

_WIDTH = 620
FUNCTIONALS = {"score": "score", "size": "number of edges"}


def trajectories(rows: Rows, functional: str, colour: str, heading: str) -> Chart:
    """Plot a functional along the chains, one line per chain.

    Parameters
    ----------
    rows
        Points: `sample`, `value`, `chain` (which line), and the column of the colour.
    functional
        What is plotted: score or size.
    colour
        Column that colours the lines.
    heading
        Title of the legend.
    """
    if not rows:
        return nothing("there is no chain")
    y = {"field": "value", "title": FUNCTIONALS[functional], "scale": {"zero": False}}
    return _lines(rows, {"field": "sample", "title": "state of the chain"}, y, colour, heading)


def autocorrelations(rows: Rows, colour: str, heading: str) -> Chart:
    """Plot autocorrelation against lag, one line per chain.

    Parameters
    ----------
    rows
        Points: `lag`, `value`, `chain`, and the column of the colour.
    colour
        Column that colours the lines.
    heading
        Title of the legend.
    """
    if not rows:
        return nothing("there is no chain")
    y = {"field": "value", "title": "autocorrelation", "scale": {"domain": [-1, 1]}}
    chart = _lines(rows, {"field": "lag", "title": "lag"}, y, colour, heading)
    zero: Chart = {"data": {"values": [{"y": 0}]}, "mark": {"type": "rule", "opacity": 0.5}}
    zero["encoding"] = {"y": {"field": "y", "type": "quantitative"}}
    size = {key: chart.pop(key) for key in ("width", "height")}
    return {**size, "layer": [zero, chart]}


def stems(rows: Rows, bound: float) -> Chart:
    """Plot the autocorrelation of one chain, with the band expected of white noise.

    Parameters
    ----------
    rows
        Points: `lag` and `value`.
    bound
        Half the width of the band.
    """
    value = {"field": "value", "type": "quantitative", "title": "autocorrelation"}
    lag = {"field": "lag", "type": "quantitative", "title": "lag"}
    band: Chart = {
        "data": {"values": [{"low": -bound, "high": bound}]},
        "mark": {"type": "rect", "opacity": 0.15, "color": PALETTE[0]},
        "encoding": {"y": {"field": "low", "type": "quantitative"}, "y2": {"field": "high"}},
    }
    encoding = {"x": lag, "y": value | {"scale": {"domain": [-1, 1]}}}
    stem: Chart = {
        "mark": {"type": "rule", "color": PALETTE[0]},
        "encoding": encoding | {"y2": {"datum": 0}},
    }
    point: Chart = {"mark": {"type": "point", "filled": True, "color": PALETTE[0]}}
    return {
        "width": _WIDTH,
        "height": HEIGHT,
        "data": {"values": list(rows)},
        "layer": [band, stem, point | {"encoding": encoding}],
    }


def _lines(rows: Rows, x: Chart, y: Chart, colour: str, heading: str) -> Chart:
    domain: Sequence[str] = sorted({str(row[colour]) for row in rows}, key=_natural)
    range_ = [PALETTE[i % len(PALETTE)] for i in range(len(domain))]
    return {
        "width": _WIDTH,
        "height": HEIGHT,
        "data": {"values": list(rows)},
        "mark": {"type": "line", "strokeWidth": 1.2, "opacity": 0.85},
        "encoding": {
            "x": {"type": "quantitative", "scale": {"zero": False}} | x,
            "y": {"type": "quantitative"} | y,
            "detail": {"field": "chain"},
            "color": {
                "field": colour,
                "type": "nominal",
                "title": heading,
                "scale": {"domain": domain, "range": range_},
            },
        },
    }


def _natural(text: str) -> tuple[float, str]:
    try:
        return float(text), text
    except ValueError:
        return float("inf"), text
