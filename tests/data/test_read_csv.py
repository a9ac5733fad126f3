from __future__ import annotations

import gzip
import os

import numpy as np
import pytest

from dagathlon.data import Dataset, Variable, read_data, write_data
from dagathlon.errors import DataError, DataWarning


@pytest.fixture
def read(tmp_path):
    """Read the given text as a file."""

    def read_text(text: str | bytes, name: str = "data.csv", **options) -> Dataset:
        path = tmp_path / name
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return read_data(path, **options)

    return read_text


def kinds_of(data: Dataset) -> str:
    return "".join("d" if variable.is_discrete else "c" for variable in data.variables)


# Benchpress's format


def test_the_cardinality_row_gives_the_levels(read) -> None:
    data = read("a,b\n2,3\n0,1\n1,0\n,1\n")
    assert data.variables == (Variable("a", ("0", "1")), Variable("b", ("0", "1", "2")))
    assert data.codes.tolist() == [[0, 1], [1, 0], [255, 1]]
    assert data.codes.flags.f_contiguous
    assert data.codes.ctypes.data % 64 == 0
    assert not data.codes.flags.writeable


def test_many_levels_need_wide_codes(read) -> None:
    data = read("a,b\n300,2\n299,0\n0,1\n")
    assert data.codes.dtype == np.uint16
    assert data.arities == (300, 2)
    assert read("a,b\n256,2\n255,0\n0,1\n").codes.tolist() == [[255, 0], [0, 1]]
    assert read("a,b\n255,2\n254,0\n,1\n0,1\n").codes.tolist() == [[254, 0], [255, 1], [0, 1]]


@pytest.mark.parametrize(
    "text",
    [
        "a,b\n5,4\n5,1\n2,3\n",  # the first row does not exceed the others
        "a,b\n0,2\n0,1\n1,1\n",  # no cardinality is 0
        "a,b\n2,3\n0,-1\n1,1\n",
        "a,b\n2,3.0\n0,1\n1,0\n",
        "a,b\n2,\n0,1\n1,0\n",
        "a,b\n2,x\n0,y\n1,x\n",
        "a,b\n3,70000\n0,1\n2,0\n",
    ],
)
def test_other_first_rows_are_data(read, text) -> None:
    assert len(read(text)) == 3


def test_what_the_first_row_is_can_be_said(read) -> None:
    text = "a\n5\n1\n2\n"
    assert read(text).arities == (5,)
    as_data = read(text, cardinality_row=False)
    assert as_data.variables == (Variable("a", ("1", "2", "5")),)
    assert as_data.codes.tolist() == [[2], [0], [1]]
    assert read("a\n2\n", cardinality_row=None).n_rows == 1
    continuous = read(text, kinds="continuous")
    assert continuous.values.tolist() == [[5.0], [1.0], [2.0]]
    assert read("a\n3.0\n1.0\n2.0\n", cardinality_row=True).codes.tolist() == [[1], [2]]


def test_levels_name_the_codes_below_cardinalities(read) -> None:
    data = read("a\n2\n0\n1\n", levels={"a": ("no", "yes")})
    assert data.variables == (Variable("a", ("no", "yes")),)
    assert data.codes.tolist() == [[0], [1]]
    with pytest.raises(DataError, match=r"3 levels given, .* there are 2"):
        read("a\n2\n0\n1\n", levels={"a": ("x", "y", "z")})


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a,b\n2,2\n0,1\n0,2\n", r"line 4, column 'b': found 2, but .* 2 levels: 0 to 1"),
        ("a,b\n2,2\n0,1\n\n-1,1\n", r"line 5, column 'a': found -1"),
        ("a,b\n2,2\n0,1\nx,1\n", r"line 4, column 'a': found 'x'"),
        ("a,b\n2,2\n0,0.5\n1,1\n", r"line 3, column 'b': found 0.5"),
        ("a,b\n0,2\n0,1\n", r"line 2, column 'a': found 0 where the number of levels"),
        ("a,b\n2,1000000000000\n0,1\n", r"line 2, column 'b': found 1000000000000 where"),
        ("a,b\n2,\n0,1\n", r"line 2, column 'b': found nothing where"),
        ("a,b\n2,two\n0,1\n", r"line 2, column 'b': found 'two' where"),
        ("a,b\n2,2\n", r"line 2: no rows follow the row of cardinalities"),
    ],
)
def test_values_outside_the_cardinalities_are_named(read, text, message) -> None:
    with pytest.raises(DataError, match=message):
        read(text, cardinality_row=True)


def test_a_narrow_miss_of_the_cardinalities_is_refused(read) -> None:
    rows = "0,1\n1,0\n" * 100
    with pytest.raises(DataError, match=r"line 203, column 'a': found 2.*cardinality_row=True"):
        read("a,b\n2,2\n" + rows + "2,1\n")
    with pytest.raises(DataError, match=r"line 203, column 'b': found 'x'.*cardinality_row=True"):
        read("a,b\n2,2\n" + rows + "1,x\n")
    assert len(read("a,b\n2,2\n" + rows + "2,1\n", cardinality_row=False)) == 202


def test_a_cardinality_row_needs_discrete_columns(read) -> None:
    with pytest.raises(DataError, match="'a' was requested as continuous"):
        read("a\n2\n1\n0\n", cardinality_row=True, kinds="continuous")


def test_repeated_names_mark_interventions(read) -> None:
    data = read("x,y,z,z,x\n1.5,2.5,3.5,0,0\n2.5,3.5,4.5,1,0\n3.5,4.5,5.5,1,1\n0.5,1.5,2.5,0,0\n")
    assert data.names == ("x", "y", "z")
    assert data.is_continuous
    sets = [data.targets[regime] for regime in data.regime]
    assert sets == [frozenset(), frozenset("z"), frozenset("xz"), frozenset()]
    assert data.intervened.astype(int).tolist() == [[0, 0, 0], [0, 0, 1], [1, 0, 1], [0, 0, 0]]


def test_discrete_data_have_interventions_too(read) -> None:
    data = read("x,y,y\n2,3,2\n0,2,0\n1,1,1\n0,0,1\n")
    assert data.arities == (2, 3)
    assert data.regime.tolist() == [0, 1, 1]
    assert data.intervened[:, 1].tolist() == [False, True, True]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("x,y,x\n1.5,2.5,0\n2.5,1.5,2\n", r"line 3, column 'x' \(the second.*found 2, allowed"),
        ("x,y,x\n1.5,2.5,0\n2.5,1.5,\n", r"line 3, column 'x'.*found nothing"),
        ("x,y,x\n1.5,2.5,no\n2.5,1.5,yes\n", r"line 2, column 'x'.*found 'no'"),
        ("x,y,x,w\n1.5,2.5,0,1\n", r"column 4 is an intervention indicator.*'w' is no variable"),
        ("x,y,x,x\n1.5,2.5,0,1\n", r"line 1: the name 'x' stands more than twice"),
        ("x,x,y\n1.5,0,2.5\n", r"column 3 is an intervention indicator.*'y' is no variable"),
    ],
)
def test_wrong_indicators_are_refused(read, text, message) -> None:
    with pytest.raises(DataError, match=message):
        read(text)


# Ordinary tables


@pytest.mark.parametrize(
    ("text", "kinds"),
    [
        ("a,b,c\nx,0.5,1\ny,1,2\nx,2,0\n", "dcd"),
        ("a,b\n0,18\n1,20\n1,35\n", "dc"),
        ("a,b\n-1,19\n1,0\n0,3\n", "cd"),
        ("a,b\n1.0,1e1\n0.0,2\n1.0,3\n", "cc"),
        ("a,b\nTRUE,true\nFALSE,false\nTRUE,true\n", "dd"),
        ("a,b\n2020-01-01,12:30\n2020-01-02,12:31\n2020-01-01,12:30\n", "dd"),
        ("a,b\n1,NA\n2,?\n1,0.5\n0,1.5\n", "dc"),
        ("a,b\n 1 , 2.5\n 0, NA\n1 ,3.5\n0,?\n", "dc"),
        ("a,b\n99999999999999999999,1\n1,0\n2,1\n", "cd"),
        ("a,b\nx,1\n1,x\ny,1\n", "dd"),
    ],
)
def test_content_decides_kinds(read, text, kinds) -> None:
    assert kinds_of(read(text)) == kinds


def test_levels_are_sorted_as_text_or_as_numbers(read) -> None:
    data = read("a,b\nb10,10\nb9,9\nB,2\nß,10\nb,2\n", kinds="discrete")
    assert data.variables[0].levels == ("B", "b", "b10", "b9", "ß")
    assert data.variables[1].levels == ("2", "9", "10")
    assert data.column("a").tolist() == [2, 3, 0, 4, 1]
    assert data.column("b").tolist() == [2, 1, 0, 2, 0]
    numbers = read("a\n10.5\n9.25\nNA\n1e1\n", kinds={"a": "discrete"})
    assert numbers.variables[0].levels == ("9.25", "1e1", "10.5")


def test_missing_fields_are_recognised(read) -> None:
    words = ["", "NA", "N/A", "NaN", "nan", "null", "NULL", "?"]
    rows = "".join(f"{word},{word},{word}\n" for word in words)
    data = read("a,b,c\nx,0.5,1\ny,1.5,0\n" + rows)
    assert kinds_of(data) == "dcd"
    assert data.missing.sum(axis=0).tolist() == [8, 8, 8]
    other = read("a,b\nx,0.5\n-,-\nNA,1.5\n", missing=["-"])
    assert other.variables[0].levels == ("NA", "x")
    assert other.missing.tolist() == [[False, False], [True, True], [False, False]]


def test_a_column_without_values_is_continuous(read) -> None:
    with pytest.warns(DataWarning, match="column 'b' with one value only"):
        data = read("a,b\n0.5,\n1.5,NA\n")
    assert kinds_of(data) == "cc"
    assert np.isnan(data.column("b")).all()
    with pytest.raises(DataError, match="'b': all values are missing, so its levels are unknown"):
        read("a,b\n0.5,\n1.5,NA\n", kinds={"b": "discrete"})
    with pytest.warns(DataWarning):
        given = read("a,b\n0.5,\n1.5,NA\n", levels={"b": ("x", "y")})
    assert given.variables[1].levels == ("x", "y")


def test_types_that_later_rows_disprove_are_corrected(read) -> None:
    rows = 3000
    small, later = "1,1,0.5\n" * rows, "300,1.5,high\n"
    data = read("a,b,c\n0,0,1.5\n" + small + later, kinds={"c": "discrete"})
    assert kinds_of(data) == "ccd"
    assert data.column("a")[-1] == 300.0
    assert data.column("b")[-1] == 1.5
    assert data.variables[2].levels == ("0.5", "1.5", "high")
    gaps = "a,b\n" + ",\n" * rows + "x,1\ny,0\n"
    assert kinds_of(read(gaps)) == "dd"


def test_text_among_numbers_is_refused(read) -> None:
    numbers = "".join(f"{i}.5,{i % 3}\n" for i in range(200))
    with pytest.raises(DataError, match=r"line 202, column 'a': found '1.2.3' in a column of num"):
        read("a,b\n" + numbers + "1.2.3,1\n")
    data = read("a,b\n" + numbers + "1.2.3,1\n", missing=["", "1.2.3"])
    assert kinds_of(data) == "cd"
    assert np.isnan(data.column("a")[-1])
    with pytest.raises(DataError, match=r"line 3, column 'a': found 'x', which is not a number"):
        read("a\n1\nx\n2\n", kinds={"a": "continuous"})
    with pytest.raises(DataError, match=f"found '{'x' * 40}…', which is not a number"):
        read(f"a\n1\n{'x' * 5000}\n2\n", kinds={"a": "continuous"})


def test_text_among_a_few_numbers_is_refused_unless_they_can_be_names(read) -> None:
    with pytest.raises(DataError, match=r"line 3, column 'a': found 'low' in a column of numbers"):
        read("a,b\n1.5,0.5\nlow,1.5\n2.5,3.5\n")
    doses = "a\n0.5\n1.0\nnone\n0.5\n1.0\n1.0\n0.5\n"
    assert read(doses).variables[0].levels == ("0.5", "1.0", "none")
    assert read("a\n1\n2\n3+\n").variables[0].levels == ("1", "2", "3+")


def test_decimal_commas_between_semicolons_are_numbers(read) -> None:
    rows = "".join(f"{i},5;{i};{'yes' if i % 2 else 'no'}\r\n" for i in range(50))
    data = read("\ufeffa;b;c\r\n" + rows)
    assert data.values[:2].tolist() == [[0.5, 0.0], [1.5, 1.0]]
    assert data.variables[2].levels == ("no", "yes")
    gaps = read("a\tb\n-1,5\tNA\n\t2,25e1\n3\t4\n", missing="NA")
    np.testing.assert_array_equal(gaps.values, [[-1.5, np.nan], [np.nan, 22.5], [3.0, 4.0]])
    assert read("a;b\n1,5;2\n2,5;3\n", kinds="discrete").variables[0].levels == ("1,5", "2,5")
    with pytest.raises(DataError, match=r"line 52, column 'a': found 'oops' in a column of num"):
        read("a;b;c\r\n" + rows + "oops;1;no\r\n")


@pytest.mark.parametrize("other", ["3", "3.5"])
def test_commas_that_may_separate_thousands_are_explained(read, other) -> None:
    rows = "".join(f"{i},{100 + i};{other}\n" for i in range(1, 50))
    with pytest.raises(DataError, match=r"line 2, column 'a': found '1,101'.*decimal point"):
        read("a;b\n" + rows)


@pytest.mark.parametrize("form", ["0,{:03}", "1000,{:03}", "1,{:03}E3", ",{}", " {},5 "])
def test_commas_that_cannot_separate_thousands_are_decimal(read, form) -> None:
    fields = [form.format(i) for i in range(10, 60)]
    expected = [[float(field.replace(",", "."))] for field in fields]
    assert (
        read("a\tb\n" + "".join(f"{f}\t{i}\n" for i, f in enumerate(fields))).values[:, :1].tolist()
        == expected
    )


def test_commas_between_codes_stay(read) -> None:
    rows = "".join(f"{pair};{i}\n" for i, pair in enumerate(["1,1", "1,2", "2,2"] * 20))
    assert read("gene;y\n" + rows).variables[0].levels == ("1,1", "1,2", "2,2")
    doses = "".join(f"{dose};{i}\n" for i, dose in enumerate(["0,5", "1,5", "none"] * 20))
    assert read("dose;y\n" + doses).variables[0].levels == ("0,5", "1,5", "none")
    mixed = "".join(f"{pair};{i},{100 + i}\n" for i, pair in enumerate(["1,2", "2,3", "3"] * 20))
    with pytest.raises(DataError, match=r"column 'pay': found '0,100'.*decimal point"):
        read("tags;pay\n" + mixed)
    with pytest.raises(DataError, match=r"decimal commas in the first rows, and '1.234' has a poi"):
        read("a;b\n" + "".join(f"{i},5;{i}\n" for i in range(120)) + "1,5;1.234\n")


def test_columns_that_name_or_number_the_rows_are_pointed_out(read) -> None:
    rows = "".join(f"{i},person {i},{i % 3}.5,{i % 2}\n" for i in range(12))
    with pytest.warns(DataWarning, match=r"columns 'index', 'who' with another value in each row"):
        read("index,who,x,y\n" + rows)


def test_row_names_without_a_header_are_left_out(read) -> None:
    with pytest.warns(DataWarning, match="the first column has no name"):
        data = read("\na,b\nx,1.5,2.5\ny,2.5,1.5\n")
    assert data.names == ("a", "b")
    assert data.values.tolist() == [[1.5, 2.5], [2.5, 1.5]]
    with pytest.raises(DataError, match=r"line 2: found 3 fields where the header has 2$"):
        read("a,b\nx,1.5,2.5\nx,2.5,1.5\n")


def test_a_delimiter_too_many_is_no_row_name(read) -> None:
    with pytest.raises(DataError, match=r"line 2: found 3 fields where the header has 2$"):
        read("a,b\n1.5,2.5,\n2.5,1.5,\n")


@pytest.mark.parametrize("word", ["inf", "-Infinity", "1e999", "Inf"])
def test_infinite_numbers_are_refused(read, word) -> None:
    with pytest.raises(DataError, match=r"data.csv, line 4, column 'b': found an infinite"):
        read(f"a,b\n1.5,2.5\n0.5,NaN\n2.5,{word}\n")


def test_constant_columns_are_warned_of_once(read) -> None:
    with pytest.warns(DataWarning, match=r"data.csv: columns 'a', 'c' with one value") as found:
        data = read("a,b,c\nx,0.5,1.5\nx,1.5,\nx,2.5,1.5\n")
    assert len(found) == 1
    assert found[0].filename == __file__
    assert data.variables[0].levels == ("x",)
    assert read("a,b\nx,1.5\n").n_rows == 1


def test_too_many_levels_are_refused(read) -> None:
    rows = "".join(f"person {i}\n" for i in range(65_536))
    with pytest.raises(DataError, match="column 'name': found 65536 different labels"):
        read("name\n" + rows)
    with pytest.warns(DataWarning, match="column 'name' with another value in each row"):
        assert read("name\n" + rows.replace("person 65535\n", "")).arities == (65_535,)


# Text files


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("a,b\r\n1.5,x\r\n2.5,y\r\n", ("a", "b")),
        ("a,b\r1.5,x\r2.5,y\r", ("a", "b")),
        ("a;b\n1.5;x\n2.5;y\n", ("a", "b")),
        ("a\tb\n1.5\tx\n2.5\ty\n", ("a", "b")),
        ("a,b\n1.5,x\n2.5,y", ("a", "b")),
        ("a,b\n1.5,x\n2.5,y\n\n\n", ("a", "b")),
        ("\n\na,b\n\n1.5,x\n\n2.5,y\n", ("a", "b")),
        ("a,b,\n1.5,x,\n2.5,y,\n", ("a", "b")),
        (" a , b \n1.5 , x\n2.5,y \n", ("a", "b")),
        ('"a","b"\n"1.5","x"\n"2.5","y"\n', ("a", "b")),
        ('"a,\n""b"""," c;d;e"\n1.5,x\n2.5,y\n', ('a,\n"b"', "c;d;e")),
        ("\ufeffa,b\n1.5,x\n2.5,y\n", ("a", "b")),
        ("a,b\n1.5,x\n2.5,y\n".encode("utf-16"), ("a", "b")),
        ("\ufeffa,ä\n1.5,x\n2.5,y\n".encode("utf-16-be"), ("a", "ä")),
    ],
)
def test_dialects_are_understood(read, text, names) -> None:
    data = read(text)
    assert data.names == names
    assert data.values.tolist() == [[1.5], [2.5]]
    assert data.codes.tolist() == [[0], [1]]
    assert data.variables[1].levels == ("x", "y")


def test_quoted_fields_may_hold_anything(read) -> None:
    data = read('a,b\n"one, two",1.5\n"three\n""four""",2.5\n')
    assert data.variables[0].levels == ("one, two", 'three\n"four"')
    inches = read('a,b\n5" pipe,1.5\n"6"" pipe",2.5\n')
    assert inches.variables[0].levels == ('5" pipe', '6" pipe')


def test_endings_and_delimiters_can_be_chosen(read) -> None:
    assert read("a,b\tc\n1.5,x\t0.5\n2.5,y\t1.5\n", "data.tsv").names == ("a,b", "c")
    assert read("a|b\n1.5|x\n2.5|y\n", "data.txt", delimiter="|").names == ("a", "b")
    packed = gzip.compress(b"a,b\n1.5,x\n2.5,y\n")
    assert read(packed, "data.csv.gz").names == ("a", "b")
    assert read("a\n1.5\n2.5\n", "data").names == ("a",)


def test_one_column_may_have_gaps(read) -> None:
    data = read('a\n1.5\n""\nNA\n\n2.5\n')
    assert data.missing.tolist() == [[False], [True], [True], [False]]


@pytest.mark.slow
def test_ten_thousand_columns_are_read(read) -> None:
    p = 10_000
    header = ",".join(f"V{j}" for j in range(p))
    rows = [",".join(str((i + j) % 2) for j in range(p)) for i in range(3)]
    data = read("\n".join([header, ",".join("2" * p), *rows]))
    assert data.codes.shape == (3, p)
    labels = [",".join("ab"[(i + j) % 2] for j in range(p)) for i in range(3)]
    assert read("\n".join([header, *labels])).arities == (2,) * p


def test_rows_longer_than_a_block_are_read(read) -> None:
    p, wide = 20_000, "0.1234567890123456789012345678901234567890123456789012345678901234567890"
    names = ",".join(f"V{j}" for j in range(p))
    rows = [",".join(f"{i}{j % 10}.5" for j in range(p)) for i in range(3)]
    data = read("\n".join([names, *rows, ",".join([wide] * p)]))
    assert data.values.shape == (4, p)
    assert (data.values[3] == float(wide)).all()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", r"data.csv: the file is empty"),
        ("\n\n", r"data.csv: no columns"),
        ("\ufeff", r"data.csv: no columns"),
        ("a,b\n", r"data.csv: no rows follow the header"),
        ("a,b", r"data.csv: no rows follow the header"),
        ("a,,c\n1,2,3\n", r"line 1: column 2 has no name"),
        ("a,b\n1,2\n\n1,2,3\n", r"data.csv, line 4: found 3 fields where the header has 2"),
        ("a,b\n1,2\n1\n", r"data.csv, line 3: found 1 field where the header has 2"),
        ("a,b\n" + "1,2\n" * 5000 + "3\n", r"line 5002: found 1 field where"),
        ("a,b,\n1.5,x,\n2.5,y,z\n", r"line 3: there is a value after the last named column"),
        (b"a,b\n1,\x00\n", r"not a text file \(found a zero byte at offset 6\)"),
        (b"a,b\n1,2\nx\x81,2\n", r"line 3: not UTF-8 text \(byte 0x81 at offset 9\)"),
        (b"a\x81,b\n1,2\n", r"line 1: not UTF-8 text \(byte 0x81 at offset 1\)"),
        (b"a,b\n1,\xc3", r"the last character is cut off"),
        (b"\xff\xfea\x00,\x00b", r"not valid UTF-16 text"),
        ('a,b\n1,"2\n3,4\n', r"data.csv, line 2: unexpected end.*is a quote left open"),
        ('a,b\n1,2\n"3"x",4\n', r"data.csv, line 3: .*is a quote left open"),
    ],
)
def test_files_that_are_no_tables_are_refused(read, text, message) -> None:
    with pytest.raises(DataError, match=message):
        read(text)


def test_a_wrong_byte_far_into_a_file_is_found(read) -> None:
    text = b"a,b\n" + "ä,1.5\nö,2.5\n".encode() * 200_000
    place = text.index(b"\n", 1_500_000) + 1
    broken = text[:place] + b"\xe9,3.5\n" + text[place:]
    line = broken[:place].count(b"\n") + 1
    with pytest.raises(DataError, match=f"line {line}: .*0xE9 at offset {place}"):
        read(broken)


def test_files_that_cannot_be_opened_are_explained(tmp_path) -> None:
    with pytest.raises(DataError, match=r"nothing.csv: there is no such file"):
        read_data(tmp_path / "nothing.csv")
    with pytest.raises(DataError, match="is a folder; give one data file"):
        read_data(tmp_path)
    with pytest.raises(DataError, match="cannot open this file"):
        read_data("a\0b.csv")
    with pytest.raises(DataError, match="not a regular file"):
        read_data("/dev/null")
    (tmp_path / "bad.csv.gz").write_bytes(b"a,b\n1,2\n")
    with pytest.raises(DataError, match="not a readable gzip file"):
        read_data(tmp_path / "bad.csv.gz")
    (tmp_path / "cut.csv.gz").write_bytes(gzip.compress(b"a,b\n1,2\n" * 100)[:-12])
    with pytest.raises(DataError, match="not a readable gzip file"):
        read_data(tmp_path / "cut.csv.gz")


def test_a_file_without_permission_is_explained(tmp_path, monkeypatch) -> None:
    path = tmp_path / "closed.csv"
    path.write_text("a\n1\n")

    def refuse(*_: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(type(path), "open", refuse)
    with pytest.raises(DataError, match=r"closed.csv: no permission to open this file"):
        read_data(path)


def test_a_pipe_can_be_read() -> None:
    reading, writing = os.pipe()
    os.write(writing, b"a,b\n1.5,x\n2.5,y\n")
    os.close(writing)
    try:
        assert read_data(f"/dev/fd/{reading}").names == ("a", "b")
    finally:
        os.close(reading)


# Writing


def test_benchpress_files_are_written_as_benchpress_does(tmp_path) -> None:
    path = tmp_path / "data.csv"
    variables = [Variable("a", ("no", "yes")), Variable.coded("b", 4)]
    data = Dataset(variables, [[0, 3], [1, -1]], regimes=([(), ("b",)], [0, 1]))
    write_data(data, path)
    assert path.read_text() == "a,b,b\n2,4,2\n0,3,0\n1,,1\n"
    write_data(data, path, labels=True)
    assert path.read_text() == "a,b,b\nno,3,0\nyes,,1\n"
    mixed = Dataset([variables[0], Variable("c")], [[0], [1]], [[2.0], [np.nan]])
    write_data(mixed, path)
    assert path.read_text() == "a,c\n0,2.0\n1,\n"
    with pytest.warns(DataWarning, match="'c' with one value"):
        assert kinds_of(read_data(path)) == "dc"


def test_files_are_the_same_bytes_each_time(tmp_path) -> None:
    data = Dataset([Variable("a")], values=np.random.default_rng(1).normal(size=(50, 1)))
    for ending in ("csv", "csv.gz", "parquet", "arrow"):
        first, second = tmp_path / f"first.{ending}", tmp_path / f"second.{ending}"
        write_data(data, first)
        write_data(data, second)
        assert first.read_bytes() == second.read_bytes()


@pytest.mark.parametrize("word", ["", "NA", "?", " x", "x\t", "a\0b"])
def test_labels_that_would_change_are_not_written(tmp_path, word) -> None:
    with pytest.raises(DataError, match="would not be read back"):
        write_data(Dataset([Variable("a", (word,))], [[0]]), tmp_path / "data.csv", labels=True)
    if word.strip() != word or "\0" in word:
        with pytest.raises(DataError, match="would not be read back"):
            write_data(Dataset([Variable(word)], values=[[0]]), tmp_path / "data.csv")
