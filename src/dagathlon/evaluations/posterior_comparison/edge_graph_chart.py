"""Probabilities of edges as a graph: width is probability, arrows are directions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from dagathlon.graphs import Graph
from dagathlon.graphs.drawing.svg import EdgeStyle, to_svg
from dagathlon.posteriors.packed import Bools, Floats
from dagathlon.report.charts.legend import Key, Keyed

MOST_NODES, MOST_EDGES = 60, 120
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
    """A drawing, and how many pairs it leaves out though they are probable enough."""

    picture: Keyed
    left_out: int


def edge_graph(
    names: Sequence[str], edges: Floats, truth: Bools | None, least: float, heads: bool = True
) -> Drawn:
    """The pairs that are likely to be joined.

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
    kept = _readable(pairs, len(names))
    shown = list(range(len(names)))
    if len(names) > MOST_NODES:
        shown = sorted({node for pair in kept for node in pair})
    arcs = [_likelier(pair, edges, truth) for pair in kept]
    place = {node: i for i, node in enumerate(shown)}
    drawn = [(place[i], place[j]) for i, j in arcs]
    graph = Graph.from_pairs([names[i] for i in shown], drawn, directed=heads)
    styles = {(names[i], names[j]): _style(names, (i, j), edges, truth) for i, j in arcs}
    if not heads:
        styles = {pair: _plain(style) for pair, style in styles.items()}
    keys = list(_keys({style.colour for style in styles.values()}, truth is not None))
    return Drawn(Keyed(to_svg(graph, styles=styles), keys), len(pairs) - len(kept))


def _readable(pairs: Sequence[tuple[int, int]], p: int) -> list[tuple[int, int]]:
    """As many of the first pairs as a drawing has room for."""
    if p <= MOST_NODES:
        return list(pairs[:MOST_EDGES])
    kept: list[tuple[int, int]] = []
    seen: set[int] = set()
    for pair in pairs[:MOST_EDGES]:
        if len(seen | set(pair)) <= MOST_NODES:
            kept.append(pair)
            seen |= set(pair)
    return kept


def _likelier(pair: tuple[int, int], edges: Floats, truth: Bools | None) -> tuple[int, int]:
    """The pair in its likelier direction; of equal ones the true one."""
    i, j = pair
    gap = float(edges[i, j] - edges[j, i])
    if abs(gap) < _EQUAL:
        return (j, i) if truth is not None and truth[j, i] else (i, j)
    return (i, j) if gap > 0 else (j, i)


def _style(
    names: Sequence[str], pair: tuple[int, int], edges: Floats, truth: Bools | None
) -> EdgeStyle:
    """The look of an edge that is named in its likelier direction."""
    i, j = pair
    there, back = float(edges[i, j]), float(edges[j, i])
    joined = there + back
    colour = _colour(pair, there, truth)
    share = (back / joined, there / joined) if joined > 0 else (0.0, 1.0)
    if colour == _MISSING and truth is not None:
        share = (float(truth[j, i]), float(truth[i, j]))
    words = f"{names[i]} → {names[j]}: {there:.2f}\n{names[i]} ← {names[j]}: {back:.2f}"
    if truth is not None:
        words += f"\n{_WORDS[colour]}"
    opacity = 1.0 if colour == _MISSING else 0.35 + 0.65 * min(joined, 1.0)
    return EdgeStyle(colour, _width(joined), opacity, colour == _MISSING, words, share)


def _plain(style: EdgeStyle) -> EdgeStyle:
    """The same edge without arrows and what is said of the other direction."""
    there, _, *further = style.words.split("\n")
    words = [there.replace(" → ", " – "), *further]
    return style._replace(heads=(0.0, 0.0), words="\n".join(words))


def _colour(pair: tuple[int, int], there: float, truth: Bools | None) -> str:
    i, j = pair
    if truth is None:
        return _INK
    if not (truth[i, j] or truth[j, i]):
        return _WRONG
    if there < _FOUND:
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
