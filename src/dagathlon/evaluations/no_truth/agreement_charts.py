"""Charts of the agreement of learners: shared edges, overlap, the consensus graph."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple, TypeAlias

from dagathlon.evaluations.no_truth.consensus import Claim, Direction, EdgeAgreement
from dagathlon.frame import Rows
from dagathlon.graphs import Graph
from dagathlon.graphs.drawing.svg import EdgeStyle, to_svg
from dagathlon.report.charts.legend import Key, Keyed
from dagathlon.report.charts.parts import STEP, Chart, nothing
from dagathlon.wording import counted

MOST_EDGES = 40
ALL = "all algorithms"
_BLUES = {"scheme": "blues", "domain": [0, 1]}


def agreement_plot(edges: Sequence[EdgeAgreement], true: frozenset[frozenset[str]] | None) -> Chart:
    """Plot the edges with most support, and how often each algorithm has them.

    Parameters
    ----------
    edges
        The edges, those with most support first; the first `MOST_EDGES` are shown.
    true
        Pairs that the true graph joins, None when there is no truth.
    """
    if not edges:
        return nothing("no algorithm found an edge")
    rows = []
    for edge in edges[:MOST_EDGES]:
        columns = {ALL: edge.support} | dict(edge.by)
        if true is not None:
            columns = {"truth": float(frozenset((edge.left, edge.right)) in true)} | columns
        name = f"{edge.left} {CONNECTORS[edge.direction]} {edge.right}"
        rows += [{"edge": name, "column": key, "share": v} for key, v in columns.items()]
    order = list(dict.fromkeys(str(row["column"]) for row in rows))
    return tiles(rows, ("column", order), ("edge", None), "share", "share of graphs with the edge")


def overlap_plot(rows: Rows) -> Chart:
    """Plot the overlap of the skeletons of every two algorithms.

    Parameters
    ----------
    rows
        `left`, `right`, `overlap`.
    """
    if not rows:
        return nothing("there are no graphs")
    order = list(dict.fromkeys(row["left"] for row in rows))
    words = "shared edges / all edges of the two"
    return tiles(rows, ("right", order), ("left", order), "overlap", words)


def tiles(
    rows: Rows,
    x: tuple[str, Sequence[str]],
    y: tuple[str, Sequence[str] | None],
    value: str,
    words: str,
) -> Chart:
    """Draw a heat map from white to blue with a number in each cell.

    Parameters
    ----------
    rows
        A row for each cell.
    x, y
        Fields of columns and lines, and their order; None is the order of the rows.
    value
        The field that is shown, from 0 to 1.
    words
        What it is.
    """
    order = list(y[1] or dict.fromkeys(row[y[0]] for row in rows))
    axis: Chart = {"ticks": False, "domain": False, "grid": False}
    ink = {"condition": {"test": f"datum.{value} > 0.6", "value": "white"}, "value": "#1b1f24"}
    colour = {"field": value, "type": "quantitative", "scale": _BLUES, "title": words}
    colour["legend"] = {"orient": "bottom", "gradientLength": 220, "titleLimit": 320}
    number = {"field": value, "type": "quantitative", "format": ".2f"}
    return {
        "width": {"step": 54},
        "height": {"step": STEP + 3},
        "data": {"values": list(rows)},
        "encoding": {
            "x": {
                "field": x[0],
                "type": "nominal",
                "title": None,
                "sort": list(x[1]),
                "axis": axis | {"orient": "top", "labelAngle": -35, "labelLimit": 160},
            },
            "y": {"field": y[0], "type": "nominal", "title": None, "sort": order, "axis": axis},
        },
        "layer": [
            {"mark": "rect", "encoding": {"color": colour}},
            {"mark": {"type": "text", "fontSize": 10}, "encoding": {"text": number, "color": ink}},
        ],
    }


MOST_NODES, _MOST_DRAWN = 60, 150
CONNECTORS: Mapping[Direction, str] = {
    "forward": "→",
    "backward": "←",
    "undecided": "–",
    "contradicting": "⇄",
}
AGREED, CONTRADICTING = "#2b7fc9", "#dd4b26"
_MARKS: Mapping[Direction, str] = {"forward": "->", "backward": "<-"}
_THIN, _THICK = 1.0, 6.0
_PAIR: TypeAlias = frozenset[str]


class Shown(NamedTuple):
    """The part of a consensus that is drawn.

    Parameters
    ----------
    nodes, edges
        The nodes and the edges, those with most support first.
    left_out
        How many edges there is no room for.
    """

    nodes: Sequence[str]
    edges: Sequence[EdgeAgreement]
    left_out: int


def shown_edges(
    edges: Sequence[EdgeAgreement], nodes: Sequence[str], bootstrap: Mapping[_PAIR, float]
) -> Shown:
    """Return the strongest edges of a consensus, as many as a drawing can show.

    Of equal support, those that come back more often on bootstrap samples are the stronger ones.
    """

    def strength(edge: EdgeAgreement) -> tuple[float, float]:
        share = bootstrap.get(frozenset((edge.left, edge.right)), 0.0)
        return -round(edge.support, 9), -round(share, 9)

    edges = sorted(edges, key=strength)
    few = len(nodes) <= MOST_NODES
    retained: list[EdgeAgreement] = []
    seen: set[str] = set()
    for edge in edges[:_MOST_DRAWN]:
        added = seen | {edge.left, edge.right}
        if not few and len(added) > MOST_NODES:
            break
        retained.append(edge)
        seen = added
    drawn = list(nodes) if few else [name for name in nodes if name in seen]
    return Shown(drawn, retained, len(edges) - len(retained))


def consensus_drawing(
    shown: Shown, algorithms: Mapping[str, str], bootstrap: Mapping[_PAIR, float]
) -> Keyed:
    """Draw the consensus with its key.

    Parameters
    ----------
    shown
        What is drawn.
    algorithms
        The algorithm of each id.
    bootstrap
        Mean share of bootstrap samples in which two names are joined, where that is known.
    """
    marks = [(e.left, _MARKS.get(e.direction, "-"), e.right) for e in shown.edges]
    graph = Graph.from_edges(marks, names=shown.nodes)
    styles = {(edge.left, edge.right): _style(edge, algorithms, bootstrap) for edge in shown.edges}
    return Keyed(to_svg(graph, styles=styles), _keys(shown.edges))


def _style(
    edge: EdgeAgreement, algorithms: Mapping[str, str], bootstrap: Mapping[_PAIR, float]
) -> EdgeStyle:
    colours = {"contradicting": CONTRADICTING, "agreed": AGREED}
    verdict = edge.verdict
    return EdgeStyle(
        colours.get(verdict, "currentColor"),
        _width(edge.support),
        0.45 + 0.55 * edge.support,
        verdict == "contradicting",
        "\n".join(hover(edge, algorithms, bootstrap)),
    )


def _width(support: float) -> float:
    return _THIN + (_THICK - _THIN) * support


def hover(
    edge: EdgeAgreement, algorithms: Mapping[str, str], bootstrap: Mapping[_PAIR, float]
) -> Iterable[str]:
    """Return the tooltip of an edge: the answer of each algorithm, line by line."""
    yield f"{edge.left} {CONNECTORS[edge.direction]} {edge.right}"
    n = len({algorithms.get(name, name) for name in edge.claims})
    yield f"joined by {edge.support:.0%} of the votes of {counted(n, 'algorithm')}"
    yield f"direction {edge.verdict}: → {edge.forward:.2f}, ← {edge.backward:.2f}"
    known = bootstrap.get(frozenset((edge.left, edge.right)))
    if known is not None:
        yield f"bootstrap probability {known:.2f}"
    yield from (f"{name}: {said(claim)}" for name, claim in edge.claims.items())


def said(claim: Claim) -> str:
    """Return the answer of one id about a pair in short, such as ``→ in 80%``."""
    if not claim.joined:
        return "no edge"
    parts = {"→": claim.forward, "←": claim.backward}
    parts["–"] = max(claim.joined - claim.forward - claim.backward, 0.0)
    signs = [(sign, share) for sign, share in parts.items() if share > 1e-9]
    if len(signs) == 1 and claim.joined > 1 - 1e-9:
        return signs[0][0]
    return ", ".join(f"{sign} in {share:.0%}" for sign, share in signs)


def _keys(edges: Sequence[EdgeAgreement]) -> list[Key]:
    """Return the legend entries for the colours and widths in use."""
    verdicts = {edge.verdict for edge in edges}
    colours = {
        "agreed": Key("direction agreed", AGREED, 3.0),
        "one voter": Key("direction by one algorithm alone", "currentColor", 3.0),
        "undecided": Key("joined, no agreed direction", "currentColor", 3.0),
        "contradicting": Key("contradicting directions", CONTRADICTING, 3.0, dashed=True),
    }
    widths = [
        Key(f"{words} votes", "currentColor", _width(share))
        for words, share in (("¼ of the", 0.25), ("½ of the", 0.5), ("all", 1.0))
    ]
    return [key for name, key in colours.items() if name in verdicts] + (widths if edges else [])
