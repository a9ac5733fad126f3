"""``data_description``: what the data sets of a study are, column by column."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from dagathlon.data import Dataset
from dagathlon.data.reading.preview import ColumnSummary, described
from dagathlon.frame import Cells, Row
from dagathlon.report.evaluation import Evaluation, Table, TableSet
from dagathlon.report.page.tables import case_names
from dagathlon.report.results import Results
from dagathlon.report.section import Listing, Part, Section, Words
from dagathlon.report.tables.places import combination_of

_MOST_DATA_SETS = 20


@dataclass(frozen=True, kw_only=True)
class DataDescription(Evaluation):
    """Describe the data: kind, levels, gaps and spread of every column."""

    name = "data_description"
    shape = "flag"

    def tables(self, results: Results) -> Mapping[str, Table]:
        """Return one row per column of the first data sets, and one row per data set."""
        cases = results.cases[:_MOST_DATA_SETS]
        names = case_names([combination_of(case) for case in cases])
        sets: list[Row] = []
        columns: list[Row] = []
        for case in cases:
            data = results.data(case)
            if data is not None:
                name = f"{names[combination_of(case)]}, seed {case.seed}" if len(cases) > 1 else ""
                sets.append({"data": name, "words": described(data)})
                about = {"data": name} if name else {}
                columns += [about | row for row in _columns(data)]
        return {"data sets": Table(sets), "columns": Table(columns, "columns.csv")}

    def section(self, tables: TableSet) -> Section | None:
        """Show one line per data set, and the table of columns."""
        lines = [
            f"{row['data']}: {row['words']}" if row["data"] else str(row["words"])
            for row in tables.rows("data sets")
        ]
        if not lines:
            return None
        parts: list[Part] = [Words(f"{line}.") for line in lines]
        parts.append(Listing("columns", tables.rows("columns")))
        return Section("data", "Data", parts)


def _columns(data: Dataset) -> Iterator[Cells]:
    for column in data.summary():
        yield {
            "column": column.name,
            "kind": column.kind,
            "values": column.n_distinct,
            "missing": column.n_missing,
            "minimum": column.minimum,
            "mean": column.mean,
            "maximum": column.maximum,
            "standard deviation": column.deviation,
            "most frequent": _frequent(column),
        }


def _frequent(column: ColumnSummary) -> str | None:
    """Return the most frequent levels with their shares."""
    counts = column.counts or {}
    total = sum(counts.values())
    if not total:
        return None
    first = sorted(counts.items(), key=lambda item: -item[1])[:3]
    return ", ".join(f"{level} ({number / total:.0%})" for level, number in first)
