"""Thirty DAGs of eight nodes, with what bnlearn and pcalg make of them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from dagathlon.errors import GraphError
from dagathlon.evaluate import shd
from dagathlon.graphs import (
    Graph,
    cpdag,
    extension,
    interventional_essential_graph,
    moral,
    skeleton,
)

pytestmark = pytest.mark.shared


@pytest.fixture(scope="module")
def reference(shared: Path) -> dict:
    return json.loads((shared / "reference" / "numeric" / "graphs_p8.json").read_text())


@pytest.fixture(params=range(30))
def case(request, reference) -> dict:
    def read(matrix) -> Graph:
        return Graph.from_adjacency(reference["nodes"], matrix)

    found = reference["graphs"][request.param]
    return {**found, "read": read, "graph": read(found["dag"])}


def test_conversions(case) -> None:
    read, dag = case["read"], case["graph"]
    assert dag.is_dag
    for essential in ("cpdag_bnlearn", "cpdag_pcalg", "essgraph_pcalg_obs"):
        assert cpdag(dag) == read(case[essential])
    assert moral(dag) == read(case["moral_bnlearn"])
    assert skeleton(dag) == read(case["skeleton"])


def test_questions(case) -> None:
    dag = case["graph"]
    found = {(c, frozenset((x, y))) for x, c, y in dag.v_structures()}
    assert found == {(v["Z"], frozenset((v["X"], v["Y"]))) for v in case["vstructs_bnlearn"]}
    # The file's key is a misnomer: in all thirty graphs the list holds the ancestors of X2.
    assert set(dag.ancestors("X2")) == {"X2", *case["ancestors_of_last"]}
    assert set(dag.markov_blanket("X1")) == set(case["mb_of_1"])


def test_interventional_essential_graph(case) -> None:
    targets = [{f"X{i}" for i in target} for target in case["targets_1based"]]
    expected = case["read"](case["essgraph_pcalg_interventional"])
    assert interventional_essential_graph(case["graph"], targets) == expected


def test_extensions_of_the_cpdag(case) -> None:
    essential = cpdag(case["graph"])
    others = [case["cextend_bnlearn_of_cpdag"], case["pdag2dag_pcalg_of_cpdag"]["dag"]]
    for dag in [extension(essential), *map(case["read"], others)]:
        assert dag.is_dag
        assert cpdag(dag) == essential


@pytest.mark.parametrize("which", ["pdag_random", "pdag_flipped"])
def test_a_pdag_has_an_extension_when_pcalg_finds_one(case, which) -> None:
    pdag = case["read"](case[which]["pdag"])
    if not case[which]["pdag2dag_pcalg"]["success"]:
        with pytest.raises(GraphError, match="no DAG extends"):
            extension(pdag)
        return
    dag = extension(pdag)
    theirs = case["read"](case[which]["pdag2dag_pcalg"]["dag"])
    assert cpdag(dag) == cpdag(theirs) == cpdag(pdag)
    directed = {edge for edge in pdag.edges() if edge.connector == "->"}
    assert directed <= set(dag.edges())


def test_distances_to_the_next_graph(case, reference) -> None:
    expected = case["vs_next"]
    other = next(g for g in reference["graphs"] if g["id"] == expected["other_id"])
    dag, truth = case["graph"], case["read"](other["dag"])
    assert shd(dag, truth) == expected["shd_pcalg_dag"]
    assert shd(cpdag(dag), cpdag(truth)) == expected["shd_pcalg_cpdag"]
    assert shd(skeleton(dag), skeleton(truth)) == expected["hamming_bnlearn"]
