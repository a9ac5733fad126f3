"""Transforms: which rows and columns come out, what becomes of the truth, what is known before."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dagathlon.data import Dataset, Network, Variable
from dagathlon.data.spec import DataFacts, facts_of
from dagathlon.errors import NotApplicableError, StudyError
from dagathlon.graphs import Graph
from dagathlon.modules import modules
from dagathlon.simulate.columns import Arrange, Select, Standardize
from dagathlon.simulate.measurement import Hide
from dagathlon.simulate.noise import Noise
from dagathlon.simulate.preparing import Discretize, DropMissing, Impute, Log
from dagathlon.simulate.resampling import BootstrapSample, Fold, Subsample
from dagathlon.simulate.transform import Transform
from strategies import stream


def numbered(rows: int) -> Dataset:
    """Data whose first column is the number of the row."""
    values = np.column_stack([np.arange(rows, dtype=float), np.arange(rows) ** 2 % 7.0])
    return Dataset([Variable("row"), Variable("other")], values=values)


def rows_of(data: Dataset) -> list[int]:
    return [int(value) for value in data.column("row")]


@settings(max_examples=50)
@given(st.integers(1, 60), st.integers(0, 60), st.integers(0, 100))
def test_a_subsample_takes_rows_once_and_begins_larger_ones(n: int, more: int, seed: int) -> None:
    data = numbered(n + more)
    small = Subsample(n=n).apply(data, stream(seed))
    whole = Subsample(n=n + more).apply(data, stream(seed))
    assert len(set(rows_of(small))) == n
    assert rows_of(whole)[:n] == rows_of(small)
    assert sorted(rows_of(whole)) == list(range(n + more))
    assert all(o == r**2 % 7 for r, o in zip(rows_of(small), small.column("other"), strict=True))


def test_every_row_is_as_likely_in_a_subsample() -> None:
    data, draws = numbered(10), 2000
    counts = np.zeros(10)
    for seed in range(draws):
        counts[rows_of(Subsample(n=3).apply(data, stream(seed)))] += 1
    # Binomial with mean 600 and standard deviation 20.5.
    assert np.abs(counts - 0.3 * draws).max() < 5 * np.sqrt(draws * 0.3 * 0.7)


def test_a_bootstrap_sample_repeats_rows() -> None:
    data = numbered(1000)
    found = rows_of(BootstrapSample().apply(data, stream()))
    assert len(found) == 1000
    # About 632 of 1000 rows are drawn at least once; the standard deviation is under 10.
    assert 580 < len(set(found)) < 685
    assert rows_of(BootstrapSample(n=50).apply(data, stream())) == found[:50]
    assert len(BootstrapSample(n=3000).apply(data, stream())) == 3000


def test_too_few_rows_are_said() -> None:
    assert Subsample(n=20).not_applicable(DataFacts(n_rows=10)) == (
        "there are 10 rows to take 20 from"
    )
    assert not Subsample(n=20).not_applicable(DataFacts())
    with pytest.raises(NotApplicableError, match="subsample=20,1: there are 10 rows to take 20"):
        Subsample(n=20).apply(numbered(10), stream())
    with pytest.raises(NotApplicableError, match="no rows"):
        BootstrapSample().apply(numbered(3)[:0], stream())


def test_standardised_columns_have_mean_0_and_variance_1() -> None:
    data = Standardize().apply(numbered(30), stream())
    assert np.allclose(data.values.mean(axis=0), 0)
    assert np.allclose(data.values.var(axis=0, ddof=1), 1)
    discrete = Network.load("asia").sample(5, stream())
    assert "no mean" in Standardize().not_applicable(facts_of(discrete))
    with pytest.raises(NotApplicableError, match="no mean"):
        Standardize().apply(discrete, stream())


def test_a_choice_of_variables_hides_the_others() -> None:
    truth = Graph.from_edges(["l -> a", "l -> b", "a -> c"], "abcl")
    data = Dataset([Variable(name) for name in "abcl"], values=np.zeros((3, 4)))
    chosen = Select(variables=("c", "b", "a"))
    found = chosen.apply(data, stream())
    assert found.names == ("c", "b", "a")
    assert chosen.truth(truth, found) == Graph.from_edges(["a <-> b", "a -> c"], "abc")
    assert Subsample(n=2).truth(truth, data) is truth
    with pytest.raises(NotApplicableError, match="no variable 'd'; variables: a, b, c"):
        Select(variables=("d",)).apply(data, stream())


def test_columns_can_be_put_into_another_order() -> None:
    data = Dataset([Variable(name) for name in "abcd"], values=np.arange(8.0).reshape(2, 4))
    arranged = Arrange(variables=("d", "hidden", "b")).apply(data, stream())
    assert arranged.names == ("d", "b", "a", "c")
    np.testing.assert_array_equal(arranged.values[0], [3, 1, 0, 2])
    with pytest.raises(
        NotApplicableError, match=r"none of the variables A, hidden .did you mean 'a'"
    ):
        Arrange(variables=("A", "hidden")).apply(data, stream())
    assert Arrange(variables=("a/b", "c")).label != Arrange(variables=("a/b", "d")).label
    assert Arrange(variables=("a/b", "c")).label.startswith("arrange=a_b,")


@settings(max_examples=15)
@given(st.integers(2, 6), st.integers(0, 30), st.integers(0, 100))
def test_folds_share_the_rows_out(folds: int, more: int, seed: int) -> None:
    data = numbered(folds + more)
    left: list[list[int]] = []
    for number in range(1, folds + 1):
        fold = Fold(number=number, folds=folds)
        out = rows_of(replace(fold, left_out=True).apply(data, stream(seed)))
        kept = rows_of(fold.apply(data, stream(seed)))
        assert sorted(kept + out) == rows_of(data)
        assert kept == sorted(kept)
        assert fold.facts(facts_of(data)).n_rows == len(kept)
        left.append(out)
    assert sorted(row for out in left for row in out) == rows_of(data)
    sizes = [len(out) for out in left]
    assert max(sizes) - min(sizes) <= 1


def test_folds_need_a_row_each() -> None:
    reason = "10 folds need a row each, and there are 7"
    assert Fold().not_applicable(DataFacts(n_rows=7)) == reason
    with pytest.raises(NotApplicableError, match=reason):
        Fold().apply(numbered(7), stream())
    for values in ({"folds": 1}, {"folds": 3, "number": 4}):
        with pytest.raises(StudyError):
            Fold.from_json(values)


@pytest.mark.parametrize("variables", [[], ["a", "a"]])
def test_a_choice_of_nothing_or_twice_is_refused(variables: list[str]) -> None:
    for transform in (Select, Arrange):
        with pytest.raises(StudyError, match="variables names"):
            transform.from_json({"variables": variables})


MADE: dict[str, Transform] = {
    "subsample": Subsample(n=5, number=2),
    "bootstrap": BootstrapSample(n=7),
    "fold": Fold(number=3, folds=7),
    "standardize": Standardize(),
    "select": Select(variables=("x", "k")),
    "arrange": Arrange(variables=("k", "hidden", "x")),
    "hide": Hide(variables=("y*",)),
    "noise": Noise.from_code("M10"),
    "drop_missing": DropMissing(),
    "impute": Impute(),
    "discretize": Discretize(),
    "log": Log(columns=("x",), offset=10.0),
}


def test_all_transforms_are_here() -> None:
    assert set(MADE) == set(modules("transform"))


@pytest.mark.parametrize("transform", MADE.values(), ids=MADE)
def test_what_is_known_before_is_true_afterwards(transform: Transform) -> None:
    variables = [Variable("x"), Variable("y"), Variable("k", ("a", "b", "c"))]
    values = np.random.default_rng(1).normal(size=(40, 2))
    data = Dataset(variables, codes=np.arange(40)[:, None] % 3, values=values)
    before, after = facts_of(data), facts_of(transform.apply(data, stream()))
    told = transform.facts(before)
    assert not transform.not_applicable(before)
    for name in ("kind", "binary", "missing", "n_rows", "n_columns"):
        assert getattr(told, name) in (None, getattr(after, name)), name


def test_labels_say_the_parameters() -> None:
    assert Subsample(n=100, number=3).label == "subsample=100,3"
    assert BootstrapSample().label == "bootstrap=all,1"
    assert Fold(number=2, folds=5).label == "fold=2of5"
    assert Fold(number=2, folds=5, left_out=True).label == "fold=2of5,left_out"
    assert Standardize().label == "standardize"
    assert Select(variables=("a/b", "c")).label == "select=a_b+c"
    assert Noise.from_code("cMI").label == "noise=cMI"
    assert Discretize(method="mdl", columns=("a/b", "c")).label == "discretize=mdl,3,a_b+c"
    assert Impute(copies=5).label == "impute=5"
    assert Impute(number=2).label == "impute=1,2"
    assert Noise().does_nothing


def with_gaps(rows: int = 40) -> Dataset:
    rng = np.random.default_rng(3)
    x = rng.normal(size=rows)
    values = np.column_stack([x, x + rng.normal(0, 0.1, rows)])
    values[:5, 0] = np.nan
    codes = (x > 0).astype(int)[:, None]
    codes[3:8] = -1
    return Dataset([Variable("x"), Variable("y"), Variable("k", ("a", "b"))], codes, values)


def test_gaps_are_dropped_or_filled() -> None:
    data = with_gaps()
    dropped = DropMissing().apply(data, stream())
    assert dropped == data[8:]
    filled = Impute().apply(data, stream())
    assert not filled.has_missing
    assert (filled.values[5:] == data.values[5:]).all()
    assert filled == Impute().apply(data, stream())
    assert Impute(copies=3).apply(data, stream()) is data
    assert Impute(copies=3).pooled_copies == 3
    assert not facts_of(dropped).missing
    assert not Impute(copies=3).facts(facts_of(data)).missing


@pytest.mark.parametrize(
    ("columns", "kind", "told"),
    [(None, "discrete", "discrete"), (("x",), "mixed", None), (("x", "y"), "discrete", None)],
)
def test_levels_of_some_or_all_columns(columns: Any, kind: str, told: str | None) -> None:
    data, step = with_gaps(), Discretize(levels=2, columns=columns)
    assert facts_of(step.apply(data, stream())).kind == kind
    assert step.facts(facts_of(data)).kind == told
    assert not Discretize.keeps_model


@pytest.mark.parametrize("step", [Discretize(), Log()])
def test_discrete_data_are_neither_cut_nor_have_logarithms(step: Transform) -> None:
    discrete = Network.load("asia").sample(5, stream())
    assert step.not_applicable(facts_of(discrete)) == "all columns are discrete"
    with pytest.raises(NotApplicableError, match="all columns are discrete"):
        step.apply(discrete, stream())


def test_what_does_not_suit_the_data_is_said() -> None:
    with pytest.raises(NotApplicableError, match=r"log: column 'x': .* without a logarithm"):
        Log().apply(with_gaps(), stream())
    with pytest.raises(StudyError, match="columns names 'a' twice"):
        Log.from_json({"columns": ["a", "a"]})
    with pytest.raises(StudyError, match="hartemink begins with initial levels"):
        Discretize.from_json({"method": "hartemink", "levels": 9, "initial": 4})
