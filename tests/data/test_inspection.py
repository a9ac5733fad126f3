"""What is said of a file: kinds, remarks, flags; and that the flags do what they promise."""

from __future__ import annotations

import datetime
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import parquet

from dagathlon.data import read_data, write_data
from dagathlon.data.inspection import Description, describe
from dagathlon.data.reading.options import Reading
from dagathlon.errors import DataError

Looked = Callable[..., Description]


@pytest.fixture
def look(tmp_path: Path) -> Looked:
    def look(columns: dict[str, list[object]], **reading: object) -> Description:
        path = tmp_path / "data.csv"
        rows = zip(*columns.values(), strict=True)
        lines = [",".join(columns), *(",".join(map(_field, row)) for row in rows)]
        path.write_text("\n".join(lines) + "\n")
        return describe(path, Reading(**reading))  # type: ignore[arg-type]

    return look


def _field(value: object) -> str:
    return f'"{value}"' if "," in str(value) else str(value)


def noise(n: int = 40, seed: int = 1) -> list[object]:
    return [round(float(x), 6) for x in np.random.default_rng(seed).normal(size=n)]


def said(found: Description, column: str | None = "x") -> list[tuple[str, str | None]]:
    return [(one.what, one.flag) for one in found.remarks if one.column == column]


X = noise()
CASES: dict[str, tuple[list[object], tuple[str, str | None]]] = {
    "names": ([f"p{i}" for i in range(40)], ("id", "--kinds=x=id")),
    "rows": (list(range(100, 140)), ("id", "--kinds=x=id")),
    "dates": ([f"2024-{i % 12 + 1:02d}-03" for i in range(40)], ("date", "--drop=x")),
    "days": ([f"{i % 28 + 1}/2/2024" for i in range(40)], ("date", "--drop=x")),
    "day numbers": ([20240101 + i % 28 for i in range(40)], ("date", "--drop=x")),
    "percent": ([f"{i % 30}.5%" for i in range(40)], ("percent", "--kinds=x=continuous")),
    "minus": (
        [f"\u2212{i}.5" if i % 3 else f"{i}.25" for i in range(40)],
        ("foreign minus sign", "--kinds=x=continuous"),
    ),
    "comma": ([f"{i % 3},{i % 4}" for i in range(40)], ("decimal comma", "--decimal=,")),
    "sentinel": ([-999 if i % 9 == 0 else x for i, x in enumerate(X)], ("sentinel", "--na=-999")),
    "9999": ([9999 if i % 9 == 0 else i % 30 for i in range(40)], ("sentinel", "--na=9999")),
    "word": (
        ["none" if i % 9 == 0 else "ab"[i % 2] for i in range(40)],
        ("missing word", "--na=none"),
    ),
    "slip": (["x" if i == 4 else i + 0.5 for i in range(40)], ("numbers as text", "--na=x")),
    "constant": ([7] * 40, ("constant", "--drop=x")),
    "nearly": ([7] * 39 + [8], ("nearly constant", "--drop=x")),
    "empty": ([""] * 40, ("empty", "--drop=x")),
    "gaps": (["" if i % 4 else i + 0.5 for i in range(40)], ("mostly missing", "--drop=x")),
    "skewed": ([2.0 ** (i / 2) for i in range(40)], ("skewed", "--log=x")),
    "infinite": ([*X[:-1], "inf"], ("infinite", "--na=inf,-inf")),
    "levels": ([f"c{i % 15}" for i in range(40)], ("many levels", "--drop=x")),
    "alike": ([["Ab", "ab", "f"][i % 3] for i in range(40)], ("alike levels", "--recode=x:ab=Ab")),
    "counts": ([i % 12 for i in range(40)], ("levels or counts", "--kinds=x=ordinal")),
    "few counts": ([i % 7 for i in range(40)], ("levels or counts", "--kinds=x=continuous")),
}


@pytest.mark.parametrize("case", CASES)
def test_suspicious_columns_are_named_with_their_flag(look: Looked, case: str) -> None:
    column, expected = CASES[case]
    assert expected in said(look({"x": column, "y": noise(seed=2)}))


@pytest.mark.parametrize(
    "column", [X, [i % 3 for i in range(40)], ["abc"[i % 3] for i in range(40)]]
)
def test_ordinary_columns_are_not(look: Looked, column: list[object]) -> None:
    assert look({"x": column, "y": noise(seed=2)}).remarks == ()


@pytest.mark.parametrize(
    ("case", "reading"),
    [
        ("percent", {"kinds": {"x": "continuous"}}),
        ("minus", {"kinds": {"x": "continuous"}}),
        ("sentinel", {"na": ("-999",)}),
        ("word", {"na": ("none",)}),
        ("slip", {"na": ("x",)}),
        ("infinite", {"na": ("inf", "-inf")}),
        ("names", {"kinds": {"x": "id"}}),
        ("counts", {"kinds": {"x": "ordinal"}}),
        ("constant", {"drop": ("x",)}),
    ],
)
def test_with_the_flag_nothing_is_left_to_say(look: Looked, case: str, reading: dict) -> None:
    found = look({"x": CASES[case][0], "y": noise(seed=2)}, **reading)
    assert found.remarks == ()


def test_copies_and_sums_of_other_columns(look: Looked) -> None:
    a, b = np.array(X, dtype=float), np.array(noise(seed=3), dtype=float)
    columns = {"a": X, "b": list(b), "x": X, "s": list(2 * a - b + 1), "t": noise(seed=4)}
    found = look({name: list(values) for name, values in columns.items()})
    assert said(found) == [("copy", "--drop=x")]
    assert said(found, "s") == [("linear dependence", "--drop=s")]
    assert "'a', 'b'" in next(one.text for one in found.remarks if one.column == "s")


def test_gaps_that_come_together(look: Looked) -> None:
    gone = [
        ["", ""] if i < 6 else [1.5 + i, ""] if i < 8 else [2.5 + i, 1.5 * i] for i in range(40)
    ]
    found = look({"x": [x for x, _ in gone], "y": [y for _, y in gone], "z": X})
    assert found.missing == {
        "complete_rows": 32,
        "columns": 2,
        "patterns": 2,
        "most_frequent": {"columns": ["x", "y"], "rows": 6},
    }
    assert [column.n_missing for column in found.columns] == [6, 8, 0]


def test_what_was_understood(look: Looked) -> None:
    found = look({"k": ["b", "a"] * 20, "x": X, "u": [*X[:-1], "oops"]}, drop=("x",))
    kinds = [(column.name, column.kind) for column in found.columns]
    assert kinds == [("k", "categorical"), ("x", "left out"), ("u", "unreadable")]
    assert found.columns[0].levels == {"a": 20, "b": 20}
    assert found.kinds == {"categorical": 1, "unreadable": 1, "left out": 1}
    assert found.to_json()["columns"][2]["remarks"][0]["what"] == "numbers as text"


def test_a_first_line_of_data(tmp_path: Path) -> None:
    path = tmp_path / "d.csv"
    path.write_text("1.5,2,a\n2.5,3,b\n3.5,1,a\n")
    assert [one.flag for one in describe(path).remarks] == ["--no-header"]
    assert [column.name for column in describe(path, Reading(header=False)).columns] == [
        "V1",
        "V2",
        "V3",
    ]
    path.write_text("1,2,3\n2.5,3.5,1.5\n3.5,1.5,2.5\n")
    assert describe(path).remarks == ()  # columns that are numbered


def test_benchpress_files_are_exact(tmp_path: Path) -> None:
    path = tmp_path / "d.csv"
    path.write_text("a,b\n12,2\n" + "".join(f"{i % 12},{i % 2}\n" for i in range(30)))
    found = describe(path)
    assert [one.flag for one in found.remarks] == ["--cardinality-row=no"]
    assert [len(column.levels or ()) for column in found.columns] == [12, 2]
    assert found.n_rows == 30


def test_tables_are_described_too(tmp_path: Path) -> None:
    path = tmp_path / "d.parquet"
    columns = {
        "x": [*map(float, range(39)), -9999.0],
        "k": ["a", None, "b", "a"] * 10,
        "b": [True] * 40,
    }
    parquet.write_table(pa.table(columns), path)
    found = describe(path)
    assert [one.flag for one in found.remarks] == ["--na=-9999", "--drop=b"]
    assert describe(path, Reading(na=("-9999",), drop=("b",))).columns[0].maximum == 38


@pytest.mark.parametrize(
    ("text", "message"), [("", "the file is empty"), ("a,b\n", "no rows"), ("\n", "no columns")]
)
def test_what_is_no_table_is_refused_with_the_reason(
    tmp_path: Path, text: str, message: str
) -> None:
    path = tmp_path / "d.csv"
    path.write_text(text)
    with pytest.raises(DataError, match=message):
        describe(path)


@pytest.mark.parametrize("text", ["a,b\n1,x\n", "a,b\n,\n", "ü,\u2212\n1.5,\u4e2d\n2.5,b\n"])
def test_next_to_nothing_is_described(tmp_path: Path, text: str) -> None:
    path = tmp_path / "d.csv"
    path.write_text(text)
    assert len(describe(path).columns) == 2


def test_columns_of_any_type_are_survived(tmp_path: Path) -> None:
    path = tmp_path / "d.parquet"
    days = [datetime.date(2024, 1, 1 + i % 28) for i in range(30)]
    columns = {
        "d": days,
        "l": [[i] for i in range(30)],
        "x": noise(30),
        "do(x)": [True, False] * 15,
    }
    parquet.write_table(pa.table(columns), path)
    found = describe(path)
    assert [column.kind for column in found.columns] == ["unreadable", "unreadable", "continuous"]
    assert ("date", "--drop=d") in said(found, "d")


def test_what_is_left_out_explains_nothing(look: Looked) -> None:
    found = look({"id": list(range(40)), "x": [i * 0.5 + 0.25 for i in range(40)]})
    assert said(found, "id") == [("id", "--kinds=id=id")]
    assert said(found) == []


def test_interventions_are_told(tmp_path):
    text = tmp_path / "t.csv"
    text.write_text("a,b,c,a,c\n1.5,2,3,1,0\n2.5,3,4.5,0,1\n.1,.3,.2,0,0\n")
    table = tmp_path / "t.parquet"
    write_data(read_data(text), table)
    for path in (text, table):
        (remark,) = [one for one in describe(path).remarks if one.what == "interventions"]
        assert remark.text == "columns mark the rows of interventions on a, c"
        assert remark.column is None
