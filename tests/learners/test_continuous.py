"""The continuous learners: gradients, easy models, invariances, peers, and bad input."""

import numpy as np
import pytest

from dagathlon import _core
from dagathlon.data import Dataset, Variable
from dagathlon.errors import DataError
from dagathlon.graphs import Graph
from dagathlon.learners import learn
from strategies import continuous

QUICK = {
    "notears": {},
    "golem": {"num_iter": 4000},
    "dagma": {"warm_iter": 4000, "max_iter": 8000},
    "direct_lingam": {"thresh": 0.3},
    "ica_lingam": {"thresh": 0.3},
}


def model(p: int, n: int, seed: int, noise: str = "normal", low: float = 0.6):
    """Weights of a random DAG, from row to column, and data with noise of equal variance."""
    rng = np.random.default_rng(seed)
    weights = np.triu(rng.random((p, p)) < min(1.0, 2 / (p - 1)), 1) * rng.uniform(low, 1.5, (p, p))
    weights *= rng.choice([-1, 1], (p, p))
    order = rng.permutation(p)
    weights = weights[np.ix_(order, order)]
    errors = getattr(rng, noise)(size=(n, p))
    return weights, errors @ np.linalg.inv(np.eye(p) - weights)


def arcs(graph: Graph) -> np.ndarray:
    return graph.marks == 2


@pytest.mark.parametrize("exponential", [False, True])
def test_acyclicity_and_its_slope(exponential: bool):
    rng = np.random.default_rng(1)
    weights = rng.normal(size=(7, 7)) * 0.4
    value, slope = _core.acyclicity(weights, exponential)
    walks = np.linalg.matrix_power(np.eye(7) + weights**2 / 7, 7)
    if exponential:
        from scipy.linalg import expm

        walks = expm(weights**2)
    assert value == pytest.approx(np.trace(walks) - 7, rel=1e-12)
    for i, j in [(0, 1), (3, 3), (6, 2)]:
        moved = weights.copy()
        moved[i, j] += 1e-6
        step = (_core.acyclicity(moved, exponential)[0] - value) / 1e-6
        assert 2 * slope[i, j] * weights[i, j] == pytest.approx(step, rel=1e-4, abs=1e-6)


def test_acyclicity_is_zero_for_a_dag_alone():
    chain = np.diag([2.0, 3.0, 4.0], 1)
    assert _core.acyclicity(chain, False)[0] == 0
    chain[3, 0] = 0.5
    assert _core.acyclicity(chain, False)[0] > 0.1


@pytest.mark.parametrize("equal", [True, False])
def test_gradient_of_golem(equal: bool):
    rng = np.random.default_rng(2)
    values = rng.normal(size=(50, 4))
    moments, weights = values.T @ values / 50, 0.3 * rng.normal(size=(4, 4))
    np.fill_diagonal(weights, 0)
    value, gradient = _core.golem_objective(moments, weights, equal, 0.1, 5.0)
    moved = weights.copy()
    moved[1, 2] += 1e-6
    step = (_core.golem_objective(moments, moved, equal, 0.1, 5.0)[0] - value) / 1e-6
    assert gradient[1, 2] == pytest.approx(step, rel=1e-4)


@pytest.mark.parametrize("p", [1, 2, 7, 16, 17, 33, 50])
def test_inverses_by_blocks_of_columns(p: int):
    rng = np.random.default_rng(p)
    weights = rng.normal(size=(p, p))  # rows must be exchanged on the way
    errors = np.eye(p) - weights
    value, gradient = _core.golem_objective(np.eye(p), weights, True, 0.0, 0.0)
    square = (errors**2).sum()
    assert value == pytest.approx(
        p / 2 * np.log(square / p) - np.linalg.slogdet(errors)[1], rel=1e-9
    )
    expected = np.linalg.inv(errors).T - errors * p / square
    np.fill_diagonal(expected, 0)
    assert np.allclose(gradient, expected, rtol=1e-7, atol=1e-9)
    if p > 1:
        weights[:, 0] = np.eye(p)[:, 0]
        assert _core.golem_objective(np.eye(p), weights, True, 0.0, 0.0)[0] is None


@pytest.mark.parametrize("name", QUICK)
def test_easy_models_are_recovered(name: str):
    noise = "uniform" if "lingam" in name else "normal"
    # Noise of one variance tells directions of Gaussian data, in the units it is equal in.
    raw = {} if "lingam" in name else {"standardize": False}
    for seed in range(3):
        weights, values = model(6, 20_000, seed, noise)
        found = learn(continuous(values), name, **QUICK[name], **raw).graph
        assert (arcs(found) == (weights != 0)).all()


@pytest.mark.parametrize("name", ["notears", "notears_low_rank", "golem", "dagma"])
def test_units_of_measurement_do_not_matter(name: str):
    values = model(5, 300, 2)[1]
    units = np.array([1e-3, 1.0, 50.0, 1e4, 0.2])
    settings = QUICK.get(name, {})
    plain = learn(continuous(values), name, **settings).graph
    assert plain.edges()
    assert learn(continuous(values * units + 7 * units), name, **settings).graph == plain


def test_discrete_columns_are_refused_with_the_ways_out():
    values = model(3, 60, 1)[1]
    sexes = Variable("sex", ("f", "m"))
    mixed = Dataset(
        [Variable("V0"), sexes, Variable("V2")],
        values=values[:, [0, 2]],
        codes=(values[:, [1]] > 0).astype(np.int32),
    )
    for name in (*QUICK, "notears_low_rank", "anm"):
        with pytest.raises(DataError, match=r"continuous.*mixed.*discrete: sex"):
            learn(mixed, name)
    with pytest.raises(DataError, match="discrete='numbers' takes levels for numbers"):
        learn(mixed.select(["sex"]), "dagma")
    assert learn(mixed, "notears", discrete="numbers").graph.is_dag
    assert learn(mixed.select(["sex"]), "notears", loss_type="logistic").graph.is_dag


def test_columns_of_few_values_are_noted():
    values = model(3, 60, 1)[1]
    values[:, 1] = values[:, 1] > 0
    (note,) = learn(continuous(values), "direct_lingam").notes
    assert "V1 has at most 5 different values" in note
    assert learn(continuous(values), "notears", **QUICK["notears"]).notes
    assert not learn(continuous(model(3, 60, 1)[1]), "direct_lingam").notes


@pytest.mark.parametrize("name", ["notears", "golem", "dagma", "direct_lingam"])
def test_order_of_columns_does_not_matter(name: str):
    data = continuous(model(8, 400, 5, "uniform", low=0.3)[1])
    turned = data.select(data.names[::-1])
    found = learn(turned, name, **QUICK[name]).graph.subgraph(data.names)
    assert found == learn(data, name, **QUICK[name]).graph


@pytest.mark.slow
def test_losses_of_binary_data_and_counts():
    rng = np.random.default_rng(7)
    cause = rng.integers(0, 2, 600)
    effect = np.where(rng.random(600) < 0.1, 1 - cause, cause)
    binary = continuous(np.column_stack([cause, effect]).astype(float))
    assert len(learn(binary, "notears", loss_type="logistic", lambda1=0.02).graph.edges()) == 1
    assert len(learn(binary, "dagma", loss_type="logistic", **QUICK["dagma"]).graph.edges()) == 1
    with pytest.raises(DataError, match=r"needs columns of 0 and 1; 'V0' has [23]"):
        learn(continuous(binary.values + 2), "notears", loss_type="logistic")
    with pytest.raises(DataError, match="needs counts; 'V0' has -1"):
        learn(continuous(binary.values - 1), "notears", loss_type="poisson")
    assert learn(binary, "notears", loss_type="poisson").graph.is_dag


def test_additive_noise_finds_the_direction():
    rng = np.random.default_rng(3)
    cause = rng.uniform(-2, 2, 200)
    effect = cause**3 / 2 + cause + rng.normal(size=200)
    found = learn(continuous(np.column_stack([effect, cause])), "anm").graph
    assert found == Graph.from_edges([("V1", "V0")], names=["V0", "V1"])


def test_graphical_lasso_of_a_chain():
    rng = np.random.default_rng(4)
    values = rng.normal(size=(5000, 4))
    for j in range(1, 4):
        values[:, j] += 0.8 * values[:, j - 1]
    found = learn(continuous(values), "sklearn_glasso", alpha=0.02, precmat_threshold=0.2).graph
    assert (found.marks != 0).tolist() == (np.eye(4, k=1) + np.eye(4, k=-1) > 0).tolist()


def test_bad_input_is_named():
    values = model(4, 50, 1)[1]
    for name in QUICK:
        with pytest.raises(DataError, match="rows, found 1"):
            learn(continuous(values[:1]), name)
        with pytest.raises(DataError, match="missing"):
            learn(continuous(np.where(values > 1, np.nan, values)), name)
        constant = continuous(np.column_stack([values, np.full(50, 3.0)]))
        assert not arcs(learn(constant, name, **QUICK[name]).graph)[4].any()
    with pytest.raises(DataError, match="more rows than columns"):
        learn(continuous(values[:4]), "direct_lingam")


def test_duplicated_columns_and_few_rows_give_a_dag():
    values = model(6, 5, 2)[1]
    assert learn(continuous(values), "notears").graph.is_dag
    doubled = continuous(model(3, 60, 2)[1][:, [0, 0, 1, 2]])
    assert learn(doubled, "notears").graph.is_dag
    assert learn(doubled, "direct_lingam").graph.is_dag
    with pytest.raises(DataError, match="combination of others"):
        learn(doubled, "ica_lingam")


@pytest.mark.slow
def test_direct_lingam_agrees_with_lingam_and_gcastle():
    lingam = pytest.importorskip("lingam")
    for seed in range(20):
        noise = ["uniform", "laplace", "exponential"][seed % 3]
        values = model(4 + seed % 6, 300, 4000 + seed, noise, low=0.3)[1]
        peer = lingam.DirectLiNGAM()
        peer.fit(values)
        found = learn(continuous(values), "direct_lingam")
        assert found.stats["order"] == " ".join(f"V{i}" for i in peer.causal_order_)
        assert (arcs(found.graph) == (peer.adjacency_matrix_.T != 0)).all()


@pytest.mark.slow
def test_dagma_agrees_with_its_package():
    linear = pytest.importorskip("dagma.linear")
    steps = {"warm_iter": 3000, "max_iter": 6000}
    for seed in range(5):
        values = model(6, 500, 5000 + seed)[1]
        peer = linear.DagmaLinear("l2").fit(values.copy(), **steps)
        assert (
            arcs(learn(continuous(values), "dagma", solver="adam", **steps).graph) == (peer != 0)
        ).all()


def exogenous_order(values: np.ndarray) -> list[int]:
    """DirectLiNGAM with every sum finished."""

    def entropy(u: np.ndarray) -> float:
        size = np.log(np.cosh(u)).mean() - 0.37457
        return -79.047 * size**2 - 7.4129 * (u * np.exp(-(u**2) / 2)).mean() ** 2

    rest, left, order = values - values.mean(axis=0), list(range(values.shape[1])), []
    while left:
        rest = rest / np.maximum(rest.std(axis=0), 1e-300)
        against = dict.fromkeys(left, 0.0)
        for a, b in ((a, b) for a in left for b in left if a < b):
            r = (rest[:, a] * rest[:, b]).mean()
            residuals = (rest[:, [a, b]] - r * rest[:, [b, a]]) / np.sqrt(1 - r**2)
            forward = entropy(rest[:, b]) + entropy(residuals[:, 0])
            difference = forward - entropy(rest[:, a]) - entropy(residuals[:, 1])
            against[a if difference < 0 else b] += difference**2
        first = min(left, key=lambda i: against[i])
        order.append(first)
        left.remove(first)
        for i in left:
            rest[:, i] -= (rest[:, i] * rest[:, first]).mean() * rest[:, first]
    return order


@pytest.mark.parametrize("noise", ["laplace", "normal", "uniform"])
def test_order_of_direct_lingam_is_that_of_finished_sums(noise: str) -> None:
    for seed in range(4):
        values = model(14, 150, seed, noise)[1]
        assert _core.pairwise_order(np.asfortranarray(values)) == exogenous_order(values)
