"""`Evaluation`: base class of tables, figures and sections made of the results of a study."""

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
    """Table of an evaluation.

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
    """Table of many rows in blocks of columns.

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
    """Tables of an evaluation, with the facts of the setup that figures need.

    Where a study requests an evaluation several times, tables of one name are concatenated.

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
        """Return the rows of a table; none if it is absent."""
        table = self.tables.get(name)
        return table.rows if isinstance(table, Table) else ()

    def records(self, name: str) -> Sequence[Any]:
        """Return the records of a name; none if they are absent."""
        records = self.tables.get(name)
        return records.items if isinstance(records, Records) else ()

    def blocks(self, name: str) -> Sequence[Block]:
        """Return the blocks of a long table; none if it is absent."""
        table = self.tables.get(name)
        return table.blocks if isinstance(table, LongTable) else ()


@dataclass(frozen=True, kw_only=True)
class Evaluation(Request):
    """Base class of evaluations, which make tables, figures, files and a section from results.

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
        """Name of the folder of its files, in the folder of the setup."""
        return self.name

    def tables(self, results: Results) -> Mapping[str, AnyTable]:
        """Return the tables, by name."""
        return {}

    def figures(self, tables: TableSet) -> Iterable[tuple[str, Drawing]]:
        """Return pictures by file name, for the folder of the evaluation.

        The suffix says how they are written (.png, .svg, .pdf); without one, as SVG and PNG.
        """
        return ()

    def files(self, results: Results) -> Iterable[tuple[str, bytes | Drawing]]:
        """Return further files by name: pictures, or bytes that are written as they are."""
        return ()

    def section(self, tables: TableSet) -> Section | None:
        """Return the section of the page; None for none."""
        return None


@dataclass(frozen=True, kw_only=True)
class OfLearners(Evaluation):
    """Evaluation of the algorithms that its parameter `ids` names."""

    ids: tuple[str, ...]

    def algorithms(self) -> tuple[str, ...]:
        """Return the named ids."""
        return self.ids

    def included(self, results: Results) -> Sequence[str]:
        """Return the named ids, or all ids of the setup if none is named."""
        return self.ids or results.ids


def tables_of(evaluations: Sequence[Evaluation], results: Results) -> TableSet:
    """Return the tables of all requests of one evaluation; those of one name are concatenated."""
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
    """Yield the evaluations of a setup by class."""
    reported = (evaluation for evaluation in evaluations if isinstance(evaluation, Evaluation))
    yield from grouped_by(reported, type).values()
