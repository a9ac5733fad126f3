"""`Network` by hand: parameters, validation, likelihood."""

from __future__ import annotations

import math
import pickle
from pathlib import Path

import numpy as np
import pytest
from network_examples import mixed, weather

from dagathlon.data import (
    Dataset,
    Gaussian,
    Network,
    Table,
    Variable,
    list_networks,
    write_network,
)
from dagathlon.errors import DataError
from dagathlon.graphs import Graph


def test_facts_of_a_discrete_network() -> None:
    network = weather()
    assert network.kind == "discrete"
    assert network.names == ("rain", "wind", "mood")
    assert network.variables[1] == Variable("wind", ("calm", "breeze", "storm"))
    assert network.graph == Graph.from_edges(["rain -> wind", "rain -> mood", "wind -> mood"])
    assert network.n_parameters == 1 + 2 * 2 + 2 * 6
    assert repr(network) == "Network(discrete, 3 nodes, 3 arcs, 17 parameters)"
    assert "3 nodes" in network._repr_html_()
    assert "<svg" in network._repr_html_()
    assert len(network) == 3
    assert "rain" in network


def test_facts_of_a_mixed_network() -> None:
    network = mixed()
    assert network.kind == "conditional gaussian"
    assert network.n_parameters == 1 + 2 + 2 * 2 + 2 + 6 * 4 + 4
    gaussian = Network({"x": Gaussian((), 0.0, [], 1.0), "y": Gaussian(("x",), 0.0, [2.0], 1.0)})
    assert gaussian.kind == "gaussian"
    assert gaussian.n_parameters == 2 + 3


def test_order_of_nodes_and_parents_does_not_matter_for_equality() -> None:
    network = weather()
    table = network.distribution("mood")
    assert isinstance(table, Table)
    turned = Table(table.levels, ("wind", "rain"), np.swapaxes(table.probabilities, 0, 1))
    other = Network(
        {"mood": turned, "wind": network.distribution("wind"), "rain": network.distribution("rain")}
    )
    assert other == network
    assert hash(other) == hash(network)
    changed = Network({**network.distributions, "rain": Table(("yes", "no"), (), [0.3, 0.7])})
    assert changed != network
    assert network != mixed()
    assert mixed() == mixed()


def test_pickle_and_immutability() -> None:
    network = pickle.loads(pickle.dumps(mixed()))
    assert network == mixed()
    table = network.distribution("group")
    assert isinstance(table, Table)
    with pytest.raises(ValueError, match="read-only"):
        table.probabilities[0] = 1.0
    with pytest.raises(TypeError):
        network.distributions["x"] = table  # type: ignore[index]


def test_rounding_is_set_right_and_mistakes_are_not() -> None:
    table = Table(("a", "b", "c"), (), [0.333, 0.333, 0.333])
    assert table.probabilities.sum() == pytest.approx(1.0, abs=1e-15)
    exact = [0.1 + 2e-17, 0.2, 0.7]
    assert Table(("a", "b", "c"), (), exact).probabilities.tolist() == exact
    with pytest.raises(DataError, match=r"sum to 1 \(within 0.002\), found 0.9 in row 2 of 2"):
        Table(("a", "b"), ("p",), [[0.5, 0.5], [0.4, 0.5]])


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Network({}), "at least one node"),
        (lambda: Network({"": Table(("a",), (), [1.0])}), "non-empty text"),
        (lambda: Network({"x": 3}), "expected a Table or a Gaussian"),
        (lambda: Network({"x": Table(("a",), ("y",), [[1.0]])}), "unknown parent 'y'"),
        (lambda: Table(("a", "a"), (), [0.5, 0.5]), "level 'a' stands twice"),
        (lambda: Table((), (), []), "at least one level"),
        (lambda: Table(("a", "b"), (), [1.5, -0.5]), "not negative, found -0.5"),
        (lambda: Table(("a", "b"), (), [[0.5, 0.5]]), "1 axes, the last of length 2; found 1×2"),
        (lambda: Table(("a", "b"), (), [np.nan, 1]), "finite numbers, found nan"),
        (lambda: Table(("a", "b"), (), ["x", "y"]), "are numbers"),
        (lambda: Gaussian((), 0.0, [], -1.0), "not negative, found -1"),
        (lambda: Gaussian(("x",), 0.0, [], 1.0), "coefficients are 1"),
        (lambda: Gaussian(("x",), [0.0], [1.0], 1.0), "one axis per discrete parent"),
        (lambda: Gaussian(("x", "x"), 0.0, [1.0, 1.0], 1.0), "parent 'x' stands twice"),
    ],
)
def test_what_is_refused(make: object, message: str) -> None:
    with pytest.raises(DataError, match=message):
        make()  # type: ignore[operator]


def test_parents_of_the_wrong_kind_or_size_are_refused() -> None:
    coin = Table(("h", "t"), (), [0.5, 0.5])
    number = Gaussian((), 0.0, [], 1.0)
    with pytest.raises(DataError, match="'y': parent 'x' is continuous, needed is a discrete"):
        Network({"x": number, "y": Table(("a",), ("x",), [[1.0]])})
    with pytest.raises(DataError, match="'y': parent 'x' is discrete, needed is a continuous"):
        Network({"x": coin, "y": Gaussian(("x",), 0.0, [1.0], 1.0)})
    with pytest.raises(DataError, match="'y': its table has 3 rows for parent 'x', which has 2"):
        Network({"x": coin, "y": Table(("a",), ("x",), [[1.0]] * 3)})
    with pytest.raises(DataError, match=r"cycle: a -> b -> a"):
        Network({"a": Gaussian(("b",), 0, [1], 1), "b": Gaussian(("a",), 0, [1], 1), "c": number})
    with pytest.raises(DataError, match=r"cycle: a -> a"):
        Network({"a": Gaussian(("a",), 0, [1], 1)})
    chain = {"a": Gaussian(("c",), 0, [1], 1), "b": Gaussian(("a",), 0, [1], 1)}
    with pytest.raises(DataError, match=r"cycle: a -> b -> c -> a"):
        Network(chain | {"c": Gaussian(("b",), 0, [1], 1)})
    with pytest.raises(DataError, match=r"unknown node 'rian' .did you mean 'rain'"):
        weather().distribution("rian")


def test_likelihood_of_discrete_rows_by_hand() -> None:
    # Columns in another order, a further column, and levels in another order than the network's.
    variables = [
        Variable("mood", ("bad", "fair", "good")),
        Variable("extra", ("x",)),
        Variable("wind", ("calm", "breeze", "storm", "unused")),
        Variable("rain", ("no", "yes")),
    ]
    data = Dataset(variables, codes=[[0, 0, 2, 1], [2, 0, 0, 0], [2, 0, 2, 1]])
    rows = weather().row_log_likelihoods(data)
    assert rows[:2] == pytest.approx([math.log(0.2 * 0.6 * 0.875), math.log(0.8 * 0.5 * 1.0)])
    assert rows[2] == -math.inf
    assert weather().log_likelihood(data[:2]) == pytest.approx(rows[:2].sum())


def test_likelihood_of_mixed_rows_by_hand() -> None:
    network = mixed()
    data = Dataset(network.variables, codes=[[1, 2]], values=[[180.0, 30.0, 150.0, 280.0]])

    def density(x: float, mean: float, sd: float) -> float:
        return math.exp(-0.5 * ((x - mean) / sd) ** 2) / (sd * math.sqrt(2 * math.pi))

    expected = (
        0.5
        * 0.5
        * density(180, 178, 7)
        * density(30, 40, 10)
        * density(150, -72 + 1.0 * 180 + 1.1 * 30, 10)
        * density(280, 1.5 + 2 * 150 - 0.5 * 30, 0.25)
    )
    # The last factor is far out in the tail: compare logarithms.
    log_last = -0.5 * ((280 - 286.5) / 0.25) ** 2 - math.log(0.25) - 0.5 * math.log(2 * math.pi)
    rest = expected / density(280, 286.5, 0.25)
    assert network.log_likelihood(data) == pytest.approx(math.log(rest) + log_last)


def test_likelihood_leaves_out_what_was_intervened_on() -> None:
    network = weather()
    data = Dataset(network.variables, codes=[[0, 2, 2]] * 2, regimes=([[], ["wind"]], [0, 1]))
    rows = network.row_log_likelihoods(data)
    assert rows[0] - rows[1] == pytest.approx(math.log(0.6))


def test_likelihood_without_noise() -> None:
    network = Network({"x": Gaussian((), 2.0, [], 0.0)})
    data = Dataset(network.variables, values=[[2.0], [2.1]])
    assert network.row_log_likelihoods(data).tolist() == [math.inf, -math.inf]


def test_likelihood_of_data_that_do_not_fit() -> None:
    network = weather()
    rain, wind, mood = network.variables
    with pytest.raises(DataError, match="unknown variable 'wind'"):
        network.log_likelihood(Dataset([rain, mood], codes=[[0, 0]]))
    data = Dataset([Variable("rain", ("yes", "maybe")), wind, mood], codes=[[1, 0, 0]])
    with pytest.raises(DataError, match="variable 'rain': unknown level 'maybe'"):
        network.log_likelihood(data)
    with pytest.raises(DataError, match="variable 'mood', row 2: the value is missing"):
        network.log_likelihood(Dataset([rain, wind, mood], codes=[[0, 0, 0], [0, 0, -1]]))
    with pytest.raises(DataError, match="'rain' is continuous in the data"):
        network.log_likelihood(Dataset([Variable("rain"), wind, mood], [[0, 0]], [[1.0]]))
    replaced = [Variable("age", ("x",)) if v.name == "age" else v for v in mixed().variables]
    with pytest.raises(DataError, match="'age' is discrete in the data"):
        mixed().log_likelihood(Dataset(replaced, [[0, 0, 0]], [[1.0, 1.0, 1.0]]))


def test_load_takes_names_and_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert Network.load("asia").about.name == "asia"
    write_network(weather(), tmp_path / "asia.bif")
    assert Network.load(tmp_path / "asia.bif") == weather()
    assert Network.load(str(tmp_path / "asia.bif")) == weather()
    monkeypatch.chdir(tmp_path)
    (tmp_path / "asia").write_text("a file of that name")
    assert len(Network.load("asia")) == 8
    with pytest.raises(DataError, match=r"unknown standard network 'alram' .did you mean 'alarm'"):
        Network.load("alram")
    with pytest.raises(DataError, match=r"nothing\.bif: there is no such file"):
        Network.load("nothing.bif")


def test_list_networks_needs_no_decoding() -> None:
    listed = {record.name: record for record in list_networks()}
    assert len(listed) == 28
    assert list(listed) == sorted(listed)
    alarm = listed["alarm"]
    assert (alarm.n_nodes, alarm.n_arcs, alarm.n_parameters) == (37, 46, 509)
    assert (alarm.max_in_degree, alarm.min_levels, alarm.max_levels) == (4, 2, 4)
    assert listed["ecoli70"].kind == "gaussian"
    assert listed["ecoli70"].min_levels is None
    assert all(record.origin and record.licence and record.reference for record in listed.values())
