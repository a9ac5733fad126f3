"""The networks and data on board: the index, round trips, and agreement with their originals."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np
import pytest

from dagathlon.data import (
    SACHS_CONDITIONS,
    Gaussian,
    Network,
    Table,
    list_networks,
    load_sachs,
    read_network,
    sachs_graph,
)
from dagathlon.data.networks import bif, compact
from dagathlon.errors import DataError
from dagathlon.graphs import Graph

FIT = "benchpress/resources/parameters/myparams/bn.fit_networks"
GRAPHS = "benchpress/resources/adjmat/myadjmats"
NAMES = [record.name for record in list_networks()]
SMALL = ["alarm", "asia", "ecoli70", "insurance", "sachs"]
# nodes, arcs, parameters, fewest and most levels (bnlearn's own counts).
FITTED = {
    "alarm": (37, 46, 509, 2, 4),
    "andes": (223, 338, 1157, 2, 2),
    "arth150": (107, 150, 364, None, None),
    "asia": (8, 8, 18, 2, 2),
    "barley": (48, 84, 114005, 2, 67),
    "cancer": (5, 4, 10, 2, 2),
    "child": (20, 25, 230, 2, 6),
    "clgaussian.test": (8, 10, 51, 2, 4),
    "diabetes": (413, 602, 429409, 3, 21),
    "earthquake": (5, 4, 10, 2, 2),
    "ecoli70": (46, 70, 162, None, None),
    "gaussian.test": (7, 7, 21, None, None),
    "hailfinder": (56, 66, 2656, 2, 11),
    "hepar2": (70, 123, 1453, 2, 4),
    "insurance": (27, 52, 1008, 2, 5),
    "learning.test": (6, 5, 41, 2, 3),
    "link": (724, 1125, 14211, 2, 4),
    "magic-irri": (64, 102, 230, None, None),
    "magic-niab": (44, 66, 154, None, None),
    "mehra-complete": (24, 71, 324423, 4, 31),
    "mildew": (35, 46, 540150, 3, 100),
    "munin": (1041, 1397, 80592, 2, 21),
    "munin1": (186, 273, 15622, 2, 21),
    "munin2": (1003, 1244, 69431, 2, 21),
    "munin3": (1041, 1306, 71059, 2, 21),
    "munin4": (1038, 1388, 80352, 2, 21),
    "pathfinder": (109, 195, 72079, 2, 63),
    "pigs": (441, 592, 5618, 3, 3),
    "sachs": (11, 17, 178, 3, 3),
    "sangiovese": (15, 55, 259, 16, 16),
    "survey": (6, 6, 21, 2, 3),
    "water": (32, 66, 10083, 3, 4),
    "win95pts": (76, 112, 574, 2, 2),
}
MIXED = ("clgaussian.test", "mehra-complete", "sangiovese")


def facts(network: Network) -> tuple[int, int, int, int | None, int | None]:
    levels = [v.arity for v in network.variables if v.is_discrete]
    counts = (len(network), network.graph.n_edges, network.n_parameters)
    return (*counts, min(levels, default=None), max(levels, default=None))


def check_round_trip(name: str) -> None:
    network = Network.load(name)
    record = next(entry for entry in list_networks() if entry.name == name)
    assert facts(network) == FITTED[name]
    assert facts(network) == (
        record.n_nodes,
        record.n_arcs,
        record.n_parameters,
        record.min_levels,
        record.max_levels,
    )
    assert record.kind == network.kind
    assert record.max_in_degree == max(len(g.parents) for g in network.distributions.values())
    again = compact.read(compact.write(network))
    assert again == network
    assert again.names == network.names
    assert again.about == network.about
    if network.kind == "discrete":
        assert bif.read(bif.write(network)) == network


@pytest.mark.parametrize("name", SMALL)
def test_round_trip(name: str) -> None:
    check_round_trip(name)


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name in NAMES if name not in SMALL])
def test_round_trip_of_the_others(name: str) -> None:
    check_round_trip(name)


def same_numbers(ours: Network, theirs: Network, name: str) -> float:
    """Largest difference of a node's numbers, levels in the same order."""
    left, right = ours.distribution(name), theirs.distribution(name)
    if isinstance(left, Table) and isinstance(right, Table):
        return float(np.abs(left.probabilities - right.reordered(left.parents).probabilities).max())
    assert isinstance(left, Gaussian)
    assert isinstance(right, Gaussian)
    other = right.reordered(left.discrete_parents, left.continuous_parents)
    squared = np.abs(left.sd**2 - other.sd**2)
    difference = np.abs(left.rows[:, :-1] - other.rows[:, :-1]).max()
    return float(max(difference, squared.max()))


# Those with very many numbers take seconds each.
LARGE = [name for name in NAMES if FITTED[name][2] > 50_000]


@pytest.mark.shared
@pytest.mark.parametrize(
    "name", [pytest.param(n, marks=pytest.mark.slow) if n in LARGE else n for n in NAMES]
)
def test_standard_networks_equal_bnlearn_s(name: str, shared: Path) -> None:
    ours, theirs = Network.load(name), read_network(shared / FIT / f"{name}.rds")
    assert ours.names == theirs.names
    assert ours.graph == theirs.graph
    for node in ours.names:
        left, right = ours.distribution(node), theirs.distribution(node)
        if isinstance(left, Table) and isinstance(right, Table):
            # The BIF files write "_" where R has "%".
            assert left.levels == tuple(level.replace("%", "_") for level in right.levels)
    # The repository prints probabilities with up to ten digits, Gaussian parameters (and the
    # variance) with four decimals.
    tolerance = 1e-6 if ours.kind == "discrete" else 0.5001e-4
    assert max(same_numbers(ours, theirs, node) for node in ours.names) <= tolerance


@pytest.mark.shared
@pytest.mark.parametrize("name", FITTED)
def test_bnlearn_files(name: str, shared: Path) -> None:
    network = read_network(shared / FIT / f"{name}.rds")
    assert facts(network) == FITTED[name]
    gaussian = FITTED[name][3] is None
    expected = "conditional gaussian" if name in MIXED else "gaussian" if gaussian else "discrete"
    assert network.kind == expected
    with (shared / GRAPHS / f"{name}.csv").open(newline="") as file:
        names, *rows = list(csv.reader(file))
    assert list(network.names) == names
    assert network.graph == Graph.from_adjacency(names, np.array(rows, dtype=int))


@pytest.mark.shared
@pytest.mark.parametrize(
    ("name", "parameters"),
    [
        ("sports", 1049),
        ("property", 3056),
        ("formed", 910),
        ("asia", 18),
        ("alarm", 509),
        ("hepar2", 1453),
        ("pathfinder", 72079),
    ],
)
def test_dsc_files(name: str, parameters: int, shared: Path) -> None:
    network = read_network(shared / "networks" / f"{name}.dsc")
    assert network.n_parameters == parameters
    if name in NAMES:
        standard = Network.load(name)
        assert network.graph == standard.graph
        # Two printings of one network; but of Pathfinder there are two versions, and this one
        # has 0.999 and 0.001 in many rows where the repository's BIF and R files have 1 and 0.
        tolerance = 1e-6 if name != "pathfinder" else 2e-3
        assert max(same_numbers(network, standard, node) for node in network.names) <= tolerance


def test_sachs_measurements() -> None:
    data = load_sachs()
    assert len(data) == 7466
    assert data.names == (
        "Raf",
        "Mek",
        "Plcg",
        "PIP2",
        "PIP3",
        "Erk",
        "Akt",
        "PKA",
        "PKC",
        "P38",
        "Jnk",
    )
    assert data.column("Raf")[:2].tolist() == [26.4, 35.9]
    parts = [load_sachs(name) for name in SACHS_CONDITIONS]
    assert [len(part) for part in parts] == [853, 902, 911, 723, 810, 799, 848, 913, 707]
    assert np.array_equal(np.vstack([part.values for part in parts]), data.values)
    assert data.intervened is not None
    assert data.intervened.sum(axis=0).tolist() == [0, 799, 0, 810, 0, 0, 911, 707, 723 + 913, 0, 0]
    assert all(part.regimes is None for part in parts)
    with pytest.raises(DataError, match=r"unknown condition 'pmaa' .did you mean 'pma'"):
        load_sachs("pmaa")


def test_sachs_graph_is_the_standard_network_s() -> None:
    assert sachs_graph().n_edges == 17
    assert sachs_graph().names == load_sachs().names
    assert sachs_graph() == Network.load("sachs").graph


@pytest.mark.shared
def test_sachs_against_benchpress(shared: Path) -> None:
    folder = shared / "benchpress/resources/data/mydatasets/2005_sachs"
    for number, condition in enumerate(SACHS_CONDITIONS, start=1):
        (file,) = folder.glob(f"{number}_*.csv")
        names = file.read_text().partition("\n")[0].strip().split(",")
        theirs = np.loadtxt(file, delimiter=",", skiprows=1)
        ours = load_sachs(condition).select(names)
        assert np.array_equal(ours.values, theirs)
