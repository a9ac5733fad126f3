"""Charts of posteriors against each other, the truth and references, and of edges as one graph."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from dagathlon.evaluations.no_truth.agreement_charts import MOST_EDGES, tiles
from dagathlon.frame import Rows
from dagathlon.graphs import Graph
from dagathlon.graphs.drawing.svg import EdgeStyle, to_svg
from dagathlon.posteriors.packed import Bools, Floats
from dagathlon.report.charts.legend import Key, Keyed
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
    """Draw edge probabilities as a matrix from row to column, true edges framed.

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
    """Draw the most probable edges of all methods, with each method's probability.

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
    """Plot observed frequencies against predicted probabilities, a line per method.

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
    """Plot the score along each chain, scaled to the part after the burn-in."""
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
    """Return the chart layer that marks the burn-in in grey."""
    return {
        "data": {"values": [{"start": 0, "end": burnin}]},
        "mark": {"type": "rect", "color": GREY, "opacity": 0.16},
        "encoding": {"x": {"field": "start", "type": "quantitative"}, "x2": {"field": "end"}},
    }


def distance_against_cost(
    rows: Rows, column: str, look: Look, reference: tuple[str, float] | None = None
) -> Chart:
    """Plot distance against cost: a point per method and data set, a larger one for the median.

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
    """Yield the chart layer that marks the cost of the reference as a labelled line."""
    layer: Chart = {"data": {"values": [{"cpu": cost, "name": name}]}}
    place = {"x": x, "y": {"value": 0}, "y2": {"value": HEIGHT}}
    yield layer | {
        "mark": {"type": "rule", "strokeDash": [4, 3], "color": GREY, "strokeWidth": 1.4},
        "encoding": place,
    }
    words = {"type": "text", "align": "left", "baseline": "top", "dx": 5, "dy": 3, "fontSize": 11}
    yield layer | {
        "mark": words,
        "encoding": {"x": x, "y": {"value": 0}, "text": {"field": "name"}},
    }


def difference_tiles(rows: Rows, methods: Sequence[str], column: str, words: str) -> Chart:
    """Draw the distances between every two methods as a heat map.

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


MOST_NODES, _MOST_DRAWN = 60, 120
_THIN, _THICK = 0.8, 4.6
_EQUAL = 1e-9
_INK, _REVERSED, _MISSING, _WRONG = "currentColor", "#9b5fd0", "#2b7fc9", "#dd4b26"
_WORDS = {
    _INK: "in the truth",
    _REVERSED: "in the truth, the other way more probable",
    _WRONG: "not in the truth",
    _MISSING: "in the truth and improbable",
}


class Drawn(NamedTuple):
    """Drawing, with the number of sufficiently probable pairs it leaves out."""

    picture: Keyed
    left_out: int


def edge_graph(
    names: Sequence[str], edges: Floats, truth: Bools | None, least: float, heads: bool = True
) -> Drawn:
    """Draw the graph of probable pairs.

    Parameters
    ----------
    names
        The nodes.
    edges
        Probability of each edge, from row to column.
    truth
        The true graph, from row to column, if there is one.
    least
        Smallest probability of being joined that is drawn; true edges are drawn in any case.
    heads
        Whether edges have directions; else each pair is given once.
    """
    joined = edges + edges.T
    true = np.zeros_like(joined, dtype=bool) if truth is None else truth | truth.T
    wanted = np.argwhere(np.triu((joined >= least) | true, 1))
    # True edges that are improbable stand in the middle, so that neither they nor probable errors
    # are left out first.
    weight = np.maximum(joined, 0.5 * true)
    order = np.argsort(-np.round(weight[tuple(wanted.T)], 9), kind="stable")
    pairs: list[tuple[int, int]] = [(int(i), int(j)) for i, j in wanted[order]]
    retained = _readable(pairs, len(names))
    shown = list(range(len(names)))
    if len(names) > MOST_NODES:
        shown = sorted({node for pair in retained for node in pair})
    arcs = [_likelier(pair, edges, truth) for pair in retained]
    place = {node: i for i, node in enumerate(shown)}
    drawn = [(place[i], place[j]) for i, j in arcs]
    graph = Graph.from_pairs([names[i] for i in shown], drawn, directed=heads)
    styles = {(names[i], names[j]): _style(names, (i, j), edges, truth) for i, j in arcs}
    if not heads:
        styles = {pair: _plain(style) for pair, style in styles.items()}
    keys = list(_keys({style.colour for style in styles.values()}, truth is not None))
    return Drawn(Keyed(to_svg(graph, styles=styles), keys), len(pairs) - len(retained))


def _readable(pairs: Sequence[tuple[int, int]], p: int) -> list[tuple[int, int]]:
    """Return as many of the first pairs as fit into a readable drawing."""
    if p <= MOST_NODES:
        return list(pairs[:_MOST_DRAWN])
    retained: list[tuple[int, int]] = []
    seen: set[int] = set()
    for pair in pairs[:_MOST_DRAWN]:
        if len(seen | set(pair)) <= MOST_NODES:
            retained.append(pair)
            seen |= set(pair)
    return retained


def _likelier(pair: tuple[int, int], edges: Floats, truth: Bools | None) -> tuple[int, int]:
    """Return the more probable direction of a pair; of equal ones the true one."""
    i, j = pair
    gap = float(edges[i, j] - edges[j, i])
    if abs(gap) < _EQUAL:
        return (j, i) if truth is not None and truth[j, i] else (i, j)
    return (i, j) if gap > 0 else (j, i)


def _style(
    names: Sequence[str], pair: tuple[int, int], edges: Floats, truth: Bools | None
) -> EdgeStyle:
    """Return the style of an edge drawn in its more probable direction."""
    i, j = pair
    forward, back = float(edges[i, j]), float(edges[j, i])
    joined = forward + back
    colour = _colour(pair, forward, truth)
    share = (back / joined, forward / joined) if joined > 0 else (0.0, 1.0)
    if colour == _MISSING and truth is not None:
        share = (float(truth[j, i]), float(truth[i, j]))
    words = f"{names[i]} → {names[j]}: {forward:.2f}\n{names[i]} ← {names[j]}: {back:.2f}"
    if truth is not None:
        words += f"\n{_WORDS[colour]}"
    opacity = 1.0 if colour == _MISSING else 0.35 + 0.65 * min(joined, 1.0)
    return EdgeStyle(colour, _width(joined), opacity, colour == _MISSING, words, share)


def _plain(style: EdgeStyle) -> EdgeStyle:
    """Remove arrows and the note on the other direction from a style."""
    first, _, *further = style.words.split("\n")
    words = [first.replace(" → ", " – "), *further]
    return style._replace(heads=(0.0, 0.0), words="\n".join(words))


def _colour(pair: tuple[int, int], probability: float, truth: Bools | None) -> str:
    i, j = pair
    if truth is None:
        return _INK
    if not (truth[i, j] or truth[j, i]):
        return _WRONG
    if probability < _FOUND:
        return _MISSING
    return _INK if truth[i, j] else _REVERSED


# A true edge of which neither direction is this probable is drawn as a missing one.
_FOUND = 0.1


def _width(joined: float) -> float:
    return _THIN + (_THICK - _THIN) * min(joined, 1.0)


def _keys(colours: set[str], with_truth: bool) -> Iterator[Key]:
    for colour, words in _WORDS.items() if with_truth else ():
        if colour in colours:
            yield Key(words, colour, 1.2 if colour == _MISSING else 3.0, colour == _MISSING)
    for words, share in (("probability ¼", 0.25), ("½", 0.5), ("1", 1.0)):
        yield Key(words, _INK, _width(share))
