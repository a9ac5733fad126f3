"""What a reader is told: kinds, columns, gaps, the layout of a file."""

from __future__ import annotations

import warnings
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from dagathlon.data import Dataset, Variable, drop_missing, read_data, write_data
from dagathlon.data.reading.options import Reading
from dagathlon.errors import DataError
from dagathlon.study.store.codec import decode, encode

# Of data written before variables could be ordered.
FINGERPRINT = "11310d9bcb322bef1671fc4dd2ab65f8122ec5909258bf2ae2b96777fbf0b5f4"


@pytest.fixture
def file(tmp_path: Path):
    def write(text: str) -> Path:
        path = tmp_path / "data.csv"
        path.write_text(text)
        return path

    return write


def counts(n: int, rows: int = 40) -> str:
    return "x,y\n" + "".join(f"{i % n},{i}.5\n" for i in range(rows))


@pytest.mark.parametrize("n", [2, 5, 6, 10, 11, 20])
@pytest.mark.parametrize("source", ["text", "table"])
def test_few_whole_numbers_are_levels_and_many_are_counts(file, n: int, source: str) -> None:
    path = file(counts(n))
    given = path if source == "text" else pa.table({"x": [i % n for i in range(40)]})
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        data = read_data(given)
    assert data.variables[0].is_discrete == (n <= 10)
    doubts = [str(one.message) for one in found if "levels or counts" in str(one.message)]
    assert len(doubts) == (n > 5)
    if doubts:
        taken, other = ("levels", "continuous") if n <= 10 else ("measurements", "ordinal")
        assert f"taken: 'x' as {taken}. Say it with kinds, such as x={other}" in doubts[0]


def test_what_is_said_is_no_guess(file) -> None:
    for kind in ("continuous", "ordinal", "categorical"):
        data = read_data(file(counts(12)), kinds={"x": kind})
        assert data.variables[0].is_discrete == (kind != "continuous")
        assert data.variables[0].ordered == (kind == "ordinal")


def test_numbers_of_levels_in_the_file_are_no_guess(file) -> None:
    rows = "".join(f"{i % 15},{i % 2}\n" for i in range(45))
    assert read_data(file("x,y\n15,2\n" + rows)).arities == (15, 2)


def test_columns_that_are_left_out_need_not_be_readable(file) -> None:
    path = file("name,x,odd,y\nann,1.5,1.25,2.5\nbob,2.5,oops,3.5\ncid,3.5,2.25,1.5\n")
    with pytest.raises(DataError, match="found 'oops'"):
        read_data(path)
    expected = ("x", "y")
    assert read_data(path, drop=["name", "odd"]).names == expected
    assert read_data(path, keep=["x", "y"]).names == expected
    assert read_data(path, kinds={"name": "id", "odd": "ignore"}).names == expected
    assert read_data(path, kinds={"*": "ignore", "x": "continuous"}).names == ("x",)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"drop": ["x", "z"]}, "unknown column 'z'"),
        ({"drop": ["x", "y"]}, "no column is left"),
        ({"drop": ["x"], "keep": ["x"]}, "'x' is to be kept and to be dropped"),
        ({"keep": "x"}, "a list of names"),
        ({"kinds": {"x": "contiuous"}}, "did you mean 'continuous'"),
        ({"decimal": ";"}, "a decimal sign is a point or a comma"),
    ],
)
def test_what_makes_no_sense_is_refused(file, options: dict, message: str) -> None:
    with pytest.raises(DataError, match=message):
        read_data(file("x,y\n1.5,2.5\n2.5,3.5\n"), **options)


def test_the_first_row_of_one_column_is_not_taken_for_cardinalities(file) -> None:
    path = file("x,y\n9,1.5\n" + "".join(f"{i % 3},{i}.5\n" for i in range(9)))
    assert len(read_data(path, drop=["y"])) == 10


def test_interventions_on_what_is_left_out_are_forgotten(file) -> None:
    path = file("x,y,x,y\n1.5,2.5,0,0\n2.5,1.5,1,0\n3.5,4.5,0,1\n")
    assert set(read_data(path).targets or ()) == {frozenset(), frozenset("x"), frozenset("y")}
    assert set(read_data(path, drop=["y"]).targets or ()) == {frozenset(), frozenset("x")}


def test_ordinal_text_needs_an_order(file) -> None:
    path = file("grade,x\nlow,1.5\nhigh,2.5\nmedium,3.5\n")
    with pytest.raises(
        DataError, match="'grade': ordinal levels that are no numbers need an order"
    ):
        read_data(path, kinds={"grade": "ordinal"})
    order = ("low", "medium", "high")
    data = read_data(path, kinds={"grade": "ordinal"}, levels={"grade": order})
    assert data.variables[0] == Variable("grade", order, ordered=True)
    assert data.column("grade").tolist() == [0, 2, 1]


def ordinal() -> Dataset:
    variables = [Variable("g", ("low", "mid", "high"), ordered=True), Variable("k", ("a", "b"))]
    return Dataset(variables, [[0, 1], [2, 0], [1, -1]])


def test_the_order_is_kept_by_files_frames_and_the_store(tmp_path: Path) -> None:
    data = ordinal()
    for ending in ("parquet", "arrow"):
        write_data(data, tmp_path / f"d.{ending}")
        assert read_data(tmp_path / f"d.{ending}") == data
    assert read_data(data.to_pandas()) == data
    assert read_data(pd.DataFrame({"g": pd.Categorical(["a"], ordered=True)})).variables[0].ordered
    assert decode(b"".join(encode(data))) == data
    plain = Dataset([Variable("g", data.variables[0].levels), data.variables[1]], data.codes)
    assert plain != data
    assert plain.fingerprint != data.fingerprint
    with pytest.raises(DataError, match="an ordered variable needs levels"):
        Variable("x", ordered=True)


def test_data_without_order_have_the_fingerprint_they_had() -> None:
    plain = Dataset([Variable("a", ("0", "1"))], [[0], [1]])
    assert plain.fingerprint == FINGERPRINT


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_numbers_that_mean_nothing_are_gaps(tmp_path: Path, file, ending: str) -> None:
    path = file("x,k\n1.5,a\n-999,b\n2.5,none\n-999.0,a\n")
    if ending == "parquet":
        path = tmp_path / "d.parquet"
        pa.parquet.write_table(
            pa.table({"x": [1.5, -999.0, 2.5, -999.0], "k": ["a", "b", "none", "a"]}), path
        )
    data = Reading(na=("-999", "none")).read(path)
    assert np.isnan(data.column("x")).tolist() == [False, True, False, True]
    assert data.variables[1].levels == ("a", "b")
    assert drop_missing(data).column("x").tolist() == [1.5]


def test_no_complete_row_names_the_worst_columns() -> None:
    data = Dataset([Variable("a"), Variable("b")], values=[[np.nan, 1], [2, np.nan], [np.nan, 3]])
    with pytest.raises(DataError, match=r"no row is complete; .* here a .67% missing"):
        drop_missing(data)


def test_a_file_without_names(file) -> None:
    data = read_data(file("1.5,a\n2.5,b\n3.5,a\n"), header=False)
    assert data.names == ("V1", "V2")
    assert data.column("V1").tolist() == [1.5, 2.5, 3.5]
    with pytest.raises(DataError, match="line 2: found 1 field"):
        read_data(file("1.5,a\n2.5\n"), header=False)
    with pytest.raises(DataError, match="if this line holds data, say that there is no header"):
        read_data(file("1,2,1,5\n1,2,1,4\n"))


def test_signs_that_people_write(file) -> None:
    path = file("p,m\n12.5%,\u22121.5\n30 %,2.5\n7%,\u22123\n")
    data = read_data(path, kinds="continuous")
    assert data.values.tolist() == [[12.5, -1.5], [30.0, 2.5], [7.0, -3.0]]
    commas = file("x;k\n1,1;a\n1,2;b\n1,1;a\n")
    assert read_data(commas, decimal=",").column("x").tolist() == [1.1, 1.2, 1.1]
    with pytest.raises(DataError, match=r"line 4, column 'x': found '1,5' .* this comma is not"):
        read_data(file("x;k\n0b1;a\nnan;b\n1,5;a\n"))


def test_a_reading_is_kept_as_json() -> None:
    said = {
        "kinds": {"b": "ordinal", "a": "id"},
        "levels": {"b": ["x", "y"]},
        "drop": ["c"],
        "na": ["-9"],
        "header": False,
        "decimal": ",",
    }
    reading = Reading.from_json(said)
    assert Reading.from_json(reading.to_json()) == Reading.from_json(reading.to_json())
    assert reading.to_json() == said
    assert hash(reading) == hash(Reading.from_json(said))
    assert Reading().to_json() == {}
    with pytest.raises(DataError, match=r"unknown key 'kind' .did you mean 'kinds'"):
        Reading.from_json({"kind": {}})
    with pytest.raises(DataError, match="drop: expected a list of column names, found 'x'"):
        Reading.from_json({"drop": "x"})
