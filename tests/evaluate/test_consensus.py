"""The consensus of algorithms: votes and directions counted by hand."""

from __future__ import annotations

import re

import pytest

from dagathlon.evaluations.no_truth.agreement_charts import (
    MOST_NODES,
    consensus_drawing,
    hover,
    said,
    shown_edges,
)
from dagathlon.evaluations.no_truth.consensus import Claim, EdgeAgreement, as_class, edge_agreement
from dagathlon.graphs import Graph

COLLIDER = Graph.from_edges(["a -> c", "b -> c"], "abcd")
CHAIN = Graph.from_edges(["a -> c", "c -> d"], "abcd")


def by_pair(edges: list[EdgeAgreement]) -> dict[str, EdgeAgreement]:
    return {edge.left + edge.right: edge for edge in edges}


def test_ten_settings_of_one_algorithm_do_not_outvote_another() -> None:
    graphs = {"pc": [CHAIN] * 9, "pc-2": [CHAIN], "hc": [Graph.from_edges(["a -> b"], "abcd")]}
    found = by_pair(edge_agreement(graphs, {"pc": "pc", "pc-2": "pc", "hc": "hc"}))
    assert {pair: edge.support for pair, edge in found.items()} == {
        "ac": pytest.approx(0.5),
        "cd": pytest.approx(0.5),
        "ab": pytest.approx(0.5),
    }
    # Without the algorithms every id is one of its own.
    assert by_pair(edge_agreement(graphs))["ac"].support == pytest.approx(2 / 3)


def test_graphs_of_an_algorithm_share_its_vote() -> None:
    graphs = {"pc": [COLLIDER, COLLIDER, CHAIN, CHAIN], "hc": [COLLIDER]}
    found = by_pair(edge_agreement(graphs))
    assert found["bc"].support == pytest.approx((2 / 4 + 1) / 2)
    assert found["cd"].support == pytest.approx((2 / 4 + 0) / 2)
    assert found["ac"].forward == pytest.approx(1)
    assert found["bc"].claims == {"pc": Claim(0.5, 0.5, 0), "hc": Claim(1, 1, 0)}


def test_a_reversible_edge_of_a_dag_claims_no_direction() -> None:
    assert as_class(CHAIN) == Graph.from_edges(["a - c", "c - d"], "abcd")
    assert as_class(COLLIDER) == COLLIDER
    pag = Graph.from_edges(["a o-> b"], "ab")
    assert as_class(pag) == pag
    (edge,) = edge_agreement({"fci": [pag]})
    assert (edge.support, edge.forward, edge.direction) == (1, 0, "undecided")


@pytest.mark.parametrize(
    ("forward", "backward", "support", "direction"),
    [
        (0.6, 0.0, 1.0, "forward"),
        (0.0, 0.6, 1.0, "backward"),
        (0.5, 0.0, 1.0, "undecided"),
        (0.0, 0.0, 1.0, "undecided"),
        (0.75, 0.25, 1.0, "contradicting"),
        (0.8, 0.2, 1.0, "forward"),
        (0.25, 0.0, 0.25, "forward"),
        (0.1, 0.1, 1.0, "contradicting"),
    ],
)
def test_directions(forward: float, backward: float, support: float, direction: str) -> None:
    assert EdgeAgreement("a", "b", support, forward, backward, {}).direction == direction


def test_the_drawing_says_who_says_what() -> None:
    graphs = {"pc": [COLLIDER], "hc<b>": [as_class(CHAIN)]}
    edges = edge_agreement(graphs)
    drawing = consensus_drawing(shown_edges(edges, COLLIDER.names, {}), {}, {frozenset("ac"): 0.9})
    page, file = drawing.for_page(), drawing.for_file()
    assert page.count('class="edge styled"') == file.count('class="edge styled"') == 3
    assert "hc<b>" not in page
    assert "hc&lt;b&gt;: –" in page
    assert "bootstrap probability 0.90" in page
    assert "direction by one algorithm alone" in file
    assert "direction agreed" not in file
    assert "contradicting" not in re.sub("<title>.*?</title>", "", page, flags=re.S)
    lines = list(hover(by_pair(edges)["ac"], {}, {}))
    assert lines[:2] == ["a – c", "joined by 100% of the votes of 2 algorithms"]
    assert said(Claim(0.5, 0.25, 0)) == "→ in 25%, – in 25%"
    assert said(Claim(0, 0, 0)) == "no edge"


def test_a_direction_is_agreed_by_two_algorithms_or_more() -> None:
    graphs = {"pc": [COLLIDER], "gs": [COLLIDER], "hc": [Graph(COLLIDER.names)]}
    edge, *_ = edge_agreement(graphs)
    assert (edge.verdict, edge.voters) == ("agreed", (2, 2, 0))
    # Ten settings of one algorithm are one voter.
    edge, *_ = edge_agreement(graphs, {"pc": "pc", "gs": "pc", "hc": "hc"})
    assert (edge.support, edge.verdict, edge.voters) == (0.5, "one voter", (1, 1, 0))
    edge, *_ = edge_agreement({"pc": [COLLIDER], "hc": [Graph(COLLIDER.names)]})
    assert edge.verdict == "one voter"
    (edge,) = edge_agreement({"pc": [Graph.from_edges(["a - b"])]})
    assert edge.verdict == "undecided"


def test_of_many_nodes_the_strongest_edges_are_drawn() -> None:
    names = [f"v{i}" for i in range(200)]
    path = [(names[i], "-", names[i + 1]) for i in range(199)]
    edges = edge_agreement(
        {"all": [Graph.from_edges(path)], "few": [Graph.from_edges(path[:9], names)]}
    )
    shown = shown_edges(edges, names, {})
    assert len(shown.nodes) == MOST_NODES
    assert {edge.left for edge in shown.edges} >= set(names[:9])
    assert len(shown.edges) + shown.left_out == 199
    weak = shown_edges(edges, names, {frozenset(pair[::2]): i / 200 for i, pair in enumerate(path)})
    assert [edge.left for edge in weak.edges[:9]] == names[8::-1]
    assert weak.edges[9].left == "v198"
