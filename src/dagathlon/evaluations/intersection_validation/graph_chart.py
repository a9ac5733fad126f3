"""What all learners agree on as one graph: solid where they agree, dashed where they differ."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from dagathlon.evaluations.intersection_validation.validation import IntervalResult
from dagathlon.frame import grouped
from dagathlon.graphs import Graph
from dagathlon.graphs.drawing.svg import EdgeStyle, to_svg
from dagathlon.report.charts.legend import Key, Keyed

MOST_NODES, MOST_EDGES = 60, 150
_INK, _TURNED, _SOME = "currentColor", "#dd4b26", "#8c8c8c"
_SIGNS = {
    **{"->": "→", "<-": "←", "-": "–", "<->": "↔", "o-o": "o–o", "o->": "o→", "<-o": "←o"},
    **{"-o": "–o", "o-": "o–"},
}


class PairWords(NamedTuple):
    """What learners say about one pair of variables that some of them join.

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
        """How many learners join the two."""
        return sum(map(bool, self.says.values()))

    @property
    def edge(self) -> str:
        """The pair in a few signs."""
        sign = " ? " if self.agreed is None else f" {_SIGNS.get(self.agreed, self.agreed)} "
        return f"{self.left}{sign}{self.right}"

    def who(self) -> Iterator[str]:
        """Who says what, a line for each different answer."""
        answers = grouped((edge, learner) for learner, edge in self.says.items())
        for edge, learners in sorted(answers.items(), key=lambda item: -len(item[1])):
            sign = _SIGNS.get(edge, edge)
            said = f"{self.left} {sign} {self.right}" if edge else "no edge"
            yield f"{said}: {'; '.join(learners)}"


class Drawn(NamedTuple):
    """A drawing, and how many of the pairs and of the variables there is no room for."""

    picture: Keyed
    pairs_left_out: int
    nodes_left_out: int


def pair_words(result: IntervalResult) -> list[PairWords]:
    """All pairs that some learner joins: those agreed on first, then those that most join."""
    agreed = [
        PairWords(e.left, e.right, e.connector, dict.fromkeys(result.learners, e.connector))
        for e in result.edges
    ]
    differ = [
        PairWords(one.left, one.right, None, dict(zip(result.learners, one.said, strict=True)))
        for one in result.disputed
    ]
    return [*agreed, *sorted(differ, key=lambda pair: -pair.joined)]


def interval_drawing(pairs: Sequence[PairWords], nodes: Sequence[str]) -> Drawn:
    """The agreement graph with the pairs on which learners differ, and its key.

    Parameters
    ----------
    pairs
        What `pair_words` gives.
    nodes
        All variables.
    """
    kept = _readable(pairs, len(nodes))
    shown = list(nodes)
    if len(nodes) > MOST_NODES:
        touched = {name for pair in kept for name in (pair.left, pair.right)}
        shown = [name for name in nodes if name in touched]
    edges = [(pair.left, pair.agreed or "-", pair.right) for pair in kept]
    graph = Graph.from_edges(edges, names=shown)
    styles = {(pair.left, pair.right): _style(pair) for pair in kept}
    picture = Keyed(to_svg(graph, styles=styles), list(_keys(kept)))
    return Drawn(picture, len(pairs) - len(kept), len(nodes) - len(shown))


def _readable(pairs: Sequence[PairWords], p: int) -> list[PairWords]:
    """As many of the first pairs as a drawing has room for."""
    if p <= MOST_NODES:
        return list(pairs[:MOST_EDGES])
    kept: list[PairWords] = []
    seen: set[str] = set()
    for pair in pairs:
        if len(kept) < MOST_EDGES and len(seen | {pair.left, pair.right}) <= MOST_NODES:
            kept.append(pair)
            seen |= {pair.left, pair.right}
    return kept


def _style(pair: PairWords) -> EdgeStyle:
    words = "\n".join([pair.edge.replace(" ? ", " and "), *_told(pair)])
    if pair.agreed is not None:
        return EdgeStyle(_INK, 2.4, 1.0, False, words)
    colour = _TURNED if _is_turned(pair) else _SOME
    return EdgeStyle(colour, 1.5, 1.0, True, words)


def _told(pair: PairWords) -> Iterable[str]:
    return ("all learners agree",) if pair.agreed is not None else pair.who()


def _is_turned(pair: PairWords) -> bool:
    """Whether all join the two and they differ in the direction alone."""
    return pair.joined == len(pair.says)


def _keys(pairs: Sequence[PairWords]) -> Iterator[Key]:
    if any(pair.agreed is not None for pair in pairs):
        yield Key("all learners agree", _INK, 2.4)
    differ = [pair for pair in pairs if pair.agreed is None]
    if any(map(_is_turned, differ)):
        yield Key("all join the two, directions differ", _TURNED, 1.5, dashed=True)
    if not all(map(_is_turned, differ)):
        yield Key("some join the two, some do not", _SOME, 1.5, dashed=True)
