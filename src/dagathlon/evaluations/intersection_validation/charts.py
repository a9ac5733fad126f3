"""Charts: the agreement of all learners as one graph, and pairs of learners as tiles."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from dagathlon.evaluations.intersection_validation.validation import Comparison, IntervalResult
from dagathlon.frame import grouped
from dagathlon.graphs import Graph
from dagathlon.graphs.drawing.svg import EdgeStyle, to_svg
from dagathlon.report.charts.legend import Key, Keyed
from dagathlon.report.charts.parts import WIDTH, Chart, nothing, tooltip
from dagathlon.wording import counted

MOST_NODES, MOST_EDGES = 60, 150
_INK, _TURNED, _SOME = "currentColor", "#dd4b26", "#8c8c8c"
_SIGNS = {
    **{"->": "→", "<-": "←", "-": "–", "<->": "↔", "o-o": "o–o", "o->": "o→", "<-o": "←o"},
    **{"-o": "–o", "o-": "o–"},
}


class PairWords(NamedTuple):
    """Answers of the learners about one pair of variables that at least one of them joins.

    Parameters
    ----------
    left, right
        The two variables.
    agreed
        The edge on which all agree, as it is written from left to right; None where they differ.
    says
        What each learner says, as it is written from left to right; empty for no edge.
    """

    left: str
    right: str
    agreed: str | None
    says: Mapping[str, str]

    @property
    def joined(self) -> int:
        """Return the number of learners that join the two."""
        return sum(map(bool, self.says.values()))

    @property
    def edge(self) -> str:
        """Return the pair as an edge, such as ``A → B``."""
        sign = " ? " if self.agreed is None else f" {_SIGNS.get(self.agreed, self.agreed)} "
        return f"{self.left}{sign}{self.right}"

    def who(self) -> Iterator[str]:
        """Yield the learners behind each different answer, one line per answer."""
        answers = grouped((edge, learner) for learner, edge in self.says.items())
        for edge, learners in sorted(answers.items(), key=lambda item: -len(item[1])):
            sign = _SIGNS.get(edge, edge)
            words = f"{self.left} {sign} {self.right}" if edge else "no edge"
            yield f"{words}: {'; '.join(learners)}"


class Drawn(NamedTuple):
    """Drawing, with the numbers of pairs and variables left out for want of space."""

    picture: Keyed
    pairs_left_out: int
    nodes_left_out: int


def pair_words(result: IntervalResult) -> list[PairWords]:
    """Return all pairs that some learner joins: agreed ones first, then by number of learners."""
    agreed = [
        PairWords(e.left, e.right, e.connector, dict.fromkeys(result.learners, e.connector))
        for e in result.edges
    ]
    differ = [
        PairWords(item.left, item.right, None, dict(zip(result.learners, item.said, strict=True)))
        for item in result.disputed
    ]
    return [*agreed, *sorted(differ, key=lambda pair: -pair.joined)]


def interval_drawing(pairs: Sequence[PairWords], nodes: Sequence[str]) -> Drawn:
    """Draw the agreement graph and the disputed pairs, with a key.

    Parameters
    ----------
    pairs
        What `pair_words` gives.
    nodes
        All variables.
    """
    retained = _readable(pairs, len(nodes))
    shown = list(nodes)
    if len(nodes) > MOST_NODES:
        touched = {name for pair in retained for name in (pair.left, pair.right)}
        shown = [name for name in nodes if name in touched]
    edges = [(pair.left, pair.agreed or "-", pair.right) for pair in retained]
    graph = Graph.from_edges(edges, names=shown)
    styles = {(pair.left, pair.right): _style(pair) for pair in retained}
    picture = Keyed(to_svg(graph, styles=styles), list(_keys(retained)))
    return Drawn(picture, len(pairs) - len(retained), len(nodes) - len(shown))


def _readable(pairs: Sequence[PairWords], p: int) -> list[PairWords]:
    """Return as many of the first pairs as fit into a readable drawing."""
    if p <= MOST_NODES:
        return list(pairs[:MOST_EDGES])
    retained: list[PairWords] = []
    seen: set[str] = set()
    for pair in pairs:
        if len(retained) < MOST_EDGES and len(seen | {pair.left, pair.right}) <= MOST_NODES:
            retained.append(pair)
            seen |= {pair.left, pair.right}
    return retained


def _style(pair: PairWords) -> EdgeStyle:
    words = "\n".join([pair.edge.replace(" ? ", " and "), *_told(pair)])
    if pair.agreed is not None:
        return EdgeStyle(_INK, 2.4, 1.0, False, words)
    colour = _TURNED if _is_turned(pair) else _SOME
    return EdgeStyle(colour, 1.5, 1.0, True, words)


def _told(pair: PairWords) -> Iterable[str]:
    return ("all learners agree",) if pair.agreed is not None else pair.who()


def _is_turned(pair: PairWords) -> bool:
    """Return whether all learners join the two and differ in the direction alone."""
    return pair.joined == len(pair.says)


def _keys(pairs: Sequence[PairWords]) -> Iterator[Key]:
    if any(pair.agreed is not None for pair in pairs):
        yield Key("all learners agree", _INK, 2.4)
    differ = [pair for pair in pairs if pair.agreed is None]
    if any(map(_is_turned, differ)):
        yield Key("all join the two, directions differ", _TURNED, 1.5, dashed=True)
    if not all(map(_is_turned, differ)):
        yield Key("some join the two, some do not", _SOME, 1.5, dashed=True)


_STEP = 30
_LEAST = 1.0


def pairwise_tiles(rows: Iterable[Comparison], learners: Sequence[str]) -> Chart:
    """Draw a matrix of differences in distance between the learners of rows and columns.

    Parameters
    ----------
    rows
        Comparisons with one number of rows.
    learners
        The order of lines and columns.
    """
    cells = [cell for row in rows for cell in _cells(row)]
    if not cells:
        return nothing("no two learners have graphs on the same subsamples")
    most = max(_LEAST, *(abs(cell["gain"]) for cell in cells))
    axis: Chart = {"ticks": False, "domain": False, "grid": False, "labelLimit": 220}
    names: Chart = {"type": "nominal", "title": None, "sort": list(learners)}
    names["scale"] = {"domain": list(learners)}
    colour = {
        "field": "gain",
        "type": "quantitative",
        "scale": {"scheme": "redblue", "domain": [-most, most]},
        "title": "nearer by so many pairs",
        "legend": {"orient": "bottom", "gradientLength": 220},
    }
    ink = {"test": f"abs(datum.gain) > {0.6 * most:.6g}", "value": "white"}
    fields = tooltip(
        line="learner",
        column="against",
        difference="nearer by",
        means="mean distances",
        won="nearer, farther, as far",
        chance="p-value (Holm)",
        agreement="they agree on",
    )
    return {
        "width": WIDTH,
        "height": _STEP * len(learners),
        "data": {"values": cells},
        "encoding": {
            "x": names | {"field": "column", "axis": axis | {"orient": "top", "labelAngle": -45}},
            "y": names | {"field": "line", "axis": axis},
            "tooltip": fields,
        },
        "layer": [
            {"mark": {"type": "rect", "stroke": None}, "encoding": {"color": colour}},
            {
                "mark": {"type": "text", "fontSize": 11},
                "encoding": {
                    "text": {"field": "shown"},
                    "color": {"condition": ink, "value": "#1b1f24"},
                },
            },
        ],
    }


def _cells(row: Comparison) -> Iterator[Chart]:
    """Yield the two matrix cells of a comparison, positive where the row's learner is nearer."""
    if row.difference is None or row.mean_left is None or row.mean_right is None:
        return
    p = "too few subsamples" if row.adjusted is None else f"{row.adjusted:.3f}"
    common: Chart = {"chance": p}
    common["agreement"] = (
        f"{row.relative_size:.1%} of all pairs, {counted(row.n_connected, 'edge')} ({row.verdict})"
    )
    doubt = "?" if row.verdict == "not reliable" else ""
    error = "" if row.se is None else f" ± {row.se:.2f}"
    sides = (
        (row.left, row.right, -row.difference, (row.wins, row.losses)),
        (row.right, row.left, row.difference, (row.losses, row.wins)),
    )
    means = {row.left: row.mean_left, row.right: row.mean_right}
    for line, column, gain, (won, lost) in sides:
        yield common | {
            "line": line,
            "column": column,
            "gain": round(gain, 4) + 0.0,
            "difference": f"{_signed(gain, 2)}{error}",
            "means": f"{means[line]:.2f} and {means[column]:.2f}",
            "won": f"{won}, {lost}, {row.ties}",
            "shown": f"{_signed(gain, 1)}{doubt}",
        }


def _signed(value: float, places: int) -> str:
    shown = f"{abs(value):.{places}f}"
    if not float(shown):
        return "0"
    return f"+{shown}" if value > 0 else f"\u2212{shown}"
