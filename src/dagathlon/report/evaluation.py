"""`Evaluation`: what is made of the results of a study, as one file."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple, TypeAlias

from dagathlon.frame import Rows, Schema, grouped_by
from dagathlon.report.figures.chart import Drawing
from dagathlon.report.figures.palette import Look
from dagathlon.report.results import Results
from dagathlon.report.section import Section
from dagathlon.report.tables.latex import Layout
from dagathlon.study.config.evaluation import Request

Block: TypeAlias = tuple[Mapping[str, Any], Mapping[str, Any]]


class Table(NamedTuple):
    """A table of an evaluation.

    Parameters
    ----------
    rows
        Values by column.
    file
        Name of the file in the folder of the evaluation: CSV, or JSON for a name that ends so, with
        one object for each row. Empty for what only figures and the section read.
    parquet
        Whether there is a Parquet file of the same name beside it.
    layout
        How it stands in the LaTeX and HTML files of the same name; None writes none.
    schema
        Types and meanings of its columns, which the Parquet file keeps.
    numbered
        Whether the CSV file begins with a column of row numbers, as Benchpress's files do.
    """

    rows: Rows
    file: str = ""
    parquet: bool = False
    layout: Layout | None = None
    schema: Schema = ()
    numbered: bool = False


class LongTable(NamedTuple):
    """A table of many rows that come in blocks.

    Parameters
    ----------
    blocks
        Arrays of equal length by column, and what all rows of the block share, by column.
    file
        Name of the CSV file in the folder of the evaluation; none is written without blocks.
    """

    blocks: Sequence[Block]
    file: str = ""


class Records(NamedTuple):
    """Typed records that only figures and the section read.

    Parameters
    ----------
    items
        Named tuples or other objects, all of one type.
    """

    items: Sequence[Any]


AnyTable: TypeAlias = Table | LongTable | Records


@dataclass(frozen=True)
class TableSet:
    """The tables of an evaluation, with what figures need to know of the setup.

    Where a study gives an evaluation several times, tables of one name are one table.

    Parameters
    ----------
    tables
        By name.
    title
        The setup's.
    look
        Colours and symbols of its algorithms.
    partial
        Whether the study was run only in part.
    """

    tables: Mapping[str, AnyTable]
    title: str
    look: Look
    partial: bool

    def rows(self, name: str) -> Rows:
        """The rows of a table; none where it is not there."""
        found = self.tables.get(name)
        return found.rows if isinstance(found, Table) else ()

    def records(self, name: str) -> Sequence[Any]:
        """Return the records of a name; none where it is absent."""
        records = self.tables.get(name)
        return records.items if isinstance(records, Records) else ()

    def blocks(self, name: str) -> Sequence[Block]:
        """The blocks of a long table; none where it is not there."""
        found = self.tables.get(name)
        return found.blocks if isinstance(found, LongTable) else ()


@dataclass(frozen=True, kw_only=True)
class Evaluation(Request):
    """Something that is made of the results: tables, figures, files, a section of the page.

    An evaluation is a frozen dataclass in a file of its own, found by its place (or named in the
    `modules` of a study, as a learner is). Its fields are its parameters. From `Request` it has
    ``shape``, `algorithms`, `needs_truth`, `by_default` and `tasks`, which runs in the planner and
    asks for scores and for learning on transformed data. The methods here run afterwards, and
    `Results` is the only door to what was computed. All of them are optional.

    Attributes
    ----------
    on_page
        Whether its section shows all its figures, so that files of them are written only when all
        figures are wanted as files (``--figures all``).
    """

    on_page: ClassVar[bool] = False

    @property
    def folder(self) -> str:
        """Where its files go, in the folder of the setup."""
        return self.name

    def tables(self, results: Results) -> Mapping[str, AnyTable]:
        """Everything that is computed from the results, by name."""
        return {}

    def figures(self, tables: TableSet) -> Iterable[tuple[str, Drawing]]:
        """Pictures by name of the file, in the folder of the evaluation.

        The suffix says how they are written (.png, .svg, .pdf); without one, as SVG and PNG.
        """
        return ()

    def files(self, results: Results) -> Iterable[tuple[str, bytes | Drawing]]:
        """Further files by name: pictures, or bytes that are written as they are."""
        return ()

    def section(self, tables: TableSet) -> Section | None:
        """What the page shows; None for nothing."""
        return None


@dataclass(frozen=True, kw_only=True)
class OfLearners(Evaluation):
    """An evaluation of the algorithms that its parameter `ids` names."""

    ids: tuple[str, ...]

    def algorithms(self) -> tuple[str, ...]:
        """The named ids."""
        return self.ids

    def included(self, results: Results) -> Sequence[str]:
        """Return the named ids, all of the setup where none is named."""
        return self.ids or results.ids


def tables_of(evaluations: Sequence[Evaluation], results: Results) -> TableSet:
    """The tables of an evaluation, once or several times in a setup; equal names are joined."""
    joined: dict[str, AnyTable] = {}
    for evaluation in evaluations:
        for name, table in evaluation.tables(results).items():
            joined[name] = _added(joined.get(name), table)
    return TableSet(joined, results.setup.title, Look.of(results.ids), results.partial)


def _added(known: AnyTable | None, table: AnyTable) -> AnyTable:
    if isinstance(known, Table) and isinstance(table, Table):
        return table._replace(rows=[*known.rows, *table.rows])
    if isinstance(known, Records) and isinstance(table, Records):
        return Records([*known.items, *table.items])
    if isinstance(known, LongTable) and isinstance(table, LongTable):
        return table._replace(blocks=[*known.blocks, *table.blocks])
    return table


def by_class(evaluations: Iterable[Request]) -> Iterator[list[Evaluation]]:
    """The evaluations of a setup, those of one class together."""
    own = (evaluation for evaluation in evaluations if isinstance(evaluation, Evaluation))
    yield from grouped_by(own, type).values()
