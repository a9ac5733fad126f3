from __future__ import annotations

import subprocess
import sys
import warnings

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from dataset_strategies import WORDS, datasets, plain, without_clashes
from hypothesis import given, settings
from hypothesis import strategies as st

from dagathlon.data import Dataset, Variable, read_data, write_data
from dagathlon.errors import DataError, DataWarning

FRAMES = {
    "arrow": Dataset.to_arrow,
    "pandas": Dataset.to_pandas,
    "polars": Dataset.to_polars,
}


def reread(source, **options) -> Dataset:
    """Read without the warning about constant columns, which small examples often have."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)
        return read_data(source, **options)


@pytest.mark.parametrize("library", FRAMES)
@given(data=datasets().filter(without_clashes))
def test_frames_keep_everything(library, data) -> None:
    assert reread(FRAMES[library](data)) == data


@pytest.mark.parametrize("ending", ["parquet", "feather"])
@settings(max_examples=60)
@given(data=datasets().filter(without_clashes))
def test_table_files_keep_everything(tmp_path_factory, ending, data) -> None:
    path = tmp_path_factory.mktemp("tables") / f"data.{ending}"
    write_data(data, path)
    assert reread(path) == data


@pytest.mark.parametrize(
    "ending", ["csv", *(pytest.param(end, marks=pytest.mark.slow) for end in ("tsv", "csv.gz"))]
)
@settings(max_examples=60)
@given(data=datasets(plain(WORDS)))
def test_labelled_text_keeps_everything_but_the_levels(tmp_path_factory, ending, data) -> None:
    path = tmp_path_factory.mktemp("texts") / f"data.{ending}"
    write_data(data, path, labels=True)
    levels = {v.name: v.levels for v in data.variables if v.is_discrete}
    kinds = {v.name: "continuous" for v in data.variables if not v.is_discrete}
    assert reread(path, levels=levels, kinds=kinds, cardinality_row=False) == data


@pytest.mark.parametrize("ending", ["csv", pytest.param("tsv", marks=pytest.mark.slow)])
@given(data=datasets(plain(WORDS), kinds=st.just("discrete")))
def test_benchpress_text_keeps_codes_and_numbers_of_levels(tmp_path_factory, ending, data) -> None:
    path = tmp_path_factory.mktemp("texts") / f"data.{ending}"
    write_data(data, path)
    variables = [Variable.coded(v.name, v.arity) for v in data.variables]
    assert reread(path) == Dataset(variables, data.codes, regimes=data.regimes)


@given(data=datasets(plain(WORDS), kinds=st.just("continuous")))
def test_continuous_text_keeps_every_digit(tmp_path_factory, data) -> None:
    path = tmp_path_factory.mktemp("texts") / "data.csv"
    write_data(data, path)
    assert reread(path) == data


def test_types_decide_kinds() -> None:
    table = pa.table(
        {
            "text": ["b", "a", None],
            "truth": [True, False, True],
            "code": [0, 2, 0],
            "count": [0, 2, 20],
            "real": pa.array([0.5, 1.0, 2.0], pa.float32()),
            "empty": pa.nulls(3),
            "large": pa.array(["x", "y", "x"], pa.large_string()),
            "exact": pa.array([1, 2, 3]).cast(pa.decimal128(21, 2)),
        }
    )
    with pytest.warns(DataWarning, match="column 'empty' with one value only"):
        data = read_data(table)
    levels = {variable.name: variable.levels for variable in data.variables}
    assert levels == {
        "text": ("a", "b"),
        "truth": ("False", "True"),
        "code": ("0", "2"),
        "count": None,
        "real": None,
        "empty": None,
        "large": ("x", "y"),
        "exact": None,
    }
    assert data.column("code").tolist() == [0, 1, 0]
    assert data.column("text").tolist() == [1, 0, 255]
    assert data.column("exact").tolist() == [1.0, 2.0, 3.0]


def test_kinds_can_be_set() -> None:
    frame = pd.DataFrame({"x": [3.0, 1.0, None], "y": [0, 1, 1], "z": [-(10**9), 7, 10**9]})
    data = read_data(frame, kinds={"x": "discrete", "y": "continuous", "z": "discrete"})
    assert data.variables[0].levels == ("1", "3")
    assert data.column("x").tolist() == [1, 0, 255]
    assert data.column("y").tolist() == [0.0, 1.0, 1.0]
    assert data.variables[2].levels == ("-1000000000", "7", "1000000000")
    assert read_data(frame, kinds="discrete").is_discrete
    assert read_data(frame, kinds="continuous").is_continuous


def test_levels_can_be_set() -> None:
    frame = pl.DataFrame({"x": ["low", "high", "low"], "y": [2, 1, 2]})
    data = read_data(frame, levels={"x": ("low", "middle", "high"), "y": ["1", "2", "3"]})
    assert data.column("x").tolist() == [0, 2, 0]
    assert data.column("y").tolist() == [1, 0, 1]
    assert data.arities == (3, 3)


def test_categories_keep_their_order() -> None:
    grades = ["low", "middle", "high"]
    frame = pd.DataFrame({"x": pd.Categorical(["high", "low"], categories=grades), "y": [0.5, 1.5]})
    assert read_data(frame).variables[0].levels == tuple(grades)
    other = pl.DataFrame({"x": pl.Series(["high", "low"], dtype=pl.Enum(grades))})
    assert read_data(other).column("x").tolist() == [2, 0]
    numbers = pd.DataFrame({"x": pd.Categorical([2, 1, 2])})
    assert read_data(numbers).variables[0].levels == ("1", "2")
    assert read_data(numbers, kinds="continuous").column("x").tolist() == [2.0, 1.0, 2.0]


def test_a_pandas_index_is_not_a_column() -> None:
    frame = pd.DataFrame({"x": [0.5, 1.5], 7: [1.5, 2.5]}, index=["a", "b"])
    data = read_data(frame)
    assert data.names == ("x", "7")
    assert frame.columns.tolist() == ["x", 7]


def test_chunks_with_different_dictionaries_are_one_column() -> None:
    chunks = [pa.array(["b", "c"]).dictionary_encode(), pa.array(["a", None]).dictionary_encode()]
    data = read_data(pa.table({"x": pa.chunked_array(chunks)}))
    assert data.variables[0].levels == ("a", "b", "c")
    assert data.column("x").tolist() == [1, 2, 0, 255]


def test_a_matrix_becomes_columns() -> None:
    matrix = np.array([[0.5, 1.0], [1.5, np.nan], [0.5, 2.0]], order="F")
    data = read_data(matrix, names=["a", "b"])
    assert data.names == ("a", "b")
    assert data.column("b")[0] == 1.0
    assert data.has_missing
    assert data.values.ctypes.data % 64 == 0
    matrix[0, 0] = 9.0
    assert data.column("a")[0] == 0.5
    codes = read_data(np.array([[0, 25], [1, 3]]))
    assert codes.names == ("V1", "V2")
    assert codes.is_mixed
    labels = read_data(np.array([["x", "b"], ["y", "a"]]))
    assert labels.column("V2").tolist() == [1, 0]


@pytest.mark.parametrize(
    ("source", "message"),
    [
        (pa.table({}), "no columns"),
        (pa.table({"x": pa.array([], pa.float64())}), "no rows"),
        (pa.table([[1.0], [2.0]], names=["x", "x"]), "pyarrow table: the name 'x' stands twice"),
        (pa.table({"": [1.0]}), "column 1 has no name"),
        (pa.table({"x": [[1, 2]]}), "column 'x': values of type list"),
        (pa.table({"x": [0.5, np.inf]}), "pyarrow table, row 2, column 'x': found an infinite"),
        (pa.table({"x": [0.5, 1], "do(x)": [True, None]}), "row 2, column 'do\\(x\\)'"),
        (pd.DataFrame([[1.0, 2.0]], columns=["x", "x"]), "pandas table: the name 'x' stands twice"),
        (pd.DataFrame({"x": [object()]}), "pandas table, row 1, column 'x': found .* type object"),
        (
            pd.DataFrame({"w": [1, 2, 3], "x": [1.5, None, "low"]}),
            "pandas table, row 3, column 'x': found 'low' of type str",
        ),
        (pd.DataFrame({"x": pd.to_datetime(["2020-01-01"])}), "neither numbers nor labels"),
        (np.zeros(3), "found 1 dimensions"),
        (np.zeros((0, 3)), "no rows"),
        (np.zeros((3, 0)), "no columns"),
        (np.array([[1 + 2j]]), "numpy array"),
        ({"x": [1]}, "found a dict"),
        (None, "found a NoneType"),
    ],
)
def test_tables_that_are_no_data_are_refused(source, message) -> None:
    with pytest.raises(DataError, match=message):
        read_data(source)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"kinds": "discret"}, "unknown kind 'discret' \\(did you mean 'discrete'"),
        ({"kinds": {"y": "ordinal"}}, "row 1, column 'y': ordinal levels .* need an order"),
        ({"kinds": {"X": "discrete"}}, "unknown column 'X' \\(did you mean 'x'"),
        ({"levels": {"z": ("a",)}}, "unknown column 'z'"),
        ({"levels": {"y": ("a",)}}, "row 2, column 'y': found 'b'"),
        ({"levels": {"y": ("a", "a")}}, "'a' stands twice"),
        ({"levels": {"x": ("a",)}, "kinds": {"x": "continuous"}}, "cannot be continuous"),
        ({"kinds": "continuous"}, "row 1, column 'y': found 'a', which is not a number"),
        ({"delimiter": "::"}, "a delimiter is one character"),
    ],
)
def test_requests_that_do_not_fit_are_refused(options, message) -> None:
    with pytest.raises(DataError, match=message):
        read_data(pa.table({"x": [0.5, 1.5], "y": ["a", "b"]}), **options)


def test_names_of_a_matrix_fit_its_columns() -> None:
    with pytest.raises(DataError, match="1 name for 2 columns"):
        read_data(np.zeros((2, 2)), names=["a"])


def test_a_variable_called_like_an_indicator_is_not_overwritten() -> None:
    variables = [Variable("x"), Variable("do(x)")]
    data = Dataset(variables, values=[[1.0, 2.0]], regimes=([("x",)], [0]))
    with pytest.raises(DataError, match="a variable has that name"):
        data.to_arrow()
    plain_name = Dataset(variables, values=[[1.0, 2.0], [2.0, 3.0]])
    assert read_data(plain_name.to_arrow()) == plain_name


def test_spoilt_level_lists_are_refused() -> None:
    table = Dataset([Variable("x", ("a",))], [[0]]).to_arrow()
    for text in ("{", "3", '["a", 1]', '["b"]', "[]"):
        field = table.schema.field(0).with_metadata({"dagathlon.levels": text})
        with pytest.raises(DataError, match="'x'"):
            read_data(table.cast(pa.schema([field])))


def test_files_that_are_no_tables_are_refused(tmp_path) -> None:
    for ending in ("parquet", "arrow"):
        path = tmp_path / f"bad.{ending}"
        with pytest.raises(DataError, match="there is no such file"):
            read_data(path)
        path.write_bytes(b"not a table")
        with pytest.raises(DataError, match=f"bad.{ending}: not a readable table"):
            read_data(path)
        (tmp_path / f"folder.{ending}").mkdir()
        with pytest.raises(DataError, match="is a folder"):
            read_data(tmp_path / f"folder.{ending}")


def test_a_parquet_file_of_others_is_read(tmp_path) -> None:
    path = tmp_path / "data.parquet"
    pq.write_table(pa.table({"x": ["b", "a", "a"], "y": [1.5, None, 2.5]}), path)
    data = read_data(str(path))
    assert data.variables == (Variable("x", ("a", "b")), Variable("y"))


def test_writing_needs_a_known_format(tmp_path) -> None:
    data = Dataset([Variable("x")], values=[[1.0]])
    for name in ("data", "data.xlsx", "data.gz", "data.parquet.gz"):
        with pytest.raises(DataError, match="no format has this ending"):
            write_data(data, tmp_path / name)
    with pytest.raises(DataError, match="unknown format 'cvs' \\(did you mean 'csv'"):
        write_data(data, tmp_path / "data", format="cvs")
    with pytest.raises(DataError, match=r"cannot be written .there is no folder .*nowhere"):
        write_data(data, tmp_path / "nowhere" / "data.csv")
    assert list(tmp_path.iterdir()) == []
    write_data(data, tmp_path / "data", format="csv")
    assert (tmp_path / "data").read_text() == "x\n1.0\n"


def test_a_failed_write_leaves_the_old_file(tmp_path) -> None:
    path = tmp_path / "data.csv"
    path.write_text("old")
    with pytest.raises(DataError, match="write Parquet instead"):
        write_data(Dataset([Variable("x", ("NA",))], [[0]]), path, labels=True)
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_reading_a_file_imports_neither_pandas_nor_polars(tmp_path) -> None:
    path = tmp_path / "data.csv"
    path.write_text("x,y,z\na,1.5,0\nb,,1\n,2.5,NA\n")
    code = (
        f"import sys, dagathlon.data as d; data = d.read_data({str(path)!r});"
        "assert data.is_mixed and not {'pandas', 'polars'} & set(sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
