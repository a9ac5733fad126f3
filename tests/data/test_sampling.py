"""Samples of networks: exact marginals, covariances, prefixes, fixed digits."""

from __future__ import annotations

import hashlib

import numpy as np
import pytest
from network_examples import mixed, weather

from dagathlon import _core
from dagathlon.data import Gaussian, Network, Table
from dagathlon.errors import DataError


def marginal(network: Network, wanted: tuple[str, ...]) -> np.ndarray:
    """Exact joint probabilities of some nodes, by summing the others out one after the other."""
    factors = []
    for name, given in network.distributions.items():
        assert isinstance(given, Table)
        factors.append(([*given.parents, name], given.probabilities))
    for name in reversed(network.graph.topological_order()):
        if name in wanted:
            continue
        involved = [factor for factor in factors if name in factor[0]]
        kept = [factor for factor in factors if name not in factor[0]]
        factors = [*kept, product(involved, drop=name)]
    return product(factors, order=wanted)[1]


def product(
    factors: list[tuple[list[str], np.ndarray]], drop: str = "", order: tuple[str, ...] = ()
) -> tuple[list[str], np.ndarray]:
    names = list(dict.fromkeys(name for scope, _ in factors for name in scope))
    axis = {name: i for i, name in enumerate(names)}
    result = list(order) or [name for name in names if name != drop]
    operands: list[object] = []
    for scope, table in factors:
        operands += [table, [axis[name] for name in scope]]
    table = np.einsum(*operands, [axis[name] for name in result], optimize=True)  # type: ignore[call-overload]
    return result, table


def chi_square(codes: np.ndarray, expected: np.ndarray) -> tuple[float, int]:
    """Statistic and degrees of freedom over the cells that can occur; impossible ones must not."""
    flat = np.ravel_multi_index(tuple(codes.T.astype(int)), expected.shape)
    counts = np.bincount(flat, minlength=expected.size)
    wanted = expected.ravel() * len(codes)
    assert counts[wanted == 0].sum() == 0
    common = wanted >= 5
    rare = ~common & (wanted > 0)
    cells = ((counts[common] - wanted[common]) ** 2 / wanted[common]).sum()
    if rare.any():
        cells += (counts[rare].sum() - wanted[rare].sum()) ** 2 / max(wanted[rare].sum(), 1.0)
    return float(cells), int(common.sum() + rare.any() - 1)


def assert_fits(codes: np.ndarray, expected: np.ndarray) -> None:
    statistic, freedom = chi_square(codes, expected)
    # Mean plus five standard deviations: far beyond chance for one fixed seed.
    assert statistic < freedom + 5 * np.sqrt(2 * max(freedom, 1)) + 5


def test_elimination_by_hand() -> None:
    assert marginal(weather(), ("wind",)) == pytest.approx([0.42, 0.3, 0.28])


def test_joint_distribution_of_a_small_network() -> None:
    network = weather()
    data = network.sample(200_000, seed=1)
    assert data.variables == network.variables
    assert_fits(data.codes, marginal(network, network.names))


@pytest.mark.parametrize("name", ["asia", "survey", "sachs", "child"])
def test_pairs_of_standard_networks(name: str) -> None:
    network = Network.load(name)
    data = network.sample(50_000, seed=7)
    for parent, child in [edge[::2] for edge in network.graph.edges()]:
        pair = data.select([parent, child])
        assert_fits(pair.codes, marginal(network, (parent, child)))


def test_many_levels_use_the_binary_search_exactly() -> None:
    rng = np.random.default_rng(0)
    root = rng.dirichlet(np.ones(3))
    table = rng.dirichlet(np.ones(40), 3)
    table[:, ::4] = 0
    table[2] = 0
    table[2, 39] = 1
    table /= table.sum(axis=1, keepdims=True)
    levels = tuple(map(str, range(40)))
    network = Network({"a": Table(("x", "y", "z"), (), root), "b": Table(levels, ("a",), table)})
    data = network.sample(100_000, seed=3)
    assert_fits(data.codes, marginal(network, ("a", "b")))


@pytest.mark.parametrize("count", [1, 2, 3, 4, 5, 8, 9, 300])
def test_every_number_of_levels(count: int) -> None:
    probabilities = np.arange(count, dtype=float) + (count == 1)
    network = Network(
        {"x": Table(tuple(map(str, range(count))), (), probabilities / probabilities.sum())}
    )
    data = network.sample(20_000, seed=count)
    assert data.codes.dtype == (np.uint8 if count <= 255 else np.uint16)
    assert_fits(data.codes, probabilities / probabilities.sum())


def test_covariance_of_a_gaussian_network() -> None:
    network = Network.load("ecoli70")
    n, p = 40_000, len(network)
    weights, noise, intercepts = np.zeros((p, p)), np.zeros(p), np.zeros(p)
    for j, name in enumerate(network.names):
        given = network.distribution(name)
        assert isinstance(given, Gaussian)
        for parent, weight in zip(given.parents, given.coefficients, strict=True):
            weights[network.names.index(parent), j] = weight
        noise[j], intercepts[j] = given.sd**2, given.intercept
    inverse = np.linalg.inv(np.eye(p) - weights)
    covariance = inverse.T @ np.diag(noise) @ inverse
    data = network.sample(n, seed=5)
    found = np.cov(data.values.T)
    sd = np.sqrt(np.outer(np.diag(covariance), np.diag(covariance)) + covariance**2) / np.sqrt(n)
    assert np.abs((found - covariance) / sd).max() < 5
    errors = (data.values.mean(axis=0) - intercepts @ inverse) / np.sqrt(np.diag(covariance) / n)
    assert np.abs(errors).max() < 5


def test_conditional_gaussian_rows() -> None:
    network = mixed()
    data = network.sample(60_000, seed=11)
    sex, group = data.column("sex"), data.column("group")
    given = network.distribution("weight")
    assert isinstance(given, Gaussian)
    for i in range(2):
        for j in range(3):
            rows = (sex == i) & (group == j)
            mean = given.intercept[i, j] + given.coefficients[i, j] @ np.array(
                [data.column("height")[rows], data.column("age")[rows]]
            )
            noise = (data.column("weight")[rows] - mean) / given.sd[i, j]
            assert abs(noise.mean()) < 5 / np.sqrt(rows.sum())
            assert abs(noise.var() - 1) < 5 * np.sqrt(2 / rows.sum())


@pytest.mark.parametrize("make", [weather, mixed])
@pytest.mark.parametrize("rows", [0, 1, 2, 1023, 1024, 1025, 3001])
def test_a_shorter_sample_is_the_beginning_of_a_longer_one(make: object, rows: int) -> None:
    network: Network = make()  # type: ignore[operator]
    assert network.sample(rows, seed=9) == network.sample(4000, seed=9)[:rows]


def test_seeds_differ_and_repeat() -> None:
    network = weather()
    assert network.sample(1000, seed=1) == network.sample(1000, seed=1)
    assert network.sample(1000, seed=1) != network.sample(1000, seed=2)


def test_fixed_digits() -> None:
    codes = Network.load("alarm").sample(1000, seed=42).codes
    digest = hashlib.sha256(codes.tobytes(order="F")).hexdigest()
    assert digest == "27eea39fe6a89010481a636411ccdf2d101b10dd64c0446ef6b355b1766eab85"
    data = mixed().sample(3, seed=2024)
    assert data.codes.tolist() == [[0, 2], [0, 0], [0, 0]]
    assert [value.hex() for value in data.column("score").tolist()] == [
        "0x1.f08565de85525p+4",
        "-0x1.0848685e5a3aap+7",
        "-0x1.c924250acb352p+6",
    ]


def test_samples_are_likely_under_their_network() -> None:
    network = Network.load("asia")
    data = network.sample(20_000, seed=4)
    joint = marginal(network, network.names)
    entropy = -(joint[joint > 0] * np.log(joint[joint > 0])).sum()
    assert network.log_likelihood(data) / len(data) == pytest.approx(-entropy, rel=0.02)


@pytest.mark.parametrize(
    ("n", "seed", "message"),
    [
        (-1, 0, "number of rows lies between"),
        (1.5, 0, "number of rows is a whole number, found 1.5"),
        (1, -1, "seed lies between 0 and 18446744073709551615, found -1"),
        (1, 1 << 64, "seed lies between"),
        (1, "x", "seed is a whole number"),
        ((1 << 40) - 1, 0, "do not fit into memory"),
    ],
)
def test_wrong_arguments(n: int, seed: int, message: str) -> None:
    with pytest.raises(DataError, match=message):
        Network.load("munin").sample(n, seed)


def test_the_native_sampler_checks_what_it_is_given() -> None:
    half = np.full((1, 2), 0.5)
    native = _core.NetworkSampler([2, 2], 1)
    with pytest.raises(ValueError, match="parents are added before"):
        native.add_discrete(0, 0, [1], np.full((2, 2), 0.5))
    native.add_discrete(0, 0, [], half)
    with pytest.raises(ValueError, match="has a node already"):
        native.add_discrete(0, 0, [], half)
    with pytest.raises(ValueError, match="one row per combination"):
        native.add_discrete(1, 1, [0], half)
    with pytest.raises(IndexError):
        native.add_discrete(1, 2, [], half)
    with pytest.raises(ValueError, match="one cell per level"):
        native.add_discrete(1, 1, [], np.ones((1, 1)))
    with pytest.raises(ValueError, match="intercept, one coefficient"):
        native.add_gaussian(2, 0, [], [], np.ones((1, 3)))
    codes, values = np.zeros((3, 2), np.uint8, order="F"), np.zeros((3, 1), order="F")
    with pytest.raises(ValueError, match="every column needs a node"):
        native.sample(1, codes, values)
    with pytest.raises(ValueError, match="one column per node"):
        native.sample(1, codes, np.zeros((4, 1), order="F"))
    with pytest.raises(ValueError, match="1 to 65535 levels"):
        _core.NetworkSampler([0], 0)
