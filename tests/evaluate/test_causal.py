"""SID and the adjustment identification distances."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from dagathlon.errors import GraphError
from dagathlon.evaluate import aid, compare, sid
from dagathlon.graphs import Graph, cpdag

FORK = Graph.from_edges(["A -> B", "A -> C"])


def test_by_hand() -> None:
    assert sid(FORK, FORK) == 0
    # Without edges every effect is said to be none, which A's two effects are not.
    assert aid(Graph("ABC"), FORK, "ancestor") == 2
    assert sid(Graph.from_edges(["B -> A"]), Graph.from_edges(["A -> B"])) == 2
    assert sid(Graph("A"), Graph("A")) == 0


def test_the_direction_is_from_row_to_column() -> None:
    # Without B -> C, adjusting for A is right for the effect of B on C; for that of C on B, which
    # is none, it is not.
    truth = Graph.from_edges(["A -> B", "A -> C", "B -> C"])
    assert sid(truth, FORK) == 0
    assert sid(FORK, truth) == 1


def test_a_cpdag_leaves_effects_open() -> None:
    truth = Graph.from_edges(["A -> B"])
    assert aid(cpdag(truth), truth, "parent") == 2
    assert aid(cpdag(truth), cpdag(truth), "oset") == 0


def test_graphs_of_other_kinds() -> None:
    bidirected = Graph.from_edges(["A <-> B"])
    truth = Graph.from_edges(["A -> B"])
    with pytest.raises(GraphError, match="two DAGs"):
        sid(bidirected, truth)
    with pytest.raises(GraphError, match="DAGs and CPDAGs"):
        aid(bidirected, truth, "oset")
    with pytest.raises(GraphError, match=r"adjustment 'osett' .*did you mean 'oset'"):
        aid(truth, truth, "osett")  # type: ignore[arg-type]
    found = compare(bidirected, truth)
    assert found["SID"] is found["parent_AID"] is found["oset_AID"] is None


def test_large_graphs_only_on_request() -> None:
    large = Graph([f"X{i}" for i in range(51)])
    assert "SID" not in compare(large, large)
    assert compare(large, large, causal=True)["SID"] == 0
    assert "SID" not in compare(FORK, FORK, causal=False)


@pytest.mark.shared
def test_r_reference(shared: Path) -> None:
    found = json.loads((shared / "reference" / "numeric" / "graphs_p8.json").read_text())
    names, cases = found["nodes"], {case["id"]: case for case in found["graphs"]}
    graphs = {i: Graph.from_adjacency(names, case["dag"]) for i, case in cases.items()}
    for i, case in cases.items():
        other = case["vs_next"]
        metrics = compare(graphs[i], graphs[other["other_id"]])
        assert metrics["SID"] == metrics["parent_AID"]
        assert metrics["SID"] == other["sid_bnlearn_learned_this_true_next"]
        assert metrics["SHD_dag"] == other["shd_pcalg_dag"] == other["shd_bnlearn_dag"]
        assert metrics["SHD_cpdag"] == other["shd_pcalg_cpdag"] == other["shd_bnlearn_cpdag"]
        assert metrics["SHD_skel"] == other["hamming_bnlearn"]
        counts = other["compare_bnlearn_target_next"]
        assert metrics["arrowhead_precision"] == pytest.approx(
            counts["tp"] / (counts["tp"] + counts["fp"])
        )
        assert metrics["arrowhead_recall"] == pytest.approx(
            counts["tp"] / (counts["tp"] + counts["fn"])
        )
