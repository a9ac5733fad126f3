"""Charts of posteriors: probabilities of edges, calibration, traces, distance against cost."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from dagathlon.evaluations.no_truth.agreement_chart import MOST_EDGES, tiles
from dagathlon.frame import Rows
from dagathlon.posteriors.packed import Bools, Floats
from dagathlon.report.charts.matrix import frequency_plot
from dagathlon.report.charts.parts import HEIGHT, WIDTH, Chart, has_values, nothing, tooltip
from dagathlon.report.figures.palette import GREY, PALETTE, Look
from dagathlon.report.words import title

TRUTH = "truth"
_TRUE = "#dd4b26"
_FLOOR = 1e-4
_FEW_NODES, _MANY_NODES, _LARGE_STEP = 14, 40, 36
# Logarithms show the difference between good and very good; edges are counted on a plain axis.
_LOGARITHMIC = ("edge_error", "graph_mmd")
_AXES = {
    "edge_error": "largest error of an edge's probability ↓",
    "graph_mmd": "Graph MMD to the reference ↓",
    "e_shd": "expected SHD to the true graph ↓",
}


def belief_matrix(
    names: Sequence[str], edges: Floats, truth: Bools | None, least: float = 0.005
) -> Chart:
    """Probabilities of edges as a matrix from row to column; true edges have a frame.

    Parameters
    ----------
    names
        The nodes.
    edges
        Probabilities.
    truth
        The true graph, if there is one.
    least
        Smallest probability that is shown.
    """
    chart = frequency_plot(names, np.where(edges >= least, edges, 0.0), "probability")
    shown = {"field": "value", "title": "probability", "format": ".3f"}
    chart["encoding"]["tooltip"].append(shown)
    if len(names) <= _FEW_NODES:
        chart |= {"width": {"step": _LARGE_STEP}, "height": {"step": _LARGE_STEP}}
    if truth is None:
        return chart
    cells = [{"from": names[i], "to": names[j]} for i, j in np.argwhere(truth)]
    thick = 2 if len(names) <= _MANY_NODES else 1
    mark = {"type": "rect", "filled": False, "stroke": _TRUE, "strokeWidth": thick}
    frame: Chart = {"data": {"values": cells}, "mark": mark, "encoding": {"tooltip": None}}
    return chart | {"layer": [*chart["layer"], frame]}


def edges_by_method(
    names: Sequence[str], beliefs: Mapping[str, Floats], truth: Bools | None, mark: str = "→"
) -> Chart:
    """The edges that some method holds for most probable, with what each method says.

    Parameters
    ----------
    names
        The nodes.
    beliefs
        Probabilities of edges, by method.
    truth
        The true graph, if there is one.
    mark
        What stands between the two names of an edge.
    """
    columns = ({} if truth is None else {TRUTH: truth.astype(float)}) | dict(beliefs)
    largest = np.max(list(columns.values()), axis=0)
    mean = np.mean(list(beliefs.values()), axis=0)
    order = np.lexsort((np.arange(mean.size), -np.round(mean.ravel(), 9)))
    cells = [divmod(int(k), len(names)) for k in order if largest.ravel()[k] >= _SHOWN]
    if not cells:
        return nothing("no edge is probable")
    rows = [
        {"edge": f"{names[i]} {mark} {names[j]}", "method": name, "value": float(matrix[i, j])}
        for i, j in cells[:MOST_EDGES]
        for name, matrix in columns.items()
    ]
    return tiles(rows, ("method", list(columns)), ("edge", None), "value", "probability")


# Edges that every method holds for less probable stand in the table alone.
_SHOWN = 0.05


def reliability_plot(rows: Rows, look: Look) -> Chart:
    """Observed shares against predicted probabilities, a line for each method.

    Parameters
    ----------
    rows
        `id`, `setting`, `predicted`, `observed`, `size`.
    look
        Colours.
    """
    if not rows:
        return nothing("there is no truth to compare with")
    scale = {"domain": [0, 1], "nice": False}
    x = {"field": "predicted", "type": "quantitative", "scale": scale}
    y = {"field": "observed", "type": "quantitative", "scale": scale}
    size = {
        "field": "size",
        "type": "quantitative",
        "legend": None,
        "scale": {"type": "log", "range": [12, 300]},
    }
    tips = tooltip(setting="method", size="how many")
    tips += [{"field": name, "format": ".3f"} for name in ("predicted", "observed")]
    shared = {"color": look.colour(), "detail": {"field": "setting"}}
    line: Chart = {
        "mark": {"type": "line", "strokeWidth": 1.2, "opacity": 0.45},
        "encoding": shared,
    }
    point: Chart = {"mark": {"type": "point", "filled": True, "opacity": 0.9}}
    point["encoding"] = shared | {"shape": look.shape(), "size": size, "tooltip": tips}
    return {
        "width": WIDTH,
        "height": HEIGHT,
        "data": {"values": list(rows)},
        "encoding": {
            "x": x | {"title": "probability that the method gives"},
            "y": y | {"title": "share of them that is true"},
        },
        "layer": [_diagonal(), line, point],
    }


def _diagonal() -> Chart:
    ends = [{"predicted": 0, "observed": 0}, {"predicted": 1, "observed": 1}]
    return {
        "data": {"values": ends},
        "mark": {"type": "line", "strokeDash": [4, 3], "color": GREY, "strokeWidth": 1.2},
    }


def trace_plot(chains: Sequence[tuple[Sequence[float], Sequence[float]]], burnin: float) -> Chart:
    """The score along each chain; the axis is that of the part that counts.

    Parameters
    ----------
    chains
        States and scores.
    burnin
        State before which draws do not count.
    """
    late = [y for x, chain in chains for s, y in zip(x, chain, strict=True) if s >= burnin]
    if not late:
        return nothing("there is no chain")
    room = 0.6 * (max(late) - min(late)) or 1.0
    domain = [min(late) - room, max(late) + room / 4]
    names = [str(number) for number in range(1, len(chains) + 1)]
    rows = [
        {"state": s, "score": round(y, 4), "chain": name}
        for name, (x, chain) in zip(names, chains, strict=True)
        for s, y in zip(x, chain, strict=True)
    ]
    colours = [PALETTE[i % len(PALETTE)] for i in range(len(names))]
    colour: Chart = {"field": "chain", "type": "nominal", "sort": names}
    colour["scale"] = {"domain": names, "range": colours}
    line: Chart = {
        "mark": {"type": "line", "strokeWidth": 1.2, "opacity": 0.85, "clip": True},
        "encoding": {
            "x": {"field": "state", "type": "quantitative", "title": "saved state of the chain"},
            "y": {"field": "score", "type": "quantitative", "title": "score"}
            | {"scale": {"domain": domain, "zero": False, "nice": False}},
            "color": colour,
        },
    }
    return {"width": 620, "height": 260, "data": {"values": rows}, "layer": [_until(burnin), line]}


def _until(burnin: float) -> Chart:
    """The part that is left out, in grey."""
    return {
        "data": {"values": [{"start": 0, "end": burnin}]},
        "mark": {"type": "rect", "color": GREY, "opacity": 0.16},
        "encoding": {"x": {"field": "start", "type": "quantitative"}, "x2": {"field": "end"}},
    }


def distance_against_cost(
    rows: Rows, column: str, look: Look, reference: tuple[str, float] | None = None
) -> Chart:
    """A point for each method and data set, and a larger one for the median of a method.

    Parameters
    ----------
    rows
        `id`, `setting`, `cpu`, and the distance.
    column
        The distance.
    look
        Colours and symbols.
    reference
        What the distance is measured to, and what it costs, if that is known: a line.
    """
    known = [row for row in rows if row.get("cpu") and row.get(column) is not None]
    if not has_values(known, column):
        return nothing("no method has both a cost and a distance")
    logarithmic = column in _LOGARITHMIC
    floor = _FLOOR if logarithmic else 0.0
    points = [
        {key: row[key] for key in ("id", "setting", "cpu")}
        | {"distance": max(float(row[column]), floor)}
        for row in known
    ]
    y: Chart = {"field": "distance", "type": "quantitative", "title": _AXES[column]}
    y["scale"] = {"type": "log", "nice": False, "padding": 12} if logarithmic else {"zero": True}
    x: Chart = {"field": "cpu", "type": "quantitative", "title": title("cpu")}
    x["scale"] = {"type": "log", "nice": False, "padding": 14}
    x["axis"] = {"tickCount": 4, "grid": False, "format": "~g"}
    tips = [*tooltip(setting="method"), {"field": "cpu", "format": ".3g"}]
    styled: Chart = {"color": look.colour(), "shape": look.shape()}
    styled["tooltip"] = [*tips, {"field": "distance", "format": ".3g"}]
    medians = [{"op": "median", "field": name, "as": name} for name in ("cpu", "distance")]
    grouped = {"aggregate": medians, "groupby": ["id", "setting"]}
    small = {"type": "point", "filled": True, "size": 26, "opacity": 0.45}
    large = {"type": "point", "filled": True, "size": 110, "opacity": 1}
    layers: list[Chart] = [] if reference is None else list(_yardstick(*reference, x))
    layers += [{"mark": small, "encoding": styled}] if len(points) > 1 else []
    layers.append({"transform": [grouped], "mark": large, "encoding": styled})
    return {
        "width": WIDTH,
        "height": HEIGHT,
        "data": {"values": points},
        "encoding": {"x": x, "y": y},
        "layer": layers,
    }


def _yardstick(name: str, cost: float, x: Mapping[str, Any]) -> Iterator[Chart]:
    """The cost of what the others are compared with, as a line with its name."""
    own: Chart = {"data": {"values": [{"cpu": cost, "name": name}]}}
    place = {"x": x, "y": {"value": 0}, "y2": {"value": HEIGHT}}
    yield own | {
        "mark": {"type": "rule", "strokeDash": [4, 3], "color": GREY, "strokeWidth": 1.4},
        "encoding": place,
    }
    words = {"type": "text", "align": "left", "baseline": "top", "dx": 5, "dy": 3, "fontSize": 11}
    yield own | {
        "mark": words,
        "encoding": {"x": x, "y": {"value": 0}, "text": {"field": "name"}},
    }


def difference_tiles(rows: Rows, methods: Sequence[str], column: str, words: str) -> Chart:
    """How far any two methods are apart.

    Parameters
    ----------
    rows
        `left`, `right` and the difference, both ways.
    methods
        In order.
    column
        The difference.
    words
        What it is.
    """
    if not rows:
        return nothing("there is one method only")
    return tiles(rows, ("right", methods), ("left", methods), column, words)
