"""Tables of edges with the columns ``from``, ``edge`` and ``to``, as CSV or Parquet.

An isolated node is a row with its name under ``from`` and empty cells under the other two. The size
of such a file grows with the edges, where that of a matrix grows with the square of the nodes.
"""

from __future__ import annotations

import io
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from dagathlon.graphs.formats.builder import GraphBuilder
from dagathlon.graphs.formats.csvtext import first_fields, quoted, records
from dagathlon.graphs.formats.format import GraphFormat
from dagathlon.graphs.formats.source import TextSource, shown
from dagathlon.graphs.graph import Graph

_COLUMNS = ["from", "edge", "to"]
_HEADER = ",".join(_COLUMNS)
_MAGIC = b"PAR1"


def is_header(fields: list[str]) -> bool:
    """Whether these fields are the header of a table of edges."""
    return [field.strip().lower() for field in fields] == _COLUMNS


def is_parquet(content: bytes) -> bool:
    """Whether a content begins like a Parquet file."""
    return content.startswith(_MAGIC)


def read_table(source: TextSource, names: Iterable[str] | None = None) -> Graph:
    """Read a table of edges from CSV text."""
    rows = records(source)
    header = next(rows, None)
    if header is None or not is_header(header.fields):
        first_line = shown(",".join(header.fields)) if header else "nothing"
        raise source.error(f"the header of a table of edges is {_HEADER!r}, found {first_line}", 1)
    builder = GraphBuilder(source, names)
    for row in rows:
        if len(row.fields) != len(_COLUMNS):
            raise source.error(f"found {len(row.fields)} cells, the header has 3", row.line)
        _add(builder, source, row.fields, row.line)
    return builder.graph()


def read_parquet(source: TextSource, names: Iterable[str] | None = None) -> Graph:
    """Read a table of edges from a Parquet file."""
    builder = GraphBuilder(source, names)
    for line, fields in enumerate(_parquet_rows(source), 1):
        _add(builder, source, ["" if field is None else field for field in fields], line)
    return builder.graph()


def write_table(graph: Graph) -> str:
    """Write isolated nodes and edges, one per line."""
    lines = [",".join(map(quoted, row)) for row in _rows(graph)]
    return "\n".join([_HEADER, *lines, ""])


def write_parquet(graph: Graph) -> bytes:
    """Write isolated nodes and edges as three columns of text."""
    import pyarrow as pa  # noqa: PLC0415 - slow to import
    import pyarrow.parquet as pq  # noqa: PLC0415 - slow to import

    columns = zip(*_rows(graph), strict=True)
    cells = [[text or None for text in column] for column in columns] or [[], [], []]
    file = io.BytesIO()
    table = pa.table([pa.array(column, pa.string()) for column in cells], names=_COLUMNS)
    pq.write_table(table, file, compression="zstd")
    return file.getvalue()


def _rows(graph: Graph) -> Iterator[tuple[str, str, str]]:
    isolated = np.setdiff1d(np.arange(len(graph)), graph.edge_arrays().pairs)
    for node in isolated.tolist():
        yield graph.names[node], "", ""
    for edge in graph.edges():
        yield edge.left, edge.connector, edge.right


def _add(builder: GraphBuilder, source: TextSource, fields: list[str], line: int) -> None:
    left, text, right = fields
    if text or right:
        builder.written_edge(left, text, right, line)
    else:
        builder.node(left, line)


def _parquet_rows(source: TextSource) -> Iterator[tuple[str | None, ...]]:
    """Yield the rows batch by batch, as a short file may unpack to very many rows."""
    import pyarrow as pa  # noqa: PLC0415 - slow to import
    import pyarrow.parquet as pq  # noqa: PLC0415 - slow to import

    try:
        file: Any = pq.ParquetFile(io.BytesIO(source.content))
        names = file.schema_arrow.names
        written = {name.strip().lower(): name for name in names}
        if not set(_COLUMNS) <= written.keys() or len(written) < len(names):
            text = shown(", ".join(names))
            raise source.error(f"a table of edges has the columns {_HEADER!r}, found {text}")
        for batch in file.iter_batches(columns=[written[name] for name in _COLUMNS]):
            cells = (batch[written[name]].cast(pa.string()).to_pylist() for name in _COLUMNS)
            yield from zip(*cells, strict=True)
    except (pa.ArrowException, OSError, ValueError, KeyError) as error:
        raise source.error(f"no readable Parquet file ({str(error).splitlines()[0]})") from None


@dataclass(frozen=True, kw_only=True)
class EdgeTable(GraphFormat):
    """CSV with the columns from, edge, to."""

    name = "table"
    suffixes = ()
    rank = 6

    def read(self, source: TextSource, names: Iterable[str] | None = None) -> Graph:
        """Read a file."""
        return read_table(source, names)

    def write(self, graph: Graph) -> str | bytes:
        """Write a graph."""
        return write_table(graph)

    def recognises(self, source: TextSource) -> bool:
        """Whether the content begins like this format."""
        return is_header(first_fields(source))


@dataclass(frozen=True, kw_only=True)
class EdgeParquet(GraphFormat):
    """Parquet file with the columns from, edge, to."""

    name = "parquet"
    suffixes = (".parquet",)
    rank = 1

    def read(self, source: TextSource, names: Iterable[str] | None = None) -> Graph:
        """Read a file."""
        return read_parquet(source, names)

    def write(self, graph: Graph) -> str | bytes:
        """Write a graph."""
        return write_parquet(graph)

    def recognises(self, source: TextSource) -> bool:
        """Whether the content begins like this format."""
        return is_parquet(source.content)
