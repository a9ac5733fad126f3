"""Parameters estimated on a graph, and files that keep them."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from network_examples import mixed

from dagathlon import fit, read_network, score_graph, write_network
from dagathlon.data import Dataset, Gaussian, Network, Table, Variable, write_data
from dagathlon.errors import DataError, GraphError
from dagathlon.graphs import Graph, cpdag, write_graph

ARC = Graph.from_edges(["A -> B"])


def two_columns(a: list[int], b: list[int]) -> Dataset:
    codes = np.array([a, b], dtype=np.uint8).T
    return Dataset([Variable("A", ("no", "yes")), Variable("B", ("x", "y", "z"))], codes=codes)


def test_posterior_means_by_hand() -> None:
    data = two_columns([0, 0, 0, 0], [0, 0, 1, 1])
    network = fit(data, ARC, prior=6)
    assert network.distribution("A").probabilities.tolist() == pytest.approx([0.7, 0.3])
    # Each of the six cells of B's table gets one imaginary row.
    assert network.distribution("B").probabilities[0].tolist() == pytest.approx(
        [3 / 7, 3 / 7, 1 / 7]
    )
    assert network.distribution("B").probabilities[1].tolist() == pytest.approx([1 / 3] * 3)


def test_relative_frequencies_and_what_was_never_seen() -> None:
    network = fit(two_columns([0, 0, 0, 0], [0, 0, 1, 1]), ARC, method="mle")
    assert network.distribution("B").probabilities[0].tolist() == [0.5, 0.5, 0.0]
    assert network.distribution("B").probabilities[1].tolist() == pytest.approx([1 / 3] * 3)


def test_rows_with_gaps_count_where_the_family_is_known() -> None:
    data = two_columns([0, 0, 255, 1], [0, 255, 1, 1])
    network = fit(data, ARC, method="mle")
    assert network.distribution("A").probabilities.tolist() == pytest.approx([2 / 3, 1 / 3])
    assert network.distribution("B").probabilities[0].tolist() == [1, 0, 0]


def test_every_dag_of_a_class_gives_the_same_distribution() -> None:
    truth = Network.load("asia")
    data = truth.sample(500, 1)
    by_dag, by_class = fit(data, truth.graph), fit(data, cpdag(truth.graph))
    assert cpdag(by_class.graph) == cpdag(truth.graph)
    assert by_class.log_likelihood(data) == pytest.approx(by_dag.log_likelihood(data))


def test_graphs_that_no_dag_stands_for_are_refused() -> None:
    data = Network.load("asia").sample(50, 1).select(["asia", "tub", "smoke", "lung"])
    ring = Graph.from_edges(["asia - tub", "tub - smoke", "smoke - lung", "lung - asia"])
    with pytest.raises(GraphError, match="not chordal"):
        fit(data, ring)
    with pytest.raises(GraphError, match="hidden variables"):
        fit(data, Graph.from_edges(["asia o-> tub"], names=data.names))
    with pytest.raises(DataError, match="did you mean 'asia'"):
        fit(data, Graph.from_edges(["asja -> tub"]))


def test_mixed_data_give_the_network_back() -> None:
    truth = mixed()
    data = truth.sample(20_000, 5)
    network = fit(data, truth.graph)
    for name, true in truth.distributions.items():
        found = network.distribution(name)
        if isinstance(true, Table):
            np.testing.assert_allclose(found.probabilities, true.probabilities, atol=0.02)
        else:
            assert isinstance(found, Gaussian)
            same = found.reordered(true.discrete_parents, true.continuous_parents)
            np.testing.assert_allclose(same.coefficients, true.coefficients, atol=0.1)
            np.testing.assert_allclose(same.sd, true.sd, rtol=0.05)


def test_a_discrete_node_with_a_continuous_parent_is_refused_with_the_remedy() -> None:
    data = mixed().sample(100, 1)
    with pytest.raises(DataError, match=r"continuous parent 'height'.*discretise"):
        fit(data, Graph.from_edges(["height -> sex"]))
    # Without a direction the arc is taken the way that can be fitted.
    network = fit(data, Graph.from_edges(["height - sex"]))
    assert network.graph == Graph.from_edges(["sex -> height"])


def test_configurations_with_few_rows_take_the_common_slope() -> None:
    variables = [Variable("g", ("a", "b")), Variable("x"), Variable("y")]
    x = np.array([0.0, 1.0, 2.0, 3.0, 10.0])
    y = np.array([0.1, 0.9, 2.1, 2.9, 20.0])
    data = Dataset(variables, codes=np.array([[0, 0, 0, 0, 1]]).T, values=np.array([x, y]).T)
    found = fit(data, Graph.from_edges(["g -> y", "x -> y"])).distribution("y")
    pooled = np.polyfit(x, y, 1)
    assert found.coefficients[1, 0] == pytest.approx(pooled[0])
    assert found.intercept[1] + pooled[0] * 10 == pytest.approx(20.0)
    assert found.coefficients[0, 0] == pytest.approx(np.polyfit(x[:4], y[:4], 1)[0])


def test_files_can_be_named_instead(tmp_path: Path) -> None:
    truth = Network.load("survey")
    data = truth.sample(200, 2)
    write_data(data, tmp_path / "d.csv")
    write_graph(truth.graph, tmp_path / "g.csv")
    assert fit(tmp_path / "d.csv", tmp_path / "g.csv").graph == truth.graph


ODD = st.text(st.sampled_from("aZ09 ,;|(){}[]\"'\\/=%äλ漢\n\t*."), min_size=1, max_size=6)


@settings(max_examples=15, deadline=None)
@given(st.lists(ODD, min_size=2, max_size=2, unique=True), st.lists(ODD, min_size=2, unique=True))
def test_odd_names_and_levels_survive_bif(
    tmp_path_factory: pytest.TempPathFactory, names: list[str], levels: list[str]
) -> None:
    variables = [Variable(names[0], levels), Variable(names[1], ("0", "1"))]
    codes = np.array([[k % len(levels), k % 2] for k in range(7)])
    network = fit(Dataset(variables, codes=codes), Graph.from_edges([(names[0], names[1])]))
    path = tmp_path_factory.mktemp("bif") / "n.bif"
    write_network(network, path)
    assert read_network(path) == network


def test_gaussian_networks_are_kept_to_the_last_digit(tmp_path: Path) -> None:
    network = fit(mixed().sample(100, 4), mixed().graph)
    write_network(network, tmp_path / "n.dagnet")
    assert read_network(tmp_path / "n.dagnet") == network


def test_deviations_divide_by_the_rows_and_scores_by_the_degrees_of_freedom() -> None:
    rng = np.random.default_rng(4)
    x = rng.normal(size=(10, 2))
    y = x @ [1.0, 2.0] + rng.normal(size=10)
    data = Dataset([Variable(name) for name in "abc"], values=np.column_stack([x, y]))
    graph = Graph.from_edges(["a -> c", "b -> c"])
    design = np.column_stack([np.ones(10), x])
    rest = y - design @ np.linalg.lstsq(design, y, rcond=None)[0]
    found = fit(data, graph).distribution("c")
    assert isinstance(found, Gaussian)
    assert found.sd == pytest.approx(math.sqrt(rest @ rest / 10))
    variance = rest @ rest / (10 - 2 - 1)
    term = -5 * math.log(2 * math.pi * variance) - rest @ rest / (2 * variance)
    assert score_graph(data, graph, "loglik-g").by_node["c"] == pytest.approx(term)
