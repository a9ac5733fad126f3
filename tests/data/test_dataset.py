from __future__ import annotations

import pickle

import numpy as np
import pytest
from dataset_strategies import datasets
from hypothesis import given
from hypothesis import strategies as st

from dagathlon.data import Dataset, Variable, regimes_of_mask
from dagathlon.errors import DataError

COLOURS = Variable("colour", ("red", "green", "blue"))
SIZE = Variable("size")
SEX = Variable("sex", ("f", "m"))


@pytest.fixture
def mixed() -> Dataset:
    codes = [[0, 1], [2, -1], [1, 0], [-1, 1]]
    values = [[1.5], [np.nan], [-2.0], [4.0]]
    regimes = ([(), {"sex"}], [0, 0, 1, 1])
    return Dataset([COLOURS, SIZE, SEX], codes, values, regimes)


def test_columns_follow_the_order_of_their_kind(mixed) -> None:
    assert mixed.names == ("colour", "size", "sex")
    assert mixed.column("colour").tolist() == [0, 2, 1, 255]
    assert mixed.column("sex").tolist() == [1, 255, 0, 1]
    assert mixed.column("size")[[0, 2, 3]].tolist() == [1.5, -2.0, 4.0]
    assert mixed.arities == (3, 2)
    assert len(mixed) == mixed.n_rows == 4
    assert (mixed.is_discrete, mixed.is_continuous, mixed.is_mixed) == (False, False, True)


def test_missing_values_are_told_by_a_mask(mixed) -> None:
    expected = [[0, 0, 0], [0, 1, 1], [0, 0, 0], [1, 0, 0]]
    assert mixed.has_missing
    assert mixed.missing.tolist() == np.array(expected, dtype=bool).tolist()
    assert mixed[:1].missing is None
    assert not mixed[2:3].has_missing


def test_a_matrix_has_all_columns_in_order(mixed) -> None:
    matrix = mixed.to_matrix()
    assert matrix.flags.f_contiguous
    assert np.array_equal(matrix[0], [0, 1.5, 1])
    assert np.isnan(matrix[[1, 1, 3], [1, 2, 0]]).all()


def test_interventions_are_regimes_of_rows(mixed) -> None:
    assert mixed.targets == (frozenset(), frozenset({"sex"}))
    assert mixed.regime.tolist() == [0, 0, 1, 1]
    assert mixed.intervened[:, 2].tolist() == [False, False, True, True]
    assert not mixed.intervened[:, :2].any()
    assert mixed.drop(["sex"]).targets is None
    observational = Dataset([SIZE], values=[[1.0]], regimes=([()], [0]))
    assert observational.regime is None
    assert observational.intervened is None


def test_equal_target_sets_are_one_regime() -> None:
    data = Dataset([SIZE], values=[[1.0], [2.0], [3.0]], regimes=([("size",), (), []], [0, 1, 2]))
    assert data.targets == (frozenset({"size"}), frozenset())
    assert data.regime.tolist() == [0, 1, 1]


@given(st.integers(1, 6), st.integers(1, 4), st.randoms(use_true_random=False))
def test_a_mask_of_interventions_gives_its_regimes(n, p, random) -> None:
    mask = np.array([[random.random() < 0.4 for _ in range(p)] for _ in range(n)])
    names = [f"V{j}" for j in range(p)]
    targets, rows = regimes_of_mask(names, mask)
    assert len(set(targets)) == len(targets)
    for row, number in zip(mask, rows, strict=True):
        assert targets[number] == {name for name, hit in zip(names, row, strict=True) if hit}
    data = Dataset(map(Variable, names), values=np.zeros((n, p)), regimes=(targets, rows))
    assert np.array_equal(np.zeros((n, p)) if data.intervened is None else data.intervened, mask)


def test_slices_are_views_of_the_same_memory() -> None:
    codes = np.asfortranarray(np.arange(40, dtype=np.uint8).reshape(20, 2) % 3)
    data = Dataset([COLOURS, Variable("other", COLOURS.levels)], codes)
    assert data.codes is codes
    for part in (data[:5], data[::2], data[3:9], data[4:][::3]):
        assert np.shares_memory(part.codes, codes)
        assert part.codes.strides[1] == codes.strides[1]
        assert not part.codes.flags.writeable
    assert data[::2].column("colour").tolist() == codes[::2, 0].tolist()


def test_arrays_are_read_only() -> None:
    values = np.zeros((3, 1))
    data = Dataset([SIZE], values=values)
    with pytest.raises(ValueError, match="read-only"):
        data.values[0, 0] = 1.0
    with pytest.raises(ValueError, match="read-only"):
        data.column("size")[0] = 1.0
    with pytest.raises(ValueError, match="read-only"):
        values[0, 0] = 1.0


def test_take_copies_rows_in_the_order_asked(mixed) -> None:
    taken = mixed.take([3, 0, 0])
    assert taken.column("colour").tolist() == [255, 0, 0]
    assert taken.regime.tolist() == [1, 0, 0]
    assert not np.shares_memory(taken.codes, mixed.codes)
    assert taken.codes.flags.f_contiguous
    assert len(mixed.take([])) == 0


def test_select_and_drop_choose_columns(mixed) -> None:
    chosen = mixed.select(["sex", "colour"])
    assert chosen.names == ("sex", "colour")
    assert chosen.column("colour").tolist() == [0, 2, 1, 255]
    assert chosen.is_discrete
    assert chosen.regime.tolist() == [0, 0, 1, 1]
    assert mixed.drop(["size"]) == mixed.select(["colour", "sex"])


def test_codes_are_as_narrow_as_the_levels_allow() -> None:
    narrow, wide = Variable.coded("narrow", 255), Variable.coded("wide", 256)
    data = Dataset([narrow, wide], [[254, 255], [-1, -1]])
    assert data.codes.dtype == np.uint16
    assert data.codes.tolist() == [[254, 255], [65535, 65535]]
    alone = data.select(["narrow"])
    assert alone.codes.dtype == np.uint8
    assert alone.codes.tolist() == [[254], [255]]
    assert alone == Dataset([narrow], np.array([[254], [255]], dtype=np.uint8))
    widest = Variable.coded("widest", 65_535)
    assert Dataset([widest], [[65534], [-1]]).codes.tolist() == [[65534], [65535]]


@given(datasets(min_rows=0))
def test_content_alone_decides_equality_and_fingerprint(data) -> None:
    doubled = data.take(np.repeat(np.arange(len(data)), 2))
    views = [doubled[::2], data.select(data.names), pickle.loads(pickle.dumps(data[:]))]
    twins = Dataset(
        data.variables,
        np.array(data.codes, order="C"),
        data.values.tolist() or data.values,
        data.regimes,
    )
    for other in [*views, twins]:
        assert other == data
        assert other.fingerprint == data.fingerprint
        assert hash(other) == hash(data)


@given(datasets(min_rows=2), st.data())
def test_any_change_changes_the_fingerprint(data, choices) -> None:
    row = choices.draw(st.integers(0, len(data) - 1))
    others = np.delete(np.arange(len(data)), row)
    changed = [data.take(others), data[: len(data) - 1]]
    renamed = [Variable(f"{data.names[0]}'", data.variables[0].levels), *data.variables[1:]]
    if renamed[0].name not in data.names:
        changed.append(Dataset(renamed, data.codes, data.values))
    if data.values.size:
        values = data.values.copy()
        values[row, 0] = 0.25 if values[row, 0] != 0.25 else 0.75
        changed.append(Dataset(data.variables, data.codes, values, data.regimes))
    if len(data.names) > 1:
        changed.append(data.select(data.names[::-1]))
    for other in changed:
        assert other != data
        assert other.fingerprint != data.fingerprint


def test_the_fingerprint_does_not_depend_on_the_width_of_neighbours() -> None:
    narrow, wide = Variable.coded("narrow", 3), Variable.coded("wide", 300)
    both = Dataset([narrow, wide], [[0, 7], [2, 299], [-1, -1]])
    alone = Dataset([narrow], [[0], [2], [-1]])
    assert both.select(["narrow"]).fingerprint == alone.fingerprint


def test_the_fingerprint_stays_what_it_was() -> None:
    data = Dataset([COLOURS, SIZE], [[0], [-1]], [[1.5], [np.nan]], ([(), ("size",)], [0, 1]))
    assert data.fingerprint == "21f025634bdb10181851af8223af6ccbb6a0a417dd4acb942cfc6ec8743ee102"


def test_zero_has_one_fingerprint_whatever_its_sign() -> None:
    plus, minus = Dataset([SIZE], values=[[0.0]]), Dataset([SIZE], values=[[-0.0]])
    assert plus == minus
    assert plus.fingerprint == minus.fingerprint


def test_regimes_that_no_row_uses_do_not_count() -> None:
    values = [[1.0], [2.0]]
    used = Dataset([SIZE], values=values, regimes=([("size",), ()], [1, 0]))
    more = Dataset([SIZE], values=values, regimes=([(), ("size",)], [0, 1]))
    assert used == more
    assert used.fingerprint == more.fingerprint
    assert used[:1] == Dataset([SIZE], values=values[:1])
    assert used[:1].fingerprint == Dataset([SIZE], values=values[:1]).fingerprint
    assert used != Dataset([SIZE], values=values)


def test_a_summary_has_counts_and_ranges(mixed) -> None:
    colour, size, _ = mixed.summary()
    assert colour.counts == {"red": 1, "green": 1, "blue": 1}
    assert (colour.n_missing, colour.n_distinct, colour.kind) == (1, 3, "discrete")
    assert (size.minimum, size.maximum, size.n_missing) == (-2.0, 4.0, 1)
    assert size.mean == pytest.approx(3.5 / 3)
    assert size.deviation == pytest.approx(np.std([1.5, -2.0, 4.0], ddof=1))
    empty = Dataset([SIZE], values=[[np.nan]]).summary()[0]
    assert (empty.n_missing, empty.mean, empty.deviation) == (1, None, None)


def test_what_is_shown_says_what_it_is(mixed) -> None:
    assert repr(mixed) == (
        "Dataset(4 rows × 3 columns: 2 discrete (2–3 levels), 1 continuous, "
        "with missing values, 2 regimes)"
    )
    assert repr(Dataset([SIZE], values=[[1.0]])) == "Dataset(1 row × 1 column: continuous)"
    assert repr(mixed[:1].select(["sex"])).startswith(
        "Dataset(1 row × 1 column: discrete, 2 levels"
    )
    page = Dataset([Variable("<b>", ("<i>",))], [[0]])._repr_html_()
    assert "&lt;b&gt;" in page
    assert "<td>&lt;i&gt;</td>" in page
    assert mixed._repr_html_().count("<tr>") == 2 + 4


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Dataset([]), "at least one column"),
        (lambda: Dataset([SIZE]), "needs codes, values or both"),
        (lambda: Dataset([SIZE], values=3.0), "needs codes, values or both"),
        (lambda: Dataset([SIZE, SIZE], values=[[1, 2]]), "'size' stands twice"),
        (lambda: Dataset(["size"], values=[[1]]), "a Variable, found 'size'"),
        (lambda: Dataset([SIZE], values=[[1, 2]]), "1 continuous variables, found 1×2"),
        (lambda: Dataset([SIZE], values=[["x"]]), "are numbers"),
        (lambda: Dataset([SIZE], values=[[1], [np.inf]]), "'size', row 2: found inf"),
        (lambda: Dataset([COLOURS], [[0.5]]), "codes are whole numbers"),
        (lambda: Dataset([COLOURS], [[0], [3]]), "'colour', row 2: found code 3"),
        (lambda: Dataset([COLOURS], [[-2]]), "found code -2"),
        (lambda: Dataset([COLOURS], np.array([[3]], np.uint8)), "codes 0 to 2"),
        (lambda: Dataset([COLOURS], np.array([[256]])), "found code 256"),
        (lambda: Dataset([COLOURS, SIZE], [[0]], [[1], [2]]), "1 rows of codes and 2 rows"),
        (lambda: Dataset([COLOURS, SIZE], [[0]]), "1 continuous variables, found 1×0"),
        (lambda: Dataset([SIZE], values=[[1]], regimes=([("Size",)], [0])), "did you mean 'size'"),
        (lambda: Dataset([SIZE], values=[[1]], regimes=([("size",)], [1])), "one of the 1 target"),
        (
            lambda: Dataset([SIZE], values=[[1]], regimes=([("size",)], [0, 0])),
            "each of the 1 rows",
        ),
        (lambda: Variable(""), "non-empty text"),
        (lambda: Variable("x", ()), "found 0 levels"),
        (lambda: Variable("x", ("a", "a")), "'a' stands twice"),
        (lambda: Variable("x", (1, 2)), "a level is a text"),
        (lambda: Variable.coded("x", 65_536), "found 65536 levels"),
        (lambda: SIZE.arity, "is continuous"),
    ],
)
def test_what_does_not_fit_is_refused(make, message) -> None:
    with pytest.raises(DataError, match=message):
        make()


@pytest.mark.parametrize(
    ("use", "message"),
    [
        (lambda data: data["size"], "use data.column"),
        (lambda data: data[0], "takes a slice of rows"),
        (lambda data: data[::-1], "positive step"),
        (lambda data: data.column("sise"), "did you mean 'size'"),
        (lambda data: data.select([]), "at least one column"),
        (lambda data: data.select(["size", "size"]), "stands twice"),
        (lambda data: data.select("size"), "a list of names"),
        (lambda data: data.drop("size"), "a list of names"),
        (lambda data: data.drop(["no"]), "unknown variable 'no'"),
        (lambda data: data.take([4]), "rows are numbered 0 to 3, found 4 to 4"),
        (lambda data: data.take([-1]), "found -1"),
        (lambda data: data.take([0.5]), "a list of row numbers"),
    ],
)
def test_wrong_use_is_explained(mixed, use, message) -> None:
    with pytest.raises(DataError, match=message):
        use(mixed)
