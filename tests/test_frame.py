"""Typed tables: columns, types, groups."""

from __future__ import annotations

from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st
from pyarrow import parquet

from dagathlon.evaluate.metric import measures
from dagathlon.frame import Column, Frame, Schema, grouped, grouped_by, rows_by
from dagathlon.report.tables.runs import Combination, factor_columns
from dagathlon.study.records.runs import run_schema

SCHEMA: Schema = (
    Column("id", "text", "id of the learner"),
    Column("time", "number", "wall time in seconds"),
    Column("n", "whole", "number of rows"),
)
ROWS = [
    {"id": "pc", "time": 1, "n": 100, "alpha": 0.01},
    {"id": "hc", "time": None, "n": 100, "alpha": "none"},
    {"id": "pc", "time": 2.5, "n": 200, "further": True},
]


def test_columns_stand_in_order_of_appearance() -> None:
    assert Frame(ROWS).columns == ["id", "time", "n", "alpha", "further"]
    assert Frame(ROWS).column("further") == [None, None, True]
    assert Frame([]).columns == []


def test_declared_columns_have_their_type_and_meaning() -> None:
    table = Frame(ROWS, SCHEMA).table
    assert [str(table.schema.field(name).type) for name in ("id", "time", "n")] == [
        "string",
        "double",
        "int64",
    ]
    assert table.schema.field("time").metadata == {b"description": b"wall time in seconds"}
    assert Frame([{"time": None}], SCHEMA).table.schema.field("time").type == "double"


def test_cells_of_several_types_are_text() -> None:
    assert Frame(ROWS).table["alpha"].to_pylist() == ["0.01", "none", None]
    table = Frame([{"n": "many"}, {"n": 3}], SCHEMA).table
    assert table["n"].to_pylist() == ["many", "3"]


def test_not_a_number_is_missing() -> None:
    assert Frame([{"time": float("nan")}], SCHEMA).table["time"].to_pylist() == [None]


def test_parquet_keeps_the_meaning(tmp_path: Path) -> None:
    Frame(ROWS, SCHEMA).write_parquet(tmp_path / "runs.parquet")
    table = parquet.read_table(tmp_path / "runs.parquet")
    assert table["id"].to_pylist() == ["pc", "hc", "pc"]
    assert table.schema.field("n").metadata[b"description"] == b"number of rows"


cells = st.one_of(st.none(), st.integers(0, 3), st.sampled_from("ab"))


@given(st.lists(st.tuples(cells, cells)))
def test_groups_are_the_rows_in_order(pairs: list[tuple[object, object]]) -> None:
    rows = [{"x": x, "y": y, "place": place} for place, (x, y) in enumerate(pairs)]
    groups = rows_by(rows, "x", "y")
    assert list(groups) == list(dict.fromkeys(pairs))
    for key, members in groups.items():
        assert members == [row for row in rows if (row["x"], row["y"]) == key]


def test_records_are_grouped_by_key() -> None:
    assert grouped([("b", 1), ("a", 2), ("b", 3)]) == {"b": [1, 3], "a": [2]}
    assert list(grouped_by(["xy", "a", "bc"], len).items()) == [(2, ["xy", "bc"]), (1, ["a"])]


def test_every_factor_has_a_column() -> None:
    kind = Combination(
        "erdos_renyi/nodes=20/d=4.5", "sem/min=0.25", "iid/n=300/standardized=True/noise=M10"
    )
    assert factor_columns(kind) == {
        "graph": "erdos_renyi",
        "graph_nodes": 20,
        "graph_d": 4.5,
        "model": "sem",
        "model_min": 0.25,
        "data_module": "iid",
        "n": 300,
        "data_standardized": True,
        "noise": "M10",
    }
    assert factor_columns(Combination("asia.csv", "None", "mine.csv"))["noise"] == "N"


def test_the_schema_of_runs_declares_each_column_once() -> None:
    names = [column.name for column in run_schema()]
    assert len(names) == len(set(names))
    assert {*measures(), "seed", "status", "noise"} <= set(names)
