from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from dagathlon import _core
from dagathlon.data import Dataset, Network, Variable
from dagathlon.data.spec import DataFacts, facts_of
from dagathlon.errors import NotApplicableError, StudyError
from dagathlon.graphs import Graph, latent_projection, read_graph
from dagathlon.simulate.noise import Noise, ObservedTruth
from dagathlon.simulate.noise_code import code_of, parse_code
from strategies import stream

CODES = ["N", "M5", "M10", "I5", "I10", "S5", "S10", "L5", "L10"]
CODES += ["cMI", "cMS", "cML", "cIS", "cIL", "cSL", "cMISL"]
ALARM = Network.load("alarm")
CLEAN = ALARM.sample(20_000, 1)


def noisy(code: str, data: Dataset = CLEAN, seed: int = 1) -> Dataset:
    return Noise.from_code(code).apply(data, stream(seed))


def gaussian(rows: int = 20_000, columns: int = 12) -> Dataset:
    values = np.random.default_rng(1).normal(size=(rows, columns))
    return Dataset([Variable(f"X{j}") for j in range(columns)], values=values)


def within(count: int, n: int, rate: float) -> bool:
    """Inside the interval that holds a binomial count but once in a million."""
    low, high = stats.binom.interval(1 - 1e-6, n, rate)
    return bool(low <= count <= high)


# Codes


@pytest.mark.parametrize("code", CODES)
def test_codes_of_the_study_are_read_and_written(code) -> None:
    assert Noise.from_code(code).code == code


@pytest.mark.parametrize(
    ("code", "rates"),
    [
        ("M2.5", {"missing": 0.025}),
        ("cLM", {"missing": 0.05, "latent": 0.05}),
        ("cM2.5L10", {"missing": 0.025, "latent": 0.1}),
        ("I0.0000001", {"incorrect": 1e-9}),
        ("cM0.000002L10", {"missing": 2e-8, "latent": 0.1}),
    ],
)
def test_other_rates_and_orders(code, rates) -> None:
    assert parse_code(code) == pytest.approx(rates)
    assert code_of(rates) == code.replace("cLM", "cML")
    assert parse_code(code_of(rates)) == pytest.approx(rates, rel=1e-12, abs=0)


@pytest.mark.parametrize(
    "code", ["", "n", "M", "X5", "MI", "cM", "c", "M5I5", "cMM", "M-5", "M0", "M101", "N5", "5M"]
)
def test_wrong_codes_are_named(code) -> None:
    with pytest.raises(StudyError, match=r"^data\[0\]: found"):
        Noise.from_code(code, "data[0]")


def test_an_object_is_a_code() -> None:
    noise = Noise.from_json({"missing": 0.05, "latent": 0.05, "as_missing_values": True})
    assert noise.code == "cML+NA"
    assert Noise.from_code("cML+NA") == noise
    with pytest.raises(StudyError, match=r"noise\.latent: found 1\.5"):
        Noise.from_json({"latent": 1.5}, "noise")


# Cells


def test_no_noise_changes_nothing() -> None:
    assert noisy("N") == CLEAN


@pytest.mark.parametrize(("code", "rate"), [("M5", 0.05), ("M10", 0.1), ("M2.5", 0.025)])
def test_missing_values_are_a_new_state(code, rate) -> None:
    data = noisy(code)
    for j, variable in enumerate(CLEAN.variables):
        assert data.variables[j].levels == (*variable.levels, "missing")
        hit = data.codes[:, j] == variable.arity
        assert within(int(hit.sum()), len(data), rate)
        assert np.array_equal(data.codes[~hit, j], CLEAN.codes[~hit, j])


def test_missing_values_as_true_missing_values() -> None:
    data = noisy("M10+NA")
    assert data.variables == CLEAN.variables
    states = noisy("M10").codes == np.array(CLEAN.arities)
    assert np.array_equal(data.missing, states)


def test_incorrect_values_are_other_states_uniformly() -> None:
    data = noisy("I10")
    assert data.variables == CLEAN.variables
    changed = data.codes != CLEAN.codes
    for j, arity in enumerate(CLEAN.arities):
        assert within(int(changed[:, j].sum()), len(data), 0.1)
        assert data.codes[:, j].max() < arity
        for old in range(arity):
            rows = changed[:, j] & (CLEAN.codes[:, j] == old)
            found = np.bincount(data.codes[rows, j], minlength=arity)
            assert found[old] == 0
            if rows.sum() > 100 and arity > 2:
                assert stats.chisquare(np.delete(found, old)).pvalue > 1e-6


def test_kinds_touch_cells_independently() -> None:
    missing = noisy("M10").codes == np.array(CLEAN.arities)
    incorrect = noisy("I10").codes != CLEAN.codes
    both = int((missing & incorrect).sum())
    assert within(both, missing.size, 0.01)
    columns = missing[:, 0] & missing[:, 1]
    assert within(int(columns.sum()), len(missing), 0.01)


def test_a_combination_does_what_its_parts_do() -> None:
    data = noisy("cMISL")
    hidden = set(CLEAN.names) - set(noisy("L5").names)
    merged = {v.name for v, w in zip(noisy("S5").variables, CLEAN.variables, strict=True) if v != w}
    assert set(data.names) == set(CLEAN.names) - hidden
    untouched = [name for name in data.names if name not in merged]
    missing, incorrect = noisy("M5"), noisy("I5")
    for name in untouched:
        lost = missing.column(name) == CLEAN.variables[CLEAN.position(name)].arity
        expected = np.where(lost, missing.column(name), incorrect.column(name))
        assert np.array_equal(data.column(name), expected)


def test_a_higher_rate_touches_more_of_the_same() -> None:
    for kind in "MI":
        few, many = noisy(f"{kind}5").codes != CLEAN.codes, noisy(f"{kind}10").codes != CLEAN.codes
        assert not np.any(few & ~many)
    assert set(noisy("L10").names) < set(noisy("L5").names)


@pytest.mark.parametrize("code", ["cMISL", "M5", "I10", "cMI+NA"])
def test_noise_of_a_prefix_is_the_prefix_of_the_noise(code) -> None:
    for rows in (1, 100, 1025):
        assert noisy(code, CLEAN[:rows]) == noisy(code)[:rows]


def test_seeds_differ() -> None:
    assert noisy("M5", seed=1) != noisy("M5", seed=2)
    assert noisy("L10", seed=1).names != noisy("L10", seed=2).names


# States and variables


@pytest.mark.parametrize(
    ("columns", "counts"),
    # Table A2 of the study: ForMed, Pathfinder, Alarm, Property, Sports, Asia
    [(88, (4, 9)), (109, (5, 11)), (37, (2, 4)), (27, (1, 3)), (9, (1, 1)), (8, (1, 1))],
)
def test_numbers_of_variables(columns, counts) -> None:
    variables = [Variable.coded(f"X{j}", 3) for j in range(columns)]
    data = Dataset(variables, codes=np.zeros((3, columns), dtype=np.uint8))
    for code, count in zip(("cMISL", "cM5I5S10L10"), counts, strict=True):
        result = noisy(code, data)
        assert columns - len(result.names) == count
        assert sum(variable.arity == 3 for variable in result.variables) == count  # 2 and missing


@given(st.integers(3, 9), st.integers(0, 1000))
def test_two_states_become_one(arity, seed) -> None:
    codes = np.arange(arity, dtype=np.uint8)[:, None]
    data = Dataset([Variable.coded("A", arity)], codes=codes)
    result = Noise(merged=1.0).apply(data, stream(seed))
    old = [data.variables[0].levels[c] for c in data.codes[:, 0]]
    new = [result.variables[0].levels[c] for c in result.codes[:, 0]]
    moved = [(a, b) for a, b in zip(old, new, strict=True) if a != b]
    assert len(moved) == 2
    label = f"{moved[0][0]}+{moved[1][0]}"
    assert {b for _, b in moved} == {label}
    assert result.variables[0].arity == arity - 1


def test_all_pairs_of_states_are_merged_equally_often() -> None:
    variables = [Variable.coded(f"X{j}", 3) for j in range(3000)]
    data = Dataset(variables, codes=np.zeros((1, 3000), dtype=np.uint8))
    result = Noise(merged=1.0).apply(data, stream())
    labels = [next(level for level in v.levels if "+" in level) for v in result.variables]
    found = np.unique(labels, return_counts=True)[1]
    assert stats.chisquare(found).pvalue > 1e-6


def test_all_variables_are_hidden_equally_often() -> None:
    data = CLEAN[:1]
    hidden = [
        name for s in range(500) for name in set(data.names) - set(noisy("L10", data, s).names)
    ]
    found = np.unique(hidden, return_counts=True)[1]
    assert len(found) == 37
    assert stats.chisquare(found).pvalue > 1e-6


def test_labels_that_are_taken_get_a_stroke() -> None:
    data = Dataset([Variable("A", ("missing", "no"))], codes=np.array([[0], [1]], dtype=np.uint8))
    assert noisy("M5", data).variables[0].levels == ("missing", "no", "missing'")


def test_codes_grow_into_two_bytes_and_missing_cells_stay() -> None:
    codes = np.array([[0], [254], [255]], dtype=np.uint8)
    data = Dataset([Variable.coded("A", 255)], codes=codes)
    result = noisy("cMI", data)
    assert result.codes.dtype == np.uint16
    assert result.missing.tolist() == [[False], [False], [True]]


# Continuous and mixed data


def test_continuous_values_are_lost() -> None:
    clean = gaussian()
    data = noisy("M5", clean)
    lost = np.isnan(data.values)
    assert within(int(lost.sum()), lost.size, 0.05)
    assert np.array_equal(data.values[~lost], clean.values[~lost])


def test_incorrect_continuous_values_come_from_the_column() -> None:
    clean = gaussian()
    data = noisy("I10", clean)
    changed = data.values != clean.values
    assert within(int(changed.sum()), changed.size, 0.1)
    for j in range(12):
        assert np.isin(data.values[:, j], clean.values[:, j]).all()
        assert stats.kstest(data.values[changed[:, j], j], "norm").pvalue > 1e-6


def test_noise_of_continuous_data_has_prefixes_too() -> None:
    clean = gaussian()
    for rows in (1, 2, 1500):
        assert noisy("cMIL", clean[:rows]) == noisy("cMIL", clean)[:rows]


def test_missing_values_stay_missing() -> None:
    values = np.full((2000, 1), np.nan)
    values[1] = 1.0
    data = Dataset([Variable("A")], values=values)
    result = Noise(incorrect=1.0).apply(data, stream())
    assert np.array_equal(np.isnan(result.values), np.isnan(values))


def mixed(rows: int = 5000) -> Dataset:
    rng = np.random.default_rng(3)
    levels = [Variable.coded("A", 2), Variable("X"), Variable.coded("B", 4), Variable("Y")]
    codes = np.column_stack([rng.integers(0, 2, rows), rng.integers(0, 4, rows)])
    return Dataset(levels, codes=codes.astype(np.uint8), values=rng.gamma(2.0, size=(rows, 2)))


@pytest.mark.parametrize("code", ["M10", "M10+NA", "I10", "cMI"])
def test_mixed_data_are_spoiled_column_by_column(code) -> None:
    clean, noise = mixed(), Noise.from_code(code)
    data = noise.apply(clean, stream())
    assert data.names == clean.names
    for name in "ABXY":
        before, after = clean.column(name), data.column(name)
        if name in "XY":
            lost = np.isnan(after)
        else:
            arity = clean.variables[clean.position(name)].arity
            state = noise.missing > 0 and not noise.as_missing_values
            assert data.variables[data.position(name)].arity == arity + state
            lost = after >= arity
        assert within(int(lost.sum()), len(data), noise.missing)
        wrong = (after != before) & ~lost
        assert within(int(wrong.sum()), int((~lost).sum()), noise.incorrect)
        if name in "XY" and noise.incorrect:
            assert stats.ks_2samp(after[wrong], before).pvalue > 1e-6
            assert np.isin(after[wrong], before).all()


def test_kinds_of_mixed_data_by_code() -> None:
    clean = mixed()
    merged = noisy("S20", clean)
    assert [v.arity for v in merged.variables if v.is_discrete] == [2, 3]
    assert np.array_equal(merged.values, clean.values)
    hidden = noisy("L30", clean)
    assert len(hidden.names) == 3
    facts = Noise.from_code("M10").facts(facts_of(clean))
    assert facts.missing
    both, few = noisy("cM10I10", clean), noisy("M10", clean)
    lost = np.isnan(few.values)
    assert np.array_equal(np.isnan(both.values), lost)
    assert np.array_equal(both.values[~lost], noisy("I10", clean).values[~lost])
    more, less = noisy("I20", clean).values, noisy("I10", clean).values
    assert np.array_equal(more[less != clean.values], less[less != clean.values])
    with pytest.raises(NotApplicableError, match="more than two states"):
        noisy("S50", clean.select(["A", "X", "Y"]))


def test_gaps_are_known_before_the_kind_of_data_is() -> None:
    assert Noise.from_code("M5+NA").facts(DataFacts()).missing is True
    assert Noise.from_code("M5").facts(DataFacts()).missing is None
    assert Noise.from_code("M5").facts(DataFacts(missing=True)).missing is True
    assert Noise.from_code("I5").facts(DataFacts(missing=False)).missing is False


def test_targets_that_are_hidden_are_forgotten() -> None:
    regimes = ([(), ("X0",), ("X1",)], np.repeat([0, 1, 2], 4))
    variables = [Variable(f"X{j}") for j in range(2)]
    data = Dataset(variables, values=np.zeros((12, 2)), regimes=regimes)
    result = Noise(latent=0.5).apply(data, stream())
    assert len(result.names) == 1
    assert set(result.targets) == {frozenset(), frozenset(result.names)}


# Not applicable


@pytest.mark.parametrize(
    ("network", "omitted"),
    # Table A1 of the study; sports has 9 variables with more than two states
    [
        ("alarm", set()),
        ("asia", {"S5", "S10", "L5", "cMS", "cIS", "cSL"}),
        ("pathfinder", set()),
        ("sports", {"S5", "L5"}),
    ],
)
def test_what_does_not_apply(network, omitted) -> None:
    if network == "sports":
        variables = [Variable.coded(f"X{j}", 3) for j in range(9)]
        data = Dataset(variables, codes=np.zeros((5, 9), dtype=np.uint8))
    else:
        data = Network.load(network).sample(5, 1)
    for code in CODES:
        noise = Noise.from_code(code)
        assert bool(noise.not_applicable(facts_of(data))) == (code in omitted)
        if code in omitted:
            with pytest.raises(NotApplicableError, match=f"^{code}: "):
                noise.apply(data, stream())
        else:
            assert len(noise.apply(data, stream())) == 5


def test_reasons() -> None:
    unknown = DataFacts()
    assert not Noise.from_code("S5").not_applicable(unknown)
    small = DataFacts(kind="discrete", binary=False, n_columns=9)
    assert "one is already 11.1 %" in Noise.from_code("L5").not_applicable(small)
    continuous = DataFacts(kind="continuous", n_columns=50)
    assert "more than two states" in Noise.from_code("S10").not_applicable(continuous)
    assert "leaves none" in Noise(latent=0.9).not_applicable(DataFacts(n_columns=3))


@pytest.mark.parametrize("code", CODES)
def test_facts_are_those_of_the_data(code) -> None:
    for data in (CLEAN[:500], gaussian(500)):
        noise = Noise.from_code(code)
        if noise.not_applicable(facts_of(data)):
            continue
        before, after = noise.facts(facts_of(data)), facts_of(noise.apply(data, stream()))
        assert before.n_columns == after.n_columns
        assert before.missing == after.missing
        assert before.binary in (None, after.binary)


# The truth


def test_the_truth_under_latent_variables_is_the_mag() -> None:
    data = noisy("L10")
    hidden = set(ALARM.names) - set(data.names)
    truth = ObservedTruth().compute(ALARM.graph, data)
    assert truth == latent_projection(ALARM.graph, sorted(hidden))
    assert ObservedTruth().compute(ALARM.graph, CLEAN) is ALARM.graph


@pytest.mark.shared
def test_the_mag_of_the_study(shared) -> None:
    graph = read_graph(shared / "bayesys" / "DAGtrue_ALARM.csv")
    hidden = ("TPR", "VENTALV", "MINVOLSET", "VENTLUNG")
    columns = [Variable(name) for name in graph.names if name not in hidden]
    data = Dataset(columns, values=np.zeros((1, len(columns))))
    expected = read_graph(shared / "bayesys" / "ALARM_MAGtrue_L10.csv")
    assert isinstance(expected, Graph)
    assert ObservedTruth().compute(graph, data) == expected


def test_native_functions_refuse_bad_rates() -> None:
    with pytest.raises(ValueError, match="between 0 and 1"):
        _core.erase_values(np.zeros(3), 1, 1, 1.5)
    with pytest.raises(ValueError, match="too many levels"):
        _core.scramble_codes(np.zeros(3, dtype=np.uint8), 300, 1, 1, 0.5)
